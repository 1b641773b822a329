#!/usr/bin/env bash
# The calendar file of an earlier mail, imported into khal 0.14.1 after that of a later one (RFC 5546).
#
# Guessed: an entry with the same UID and a lower SEQUENCE is passed over, since the event that is there is newer (2.1.5); or khal
# says so and asks. Seen: what is imported last counts. The deadline goes back to its old time; without --batch, khal asks
# whether to update the event, and not that this is the older one. Each import of an event that is there leaves two files.
#
# What follows: a deadline that was brought forward is the later one again once an old mail's file is opened: turns are missed.
# Import the file of the newest mail alone.
# Needs Python 3.11 or newer with venv. Installs into a temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check khal==0.14.1 2>/dev/null
mkdir calendar
event() { # name of the file, SEQUENCE, day
	printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//example//deadline//EN METHOD:PUBLISH BEGIN:VEVENT \
		UID:trap@example.org "SEQUENCE:$2" "DTSTAMP:2026112$2T100000Z" "SUMMARY:Deadline of trap" \
		"DTSTART:202612$3T183000Z" "DTEND:202612$3T190000Z" END:VEVENT END:VCALENDAR >"$1"
}
event turn.ics 7 08
event moved.ics 9 04
printf '%s\n' "[calendars]" "[[games]]" "path = $folder/calendar" "[locale]" "local_timezone = Europe/Berlin" \
	"default_timezone = Europe/Berlin" "timeformat = %H:%M" "longdateformat = %Y-%m-%d" >config
khal() { env HOME="$folder" XDG_DATA_HOME="$folder" XDG_CACHE_HOME="$folder" python/bin/khal -c config "$@" 2>&1; }
deadline() { khal list 2026-12-01 20d | paste -sd " "; }
{
	python/bin/khal --version
	for file in turn.ics moved.ics turn.ics moved.ics; do
		khal import --batch -a games $file
		echo "$file: $(deadline)"
	done
	printf 'y\ny\n' | khal import -a games turn.ics | grep -o "An event.*?"
	echo "turn.ics: $(deadline)"
	echo "$(find calendar -name '*.ics' | wc -l) event, $(find calendar -type f | wc -l) files"
} >seen
cat seen
diff seen - <<'SEEN'
khal, version 0.14.1
turn.ics: Tuesday, 2026-12-08 19:30-20:00 Deadline of trap
moved.ics: Friday, 2026-12-04 19:30-20:00 Deadline of trap
turn.ics: Tuesday, 2026-12-08 19:30-20:00 Deadline of trap
moved.ics: Friday, 2026-12-04 19:30-20:00 Deadline of trap
An event with the same UID already exists. Do you want to update it?
turn.ics: Tuesday, 2026-12-08 19:30-20:00 Deadline of trap
1 event, 9 files
SEEN
echo "as stated"
