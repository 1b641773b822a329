"""Every action declares its weight; those that overwrite work, cannot be undone or end a seat ask first."""

from __future__ import annotations

import datetime as dt
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from pbem.actions.arguments import GmCommand, PlayerCommand, TextBlock
from pbem.actions.base import Change, PreviewedChange
from pbem.actions.deadlines import ExtendDeadline, ReleaseCampaign
from pbem.actions.fork import ForkCampaign, TryTurn
from pbem.actions.gm_forms import GmHelp
from pbem.actions.open_turn import EnterSheet, PreviewRealDice
from pbem.actions.players import LeaveSeat
from pbem.actions.questions import AnswerQuestion
from pbem.actions.registry import GM_COMMANDS
from pbem.actions.rerun import EditState, RerunTurn
from pbem.actions.rollback import RollBack
from pbem.actions.ruling import SubmitRuling
from pbem.actions.run_turn import RequestRun
from pbem.actions.seats import GiveSeat, OpenSeat, RemoveSeat, SeatBot, SwapSeats
from pbem.actions.settings import ChangeGm, SetHouseRule
from pbem.actions.sheets import RestoreSheet
from pbem.actions.start import StartCampaign
from pbem.actions.undo import UndoChange
from pbem.actions.weight import Confirmed, Harmless, Reversible, Weight
from pbem.actions.withdraw_ruling import RestoreRuling
from pbem.app import App
from pbem.cli import main
from pbem.cli.command import Command
from pbem.cli.group import Group
from pbem.inbox.command_parser import COMMANDS, AlsoWriteFrom, ChangeAddress, Fallback
from pbem.ruleset import Order
from pbem.store.models import Base, JournalEntry
from tests.actions.acts import STAGES, TOKEN
from tests.inbox.people import insist
from tests.toy.home import Desk, open_desk, text_of

GM = "gm@example.org"


def weight_of(shown: click.Command) -> tuple[type[Change[Any]], ...] | Weight:
    """Return the actions of a command, or of all commands of a group, or the weight of those that have none."""
    commands = shown.commands.values() if isinstance(shown, Group) else (shown,)
    weights = [each.weight for each in commands if isinstance(each, Command)]
    acts = tuple(act for weight in weights if isinstance(weight, tuple) for act in weight)
    return acts or next(weight for weight in weights if not isinstance(weight, tuple))


WEIGHTS = {name: weight_of(command) for name, command in main.commands.items()}
"""The weight of every command of the command line, or the actions that it performs, each with its own."""

FILE = "FILE"
"""In a typed command, a file with all lines of the mailed one but the first."""


@dataclass(frozen=True)
class Asking:
    """An action that asks, on a stage: its typed and mailed form, and the commands to be typed before."""

    stage: str
    typed: tuple[str, ...]
    mailed: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    later: dt.timedelta = dt.timedelta()
    """The time from the commands before to the one that asks."""


RULED = ("ruling", "toy1", "RULED")
"""The command that submits a first ruling."""

