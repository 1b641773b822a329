"""The commands of the README, with all they print."""

from __future__ import annotations

import json
import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.games import installed_games
from tests.cli.conftest import Run
from tests.games import RULESETS

NEW = ["new", "duel", "--game", "singularity", "--gm", "gm@example.org", "--schedule", "FRI 20:00 Europe/Berlin"]
SEATS = ["--seat", "red=ann@example.org", "--seat", "blue=bob@example.org", "--set", "authentication=address"]


def post(home: Path, text: str, *, sender: str = "ann@example.org") -> None:
    """Put a mail with orders into the inbox."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, "orders@example.org", "orders"
    mail.set_content(text)
    (home / "post" / "inbox" / "mail.eml").write_bytes(bytes(mail))


def test_init_makes_a_home(tmp_path: Path) -> None:
    """`init` makes settings, database, mail folders and archive; a second time it changes nothing."""
    for _ in range(2):
        result = CliRunner().invoke(main, ["init", str(tmp_path), "--address", "turns@example.org"])

        assert result.output == (
            f"{tmp_path} is ready: pbem.toml, database, mail folders and archive.\n"
            "Players write to turns@example.org.\n"
            "Next: pbem new\n"
        )
    assert {path.name for path in tmp_path.iterdir()} >= {"pbem.toml", "pbem.sqlite", "post", "turns"}
    other = CliRunner().invoke(main, ["init", str(tmp_path), "--address", "other@example.org"]).output
    assert (
        "Players write to turns@example.org.\nIts pbem.toml was there already: for other@example.org, change" in other
    )


def test_a_campaign_without_players_is_to_be_filled(pbem: Run) -> None:
    """With open seats alone, `new` names the command that invites."""
    said = pbem(*NEW, "--open", "2").output

    assert said.endswith("No one has a seat yet: pbem invite duel ADDRESS\n")


def test_a_campaign_from_new_to_its_first_mail(pbem: Run) -> None:
    """new, start and tick say what they did and what comes next."""
    assert re.sub("[0-9a-f]{64}", "SEAL", pbem(*NEW, *SEATS).output) == (
        "Created duel.\n"
        "Dice seal: SEAL\n"
        "3 mails queued: dice seal, and how to add a dice word. Next: pbem tick\n"
        "When the players have had time for that: pbem start duel\n"
    )
    started = re.sub("[0-9a-f]{64}", "SEAL", pbem("start", "duel", "--now", "2026-11-02T09:00Z").output)
    assert started == (
        "Started duel with red, blue.\n"
        "Turn 1 is due Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC).\n"
        "Dice seal: SEAL\n"
        "Dice words from players: none.\n"
        "4 mails queued: a welcome and a report for each seat. Next: pbem tick\n"
    )
    assert pbem("tick", "--now", "2026-11-02T09:01Z").output == "4 mails sent.\n"
    assert pbem("tick", "--now", "2026-11-02T09:02Z").output == "Nothing to do.\n"


def test_a_tick_tells_each_stage(duel: Run, home: Path) -> None:
    """A tick prints received mail, accepted sheets, turns run with the reason, and sent mail."""
    post(home, "ORDERS duel red\nPLACE c3\nEND")
    assert duel("tick", "--now", "2026-11-02T10:00Z").output == (
        "1 message received.\n1 message processed: 1 order sheet.\n5 mails sent.\n"
    )
    assert duel("tick", "--now", "2026-11-02T10:30").output == ("duel: turn 1 run (all sheets in).\n2 mails sent.\n")


def test_status_shows_who_has_sent(duel: Run, home: Path) -> None:
    """The status has sheets, awaited seats, missed sheets, and the deadline in both zones."""
    post(home, "ORDERS duel red\nPLACE c3\nWAIT\nEND")
    duel("tick", "--now", "2026-11-02T10:00Z")

    assert duel("status").output == (
        "duel: Singularity, turn 1\n"
        "  deadline: Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC)  [FRI 20:00 Europe/Berlin]\n"
        "  seat  address          sheet          missed\n"
        "  red   ann@example.org  sheet 1, WAIT  0 in a row, 0 in all\n"
        "  blue  bob@example.org  -              0 in a row, 0 in all\n"
    )


def test_status_shows_lines_to_correct(duel: Run, home: Path) -> None:
    """A seat's cell has the refused lines for whose correction the turn waits, also where no sheet counts."""
    post(home, "ORDERS duel red\nPLACE z99\nEND")
    duel("tick", "--now", "2026-11-02T10:00Z")
    assert "  red   ann@example.org  missing, 1 line refused  0 in a row" in duel("status").output
    post(home, "ORDERS duel red\nPLACE c3\nPLACE z98\nPLACE z99\nEND")
    duel("tick", "--now", "2026-11-02T11:00Z")
    assert "  red   ann@example.org  sheet 2, 2 lines refused  0 in a row" in duel("status").output
    (seat, _) = json.loads(duel("status", "--json").output)["campaigns"][0]["seats"]
    assert (seat["wait"], seat["lines_refused"]) == (True, 2)

    assert duel("tick", "--now", "2026-11-02T14:00Z").output == "Nothing to do.\n"
    post(home, "ORDERS duel red FINAL\nEND")
    duel("tick", "--now", "2026-11-02T15:00Z")
    assert duel("tick", "--now", "2026-11-02T15:30Z").output.startswith("duel: turn 1 run (all sheets in).\n")


