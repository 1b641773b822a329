#!/usr/bin/env bash
# The hours in which a clock is changed, as icalendar 7.3.2 writes them and ical.js 2.2.1 (in Thunderbird) reads them.
#
# Guessed: icalendar's rules of a zone say when summer time begins by the clock until then, as TZOFFSETFROM demands
# (RFC 5545, 3.6.5): 02:00 in Berlin; a local time that comes twice is the first one (3.3.5). Seen: icalendar writes 03:00,
# the time after the change, so that by its rules summer begins an hour late; the end of summer is right. ical.js reads a
# time that comes twice as the second; it reads the hour after a late beginning as summer time all the same.
#
# What follows: a time that comes twice is written in UTC, and the beginning of summer time set right before a calendar is sent;
# otherwise it is an hour late for readers that do not know the zone by its name.
# Needs Python 3.11 or newer with venv, and npm. Installs into a temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check icalendar==7.3.2 tzdata 2>/dev/null
npm install --silent --no-save ical.js@2.2.1 >/dev/null
cat >write.py <<'PYTHON'
import datetime as dt
from importlib.metadata import version
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event

moments = [dt.datetime(2026, 3, 29, 1, 30), dt.datetime(2026, 10, 25, 0, 30), dt.datetime(2026, 10, 25, 1, 30)]
calendar = Calendar()
calendar.add("prodid", "-//example//clock//EN")
calendar.add("version", "2.0")
for moment in moments:
    event = Event()
    event.add("uid", f"{moment:%m%d%H}@example.org")
    event.add("dtstamp", dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    event.add("dtstart", moment.replace(tzinfo=dt.UTC).astimezone(ZoneInfo("Europe/Berlin")))
    event.add("summary", f"{moment:%d %b %H:%M} UTC")
    calendar.add_component(event)
calendar.add_missing_timezones(dt.date(2026, 1, 1), dt.date(2027, 1, 1))
open("clock.ics", "wb").write(calendar.to_ical())
print("icalendar", version("icalendar"))
for change in calendar.timezones[0].walk("DAYLIGHT") + calendar.timezones[0].walk("STANDARD")[1:]:
    print(change.name, change["DTSTART"].to_ical().decode(), "from", change["TZOFFSETFROM"].to_ical())
PYTHON
cat >read.mjs <<'SCRIPT'
import { readFileSync } from "node:fs";
import ICAL from "ical.js";
console.log("ical.js", JSON.parse(readFileSync("node_modules/ical.js/package.json")).version);
const calendar = new ICAL.Component(ICAL.parse(readFileSync("clock.ics", "utf8")));
for (const each of calendar.getAllSubcomponents("vevent")) {
	const { summary, startDate } = new ICAL.Event(each);
	console.log(`${summary}, written ${startDate}: read ${startDate.convertToZone(ICAL.Timezone.utcTimezone)}`);
}
SCRIPT
python/bin/python write.py >seen
node read.mjs >>seen
cat seen
diff seen - <<'SEEN'
icalendar 7.3.2
DAYLIGHT 20260329T030000 from +0100
STANDARD 20261025T030000 from +0200
ical.js 2.2.1
29 Mar 01:30 UTC, written 2026-03-29T03:30:00: read 2026-03-29T01:30:00Z
25 Oct 00:30 UTC, written 2026-10-25T02:30:00: read 2026-10-25T01:30:00Z
25 Oct 01:30 UTC, written 2026-10-25T02:30:00: read 2026-10-25T01:30:00Z
SEEN
