"""The orders of Singularity; their docstrings are the help of the game."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pbem.ruleset import (
    ChoicePattern,
    FieldError,
    NameField,
    Order,
    OrderMark,
    OrderParser,
    Pattern,
    show_word,
    suggest,
)
from pbem.ruleset import Field as Kind
from pbem_rules.common.negotiation import Draw, Resign
from pbem_rules.singularity.field import Grid, column_letters, field_of
from pbem_rules.singularity.state import Reply

# Possessive, so that no word takes longer than in proportion to its length.
_WRITTEN = re.compile(r"([a-z]{1,2})0*+([1-9][0-9]?)")
# Matches "4d", written for d4.
_TURNED = re.compile(r"(?<![0-9])([0-9]++)([a-z]++)")


@dataclass(frozen=True)
class Cell(Kind):
    """A cell of the board that is free or, where `own` is set, holds a stone of the reader's."""

    example: str
    expected: str = "a free cell"
    shown: str = "cell"
    own: bool = False

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        plan = field_of(view["size"])
        name = _plain(word)
        if name not in plan.cells:
            raise FieldError("no-such-cell", f"there is no cell {show_word(word)}", _where(name, plan), word)
        if name == view["black"]:
            raise FieldError("taken", f"{name} is taken: the black stone stands there")
        number, who = _stone(name, view)
        if who and not (self.own and who == view["seat"]):
            raise FieldError("taken", f"{name} is taken: stone {number} ({who}) is there")
        return name

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        taken = {stone["cell"] for stone in view["moves"]} | {view["black"]}
        return [name for name in field_of(view["size"]).names if name not in taken]

    def form(self, view: Mapping[str, Any]) -> Pattern:
        held = [stone["cell"] for stone in view["moves"] if self.own and stone["who"] == view["seat"]]
        return ChoicePattern((*self.samples(view), *held))


def _plain(word: str) -> str:
    """Return a cell's name as the board spells it: small letters, no leading zeros."""
    match = _WRITTEN.fullmatch(word.lower())
    return match[1] + match[2] if match else word.lower()


def _stone(name: str, view: Mapping[str, Any]) -> tuple[int, str]:
    for stone in view["moves"]:
        if stone["cell"] == name:
            return stone["number"], stone["who"]
    return 0, ""


def _where(name: str, plan: Grid) -> str:
    """Return a hint for a word that is no cell: the name turned round, the column's bounds, or the nearest name."""
    turned = _TURNED.sub(r"\2\1", name)
    if turned in plan.cells:
        return f"did you mean {turned}?"
    letters = name.rstrip("0123456789")
    column = [cell for cell in plan.names if cell.rstrip("0123456789") == letters]
    if column:
        return f"column {letters} goes from {column[0]} to {column[-1]}"
    if _WRITTEN.fullmatch(name):
        return f"columns go from {column_letters(0)} to {column_letters(2 * plan.size - 2)}"
    return suggest(name, plan.names)


FREE = Cell("d4")
ANSWER = Cell("e5")
HELD = Cell("c3", expected="a free cell or one with your own stone", own=True)
KEPT = NameField(
    "cell",
    "a cell that one of your kept replies answers",
    "d4",
    lambda view: list(dict.fromkeys(line["when"] for line in view["kept"])),
)


@dataclass(frozen=True, slots=True)
class Place(Order):
    """Place your stone on a free cell. Only the player on move may."""

    usage = "PLACE cell"
    slot = "place"
    mark = OrderMark("piece", at="cell")
    cell: Annotated[str, FREE]

    def words(self) -> str:
        return f"your stone goes to {self.cell}"


@dataclass(frozen=True, slots=True)
class If(Order):
    """Keep a secret reply: when your opponent's next stone comes to the first cell, yours goes to the second at once.

    If it comes elsewhere, the reply lapses. With AFTER, it waits until you have a stone on that third cell; so replies
    make chains as deep as you like.
    """

    usage = "IF when THEN reply [AFTER after]"
    slot = "if {when}"
    mark = OrderMark("path", of="when", at="reply", label="if")
    when: Annotated[str, FREE]
    reply: Annotated[str, ANSWER]
    after: Annotated[str | None, HELD] = None

    def words(self) -> str:
        waiting = f", once you have a stone on {self.after}" if self.after else ""
        return f"if your opponent plays {self.when}, you answer {self.reply}{waiting}"


@dataclass(frozen=True, slots=True)
class IfPlace(If):
    """The same, as others write it."""

    usage = "IF when [THEN] PLACE reply [AFTER after]"


@dataclass(frozen=True, slots=True)
class IfShort(If):
    """The same in short, as taps on a map write it."""

    usage = "IF when reply [AFTER after]"


@dataclass(frozen=True, slots=True)
class Forget(Order):
    """Drop your kept replies: those to one cell, or without a cell all of them."""

    usage = "FORGET [when]"
    when: Annotated[str | None, KEPT] = None

    def words(self) -> str:
        return f"your kept replies to {self.when} are dropped" if self.when else "all your kept replies are dropped"


ORDERS = OrderParser((Place, If, IfPlace, IfShort, Forget, Draw, Resign))


def written(reply: Reply) -> str:
    """Return a kept reply as it is written on a sheet."""
    return ORDERS.line(If(reply.when, reply.reply, reply.after))
