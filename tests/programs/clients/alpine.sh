# By its keys in a terminal, the inbox over IMAP, an editor of the player's own, no other setting.
package=alpine
driven="keys, IMAP"
tip '`R`, then `Y` to "Include original message", since N is what Enter says; `^X` sends. The button: `alpine -url "mailto:…"`'
guess shown "the plain text; the calendar and the data are listed below it"
guess quotes "> "
guess lines "broken at 74 columns, format=flowed"
guess to "Reply-To, after a question"
guess button "the whole draft"
guess forward "the text below a line of dashes, with the files"

settings() {
  cat >~/.pinerc <<RC
personal-name=Ann
user-domain=pbem.test
inbox-path={127.0.0.1:$IMAP_PORT/user=ann/notls}INBOX
sendmail-path=/usr/bin/msmtp -t
editor=/usr/local/bin/player
feature-list=enable-alternate-editor-cmd,enable-alternate-editor-implicitly,enable-msg-view-attachments
default-fcc=""
RC
}
begin() { # [OPTION]...: past the greeting and the password, which is asked for when the inbox is opened
  settings; terminal alpine "$@"
  for _ in {1..50}; do
    if screen | grep -q "PASSWORD"; then keys -l ann-pw; keys Enter; fi
    if screen | grep -q "Preserve password"; then keys n; break; fi
    if screen | grep -qiE "greeting|exit this greeting|\[E\]|special user"; then keys e; fi
    sleep 0.3
  done
}
opened() { begin -i; wait_for "Play by|trap|duel|soon"; keys Enter; wait_for "Turn 2|Date:"; look; }
reply() { opened; keys r; answer_questions; }
forward() { opened; keys f; answer_questions to; }
compose() { begin -url "'$1'"; answer_questions; }
answer_questions() { # until the draft is there, which the editor changes as soon as the cursor enters it
  for _ in {1..12}; do
    if screen | tail -3 | grep -q "Y \[\?Yes"; then keys y; elif screen | grep -q "COMPOSE"; then break; else sleep 0.3; fi
  done
  if [[ ${1:-} == to ]]; then keys -l "$ORDERS"; keys Enter; fi
  for _ in {1..6}; do
    keys Down
    if screen | grep -q "Alternate editor done"; then break; fi
  done
  wait_for "Alternate editor done"; keys C-x; wait_for "Send message"; keys y; sleep 2; keys q; keys y; leave
}
