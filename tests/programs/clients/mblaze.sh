# By its commands, the mail in a Maildir.
package=mblaze
driven="commands, Maildir"
tip '`mrep`, orders at the top, `s`'
guess shown "the plain text"
guess quotes "> "
guess lines "as they were"
guess to "Reply-To"
guess forward "the whole mail as a file"

begin() {
  fetch
  export MBLAZE=$HOME/.mblaze
  mkdir -p "$MBLAZE"
  printf '%s\n' "Local-Mailbox: Ann <ann@pbem.test>" "Sendmail: /usr/bin/msmtp" "Sendmail-Args: -t" >"$MBLAZE/profile"
  mlist ~/Mail/INBOX | mseq -S
  mshow 1 >>~/screen
}
reply() { begin; echo s | mrep 1; }
forward() { begin; echo s | mfwd -to "$ORDERS" -- 1; }
