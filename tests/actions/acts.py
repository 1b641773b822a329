"""Actions by GM, mail and tick, by name, for tests in which two of them meet, or one is killed.

There are four stages, since not all can be done to one campaign: one that runs, one
that has not started, one whose turns its GM decides, and one that was broken by a
run that did not compare what it was computed from.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import update

from pbem.actions.base import Change as Deed
from pbem.actions.base import run_action, run_query
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.deadlines import ExtendDeadline, HoldCampaign, ReleaseCampaign
from pbem.actions.fork import ForkCampaign
from pbem.actions.open_turn import EnterSheet, PreviewTurn, RollDice
from pbem.actions.questions import AnswerQuestion, AskGm
from pbem.actions.rerun import EditState, RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RollBack
from pbem.actions.ruling import ShowRulingForm, SubmitRuling
from pbem.actions.seats import GiveSeat, OpenSeat, PauseSeat, RemoveSeat, ResumeSeat, SeatBot, SwapSeats
from pbem.actions.settings import SetHouseRule
from pbem.actions.start import StartCampaign
from pbem.actions.undo import UndoChange
from pbem.actions.withdraw_ruling import DropRuling, RestoreRuling
from pbem.actions.withdrawal import find_inconsistency
from pbem.app import App
from pbem.campaign.history import set_dice_word
from pbem.campaign.people import hash_token
from pbem.campaign.snapshot import find_seat_view, load_campaign, locked_campaign
from pbem.errors import PbemError, StoreError
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.mail.retention import redact_old_mail
from pbem.ruleset import AnyRuleset, RulesetError
from pbem.scheduler.tick import run_campaign_now, tick
from pbem.scheduler.work import TickResult
from pbem.store.models import Campaign
from pbem_rules.gm_adjudicated import RULESET
from tests.actions.history import begin, play
from tests.toy.home import ADDRESSES, GAMES, Desk, open_desk

Act = Callable[[App, dt.datetime], Any]
"""Something done to the campaign toy1."""

WEEK = dt.timedelta(days=7)
ALL = {"red": "BID 2", "blue": "BID 1", "green": "BID 0"}
SHEET = {"red": [(1, "BID 3")]}
PURSE = [{"op": "replace", "path": "/purses/1", "value": 40}]
RULING = {"all.txt": "It rained."}
TOKEN = "0123456789abcdef0123456789abcdef"

_numbers = itertools.count()


@dataclass(frozen=True)
class Letter:
    """A mail of the GM: it comes in, and is answered."""

    lines: tuple[str, ...]

    def come(self, app: App, now: dt.datetime) -> None:
        """Fetch the mail into the inbox, before anything else is done."""
        desk = Desk(app, now, next(_numbers))
        desk.post("\n".join([f"GM toy1 {TOKEN}", *self.lines, "END"]), sender="gm@example.org")
        fetch_messages(app.store, open_mailbox(app.settings), now)

    def __call__(self, app: App, now: dt.datetime) -> None:
        """Process the inbox."""
        assert process_messages(app, now).quarantined == 0


def letter(*lines: str) -> Letter:
    """Return a GM's mail with these command lines."""
    return Letter(lines)


def nothing(_house: App, _now: dt.datetime) -> None:
    """Do nothing."""


def deed(act: Deed[Any]) -> Act:
    """Return the action as done on the command line."""
    return lambda app, now: run_action(app, "toy1", act, now)


def choose(app: App, now: dt.datetime) -> None:
    """Choose a dice word as a player."""
    with app.store.writing() as session:
        snapshot = locked_campaign(session, "toy1")
        set_dice_word(session, snapshot, find_seat_view(snapshot, "red"), ["swordfish"], now)


def fork(app: App, now: dt.datetime) -> None:
    """Copy the campaign as of turn 2; the turns of the copy are consistent."""
    with (
        tempfile.TemporaryDirectory(prefix="fork-", dir=app.settings.home.parent) as folder,
        open_desk(Path(folder) / "home") as there,
    ):
        run_action(app, "toy1", ForkCampaign(2, there.app), now)
        with there.app.store.reading() as session:
            assert find_inconsistency(session, load_campaign(session, "toy1")) is None


