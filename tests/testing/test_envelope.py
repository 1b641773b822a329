"""Leaks planted in a game are found in its outgoing mail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.app import TEMPLATE_DIR
from pbem.report.renderer import Renderer
from pbem.testing.mail_leaks import NAME, MailSandbox, all_mail_leaks, letter
from pbem.testing.play import STANDARD_CAP, play, standard, usual_seats
from tests.testing import leaks
from tests.testing.secrecy import SECRECY
from tests.testing.toy import TOY, FogPatrol


@pytest.fixture(scope="module")
def reporter() -> Iterator[Renderer]:
    """Yield one renderer for all homes."""
    with Renderer([TEMPLATE_DIR], {TOY.key: TOY}) as reporter:
        yield reporter


def _found(ruleset: FogPatrol, folder: Path, reporter: Renderer) -> set[str]:
    """Return the levels of the leaks in the mail of a game of bots."""
    game = play(ruleset, standard, STANDARD_CAP)
    return {leak.level for leak in all_mail_leaks(game, SECRECY, folder, reporter)}


def test_a_turn_is_really_played(tmp_path: Path, reporter: Renderer) -> None:
    """The mail compared is that of a turn: a receipt for every sheet and a report for every seat."""
    with MailSandbox(tmp_path, TOY, reporter) as app:
        app.begin()
        sent = app.run([letter(seat, ["MOVE nowhere", f"MOVE {seat[0]}1 W"]) for seat in usual_seats(TOY)])

    subjects = [mail.parsed["Subject"].rpartition(" [")[0] for mail in sent]
    assert subjects[:3] == [f"[{NAME}] 1 line NOT accepted, turn 1"] * 3
    assert [mail.is_report for mail in sent] == [False] * 3 + [True] * 3
    assert [subject.partition(": ")[0] for subject in subjects[3:]] == [subjects[3].partition(": ")[0]] * 3
    assert subjects[3].startswith(f"[{NAME}] turn 2, due ")
    assert ["- MOVE R1 W" in text for text in sent[0].texts()].count(True) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "leaky", [leaks.Total, leaks.FramedPicture, leaks.EventNumbers], ids=lambda leaky: leaky.__name__
)
def test_a_leak_in_the_mail_is_found(leaky: type[FogPatrol], tmp_path: Path, reporter: Renderer) -> None:
    """A subject, the size of a picture, or a number in the data: each difference is found in the sent message."""
    assert "L4" in _found(leaky(), tmp_path, reporter)


def test_a_canary_in_the_mail_is_found(tmp_path: Path, reporter: Renderer) -> None:
    """Another player's words in a report are found."""
    assert "L5" in _found(leaks.Gossip(), tmp_path, reporter)
