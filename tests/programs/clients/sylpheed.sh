# By its keys in a window, the draft in an editor of the player's own, the mail in an MH folder.
# Its charset is set, since it has ISO-8859-1 in the locale of this system.
package=sylpheed
needs="xvfb xdotool xclip"
driven="keys, MH"
tip '`Ctrl+R`, orders at the top, or the `;` off in the quoted form; `Send`. The button: `sylpheed --compose "mailto:…"`'
guess quotes "> "
guess lines "broken at 72 columns"
guess to "Reply-To"
guess forward "the text below a line of dashes, with the files"
guess button "the whole draft"

begin() {
  mkdir -p ~/.sylpheed-2.0
  mh_inbox >~/.sylpheed-2.0/folderlist.xml
  printf '%s\n' "[Common]" auto_ext_editor=1 "ext_editor_command=/usr/local/bin/player %s" open_inbox_on_startup=1 \
    outgoing_charset=UTF-8 use_ext_sendmail=1 "ext_sendmail_cmd=/usr/bin/msmtp -t" >~/.sylpheed-2.0/sylpheedrc
  printf '%s\n' "[Account: 1]" account_name=ann is_default=1 name=Ann address=ann@pbem.test protocol=5 >~/.sylpheed-2.0/accountrc
  window sylpheed "$@"
}
opened() { begin; focus "ann - Sylpheed"; press space; copy 400 500; click 400 202; }
reply() { opened; press ctrl+r; finish; }
forward() { opened; press ctrl+alt+f; focus "Fw:"; click 300 146; enter "$ORDERS"; finish; }
compose() { begin --compose "$1"; finish; }
finish() { focus "Compose"; click 80 77; }
