# By its keys in a window, the inbox over IMAP, the draft in its own editor, the password in a keyring.
package=geary
needs="xvfb xdotool xclip dbus dbus-bin gnome-keyring"
driven="keys, IMAP"
tip '`Ctrl+R`, orders at the top, or the `;` off in the quoted form; `Ctrl+Enter` sends. The button: `geary "mailto:…"`'
guess shown "the HTML, the calendar by its name"
guess quotes "> "
guess lines "as they were, format=flowed"
guess to "Reply-To"
guess button "the whole draft"
guess forward "the text, with the files"

begin() {
  mkdir -p ~/.config/geary/account_01
  printf '%s\n' "[Metadata]" version=1 status=enabled "[Account]" ordinal=1 prefetch_days=14 save_drafts=false save_sent=false \
    "sender_mailboxes=Ann <ann@pbem.test>;" service_provider=other "[Incoming]" login=ann remember_password=true \
    host=127.0.0.1 "port=$IMAP_PORT" transport_security=none credentials=custom "[Outgoing]" host=127.0.0.1 "port=$SMTP_PORT" \
    transport_security=none credentials=none >~/.config/geary/account_01/geary.ini
  export WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1 GSETTINGS_BACKEND=memory # it is in a system of its own
  mkdir -p ~/.local/share/keyrings
  echo login >~/.local/share/keyrings/default
  printf '%s\n' "[keyring]" display-name=login ctime=0 mtime=0 lock-on-idle=false lock-after=false \
    "[1]" item-type=0 display-name=mail secret=ann-pw ctime=0 mtime=0 \
    "[1:attribute0]" name=login type=string value=ann "[1:attribute1]" name=host type=string value=127.0.0.1 \
    "[1:attribute2]" name=proto type=string value=IMAP "[1:attribute3]" name=xdg:schema type=string value=org.gnome.Geary \
    >~/.local/share/keyrings/login.keyring
  window dbus-run-session -- geary "$@"
}
opened() {
  begin; large "Inbox"; click 500 80 --repeat 2; copy 100 400
}
free_line() { # by counting from the end of the draft
  press ctrl+End
  xdotool key --repeat "$above" Up; press Home Delete Delete; ((above -= 1))
}
reply() { # in a window of its own: in the sheet below the mail some keys belong to the list
  above=8; opened; press ctrl+r; click 958 308; finish "Re:"
}
forward() {
  opened; press ctrl+l; click 500 320; enter "$ORDERS"; press Tab; click 100 364; type_orders; press ctrl+Return
}
compose() { above=6; begin "$1"; finish "Inbox"; }
finish() { large "$1"; click 500 400; type_orders; press ctrl+Return; } # WINDOW
