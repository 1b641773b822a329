"""Every action declares its weight; those that overwrite work, cannot be undone or end a seat ask first."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from pbem.actions.arguments import GmCommand, PlayerCommand, TextBlock
from pbem.actions.base import DRY_RUN, Change, Confirmed, Harmless, PreviewedChange, Reversible, Weight
from pbem.actions.deadlines import ExtendDeadline
from pbem.actions.open_turn import EnterSheet
from pbem.actions.players import LeaveSeat
from pbem.actions.registry import GM_COMMANDS
from pbem.actions.rerun import EditState, RerunTurn
from pbem.actions.rollback import RepairHistory, RollBack
from pbem.actions.ruling import SubmitRuling
from pbem.actions.seats import GiveSeat, OpenSeat, RemoveSeat
from pbem.actions.sheets import RestoreSheet
from pbem.actions.start import StartCampaign
from pbem.actions.withdraw_ruling import RestoreRuling
from pbem.app import App
from pbem.cli import main
from pbem.cli.aliases import read_old_words
from pbem.cli.command import Command, Group
from pbem.inbox.command_parser import COMMANDS, ChangeAddress, Fallback
from pbem.ruleset import Order
from pbem.store.models import Base
from tests.actions.acts import STAGES, TOKEN
from tests.inbox.people import insist
from tests.toy.home import Desk, open_desk, text_of

GM = "gm@example.org"
WEIGHTS: Mapping[str, tuple[type[Change[Any]], ...] | Weight] = {
    name: command.weight for name, command in main.commands.items() if isinstance(command, Command | Group)
}
"""The weight of every command of the command line, or the actions that it performs, each with its own."""

FILE = "FILE"
"""In a typed command, a file with all lines of the mailed one but the first."""


@dataclass(frozen=True)
class Asking:
    """An action that asks, on a stage: its typed and mailed form, and the commands to be typed before."""

    stage: str
    typed: tuple[str, ...]
    mailed: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()


RULED = ("adjudicate", "toy1", "RULED", "--take")
"""The command that submits a first ruling."""

ASKING: Mapping[type[Change[Any]], Asking] = {
    RollBack: Asking("running", ("rollback", "toy1", "1"), ("ROLLBACK 1",)),
    RerunTurn: Asking("running", ("rerun", "toy1", "--sheet", "red=FILE"), ("RERUN red", "BID 3")),
    EditState: Asking(
        "running",
        ("patch", "toy1", FILE),
        ("PATCH", '[{"op": "replace", "path": "/purses/1", "value": 40}]'),
    ),
    RepairHistory: Asking("broken", ("mend", "toy1"), ("MEND",)),
    EnterSheet: Asking("running", ("sheet", "toy1", "red", FILE), ("SHEET red", "BID 3")),
    RestoreSheet: Asking(
        "running",
        ("sheet", "toy1", "red", "--restore"),
        ("SHEET red BACK",),
        before=(("sheet", "toy1", "red", "RED", "--yes"),),
    ),
    GiveSeat: Asking("running", ("seat", "toy1", "red", "--to", "eve@example.org"), ("SEAT red TO eve@example.org",)),
    ExtendDeadline: Asking("running", ("extend", "toy1", "50d"), ("EXTEND 50d",)),
    OpenSeat: Asking("running", ("seat", "toy1", "red", "--open"), ("OPEN red",)),
    RemoveSeat: Asking("running", ("seat", "toy1", "red", "--remove"), ("REMOVE red",)),
    StartCampaign: Asking(
        "forming", ("start", "toy1"), ("START",), before=(("seat", "toy1", "green", "--open", "--yes"),)
    ),
    SubmitRuling: Asking(
        "ruled",
        ("adjudicate", "toy1", "FOLDER", "--take"),
        ("RULING", "FILE all.txt", "It snowed."),
        before=(RULED,),
    ),
    RestoreRuling: Asking(
        "ruled",
        ("adjudicate", "toy1", "--restore"),
        ("RULING BACK",),
        before=(RULED, ("adjudicate", "toy1", "FOLDER", "--take", "--yes")),
    ),
}
"""For each action of a GM that needs confirmation, a situation in which it does."""

EXAMPLES = (
    *(
        "STATUS",
        "STATS",
        "SEATS",
        "POLICY",
        "JOURNAL",
        "TEXTS",
        "PRESS",
        "STATE",
        "PREVIEW",
        "START",
        "HOLD",
        "RELEASE",
    ),
    *("EXTEND 24h", "DEADLINE DAILY 20:00 UTC", "RUN", "PAUSE red", "RESUME red", "SEAT red TO eve@example.org"),
    *("OPEN red", "REMOVE red", "INVITE eve@example.org", "RULE grace 12h", "TOKEN", "TEXT TO red", "DROP 1"),
    *(
        "ANNOUNCE",
        "SHEET red",
        "RULING",
        "RULING OFF",
        "RULING BACK",
        "ROLL 3d6 gate",
        "ROLLS",
        "ROLLBACK 1",
        "FORWARD",
        "MEND",
        "RERUN red",
    ),
    *("PATCH", "FORK 1 red", "SHEETS", "SHEET red BACK"),
)
"""Every command of a GM by mail, as it is written."""

PLAYERS = (
    *("STATUS", "RESEND", "HISTORY", "RULES", "JOIN toy1", "WITHDRAW toy1", "CONFIRM k3v7mq2xw5n4tzpa", "LEAVE"),
    *("DICE hello", "ABSENT 2026-12-24", "PRESENT", "DEPUTY eve@example.org UNTIL 2026-12-24", "UNDEPUTE"),
    *("ADDRESS ann@example.net", "FALLBACK ann@example.net", "FORMAT TEXT", "PAUSE", "RESUME", "EXTEND", "MUTE blue"),
    *("UNMUTE blue", "PRESS TO blue", "UNSIGNED TO blue", "NEWS", "DIARY", "ASK GM", "NO ORDERS", "CLEAR ORDERS"),
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
    below = {"PATCH": "[]", "SHEET red BACK": "", "RULING OFF": "", "RULING BACK": ""}.get(line, "FILE all.txt")
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


def test_every_act_declares_its_weight() -> None:
    """Each action declares its own weight and inherits none."""
    assert [act.__name__ for act in acts() if "weight" not in vars(act)] == []
    assert len(set(acts())) >= 40


def test_every_command_by_mail_has_a_weight() -> None:
    """The lists above have every command of GMs and players, and each has a weight or only reads."""
    assert {type(gm_wish(line)[0]) for line in EXAMPLES} == {verb.order for verb in GM_COMMANDS.verbs}
    assert {type(player_weight(line)[0]) for line in PLAYERS} == {verb.order for verb in COMMANDS.verbs}


def test_every_typed_command_has_a_weight() -> None:
    """The table has every command of the command line, and every mailed action of a GM belongs to one of them."""
    typed = {act for each in WEIGHTS.values() if isinstance(each, tuple) for act in each}
    mailed = {type(wish) for _, wish in map(gm_wish, EXAMPLES) if isinstance(wish, Change)}

    assert {act.__name__ for act in mailed - typed} == {"TryTurn"}  # `fork` does what it does in steps


def found_commands(name: str) -> list[click.Command]:
    """Return the command of a name, or those of its group whose actions need confirmation."""
    command = main.commands[name]
    inside = list(command.commands.values()) if isinstance(command, click.Group) else [command]
    return [
        each
        for each in inside
        if isinstance(each, Command) and isinstance(each.weight, tuple)
        if any(isinstance(act.weight, Confirmed) for act in each.weight)
    ]


def asks(command: click.Command) -> bool:
    """Return True if a command has --yes."""
    return "sure" in {param.name for param in command.params}


def typed_command(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that is typed, also in words of an earlier version, and what follows it."""
    words, _ = read_old_words(words)
    command: click.Command = main
    while isinstance(command, click.Group):
        command, *words = command.commands[words[0]], *words[1:]
    return command, words


