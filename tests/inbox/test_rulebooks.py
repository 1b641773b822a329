"""RULES: the rulebook by mail, for players of the game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from pbem.actions.base import run_action
from pbem.actions.start import StartCampaign
from pbem.games import rulebook
from pbem.inbox.queries import LARGE_A_DAY, UNPROVEN_LARGE_A_DAY
from pbem.report.markdown import headed_sections
from pbem.ruleset import AnyRuleset
from pbem.store.models import Campaign
from pbem.store.types import CampaignState
from pbem_rules.gm_adjudicated import RULESET as UMPIRE
from tests.games import RULESETS
from tests.inbox.people import ANN, CYD, EVE, GM, ask, confirm, form, reports, token, words
from tests.inbox.trusting import version_taken
from tests.toy.home import Desk, open_desk, text_of
from tests.toy.ruleset import Auction

RULEBOOK = """# Auction

Bids are sealed.

## A round

In each round a prize is sold.

### Bidding

The highest bid wins; | no tie | is broken.

| coins | worth |
|---|---|
| 1 | a `penny` |

## The end

All coins are counted.

## Orders

{{ORDERS}}
"""


class Told(Auction):
    """The toy with a rulebook of several sections."""

    rulebook = RULEBOOK


TOLD: dict[str, AnyRuleset] = {"toy": Told(), "gm_adjudicated": UMPIRE}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Yield a home with two games and a campaign of red and blue that has begun."""
    with open_desk(tmp_path / "home", games=TOLD) as opened:
        opened.start()
        yield opened


def rules(desk: Desk, to: str = ANN) -> list[str]:
    """Return the texts of all mails with rules to an address."""
    return [text_of(mail) for mail in desk.mails(to) if "rule" in mail["Subject"] and "Re:" not in mail["Subject"]]


@pytest.mark.parametrize(
    ("subject", "text"), [("x", "RULES"), ("Rules", ""), ("Re: rules toy1", ""), ("x", "rules TOY1\n\nThank you")]
)
def test_the_rulebook_comes_by_mail(desk: Desk, subject: str, text: str) -> None:
    """RULES as line or subject, with or without the campaign, brings all sections and the reference of orders.

    That is the answer, and no other mail announces it.
    """
    before = len(desk.mails(ANN))
    ask(desk, text, subject=subject)

    (told,) = rules(desk)
    assert len(desk.mails(ANN)) == before + 1
    assert told.startswith("The rulebook\nToy Auction\n\nAUCTION\n\nBids are sealed.\n\nA ROUND\n\nIn each round")
    assert "coins  worth\n-----  ---------\n1      a `penny`\n" in told
    assert "- `BID <coins>`\n  " in told


def test_the_rulebook_is_html_too(desk: Desk) -> None:
    """The HTML of a rulebook has inline styles, and loads nothing."""
    ask(desk, "RULES")

    html = desk.last().get_body(("html",))
    assert html is not None
    assert '<h3 style="margin' in html.get_content()
    assert "<code>penny</code>" in html.get_content()
    assert "src=" not in html.get_content()


def test_sections_are_found_by_their_headings(desk: Desk) -> None:
    """A section comes with those below it, and nothing else."""
    ask(desk, "RULES round")

    (told,) = rules(desk)
    assert told.startswith("The rules about round\nToy Auction\n\nA ROUND\n")
    assert "The highest bid wins" in told
    assert "THE END" not in told


def test_sections_are_found_by_their_text(desk: Desk) -> None:
    """The sections that use a word come if no heading has it."""
    ask(desk, "RULES toy1 Coins counted")

    assert "\n\nTHE END\n\nAll coins are counted.\n" in rules(desk)[0]


def test_words_in_no_rules_bring_the_headings(desk: Desk) -> None:
    """Words that are not in the rulebook bring its headings, each as a line that can be mailed."""
    text = ask(desk, "RULES dragons")

    assert "speaks of dragons. It has these sections: RULES A round RULES Bidding RULES The end" in text
    assert rules(desk) == []
    assert ask(desk, "RULES A round").startswith("The rules about A round Toy Auction A ROUND ")


def test_players_of_several_games_say_which(desk: Desk) -> None:
    """A line for each campaign is offered, and works; a reply to a report needs none."""
    report = desk.last(ANN)
    form(desk, "red", "blue", name="pen1", game="gm_adjudicated")

    assert "RULES pen1 bids (The Umpire's Pen) RULES toy1 bids (Toy Auction)" in ask(desk, "RULES bids")
    assert ask(desk, "RULES pen1").startswith("The rulebook The Umpire's Pen THE UMPIRE'S PEN ")
    desk.reply(report, "RULES")
    desk.answer()
    assert rules(desk)[-1].startswith("The rulebook\nToy Auction\n\nAUCTION\n")


def test_a_deputy_and_the_gm_have_the_rules_too(desk: Desk) -> None:
    """A deputy and the GM get the rulebook."""
    frame = f"PLAYER toy1 red {token(desk)}\nDEPUTY {CYD} UNTIL 2026-12-24\nEND"
    ask(desk, frame)
    confirm(desk, CYD)

    for reader in (CYD, GM):
        assert ask(desk, "RULES", reader).startswith("The rulebook Toy Auction AUCTION ")
        assert len(rules(desk, reader)) == 1


def test_rules_go_to_the_registered_address(desk: Desk) -> None:
    """A sender with a leaked code does not get the rulebook."""
    desk.reply(reports(desk, ANN)[0], "RULES", sender=EVE)
    desk.answer()

    assert len(rules(desk)) == 1
    assert desk.mails(EVE) == []


