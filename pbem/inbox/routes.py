"""The table of what a message is: the first row that has its facts decides.

Whether the message may do what it asks for is decided after that, by the handler of
the row and `pbem.inbox.authenticate`. `pbem.inbox.facts` reads the facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

Machine = Literal["", "bulk", "robot", "reaction", "receipt", "recall", "bounce", "own"]
"""The kind of its writer, by the signs of programs; "" for a person."""

Code = Literal[
    "",
    "report",
    "copy",
    "dice",
    "stale",
    "ask",
    "invite",
    "spent",
    "offer",
    "form",
    "question",
    "answer",
    "press",
    "test",
]
"""The kind of the mail of ours that it answers; "stale" for an earlier report, "spent" for a question that is closed.

"ask" is whether somebody sent a message, "invite" any other question to a person, "answer" all other mail to a GM,
"test" that of `pbem doctor --send`.
"""

Frame = Literal["", "orders", "player", "text", "gm"]
"""The frame in it; "text" for a command above all else that takes what stands below it."""

First = Literal["nothing", "help", "yes", "no", "command", "orders-command", "order", "words"]
"""The kind of its first typed line: of a GM's commands in a reply to a mail for the GM, else of a player's.

"orders-command" stands for a sheet. Only where a yes, a no or an order is asked for, a line is one.
"""

Sender = Literal["seat", "gm", "person", "stranger", "past"]
"""Sender by From: one with a seat, a GM of one campaign without a seat, another who is known, or a stranger.

"past" is a stranger whose mail had waited long in the mailbox.
"""

HANDLERS: Mapping[str, str] = {
    "note": "programs:note_machine",
    "recall": "programs:answer_recall",
    "robot-sheet": "programs:take_robot_sheet",
    "bulk-sheet": "programs:take_bulk_sheet",
    "gm-frame": "gm_messages:take_gm_frame",
    "past": "programs:leave_past",
    "ruling": "gm_messages:take_form",
    "gm-offer": "gm_messages:answer_offer",
    "gm-commands": "gm_messages:take_reply",
    "gm-answer": "gm_messages:answer_question",
    "gm-unproved": "gm_messages:take_unproved",
    "test": "programs:note_test",
    "help": "queries:send_help",
    "player-commands": "run_commands:take_commands",
    "orders-command": "run_commands:take_order_command",
    "answer": "confirmations:take_answer",
    "replacement": "confirmations:take_replacement",
    "settled": "confirmations:take_settled",
    "press": "offers:offer_press_reply",
    "sheet": "sheets:take_sheet",
    "join": "run_commands:join_by_wish",
    "unproved": "sheets:take_unproved",
    "games": "newcomers:answer_stranger",
}
"""The routes, each with its handler: a function of a `Reading`, in a module that is imported when it is asked for."""


@dataclass(frozen=True)
class Row:
    """A row: what a message with these facts is, and its route. An empty tuple fits whatever is there."""

    route: str
    what: str
    machine: tuple[Machine, ...] = ("",)
    frame: tuple[Frame, ...] = ()
    code: tuple[Code, ...] = ()
    form: tuple[bool, ...] = ()
    first: tuple[First, ...] = ()
    key: tuple[bool, ...] = ()
    sender: tuple[Sender, ...] = ()
    wish: tuple[bool, ...] = ()

    def fits(self, facts: object) -> bool:
        """Return True if a message has the facts of the row. No other facts are read than it asks for."""
        return all(getattr(facts, name) in values for name, values in self._wanted)

    @cached_property
    def _wanted(self) -> Sequence[tuple[str, tuple[Any, ...]]]:
        return [(name, values) for name in FACTS if (values := getattr(self, name))]


FACTS = ("machine", "frame", "code", "form", "first", "key", "sender", "wish")
"""The facts of a message (`pbem.inbox.facts.Reading`), those that cost least to read first."""

_TO_GM: tuple[Code, ...] = ("offer", "form", "question", "answer")
_TO_PLAYERS: tuple[Code, ...] = ("", "report", "copy", "dice", "stale", "ask", "invite", "spent", "press")

ROUTES: tuple[Row, ...] = (
    Row("note", "our own mail, or a loop", machine=("own",)),
    Row("note", "a delivery report", machine=("bounce",)),
    Row("recall", "a mail is to be recalled", machine=("recall",)),
    Row("note", "a reaction, or a notice that a mail was read", machine=("reaction", "receipt")),
    Row("robot-sheet", "a sheet that a program sends", machine=("robot",), frame=("orders",), key=(True,)),
    Row("note", "an answering machine", machine=("robot",)),
    Row("bulk-sheet", "mail of a list: a sheet, if it has orders and a key", machine=("bulk",)),
    Row("gm-frame", "a GM's commands with their token", frame=("gm",)),
    Row("past", "old mail of a stranger, who answers nothing", code=("",), key=(False,), sender=("past",)),
    Row("ruling", "the form of a ruling, filled in", code=("form", "offer"), form=(True,)),
    Row("orders-command", "NO ORDERS or CLEAR ORDERS in a frame", frame=("player",), first=("orders-command",)),
    Row("player-commands", "a player's commands in a frame", frame=("player",)),
    Row("player-commands", "a command above all else that takes a text", frame=("text",), code=_TO_PLAYERS),
    Row("replacement", "orders in answer to: did you send this sheet?", code=("ask",), first=("order",)),
    Row("sheet", "an ORDERS line", frame=("orders",), code=_TO_PLAYERS),
    Row("sheet", "an ORDERS line with its key", frame=("orders",), key=(True,)),
    Row("test", "a reply to the test of the mailbox", code=("test",), first=("nothing", "words")),
    Row("gm-offer", "YES, NO or nothing to what a GM was shown", code=("offer",), first=("yes", "no", "nothing")),
    Row("gm-commands", "commands in reply to a mail for the GM", code=_TO_GM, first=("help", "command")),
    Row("gm-answer", "words to a player's question", code=("question",)),
    Row("ruling", "a reply to the form of a ruling without it", code=("form",)),
    Row("gm-commands", "words to another mail for the GM", code=_TO_GM),
    Row(
        "gm-unproved", "a known GM, who answers nothing", code=("",), first=("nothing", "help", "words"), sender=("gm",)
    ),
    Row("help", "HELP", first=("help",)),
    Row("answer", "yes to: did you send this?", code=("ask",), first=("yes",)),
    Row("settled", "yes to it once more", code=("spent",), first=("yes",)),
    Row("orders-command", "NO ORDERS or CLEAR ORDERS", first=("orders-command",)),
    Row("player-commands", "a player's command", first=("command",)),
    Row("answer", "the answer to a question of ours", code=("ask", "invite")),
    Row("settled", "an answer to a question that is closed", code=("spent",)),
    Row("press", "words back to a message", code=("press",), first=("words",)),
    Row("sheet", "a reply to a report", code=("report", "copy", "dice", "stale")),
    Row("join", "a wish to join", wish=(True,)),
    Row("unproved", "a known address with a seat, which answers nothing", sender=("seat",)),
    Row("games", "anybody else"),
)
"""What messages are, the first row that fits."""


def choose_route(facts: object) -> Row:
    """Return the first row whose facts a message has; the last fits whatever a person writes."""
    return next(row for row in ROUTES if row.fits(facts))
