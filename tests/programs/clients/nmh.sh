# By its commands, with replies that quote (`repl -format`), the mail taken in from a Maildir.
package=nmh
driven="commands, Maildir"
tip '`repl -format` quotes the report; without it there is no form in the draft, and the orders are typed; `send`'
guess shown "the plain text"
guess quotes "> "
guess lines "as they were"
guess to "Reply-To"
guess forward "the text between two lines of dashes"

begin() {
  export PATH=$PATH:/usr/bin/mh
  fetch
  printf '%s\n' "Path: Mail/mh" "send: -mts sendmail/pipe -sendmail /usr/bin/msmtp" "Local-Mailbox: Ann <ann@pbem.test>" >~/.mh_profile
  mkdir -p ~/Mail/mh/inbox
  inc -silent -file ~/Mail/INBOX
  show -nopager >>~/screen 2>&1 </dev/null || true
}
reply() { begin; echo send | repl -format -editor player 1; }
forward() { begin; echo send | forw -format -to "$ORDERS" -editor player 1; }