def test_a_stranger_learns_of_no_campaign_that_takes_no_players(desk: Desk) -> None:
    """A stranger gets the same answer whether or not the campaign exists."""
    told = [ask(desk, text, f"{at}@example.net") for at, text in enumerate(("RULES", "RULES toy1", "RULES toy9", "hm"))]

    assert len(set(told)) == 1
    assert "toy" not in told[0].lower()


def test_a_stranger_learns_which_campaigns_take_players(desk: Desk) -> None:
    """A stranger is offered the campaigns that take players, and no others, and may have their rules."""
    form(desk, "red", name="pen1", game="gm_adjudicated", open_seats=1, signup="on")

    text = ask(desk, "RULES", EVE)

    assert "JOIN pen1: The Umpire's Pen, 1 of 2 seats free. Turns: weekly; it starts when the GM starts it." in text
    assert "toy1" not in text
    assert ask(desk, "RULES pen1", EVE).startswith("The rulebook The Umpire's Pen THE UMPIRE'S PEN ")


@pytest.mark.parametrize("named", ["gm_adjudicated", "the umpire's pen", "gm-adjudicated orders"])
def test_a_stranger_may_read_the_rules_of_a_game(desk: Desk, named: str) -> None:
    """The key or the title of a game brings its rulebook to anyone; the last of a day says so."""
    texts = [ask(desk, f"RULES {named}", EVE, subject=str(number)) for number in range(4)]

    assert ["This is the last answer today" in text for text in texts] == [False, False, True, False]
    assert texts[3] == ""


def test_a_campaign_that_has_moved_takes_no_players_here(desk: Desk) -> None:
    """A campaign that has moved is not offered, whatever its house rules say."""
    form(desk, "red", name="pen1", game="gm_adjudicated", open_seats=1, signup="on")
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).where(Campaign.name == "pen1").values(status=CampaignState.MOVED))

    assert "pen1" not in ask(desk, "RULES", EVE)


def test_a_player_may_read_the_rules_of_a_campaign_to_join(desk: Desk) -> None:
    """The name of a campaign that takes players brings its rules to any player; other names are plain words."""
    form(desk, "blue", "green", name="pen1", game="gm_adjudicated")
    form(desk, "blue", name="pen2", game="gm_adjudicated", open_seats=1, signup="on")

    assert "nothing in the rulebook of Toy Auction speaks of pen1." in ask(desk, "RULES pen1")
    assert ask(desk, "RULES pen2").startswith("The rulebook The Umpire's Pen ")


def test_rules_are_mailed_so_often_a_day(desk: Desk) -> None:
    """A From alone brings few rulebooks a day; a token brings more, within a limit."""
    for number in range(UNPROVEN_LARGE_A_DAY):
        ask(desk, "RULES", subject=str(number))
    assert "please ask tomorrow" in ask(desk, "RULES")

    key = token(desk)
    for number in range(3):
        lines = "\n".join(f"RULES {word}" for word in ("round", "bidding", "end", "orders", "a", "t", "coins"))
        ask(desk, f"PLAYER toy1 red {key}\n{lines}\nEND", subject=f"again {number}")
    assert len(rules(desk)) == UNPROVEN_LARGE_A_DAY + LARGE_A_DAY


def pen(desk: Desk) -> None:
    """Start a campaign of free text, played by Cyd."""
    form(desk, "green", "blue", name="pen1", game="gm_adjudicated")
    run_action(desk.app, "pen1", StartCampaign(), desk.now)
    desk.answer()


@pytest.mark.parametrize("line", ["Rules of war are kept", "rules: no quarter", "Rules orders\nand wait"])
def test_an_order_in_free_words_may_begin_like_the_command(desk: Desk, line: str) -> None:
    """In a reply, a sentence is an order of a game that accepts free text."""
    pen(desk)
    desk.reply(reports(desk, CYD)[-1], line)
    desk.answer()

    assert version_taken(words(desk.last(CYD))) == 1


@pytest.mark.parametrize("line", ["RULES", "RULES pen1", "RULES orders", "Rules ledgers", "RULES pen1 how a turn goes"])
def test_rules_can_be_asked_for_in_a_game_of_free_words(desk: Desk, line: str) -> None:
    """RULES alone, with the campaign, or with words of the rulebook is the command even in a reply."""
    pen(desk)
    desk.reply(reports(desk, CYD)[-1], line)
    desk.answer()

    assert len(rules(desk, CYD)) == 1


def test_the_welcome_and_every_report_tell_how_to_get_the_rules(desk: Desk) -> None:
    """The line that they name brings the rulebook, in a new mail or in a reply to either."""
    for mail in (desk.mails(ANN)[0], reports(desk, ANN)[0]):
        before = len(rules(desk))
        (line,) = {found[1] for found in re.finditer(r"\b([A-Z]+) (?:brings it by mail|for the rules)", text_of(mail))}
        desk.reply(mail, line)
        desk.answer()
        assert len(rules(desk)) == before + 1

    html = reports(desk, ANN)[0].get_body(("html",))
    assert html is not None
    assert ">RULES</a> for the rules" in html.get_content()


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)
def test_the_example_of_our_mails_finds_something_in_every_rulebook(ruleset: AnyRuleset) -> None:
    """RULES orders brings a section of orders, not the whole rulebook."""
    (section, *_) = headed_sections(rulebook(ruleset), ["orders"])

    assert section.source.startswith("## ")
