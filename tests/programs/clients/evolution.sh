# By its keys in a window, the draft in its own editor, the mail in a Maildir.
package=evolution
needs="xvfb xdotool xclip dbus dbus-bin"
driven="keys, Maildir"
tip '`Ctrl+R`, "Reply Privately" and "Don’t lose formatting" where it asks, orders at the top, or the `;` off in the quoted form; `Send`. The button: `evolution "mailto:…"`'
guess shown "the HTML, the calendar as an entry"
guess quotes "> "
guess lines "broken at 71 columns"
guess to "Reply-To"
guess button "the whole draft"
guess forward "the whole mail as a file"

source_file() { # NAME LINE...: describes an account, identity or way to send
  printf '%s\n' "[Data Source]" "DisplayName=$1" Enabled=true "${@:2}" >~/.config/evolution/sources/"$1".source
}
begin() {
  fetch
  mkdir -p ~/.config/evolution/sources
  source_file ann Parent= "[Mail Account]" BackendName=maildir IdentityUid=identity ArchiveFolder= NeedsInitialSetup=false \
    "[Maildir Backend]" "Path=$HOME/Mail/INBOX" "[Refresh]" Enabled=false
  source_file identity Parent=ann "[Mail Identity]" Address=ann@pbem.test Name=Ann "[Mail Submission]" TransportUid=transport SentFolder=
  source_file transport Parent=ann "[Mail Transport]" BackendName=sendmail "[Sendmail Backend]" UseCustomBinary=true \
    CustomBinary=/usr/bin/msmtp
  export WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1
  window dbus-run-session -- evolution "$@"
}
opened() {
  begin; large "^Mail|^Inbox"; click 78 376; above=0; seen "^Inbox" || { above=25; click 78 401; } # a menu
  click 550 $((170 + above)) --repeat 2; large "^\[|invites"; copy 100 300
}
free_line() { press ctrl+Home ctrl+f; focus "^Find$"; enter "; $1"; press Return; press Escape; focus "$draft"; press Home Home Delete Delete; }
answer() { # where it asks: a reply is private though the mail has a List-Id, and HTML as the mail is
  for keys in alt+p "alt+d space"; do if seen "^ ?$"; then focus "^ ?$"; press $keys; fi; done
}
draft="^Re:|^Fwd:|orders, turn"
reply() { opened; press ctrl+r; answer; finish; }
forward() { opened; click 755 27; answer; focus "$draft"; enter "$ORDERS"; press Return; finish; }
compose() { begin "$1"; finish; }
finish() { large "$draft"; click 500 400; focus "$draft"; type_orders; click 40 25; }
