"""Dice words are verified in an archive on another machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from pbem.actions.base import run_action
from pbem.actions.rerun import RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.start import StartCampaign
from pbem.archive.record import file_hash
from pbem.errors import ReplayError
from pbem.ruleset import json_sha256
from pbem.store.models import Campaign, Seat
from tests.actions.history import play
from tests.archive.test_verify import checked, elsewhere, forged
from tests.inbox.people import form
from tests.toy.fixtures import desk
from tests.toy.home import Desk

__all__ = ["desk"]


def play_with(desk: Desk, word: str) -> None:
    """Play a game of two turns to its end, whose red seat chose a word."""
    form(desk, "red", "blue")
    with desk.app.store.writing() as session:
        session.scalars(select(Campaign)).one().options = {
            "rounds": 2,
            "pace": "together",
            "rich": False,
            "purses": None,
        }
        session.execute(update(Seat).where(Seat.name == "red").values(dice_word=word))
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    play(desk, {"red": "BID 2", "blue": "BID 2"})
    play(desk, {"red": "BID 1", "blue": "BID 1"})


@pytest.fixture
def over(desk: Desk, tmp_path: Path) -> Path:
    """Return the archive of a finished game of two turns, whose red seat chose a word."""
    play_with(desk, "swordfish")
    return elsewhere(desk, tmp_path)


def reword(archive: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the dice words in the record of the set-up, and all later records to fit."""
    forged(archive, 0, lambda record: change(record["dice"]))


def retell(archive: Path, name: str, old: str, new: str) -> None:
    """Change a first report, and all records to fit."""
    path = archive / "toy1" / "0000" / "reports" / name
    path.write_text(path.read_text().replace(old, new))
    forged(archive, 0, lambda record: record["files"].update({f"reports/{name}": file_hash(path.read_bytes())}))


def test_words_are_proved_with_the_seed(over: Path) -> None:
    """The seed has its seal, the words are those disclosed, and the dice follow from both."""
    verified = checked(over)

    assert [(each.seat, each.own) for each in verified.words] == [("red", True), ("blue", False)]
    assert (verified.over, verified.unproved) == (True, ())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda dice: dice["words"][0].__setitem__(1, "another"), "the report of red tells of other words"),
        (lambda dice: dice["words"].reverse(), "the words for the dice are not those of its seats"),
        (lambda dice: dice.update(own=[]), "the report of red tells of other words"),
        (lambda dice: dice.update(formula="the seed alone"), "has 'dice' wrong, or mixes them by a formula"),
        (lambda dice: dice.update(words=5), "has 'dice' wrong"),
        (lambda dice: dice["words"].append(["red"]), "has 'dice' wrong"),
        (lambda dice: dice.clear(), "turn 0: the state after it has hash"),
    ],
)
def test_other_words_in_the_record_are_found(over: Path, change: Callable[[dict[str, Any]], object], said: str) -> None:
    """Dice rolled with other words than those disclosed are found."""
    reword(over, change)

    with pytest.raises(ReplayError, match=said):
        checked(over)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("red.txt", "swordfish", "goldfish"),
        ("red.txt", "- red: swordfish\n", ""),
        ("red.txt", " (drawn)", ""),
        ("red.json", "swordfish", "goldfish"),
    ],
)
def test_other_words_in_a_report_are_found(over: Path, name: str, old: str, new: str) -> None:
    """The words in a player's report must be those that were used, and be marked if they were drawn."""
    retell(over, name, old, new)

    with pytest.raises(ReplayError, match="the report of red tells of other words for the dice than the record"):
        checked(over)


@pytest.mark.parametrize("word", ["two  blanks", "- a dash", "blue: x", " ", "- red: - red: z", "(drawn)"])
def test_no_word_makes_an_archive_look_forged(desk: Desk, tmp_path: Path, word: str) -> None:
    """A player cannot spoil the proof by a word that looks like something else in the text."""
    play_with(desk, word)

    assert checked(elsewhere(desk, tmp_path)).unproved == ()


def test_a_report_lists_the_words_under_their_heading(over: Path) -> None:
    """Each word stands in a line of its own, in the place where it is looked for."""
    text = (over / "toy1" / "0000" / "reports" / "red.txt").read_text()

    assert (
        "\nWords for the dice, fixed before the game began and mixed with the seed:\n\n- red: swordfish\n- blue: "
        in text
    )


def rewrite(archive: Path, old: str, new: str) -> None:
    """Change a word everywhere in the set-up, with the digests of the list, as a careful forger would."""
    words = json.loads((archive / "toy1" / "0000" / "turn.json").read_bytes())["dice"]["words"]
    others = [[seat, new if word == old else word] for seat, word in words]
    for seat in ("red", "blue"):
        for kind in ("txt", "json"):
            retell(archive, f"{seat}.{kind}", old, new)
            retell(archive, f"{seat}.{kind}", json_sha256(words), json_sha256(others))
    reword(archive, lambda dice: dice.update(words=others))


def test_other_words_everywhere_are_found_by_the_dice(over: Path) -> None:
    """Words changed in record and reports alike contradict the results."""
    rewrite(over, "swordfish", "goldfish")

    with pytest.raises(ReplayError, match="turn 0: the state after it has hash"):
        checked(over)


def test_a_word_that_was_not_drawn_is_found(over: Path) -> None:
    """A GM cannot choose the word of a player who sends none: it follows from the sealed seed."""
    drawn = checked(over).words[1].word
    rewrite(over, drawn, "suit-able-word")

    with pytest.raises(ReplayError, match="the word 'suit-able-word' of blue for the dice is neither its player's own"):
        checked(over)


def test_every_run_is_listed(desk: Desk, tmp_path: Path) -> None:
    """Withdrawn runs are listed beside those that count, each with the hash of its record."""
    desk.begin(rounds="5")
    play(desk, {"red": "BID 2"})
    run_action(desk.app, "toy1", RerunTurn(RerunChanges(sheets={"red": [(1, "BID 3")]})), desk.now)
    runs = checked(elsewhere(desk, tmp_path)).runs

    assert sorted((run.turn, run.withdrawn) for run in runs) == [(0, False), (1, False), (1, True)]
    assert len({run.record for run in runs}) == 3
