# By its keys in a window, the draft in its own editor, the mail in a folder of its profile.
package=thunderbird
needs="xvfb xdotool xclip"
driven="keys, mbox"
tip '`Ctrl+R`, orders where the cursor is, below the quotation, or above it; or the `;` off in the quoted form; `Ctrl+Enter` sends'
guess shown "the HTML, the calendar by its name"
guess quotes "> "
guess lines "broken at 72 columns, format=flowed"
guess to "Reply-To"
guess button "the whole draft"
guess forward "the text below a line of dashes, with the files"

begin() {
  fetch
  mkdir -p ~/profile/Mail/inbox
  { echo "From - Mon Nov 30 00:00:00 2026"; cat ~/Mail/INBOX/*/*; echo; } >~/profile/Mail/inbox/Inbox
  while read -r name value; do echo "user_pref(\"$name\", $value);"; done >~/profile/user.js <<PREFS
mail.accountmanager.accounts "account1"
mail.accountmanager.defaultaccount "account1"
mail.account.account1.server "server1"
mail.account.account1.identities "id1"
mail.identity.id1.fullName "Ann"
mail.identity.id1.useremail "ann@pbem.test"
mail.identity.id1.smtpServer "smtp1"
mail.identity.id1.valid true
mail.server.server1.type "pop3"
mail.server.server1.hostname "127.0.0.1"
mail.server.server1.userName "ann"
mail.server.server1.name "ann"
mail.server.server1.directory "$HOME/profile/Mail/inbox"
mail.server.server1.login_at_startup false
mail.server.server1.check_new_mail false
mail.smtpservers "smtp1"
mail.smtpserver.smtp1.hostname "127.0.0.1"
mail.smtpserver.smtp1.port $SMTP_PORT
mail.smtpserver.smtp1.authMethod 1
mail.smtpserver.smtp1.try_ssl 0
mail.rights.version 1
mail.shell.checkDefaultClient false
mail.provider.suppress_dialog_on_startup true
mail.spam.version 1
mailnews.start_page.enabled false
mailnews.start_page_override.mstone "ignore"
app.donation.eoy.version.viewed 999
datareporting.policy.dataSubmissionEnabled false
mail.warn_on_send_accel_key false
PREFS
  window thunderbird --profile ~/profile "$@"
}
opened() {
  begin; focus "Mozilla Thunderbird"; click 389 144; click 380 120; copy 528 700
}
free_line() { press ctrl+f; enter "; $1"; press Escape; press Left Delete Delete; }
reply() { opened; press ctrl+r; finish; }
forward() { opened; press ctrl+l; focus "^Write"; enter "$ORDERS"; press Return; click 500 600; finish; }
compose() { begin "$1"; finish; }
finish() { focus "^Write"; type_orders; press ctrl+Return; }
