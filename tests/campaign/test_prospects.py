"""The release of a campaign says what becomes of the open turn, and that happens in the next tick."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pbem.actions.base import CLI, run_action
from pbem.actions.deadlines import HoldCampaign, ReleaseCampaign
from pbem.campaign.prospects import foresee
from pbem.campaign.snapshot import Context, load_campaign
from tests.toy.home import Desk, text_of

ANN, BOB = "ann@example.org", "bob@example.org"
TO_DEADLINE = 106
"""Hours from the start of the campaign, Monday 9:00 UTC, to Friday 20:00 in Berlin."""


def begin(desk: Desk, *senders: str, seats: tuple[str, ...] = ("red", "blue"), **rules: str) -> None:
    """Start a campaign of which a turn is due on Friday, and put it on hold once these have sent."""
    desk.start(rules=rules, seats=seats, rounds="9")
    for sender in senders:
        desk.reply(desk.last(sender), "BID 1")
    desk.answer()
    run_action(desk.app, "toy1", HoldCampaign("snow"), desk.now)
    desk.tick()


def release(desk: Desk) -> tuple[str, str]:
    """Release the campaign; return what the GM and Bob are told."""
    wish = ReleaseCampaign(sure="YES")
    facts = run_action(desk.app, "toy1", wish, desk.now)
    desk.answer()
    return " ".join(wish.render(facts, CLI)), words(desk, BOB)


def words(desk: Desk, to: str) -> str:
    """Return the newest mail to an address on one line."""
    return " ".join(text_of(desk.last(to)).split())


def test_a_turn_that_a_time_bank_covers_is_not_said_to_run(desk: Desk) -> None:
    """GM and players read the deadline that the next tick sets; nobody is asked about the missing sheet."""
    begin(desk, ANN, bank="2d", hold="off")
    desk.tick(hours=TO_DEADLINE + 1)
    told, read = release(desk)

    assert "Turn 1 is due, and has time of blue until Sat 7 Nov 2026 20:00 Europe/Berlin (19:00 UTC)" in told
    assert (
        "Due Sat 7 Nov, 20:00 CET 19:00 UTC. The hold is over. The deadline, Fri 6 Nov, 20:00 CET, has passed" in read
    )
    assert "very soon" not in read
    assert desk.tick().resolved == []
    assert "due Sat 7 Nov 20:00 CET" in desk.last(BOB)["Subject"]


@pytest.mark.parametrize("bank", ["0d", "2d"])
def test_a_covered_turn_is_released_without_a_question(desk: Desk, bank: str) -> None:
    """Only where a sheet is left out there is something to confirm."""
    begin(desk, ANN, bank=bank, hold="off")
    desk.tick(hours=TO_DEADLINE + 1)

    with desk.app.store.reading() as session:
        context, wish = Context(session, desk.app, load_campaign(session, "toy1"), desk.now), ReleaseCampaign()
        assert wish.asks(context, wish.look(context)) == (bank == "0d")


@pytest.mark.parametrize(
    ("rules", "senders", "next_", "told", "read"),
    [
        ({"hold": "off"}, (ANN,), "run", "is due, and is run at once", "The turn is run very soon"),
        ({"hold": "off"}, (ANN, BOB), "run", "is due, and is run at once", "The turn is run very soon"),
        (
            {"hold": "off", "late": "opponents"},
            (ANN,),
            "claim",
            "waits for the word of the opponent of blue",
            "The turn waits for late orders, or the word of a player",
        ),
        (
            {"hold": "always"},
            (ANN, BOB),
            "held",
            "is held at once for you to look at",
            "The turn is run once your GM has looked at it",
        ),
        (
            {"hold": "off", "grace": "12h"},
            (ANN,),
            "grace",
            "is run when the grace after its deadline ends, Sat 7 Nov 2026 08:00 Europe/Berlin",
            "Late orders count until Sat 7 Nov, 08:00 CET",
        ),
        (
            {"hold": "off", "late": "opponents", "bank": "1d"},
            (ANN,),
            "covered",
            "has time of blue until Sat 7 Nov 2026 20:00",
            "Due Sat 7 Nov, 20:00 CET",
        ),
        ({"hold": "off", "bank": "1d"}, (ANN, BOB), "run", "is due, and is run at once", "The turn is run very soon"),
    ],
)
def test_what_is_said_happens(
    desk: Desk, rules: Mapping[str, str], senders: tuple[str, ...], next_: str, told: str, read: str
) -> None:
    """Of each prospect GM and players are told, and the next tick does it: it runs the turn, or does not."""
    begin(desk, *senders, seats=("red", "blue"), **rules)
    desk.tick(hours=TO_DEADLINE + 1)
    said, mailed = release(desk)

    assert told in said
    assert read in mailed
    assert [turn.turn for turn in desk.tick().resolved] == [1] * (next_ == "run")
    with desk.app.store.reading() as session:
        foreseen = foresee(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    assert foreseen.next == ("deadline" if next_ in ("run", "covered") else next_ if next_ != "held" else "run")


def test_many_missing_sheets_hold_a_released_turn(desk: Desk) -> None:
    """A GM's own hold ended without a look at the sheets: the turn is held for that, and the answer says so."""
    begin(desk, seats=("red", "blue", "green"))
    desk.tick(hours=TO_DEADLINE + 1)
    told, _ = release(desk)

    assert "Turn 1 is due, and is held at once for you to look at" in told
    assert [turn.hold_reason for turn in desk.tick().on_hold] == ["3 of 3 sheets missing"]
    told, _ = release(desk)
    assert "Turn 1 is due, and is run at once." in told
    assert [turn.turn for turn in desk.tick().resolved] == [1]


