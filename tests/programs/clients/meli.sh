# By its keys in a terminal, the mail in a Maildir.
package=meli
needs=m4
driven="keys, Maildir"
tip '`R`, `e` for the editor, orders at the top, `s`. The button: `:mailto mailto:…`'
guess lines "as they were"
guess to "Reply-To"
guess button "the whole draft"
guess forward "the text, without marks, without the files"

begin() {
  fetch
  mkdir -p ~/.config/meli ~/Mail/Sent/{cur,new,tmp}
  cat >~/.config/meli/config.toml <<TOML
[accounts.ann]
root_mailbox = "$HOME/Mail"
format = "Maildir"
identity = "ann@pbem.test"
display_name = "Ann"
subscribed_mailboxes = ["INBOX", "Sent"]
send_mail = "/usr/bin/msmtp -t"
[composing]
editor_command = "/usr/local/bin/player"
store_sent_mail = false
TOML
  terminal meli
  wait_for "Play by|trap|duel|soon"
}
opened() { begin; keys Enter; wait_for "Message-ID"; sleep 1; look; }
finish() { wait_for "COMPOSING"; keys e; sleep 2; keys s; sleep 2; keys Enter; sleep 2; }
reply() { opened; keys R; finish; }
compose() { begin; keys -l ":mailto $1"; keys Enter; sleep 1; finish; }
forward() { opened; keys C-f; sleep 4; keys Enter; sleep 3; finish; } # no to the question whether as an attachment
