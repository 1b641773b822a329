"""The protocol that a ruleset implements, by which the host and a game communicate.

A game is pure functions on plain values. The host stores, mails and keeps time;
the ruleset decides. A state never leaves a ruleset except through `view`.

Views and events are JSON data (dicts with string keys, lists, strings, whole
numbers, booleans, None): the host sends them through JSON text before anything
else reads them, so a view cannot smuggle a reference to the state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from pbem.ruleset.choices import Amount, Choice, Need, Purse
from pbem.ruleset.dice import Dice
from pbem.ruleset.drawing import Picture
from pbem.ruleset.order_types import Finding, Order, ParsedSheet
from pbem.ruleset.rolls import Roll, Rolls
from pbem.ruleset.serialization import through_json
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
    """Input of a resolver besides state and dice.

    `orders` has an entry for every seat still playing that sent a sheet or was
    awaited. `missing` are the awaited seats without a sheet: theirs are defaults,
    while an empty tuple of a seat not missing is an empty sheet. `removed` are the
    seats that the GM took out of the game since the last turn. `ruling` is the GM's
    ruling in an `Adjudicated` game; it is None in all others, and for a turn that is
    run without a ruling. `rolls` are all rolls of the GM in this turn, in their order.
    """

    orders: Mapping[SeatName, tuple[Order, ...]]
    missing: frozenset[SeatName] = frozenset()
    removed: frozenset[SeatName] = frozenset()
    ruling: Json = None
    rolls: tuple[Roll, ...] = ()


class Ruleset(Protocol[S]):
    """Protocol of a game. `key` is its name in commands, folders and files; `version` grows with its rules.

    `oldest_version` is the first of which saves can be read. `summary` is one sentence for
    lists, `pitch` are two for an invitation. `minutes` is the time that a usual turn takes a
    player, 0 if it is not told. `has_dice` is false
    where nothing is left to chance, in the set-up or later: reports and mails of such a
    game say nothing of dice. `free_text`: any sentence is an order.

    `BaseRuleset` has defaults for nearly all of it. Every method is a pure function of
    its arguments.
    """

    key: str
    title: str
    designer: str
    version: int
    oldest_version: int
    seats: Seats
    pace: str
    has_dice: bool
    free_text: bool
    summary: str
    orders: OrderParser
    demo: Demo
    minutes: int

    @property
    def pitch(self) -> str:
        """The game in two sentences, for people who are invited to it: what one does in it, and how it is won."""

    @property
    def rulebook(self) -> str:
        """The rules in Markdown, with credit to the designer; the order reference replaces the line {{ORDERS}}."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The campaign options, with defaults, bounds and help."""

    @property
    def templates(self) -> Traversable | None:
        """The folder with `report.j2` and `events.j2`, or None if the host's own are used."""

    def setup(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> S:
        """Return the state before the first turn.

        Args:
            options: The options given, by name; those left out have their defaults.
            seats: The names of the seats.
            dice: Dice of the set-up.

        Raises:
            SetupError: The game cannot be played with these options or seats.
        """

    def view(self, state: S, seat: SeatName, events: Sequence[Event]) -> View:
        """Return what the seat may know, as JSON data. The only way out of a state.

        Build it by adding what is known, never by deleting what is secret. See `View` for
        the keys that every view has.

        Args:
            state: A state of the game.
            seat: The seat that reads the view.
            events: All events since the seat's last report; `events_for` picks those that it may hear of.
        """

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return the memory of the seat after a report, as JSON data of at most 10,000 bytes.

        The host adds it to the view as `memory`. Since it is made from reports alone, it
        tells nothing that they did not. If it has `scores` (made by `append_score`), every
        report has a line of them.

        Args:
            view: The view of the report.
            before: The memory that came with the report before; {} at first.
        """

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        """Return the orders of a sheet and every finding. Never raises.

        Args:
            view: The view that was mailed to the player. A sheet must not be checked against the state, or receipts
                would disclose secrets.
            lines: The lines of the sheet with their numbers.
        """

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """Return the orders of a seat whose sheet did not come; `kept` are those used for it last turn.

        They must be orders that `parse` would accept from the seat itself.
        """

    def template(self, view: View) -> list[str]:
        """Return the lines of a sheet to be filled in and returned; undecided lines begin with a ";"."""

    def desk(self, view: View) -> Json:
        """Return the order form of a page: `orders.desk` of the orders that the seat may give now."""

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice | Amount]:
        """Return the words that can follow the beginning of a line, the one most likely meant first.

        Every line that these words lead to is one that `parse` takes, by itself, for this view.

        Args:
            view: The view of the page.
            words: The line so far, from its verb. With none, the verbs themselves are asked for: those returned
                here are made of `choices` alone, and those left out, of the forms of their fields.
        """

    def agenda(self, view: View) -> Sequence[Need]:
        """Return what this turn should have orders for, in the order in which a player is asked.

        Called for views of awaited seats alone.
        """

    def purses(self, view: View) -> Mapping[str, Purse]:
        """Return the amounts that the costs of choices are taken from, by name.

        Called for views of awaited seats alone.
        """

    def view_with(self, view: View, words: tuple[str, ...]) -> View:
        """Return the view with the unit that a line makes, under the name that the line gives it.

        Args:
            view: The view of the page.
            words: A line whose last word is a `Choice` that `makes`.
        """

    def resolve(self, state: S, turn: TurnInput, dice: Dice) -> tuple[S, tuple[Event, ...]]:
        """Return the next state and the events of the turn.

        Does not modify `state`. `dice` are scoped to the turn.
        """

    def standing(self, state: S) -> Standing:
        """Return whether the game is over, the seats that are awaited, scores and winners."""

    def turn_summary(self, view: View) -> Sequence[str]:
        """Return the headlines of a turn, the most important first: at most five sentences of at most 90 characters.

        Their order: own losses and gains, standing, fights, orders that failed, what to decide or to spend. Those
        of a loss or a failure are a `Loss`.
        """

    def order_outcomes(self, view: View, orders: Sequence[Order]) -> Sequence[str]:
        """Return the outcome of each order of a turn in a clause, or "" for an order with nothing to say about.

        It follows the order as typed and a colon. That of an order that was not carried out is a `NotDone`, of one
        that was in part an `InPart`. Events do not say the same again. One that says nothing that the view does not
        show, but that the order came true, is an `AsOrdered`: a report on many orders counts these.

        Args:
            view: The view of the report on this turn; the outcomes must follow from it.
            orders: The orders of the seat in this turn, in their order.
        """

    def without_orders(self, view: View) -> str:
        """Return what happens to the seat if it sends no orders for the open turn: one sentence, for reminders."""

    def current_view(self, view: View) -> View:
        """Return a view that any version has mailed with all that the templates of this version need.

        Rows that they loop over are made here once, for text and HTML.
        """

    def pictures(self, view: View) -> Sequence[Picture]:
        """Return the pictures of a report, drawn from its view.

        The first stands in the mail: drawn for a phone, at most 374 pixels wide, legible at 336, without title, legend
        and empty ground. The others are attached.
        """

    def text_map(self, view: View) -> str:
        """Return the map as text, at most 76 columns wide; "" if the game has none."""

    def enclosures(self, view: View) -> Mapping[str, Sequence[Attachment]]:
        """Return the GM's pictures and files that a view names, by the places that the templates of the game know.

        They go with the report of this view, and with no other.
        """

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        """Return what all players know of a moment, so that strangers may see it before the end; None for nothing.

        `views` are the mailed views of that moment, at least one of them.
        """

    def full_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        """Return a moment as the mailed views of all seats show it together, for after the end; None if unknown."""

    def allies(self, view: View) -> Sequence[SeatName] | None:
        """Return the seats that are allied with the seat of a view; None in a game without alliances.

        The GM may answer a question of the seat to all of them.
        """

    def dump(self, state: S) -> Json:
        """Return the state as JSON data; equal states give equal data."""

    def load(self, data: Json, version: int) -> S:
        """Return the state from the data of any released version up to this one.

        Raises:
            SaveError: The version is newer than this code, or the data are no state of it.
        """

    def __hash__(self) -> int:
        """Return a hash, as any object does."""

    @property
    def bots(self) -> Mapping[str, Bot]:
        """Bots by name; "standard" plays the game sensibly to its end.

        They are called for views of awaited seats alone.
        """


AnyRuleset = Ruleset[Any]


@runtime_checkable
class Adjudicated(Protocol):
    """Additional protocol of a ruleset whose turns a GM decides.

    The host mails the GM the digest when a turn falls due, waits until the GM's files
    are read without an error, and gives their ruling to the resolver.
    """

    ruling_help: str
    """Paragraphs on filling in the files of a ruling."""

    def digest(
        self,
        state: Any,
        orders: Mapping[SeatName, tuple[Order, ...]],
        missing: frozenset[SeatName],
        seats: Collection[SeatName] | None = None,
    ) -> str:
        """Return the sheets of all seats, or of some, in the order of seats, as text for the GM alone."""

    def ruling_files(
        self,
        state: Any,
        orders: Mapping[SeatName, tuple[Order, ...]],
        missing: frozenset[SeatName],
        ruling: Json,
        *,
        brief: bool = False,
        seats: Collection[SeatName] | None = None,
    ) -> Mapping[str, str]:
        """Return the text files, by name, that the GM fills in with the results of this turn.

        They contain the current `ruling`, if there is one: read again unchanged, they are
        that `ruling`. If they are `brief`, for a mail, they have no remarks. With `seats`
        they are the files of these seats; read, they change nothing else.
        """

    def ruling_parts(self, state: Any, ruling: Json) -> Mapping[str, str]:
        """Return what a ruling says, text by text, by the names of its parts such as "red.txt [RESULT]".

        A part that leaves everything as it is has no entry; a blank ruling has none at all.
        """

    def read_ruling(
        self, state: Any, files: Mapping[str, str], rolls: Rolls, brought: AttachedFiles, before: Json
    ) -> tuple[Json, Mapping[str, tuple[Finding, ...]]]:
        """Return the ruling in a GM's files, and the findings in each file by its name. Never raises.

        A ruling with an error among its findings is not used, and nothing is rolled for it. One with a warning is
        shown to the GM first, and used once they confirm it.

        Args:
            state: The state at the start of the turn.
            files: The texts of the GM, by name.
            rolls: Takes the rolls that the files ask for, in the order of their places. The resolver is given all
                rolls of the turn.
            brought: The pictures and files beside the texts.
            before: The earlier ruling on the same turn, or None; of it all stays that the files do not name.
        """


@runtime_checkable
class StateImporter(Protocol):
    """Additional protocol of a ruleset whose games can start in the middle, from a state written elsewhere."""

    def check_state(self, data: Json, seats: Sequence[SeatName]) -> Sequence[ValidationError]:
        """Return what is wrong with the data of a state of the current version. Never raises.

        If nothing is, `load` reads the data, and these seats can play the game on to its
        end.
        """


@runtime_checkable
class TextImporter(Protocol):
    """Additional protocol of a ruleset whose games can start in the middle, from texts of a GM."""

    def state_from(
        self, options: Mapping[str, Any], seats: Sequence[SeatName], files: Mapping[str, str], turn: int
    ) -> tuple[Json, Mapping[str, tuple[Finding, ...]]]:
        """Return the data of a state, and the findings in each text by its name.

        With an error among the findings the data are not used.

        Args:
            options: The value of every declared option, by name.
            seats: The names of the seats.
            files: The texts of the GM, by name.
            turn: The number of the turn that the state opens.

        Raises:
            SetupError: The game does not have these seats, or cannot be played with these options.
        """


def with_memory(ruleset: AnyRuleset, view: View, last: View | None) -> View:
    """Return the view as it is mailed, with the memory of its seat.

    `last` is the view of the seat's report before, if there was one. Reports from
    before their game remembered anything have no memory to go on from.
    """
    memory = ruleset.carry_memory(view, last.get("memory", {}) if last else {})
    return {**view, "memory": memory} if memory else view


def bot_lines(bot: Bot, view: View, dice: Dice) -> list[str]:
    """Return the sheet of a bot; no lines for a seat that is not awaited, of which the bot is not asked."""
    return bot(view, dice) if view["awaited"] else []


def iter_views(
    ruleset: AnyRuleset, state: Any, seats: Sequence[SeatName], events: Sequence[Event]
) -> Iterator[tuple[SeatName, View]]:
    """Yield each seat's view, in one pass where the ruleset offers the bulk form `views(state, seats, events)`."""
    bulk = getattr(ruleset, "views", None)
    if bulk is not None:
        yield from bulk(state, seats, events)
        return
    for seat in seats:
        yield seat, ruleset.view(state, seat, events)


def mailed_views(
    ruleset: AnyRuleset,
    state: Any,
    seats: Sequence[SeatName],
    events: Sequence[Event],
    before: Mapping[SeatName, View],
) -> dict[SeatName, View]:
    """Return each seat's view as it is mailed: with its memory, and through JSON, as all that leaves a ruleset.

    `before` has the views that the seats were mailed last.
    """
    made = iter_views(ruleset, state, seats, events)
    return {seat: through_json(with_memory(ruleset, view, before.get(seat))) for seat, view in made}