def test_status_shows_mail_that_did_not_go_out(duel: Run, home: Path) -> None:
    """The status has the recipient of failed mail, its attempts and the reply; other mail is only counted."""
    (home / "post" / "sent").rename(home / "post" / "aside")
    (home / "post" / "sent").write_text("not a folder")
    duel("tick", "--now", "2026-11-02T10:00Z")

    waiting, tried = duel("status", "duel").output.splitlines()[-2:]
    assert waiting == "  3 mails queued"
    assert tried.startswith("  not delivered to ann@example.org, deferred after 1 try: mail cannot be put in ")


def test_status_of_campaigns_forming_and_none(pbem: Run) -> None:
    """A GM without a started campaign is told what to do next."""
    assert pbem("status").output == "No campaigns. Create one: pbem new\n"
    pbem(*NEW, *SEATS)
    assert pbem("status").output.splitlines()[:2] == [
        "duel: Singularity, not started",
        "  deadlines: FRI 20:00 Europe/Berlin; start it with: pbem start duel",
    ]


def test_json_for_scripts(duel: Run) -> None:
    """The JSON has facts as data, with times in UTC."""
    status = json.loads(duel("status", "--json").output)
    tick = json.loads(duel("tick", "--json", "--now", "2026-11-02T10:00Z").output)

    assert status["campaigns"][0]["deadline"] == "2026-11-06T19:00:00+00:00"
    assert [seat["awaited"] for seat in status["campaigns"][0]["seats"]] == [True, False]
    assert (tick["sent"]["sent"], tick["problems"]) == (4, [])


def test_json_has_one_name_for_a_fact(duel: Run, home: Path) -> None:
    """A fact stands once, under its name of today."""
    now = ("--now", "2026-11-02T10:00Z")
    (home / "red.txt").write_text("PLACE d4")
    duel("sheet", "duel", "red", "--text", str(home / "red.txt"), "--yes", *now)
    status, tick = (json.loads(duel(*words, "--json").output) for words in (["status"], ["tick", *now]))
    seat = status["campaigns"][0]["seats"][0]

    assert (seat["sheet_version"], "sheet" in seat) == (1, False)
    assert (status["quarantined"], "set_aside" in status) == (0, False)
    assert (tick["processed"]["messages"], "answered" in tick) == (0, False)


def test_run_resolves_now(duel: Run) -> None:
    """`run` resolves a turn before its deadline."""
    assert duel("run", "duel", "--yes", "--now", "2026-11-02T10:00Z").output == (
        "duel: turn 1 run (by the GM).\n6 mails sent.\n"
    )


def test_replay_proves_the_archive_or_names_the_difference(duel: Run, home: Path) -> None:
    """A replay passes as written, and fails if any relevant byte has changed."""
    duel("run", "duel", "--yes", "--now", "2026-11-02T10:00Z")
    passed = duel("verify", "--campaign", "duel")
    record = home / "turns" / "duel" / "0001" / "turn.json"
    record.write_text(record.read_text().replace('"missing":["red"]', '"missing":[]'))
    failed = duel("verify", "--campaign", "duel")

    assert passed.output.startswith("duel: the set-up and 1 turn run again; every hash agrees.\n4 reports hold")
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert failed.stderr.startswith("Not done: turn 1: 0001/turn.json has hash ")


def test_one_archive_that_differs_does_not_keep_others_from_being_proved(duel: Run, home: Path) -> None:
    """All campaigns are checked; the one that differs is named, and the command fails."""
    seats = ("--seat", "red=cyd@example.org", "--seat", "blue=dan@example.org")
    new = ("--game", "singularity", "--gm", "gm@example.org", "--schedule", "FRI 20:00 Europe/Berlin")
    for name in ("alpha", "zulu"):
        assert duel("new", name, *new, *seats, "--now", "2026-11-02T09:00Z").exit_code == 0
    assert duel("start", "zulu", "--now", "2026-11-02T09:00Z").exit_code == 0
    duel("tick", "--now", "2026-11-02T10:00Z")
    all_proved = duel("verify")
    record = home / "turns" / "duel" / "0000" / "turn.json"
    record.write_text(record.read_text().replace('"seats":["red","blue"]', '"seats":["blue","red"]'))
    replayed, verified = duel("verify"), duel("verify", str(home / "turns"))

    assert all_proved.exit_code == 0
    assert re.findall("^(.*): the set-up and", all_proved.stdout, re.MULTILINE) == ["duel", "zulu"]
    for failed in (replayed, verified):
        assert failed.exit_code == 1
        assert failed.stdout.startswith("zulu: ")
        assert failed.stderr.startswith("Not done: duel: turn 0")
        assert failed.stderr.endswith("\n1 of 2 campaigns not proved.\n")


