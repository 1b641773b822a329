# By its keys in a window, the draft in its own editor, the mail in a Maildir.
package=evolution
needs="xvfb xdotool xclip dbus dbus-bin"
driven="keys, Maildir"
tip '`Ctrl+R`, "Don’t lose formatting" where it asks, orders at the top, or the `;` off in the quoted form; `Send`. The button: `evolution "mailto:…"`'
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
  begin; focus "Mail|Inbox"; sleep 4
  xdotool mousemove 73 371 click 1; sleep 3; xdotool mousemove 500 167 click --repeat 2 1; sleep 5
  xdotool windowmove "$(newest)" 0 0 windowfocus "$(newest)"; sleep 2; copy 100 300
}
newest() { xdotool search --onlyvisible --name . | tail -n 1; }
free_line() { press ctrl+f; focus "^Find$"; xdotool type "; $1"; press Return; press Escape; focus "$draft"; press Home; press Home; press Delete; press Delete; }
keep_format() { # where it asks, a reply to HTML is HTML
  sleep 3
  if xdotool search --onlyvisible --name "^ ?$"; then xdotool mousemove 429 150 click 1; fi
}
draft="^Re:|^Fwd:|orders, turn"
reply() { opened; press ctrl+r; keep_format; finish; }
forward() { opened; xdotool mousemove 376 27 click 1; keep_format; focus "$draft"; xdotool type "$ORDERS"; press Return; finish; }
compose() { begin "$1"; finish; }
finish() {
  focus "$draft"; xdotool search --onlyvisible --name "$draft" windowmove 0 0 windowsize 1000 800; sleep 1
  xdotool mousemove 500 400 click 1; focus "$draft"; type_orders; xdotool mousemove 40 25 click 1; sleep 6
}
