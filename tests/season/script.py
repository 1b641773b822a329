"""The season: six campaigns of one home, one of each game, and what their people type and write, in order.

Every command of the command line, every command by mail and every action is in it at least once
(`tests.season.registries` counts them). At its end much is left open, for the backup that follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.season.club import ORDERS
from tests.season.steps import (
    Bounce,
    Cli,
    Confirm,
    File,
    Gm,
    Play,
    Reply,
    Report,
    Retry,
    Served,
    Setting,
    Several,
    Sheets,
    Step,
    Tick,
    Write,
)

SEATS = {
    "trap": ("singularity_trap", "red=ann green=bob cyan=cyd"),
    "duel": ("dueling_masters", "one=ann two=bob"),
    "stones": ("singularity", "red=cyd blue=dan"),
    "dust": ("harvester", "s1=ann s2=bob s3=cyd s4=dan"),
    "bubble": ("bubble_singularity", "red=ann green=bob blue=cyd"),
    "pen": ("gm_adjudicated", "red=ann blue=bob green=cyd"),
}
"""The campaigns of the season: their games, and who plays them at the start."""

SCHEDULE = '--schedule "FRI 20:00 Europe/Berlin"'
VERBS = 'MARCH: {usage: "MARCH <army:number 1..9> TO <place:word>", help: an army goes to a place}\n'
LEDGERS = "seat,gold,army\nseen,own,public\nred,40,3\nblue,35,4\ngreen,30,5\n"


def asked(line: str, says: str, *, home: str = "") -> Iterator[Step]:
    """Yield a command that asks, first as a dry run and then confirmed."""
    yield Cli(line, "Would do", code=3, home=home)
    yield Cli(f"{line} --yes", says, home=home)


def new(name: str, more: str = "") -> Cli:
    """Return the command that creates a campaign."""
    game, seats = SEATS[name]
    people = " ".join(f"--seat {seat}@example.org" for seat in seats.split())
    return Cli(f"new {name} --game {game} --gm gm@example.org {SCHEDULE} {people} {more}", f"Created {name}")


def beginning() -> Iterator[Step]:
    """Yield the making of the home and of its campaigns, up to their start."""
    yield Cli(f"init {{home}} --address {ORDERS}", "is ready")
    yield Setting("pictures = true", "pictures = false")
    yield Cli("doctor", "0 problems")
    yield Cli("games", "Harvester")
    yield Cli("games singularity --rules", "Singularity")
    yield File("verbs.yaml", VERBS)
    yield File("ledgers.csv", LEDGERS)
    yield new("trap", "--open 1 --set signup=on --set site=full --title Westward --option planets_to_win=12")
    yield new("pen", "--option verbs={home}/verbs.yaml --option ledgers={home}/ledgers.csv")
    yield from (new(name) for name in ("duel", "stones", "dust", "bubble"))
    yield from (Cli(f"gm {name} --token", "a new token is queued") for name in SEATS)
    yield Cli('gm pen --name "Old Marshal"', "Old Marshal")
    yield Tick(1)
    yield Write("eve", "JOIN trap AS yellow\nI have played this for years.", "CONFIRM")
    yield Write("fay", "JOIN trap", "CONFIRM")
    yield Reply("eve", "CONFIRM", "Yes", "trap")
    yield Reply("fay", "CONFIRM", "Yes", "standby")
    yield Write("gus", "JOIN trap", "CONFIRM")
    yield Confirm("gus", "CONFIRM", "standby")
    yield Write("gus", "WITHDRAW trap", "CONFIRM")
    yield Reply("gus", "CONFIRM", "Yes", "trap")
    yield Reply("ann", "[trap]", "DICE correct horse battery", "dice")
    yield Gm("duel", "START", "Started duel")
    yield from (Cli(f"start {name} --yes", f"Started {name}") for name in SEATS if name != "duel")
    yield Tick(1)


def first_week() -> Iterator[Step]:
    """Yield a week of players: what they ask, send and tell each other."""
    yield Write("bob", "ADDRESS bobby@example.org", "bobby@example.org")
    yield Reply("bob", "bobby@example.org", "YES", "bobby@example.org")
    yield Reply("bobby", "CONFIRM", "Yes", "bobby@example.org")
    yield Play("trap red", "STATUS", "trap")
    yield Play("trap red", "JOURNAL", "trap")
    yield Play("trap red", "HELP", "How to play by mail")
    yield Play("trap red", "RULES combat", "ombat")
    yield Play("trap green", "RESEND FULL", "Turn 1")
    yield Play("trap green", "ABSENT 2026-12-20 TO 2027-01-03", "from 2026-12-20 to 2027-01-03")
    yield Play("trap cyan", "ABSENT 2026-12-24", "on 2026-12-24")
    yield Play("trap cyan", "PRESENT", "absence")
    yield Play("trap green", "EXTEND", "more time")
    yield Play("trap green", "MUTE cyan", "cyan")
    yield Play("trap green", "UNMUTE cyan", "cyan")
    yield Play("trap green", "MUTE yellow", "yellow")
    yield Play("trap red", "PRESS TO green\nShall we share the middle?", "Done")
    yield Play("trap red", "NEWS\nRed is peaceful.", "Done")
    yield Play("trap red", "DIARY\nRed is not peaceful.", "Done")
    yield Play("trap red", "ASK GM\nMay I build at a planet that I took?", "Done")
    yield Play("trap cyan", "FORMAT PAGE", "page")
    yield Play("trap yellow", "ZONE Athens", "Europe/Athens")
    yield Write("eve", "STANDINGS", "No game is over yet.")
    yield Write("dan", "FORMAT TEXT", "CONFIRM")
    yield Reply("dan", "CONFIRM", "Yes", "text")
    yield Play("dust s4", "PAUSE", "did you send this?")
    yield Reply("dan", "PAUSE", "YES", "pause")
    yield Write("dan", "RESUME", "wait for s4 again", seat="dust s4")
    yield Play("dust s3", "DEPUTY hal@example.org UNTIL 2026-12-20", "did you send this?")
    yield Reply("cyd", "DEPUTY", "YES", "hal@example.org")
    yield Reply("hal", "CONFIRM", "Yes", "You stand in for the seat s3")
    yield Write("bobby", "DEPUTY ivy@example.org UNTIL 2026-12-20", "ivy@example.org", seat="dust s2")
    yield Reply("ivy", "CONFIRM", "Yes", "You stand in for the seat s2")
    yield Write("bobby", "UNDEPUTE", "ivy@example.org", seat="dust s2")
    yield Play("stones red", "PLACE e8", "orders in")
    yield Play("trap cyan", "TURN 2\nBUILD Scout AT J1+9\nNEXT TURN\nALLY red YES", "stands more than once")
    yield Play("pen green", "TURN 2\nGreen builds a bridge.\nTURN 3\nGreen crosses it.", "Kept, 1 line")
    yield Play("stones red", "CLEAR ORDERS", "PLACE e8")
    yield Play("bubble red", "NO ORDERS", "No orders")
    yield Several("cyd", {"stones red": "PLACE e8", "pen green": "Green waits for the spring."}, "Your 2 order sheets")
    yield Write("cyd", "FALLBACK cyd2@example.org", "cyd2@example.org")
    yield Reply("cyd", "cyd2@example.org", "YES", "cyd2@example.org")
    yield Write("cyd", "ALSO cyd@work.example", "cyd@work.example")
    yield Reply("cyd", "cyd@work.example", "YES", "was mailed a code")
    yield Write("ann", "Hello! Is there any game?", "")


def the_gm_by_mail() -> Iterator[Step]:
    """Yield the commands of a GM by mail, while turn 1 of all campaigns is open."""
    yield Gm("trap", "HELP", "DEADLINE")
    yield Gm("trap", "HELP RULING", "RULING")
    yield Gm("trap", "STATUS", "standby 1: fay@example.org")
    yield Gm("trap", "STATUS STATS", "Done")
    yield Gm("trap", "JOURNAL", "started")
    yield Gm("trap", "JOURNAL 1", "Done")
    yield Gm("trap", "JOURNAL PRESS", "Red is peaceful")
    yield Gm("trap", "SET", "min-time")
    yield Gm("trap", "SET grace=12h late-list=players", "late-list")
    yield Gm("trap", "UNDO", 'Undid "house rules: grace 12h')
    yield Gm("pen", "SET press=anonymous authentication=address", "reply YES")
    yield Reply("gm", "authentication", "YES", "anonymous")
    yield Play("pen red", "UNSIGNED TO ALL\nBeware of blue!", "Done")
    yield Gm("trap", "DEADLINE", "turn 1 is due")
    yield Gm("trap", "DEADLINE 24h", "is due Sat 7 Nov")
    yield Gm("duel", "EXTEND 24h", "is due")
    yield Gm("dust", 'SET schedule="SAT 18:00 Europe/Berlin"', "SAT 18:00")
    yield Gm("dust", "DEADLINE 2026-12-24T20:00", "reply YES")
    yield Gm("bubble", "HOLD I am on a train", "on hold")
    yield Gm("bubble", "RELEASE", "released")
    yield Gm("trap", "ANNOUNCE\nThe newspaper wants an editor.", "Done")
    yield Gm("trap", "ANNOUNCE TO red green IN REPORT\nYou have met before.", "Done")
    yield Gm("trap", "ANNOUNCE", "You have met before")
    yield Gm("trap", "ANNOUNCE TO cyan IN REPORT\nNobody knows you.", "Done")
    yield Gm("trap", "UNDO", "Undid")
    yield Gm("trap", "ANSWER", "May I build")
    yield Gm("trap", "ANSWER 1 TO ALL\nYes, from the next turn on.", "Done")
    yield Gm("dust", "PAUSE s4", "paused")
    yield Gm("dust", "RESUME s4", "no longer paused")
    yield Gm("dust", "INVITE kim@example.org", "to the standby list")
    yield Gm("dust", "OPEN s4", "reply YES")
    yield Reply("gm", "open seat s4", "YES", "s4")
    yield Gm("dust", "INVITE joe@example.org AS s4", "joe@example.org")
    yield Reply("joe", "invites you", "Yes, please", "s4")
    yield Gm("stones", "GIVE blue TO kim@example.org", "reply YES")
    yield Reply("gm", "kim@example.org", "YES", "kim@example.org")
    yield Gm("dust", "SEAT s3 BOT", "reply YES")
    yield Reply("gm", "play seat s3", "YES", "The bot plays s3")
    yield Tick(0)
    yield Gm("dust", "SEAT s3 cyd@example.org", "Done")
    yield Gm("trap", "REMOVE yellow", "reply YES")
    yield Reply("gm", "remove seat yellow", "NO", "You said NO")
    yield Gm("trap", "SHEETS", "no sheet")
    yield Gm("trap", "SHEET red\nBUILD Cruiser AT J1+9", "Cruiser")
    yield Gm("trap", "SHEETS red", "Cruiser")
    yield Gm("trap", "SHEET green\nNEXT TURN\nALLY red YES", "Orders for the next turn")
    yield Gm("trap", "PREVIEW", "Done")
    yield Gm("trap", "PREVIEW REAL", "reply YES")
    yield Reply("gm", "preview", "YES", "Done")
    yield Gm("trap", "STATE", "Done")
    yield Gm("pen", 'ROLL 3d6+2 "ann storms the pass"', "roll 1 of 1")
    yield Gm("pen", "ROLL", "ann storms the pass")
    yield Gm("pen", "RULING\nFILE all.txt\n[RESULT]\nIt rained.", "Done")
    yield Gm("pen", "RULING OFF", "Done")
    yield Gm("pen", "RULING BACK", "Done")
    yield Gm("pen", "RULING OFF", "Done")
    yield Gm("trap", "TOKEN", "token")
    yield Tick(0)


def first_turns() -> Iterator[Step]:
    """Yield the first turns: sheets of all, late and refused ones, a ruling with a picture."""
    yield Sheets("trap", but=("yellow",))
    yield Play("trap yellow", "BUILD Scuot AT J1+9", "NOTHING accepted")
    yield from (Sheets(name) for name in ("duel", "stones", "dust", "bubble"))
    yield Tick(1, "duel: turn 1 run")
    yield Sheets("pen")
    yield Tick(24 * 5, "needs a ruling")
    yield Reply("gm", "needs your ruling", RULING, "Done", file="pass.svg")
    yield Cli("ruling pen", "Both armies")
    yield Cli("ruling pen --form {home}/winter", "written to")
    yield File("winter/all.txt", "[RESULT]\nWinter has come.\n")
    yield from asked("ruling pen {home}/winter", "submitted")
    yield from asked("ruling pen --restore", "Done")
    yield Cli("undo pen", "Done")
    yield Cli("ruling pen --form {home}/winter --force", "written to")
    yield Cli("ruling pen --edit", "as it stands", typed="y\n")
    yield Gm("pen", "PREVIEW", "Done")
    yield Gm("pen", "RELEASE", "released")
    yield Tick(1)


RULING = """RULING
FILE all.txt
[RESULT]
Winter has come to Naxos.
FILE red blue
[RESULT]
Both armies reached the pass at dawn.
[PICTURE pass.svg: The pass, as your scouts drew it]
[ROLL 3d6+2 "ann storms the pass"]
FILE red.txt
[RESULT]
The pass is yours.
[SET army -= 1]
FILE green.txt
[RESULT]
Your ship lies in harbour.
END
"""
"""The ruling on the first turn."""


def the_gm_at_the_terminal() -> Iterator[Step]:
    """Yield the commands of a GM at the terminal."""
    yield Cli("status", "trap")
    yield Cli("status trap --stats", "trap")
    yield Cli("status --json", "campaigns")
    yield Cli("status --html {home}/dashboard.html", "trap")
    yield Cli("status trap --stats --picture {home}/trap.svg", "trap")
    yield Cli("status --workers", "workers need PostgreSQL", code=1)
    yield Cli("deadline trap", "is due")
    yield Cli("deadline trap 24h", "is due")
    yield Cli("undo trap --yes", "undid")
    yield Cli("set trap", "min-time")
    yield Cli('set trap schedule="SAT 20:00 Europe/Berlin" open-after-missed=3', "schedule")
    yield Cli('hold trap "back on Monday"', "on hold")
    yield Cli("release trap", "released")
    yield from asked("run bubble", "bubble")
    yield Cli("preview dust", "dust")
    yield Cli("preview dust --to {home}/preview --real-dice --yes", "preview")
    yield Cli("pause dust s4", "paused")
    yield Cli("resume dust s4", "no longer paused")
    yield from asked("open dust s4", "open")
    yield Cli("seat dust s4 bot", "the bot plays s4")
    yield Cli("open dust s4 --yes", "open")
    yield Cli("invite dust lea@example.org as s4", "invited lea@example.org")
    yield Cli("give dust s4 to leo@example.org", "leo@example.org")
    yield Cli("remove bubble blue --yes", "removed")
    yield File("words.txt", "The newspaper is looking for an editor.\n")
    yield Cli("announce trap --text {home}/words.txt", "queued")
    yield Cli("announce trap to red in report --text -", "report", typed="Look at J1.\n")
    yield Cli("announce trap", "Look at J1")
    yield Cli("journal trap", "turn 1")
    yield Cli("journal trap 1 press", "peaceful")
    yield Play("trap cyan", "ASK GM\nMay I ally with two?", "Done")
    yield Cli("answer trap", "May I ally with two?")
    yield Cli("answer trap 2 to all --text -", "answered", typed="No.\n")
    yield Cli("answer trap 2 --text - --yes", "answered", typed="Yes, you may.\n")
    yield Cli("gm trap", "gm@example.org")
    yield Cli("gm stones --address umpire@example.org --yes", "umpire@example.org")
    yield Cli('roll pen d20 "the storm"', "roll 1 of 1")
    yield Cli("roll pen 1", "ann storms the pass")
    yield File("sheet.txt", "MOVE G W\n")
    yield Cli("sheet dust", "s1")
    yield Cli("sheet dust s1 --text {home}/sheet.txt", "s1")
    yield Cli("sheet dust s1", "MOVE G W")
    yield Cli("state stones", "forfeit_after")
    yield File("state.json", STATE)
    taken = f"new taken --game singularity --gm gm@example.org {SCHEDULE} --open 2"
    yield Cli(f"{taken} --state {{home}}/state.json --turn 3", "Created taken")
    yield Cli("state stones --edit", "the state was not changed")
    yield Cli("site {home}/pages --campaign trap", "files written")
    yield Cli("inbox", "processed")
    yield Cli("inbox 1 --save {home}/files", "saved")
    yield Cli("outbox", "queued, 0 tries")
    yield Cli("migrate", "the database is of this version")
    yield Cli("verify --campaign trap", "every hash agrees")
    yield Cli("help dice", "dice seal")


def second_turns() -> Iterator[Step]:
    """Yield what is done to turns that were run: rolled back, rerun, changed and tried."""
    yield Tick(13, "trap: turn 1 run")
    yield from (Sheets(name) for name in ("trap", "duel", "stones", "dust"))
    yield Sheets("bubble", but=("blue",))
    yield Tick(1, "trap: turn 2 run")
    yield Cli("rollback trap", "turn 2")
    yield from asked("rollback trap 1", "turn 1")
    yield Cli("undo trap", "undid")
    yield Gm("trap", "ROLLBACK", "turn 2")
    yield Gm("trap", "ROLLBACK 1", "reply YES")
    yield Reply("gm", "ROLLBACK 1", "YES", "DONE")
    yield Tick(0)
    yield Gm("trap", "UNDO", "reply YES")
    yield Reply("gm", "undo", "YES", "DONE")
    yield from asked("rerun dust --sheet s1={home}/sheet.txt", "was run again")
    yield Gm("dust", "RERUN s2\nMOVE G W", "reply YES")
    yield Reply("gm", "rerun", "YES", "DONE")
    yield File("patch.json", '[{"op": "replace", "path": "/forfeit_after", "value": 4}]')
    yield from asked("state stones {home}/patch.json", "was run again")
    yield Cli("gm stones --address gm@example.org --yes --token", "token")
    yield Tick(1)
    yield Gm("stones", 'STATE\n[{"op": "replace", "path": "/forfeit_after", "value": 5}]', "reply YES")
    yield Reply("gm", "state", "YES", "DONE")
    yield from asked("rerun stones --without-patch", "was run again")
    yield File("build.txt", "BUILD Scout AT J1+9\n")
    yield Cli("fork trap 1 {place}/fork --sheet red={home}/build.txt --compare --yes", "fork")
    yield Gm("trap", "FORK 1 red\nBUILD Scout AT J1+9", "reply YES")
    yield Reply("gm", "fork", "YES", "DONE")
    yield File("other.txt", "MOVE G E\n")
    yield Cli("sheet dust s1 --text {home}/other.txt --yes", "MOVE G E")
    yield from asked("sheet dust s1 --text {home}/sheet.txt", "MOVE G W")
    yield Gm("dust", "SHEET s1 BACK YES", "MOVE G E")
    yield Cli("sheet dust s1 back --yes", "MOVE G W")
    yield Gm("bubble", "RUN", "reply YES")
    yield Reply("gm", "WOULD DO: RUN", "YES", "DONE")
    yield Play("trap yellow", "LEAVE", "did you send this?")
    yield Reply("eve", "LEAVE", "YES", "yellow")
    yield Tick(1)


def around_it() -> Iterator[Step]:
    """Yield the commands that need no campaign of the home, or one of another home."""
    yield Cli("demo {place}/demo --game singularity --turns 1 --seats 2 --seed season", "turn")
    yield Cli("arena singularity standard --games 2 --seed season --turns 5 --option size=3", "2 games")
    yield Cli("arena singularity --bots standard --jobs 1 --seats 2 --games 1 --plot {home}/wins.svg", "1 game")
    yield Cli("dev new night_market {place}/market", "has the game night_market")
    yield Cli("dev record singularity {place}/golden", "Recorded")
    yield Cli("dev schema report --game singularity", "schema")
    yield Report("trap red", "red.json")
    yield Cli("dev choices {home}/red.json", "{")
    yield Cli("check {home}/sheet.txt --report {home}/red.json", "nothing accepted", code=1)
    yield Cli("init {place}/other --address play@example.net", "is ready")
    yield File("../bot/pbem.toml", BOT)
    yield Cli("bot orders@example.org --bot random --timeout 5", "Nothing to do", home="bot")
    yield Cli("bot orders@example.org --command true", "Nothing to do", home="bot")
    yield Served("other")
    yield Cli("serve --queue send", "PostgreSQL", home="other", code=1)
    yield Cli("verify {home}/turns --campaign trap --report {home}/red.json", "as it was mailed")
    unknown = f"--seed {'00' * 32} --record {'00' * 32}"
    yield Cli(f"verify {{home}}/turns --campaign trap {unknown}", "no record has the hash", code=1)


BOT = """
address = "ann@example.org"
inbox = "maildir:inbox"
carrier = "maildir:sent"
"""
"""The settings of a bot's folder."""

