"""Tests that the floor of a night makes the mails that the program makes, and that its table tells the ratio."""

from __future__ import annotations

import email

import pytest

from bench.floor import Night, measure, row
from bench.parts.clock import Spent, Stages
from bench.parts.club import Club
from bench.parts.least import open_renderer
from pbem.games import installed_games

SEATS = 3


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """Return a night after the third turn, so that sheets are bare replies, framed, and with tokens."""
    games = {"singularity_trap": installed_games()["singularity_trap"]}
    home = tmp_path_factory.mktemp("floor")
    club = Club(home / "home", games["singularity_trap"], SEATS, "orders@example.org", "ann@example.org", table=SEATS)
    club.play(2)
    return measure(club, open_renderer(games), counts=True)


def parts(raw: bytes) -> dict[str, object]:
    """Return the contents of a mail's parts by their types."""
    mail = email.message_from_bytes(raw)
    return {part.get_content_type(): part.get_payload(decode=True) for part in mail.walk() if not part.is_multipart()}


def test_the_floor_makes_the_reports_of_the_program(night: Night) -> None:
    """Text, HTML, JSON and calendar of each report are the same to the byte, under the same Message-ID."""
    reports = {id_: parts(raw) for id_, raw in night.mails.items() if b"application/json" in raw}

    assert len(reports) == SEATS
    assert all(
        {"text/plain", "text/html", "application/json", "text/calendar"} == set(report) for report in reports.values()
    )
    assert reports == {id_: parts(night.floor_mails[id_]) for id_ in reports}


def test_the_floor_makes_all_mails_of_the_program(night: Night) -> None:
    """Receipts are the same too, and all header fields."""
    assert len(night.mails) >= 2 * SEATS
    assert night.mails == night.floor_mails


def test_messages_and_turns_take_few_statements(night: Night) -> None:
    """A sheet takes at most sixteen, with those that all mails of a night share; a turn alone forty-two."""
    message, turn = night.statements

    assert message <= 16
    assert turn <= 42


def test_the_row_tells_the_ratio_of_each_night() -> None:
    """The ratio is the median of those of the nights, not that of two medians."""
    nights = [
        Night(Stages({"answer": Spent(1, cpu), "turns": Spent(1, cpu)}), Stages({"night": Spent(1, floor)}), {}, {})
        for cpu, floor in ((3.0, 3.0), (1.0, 2.0), (2.0, 1.0))
    ]

    text, ratio = row(100, nights, (9.0, 33.8))
    assert ratio == 2.0
    assert text.split() == ["100", "20.00", "20.00", "20.00", "2.00", "9.0", "33.8"]