def test_what_needs_confirmation_can_be_looked_at() -> None:
    """An action that needs confirmation has a preview; on the command line it has --yes, by mail the word YES."""
    confirmed = {act for act in acts() if isinstance(act.weight, Confirmed)} - {LeaveSeat}
    typed = [name for name, each in WEIGHTS.items() if isinstance(each, tuple) and confirmed.intersection(each)]
    mailed = [order for order, wish in map(gm_wish, EXAMPLES) if type(wish) in confirmed]

    assert [act.__name__ for act in confirmed if not issubclass(act, PreviewedChange)] == []
    assert [name for name in typed if not all(map(asks, found_commands(name)))] == []
    assert [order for order in mailed if "sure" not in {field.name for field in fields(order)}] == []
    assert {act.__name__ for act in confirmed - {*ASKING}} == set()
    assert not any(isinstance(each, Confirmed) for each in WEIGHTS.values())
    assert {type(order) for order, weight in map(player_weight, PLAYERS) if isinstance(weight, Confirmed)} == {
        *(verb.order for verb in COMMANDS.verbs if verb.order.__name__ == "LeaveSeat"),
        *(ChangeAddress, Fallback),
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
            command, rest = typed_command(undone.split()[1:])
            options = {option for param in command.params for option in param.opts}
            assert {word for word in rest if word.startswith("--")} <= options
        if isinstance(weight, Harmless):
            assert weight.because


def kept(app: App) -> dict[str, list[str]]:
    """Return all rows by table, without mail and journal, which has an entry on the question."""
    with app.store.reading() as session:
        return {
            table.name: [repr(row) for row in session.execute(select(*table.columns).order_by(*table.primary_key))]
            for table in Base.metadata.sorted_tables
            if table.name not in ("act", "fact", "letter", "outgoing", "poll", "mailbox", "request")
        }


def invoke(desk: Desk, stage: str, now: Any, *words: str) -> Result:
    """Return the result of a command on a stage."""
    (desk.home.parent / "RED").write_text("BID 0\n")
    for name, text in {"RULED": "It rained.", "FOLDER": "It snowed."}.items():
        (desk.home.parent / name).mkdir(exist_ok=True)
        (desk.home.parent / name / "all.txt").write_text(text)
    named = [str(desk.home.parent / word) if word in ("RULED", "FOLDER", "RED") else word for word in words]
    line = ["--home", str(desk.home), *named, "--now", now.isoformat()]
    return CliRunner().invoke(main, line, obj=STAGES[stage].games)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("act", ASKING, ids=lambda act: act.__name__)
def test_the_command_line_asks_first(tmp_path: Path, act: type[Change[Any]]) -> None:
    """Without --yes the effect is shown, nothing is changed and the exit code is 3; with it the action is done."""
    asking = ASKING[act]
    with open_desk(tmp_path / "home", games=STAGES[asking.stage].games) as desk:
        now = STAGES[asking.stage].prepare(desk)
        (tmp_path / "file").write_text("\n".join(asking.mailed[1:]))
        words = [word.replace(FILE, str(tmp_path / "file")) for word in asking.typed]
        assert [invoke(desk, asking.stage, now, *each).exit_code for each in asking.before] == [0] * len(asking.before)
        before = kept(desk.app)

        asked = invoke(desk, asking.stage, now, *words)
        assert (asked.exit_code, kept(desk.app)) == (3, before)
        assert asked.stdout.endswith(DRY_RUN.undone + "\n")
        assert len(asked.output.splitlines()) > 1
        assert invoke(desk, asking.stage, now, *words, "--yes").exit_code == 0
        assert kept(desk.app) != before


@pytest.mark.sampled(5)
@pytest.mark.parametrize("act", ASKING, ids=lambda act: act.__name__)
def test_a_mail_asks_first(tmp_path: Path, act: type[Change[Any]]) -> None:
    """Without YES the answer shows the effect, and how to have it; nothing is changed."""
    asking = ASKING[act]
    with open_desk(tmp_path / "home", games=STAGES[asking.stage].games) as desk:
        desk.now = STAGES[asking.stage].prepare(desk)
        for each in asking.before:
            assert invoke(desk, asking.stage, desk.now, *each).exit_code == 0
        # Held, so that the due turn is not run between the GM's mails.
        invoke(desk, asking.stage, desk.now, "hold", "toy1")
        desk.tick()
        before = kept(desk.app)

        command, *lines = asking.mailed
        desk.post("\n".join([f"GM toy1 {TOKEN}", command, *lines, "END"]), sender=GM)
        desk.tick()
        assert kept(desk.app) == before
        (yes,) = re.findall(r"To do it, send the same with: (.+)", text_of(desk.last(GM)))
        assert re.fullmatch(rf"{command} YES( \d+)?", yes)
        desk.post("\n".join([f"GM toy1 {TOKEN}", yes, *lines, "END"]), sender=GM)
        desk.tick()
        assert kept(desk.app) != before


@pytest.mark.parametrize("line", ["LEAVE", "ADDRESS ann@example.net", "FALLBACK ann@example.net"])
def test_a_players_mail_asks_first(desk: Desk, line: str) -> None:
    """A command that ends a seat, or changes an address, is done once the registered address has confirmed it."""
    desk.begin()
    desk.tick()
    before = kept(desk.app)
    desk.post(f"PLAYER toy1 red\n{line}\nEND", sender="ann@example.org")
    desk.tick()

    assert kept(desk.app) == before
    if line == "LEAVE":
        insist(desk, f"PLAYER toy1 red\n{line}\nEND")
        assert kept(desk.app) != before


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
        (yes,) = re.findall(r"To do it, send the same with: (.+)", text_of(desk.last(GM)))
        assert invoke(desk, asking.stage, desk.now, "run", "toy1").exit_code == 0
        before = kept(desk.app)
        desk.post("\n".join([f"GM toy1 {TOKEN}", yes, *lines, "END"]), sender=GM)
        desk.tick()

        assert kept(desk.app) == before
        assert "about which you were asked, is no longer open" in " ".join(text_of(desk.last(GM)).split())


def test_commands_beside_one_that_asks_wait_with_it(desk: Desk) -> None:
    """All commands of a mail are done together or not at all, also if one of them lacks its YES."""
    desk.now = STAGES["running"].prepare(desk)
    invoke(desk, "running", desk.now, "hold", "toy1")
    desk.tick()
    before = kept(desk.app)
    desk.post("\n".join([f"GM toy1 {TOKEN}", "PAUSE red", "EXTEND 50d", "END"]), sender=GM)
    desk.tick()
    assert kept(desk.app) == before
    assert "this command needs a YES behind it" in " ".join(text_of(desk.last(GM)).split())

    desk.post("\n".join([f"GM toy1 {TOKEN}", "STATUS", "EXTEND 50d", "END"]), sender=GM)
    desk.tick()
    assert kept(desk.app) == before
    assert "To do it, send the same with: EXTEND 50d YES" in text_of(desk.last(GM))
