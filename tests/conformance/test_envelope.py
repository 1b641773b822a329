"""The mails that leave the house tell a seat nothing that its game does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.report import Reporter
from pbem.ruleset import AnyRuleset
from tests.conformance import leaks
from tests.conformance.envelope import Posthouse, find_mail_leaks, letter
from tests.conformance.games import TEMPLATES, secrecy_of
from tests.conformance.play import STANDARD_CAP, Game, play, standard, standard_game, usual_seats
from tests.conformance.secrecy import Leak, moments
from tests.conformance.toy import TOY, FogPatrol

MAILED = 3


@pytest.fixture(scope="module")
def reporter() -> Iterator[Reporter]:
    """One reporter for all houses."""
    with Reporter(TEMPLATES) as reporter:
        yield reporter


def _found(game: Game, folder: Path, reporter: Reporter) -> Iterator[Leak]:
    for number, moment in enumerate(moments([game], secrecy_of(game.ruleset), MAILED)):
        yield from find_mail_leaks(moment, folder / str(number), reporter)


def test_no_mail_leaks(ruleset: AnyRuleset, tmp_path: Path, reporter: Reporter) -> None:
    """Receipt and report are the same to the byte, whatever others have, do and write."""
    assert list(_found(standard_game(ruleset.key), tmp_path, reporter)) == []


def test_a_turn_is_really_played(tmp_path: Path, reporter: Reporter) -> None:
    """The mail compared is that of a turn: a receipt for every sheet and a report for every seat."""
    with Posthouse(tmp_path, TOY, reporter) as house:
        house.begin()
        sent = house.run([letter(seat, ["MOVE nowhere", f"MOVE {seat[0]}1 W"]) for seat in usual_seats(TOY)])

    subjects = [mail.parsed["Subject"].partition("] ")[2] for mail in sent]
    assert subjects == ["orders"] * 3 + [f"Fog Patrol: turn 2, report for {seat}" for seat in usual_seats(TOY)]
    assert ["R1 moves W" in text for text in sent[0].texts()].count(True) == 1


@pytest.mark.parametrize(
    "leaky", [leaks.Total, leaks.FramedPicture, leaks.EventNumbers], ids=lambda leaky: leaky.__name__
)
def test_a_leak_in_the_mail_is_found(leaky: type[FogPatrol], tmp_path: Path, reporter: Reporter) -> None:
    """A subject, the size of a picture, a number in the data: each is seen in the message as it is sent."""
    assert "L4" in {leak.level for leak in _found(play(leaky(), standard, STANDARD_CAP), tmp_path, reporter)}


def test_a_canary_in_the_mail_is_found(tmp_path: Path, reporter: Reporter) -> None:
    """What another player wrote is noticed when it comes up in a report."""
    assert "L5" in {leak.level for leak in _found(play(leaks.Gossip(), standard, STANDARD_CAP), tmp_path, reporter)}