ASKING: Mapping[type[Change[Any]], Asking] = {
    RollBack: Asking("running", ("rollback", "toy1", "1"), ("ROLLBACK 1",)),
    RerunTurn: Asking("running", ("rerun", "toy1", "--sheet", "red=FILE"), ("RERUN red", "BID 3")),
    EditState: Asking(
        "running",
        ("state", "toy1", FILE),
        ("STATE", '[{"op": "replace", "path": "/purses/1", "value": 40}]'),
    ),
    EnterSheet: Asking("running", ("sheet", "toy1", "red", "--text", FILE), ("SHEET red", "BID 3")),
    RestoreSheet: Asking(
        "running",
        ("sheet", "toy1", "red", "back"),
        ("SHEET red BACK",),
        before=(("sheet", "toy1", "red", "--text", "RED", "--yes"),),
    ),
    UndoChange: Asking("running", ("undo", "toy1"), ("UNDO",)),
    GiveSeat: Asking("running", ("give", "toy1", "red", "to", "eve@example.org"), ("GIVE red TO eve@example.org",)),
    SeatBot: Asking("running", ("seat", "toy1", "red", "bot"), ("SEAT red BOT",)),
    SwapSeats: Asking("running", ("swap", "toy1", "red", "blue"), ("SWAP red blue",)),
    ExtendDeadline: Asking("running", ("deadline", "toy1", "50d"), ("DEADLINE 50d",)),
    OpenSeat: Asking("running", ("open", "toy1", "red"), ("OPEN red",)),
    AnswerQuestion: Asking(
        "running",
        ("answer", "toy1", "1", "--text", FILE),
        ("ANSWER 1", "They may not."),
        before=(("answer", "toy1", "1", "--text", "RED"),),
    ),
    RemoveSeat: Asking("running", ("remove", "toy1", "red"), ("REMOVE red",)),
    RequestRun: Asking("running", ("run", "toy1"), ("RUN",), before=(("run", "toy1"),)),
    ReleaseCampaign: Asking(
        *("running", ("release", "toy1"), ("RELEASE",)),
        before=(("run", "toy1"), ("hold", "toy1")),
        later=dt.timedelta(days=14),
    ),
    ChangeGm: Asking("running", ("gm", "toy1", "--address", "eve@example.org")),
    SetHouseRule: Asking(
        *("running", ("set", "toy1", "authentication=address"), ("SET authentication=address",)),
        before=(("set", "toy1", "authentication=token"),),
    ),
    PreviewRealDice: Asking("running", ("preview", "toy1", "--real-dice"), ("PREVIEW REAL",)),
    ForkCampaign: Asking("running", ("fork", "toy1", "2", "NEW")),
    TryTurn: Asking("running", (), ("FORK 2",)),
    StartCampaign: Asking("forming", ("start", "toy1"), ("START",), before=(("open", "toy1", "green", "--yes"),)),
    SubmitRuling: Asking(
        "ruled",
        ("ruling", "toy1", "FOLDER"),
        ("RULING", "FILE all.txt", "It snowed."),
        before=(RULED,),
    ),
    RestoreRuling: Asking(
        "ruled",
        ("ruling", "toy1", "--restore"),
        ("RULING BACK",),
        before=(RULED, ("ruling", "toy1", "FOLDER", "--yes")),
    ),
}
"""For each action of a GM that needs confirmation, a situation in which it does."""

DISCLOSED: AbstractSet[type[Change[Any]]] = {PreviewRealDice, ForkCampaign, TryTurn}
"""Those that change nothing here, but are disclosed to the players."""

EXAMPLES = (
    *(
        "STATUS",
        "STATUS STATS",
        "SET",
        "JOURNAL",
        "JOURNAL PRESS",
        "STATE",
        "DEADLINE",
        "ROLL",
        "ROLLBACK",
        "PREVIEW",
        "START",
        "HOLD",
        "RELEASE",
    ),
    *(
        "DEADLINE 24h",
        'SET schedule="DAILY 20:00 UTC"',
        "RUN",
        "PAUSE red",
        "RESUME red",
        "GIVE red TO eve@example.org",
        "SEAT red BOT",
        "SWAP red blue",
    ),
    *("OPEN red", "REMOVE red", "INVITE eve@example.org", "SET grace=12h", "TOKEN"),
    *(
        "ANNOUNCE",
        "SHEET red",
        "RULING",
        "RULING OFF",
        "RULING BACK",
        "ROLL 3d6 gate",
        "UNDO",
        "ROLLBACK 1",
        "RERUN red",
    ),
    *("STATE YES", "FORK 1 red", "ANSWER 1", "SHEETS", "SHEET red BACK"),
)
"""Every command of a GM by mail, as it is written."""

PLAYERS = (
    *("STATUS", "STANDINGS", "RESEND", "HISTORY", "RULES", "JOIN toy1", "WITHDRAW toy1", "CONFIRM k3v7mq2xw5n4tzpa"),
    *("LEAVE", "DICE hello", "ABSENT 2026-12-24", "PRESENT", "DEPUTY eve@example.org UNTIL 2026-12-24", "UNDEPUTE"),
    *("ADDRESS ann@example.net", "FALLBACK ann@example.net", "ALSO ann@example.net", "FORMAT TEXT", "ZONE Athens"),
    *("CLAIM", "WAITS"),
    *("PAUSE", "RESUME", "EXTEND", "MUTE blue", "UNMUTE blue", "PRESS TO blue", "UNSIGNED TO blue", "NEWS", "DIARY"),
    *("ASK GM", "NO ORDERS", "CLEAR ORDERS"),
)
"""Every command of a player by mail, as it is written."""


