# By `notmuch reply`, whose draft is edited and sent by hand, the mail in a Maildir.
package=notmuch
driven="commands, Maildir"
tip '`notmuch reply` prints a draft with the text quoted: orders at the top, then to sendmail'
guess shown "the text of both parts, and the names of the files"
guess quotes "> "
guess lines "as they were"
guess to "Reply-To"

reply() {
  fetch
  printf '%s\n' "[database]" "path=$HOME/Mail" "[user]" "name=Ann" "primary_email=ann@pbem.test" >~/.notmuch-config
  notmuch new --quiet
  notmuch show '*' >>~/screen
  notmuch reply '*' >draft
  player draft
  msmtp -t <draft
}
