"""`pbem doctor` in homes with one thing wrong."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from sqlalchemy import update

from pbem.admin.checks import CheckResult, database_advice
from pbem.admin.doctor import run_checks
from pbem.campaign.archive_sync import code_change, prove_archive
from pbem.campaign.snapshot import load_campaign
from pbem.errors import ReplayError
from pbem.games import GROUP, InstalledGames, installed_games
from pbem.ruleset import Json
from pbem.store.models import Turn
from tests.cli.conftest import Run
from tests.toy.home import MONDAY, Desk
from tests.toy.ruleset import Auction, Table

NOW = ["--now", "2100-01-01T09:00Z"]
RESTORE = "restore the newest backup into a new folder with: pbem restore FILE "
POSTGRESQL = "postgresql://pbem@127.0.0.1:1/pbem"
SLIP = '{% extends "host/report.txt.j2" %}{% block knowledge %}\n{{ veiw.turn }}{% endblock %}'
UNPAINTED = SLIP.replace(".txt", ".html").replace("veiw.turn", "(pictures | selectattr('drawn') | first).titel")
Break = Callable[[Path], object]


@pytest.fixture
def home(home: Path) -> Path:
    """Return the same home, with an order address whose domain is found everywhere."""
    settings(home, "orders@example.org", "orders@localhost")
    return home


def settings(home: Path, old: str, new: str) -> None:
    """Replace a text in the settings."""
    path = home / "pbem.toml"
    path.write_text(path.read_text().replace(old, new))


def add(home: Path, line: str) -> None:
    """Add a line to the settings."""
    path = home / "pbem.toml"
    path.write_text(f"{path.read_text()}{line}\n")


def replaced(path: Path) -> None:
    """Replace a folder by a file."""
    path.rename(path.with_name("aside"))
    path.write_text("not a folder")


def template(home: Path, name: str, text: str | bytes) -> None:
    """Write a template of the GM's own."""
    path = home / "templates" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def scribbled(path: Path, page: int) -> None:
    """Overwrite one page of a database."""
    whole(path)
    with path.open("r+b") as file:
        file.seek(4096 * page)
        file.write(b"\xa5" * 4096)


def cut(path: Path) -> None:
    """Cut a database to its first half."""
    whole(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 8192 * 4096])


def whole(path: Path) -> None:
    """Write the whole WAL into the database file."""
    sql(path, "PRAGMA wal_checkpoint(TRUNCATE)")


def sql(path: Path, statement: str) -> None:
    """Change a database directly."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def checks(desk: Desk, games: InstalledGames | None = None) -> list[CheckResult]:
    """Return the checks of a home, without the toy's templates, whose pages take a second to write."""
    shutil.rmtree(desk.home / "templates")
    return list(run_checks(desk.home, MONDAY, games or installed_games()).checks)