def acts(base: type[Change[Any]] = Change) -> Iterator[type[Change[Any]]]:
    """Yield every action that there is."""
    for each in base.__subclasses__():
        # `dataclass(slots=True)` makes a second class, and the first one may not be collected yet.
        is_there = vars(sys.modules[each.__module__]).get(each.__name__) is each
        if is_there and not inspect.isabstract(each) and each.__module__.startswith("pbem."):
            yield each
        yield from acts(each)


def gm_wish(line: str) -> tuple[Any, Any]:
    """Return a GM's command, and the action that it asks for."""
    (order,) = GM_COMMANDS.parse({}, [(1, line)]).orders
    below = {"STATE": "", "STATE YES": "[]", "SHEET red BACK": "", "RULING OFF": "", "RULING BACK": ""}.get(
        line, "FILE all.txt"
    )
    text = TextBlock(((2, below),) if getattr(order, "takes_text", False) else ())
    assert isinstance(order, GmCommand)
    return order, order.wish(text)


def player_weight(line: str) -> tuple[Order, Weight]:
    """Return a player's command with its weight."""
    (order,) = COMMANDS.parse({}, [(1, line)]).orders
    assert isinstance(order, PlayerCommand)
    return order, order.weight


def all_weights() -> Iterator[Weight]:
    """Yield the weight of every action."""
    yield from (act.weight for act in acts())
    yield from (each for each in WEIGHTS.values() if not isinstance(each, tuple))
    yield from (player_weight(line)[1] for line in PLAYERS)


def parameters_of(shown: click.Command) -> list[set[str | None]]:
    """Return the names of the parameters of a command, or of each command of a group."""
    commands = shown.commands.values() if isinstance(shown, Group) else (shown,)
    return [{param.name for param in each.params} for each in commands]


def test_every_act_declares_its_weight() -> None:
    """Each action declares its own weight and inherits none."""
    assert [act.__name__ for act in acts() if "weight" not in vars(act)] == []
    assert len(set(acts())) >= 40


def test_every_command_by_mail_has_a_weight() -> None:
    """The lists above have every command of GMs and players, and each has a weight or only reads."""
    assert {type(gm_wish(line)[0]) for line in EXAMPLES} == {verb.order for verb in GM_COMMANDS.verbs} - {GmHelp}
    assert {type(player_weight(line)[0]) for line in PLAYERS} == {verb.order for verb in COMMANDS.verbs}


def test_every_typed_command_has_a_weight() -> None:
    """The table has every command of the command line, and every mailed action of a GM belongs to one of them."""
    typed = {act for each in WEIGHTS.values() if isinstance(each, tuple) for act in each}
    mailed = {type(wish) for _, wish in map(gm_wish, EXAMPLES) if isinstance(wish, Change)}

    assert sorted(WEIGHTS) == sorted(main.commands)
    # `fork` does what it does in steps; the others are mailed in the words of earlier versions alone.
    assert {act.__name__ for act in mailed - typed} == {"TryTurn"}
    assert {*ASKING} >= DISCLOSED


def test_what_needs_confirmation_can_be_looked_at() -> None:
    """An action that needs confirmation has a preview; on the command line it has --yes, by mail the word YES."""
    confirmed = {act for act in acts() if isinstance(act.weight, Confirmed)} - {LeaveSeat}
    typed = [name for name, each in WEIGHTS.items() if isinstance(each, tuple) and confirmed.intersection(each)]
    mailed = [order for line in EXAMPLES for order, wish in [gm_wish(line)] if type(wish) in confirmed]

    assert [act.__name__ for act in confirmed if not issubclass(act, PreviewedChange)] == []
    assert [name for name in typed if not any("sure" in names for names in parameters_of(main.commands[name]))] == []
    assert [order for order in mailed if not order.with_yes(1).has_yes] == []
    assert {act.__name__ for act in confirmed - {*ASKING}} == set()
    assert not any(isinstance(each, Confirmed) for each in WEIGHTS.values())
    assert {type(order) for order, weight in map(player_weight, PLAYERS) if isinstance(weight, Confirmed)} == {
        *(verb.order for verb in COMMANDS.verbs if verb.order.__name__ == "LeaveSeat"),
        *(AlsoWriteFrom, ChangeAddress, Fallback),
    }


