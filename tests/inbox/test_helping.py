"""HELP with a verb, and the orders of a game in the guide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.start import StartCampaign
from pbem.store.models import Campaign
from pbem_rules.gm_adjudicated import RULESET as UMPIRE
from tests.inbox.people import ANN, CYD, EVE, ask, form, question, reports, words
from tests.toy.home import GAMES, Desk, open_desk, text_of


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Yield a home with two games and a campaign of red and blue that has begun."""
    with open_desk(tmp_path / "home", games={**GAMES, "gm_adjudicated": UMPIRE}) as opened:
        opened.start()
        yield opened


@pytest.mark.parametrize(("subject", "text"), [("x", "HELP BID"), ("Re: help bid", ""), ("x", "help whi")])
def test_help_explains_one_order(desk: Desk, subject: str, text: str) -> None:
    """HELP with a verb brings its usage, its effect, and an example that is accepted."""
    told = ask(desk, text, subject=subject)
    verb = "WHISPER" if "whi" in text else "BID"

    assert told.startswith(f"{verb} AN ORDER OF TOY AUCTION ")
    assert f" {verb} <" in told
    example = text_of(desk.last()).partition("For example:\n\n")[2].split("\n")[0]
    assert words_taken(desk, example)


def words_taken(desk: Desk, line: str) -> bool:
    """Return True if a reply with this line is accepted without a remark."""
    text = ask(desk, f"ORDERS toy1 red\n{line}\nEND")
    return text.startswith("Your order is in ")


def test_help_explains_commands_too(desk: Desk) -> None:
    """HELP explains each command of the guide."""
    told = ask(desk, "HELP RESEND")

    assert told.startswith("RESEND A COMMAND, FOR A MAIL OF ITS OWN Get a report of yours again")
    assert " RESEND [<turn>...] For example: RESEND 4 RESEND Each report" in told


def test_the_guide_names_the_orders_of_all_games_of_its_reader(desk: Desk) -> None:
    """The guide lists the orders of all the reader's games, each with an example, under the title of its game."""
    form(desk, "red", name="pen1", game="gm_adjudicated", open_seats=1)

    guide = ask(desk, "HELP")

    assert "The orders of Toy Auction, each with an example: - BID <coins>: as in BID 3 - WHISPER <seat> " in guide
    assert "The orders of The Umpire's Pen, each with an example: - SAY <your words>...: as in SAY " in guide


def test_help_names_the_orders_of_the_game_whose_question_is_answered(desk: Desk) -> None:
    """HELP in reply to a question is about its game, also if the program replies to the plain order address."""
    form(desk, "red", name="pen1", game="gm_adjudicated", open_seats=1)
    desk.set_rules(authentication="confirm")
    ask(desk, "ORDERS toy1 red\nBID 3\nEND")

    desk.post("HELP", headers={"In-Reply-To": str(question(desk, ANN)["Message-ID"])})
    desk.answer()

    assert "The orders of Toy Auction" in words(desk.last())
    assert "The Umpire's Pen" not in words(desk.last())


def test_help_on_no_order_brings_the_guide_and_the_nearest(desk: Desk) -> None:
    """The guide says at its top which order was not found."""
    told = ask(desk, "HELP BDI")

    assert "There is no order or command BDI. Perhaps: BID. Here is the whole guide." in told


def test_strangers_are_helped_with_commands_alone(desk: Desk) -> None:
    """Answers to strangers have no orders of games."""
    assert "For example: JOIN" in ask(desk, "HELP JOIN", EVE)
    assert "How to play by mail" in ask(desk, "HELP BID", "zoe@example.com")
    assert "<coins>" not in words(desk.last("zoe@example.com"))


def test_an_order_in_free_words_may_begin_with_help(desk: Desk) -> None:
    """In a reply to a report of such a game a sentence is an order; HELP alone, or with a verb, is not."""
    form(desk, "green", "blue", name="pen1", game="gm_adjudicated")
    run_action(desk.app, "pen1", StartCampaign(), desk.now)
    desk.answer()
    report = reports(desk, CYD)[-1]
    for line, begins in {
        "Help the villagers\nand wait": "Both orders are in ",
        "HELP": "How to play",
        "help say": "SAY AN ORDER OF THE UMPIRE'S PEN ",
        "Help blue against red": "Your order is in ",
    }.items():
        desk.reply(report, line)
        desk.answer()
        assert words(desk.last(CYD)).startswith(begins)


def test_help_explains_the_verbs_of_a_campaign(desk: Desk) -> None:
    """HELP explains verbs that the GM has declared, with a line that is accepted; a sentence is still an order."""
    form(desk, "green", "blue", name="pen1", game="gm_adjudicated")
    usage = "MARCH <army:number 1..9> TO <place>"
    verbs = {"lists": {"place": ["Naxos", "Delos"]}, "MARCH": {"usage": usage, "help": "an army goes to a place"}}
    with desk.app.store.writing() as session:
        campaign = session.scalars(select(Campaign).where(Campaign.name == "pen1")).one()
        campaign.options = {**campaign.options, "verbs": verbs}
    run_action(desk.app, "pen1", StartCampaign(), desk.now)
    desk.answer()
    report = reports(desk, CYD)[-1]

    for line, begins in {
        "HELP march": "MARCH AN ORDER OF THE UMPIRE'S PEN, IN THE CAMPAIGN PEN1 An army goes to a place. MARCH <army>",
        "MARCH 2 to Naxso": "Your order is in",
        "march 2 naxos": "Your order is in",
        "Help march onward": "Your order is in ",
    }.items():
        desk.reply(report, line)
        desk.answer()
        assert words(desk.last(CYD)).startswith(begins)


def test_help_in_reply_to_a_campaign_is_about_its_game(desk: Desk) -> None:
    """HELP and RULES in a reply are answered for the campaign replied to, whatever else its player plays."""
    form(desk, "red", "blue", name="pen1", game="gm_adjudicated")
    run_action(desk.app, "pen1", StartCampaign(), desk.now)
    desk.answer()
    report = reports(desk, ANN)[-1]
    for line, begins in {"HELP": "How to play by mail", "RULES": "The rulebook The Umpire's Pen "}.items():
        desk.reply(report, line)
        desk.answer()
        assert words(desk.last(ANN)).startswith(begins)
        assert "BID <coins>" not in words(desk.last(ANN))

    assert "BID <coins>" in ask(desk, "HELP", ANN)