def fill_in(app: App, now: dt.datetime) -> None:
    """Read the form of a ruling as the GM, and submit it."""
    form = run_query(app, "toy1", ShowRulingForm(), now)
    run_action(app, "toy1", SubmitRuling({"all.txt": "It snowed."}, of=(form.turn, form.revision)), now)


def rule_twice(app: App, now: dt.datetime) -> None:
    """Rule twice on the same turn."""
    for words in ("It rained.", "It hailed."):
        run_action(app, "toy1", SubmitRuling({"all.txt": words}), now)


def rule_and_drop(app: App, now: dt.datetime) -> None:
    """Rule, and drop the ruling."""
    run_action(app, "toy1", SubmitRuling(RULING), now)
    run_action(app, "toy1", DropRuling(), now)


def bring_back(app: App, now: dt.datetime) -> None:
    """Restore the GM's earlier ruling."""
    rule_twice(app, now)
    run_action(app, "toy1", RestoreRuling(), now)


def undo_deadline(app: App, now: dt.datetime) -> None:
    """Move the deadline, and undo that."""
    run_action(app, "toy1", ExtendDeadline("24h"), now)
    run_action(app, "toy1", UndoChange(), now)


def undo_removal(app: App, now: dt.datetime) -> None:
    """Remove a seat, and undo that."""
    run_action(app, "toy1", RemoveSeat("green"), now)
    run_action(app, "toy1", UndoChange(), now)


def run_with_bot(app: App, now: dt.datetime) -> None:
    """Let the bot play a seat, and run the turn."""
    run_action(app, "toy1", SeatBot("green"), now)
    run_campaign_now(app, "toy1", now)


SHARP: dict[str, Act] = {
    "run": lambda app, now: run_campaign_now(app, "toy1", now),
    "rollback by one": deed(RollBack(2)),
    "rollback by two": deed(RollBack(1)),
    "undo": deed(UndoChange()),
    "rerun": deed(RerunTurn()),
    "rerun with a sheet": deed(RerunTurn(RerunChanges(sheets=SHEET))),
    "patch": deed(EditState(PURSE)),
    "remove": deed(RemoveSeat("green")),
}
"""Actions that change turns, or who plays them."""

MAILED: dict[str, Act] = {
    "mailed rollback": letter("ROLLBACK 1 YES"),
    "mailed undo": letter("UNDO YES"),
    "mailed rerun": letter("RERUN red YES", "BID 3"),
    "mailed patch": letter("STATE YES", json.dumps(PURSE)),
}
"""The same, by mail."""

ACTS: dict[str, Act] = (
    SHARP
    | MAILED
    | {
        "tick": tick,
        "sheet": deed(EnterSheet("red", SHEET["red"])),
        "preview": lambda app, now: run_query(app, "toy1", PreviewTurn(), now),
        "fork": fork,
        "undone deadline": undo_deadline,
        "undone removal": undo_removal,
        "hold": deed(HoldCampaign()),
        "release": deed(ReleaseCampaign()),
        "extend": deed(ExtendDeadline("2d")),
        "reschedule": deed(SetHouseRule({"schedule": "DAILY 20:00 UTC"})),
        "rules": deed(SetHouseRule({"grace": "2h", "bank": "2d"})),
        "pause": deed(PauseSeat("green")),
        "bring back": deed(ResumeSeat("green")),
        "hand over": deed(GiveSeat("green", "dan@example.org")),
        "swap": deed(SwapSeats("red", "green")),
        "bot": deed(SeatBot("green")),
        "run with a bot": run_with_bot,
        "answer": deed(AnswerQuestion(1, "They may.", "ALL")),
    }
)

FORMING: dict[str, Act] = {
    "start": deed(StartCampaign()),
    "run": SHARP["run"],
    "tick": tick,
    "word": choose,
    "rules": ACTS["rules"],
    "hand over": ACTS["hand over"],
    "open": deed(OpenSeat("green")),
}
"""Actions before the start, and the start."""

