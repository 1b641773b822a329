"""Seats given, opened and removed by the GM, and the notices to all concerned."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from sqlalchemy import select

from pbem.actions.base import CLI, Change, Channel, TextResult, attempt, run_action, run_query
from pbem.actions.run_turn import run_turn
from pbem.actions.seats import (
    GiveSeat,
    Invite,
    OpenSeat,
    PauseSeat,
    RemoveSeat,
    ResumeSeat,
    SwapSeats,
    free_places,
)
from pbem.actions.settings import MailToken, SetHouseRule, ShowHouseRules
from pbem.actions.start import StartCampaign
from pbem.actions.status import ShowStatus
from pbem.admin.health import home_status
from pbem.campaign.house_rules import HouseRules
from pbem.campaign.people import add_standby, appoint, end_of, get_or_create_person
from pbem.campaign.snapshot import load_campaign
from pbem.errors import CampaignError
from pbem.ruleset import Dice, Event, SeatName, TurnInput
from pbem.store.models import JournalEntry, OutgoingMail, Report, Turn
from pbem.store.types import OutgoingState
from tests.inbox.people import ANN, BOB, CYD, EVE, GM, ask, confirm, form, players, reports, snapshot, token, words
from tests.toy.home import Desk, prepared
from tests.toy.ruleset import Auction

CHANGES: Mapping[str, Callable[[SeatName], Change[TextResult]]] = {
    "open": OpenSeat,
    "remove": RemoveSeat,
    "pause": PauseSeat,
    "resume": ResumeSeat,
}


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Start a campaign of red and blue."""
    form(desk, "red", "blue")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.tick()


def act(desk: Desk, seat: str, what: str, address: str = "") -> str:
    """Do a GM's action on a seat."""
    wish = GiveSeat(seat, address) if what == "give" else CHANGES[what](seat)
    return run_action(desk.app, "toy1", wish, desk.now).done


def test_the_status_shows_deputies_and_standbys(desk: Desk) -> None:
    """Screen and mail show who may send orders for a seat, until when, and who waits for one, in the same lines."""
    with desk.app.store.writing() as session:
        here = load_campaign(session, "toy1")
        eve, dan = (get_or_create_person(session, address, desk.now) for address in (EVE, "dan@example.org"))
        appoint(session, here.places[0].id, eve, desk.now, end_of("2026-11-20", "Europe/Berlin"))
        add_standby(session, here.id, dan, desk.now, wish="blue", words="")

    for channel in (CLI, Channel(by_mail=True)):
        status = run_query(desk.app, "toy1", ShowStatus(), desk.now)
        lines = [line.strip() for line in ShowStatus().render(status, channel)]
        assert f"deputy of red until 2026-11-20: {EVE}" in lines
        assert "standby 1: dan@example.org, would like blue" in lines
    later = run_query(desk.app, "toy1", ShowStatus(), desk.now + dt.timedelta(days=30))
    assert [seat.deputies for seat in later.seats] == [(), ()]


def test_the_gm_hands_a_seat_over(desk: Desk) -> None:
    """The new player gets token and report, the former player and the others a notice, and the GM the result."""
    said = act(desk, "red", "give", EVE)
    desk.tick()

    assert said == "eve@example.net plays red. A new token and the newest report are queued for them."
    assert "The game is under way, and another person or a bot has played this seat until now." in words(
        desk.mails(EVE)[0]
    )
    assert len(reports(desk, EVE)) == 1
    assert "You no longer play the seat red of toy1: seated by the GM." in words(desk.last(ANN))
    assert "has a new player" in words(desk.last(BOB))
    assert desk.mails(GM) == []


def test_the_former_token_is_dead(desk: Desk) -> None:
    """No sheet with the former player's token is accepted."""
    key = token(desk)
    act(desk, "red", "give", EVE)
    desk.post(f"ORDERS toy1 red {key}\nBID 3\nEND", sender=ANN)
    desk.tick()

    assert not any(words(mail).startswith("Sheet") for mail in desk.mails())