def test_a_home_in_order(duel: Run, home: Path) -> None:
    """A home without faults has one line for each check, all ok."""
    output = re.sub(r"[\d,]+ MB", "9 MB", duel("doctor", *NOW).output).replace(str(home), "HOME")
    output = re.sub(r"time zones: .*", "time zones: ZONES", output)

    assert output == (
        "ok       pbem.toml: every setting can be read\n"
        "ok       time zones: ZONES\n"
        "ok       games: all 6 that are installed can be played\n"
        "ok       home folder: HOME can be written to\n"
        "ok       archive folder: HOME/turns can be written to\n"
        "ok       inbox folder: HOME/post/inbox can be written to\n"
        "ok       carrier folder: HOME/post/sent can be written to\n"
        "ok       privacy: no other user of this machine can read database, archive, log or mail\n"
        "ok       disk: 9 MB are free where the home is\n"
        "ok       database: it can be written to and is of this version\n"
        "ok       clock: it is 2100-01-01 09:00 UTC, and nothing in the database is of a later time\n"
        "ok       history: consistent in every campaign\n"
        "ok       processed: no stored mail stays in the inbox\n"
        "ok       archive: it has every turn that the database has, and no other\n"
        "ok       templates: the program's own are used\n"
        "ok       inbox: post/inbox: 0 mails wait there\n"
        "ok       address: the domain localhost is found\n"
        "0 problems, 0 warnings.\n"
    )


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    ("breaking", "said"),
    [
        (lambda home: add(home, "poll = 3\ninbox_password = 'x'"), "'poll' is not a setting; did you mean poll_sec"),
        (lambda home: add(home, "poll = 3\ninbox_password = 'x'"), "pbem.toml: inbox_password must not be written"),
        (lambda home: (home / "pbem.toml").write_text("]"), "pbem.toml is not valid TOML: "),
        (lambda home: (home / "pbem.toml").unlink(), "pbem.toml cannot be read: No such file"),
        (lambda home: replaced(home / "turns"), "turns is a file where a folder must be. Fix: move "),
        (lambda home: replaced(home / "post" / "inbox"), "inbox is a file where a folder must be. Fix: move "),
        (lambda home: replaced(home / "post" / "sent" / "new"), "new is a file where a folder must be. Fix: "),
        (lambda home: settings(home, "sqlite:///pbem.sqlite", POSTGRESQL), "cannot be used: connection failed: "),
        (lambda home: (home / "pbem.sqlite").unlink(), "pbem.sqlite. Fix: put it back where it was, or"),
        (lambda home: (home / "pbem.sqlite").write_bytes(b""), f"has no tables of pbem. Fix: {RESTORE}"),
        (
            lambda home: (home / "pbem.sqlite").write_bytes(b"x" * 999),
            "file is not a database. Fix: it is damaged",
        ),
        (lambda home: scribbled(home / "pbem.sqlite", 3), RESTORE),
        (lambda home: scribbled(home / "pbem.sqlite", 40), RESTORE),
        (lambda home: cut(home / "pbem.sqlite"), RESTORE),
        (lambda home: sql(home / "pbem.sqlite", "DROP TABLE press"), "it lacks the table press. Fix: it is damage"),
        (
            lambda home: sql(home / "pbem.sqlite", "ALTER TABLE seat DROP dice_word"),
            "lacks the column dice_word of seat",
        ),
        (
            lambda home: settings(home, "sqlite:///pbem", "sqlite:///gone/pbem"),
            "gone for the database pbem.sqlite. Fix",
        ),
        (lambda home: template(home, "host/receipt.txt.j2", "a\n{% if %}"), "host/receipt.txt.j2, line 2: Expected"),
        (lambda home: template(home, "host/help.txt.j2", "{{ 1 | wrap }}"), "help.txt.j2, line 1: No filter named 'w"),
        (
            lambda home: template(home, "host/help.txt.j2", "a\n{{ page.adress }}"),
            "line 2: 'pbem.report.answers.Help object' ",
        ),
        (
            lambda home: template(home, "singularity/report.txt.j2", SLIP),
            "singularity/report.txt.j2, line 2: 'veiw' is un",
        ),
        (
            lambda home: template(home, "singularity/report.html.j2", UNPAINTED),
            "singularity/report.html.j2, line 2: 'pbem.report.renderer.PlacedPicture object' has no attribute 'titel'",
        ),
        (
            lambda home: template(home, "host/rulebook.html.j2", "a\n{{ page.hmtl }}"),
            "host/rulebook.html.j2, line 2: 'pbem.report.answers.RulebookPage object' has no attribute 'hmtl'",
        ),
        (
            lambda home: template(home, "host/press.j2", "{{ page.txt }}"),
            "host/press.j2, line 1: 'pbem.report.notices.PressMessage object' has no attribute 'txt'",
        ),
        (
            lambda home: template(home, "host/seat_page.html.j2", "{{ page.titel }}"),
            "host/seat_page.html.j2, line 1: 'pbem.report.renderer.SeatPage object' has no attribute 'titel'",
        ),
        (
            lambda home: template(
                home, "site/club.html.j2", "{% for each in club.of('over') %}\n{{ each.nam }}{% endfor %}"
            ),
            "site/club.html.j2, line 2: 'pbem.site.data.CampaignPage object' has no attribute 'nam'",
        ),
        (
            lambda home: template(home, "site/campaign.html.j2", "{% if pictures %}{{ picture }}{% endif %}"),
            "site/campaign.html.j2, line 1: 'picture' is undefined",
        ),
        (
            lambda home: template(home, "site/replay.html.j2", "{% if judged %}{{ jugded }}{% endif %}"),
            "site/replay.html.j2, line 1: 'jugded' is undefined",
        ),
        (
            lambda home: template(home, "site/rules.html.j2", "{{ game.titel }}"),
            "site/rules.html.j2, line 1: 'pbem.site.data.GamePage object' has no attribute 'titel'",
        ),
        (lambda home: template(home, "host/help.txt.j2", b"a\n\n\xff"), "help.txt.j2, line 3: this is not text in UT"),
        (lambda home: template(home, "host/help.txt.j2", "{% include 'x.j2' %}"), "needs the template x.j2, which is"),
        (lambda home: add(home, "inbox_password = { env = 'PBEM_NOWHERE' }"), "PBEM_NOWHERE, which is not set. Fix"),
        (lambda home: add(home, "carrier_password = { command = 'false' }"), "it ended with status 1. Fix: run th"),
        (lambda home: settings(home, "maildir:post/sent", "smtp://127.0.0.1:1"), "Connection refused. Fix: nothi"),
    ],
)
def test_problems_are_named_with_their_cure(duel: Run, home: Path, breaking: Break, said: str) -> None:
    """Each fault is a line of its own with its repair, and the exit code is 1."""
    breaking(home)
    result = duel("doctor", *NOW)

    assert result.exit_code == 1
    assert [said in line for line in result.output.splitlines() if line.startswith("problem ")].count(True) == 1