RULED: dict[str, Act] = {
    "ruling": deed(SubmitRuling(RULING)),
    "filled form": fill_in,
    "roll": deed(RollDice("3d6", "the gate")),
    "mailed ruling": letter("RULING", "FILE all.txt", "It rained."),
    "two rulings": rule_twice,
    "dropped ruling": rule_and_drop,
    "restored ruling": bring_back,
    "mailed drop": letter("RULING OFF"),
    "rerun": SHARP["rerun"],
    **{name: ACTS[name] for name in ("run", "tick", "rollback by two", "release", "hold", "extend")},
}
"""Actions on a turn that its GM decides."""


def set_the_stage(desk: Desk) -> dt.datetime:
    """Run turn 3, roll back to it, and have red ask the GM; return a time from which on it is due."""
    begin(desk, rounds="9", rules={"hold": "off"})
    for _ in range(3):
        play(desk, ALL)
    run_action(desk.app, "toy1", RollBack(3), desk.now)
    run_action(desk.app, "toy1", AskGm(seat="red", text="May ships dock?"), desk.now)
    return _settled(desk)


def form(desk: Desk) -> dt.datetime:
    """Create a campaign with three seats, whose players can be mailed; do not start it."""
    wanted = NewCampaign(
        name="toy1",
        game="toy",
        gm="gm@example.org",
        seats=list(ADDRESSES.items()),
        deadline="FRI 20:00 UTC",
        options={},
    )
    create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")
    return _settled(desk)


def leave_to_gm(desk: Desk) -> dt.datetime:
    """Run turn 1 with a ruling; turn 2 is due and awaits one."""
    begin(desk)
    RULED["ruling"](desk.app, desk.now)
    run_campaign_now(desk.app, "toy1", desk.now)
    return _settled(desk)


def _settled(desk: Desk) -> dt.datetime:
    """Send all mail, mask the tokens in it, and return the time a week later."""
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).values(gm_token_hash=hash_token(TOKEN)))
    desk.tick()
    now = desk.now + WEEK
    redact_old_mail(desk.app.store, now)
    return now


@dataclass(frozen=True)
class Stage:
    """A state of a campaign, the actions on it, and what its GM does to it in the end.

    Of the actions, `sharp` change turns, or who plays them, `sharpest` the most;
    `planned` are planned before the campaign is locked, and `looking` read something
    before, such as a mail, or are planned as one of the others is; all else is decided
    under the lock. `overtaken` are those that others overtake.
    """

    prepare: Callable[[Desk], dt.datetime]
    acts: Mapping[str, Act]
    overtaken: Collection[str]
    planned: Collection[str]
    sharp: Collection[str]
    sharpest: Collection[str]
    games: Mapping[str, AnyRuleset] = field(default_factory=lambda: GAMES)
    after: Act = nothing
    looking: Collection[str] = ()


STAGES = {
    "running": Stage(
        set_the_stage,
        ACTS,
        overtaken=ACTS,
        planned=("tick", "rerun with a sheet", "patch", "undo"),
        looking=("run", "run with a bot", "rerun", "fork", "undone deadline", "undone removal", *MAILED),
        sharp=SHARP,
        sharpest=("rollback by two", "rerun with a sheet"),
    ),
    "forming": Stage(form, FORMING, overtaken=["start"], planned=["start"], sharp=FORMING, sharpest=FORMING),
    "ruled": Stage(
        leave_to_gm,
        RULED,
        overtaken=(
            *("ruling", "filled form", "roll", "mailed ruling"),
            *("two rulings", "dropped ruling", "restored ruling", "mailed drop"),
        ),
        planned=("filled form",),
        looking=("mailed ruling", "mailed drop", "two rulings", "dropped ruling", "restored ruling"),
        sharp=("run", "rollback by two", "ruling", "tick"),
        sharpest=("run", "rollback by two"),
        games={"toy": RULESET, RULESET.key: RULESET},
    ),
}


def come(act: Act, app: App, now: dt.datetime) -> None:
    """Do what happens before an action: a mail comes in."""
    if isinstance(act, Letter):
        act.come(app, now)


def attempt(act: Act, app: App, now: dt.datetime) -> str:
    """Do an action, or return the sentence that says why it cannot be done. Any other error is a bug."""
    try:
        done = act(app, now)
    except StoreError:
        raise
    except (PbemError, RulesetError) as error:
        return str(error)
    problems = done.problems if isinstance(done, TickResult) else []
    assert not any("could not be" in problem for problem in problems), problems
    return " ".join(problems)
