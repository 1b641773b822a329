"""Commands of players whose game is over: those who play no more mean the game that ended last."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest
from sqlalchemy import select

from pbem.store.models import Press
from tests.inbox.people import ANN, EVE, ask, question, words
from tests.toy.home import Desk

WEEK = 24 * 7
REPORT = "All diaries stand in its last report, which RESEND brings"
REPLAY = "https://club.example.org/c/toy1/replay/index.html"


def end(desk: Desk, *names: str, shown: bool = False) -> Desk:
    """Play these campaigns to their ends, one after the other; with `shown`, their replays stand on a site."""
    settings = dataclasses.replace(desk.app.settings, site=desk.home / "site", site_url="https://club.example.org/")
    home = dataclasses.replace(desk, app=dataclasses.replace(desk.app, settings=settings)) if shown else desk
    for name in names or ("toy1",):
        home.start(name=name, rounds="1", rules={"site": "replay"} if shown else None)
        home.tick(hours=WEEK)
    return home


def diaries(desk: Desk) -> list[str]:
    """Return what stands in diaries."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(Press.text).where(Press.kind == "diary").order_by(Press.id)))


@pytest.mark.parametrize("typed", ["DIARY\nWell played.", "DIARY: Well played.", "DIARY", "DIARY\n\n-- \nAnn"])
def test_a_bare_diary_is_told_that_the_game_is_over(desk: Desk, typed: str) -> None:
    """Without a replay none is added, with words or without, and the answer says where diaries are."""
    end(desk)

    assert f"campaign toy1 is over. {REPORT}." in ask(desk, typed)
    assert diaries(desk) == []


def test_what_the_answer_names_is_brought(desk: Desk) -> None:
    """A bare RESEND brings the last report, and all diaries in it."""
    desk.start(rounds="1")
    ask(desk, "DIARY: I trust no one.")
    desk.tick(hours=WEEK)

    ask(desk, "RESEND")
    assert "I trust no one." in words(desk.last(ANN))


def test_a_bare_diary_is_a_last_word_for_a_week(desk: Desk) -> None:
    """With a replay that is shown it is added, and afterwards the answer names report and replay."""
    home = end(desk, shown=True)

    assert f"It stands in the replay, where anyone can read it, as soon as that is written: {REPLAY}" in ask(
        home, "DIARY: Well played."
    )
    home.tick(hours=WEEK + 1)
    said = ask(home, "DIARY: Once more.")
    assert f"campaign toy1 is over, and a last word was taken for 7 days. {REPORT}, and in its replay: {REPLAY}" in said
    assert diaries(home) == ["Well played."]


@pytest.mark.parametrize("typed", ["NEWS: hello", "PRESS TO blue\nhello", "EXTEND", "NO ORDERS", "ABSENT 24.12.2026"])
def test_other_commands_are_told_that_the_game_is_over(desk: Desk, typed: str) -> None:
    """None of them is taken for words without orders."""
    end(desk)

    said = ask(desk, typed)
    assert "toy1 is over" in said
    assert "no orders in your mail" not in said


@pytest.mark.parametrize(("names", "last"), [(("toy1", "toy2"), "toy2"), (("toy2", "toy1"), "toy1")])
def test_of_several_the_one_that_ended_last_is_meant(desk: Desk, names: Sequence[str], last: str) -> None:
    """Also if it was begun first."""
    end(desk, *names)

    assert f"campaign {last} is over" in ask(desk, "DIARY: Well played.")


def test_a_game_that_goes_on_comes_first(desk: Desk) -> None:
    """A player of another writes into the diary of that one."""
    end(desk)
    desk.start(name="toy2", rounds="9")

    assert "Entered into the diary of red" in ask(desk, "DIARY: On we go.")
    assert "All diaries of toy2" in words(desk.last(ANN))


def test_a_stranger_hears_of_no_game_that_is_over(desk: Desk) -> None:
    """The answer to one who never played names none."""
    end(desk)

    assert "toy1" not in ask(desk, "DIARY: Well played.", EVE)


def test_a_last_word_that_nothing_proves_is_asked_about(desk: Desk) -> None:
    """Anyone can write an address into From, and all could read it: its owner says YES first."""
    home = end(desk, shown=True)
    home.set_rules(authentication="confirm")
    home.post("DIARY: Well played.\n")
    home.answer()
    assert diaries(home) == []

    home.reply(question(home, ANN), "YES")
    home.answer()
    assert diaries(home) == ["Well played."]
