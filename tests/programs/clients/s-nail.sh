# By its commands in a terminal, the inbox over IMAP; `~m` quotes, as the player's settings do not.
package=s-nail
driven="commands, IMAP"
tip '`reply 1`, Enter for Reply-To; `~e` opens the draft in the editor, `~.` and `yes` send'
guess shown "the plain text, then the names of the other parts"
guess quotes "a tab"
guess lines "as they were"
guess to "Reply-To"
guess forward "the text, without marks"

begin() {
  printf '%s\n' "set v15-compat from=ann@pbem.test mta=/usr/bin/msmtp sendwait editor=/usr/local/bin/player" \
    "set folder=imap://ann:ann-pw@127.0.0.1:$IMAP_PORT imap-auth=login" >~/.mailrc
  terminal s-nail -f "imap://ann:ann-pw@127.0.0.1:$IMAP_PORT/INBOX"
  wait_for "Play by|trap|duel|soon"
}
finish() { keys -l "~e"; keys Enter; sleep 1; look; keys -l "~."; keys Enter; sleep 1; keys -l yes; keys Enter; sleep 1.5; keys -l "exit"; keys Enter; leave; }
reply() { begin; keys -l "reply 1"; keys Enter; sleep 0.7; look; keys Enter; finish; }
forward() { begin; keys -l "forward 1 $ORDERS"; keys Enter; sleep 0.7; finish; }