def test_codes_of_all_reports_are_dead(desk: Desk) -> None:
    """The codes of earlier reports are void too, as a rollback would make them count again."""
    desk.tick(hours=24 * 5)
    codes = {mail["Reply-To"].partition("+")[2][:16] for mail in reports(desk, ANN)}
    act(desk, "red", "give", EVE)

    with desk.app.store.reading() as session:
        assert codes.isdisjoint(session.scalars(select(Report.code)))


def test_a_report_on_its_way_is_kept_from_the_former_player(desk: Desk) -> None:
    """A queued report goes to the new player alone."""
    desk.tick(hours=24 * 5)
    with desk.app.store.writing() as session:
        for mail in session.scalars(
            select(OutgoingMail).where(OutgoingMail.kind == "report", OutgoingMail.recipient == ANN)
        ):
            mail.state = OutgoingState.QUEUED
    act(desk, "red", "give", EVE)

    with desk.app.store.reading() as session:
        rows = session.execute(select(OutgoingMail.recipient, OutgoingMail.state).where(OutgoingMail.kind == "report"))
        assert [tuple(row) for row in rows if row.recipient != BOB][-2:] == [(ANN, "superseded"), (EVE, "queued")]


def test_a_sheet_of_the_former_player_counts_until_another_comes(desk: Desk) -> None:
    """A seat that changes hands loses no orders."""
    ask(desk, "ORDERS toy1 red\nBID 3\nEND")
    act(desk, "red", "give", EVE)
    desk.tick()

    assert "Your sheet 1 counts" in ask(desk, "STATUS", EVE)
    assert ask(desk, "ORDERS toy1 red\nBID 4\nEND", EVE).startswith("Your order is in")


def test_two_players_change_places(desk: Desk) -> None:
    """Each gets token and newest report of the other seat; what was mailed before proves nothing, and sheets stay."""
    key = token(desk)
    ask(desk, "ORDERS toy1 red\nBID 3\nEND")
    asked = attempt(desk.app, "toy1", SwapSeats("red", "blue"), desk.now)
    run_action(desk.app, "toy1", SwapSeats("red", "blue"), desk.now)
    desk.post(f"ORDERS toy1 red {key}\nBID 4\nEND", sender=ANN)
    desk.tick()

    assert asked.facts.done.startswith(f"swap seats red and blue: {BOB} plays red, {ANN} plays blue. Each gets")
    assert players(desk) == {"red": BOB, "blue": ANN}
    assert "You play red in toy1 now, and no longer blue" in " ".join(map(words, desk.mails(BOB)))
    assert len(reports(desk, BOB)) == 2
    assert "Your sheet 1 counts" in ask(desk, "STATUS", BOB)
    assert not any("BID 4" in words(mail) for mail in desk.mails(ANN) if "receipt" in words(mail))


def test_a_player_changes_to_an_open_seat(desk: Desk) -> None:
    """A swap with a seat that has no player leaves the other seat open; of two open ones, or one, there is none."""
    act(desk, "red", "open")
    run_action(desk.app, "toy1", SwapSeats("blue", "red"), desk.now)
    desk.tick()

    assert players(desk) == {"red": BOB, "blue": ""}
    for seat, other, why in (("blue", "blue", "is one seat"), ("red", "mauve", "has no seat")):
        with pytest.raises(CampaignError, match=why):
            run_action(desk.app, "toy1", SwapSeats(seat, other), desk.now)
    act(desk, "red", "open")
    with pytest.raises(CampaignError, match="have no players"):
        run_action(desk.app, "toy1", SwapSeats("red", "blue"), desk.now)


def test_an_open_seat_is_not_waited_for(desk: Desk) -> None:
    """An open seat has the game's default orders, and no mail without a recipient is queued."""
    assert act(desk, "red", "open") == "seat red is open. No standbys."
    desk.post("ORDERS toy1 blue\nBID 1\nEND", sender=BOB)
    desk.tick()

    assert [turn.reason for turn in desk.tick(hours=1).resolved] == ["all_in"]
    with desk.app.store.reading() as session:
        assert "" not in set(session.scalars(select(OutgoingMail.recipient)))


