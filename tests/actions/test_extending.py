"""Extensions of a turn: by the GM, and by a vote of the players."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import update

from pbem.actions.base import attempt, run_action
from pbem.actions.deadlines import ExtendDeadline, extend, needed_votes, vote
from pbem.actions.settings import SetHouseRule
from pbem.admin.health import home_status
from pbem.campaign.people import hash_token
from pbem.campaign.snapshot import Context, load_campaign
from pbem.errors import CampaignError
from pbem.store.models import Campaign, Seat, Turn
from tests.actions.acts import TOKEN
from tests.toy.home import Desk, text_of

ANN, BOB, CYD = "ann@example.org", "bob@example.org", "cyd@example.org"
FRIDAY = dt.datetime(2026, 11, 6, 19, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start(seats=("red", "blue", "green"), rules={"hold": "off"})


def more(desk: Desk, by: dt.timedelta | dt.datetime) -> str:
    """Extend the open turn as the GM."""
    with desk.app.store.writing() as session:
        return extend(Context(session, desk.app, load_campaign(session, "toy1"), desk.now), by)


def ask(desk: Desk, seat: str) -> str:
    """Vote for more time with a seat, and return the answer."""
    with desk.app.store.writing() as session:
        return vote(Context(session, desk.app, load_campaign(session, "toy1"), desk.now), seat)


def deadline(desk: Desk) -> dt.datetime | None:
    """Return the deadline of the open turn."""
    return home_status(desk.app, "toy1").campaigns[0].deadline


def test_an_extension_moves_the_deadline(desk: Desk) -> None:
    """A deadline moves by a span, or to a moment."""
    said = more(desk, DAY)
    assert said == (
        "turn 1 is due Sat 7 Nov 2026 20:00 Europe/Berlin (19:00 UTC) "
        "(was Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC)). Players are notified."
    )
    assert deadline(desk) == FRIDAY + DAY
    more(desk, FRIDAY + 3 * DAY)
    assert deadline(desk) == FRIDAY + 3 * DAY


def test_everybody_is_told_both_deadlines(desk: Desk) -> None:
    """The mail has the old deadline and the new one, and says that the GM decided."""
    more(desk, DAY)
    desk.tick()

    text = text_of(desk.last(BOB))
    assert "Your GM moved the deadline." in text
    assert "Due Sat 7 Nov, 20:00 CET\n19:00 UTC. Before: Fri 6 Nov, 20:00 CET.\n" in text


def test_the_turn_runs_at_the_new_deadline(desk: Desk) -> None:
    """An extended turn runs at the new deadline, not at the old one."""
    more(desk, DAY)

    assert [len(desk.tick(hours=hours).resolved) for hours in (106, 23.9, 0.1)] == [0, 0, 1]


def test_reminders_go_out_for_the_new_deadline(desk: Desk) -> None:
    """Players who were reminded of the old deadline are reminded of the new one."""
    assert desk.tick(hours=90).reminded == 3
    more(desk, 2 * DAY)

    assert [desk.tick(hours=hours).reminded for hours in (1, 48)] == [0, 3]


def test_a_reminder_not_sent_yet_gives_way_to_the_new_deadline(desk: Desk) -> None:
    """A queued reminder of a deadline that has moved is not sent."""
    sent = desk.home / "post" / "sent"
    sent.rename(sent.with_name("aside"))
    sent.write_text("not a folder")
    desk.tick(hours=90)
    more(desk, 2 * DAY)
    sent.unlink()
    sent.with_name("aside").rename(sent)
    desk.tick(hours=3)

    assert [mail["Subject"] for mail in desk.mails(ANN)[2:]] == ["[toy1] more time: due Sun 8 Nov 20:00 CET"]


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (FRIDAY, "turn 1 is due Fri 6 Nov 2026 20:00 Europe/Berlin .19:00 UTC. already"),
        (FRIDAY - 30 * DAY, "is not later than now, .*; to run the turn: pbem run"),
        (FRIDAY + 1000 * DAY, "is more than 400 days away"),
    ],
)
def test_a_deadline_moves_within_reason(desk: Desk, by: dt.datetime, said: str) -> None:
    """A deadline that is unchanged, past or more than 400 days away is refused."""
    with pytest.raises(CampaignError, match=said):
        more(desk, by)
    assert deadline(desk) == FRIDAY


def asked(desk: Desk, by: str) -> str:
    """Return the question that a GM gets about an extension, "" if it is done without asking."""
    tried = attempt(desk.app, "toy1", ExtendDeadline(by), desk.now)
    return tried.facts.done if tried.read_set else ""


@pytest.mark.parametrize("by", ["24h", "14d", "2026-11-20T20:00"])
def test_up_to_two_usual_turns_are_given_unasked(desk: Desk, by: str) -> None:
    """An extension by up to two usual turns, here weeks, needs no confirmation."""
    assert asked(desk, by) == ""


@pytest.mark.parametrize("by", ["15d", "2026-11-20T20:01", "60d", "2026-11-05T20:00", "2026-11-06T19:59"])
def test_a_surprising_deadline_is_asked_about(desk: Desk, by: str) -> None:
    """A deadline that is earlier, or later by more than two usual turns, needs confirmation; nothing is changed yet."""
    said = asked(desk, by)
    assert said.startswith("move the deadline from Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC) to ")
    how = "earlier" if by in ("2026-11-05T20:00", "2026-11-06T19:59") else "later"
    assert said.endswith(f", {how}. Players are notified.")
    assert deadline(desk) == FRIDAY


def test_an_extension_by_the_house_rules_is_no_surprise(desk: Desk) -> None:
    """If turns are shorter than the rule `extension`, that much needs no confirmation, but no more."""
    run_action(desk.app, "toy1", SetHouseRule({"schedule": "EVERY 6h"}), desk.now)

    assert asked(desk, "3d") != ""
    assert asked(desk, "2d") == ""


def test_a_deadline_is_set_to_the_microsecond(desk: Desk) -> None:
    """A moment with seconds is set exactly, and all are notified."""
    odd = FRIDAY + dt.timedelta(seconds=7, microseconds=5)
    with desk.app.store.writing() as session:
        session.execute(update(Turn).where(Turn.deadline == FRIDAY).values(deadline=odd))
    assert run_action(desk.app, "toy1", ExtendDeadline("50d"), desk.now).undo == "toy1"
    run_action(desk.app, "toy1", ExtendDeadline(odd.isoformat()), desk.now)
    desk.tick()

    assert deadline(desk) == odd
    assert "Due Fri 6 Nov, 20:00 CET\n" in text_of(desk.last(BOB))
    assert len(desk.tick(hours=107).resolved) == 1


def test_where_the_deadline_had_passed_there_is_none_to_go_back_to(desk: Desk) -> None:
    """In the grace period no undo is offered that would set the old deadline, which has passed."""
    desk.set_rules(grace="5d")
    desk.tick(hours=130)

    assert run_action(desk.app, "toy1", ExtendDeadline("24h"), desk.now).undo == ""


def test_a_mail_takes_an_extension_back(desk: Desk) -> None:
    """EXTEND with an earlier moment needs confirmation, and is done with YES as the answer says."""
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).values(gm_token_hash=hash_token(TOKEN)))

    def mailed(line: str) -> str:
        desk.post(f"GM toy1 {TOKEN}\n{line}\nEND", sender="gm@example.org")
        desk.tick()
        return " ".join(text_of(desk.last("gm@example.org")).split())

    assert "Players are notified. To take it back: UNDO." in mailed("EXTEND 24h")
    asked = mailed("EXTEND 2026-11-06T20:00+01:00")
    assert ", earlier. Players are notified." in asked
    assert "Or send the same with: DEADLINE 2026-11-06T20:00+01:00 YES" in asked
    assert deadline(desk) == FRIDAY + DAY
    mailed("EXTEND 2026-11-06T20:00+01:00 YES")
    assert deadline(desk) == FRIDAY


def test_a_deadline_that_has_passed_moves_from_now(desk: Desk) -> None:
    """In the grace period an extension by a day is a day from now."""
    desk.set_rules(grace="5d")
    desk.tick(hours=130)
    more(desk, DAY)

    assert deadline(desk) == desk.now + DAY


@pytest.mark.parametrize(
    ("rule", "players", "needed"),
    [("half", 1, 1), ("half", 2, 2), ("half", 3, 2), ("half", 4, 2), ("half", 7, 4), ("all", 3, 3)],
)
def test_how_many_must_ask(rule: str, players: int, needed: int) -> None:
    """Half of the players must vote, but at least two if there are two; or all."""
    assert needed_votes(rule, players) == needed


NOTED = (
    "Your wish for more time is noted; the turn has it when enough players ask. "
    "Orders are still due Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC)."
)


def test_enough_votes_extend_the_turn(desk: Desk) -> None:
    """The first vote is noted; with the second of three players all are notified of the new deadline."""
    first, second = ask(desk, "red"), ask(desk, "blue")
    desk.tick()

    assert first == NOTED
    assert second.startswith("Enough have asked: the turn has more time. Orders are due Sun 8 Nov 2026")
    assert deadline(desk) == FRIDAY + 2 * DAY
    assert "Enough players asked for more time." in text_of(desk.last(CYD))


@pytest.mark.parametrize("awaited", [["red"], ["red", "blue"], ["blue", "green"], ["red", "blue", "green"]])
def test_votes_tell_nothing_of_who_is_awaited(desk: Desk, awaited: list[str]) -> None:
    """It may be secret who is awaited, so votes have the same answers and effects in any case."""
    with desk.app.store.writing() as session:
        session.execute(update(Turn).values(awaited=awaited))

    assert [ask(desk, "red"), ask(desk, "red")] == [NOTED, NOTED]
    assert deadline(desk) == FRIDAY
    assert ask(desk, "green").startswith("Enough have asked")
    assert deadline(desk) == FRIDAY + 2 * DAY


def test_a_seat_has_one_vote(desk: Desk) -> None:
    """A seat that votes twice has one vote."""
    ask(desk, "red")

    assert ask(desk, "red") == NOTED
    assert deadline(desk) == FRIDAY


def test_a_paused_seat_has_no_vote(desk: Desk) -> None:
    """A paused seat has no vote, and is not counted among the players."""
    with desk.app.store.writing() as session:
        session.execute(update(Seat).where(Seat.name == "green").values(paused=True))

    assert ask(desk, "green").startswith("Your seat is paused")
    assert ask(desk, "red") == NOTED
    assert ask(desk, "blue").startswith("Enough have asked")


def test_votes_count_for_one_extension(desk: Desk) -> None:
    """Another extension needs as many votes again, and there are no more than the house rule allows."""
    desk.set_rules(extension_limit="2")
    for _ in range(2):
        ask(desk, "red")
        assert ask(desk, "red").startswith("Your wish for more time is noted")
        ask(desk, "blue")

    assert deadline(desk) == FRIDAY + 4 * DAY
    assert ask(desk, "red").startswith("This turn was extended 2 times already")


def test_the_gms_extensions_are_not_counted(desk: Desk) -> None:
    """The GM's extensions do not use up those of the players."""
    desk.set_rules(extension_limit="1")
    more(desk, 2 * DAY)
    ask(desk, "red")

    assert ask(desk, "blue").startswith("Enough have asked")


def test_some_campaigns_have_no_votes(desk: Desk) -> None:
    """If the house rules have no votes, the player is referred to the GM."""
    desk.set_rules(extension_votes="off")

    assert ask(desk, "red") == "In toy1 the GM alone extends deadlines: please write to gm@example.org."


def test_in_a_game_in_turns_both_must_ask(desk: Desk) -> None:
    """The seat whose turn it is does not decide alone, as that would tell that no other is awaited."""
    desk.begin(name="toy2", pace="in_turn")
    with desk.app.store.writing() as session:
        context = Context(session, desk.app, load_campaign(session, "toy2"), desk.now)
        said = [vote(context, seat) for seat in ("red", "blue")]

    assert [words[:4] for words in said] == ["Your", "Enou"]
