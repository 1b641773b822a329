# By its keys in a window, the draft in an editor of the player's own, the mail in an MH folder.
package=claws-mail
needs="xvfb xdotool xclip"
driven="keys, MH"
tip '`Ctrl+R`, orders at the top, or the `;` off in the quoted form; `Ctrl+Enter` sends. The button: `claws-mail --compose "mailto:…"`'
guess quotes "> "
guess lines "broken at 72 columns"
guess to "Reply-To"
guess forward "the text below a line of dashes, with the files"

begin() {
  mkdir -p ~/.claws-mail
  mh_inbox >~/.claws-mail/folderlist.xml
  printf '%s\n' "[Common]" auto_ext_editor=1 "ext_editor_command=/usr/local/bin/player %s" enable_aspell=0 send_dialog_mode=1 \
    >~/.claws-mail/clawsrc
  printf '%s\n' "[Account: 1]" config_version=4 account_name=ann is_default=1 name=Ann address=ann@pbem.test protocol=5 \
    use_mail_command=1 "mail_command=/usr/bin/msmtp -t" >~/.claws-mail/accountrc
  window claws-mail "$@"
}
opened() { begin --select '#mh/Mail/inbox/1'; focus "Claws Mail"; copy 500 560; focus "Claws Mail"; }
reply() { opened; press ctrl+r; finish; }
forward() { opened; press ctrl+alt+f; focus "Fw:"; enter "$ORDERS"; click 300 450; finish; }
compose() { begin --compose "$1"; finish; }
finish() { focus "Re:|Fw:|orders"; press ctrl+Return; }