def test_a_removed_seat_reaches_the_rules(desk: Desk) -> None:
    """The record of the next turn names a removed seat, once; its player's sheets are refused."""
    act(desk, "red", "remove")
    assert "Seat red in toy1 no longer plays, so your orders do not count." in ask(desk, "ORDERS toy1 red\nBID 3\nEND")
    desk.tick(hours=24 * 5)
    desk.tick(hours=24 * 7)

    with desk.app.store.reading() as session:
        records = session.scalars(select(Turn.record).where(Turn.record.is_not(None)).order_by(Turn.number)).all()
    assert [json.loads(record or b"")["removed"] for record in records[1:]] == [["red"], []]


def test_an_invitation_brings_the_seat(desk: Desk) -> None:
    """The invited person gets a code; with its confirmation they have the seat, and the GM is notified."""
    act(desk, "red", "open")
    said = run_action(desk.app, "toy1", Invite(EVE, "red"), desk.now).done
    desk.tick()

    assert said == "invited eve@example.net to seat red. Valid for 14 days."
    assert "gm@example.org invites you to play by mail, in toy1 as red." in words(desk.last(EVE))
    confirm(desk, EVE)
    assert players(desk)["red"] == EVE
    assert "invited by the GM" in words(desk.last(GM))


def test_standbys_come_in_their_order(desk: Desk) -> None:
    """Each seat that becomes free goes to the standby who has waited longest."""
    run_action(desk.app, "toy1", SetHouseRule({"signup": "on"}), desk.now)
    for address in (CYD, EVE):
        ask(desk, "JOIN toy1", address)
        confirm(desk, address)

    act(desk, "blue", "open")
    act(desk, "red", "open")

    assert players(desk) == {"red": EVE, "blue": CYD}


@pytest.mark.parametrize(
    ("seat", "what", "address", "said"),
    [
        ("rde", "open", "", 'toy1 has no seat "rde". Did you mean red?'),
        ("red", "give", "nobody", "'nobody' cannot be the address of seat red: write it like ann@example.org"),
        ("red", "give", "ANN@example.org", "ann@example.org already plays red"),
    ],
)
def test_what_cannot_be_done_is_told(desk: Desk, seat: str, what: str, address: str, said: str) -> None:
    """A sentence names what is wrong and the nearest valid value; nothing is changed."""
    with pytest.raises(CampaignError) as refused:
        act(desk, seat, what, address)

    assert str(refused.value) == said
    assert players(desk)["red"] == ANN


def test_a_pause_and_its_end_say_what_is_so_now(desk: Desk) -> None:
    """The answer has the present state, whether anything was changed or not."""
    said = [act(desk, "red", what) for what in ("resume", "pause", "pause", "resume")]

    assert said == [
        "seat red was not paused: turns wait for it.",
        "seat red is paused: turns do not wait for it.",
        "seat red is paused already: turns do not wait for it.",
        "seat red is no longer paused: turns wait for it again.",
    ]


def test_a_new_player_has_missed_nothing(desk: Desk) -> None:
    """The misses of the former player are not counted against a new one."""
    desk.tick(hours=24 * 5)
    missed = [home_status(desk.app, "toy1").campaigns[0].seats[0].nmr_total]
    act(desk, "red", "give", EVE)
    missed.append(home_status(desk.app, "toy1").campaigns[0].seats[0].nmr_total)

    assert missed == [1, 0]


@pytest.mark.parametrize("what", ["open", "give", "pause"])
def test_a_removed_seat_stays_removed(desk: Desk, what: str) -> None:
    """A removed seat cannot be opened, given or paused."""
    act(desk, "red", "remove")

    with pytest.raises(CampaignError, match=r"red is removed\. Bring it back: pbem resume toy1 red"):
        act(desk, "red", what, EVE)


def test_who_is_known_to_the_journal(desk: Desk) -> None:
    """Players read in the journal that a seat changed hands, but no address."""
    act(desk, "red", "give", EVE)

    with desk.app.store.reading() as session:
        texts = list(session.scalars(select(JournalEntry.text).where(~JournalEntry.secret)))
    assert texts[-1] == "seat red has a new player: seated by the GM"
    assert not any("@" in text for text in texts)


def test_other_players_hear_only_where_they_may_read_the_journal(desk: Desk) -> None:
    """If only the GM reads the journal, other players are not notified of a new player."""
    run_action(desk.app, "toy1", SetHouseRule({"journal": "gm"}), desk.now)
    before = len(desk.mails(BOB))
    act(desk, "red", "give", EVE)
    desk.tick()

    assert len(desk.mails(BOB)) == before