STATE = """{"edition": 2, "forfeit_after": 3, "moves": ["a3"], "offer": null,
"players": {"red": {"kept": [], "misses": 0}, "blue": {"kept": [], "misses": 0}}, "result": null, "size": 3}"""
"""The state of a game that was begun elsewhere."""

RECEIPT = (Path(__file__).parents[2] / "templates" / "host" / "receipt.j2").read_text()
"""The program's own template of receipts."""


def two_homes() -> Iterator[Step]:
    """Yield a campaign that moves here, one that moves away, and one that comes to its end."""
    people = "--seat red=ann@example.org --seat blue=nan@example.org"
    small = f"--game singularity --gm gm@example.org {SCHEDULE} --option size=3 {people}"
    yield Cli(f"new guest {small}", "Created", home="other")
    yield Cli("start guest", "Started", home="other")
    yield Cli("tick", "sent", home="other")
    yield from asked(f"export guest {{place}}/guest.pbem.zip --to {ORDERS}", "guest", home="other")
    yield Cli("import {place}/guest.pbem.zip", "guest")
    yield Cli(f"new gone {small}", "Created")
    yield Cli("start gone", "Started")
    yield Cli(f"new brief {small}", "Created")
    yield Cli("start brief", "Started")
    yield Tick(0)
    yield Reply("ann", "[guest]", "Yes", "guest")
    yield Play("brief red", "DIARY\nI never had a chance.", "Done")
    yield Play("brief red", "RESIGN CONFIRM", "orders in")
    yield Tick(1, "brief")
    yield from asked("export gone {place}/gone.pbem.zip --to play@example.net", "gone")
    yield Cli("undo gone", "undid")
    yield Cli("export gone {place}/gone2.pbem.zip --to play@example.net --yes", "gone")
    yield Cli("import {place}/gone2.pbem.zip", "gone", home="other")