def test_what_undoes_an_action_is_there() -> None:
    """The commands that undo an action exist with their options; the words for mails begin mail commands."""
    words = {verb.word for book in (GM_COMMANDS, COMMANDS) for verb in book.verbs}
    for weight in all_weights():
        if isinstance(weight, Reversible):
            assert weight.typed or weight.mailed
            assert not weight.mailed or weight.mailed.split()[0] in words
        undone = weight.typed if isinstance(weight, Reversible) else getattr(weight, "restored", "")
        if undone.startswith("pbem "):
            _, name, *rest = undone.split()
            shown = main.commands[name]
            found = shown.commands[rest[0]] if isinstance(shown, Group) else shown
            options = {option for param in found.params for option in param.opts}
            assert {word for word in rest if word.startswith("--")} <= options
        if isinstance(weight, Harmless):
            assert weight.because


def kept(app: App) -> dict[str, list[str]]:
    """Return all rows by table, without mail and journal, which may have an entry on the question."""
    with app.store.reading() as session:
        return {
            table.name: [repr(row) for row in session.execute(select(*table.columns).order_by(*table.primary_key))]
            for table in Base.metadata.sorted_tables
            if table.name not in ("act", "fact", "inbox", "outgoing", "poll", "mailbox", "request")
        }


def disclosed(app: App) -> list[str]:
    """Return the journal entries that the next reports tell to the players."""
    with app.store.reading() as session:
        return list(session.scalars(select(JournalEntry.text).where(JournalEntry.turn.is_not(None))))


def has_done(app: App, act: type[Change[Any]], before: Mapping[str, list[str]]) -> bool:
    """Return True if an action was done since: it has changed something, or is disclosed."""
    return bool(disclosed(app)) if act in DISCLOSED else kept(app) != before


def invoke(desk: Desk, stage: str, now: Any, *words: str) -> Result:
    """Return the result of a command on a stage."""
    (desk.home.parent / "RED").write_text("BID 0\n")
    for name, text in {"RULED": "It rained.", "FOLDER": "It snowed."}.items():
        (desk.home.parent / name).mkdir(exist_ok=True)
        (desk.home.parent / name / "all.txt").write_text(text)
    named = [str(desk.home.parent / word) if word in ("RULED", "FOLDER", "RED", "NEW") else word for word in words]
    line = ["--home", str(desk.home), *named, "--now", now.isoformat()]
    return CliRunner().invoke(main, line, obj=STAGES[stage].games)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("act", [act for act, each in ASKING.items() if each.typed], ids=lambda act: act.__name__)
def test_the_command_line_asks_first(tmp_path: Path, act: type[Change[Any]]) -> None:
    """Without --yes the effect is shown, nothing is changed and the exit code is 3; with it the action is done."""
    asking = ASKING[act]
    with open_desk(tmp_path / "home", games=STAGES[asking.stage].games) as desk:
        now = STAGES[asking.stage].prepare(desk)
        (tmp_path / "file").write_text("\n".join(asking.mailed[1:]))
        words = [word.replace(FILE, str(tmp_path / "file")) for word in asking.typed]
        assert [invoke(desk, asking.stage, now, *each).exit_code for each in asking.before] == [0] * len(asking.before)
        now += asking.later
        before = kept(desk.app)

        asked = invoke(desk, asking.stage, now, *words)
        assert (asked.exit_code, kept(desk.app)) == (3, before)
        assert act not in DISCLOSED or disclosed(desk.app) == []
        assert asked.output.endswith("Nothing has changed. To do it, add --yes.\n")
        assert len(asked.output.splitlines()) > 1
        assert invoke(desk, asking.stage, now, *words, "--yes").exit_code == 0
        assert has_done(desk.app, act, before)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("act", [act for act, each in ASKING.items() if each.mailed], ids=lambda act: act.__name__)
