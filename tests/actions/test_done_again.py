"""Every change of a campaign is done, undone and done again, in all orders: no code or Message-ID is used twice.

The database refuses a Message-ID that stands in the outbox already, whether its mail
was sent or dropped, and the command or the GM's mail would fail. So each order of
changes is done on a campaign that was put back to the same state.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import DatabaseError

from pbem.actions.base import Change as Deed
from pbem.actions.deadlines import ExtendDeadline, HoldCampaign, ReleaseCampaign, VoteForExtension
from pbem.actions.fork import TryTurn
from pbem.actions.open_turn import EnterSheet, PreviewRealDice, RollDice
from pbem.actions.players import AppointDeputy, DismissDeputy, EndAbsences, LeaveSeat, NoteAbsence, SetDiceWord
from pbem.actions.players import Pause as PauseSelf
from pbem.actions.players import Resume as ResumeSelf
from pbem.actions.press import (
    Announce,
    AnnounceInReport,
    Mute,
    SendPress,
    Unmute,
    WriteDiary,
    WriteNews,
    WriteUnsigned,
)
from pbem.actions.questions import AnswerQuestion, AskGm
from pbem.actions.rerun import EditState, RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RollBack
from pbem.actions.ruling import SubmitRuling
from pbem.actions.run_turn import RequestRun
from pbem.actions.seats import GiveSeat, Invite, OpenSeat, PauseSeat, RemoveSeat, ResumeSeat, SeatBot, SwapSeats
from pbem.actions.settings import ChangeGm, MailToken, NameGm, SetHouseRule
from pbem.actions.sheets import KeepOrders, RestoreSheet
from pbem.actions.start import StartCampaign
from pbem.actions.undo import UndoChange
from pbem.actions.withdraw_ruling import DropRuling, RestoreRuling
from pbem.app import App
from pbem.campaign.people import add_standby, get_or_create_person
from pbem.campaign.snapshot import load_campaign
from pbem.store.models import OutgoingMail, Report
from pbem.store.types import OutgoingState
from tests.actions.acts import PURSE, RULING, SHEET, STAGES, attempt, deed, letter
from tests.actions.rewinding import kept_rows
from tests.actions.test_weights import acts
from tests.sampling import Sampler
from tests.servers.processes import server_folder
from tests.toy.home import open_desk

DAN, EVE, FAY = "dan@example.org", "eve@example.org", "fay@example.org"

SEATS: Sequence[Deed[Any]] = (
    GiveSeat("green", DAN),
    GiveSeat("green", EVE),
    GiveSeat("red", DAN),
    SwapSeats("red", "green"),
    OpenSeat("green"),
    RemoveSeat("green"),
    ResumeSeat("green"),
)
"""Changes of who plays, which give a seat's reports other codes."""

DONE: Mapping[str, Sequence[Deed[Any]]] = {
    "running": (
        *SEATS,
        OpenSeat("red"),
        SeatBot("red"),
        PauseSeat("green"),
        ExtendDeadline("24h"),
        ExtendDeadline("2d"),
        SetHouseRule({"schedule": "DAILY 20:00 UTC"}),
        SetHouseRule({"grace": "2h", "schedule": "DAILY 21:00 UTC"}),
        HoldCampaign("on a train"),
        ReleaseCampaign(),
        Invite(DAN),
        AnnounceInReport("Be wise", ("red",)),
        AnnounceInReport("Be brave"),
        Announce("Be brave", ("all",)),
        EnterSheet("red", SHEET["red"]),
        RestoreSheet("red"),
        KeepOrders("red", ((1, "NEXT TURN"), *SHEET["red"])),
        EditState(PURSE),
        RollBack(2),
        RollBack(1),
        RerunTurn(),
        RerunTurn(RerunChanges(sheets=SHEET)),
        RequestRun(),
        AnswerQuestion(1, "They may.", "ALL"),
        ChangeGm(EVE),
        NameGm("Eve"),
        MailToken(),
        PreviewRealDice(),
        TryTurn(2),
        VoteForExtension(seat="red"),
        SendPress(seat="red", to=("blue",), text="Hello"),
        WriteUnsigned(seat="red", to=("blue",), text="Hello"),
        WriteNews(seat="red", text="Hello"),
        WriteDiary(seat="red", text="Hello"),
        AskGm(seat="red", text="May ships dock?"),
        Mute(seat="red", whom="blue"),
        Unmute(seat="red", whom="blue"),
        LeaveSeat(seat="green"),
        PauseSelf(seat="red"),
        ResumeSelf(seat="red"),
        AppointDeputy(seat="red", address=EVE, last="2026-12-24"),
        DismissDeputy(seat="red"),
        NoteAbsence(seat="red", first="2026-12-24"),
        EndAbsences(seat="red"),
    ),
    "forming": (
        *SEATS,
        SetDiceWord(seat="red", said=("hello",)),
        SetHouseRule({"grace": "2h"}),
        Invite(DAN),
        StartCampaign(),
    ),
    "ruled": (
        SubmitRuling(RULING),
        SubmitRuling({"all.txt": "It snowed."}),
        DropRuling(),
        RestoreRuling(),
        RollDice("3d6", "the gate"),
        HoldCampaign(),
        ReleaseCampaign(),
        ExtendDeadline("24h"),
    ),
}
"""The changes that are done on each stage."""