def mishaps() -> Iterator[Step]:
    """Yield mail that comes back, a template of the GM's that fails, and players who vanish."""
    yield Setting('# site = "site"', 'site = "site"')
    yield Setting('# site_url = "https://…" ', 'site_url = "https://play.example.org"')
    yield Play("stones red", "FORMAT LINK", "link")
    yield Sheets("stones")
    yield Sheets("pen")
    yield Tick(1, "pen: turn 2 needs a ruling")
    yield Bounce("joe", "[dust]", "joe@example.org")
    yield Cli("outbox --by-player --campaign dust", "joe@example.org")
    yield File("templates/host/receipt.j2", "{{ 1 / 0 }}\n")
    yield Play("stones red", "PLACE c6", "")
    yield Play("stones red", "PLACE c7", "")
    yield Tick(0, "2 messages quarantined")
    yield Cli("inbox --quarantined --limit 1", "quarantined")
    yield File("templates/host/receipt.j2", RECEIPT)
    yield Retry()
    yield Cli("outbox all --retry", "no mail is undelivered")
    rules = "--schedule 'EVERY 1h' --set min-time=off --set bank=2h --set hold=off"
    people = "--seat red=ann@example.org --seat blue=bobby@example.org"
    yield Cli(f"new nap --game singularity --gm gm@example.org {rules} {people}", "Created")
    yield Cli("start nap", "Started")
    yield Tick(1)
    yield Tick(1)
    yield Cli("status nap", "of the time bank left")
    yield Cli("set nap bank=off late=opponents", "late")
    yield Play("nap blue", "CLAIM", "nobody is late")
    yield Play("nap blue", "WAITS", "nobody is late")
    yield Cli("remove nap red --yes", "removed")
    yield Tick(1)
    yield Cli("standings", "2 games counted")
    yield Cli("doctor --send gm@example.org", "waits to be sent")


