# By its keys in a terminal, the inbox over IMAP, the settings those of Debian.
package=mutt
driven="keys, IMAP"
tip '`r`, then `y` to the questions; orders at the top, or the `;` off in the quoted form; `y` sends. The button: `mutt "mailto:…"`'
guess shown "the plain text; the calendar and the data are listed below it"
guess quotes "> "
guess lines "as they were"
guess to "Reply-To, after a question"
guess button "the whole draft"
guess forward "the text, between two lines of dashes, without the files"

settings() {
  cat >~/.muttrc <<RC
set folder="imap://ann:ann-pw@127.0.0.1:$IMAP_PORT/" spoolfile="imap://ann:ann-pw@127.0.0.1:$IMAP_PORT/INBOX"
set imap_pass=ann-pw ssl_starttls=no ssl_force_tls=no from=ann@pbem.test realname=Ann sendmail=/usr/bin/msmtp record="" copy=no
set editor=/usr/local/bin/player
unset wait_key
RC
}
opened() { settings; terminal "$package"; wait_for "Play by|trap|duel|soon"; keys Enter; wait_for "Subject:"; sleep 0.5; look; keys q; }
reply() { opened; keys r; wait_for "Reply to .*\?|To:"; answer_questions; }
forward() { opened; keys f; wait_for "To:"; keys -l "$ORDERS"; keys Enter; answer_questions; }
compose() { settings; terminal "$package" "'$1'"; answer_questions; }
answer_questions() { # yes to each, and Enter where a line is asked for, until the draft can be sent
  for _ in {1..12}; do
    if screen | grep -qE "y:Send|-- (Mutt|NeoMutt): Compose"; then break; fi
    if screen | tail -2 | grep -qE "\(\[?yes\]?/|\[yes\]"; then keys y; else keys Enter; fi
  done
  look; keys y; sleep 1.5; keys q; keys y; leave
}