@pytest.mark.parametrize(
    ("breaking", "said"),
    [
        (
            lambda home: template(home, "host/reciept.txt.j2", ""),
            "no mail and no page uses a template of this name; did you mean",
        ),
        (lambda home: settings(home, "@localhost", "@nowhere.invalid"), "the domain nowhere.invalid is not found: "),
        (lambda home: add(home, "inbox_password = { command = 'echo \" x\"' }"), "it begins or ends with a blank. Fix"),
    ],
)
def test_doubts_are_warnings(duel: Run, home: Path, breaking: Break, said: str) -> None:
    """A possible fault is a warning, and the exit code is 0."""
    breaking(home)
    result = duel("doctor", *NOW)

    assert result.exit_code == 0
    assert [said in line for line in result.output.splitlines() if line.startswith("warning ")] == [True]


def test_a_broken_history_is_named_with_its_cure(desk: Desk) -> None:
    """Inconsistent turns are a problem of their campaign."""
    desk.begin()
    with desk.app.store.writing() as session:
        session.execute(update(Turn).where(Turn.number == 1).values(number=5))
    (found,) = [check for check in checks(desk) if check.name == "history"]

    assert (found.result, found.text) == ("problem", "campaign toy1: turn 1 is missing, but there is a turn 5")
    assert found.mend == "restore a backup: pbem restore FILE DIR"


class Taxed(Auction):
    """The toy game with a field that has a default, and no new version."""

    def dump(self, state: Table) -> Json:
        """Return the state with the field."""
        return {**super().dump(state), "tax": 0}

    def read(self, data: Json) -> Table:
        """Return the state; the field may be missing."""
        return super().read({key: each for key, each in data.items() if key != "tax"})


TAXED = Taxed()


def test_the_code_of_a_game_has_changed_under_its_version(desk: Desk) -> None:
    """The doctor names the campaign, and so does a replay, which fails at the first state."""
    desk.begin()
    desk.tick(hours=24 * 7)
    entry = EntryPoint("toy", f"{__name__}:TAXED", GROUP)
    found = [check for check in checks(desk, InstalledGames([entry])) if check.name == "games"]
    with pytest.raises(ReplayError) as failed:
        prove_archive(dataclasses.replace(desk.app, games={"toy": TAXED}), "toy1")

    said = "the code of Toy Auction version 1 has changed since the newest turn was opened, but not its version"
    assert [(check.result, check.text) for check in found if check.result != "ok"] == [
        ("problem", f"campaign toy1: {said}")
    ]
    assert str(failed.value).startswith("turn 0: the state after it has hash")
    assert (
        f"either the record was changed, or the code of Toy Auction version 1 since it ran. T{said[1:]}: install"
        in (str(failed.value))
    )
    assert prove_archive(desk.app, "toy1").turns == 1


