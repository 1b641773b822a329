"""The protocol that a ruleset implements, by which the host and a game communicate.

A game is pure functions on plain values. The host stores, mails and keeps time;
the ruleset decides. A state never leaves a ruleset except through `view`.

Views and events are JSON data (dicts with string keys, lists, strings, whole
numbers, booleans, None): the host sends them through JSON text before anything
else reads them, so a view cannot smuggle a reference to the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from pbem.ruleset.dice import Dice
from pbem.ruleset.drawing import Picture
from pbem.ruleset.order_types import Finding, Order, ParsedSheet
from pbem.ruleset.rolls import Roll, Rolls
from pbem.ruleset.validation import ValidationError
from pbem.ruleset.values import (
    AttachedFiles,
    Attachment,
    Bot,
    Demo,
    Event,
    Json,
    Option,
    Panorama,
    SeatName,
    Seats,
    Standing,
    View,
)

if TYPE_CHECKING:
    from pbem.ruleset.orders import OrderParser

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class TurnInput:
    """What a resolver is given besides state and dice.

    `orders` has an entry for every seat still playing that sent a sheet or was
    awaited. `missing` are the awaited seats without a sheet: theirs are
    defaults, while an empty tuple of a seat not missing is an empty sheet.
    `removed` were taken out by the GM since the last turn. `ruling` is what the
    GM decided, in an `Adjudicated` game; None in all others, and for a turn that
    is run without his decision. `rolls` are all that he made of the campaign's
    dice in this turn, in their order.
    """

    orders: Mapping[SeatName, tuple[Order, ...]]
    missing: frozenset[SeatName] = frozenset()
    removed: frozenset[SeatName] = frozenset()
    ruling: Json = None
    rolls: tuple[Roll, ...] = ()


class Ruleset(Protocol[S]):
    """A game. `key` is its name in commands, folders and files; `version` grows with its rules.

    `BaseRuleset` has defaults for nearly all of it.
    """

    key: str
    title: str
    designer: str
    version: int
    seats: Seats
    pace: str
    summary: str
    orders: OrderParser
    demo: Demo

    @property
    def rulebook(self) -> str:
        """The rules in Markdown, with credit to the designer; the line {{ORDERS}} is where the order reference goes."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The campaign options, with defaults, bounds and help."""

    @property
    def templates(self) -> Traversable | None:
        """The folder of the game's `report.txt.j2`, `report.html.j2` and `events.j2`, if it brings them itself."""

    def setup(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> S:
        """The state before the first turn. Raises SetupError."""

    def view(self, state: S, seat: SeatName, events: Sequence[Event]) -> View:
        """What the seat may know: built by adding, never by deleting. The only way out of a state."""

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        """What the seat goes on knowing: made of the view of a report and of what it knew `before`, {} at first.

        The host adds it to that view as `memory`, so it can tell nothing that the reports of the seat did not. If there
        are `scores` in it (made by `append_score`), every report has a line of them.
        """

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        """The orders of a sheet and every finding, against the view that was mailed. Never raises."""

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """The orders of a seat whose sheet did not come; `kept` are those used for it last turn."""

    def template(self, view: View) -> list[str]:
        """The lines of a sheet ready to be filled in and returned; what is not yet decided is a comment."""

    def desk(self, view: View) -> Json:
        """What a page offers the seat to order now: `orders.desk` of those orders that it may give."""

    def resolve(self, state: S, turn: TurnInput, dice: Dice) -> tuple[S, tuple[Event, ...]]:
        """The next state and what happened. Leaves `state` alone; dice are scoped to the turn."""

    def standing(self, state: S) -> Standing:
        """Over or not, who is awaited, scores, winners."""

    def turn_summary(self, view: View) -> Sequence[str]:
        """The turn in brief, what matters most first, in at most eight short lines: what one would tell a friend."""

    def order_outcomes(self, view: View, orders: Sequence[Order]) -> Sequence[str]:
        """What became of each order of a turn, a sentence each, or "" where nothing is to be said.

        `view` is that of the report on this turn, from which all of it is taken.
        """

    def pictures(self, view: View) -> Sequence[Picture]:
        """Pictures for a report, drawn from what its reader may know."""

    def text_map(self, view: View) -> str:
        """The map as text, at most 80 columns wide; empty if the game has none."""

    def enclosures(self, view: View) -> Mapping[str, Sequence[Attachment]]:
        """The pictures and files of its GM that a view names, by places that the templates of the game know.

        What is named goes with the report of this view, and with no other.
        """

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        """What all players know of a moment, and so strangers may see before the end; None if that is nothing.

        `views` are the mailed ones of that moment, at least one of them.
        """

    def full_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        """A moment as the mailed views of all seats show it together, for when the game is over; None if unknown."""

    def dump(self, state: S) -> Json:
        """The state as JSON data; equal states give equal data."""

    def load(self, data: Json, version: int) -> S:
        """The state from the data of any released version up to this one. Raises SaveError."""

    def __hash__(self) -> int:
        """As of any object."""

    @property
    def bots(self) -> Mapping[str, Bot]:
        """Bots by name; "standard" plays the game sensibly to its end."""


AnyRuleset = Ruleset[Any]


@runtime_checkable
class Adjudicated(Protocol):
    """A ruleset whose turns a GM decides: what it does besides `Ruleset`.

    The host mails the GM the digest when a turn falls due, waits until his
    files are read without an error, and gives the resolver their ruling.
    """

    def digest(self, state: Any, orders: Mapping[SeatName, tuple[Order, ...]], missing: frozenset[SeatName]) -> str:
        """Every seat's sheet, in the order of seats, as text for the GM alone."""

    def ruling_files(
        self, state: Any, orders: Mapping[SeatName, tuple[Order, ...]], missing: frozenset[SeatName], ruling: Json
    ) -> Mapping[str, str]:
        """The text files, by name, that the GM fills in to say what comes of this turn.

        What was ruled by now, if anything, stands in them: read again as they are, they are that `ruling`.
        """

    def ruling_parts(self, state: Any, ruling: Json) -> Mapping[str, str]:
        """Return what a ruling says, text by text, by the names of its parts such as "red.txt [RESULT]".

        A part that leaves everything as it is has no entry: of a blank ruling there is none.
        """

    def read_ruling(
        self, state: Any, files: Mapping[str, str], rolls: Rolls, brought: AttachedFiles, before: Json
    ) -> tuple[Json, Mapping[str, tuple[Finding, ...]]]:
        """The ruling in a GM's files, and what is wrong in each, by its name. Never raises.

        Of a ruling `before` on the same turn, which is None if there was none, what the files do not name stays.
        `brought` are the pictures and files that lie beside them. What he wants rolled is taken from `rolls`, in the
        order of its places; the resolver is given all rolls of the turn. A ruling with an error among its findings is
        not to be used, and nothing is rolled for it.
        """


@runtime_checkable
class StateImporter(Protocol):
    """A ruleset whose games can be begun in the middle, from a state that somebody else wrote or edited."""

    def check_state(self, data: Json, seats: Sequence[SeatName]) -> Sequence[ValidationError]:
        """What is wrong with the data of a state of the ruleset's version, to be played on by these seats.

        None: `load` reads them, and the game can be played from there to its end. Never raises.
        """


@runtime_checkable
class TextImporter(Protocol):
    """A ruleset whose games can be begun in the middle from texts, as a GM writes them."""

    def state_from(
        self, options: Mapping[str, Any], seats: Sequence[SeatName], files: Mapping[str, str], turn: int
    ) -> tuple[Json, Mapping[str, tuple[Finding, ...]]]:
        """The data of the state at a turn, from complete options and texts by name, and what is wrong in each.

        With an error among the findings the data are not to be used. Raises SetupError as `setup` does.
        """


def with_memory(ruleset: AnyRuleset, view: View, last: View | None) -> View:
    """The view as it is mailed: with what its seat remembers, `last` being that of its report before, if there was one.

    Reports from before their game remembered anything have no memory to go on from.
    """
    memory = ruleset.carry_memory(view, last.get("memory", {}) if last else {})
    return {**view, "memory": memory} if memory else view


def iter_views(
    ruleset: AnyRuleset, state: Any, seats: Sequence[SeatName], events: Sequence[Event]
) -> Iterator[tuple[SeatName, View]]:
    """Each seat's view; in one pass where the ruleset offers the bulk form `views(state, seats, events)`."""
    bulk = getattr(ruleset, "views", None)
    if bulk is not None:
        yield from bulk(state, seats, events)
        return
    for seat in seats:
        yield seat, ruleset.view(state, seat, events)
