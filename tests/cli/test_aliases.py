"""Words of earlier versions on the command line are read, with one line of note."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.aliases import COMMANDS, KEPT, OPTIONS, read_old_words
from tests.cli.conftest import Run

ROWS = """
extend trap7 --yes               | deadline trap7 --usual --yes
extend trap7 24h                 | deadline trap7 24h
deadline trap7 "FRI 20:00 UTC"   | set trap7 "schedule=FRI 20:00 UTC"
policy trap7                     | set trap7
policy trap7 grace=1h late=gm    | set trap7 grace=1h late=gm
rules harvester                  | games harvester --rules
stats trap7 --picture a.svg      | status trap7 --stats --picture a.svg
worker --queue send --queue poll | serve --queue send --queue poll
seat trap7                       | status trap7
seat trap7 red --to a@b.org      | seat give trap7 red a@b.org
seat trap7 --open red            | seat open trap7 red
seat trap7 red --pause           | seat pause trap7 red
seat trap7 red --resume          | seat resume trap7 red
seat trap7 red --remove --yes    | seat remove trap7 red --yes
text trap7                       | announce trap7
text trap7 - --seat red          | announce trap7 - --in-report --to red
text trap7 --drop 3              | announce trap7 --drop 3
press trap7                      | journal trap7 --press
press trap7 f --to red --to blue | announce trap7 f --to red --to blue
adjudicate king1                 | ruling king1
adjudicate king1 --edit          | ruling king1 --edit
adjudicate king1 --restore       | ruling king1 --restore
adjudicate king1 --restore=2     | ruling king1 --restore 2
adjudicate king1 r1              | ruling king1 --form r1
adjudicate king1 r1 --force      | ruling king1 --form r1 --force
adjudicate king1 --take r1       | ruling king1 r1
rolls king1                      | roll king1
rolls king1 3 --json             | roll king1 --turn 3 --json
mend trap7                       | rollback trap7 --repair
patch trap7 f                    | state trap7 f
letters --limit 3                | inbox --limit 3
letters --state new              | inbox --state new
letters --show 12                | inbox 12
letters --retry 12               | inbox 12 --retry
outbox trap7                     | outbox --campaign trap7
outbox trap7 --ledger            | outbox --campaign trap7 --by-player
outbox --ledger                  | outbox --by-player
check-backup b.zip               | verify b.zip
reopen --yes                     | restore --activate --yes
replay                           | verify
replay trap7                     | verify --campaign trap7
verify turns trap7 --seed ff     | verify turns --campaign trap7 --seed ff
ruleset new key folder           | dev new key folder
schema report --game duel        | dev schema report --game duel
desk report.json                 | dev choices report.json
new t --deadline "EVERY 1d"      | new t --schedule "EVERY 1d"
new t --policy a=b --policy=c=d  | new t --set a=b --set=c=d
"""
TABLE = [tuple(shlex.split(half) for half in row.split("|")) for row in ROWS.strip().splitlines()]


@pytest.mark.parametrize(("old", "new"), TABLE, ids=lambda words: " ".join(words))
def test_old_words_are_read_with_a_note(old: list[str], new: list[str]) -> None:
    """Former words mean those of today, and the note is one line with both."""
    words, note = read_old_words(old)

    assert words == new
    assert re.fullmatch(f'Note: "pbem {old[0]}[a-z -]*" is now "pbem {new[0]}[a-z -]*"\\.', note)


@pytest.mark.parametrize("new", [new for _, new in TABLE if new[0] not in ("new",)], ids=" ".join)
def test_words_of_today_are_left_alone(new: list[str]) -> None:
    """The words that take the place of former ones are not former ones themselves."""
    assert read_old_words(new) == (new, "")


@pytest.mark.parametrize(
    "line", ["seat give trap7 red a@b.org", "seat open trap7 red", "outbox 12 --retry", "outbox all --retry",
             "deadline trap7 24h", "deadline trap7 soon", "verify turns", "sheet trap7 red", "nonsense a b"]
)  # fmt: skip
def test_what_could_be_either_is_of_today(line: str) -> None:
    """A seat's verb, a number of a mail, and a span of time are never read in the old way."""
    assert read_old_words(line.split()) == (line.split(), "")


def test_every_alias_is_tried() -> None:
    """The table above has each former command and option, and what they mean exists."""
    tried = {old[0] for old, _ in TABLE}

    assert {pattern.split()[0] for pattern in COMMANDS} | set(OPTIONS) == tried
    for new in [*COMMANDS.values(), *OPTIONS]:
        assert new.split()[0] in main.commands
    seat = main.commands["seat"]
    assert isinstance(seat, click.Group)
    assert set(seat.commands) == KEPT["seat"]


def test_an_old_command_is_done_with_its_note_on_standard_error(duel: Run) -> None:
    """Standard output is that of today's command; the note stands apart."""
    old, new = duel("policy", "duel"), duel("set", "duel")

    assert (old.stdout, old.stderr) == (new.stdout, 'Note: "pbem policy" is now "pbem set".\n')
    assert new.stderr == ""


def test_the_help_of_an_old_command_is_that_of_the_new() -> None:
    """`pbem extend --help` prints the help of `pbem deadline`."""
    old, new = (CliRunner().invoke(main, [word, "--help"]) for word in ("extend", "deadline"))

    assert old.stdout == new.stdout
    assert "extend" not in CliRunner().invoke(main, ["--help"]).stdout


def test_a_former_option_names_what_took_its_place(duel: Run) -> None:
    """The note stands above all else on standard error, also where there is nothing to undo."""
    assert duel("announce", "duel", "--drop", "1").stderr.startswith(
        'Note: "pbem announce --drop" is now "pbem undo".\nNot done: '
    )


@pytest.mark.parametrize("line", ["sheet duel red --restore", "ruling duel --restore 2", "ruling duel --drop"])
def test_what_lists_name_is_no_former_option(duel: Run, line: str) -> None:
    """Options that a list tells a GM to type are taken without a note: undo takes back the newest change alone."""
    assert duel(*line.split()).stderr.startswith("Not done: ")


def test_a_former_option_still_does_what_it_did(duel: Run, tmp_path: Path) -> None:
    """An export is taken back by --back, with a note."""
    assert duel("export", "duel", str(tmp_path / "duel.pbem.zip"), "--to", "play@example.net", "--yes").exit_code == 0
    done = duel("export", "duel", "--back")

    assert done.stdout == "Done: duel is played here again. It is on hold. Release: pbem release duel\n"
    assert done.stderr == 'Note: "pbem export --back" is now "pbem undo".\n'
    assert "--back" not in duel("export", "--help").stdout