def test_the_code_of_a_game_has_changed_before_the_newest_turn(desk: Desk) -> None:
    """Turns that were run with the changed code have the new field; the first state still shows the change."""
    desk.begin()
    desk.app = dataclasses.replace(desk.app, games={"toy": TAXED})
    desk.tick(hours=24 * 7)
    with desk.app.store.reading() as session:
        said = code_change(session, {"toy": TAXED}, load_campaign(session, "toy1"))

    assert said == "the code of Toy Auction version 1 has changed since turn 1 was opened, but not its version"


def test_a_clock_that_was_set_back(duel: Run) -> None:
    """A clock behind the newest row is a problem."""
    result = duel("doctor", "--now", "2020-01-01T09:00Z")

    assert result.exit_code == 1
    assert re.search(
        "^problem  clock: it is 2020-01-01 09:00 UTC by this machine, but the newest act in a campaign's journal is of "
        r"[\d-]+ [\d:]+ UTC. Fix: set the clock",
        result.output,
        re.MULTILINE,
    )


def test_each_kind_of_database(shared: Desk) -> None:
    """SQLite and PostgreSQL have the same checks."""
    found = {check.name: check.result for check in checks(shared)}

    assert (found["database"], found["clock"]) == ("ok", "ok")


def test_a_part_of_an_own_template_is_in_use(home: Path, pbem: Run) -> None:
    """A file that no mail uses is correct if another custom template includes it."""
    template(home, "host/help.txt.j2", "{% include 'house/words.j2' %}")
    template(home, "house/words.j2", "Hello")

    assert (
        "ok       templates: 2 of your own; mails, reports and pages were written with them, from samples\n"
        in pbem("doctor").output
    )


def test_mail_that_waits_is_left_there(desk: Desk) -> None:
    """Waiting mail is counted and left for the next tick."""
    desk.post("BID 3")
    (mail,) = (desk.home / "post" / "inbox").glob("*.eml")
    os.utime(mail, (0, 0))
    said = [check.text for check in checks(desk) if check.name == "inbox"]

    assert said == ["post/inbox: 1 mail waits there, the oldest of 1 Jan 1970"]
    assert desk.tick().polled == 1


def test_passwords_are_not_shown(home: Path, pbem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are in neither text nor JSON."""
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "xyzzy-plugh")
    add(home, "inbox_password = { env = 'PBEM_TEST_PASSWORD' }\ncarrier_password = { command = 'echo plover' }")

    output = pbem("doctor").output + pbem("doctor", "--json").output
    assert "xyzzy" not in output
    assert "plover" not in output


def test_json_for_scripts(duel: Run) -> None:
    """The JSON has the counts, and each check with its result."""
    found = json.loads(duel("doctor", "--json", *NOW).output)

    assert (found["problems"], found["warnings"]) == (0, 0)
    assert found["checks"][0] == {
        "name": "pbem.toml",
        "result": "ok",
        "text": "every setting can be read",
        "mend": "",
    }


@pytest.mark.parametrize(
    ("failure", "mend"),
    [
        ('FATAL: database "pbme" does not exist', "correct its name in `database`"),
        ('FATAL: password authentication failed for user "pbem"', "look at user and password in `database`"),
        ("fe_sendauth: no password supplied", "look at user and password in `database`"),
        ('FATAL: role "pbme" does not exist', "make the user (createuser)"),
        ('FATAL: no pg_hba.conf entry for host "10.0.0.1"', "a line of its pg_hba.conf"),
        ("connection failed: Connection refused", "start the database server"),
        ("could not translate host name", "the host in `database` in pbem.toml is misspelt"),
        ("attempt to write a readonly database", "let pbem's user write to the file"),
    ],
)
def test_failures_of_databases_have_cures_of_their_own(failure: str, mend: str) -> None:
    """The repair is chosen by the server's message."""
    assert mend in database_advice(failure, RESTORE)
