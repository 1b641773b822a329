#!/usr/bin/env bash
# An event in a zone whose clock changes are given one by one, as Emacs 28.2 (Debian 12) takes it into the diary (RFC 5545).
#
# Guessed: 15:00 in New York is 21:00 in a diary in Berlin, whether the zone's changes of the clock follow a yearly rule or are
# named by their dates, for RRULE is optional there (3.6.5). Seen: so it is with a rule, for a zone without changes, and in
# UTC. A zone whose changes have no RRULE counts as the reader's own: 15:00 stays 15:00.
#
# What follows: a deadline of another zone is hours off in Emacs, and in what reads calendars with its functions (Gnus, notmuch).
# icalendar 7.3.2 writes changes without rules: they are added. Emacs 30.1 does the same as 28.2.
# Needs apt with Debian's packages. Installs into a temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
version=1:28.2+1-15+deb12u4
apt-get download "emacs-nox=$version" "emacs-common=$version" "emacs-bin-common=$version" "emacs-el=$version" libgccjit0 >/dev/null 2>&1
for package in *.deb; do dpkg --extract "$package" parts; done
changes() { # RRULE of the beginning and of the end of summer time
	printf '%s\n' BEGIN:VTIMEZONE TZID:America/New_York BEGIN:DAYLIGHT DTSTART:20260308T020000 ${1:+"RRULE:$1"} \
		TZOFFSETFROM:-0500 TZOFFSETTO:-0400 END:DAYLIGHT BEGIN:STANDARD DTSTART:20261101T020000 ${2:+"RRULE:$2"} \
		TZOFFSETFROM:-0400 TZOFFSETTO:-0500 END:STANDARD END:VTIMEZONE
}
event() { # name, zone, time, with the zone in the input
	printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//example//zone//EN
	sed 's/$/\r/'
	printf '%s\r\n' BEGIN:VEVENT "UID:$1@example.org" DTSTAMP:20260801T000000Z "SUMMARY:$1" "DTSTART${2:+;TZID=$2}:$3" \
		DURATION:PT30M END:VEVENT END:VCALENDAR
}
changes | event "change by change" America/New_York 20260902T150000 >1.ics
changes "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU" "FREQ=YEARLY;BYMONTH=11;BYDAY=1SU" | event "by rules" America/New_York 20260902T150000 >2.ics
printf '%s\n' BEGIN:VTIMEZONE TZID:Asia/Tokyo BEGIN:STANDARD DTSTART:20260101T000000 TZOFFSETFROM:+0900 TZOFFSETTO:+0900 \
	END:STANDARD END:VTIMEZONE | event "no changes" Asia/Tokyo 20260903T040000 >3.ics
event "in UTC" "" 20260902T190000Z </dev/null >4.ics
cat >import.el <<'LISP'
(require 'icalendar)
(dolist (file '("1.ics" "2.ics" "3.ics" "4.ics"))
  (icalendar-import-file file "diary"))
(with-temp-buffer
  (insert-file-contents "diary")
  (keep-lines "^[^ \n]")
  (princ (buffer-string)))
(princ (format "Emacs %s\n" emacs-version))
LISP
share=$(echo "$folder"/parts/usr/share/emacs/[0-9]*) lisp=$share/lisp
env TZ=Europe/Berlin LC_ALL=C.UTF-8 HOME="$folder" LD_LIBRARY_PATH="$(echo "$folder"/parts/usr/lib/*-linux-gnu)" \
	EMACSDATA="$share/etc" EMACSDOC="$share/etc" EMACSLOADPATH="$lisp:$lisp/calendar:$lisp/emacs-lisp:$lisp/international" \
	parts/usr/bin/emacs-nox --dump-file="$(echo "$folder"/parts/usr/libexec/emacs/*/*/emacs.pdmp)" -Q --batch \
	--load import.el 2>log >seen
cat seen
diff seen - <<'SEEN'
9/2/2026 15:00-15:30 change by change
9/2/2026 21:00-21:30 by rules
9/2/2026 21:00-21:30 no changes
9/2/2026 21:00-21:30 in UTC
Emacs 28.2
SEEN
echo "as stated"
