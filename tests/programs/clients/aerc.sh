# By its commands in a terminal, the inbox over IMAP.
package=aerc
driven="commands, IMAP"
tip '`:reply -q`, orders at the top, `y`. The button: `aerc "mailto:…"` keeps `%2B` in the address as it is: write `+` in its place'
guess shown "the plain text; the other parts are listed below it"
guess quotes "> "
guess lines "as they were, format=flowed"
guess to "Reply-To"
guess button "the whole draft"
guess forward "the text, with the files"

begin() {
  mkdir -p ~/.config/aerc
  printf '%s\n' "[ann]" "source = imap+insecure://ann:ann-pw@127.0.0.1:$IMAP_PORT" "outgoing = /usr/bin/msmtp -t" \
    "default = INBOX" "from = Ann <ann@pbem.test>" "cache-headers = false" >~/.config/aerc/accounts.conf
  chmod 600 ~/.config/aerc/accounts.conf
  sed 's/^#*pager *=.*/pager=cat/' /usr/share/aerc/aerc.conf >~/.config/aerc/aerc.conf
  terminal aerc "$@"
}
command() { keys -l ":$1"; keys Enter; }
finish() { wait_for "Send this email|y +:send|Send"; look; keys y; sleep 2; command quit; leave; }
opened() { begin; wait_for "Play by|trap|duel|soon"; keys Enter; wait_for "Subject|text/plain"; sleep 1; look; }
reply() { opened; command "reply -q"; finish; }
forward() { opened; command "forward $ORDERS"; finish; }
compose() { begin "'$1'"; finish; }