class Interrupted(Auction):
    """The toy, with an action that is done while a turn is resolved for the first time."""

    def __init__(self, happens: Callable[[], object]) -> None:
        self.happens: list[Callable[[], object]] = [happens]

    def resolve(self, state: Any, turn: TurnInput, dice: Dice) -> tuple[Any, tuple[Event, ...]]:
        while self.happens:
            self.happens.pop()()
        return super().resolve(state, turn, dice)


def test_a_seat_that_changes_hands_during_a_run_gets_its_report(desk: Desk) -> None:
    """A turn that was computed for the former player is computed again for the new one."""
    game = Interrupted(lambda: act(desk, "red", "give", EVE))
    run_turn(dataclasses.replace(desk.app, games={"toy": game}), "toy1", desk.now, reason="deadline")
    desk.tick()

    assert len(reports(desk, ANN)) == 1
    assert "round 2" in reports(desk, EVE)[-1]["Subject"]


def test_house_rules_are_changed_and_told(desk: Desk) -> None:
    """Values are read as typed and shown as they may be typed again; the journal has them."""
    changes = {"grace": "90m", "min-time": "2d", "holidays": "2026-12-24"}
    run_action(desk.app, "toy1", SetHouseRule(changes), desk.now)

    rules = {rule.name: rule for rule in run_query(desk.app, "toy1", ShowHouseRules(), desk.now).house_rules}
    assert snapshot(desk).policy == HouseRules(
        authentication="address", grace=90, min_time=2880, holidays=("2026-12-24",)
    )
    assert [rules[name].value for name in ("grace", "min-time", "holidays", "signup")] == [
        "90m",
        "2d",
        "2026-12-24",
        "off",
    ]
    assert [rules[name].default for name in ("grace", "signup")] == [False, True]


def test_nobody_is_seated_when_the_game_is_over(desk: Desk) -> None:
    """Seats of a finished game stay as they are."""
    for _ in range(3):
        desk.tick(hours=24 * 8)

    with pytest.raises(CampaignError, match="toy1 is over"):
        act(desk, "red", "open")


def test_a_second_seat_is_asked_about(desk: Desk) -> None:
    """To give an open seat to a player of another one is shown first; to anybody else it is done at once."""
    act(desk, "blue", "open")
    asked = attempt(desk.app, "toy1", GiveSeat("blue", ANN.title()), desk.now)
    said = "give seat blue to Ann@example.org. Ann@example.org plays red already, and would have two seats."
    assert (asked.read_set is not None, asked.facts.done) == (True, said)
    assert len(free_places(snapshot(desk))) == 1

    assert attempt(desk.app, "toy1", GiveSeat("blue", EVE), desk.now).read_set is None


def test_a_second_seat_is_asked_about_by_mail(desk: Desk) -> None:
    """The GM's mail is answered with what would be done, and a reply YES does it."""
    act(desk, "blue", "open")
    run_action(desk.app, "toy1", MailToken(), desk.now)
    desk.tick()
    (key,) = re.findall(r"\b[0-9a-f]{20,}\b", words(desk.last(GM)))[:1]
    desk.post(f"GM toy1 {key}\nGIVE blue TO {ANN}\nEND", sender=GM)
    desk.tick()
    assert f"{ANN} plays red already, and would have two seats." in words(desk.last(GM))
    assert len(free_places(snapshot(desk))) == 1

    desk.reply(desk.last(GM), "YES")
    desk.tick()
    assert [place.address for place in snapshot(desk).places] == [ANN, ANN]


def test_a_standby_who_plays_again_gets_no_second_seat(desk: Desk) -> None:
    """The player of a removed seat who stood by, and has it back, is passed over when another seat is opened."""
    act(desk, "red", "remove")
    with desk.app.store.writing() as session:
        here = load_campaign(session, "toy1")
        for address in (ANN, EVE):
            add_standby(session, here.id, get_or_create_person(session, address, desk.now), desk.now)
    act(desk, "red", "resume")

    assert act(desk, "blue", "open") == f"seat blue is given to {EVE}, the first standby."