@pytest.mark.parametrize(("settle", "until"), [("30m", "Mon 2 Nov, 10:30 CET"), ("7d", "Fri 6 Nov, 20:00 CET")])
def test_a_turn_with_all_sheets_in_is_due_when_they_have_settled(desk: Desk, settle: str, until: str) -> None:
    """It is run when the time for second thoughts ends, or at its deadline if that is sooner, and so it is told."""
    begin(desk, ANN, BOB, settle=settle)
    told, read = release(desk)

    assert until.partition(",")[0] in told
    assert ("is due when the time for second thoughts ends" in told) == (settle == "30m")
    assert ("All orders are in, and may be changed until" in read) == (settle == "30m")
    assert until in read
    assert desk.tick(hours=0.4).resolved == []
    assert [turn.turn for turn in desk.tick(hours=0.2).resolved] == [1] * (settle == "30m")
    assert [turn.turn for turn in desk.tick(hours=TO_DEADLINE).resolved[:1]] == [1] * (settle != "30m")


def test_wait_leaves_a_turn_to_its_deadline(desk: Desk) -> None:
    """With WAIT in a sheet all may be in, and the turn still waits."""
    desk.start(rounds="9")
    for sender in (ANN, BOB):
        desk.reply(desk.last(sender), "BID 1\nWAIT")
    desk.answer()
    run_action(desk.app, "toy1", HoldCampaign(), desk.now)

    assert "Turn 1 is run at its deadline" in release(desk)[0]


def test_a_last_sheet_within_the_grace_settles(desk: Desk) -> None:
    """After the deadline WAIT counts no more, and the turn is due when the last sheet has settled."""
    begin(desk, ANN, hold="off", grace="12h")
    desk.tick(hours=TO_DEADLINE + 1)
    desk.reply(next(mail for mail in reversed(desk.mails(BOB)) if "+" in mail["Reply-To"]), "BID 1\nWAIT")
    desk.answer()

    assert "second thoughts ends, Fri 6 Nov 2026 21:30 Europe/Berlin" in release(desk)[0]
    assert [turn.turn for turn in desk.tick(hours=0.6).resolved] == [1]


def test_before_its_deadline_a_turn_is_due_as_before(desk: Desk) -> None:
    """With all sheets in, it runs; else at its deadline."""
    begin(desk, ANN, hold="off", bank="2d")
    told, read = release(desk)
    assert "Turn 1 is run at its deadline, Fri 6 Nov 2026 20:00 Europe/Berlin" in told
    assert "Due Fri 6 Nov, 20:00 CET 19:00 UTC. The hold is over. The deadline is as it was." in read

    run_action(desk.app, "toy1", HoldCampaign("snow"), desk.now)
    desk.reply(next(mail for mail in reversed(desk.mails(BOB)) if "+" in mail["Reply-To"]), "BID 1")
    desk.answer()
    desk.tick(hours=2)
    told, read = release(desk)
    assert "Turn 1 is due, and is run at once." in told
    assert "The turn is run very soon The hold is over." in read
    assert "passed" not in read
    assert [turn.turn for turn in desk.tick().resolved] == [1]