def test_a_mail_asks_first(tmp_path: Path, act: type[Change[Any]]) -> None:
    """Without YES the answer shows the effect, and how to have it; nothing is changed."""
    asking = ASKING[act]
    with open_desk(tmp_path / "home", games=STAGES[asking.stage].games) as desk:
        desk.now = STAGES[asking.stage].prepare(desk)
        for each in asking.before:
            assert invoke(desk, asking.stage, desk.now, *each).exit_code == 0
        # Held, so that the due turn is not run between the GM's mails.
        invoke(desk, asking.stage, desk.now, "hold", "toy1")
        desk.now += asking.later
        desk.tick()
        before = kept(desk.app)

        command, *lines = asking.mailed
        desk.post("\n".join([f"GM toy1 {TOKEN}", command, *lines, "END"]), sender=GM)
        desk.tick()
        assert kept(desk.app) == before
        assert act not in DISCLOSED or disclosed(desk.app) == []
        (yes,) = re.findall(r"Or send the same with: (.+)", text_of(desk.last(GM)))
        assert re.fullmatch(rf"{command}( \d+)? YES( \d+)?", yes)  # UNDO names the entry that was shown
        desk.post("\n".join([f"GM toy1 {TOKEN}", yes, *lines, "END"]), sender=GM)
        desk.tick()
        assert has_done(desk.app, act, before)


@pytest.mark.parametrize(
    "line", ["LEAVE", "ADDRESS ann@example.net", "FALLBACK ann@example.net", "ALSO ann@example.net"]
)
def test_a_players_mail_asks_first(desk: Desk, line: str) -> None:
    """A command that ends a seat, or changes an address, is done once the registered address has confirmed it."""
    desk.start()
    before = kept(desk.app)
    desk.post(f"PLAYER toy1 red\n{line}\nEND", sender="ann@example.org")
    desk.tick()

    assert kept(desk.app) == before
    if line == "LEAVE":
        insist(desk, f"PLAYER toy1 red\n{line}\nEND")
        assert kept(desk.app) != before


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "act", [ExtendDeadline, EnterSheet, RestoreSheet, RerunTurn, RollBack, RemoveSeat], ids=lambda act: act.__name__
)
def test_a_yes_is_for_the_turn_that_was_asked_about(tmp_path: Path, act: type[Change[Any]]) -> None:
    """If that turn was run meanwhile, a mailed confirmation changes nothing, and the answer says so."""
    asking = ASKING[act]
    with open_desk(tmp_path / "home", games=STAGES[asking.stage].games) as desk:
        desk.now = STAGES[asking.stage].prepare(desk)
        for each in asking.before:
            assert invoke(desk, asking.stage, desk.now, *each).exit_code == 0
        command, *lines = asking.mailed
        desk.post("\n".join([f"GM toy1 {TOKEN}", command, *lines, "END"]), sender=GM)
        desk.tick()
        (yes,) = re.findall(r"Or send the same with: (.+)", text_of(desk.last(GM)))
        assert invoke(desk, asking.stage, desk.now, "run", "toy1", "--yes").exit_code == 0
        before = kept(desk.app)
        desk.post("\n".join([f"GM toy1 {TOKEN}", yes, *lines, "END"]), sender=GM)
        desk.tick()

        assert kept(desk.app) == before
        assert "about which you were asked, is no longer open" in " ".join(text_of(desk.last(GM)).split())


def test_commands_beside_one_that_asks_wait_with_it(desk: Desk) -> None:
    """All commands of a mail are done together or not at all, also if one of them lacks its YES: all are shown."""
    desk.now = STAGES["running"].prepare(desk)
    invoke(desk, "running", desk.now, "hold", "toy1")
    desk.tick()
    before = kept(desk.app)
    desk.post("\n".join([f"GM toy1 {TOKEN}", "PAUSE red", "DEADLINE 50d", "END"]), sender=GM)
    desk.tick()
    assert kept(desk.app) == before
    assert "WOULD DO: 2 commands. Nothing has changed yet." in " ".join(text_of(desk.last(GM)).split())

    desk.post("\n".join([f"GM toy1 {TOKEN}", "STATUS", "DEADLINE 50d", "END"]), sender=GM)
    desk.tick()
    assert kept(desk.app) == before
    assert "Or send the same with: DEADLINE 50d YES" in text_of(desk.last(GM))