PAIRS_TAKEN = 2
"""Pairs of changes on a stage in a usual run, besides each with itself."""

SEAT_PAIRS_TAKEN = 2
"""Pairs of changes of seats on a stage in a usual run."""

Pair = tuple[Deed[Any], Deed[Any]]


@dataclass(frozen=True)
class Scene:
    """A campaign on a stage, which can be put back to its beginning."""

    name: str
    app: App
    now: dt.datetime
    rewind: Callable[[], object]

    def repeat(self, pair: Pair, *, sent: bool) -> None:
        """Do two changes, undo each, and do them again; with `sent`, each mail goes out before the next change."""
        first, second = pair
        again = () if first is second else (first,)
        self.rewind()
        for each in (first, UndoChange(), second, UndoChange(), *again, second):
            attempt(deed(each), self.app, self.now)
            if sent:
                _send(self.app)

    def mailed(self) -> list[str]:
        """Return the Message-IDs of all reports, each with its code."""
        with self.app.store.reading() as session:
            return [f"{report.code} {report.message_id}" for report in session.scalars(select(Report))]


def _send(app: App) -> None:
    with app.store.writing() as session:
        waiting = update(OutgoingMail).where(OutgoingMail.state == OutgoingState.QUEUED)
        session.execute(waiting.values(state=OutgoingState.SENT))


@pytest.fixture(scope="module")
def scenes() -> Iterator[Callable[[str], Scene]]:
    """Yield a function that returns the campaign on a stage, with two people who stand by; each is made once."""
    with ExitStack() as stack:
        yield cache(partial(_set, stack))


def _set(stack: ExitStack, name: str) -> Scene:
    stage = STAGES[name]
    home = stack.enter_context(server_folder("again")) / "home"
    desk = stack.enter_context(open_desk(home, games=stage.games))
    stage.prepare(desk)
    with desk.app.store.writing() as session:
        campaign = load_campaign(session, "toy1")
        for address in (EVE, FAY):
            add_standby(session, campaign.id, get_or_create_person(session, address, desk.now), desk.now)
    return Scene(name, desk.app, desk.now, stack.enter_context(kept_rows(desk.app.store.engine)))


def wrong(scene: Scene, pairs: Iterable[Pair], *, sent: bool = False) -> dict[str, str]:
    """Return the pairs of changes of which one could not be stored, with the error."""
    found = {}
    for pair in pairs:
        try:
            scene.repeat(pair, sent=sent)
        except DatabaseError as error:
            found[str(pair)] = str(error.orig)
    return found


def test_all_changes_are_done() -> None:
    """Every change has its place in the table, but for undoing, a copy in another home, and words on who is late."""
    done = {type(each) for each in itertools.chain(*DONE.values())}

    assert {act.__name__ for act in {*acts()} - done} == {"UndoChange", "ForkCampaign", "ClaimTurn", "LetWait"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("stage", DONE)
def test_each_change_is_done_undone_and_done_again(scenes: Callable[[str], Scene], stage: str) -> None:
    """It is done a second and a third time, or refused in a sentence, while the mail of the first is queued."""
    assert wrong(scenes(stage), ((each, each) for each in DONE[stage])) == {}


@pytest.mark.parametrize("stage", ["running", "forming"])
def test_seats_change_hands_in_all_orders(scenes: Callable[[str], Scene], stage: str, sampler: Sampler) -> None:
    """A seat is given, opened, removed and brought back in each order, as if what was undone had never been."""
    pairs = sampler.sample([*itertools.permutations(SEATS, 2)], SEAT_PAIRS_TAKEN)

    assert wrong(scenes(stage), pairs) == {}


@pytest.mark.parametrize("sent", [False, True], ids=["queued", "sent"])
@pytest.mark.parametrize("stage", DONE)
def test_any_two_changes_in_all_orders(
    scenes: Callable[[str], Scene], stage: str, sent: bool, sampler: Sampler
) -> None:
    """So are any two others, whether the players were mailed of them or not."""
    pairs = sampler.sample([*itertools.permutations(DONE[stage], 2)], PAIRS_TAKEN)

    assert wrong(scenes(stage), pairs, sent=sent) == {}


def test_a_code_is_never_drawn_twice(scenes: Callable[[str], Scene]) -> None:
    """Undoing brings back the codes of the player; the next one has others than the one who never heard of it."""
    scene, give = scenes("running"), GiveSeat("green", DAN)
    scene.rewind()
    known = [{*scene.mailed()}]
    for each in (give, UndoChange(), GiveSeat("green", EVE), UndoChange()):
        attempt(deed(each), scene.app, scene.now)
        known.append({*scene.mailed()})
    own, first, back, second, again = known

    assert own == back == again
    # Those of the other seats stay.
    assert first & second == first & own != own


def test_a_gm_gives_a_seat_undoes_that_and_gives_it_by_mail(scenes: Callable[[str], Scene]) -> None:
    """No mail of the GM is quarantined, and the last one counts."""
    scene = scenes("running")
    scene.rewind()
    for line in (f"GIVE green TO {DAN} YES", "UNDO YES", f"GIVE green TO {EVE} YES"):
        mail = letter(line)
        mail.come(scene.app, scene.now)
        mail(scene.app, scene.now)

    with scene.app.store.reading() as session:
        assert load_campaign(session, "toy1").places[-1].address == EVE