def test_games_and_rules(pbem: Run) -> None:
    """`games` and `rules` print the games and their rulebooks."""
    assert "singularity: Singularity, by Mark Steere\n" in pbem("games").output
    assert [game["key"] for game in json.loads(pbem("games", "--json").output)["games"]] == sorted(installed_games())
    assert pbem("games", "singularity", "--rules").output.startswith("# Singularity\n")
    assert "`PLACE <cell>`" in pbem("games", "singularity", "--rules").output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["start", "dule"], 'no campaign "dule". Did you mean duel?'),
        (["start", "duel"], "campaign duel is running: it was started already."),
        (["run", "dule"], 'no campaign "dule". Did you mean duel?'),
        (["verify", "--campaign", "dule"], 'no campaign "dule". Did you mean duel?'),
        (["status", "dule"], 'no campaign "dule". Did you mean duel?'),
        (["games", "singularty"], "there is no game 'singularty' here. Did you mean singularity?"),
        ([*NEW, *SEATS], "there is a campaign 'duel' already. Choose another name."),
        ([*NEW, "--seat", "rde=ann@example.org"], 'Singularity has no seat "rde". Did you mean red?'),
        ([*NEW, *SEATS, "--option", "sise=5"], "Singularity has no option 'sise'. Did you mean size?"),
        (
            [*NEW, *SEATS, "--option", "size=99"],
            "option size cannot be '99': it is a whole number from 3 to 26 (cells along each side of the board).",
        ),
        (["set", "duel", "schedule=FRI 20:00 Berlin"], "'Berlin' is not a time zone. Did you mean Europe/Berlin?"),
    ],
)
def test_errors_are_a_sentence_and_a_fix(duel: Run, words: list[str], said: str) -> None:
    """An error exits with 1 and prints a sentence, and one with the fix, on standard error, and nothing else."""
    result = duel(*words)

    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"Not done: {said}\n")


def test_a_home_that_is_not_there_is_named() -> None:
    """The error names the path of the missing settings."""
    result = CliRunner().invoke(main, ["--home", "/nowhere", "status"])

    said = "Not done: /nowhere/pbem.toml cannot be read: No such file or directory.\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tick", "--now", "tomorrow"], "'tomorrow' is not a time: write it like 2026-11-06T20:00Z"),
        ([*NEW, "--seat", "red"], "'red' must be written as SEAT=ADDRESS"),
    ],
)
def test_words_that_cannot_be_read(pbem: Run, words: list[str], said: str) -> None:
    """Click prints the usage of the command, and what was wrong."""
    result = pbem(*words)

    assert result.exit_code == 2
    assert said in result.stderr


def test_a_tick_with_problems_exits_non_zero(duel: Run, home: Path) -> None:
    """A tick with a problem exits with 1, for cron, after all else is done."""
    inbox = home / "post" / "inbox"
    inbox.rename(inbox.with_name("aside"))
    inbox.write_text("not a folder")
    result = duel("tick", "--now", "2026-11-02T10:00Z")

    assert (result.exit_code, result.stdout) == (1, "4 mails sent.\n")
    assert result.stderr.startswith("Problem: the inbox ")


def test_the_home_is_found_upwards(duel: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a home no --home is needed."""
    monkeypatch.chdir(home / "post" / "inbox")

    assert CliRunner().invoke(main, ["status"]).output == duel("status").output


def test_an_old_database_is_refused_until_it_is_migrated(pbem: Run, later_migration: Path) -> None:
    """Commands refuse tables of an older version and name the command that migrates them."""

    assert pbem("status").stderr == "Not done: the database is of an older version. Upgrade it: pbem migrate\n"
    assert pbem("migrate").output == "Done: the database is of this version.\n"
    assert pbem("status").exit_code == 0


def test_games_are_listed_with_players_and_pace() -> None:
    """The list has every installed game with its number of players and its pace."""
    printed = CliRunner().invoke(main, ["games"]).output

    for ruleset in RULESETS:
        assert f"{ruleset.key}: {ruleset.title}, by {ruleset.designer}\n" in printed
        assert f"  pace: {ruleset.pace}\n" in printed
        assert f"  {ruleset.seats.least}" in printed


def test_site_writes_pages(duel: Run, tmp_path: Path) -> None:
    """`site` prints where to look; a second run changes nothing; an unknown campaign is refused."""
    first = duel("site", str(tmp_path / "site"))
    again = json.loads(duel("site", str(tmp_path / "site"), "--campaign", "duel", "--json").output)
    wrong = duel("site", str(tmp_path / "site"), "--campaign", "dual")

    assert first.output == f"14 files written. Look at {tmp_path}/site/index.html\n"
    page = f"{tmp_path}/site/index.html"
    facts = {"page": page, "files": 0, "replays": 0, "problems": [], "lacking": []}
    assert again == {"result": "done", "summary": f"0 files written. Look at {page}", "next": [], **facts}
    assert (wrong.exit_code, "Did you mean" in wrong.output) == (1, True)
