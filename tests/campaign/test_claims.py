"""The house rule `late=opponents`: of two players the one who sent says whether a turn waits for the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pbem.actions.base import run_action
from pbem.actions.claims import ClaimTurn
from pbem.actions.deadlines import ExtendDeadline, HoldCampaign, ReleaseCampaign
from pbem.actions.open_turn import EnterSheet
from pbem.admin.health import home_status
from pbem.errors import CampaignError
from tests.toy.home import Desk, text_of

ANN, BOB, CYD = "ann@example.org", "bob@example.org", "cyd@example.org"
TO_DEADLINE = 106
"""Hours from the start of the campaign, Monday 9:00 UTC, to Friday 20:00 in Berlin."""


def begin(desk: Desk, seats: tuple[str, ...] = ("red", "blue"), **rules: str) -> None:
    """Start a campaign whose turns wait for the word of an opponent, and let Ann send."""
    desk.start(rules={"late": "opponents", "hold": "off", **rules}, seats=seats, rounds="9")
    desk.reply(desk.last(ANN), "BID 1")
    desk.tick()


def words(desk: Desk, to: str) -> str:
    """Return the newest mail to an address on one line."""
    return " ".join(text_of(desk.last(to)).split())


def deadline(desk: Desk) -> str:
    """Return the deadline of the open turn, in UTC."""
    found = home_status(desk.app, "toy1").campaigns[0].deadline
    return found.isoformat()[:16] if found else ""


def say(desk: Desk, word: str, who: str = ANN) -> str:
    """Answer the newest mail with a word; return the answer to it."""
    desk.reply(desk.last(who), word)
    desk.answer()
    return words(desk, who)


def test_a_missed_deadline_waits_for_the_opponents_word(desk: Desk) -> None:
    """Both are told once, and the turn runs after CLAIM and not before."""
    begin(desk)
    assert desk.tick(hours=TO_DEADLINE).resolved == []
    assert "Reply CLAIM to have the turn run without them, or WAITS to give blue 2 days more." in words(desk, ANN)
    assert "Your orders still count Until red claims the turn" in words(desk, BOB)
    assert "No orders came from blue in time red was asked: CLAIM or WAITS?" in words(desk, "gm@example.org")
    counts = [len(desk.mails(who)) for who in (ANN, BOB)]
    assert desk.tick(hours=72).resolved == []
    assert [len(desk.mails(who)) for who in (ANN, BOB)] == counts
    desk.post("STATUS\n", sender=ANN)
    desk.answer()
    assert "The turn waits for your word: CLAIM runs it without blue" in words(desk, ANN)
    desk.tick()

    desk.reply(next(mail for mail in reversed(desk.mails(ANN)) if "CLAIM" in mail["Subject"]), "CLAIM")
    desk.answer()
    assert "The turn is run without orders of blue" in words(desk, ANN)
    assert [turn.reason for turn in desk.tick().resolved] == ["claim"]


def test_waits_gives_the_other_more_time(desk: Desk) -> None:
    """The deadline moves by an extension, both are told, and the question comes again at its end."""
    begin(desk)
    desk.tick(hours=TO_DEADLINE)
    say(desk, "WAITS")
    answers = [" ".join(text_of(mail).split()) for mail in desk.mails(ANN)]
    assert any("blue has more time. Orders are due Sun 8 Nov 2026 20:00" in said for said in answers)
    desk.tick()
    assert deadline(desk) == "2026-11-08T19:00"
    assert "red lets blue have more time." in words(desk, BOB)
    assert desk.tick(hours=48).resolved == []
    assert "CLAIM" in words(desk, ANN)


def test_late_orders_count_until_the_word(desk: Desk) -> None:
    """The late player answers the notice; the turn runs when their sheet has had its time for second thoughts."""
    begin(desk)
    desk.tick(hours=TO_DEADLINE)
    desk.reply(desk.last(BOB), "BID 2")
    assert desk.tick(hours=1).resolved == []
    assert [turn.reason for turn in desk.tick(hours=0.6).resolved] == ["deadline"]


def test_grace_comes_first(desk: Desk) -> None:
    """With a grace the opponent is asked at its end."""
    begin(desk, grace="12h")
    desk.tick(hours=TO_DEADLINE)
    assert "CLAIM" not in words(desk, ANN)
    desk.tick(hours=12)
    assert "CLAIM" in words(desk, ANN)


@pytest.mark.parametrize("word", ["CLAIM", "WAITS"])
def test_a_word_that_nobody_waits_for_does_nothing(desk: Desk, word: str) -> None:
    """Before the deadline, from the late player, or without the rule it is refused with the reason."""
    begin(desk)
    assert "nobody is late whom the turn waits for" in say(desk, word)
    desk.tick(hours=TO_DEADLINE)
    assert "nobody is late whom the turn waits for" in say(desk, word, BOB)
    desk.set_rules(late="run")
    assert "turns wait for no word of an opponent" in say(desk, word)
    assert deadline(desk) == "2026-11-06T19:00"


def test_games_of_more_run_at_their_deadline(desk: Desk) -> None:
    """The rule is for two: with three players, or if both are late, a deadline runs the turn."""
    begin(desk, seats=("red", "blue", "green"))

    assert [turn.reason for turn in desk.tick(hours=TO_DEADLINE).resolved] == ["deadline"]


def test_if_both_are_late_the_turn_runs(desk: Desk) -> None:
    """Nobody is there to claim it."""
    desk.start(rules={"late": "opponents", "hold": "off"}, rounds="9")

    assert [turn.reason for turn in desk.tick(hours=TO_DEADLINE).resolved] == ["deadline"]


def test_a_claim_that_meets_a_sheet(desk: Desk) -> None:
    """Of a claim and the late sheet the first decides: orders that came before the run count in it."""
    begin(desk)
    desk.tick(hours=TO_DEADLINE)
    desk.reply(desk.last(BOB), "BID 2")
    desk.reply(desk.last(ANN), "CLAIM")
    desk.tick(hours=1)

    assert "nobody is late whom the turn waits for" in words(desk, ANN)
    assert [turn.reason for turn in desk.tick(hours=0.6).resolved] == ["deadline"]


def test_two_claims_at_once_run_one_turn(desk: Desk) -> None:
    """The request is one, however often it comes."""
    begin(desk)
    desk.tick(hours=TO_DEADLINE)

    def claim(_: int) -> Any:
        try:
            return run_action(desk.app, "toy1", ClaimTurn(seat="red"), desk.now)
        except CampaignError as refused:
            return refused

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(claim, range(2)))
    assert len(desk.tick().resolved) == 1
    assert home_status(desk.app, "toy1").campaigns[0].turn == 2
    assert desk.tick().resolved == []


def test_a_sheet_by_the_gm_ends_the_wait(desk: Desk) -> None:
    """A late sheet that is entered by hand makes a claim needless."""
    begin(desk)
    desk.tick(hours=TO_DEADLINE)
    run_action(desk.app, "toy1", EnterSheet("blue", [(1, "BID 2")]), desk.now)

    assert [turn.reason for turn in desk.tick(hours=0.6).resolved] == ["deadline"]


def test_of_three_players_a_sheet_after_the_deadline_holds_up_nothing(desk: Desk) -> None:
    """A sheet that came late, while the GM looked at the turn, is no reason to wait for those that are missing."""
    begin(desk, seats=("red", "blue", "green"), hold="60%")
    assert [turn.campaign for turn in desk.tick(hours=TO_DEADLINE).on_hold] == ["toy1"]
    desk.reply(next(mail for mail in reversed(desk.mails(BOB)) if "+" in mail["Reply-To"]), "BID 2")
    desk.tick(hours=3)
    run_action(desk.app, "toy1", ReleaseCampaign(), desk.now)

    assert [turn.reason for turn in desk.tick(hours=1).resolved] == ["deadline"]


def claimed(desk: Desk, hold: str = "off") -> None:
    """Have Ann claim the turn, which is not run yet."""
    begin(desk, hold=hold)
    desk.tick(hours=TO_DEADLINE)
    say(desk, "CLAIM")


def test_a_claim_waits_while_the_gm_holds_the_campaign(desk: Desk) -> None:
    """HOLD counts more than a claim, which counts again after RELEASE."""
    claimed(desk)
    run_action(desk.app, "toy1", HoldCampaign("wait"), desk.now)
    assert desk.tick(hours=1).resolved == []
    run_action(desk.app, "toy1", ReleaseCampaign(), desk.now)

    assert [turn.reason for turn in desk.tick(hours=1).resolved] == ["claim"]


def test_more_time_ends_a_claim(desk: Desk) -> None:
    """Whoever gives it, GM or opponent, the new deadline holds, and the question comes again at its end."""
    claimed(desk)
    run_action(desk.app, "toy1", ExtendDeadline("24h"), desk.now)
    assert desk.tick(hours=1).resolved == []
    assert desk.tick(hours=23).resolved == []
    assert "CLAIM" in words(desk, ANN)

    say(desk, "CLAIM\nWAITS")
    assert desk.tick(hours=47).resolved == []
    assert deadline(desk) == "2026-11-09T19:00"


def test_a_claim_does_not_take_the_place_of_the_gm(desk: Desk) -> None:
    """A claimed turn is reviewed like all others, if the GM reviews each."""
    claimed(desk, hold="always")
    assert [turn.hold_kind for turn in desk.tick(hours=1).on_hold] == ["review"]
    run_action(desk.app, "toy1", ReleaseCampaign(), desk.now)

    assert [turn.reason for turn in desk.tick(hours=1).resolved] == ["claim"]


def test_a_time_bank_comes_first(desk: Desk) -> None:
    """While the late player has time of their own nobody is asked, and no claim is taken."""
    begin(desk, bank="1d")
    desk.tick(hours=TO_DEADLINE - 1)
    desk.reply(desk.last(ANN), "CLAIM")
    assert desk.tick(hours=1).resolved == []
    refused = next(text_of(mail) for mail in desk.mails(ANN) if "Not done: CLAIM" in mail["Subject"])
    assert "blue has time of their own for this turn, which comes first" in " ".join(refused.split())
    assert deadline(desk) == "2026-11-07T19:00"
    assert not any("CLAIM or WAITS" in mail["Subject"] for mail in desk.mails(ANN))
    desk.tick(hours=24)

    assert "CLAIM or WAITS" in desk.last(ANN)["Subject"]


@pytest.mark.parametrize("bank", ["off", "1d"])
def test_nobody_is_late_while_deadlines_wait_for_an_outage(desk: Desk, bank: str) -> None:
    """After an outage the time bank pays, or the opponent is asked, once the wait for mail of that time is over."""
    begin(desk, bank=bank)
    desk.tick(hours=TO_DEADLINE - 2, live=True)
    desk.tick(hours=0.1, live=True)
    count = len(desk.mails())
    desk.tick(hours=6, live=True)
    assert (len(desk.mails()), deadline(desk)) == (count, "2026-11-06T19:00")
    desk.tick(hours=6.1, live=True)

    assert len(desk.mails()) == count + 3


def test_a_claim_is_of_the_turn_for_which_it_was_sent(desk: Desk) -> None:
    """A claim that is confirmed after that turn was run claims no other."""
    begin(desk, authentication="confirm")
    desk.tick(hours=TO_DEADLINE)
    desk.post("CLAIM", sender=ANN)
    desk.answer()
    asked = desk.last(ANN)
    desk.reply(desk.last(BOB), "BID 2")
    desk.tick(hours=1)
    desk.tick(hours=1)
    desk.reply(desk.last(ANN), "BID 1")
    desk.tick(hours=24 * 7)
    desk.reply(asked, "YES")
    desk.answer()

    assert "the turn for which you asked it has been run since" in words(desk, ANN)
    assert desk.tick(hours=1).resolved == []