def left_open() -> Iterator[Step]:
    """Yield what waits for an answer when the home is backed up; nothing of it is confirmed."""
    yield File("briefing/all.txt", "[FILE]\nThe war goes on.\n")
    people = "--seat red=ann@example.org --seat blue=bobby@example.org --open 1"
    later = f"new later --game gm_adjudicated --gm gm@example.org {SCHEDULE} {people}"
    yield Cli(f"{later} --from {{home}}/briefing --turn 14", "Created later")
    yield Cli("gm later --token", "token")
    yield Tick(1)
    yield Cli("invite later max@example.org", "invited")
    yield Cli("swap later red blue --yes", "seats swapped")
    yield Gm("later", "START", "reply YES")
    yield Gm("trap", "RUN", "reply YES")
    yield Gm("trap", "DEADLINE 2027-01-24T20:00", "reply YES")
    yield Gm("trap", "ROLLBACK 1", "reply YES")
    yield Gm("trap", "GIVE yellow TO pat@example.org", "reply YES")
    yield Gm("trap", "SEAT red BOT", "reply YES")
    yield Gm("trap", "SWAP red green", "reply YES")
    yield Gm("trap", "FORK 1", "reply YES")
    yield Gm("trap", "ANSWER 1\nNo, you may not.", "reply YES")
    yield Gm("dust", "REMOVE s4", "reply YES")
    yield Gm("dust", "OPEN s3", "reply YES")
    yield Gm("dust", "RERUN s1\nMOVE G E", "reply YES")
    yield Gm("dust", "SHEET s1 BACK", "reply YES")
    yield Gm("stones", 'STATE\n[{"op": "replace", "path": "/forfeit_after", "value": 9}]', "reply YES")
    yield Gm("stones", "SET authentication=address", "reply YES")
    yield Gm("bubble", "PREVIEW REAL", "reply YES")
    yield Gm("duel", "DEADLINE 24h", "is due")
    yield Gm("duel", "UNDO", "reply YES")
    yield Gm("pen", "RELEASE", "reply YES")
    yield Gm("pen", "RULING\nFILE all.txt\n[RESULT]\nIt is cold.", "submitted")
    yield Gm("pen", "RULING\nFILE all.txt\n[RESULT]\nIt hails.\n[PICTURE hail.svg: Hail]", "reply YES", file="hail.svg")
    yield Reply("cyd", "Beware of blue", "Who are you?", "YES")
    yield Write("quin", "JOIN trap", "CONFIRM")
    yield Play("trap green", "DEPUTY sam@example.org UNTIL 2026-12-20", "did you send this?")
    yield Reply("bobby", "DEPUTY sam@example.org", "YES", "sam@example.org")
    yield Write("kim", "ADDRESS kim2@example.org", "kim2@example.org")
    yield Reply("kim", "kim2@example.org", "YES", "kim2@example.org")
    yield Write("ann", "ADDRESS anna@example.org", "anna@example.org")
    yield Write("dan", "FALLBACK dan2@example.org", "dan2@example.org")
    yield Write("bobby", "ALSO bobby@work.example", "bobby@work.example")
    yield Play("dust s1", "DEPUTY rob@example.org UNTIL 2026-12-20", "did you send this?")
    yield Play("bubble green", "LEAVE", "did you send this?")
    yield Play("dust s2", "PRESS TO s1\nHello!\nMOVE G W", "reply YES")
    yield Cli("announce dust --text {home}/words.txt", "queued")
    yield Write("ann", "STATUS", "")


CHAPTERS = (
    *(beginning, first_week, the_gm_by_mail, first_turns, the_gm_at_the_terminal, second_turns, around_it, two_homes),
    *(mishaps, left_open),
)
"""The parts of the season, in order."""
