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
  window dbus-run-session -- bash -c 'akonadictl start; sleep 15; kmail & sleep 12; if [[ $# -gt 0 ]]; then kmail "$@"; fi; wait' - "$@"
  sleep 35
}
opened() {
  begin
  xdotool mousemove 100 178 click 1; sleep 2; xdotool mousemove 11 178 click 1; sleep 3; xdotool mousemove 60 192 click 1
  focus "INBOX"; large "INBOX"; xdotool mousemove 500 100 click 1; sleep 4
  xdotool mousemove 400 700 click 1; press ctrl+shift+a; press ctrl+c; timeout 5 xclip -selection clipboard -o >>~/screen
  xdotool mousemove 400 700 click 1; sleep 1; xdotool mousemove 500 100 click 1; sleep 1 # else a reply quotes what is selected
}
large() { xdotool search --onlyvisible --name "$1" windowmove %@ 0 0 windowsize %@ 1000 800 windowfocus --sync %1; sleep 2; }
free_line() {
  press ctrl+Home; press ctrl+f; sleep 1; xdotool type --delay 20 "; $1"; press Return; press Escape
  press Left; press Delete; press Delete
}
draft="^Re:|^Fwd:|orders, turn"
reply() { opened; press r; finish; }
forward() {
  opened; press f; focus "$draft"; large "$draft"
  xdotool type --delay 20 "$ORDERS"; sleep 1; press Tab; xdotool mousemove 600 300 click 1; finish
}
compose() { begin "$1"; finish; }
finish() { focus "$draft"; large "$draft"; type_orders; press ctrl+Return; sleep 8; }
