# By its keys in a window, the draft in its own editor, the mail in a Maildir.
package=balsa
needs="xvfb xdotool xclip dbus-x11"
driven="keys, Maildir"
tip '`r`, OK to the question which parts to quote; orders at the top, or the `;` off in the quoted form; `Ctrl+Return` sends. The button: `balsa --compose "mailto:…"`'
guess shown "the plain text; the other parts are listed in its structure"
guess quotes "> "
guess lines "broken at 72 columns, format=flowed"
guess to "Reply-To"
guess button "the whole draft"
guess forward "the whole mail as a file"

begin() {
  fetch
  mkdir -p ~/.balsa ~/mail
  printf '%s\n' "[mailbox-Inbox]" "Path=$HOME/Mail/INBOX" Type=LibBalsaMailboxMaildir Name=Inbox >~/.balsa/config
  for name in Outbox Sentbox Draftbox Trash; do
    printf '%s\n' "[mailbox-$name]" "Path=$HOME/mail/${name,,}" Type=LibBalsaMailboxMbox Name=$name >>~/.balsa/config
    touch ~/mail/${name,,}
  done
  printf '%s\n' "[identity]" "CurrentIdentity=Default Identity" "[identity-Default Identity]" FullName=Ann Address=ann@pbem.test \
    ReplyString=Re: ForwardString=Fwd: SmtpServer=Default "[smtp-server-Default]" "Server=127.0.0.1:$SMTP_PORT" Anonymous=true Security=4 \
    "[Notifications]" GtkUIManager=true LibBalsaAddressView=true "[Globals]" "MailDir=$HOME/mail" OpenInboxOnStartup=true "[Geometry]" MainWindowWidth=900 MainWindowHeight=700 >>~/.balsa/config
  window balsa "$@"
}
opened() { begin; focus "Balsa"; press Down; click 400 600; copy 400 600; press Escape; click 300 148; }
reply() { opened; press r; choose_parts; finish; }
choose_parts() { if xdotool search --onlyvisible --name "Select parts"; then focus "Select parts"; press alt+o; fi; }
forward() { opened; press f; focus "Forward"; enter "$ORDERS"; press Return; finish; }
compose() { # in the Balsa that runs: one that is started by it does not stay up
  eval "$(dbus-launch --sh-syntax)"; begin; focus "Balsa"; balsa --compose "$1" & finish
}
finish() { focus "Reply|Forward|New message"; for _ in 1 2; do click 300 400; done; edit; press ctrl+Return; }
