# By its keys in a window, the draft in its own editor, the mail in a Maildir that Akonadi reads.
package=kmail
needs="akonadi-backend-sqlite xvfb xdotool xclip dbus dbus-bin"
driven="keys, Maildir"
tip '`R`, orders where the cursor is, below the quotation, or above it; or the `;` off in the quoted form; `Ctrl+Enter` sends. The button: `kmail "mailto:…"`'
guess shown "the plain text, the calendar by its name"
guess quotes "> "
guess lines "broken at 78 columns"
guess to "Reply-To"
guess button "the whole draft"
guess forward "the text between two lines of dashes, with the files"

settings() { cat >~/.config/"$1"; }
begin() {
  fetch
  mkdir -p ~/.config/akonadi
  for folder in outbox sent-mail drafts templates trash; do mkdir -p ~/Mail/$folder/{cur,new,tmp}; done
  printf '%s\n' "[%General]" Driver=QSQLITE | settings akonadi/akonadiserverrc
  printf '%s\n' "[Instances]" 'akonadi_maildir_resource_0\AgentType=akonadi_maildir_resource' \
    'akonadi_maildispatcher_agent\AgentType=akonadi_maildispatcher_agent' | settings akonadi/agentsrc
  printf '%s\n' "[General]" "Path=$HOME/Mail" TopLevelIsContainer=true | settings akonadi_maildir_resource_0rc
  printf '%s\n' "[SpecialCollections]" DefaultResourceId=akonadi_maildir_resource_0 | settings specialmailcollectionsrc
  printf '%s\n' "[General]" "Default Identity=1" "[Identity #0]" "Email Address=ann@pbem.test" Identity=Ann Name=Ann uoid=1 Transport=1 |
    settings emailidentities
  printf '%s\n' "[General]" default-transport=1 "[Transport 1]" id=1 identifier=SMTP host=127.0.0.1 "port=$SMTP_PORT" name=ann \
    auth=false encryption=None | settings mailtransports
  printf '%s\n' "[General]" first-start=false "[Geometry]" readerWindowMode=below "[Composer]" CheckSendDefaultActionShortcut=true \
    confirm-before-send-when-use-shortcut=false | settings kmail2rc
  export QTWEBENGINE_DISABLE_SANDBOX=1 # it is in a system of its own
  # It may end with an error where Akonadi starts with it, and a draft that it is started with is not sent.
  export -f quiet
  window dbus-run-session -- bash -c 'until akonadictl status 2>&1 | grep -q "Server: running"; do akonadictl start; sleep 3; done; quiet 30; kmail & quiet 30; if [[ $# -gt 0 ]]; then kmail "$@"; fi; wait' - "$@"
}
opened() {
  begin; focus "^$"; click 100 181; click 11 181; click 60 192; seen "INBOX" || click 60 203
  large "INBOX"; click 500 100; copy 400 700 ctrl+shift+a
  click 500 100 # else a reply quotes what is selected
}
free_line() {
  press ctrl+Home ctrl+f; enter "; $1"; press Return; press Escape
  press Left Delete Delete
}
draft="^Re:|^Fwd:|orders, turn"
reply() { opened; press r; finish; }
forward() {
  opened; press f; large "$draft"; enter "$ORDERS"; press Tab; click 600 300; finish
}
compose() { begin "$1"; finish; }
finish() { large "$draft"; type_orders; press ctrl+Return; }
