"""The last report of a game: who has won, everybody's scores, the replay, and games to join next."""

from __future__ import annotations

import dataclasses

import pytest
from sqlalchemy import text, update

from pbem.actions.base import run_action
from pbem.actions.rollback import RollBack
from pbem.campaign.ending import MOST_OFFERED
from pbem.report.facts import LONGEST_TITLE, Ending, FinalScore
from pbem.report.renderer import Renderer
from pbem.store.models import Seat
from tests.actions.history import ANN, BOB, CYD, begin, play
from tests.report.toy import TEMPLATES, Fair, facts, seen
from tests.toy.home import Desk, text_of

OPEN = update(Seat).where(Seat.name == "blue").values(status="open", person_id=None)


def end(desk: Desk, **rules: str) -> None:
    """Play a game of two rounds to its end: red wins the first prize, green the second."""
    begin(desk, rounds="2")
    desk.set_rules(**rules)
    play(desk, {"red": "BID 2", "blue": "BID 1"})
    play(desk, {"green": "BID 9"})


def with_site(desk: Desk) -> Desk:
    """Return the desk of a home with a site whose address is known."""
    settings = dataclasses.replace(desk.app.settings, site=desk.home / "site", site_url="https://club.example.org/")
    return dataclasses.replace(desk, app=dataclasses.replace(desk.app, settings=settings))


def test_the_winners_are_the_title(desk: Desk) -> None:
    """Each seat reads the result from its own side, in subject and title."""
    end(desk)

    assert desk.last(ANN)["Subject"].startswith("[toy1] the end: you and green won [")
    assert text_of(desk.last(ANN)).startswith("You and green won\n")
    assert text_of(desk.last(BOB)).startswith("red and green won\n")


def test_everybody_reads_all_scores(desk: Desk) -> None:
    """The table has the winners and then the best first, and the reader's own seat marked."""
    end(desk)

    table = text_of(desk.last(BOB)).partition("Seat")[2].partition("\n\n")[0].splitlines()
    assert [row.split() for row in table] == [
        ["Coins", "Result"],
        ["red", "7", "won"],
        ["green", "2", "won"],
        ["blue", "(you)", "13"],
    ]


@pytest.mark.parametrize(("site", "told"), [("off", False), ("news", False), ("replay", True), ("full", True)])
def test_scores_are_told_where_the_replay_tells_them(desk: Desk, site: str, told: bool) -> None:
    """Without a replay no player learns from the last report what others' reports said of their scores."""
    end(desk, site=site)

    assert ("green" in text_of(desk.last(BOB)).partition("\nSeat")[2].partition("\n\n")[0]) is told


def test_the_replay_is_a_button(desk: Desk) -> None:
    """With a site the mail of each seat has a button and the bare address of the replay; without one neither."""
    end(with_site(desk))
    for address in (ANN, BOB):
        mail = desk.last(address)
        html = mail.get_body(("html",))

        assert html is not None
        assert 'href="https://club.example.org/c/toy1/replay/index.html"' in html.get_content()
        assert "REPLAY: https://club.example.org/c/toy1/replay/index.html\n" in text_of(mail)


def test_no_replay_without_a_site(desk: Desk) -> None:
    """Without a site no mail speaks of a replay."""
    end(desk)

    assert "replay" not in desk.last(ANN).as_string().lower()


def test_games_to_join_are_named(desk: Desk) -> None:
    """The newest campaigns that take players and have open seats are offered, and no others."""
    for number in range(MOST_OFFERED + 2):
        desk.begin(name=f"next{number}", seats=("red", "blue"))
        desk.set_rules(f"next{number}", signup="on" if number else "off")
    with desk.app.store.writing() as session:
        session.execute(OPEN)
    end(desk)

    offered = text_of(desk.last(ANN)).partition("\nNEXT\n")[2].partition("\n\nFAIR DICE")[0]
    assert [line for line in offered.splitlines() if "JOIN" in line] == [
        f"- JOIN next{number} (Toy Auction, 1 seat open)" for number in (4, 3, 2)
    ]


def test_a_damaged_campaign_does_not_keep_a_game_from_ending(desk: Desk) -> None:
    """Another campaign whose row cannot be read is left out."""
    desk.begin(name="next0")
    with desk.app.store.writing() as session:
        session.execute(OPEN)
        session.execute(text("UPDATE campaign SET policy = 'damaged' WHERE name = 'next0'"))
    begin(desk, rounds="1")
    play(desk, {"red": "BID 2"})

    assert text_of(desk.last(ANN)).startswith("You won\n")


def test_a_full_report_of_the_end_is_the_same(desk: Desk) -> None:
    """RESEND FULL brings the last report as it was mailed, seed and scores among it."""
    end(desk)
    first = desk.last(CYD)
    desk.reply(first, "RESEND FULL")
    desk.tick()

    assert text_of(desk.last(CYD)) == text_of(first)
    assert desk.last(CYD)["Message-ID"] != first["Message-ID"]


def test_after_a_rollback_nobody_is_told_the_seed_again(desk: Desk) -> None:
    """A game that was over and is played again tells in full reports no more than before its end."""
    end(desk)
    run_action(desk.app, "toy1", RollBack(2), desk.now)
    desk.tick()
    report = [mail for mail in desk.mails(ANN) if "round 2, due" in mail["Subject"]][-1]
    desk.reply(report, "RESEND FULL")
    desk.tick()

    assert "A prize a round" in text_of(desk.last(ANN))
    assert b"a seed for tests".hex() not in text_of(desk.last(ANN))


ENDINGS = [
    (("red",), "red", "You won against blue"),
    (("red",), "blue", "red won"),
    ((), "red", "The game is over"),
    (("red", "blue"), "red", "You and blue won"),
]


@pytest.mark.parametrize(("winners", "seat", "title"), ENDINGS)
def test_titles(winners: tuple[str, ...], seat: str, title: str) -> None:
    """The title says who has won, against whom if there was one other."""
    assert Ending(seats=("red", "blue"), winners=winners, reason="", seat=seat).title == title
    assert Ending(seats=("red", "blue"), winners=(), reason="A draw was agreed.").title == "The game is over: a draw"


@pytest.mark.parametrize("seat", ["red" * 10, "blue" * 10])
def test_long_names_leave_a_short_title(seat: str) -> None:
    """However long the names of seats are, a title fits a phone."""
    ending = Ending(seats=("red" * 10, "blue" * 10), winners=("red" * 10,), reason="", seat=seat)

    assert 0 < len(ending.title) <= LONGEST_TITLE


COURSE = {"red": {1: 3, 2: 5, 3: 9, 4: 7}, "blue": {1: 3, 2: 2}}


def test_the_plot_is_a_picture_of_the_mail() -> None:
    """The plot is shown by its Content-ID, with all that it shows in its alternative text."""
    scored = Ending(seats=("red", "blue"), winners=("red",), reason="", course=COURSE, of="coins", by="round")
    scored = dataclasses.replace(scored, scores=tuple(FinalScore(seat, 7, won=True) for seat in COURSE))
    with Renderer(TEMPLATES) as renderer:
        made = renderer.report(Fair(), seen(over=True, awaited=False), facts(ending=scored))

    (plot,) = [each for each in made.pictures if each.name == "scores-by-turn"]
    assert plot.png is not None
    assert (
        f'<img src="cid:{facts().content_id("scores-by-turn")}" alt="Coins by round. red: 3 in round 1, ' in made.html
    )
    assert "[Picture: Coins by round. red: 3 in round 1, 5 in 2, 9 in 3, 7 at the end. blue: " in made.text
