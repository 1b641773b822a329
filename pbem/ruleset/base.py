"""Base class for rulesets, with defaults for all members that most games share.

A game is a subclass with a name, seats and orders, and four methods that only
the game itself can define:

    class Lanterns(BaseRuleset[State]):
        key = "lanterns"
        title = "Lanterns"
        designer = "Ann Example"
        summary = "Hide your lantern in a cave and look for those of the others."
        seats = Seats(2, 6)
        orders = OrderParser((Hide, Search))

        def begin(self, options, seats, dice): ...
        def view(self, state, seat, events): ...
        def resolve(self, state, turn, dice): ...
        def standing(self, state): ...

A default is overridden by a method, or by a function of a module:
`parse = staticmethod(sheet.parse)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Generic, TypeVar, get_args, get_origin

from pbem.errors import RulesetError, SaveError, SetupError
from pbem.ruleset.choices import Amount, Choice, Need, Purse
from pbem.ruleset.dice import Dice
from pbem.ruleset.drawing import Picture
from pbem.ruleset.fields import FieldError
from pbem.ruleset.order_types import Order, ParsedOrder, ParsedSheet
from pbem.ruleset.orders import OrderParser
from pbem.ruleset.protocol import TurnInput
from pbem.ruleset.serialization import from_json, to_json
from pbem.ruleset.values import (
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
    events_for,
)

S = TypeVar("S")

RANDOM_LINES = 6
"""Lines that a random bot invents for a sheet; it sends the valid ones."""


class BaseRuleset(Generic[S]):
    """Base class of games; `S` is the type of the state.

    `Ruleset` says what each member promises the host; the docstrings here say what
    the default does.
    """

    key: str
    title: str
    designer: str
    summary: str
    seats: Seats
    orders: OrderParser
    version: int = 1
    oldest_version: int = 1
    pace: str = "all players at once"
    has_dice: bool = True
    free_text: bool = False
    options: tuple[Option, ...] = ()
    demo: Demo = Demo()
    minutes: int = 0
    upgrades: tuple[Callable[[Json], Json], ...] = ()
    """Functions that upgrade saves, the first from `oldest_version` to the next, the second from that to the one after
    it, and so on.
    """

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> S:
        """Return the state before the first turn; called by `setup`.

        Args:
            options: The value of every declared option, by name.
            seats: The names of the seats, already checked against `seats` of the class.
            dice: Dice of the set-up. All chance must come from them.

        Raises:
            SetupError: The game cannot be played with these options. The text is shown to the GM.
        """
        raise NotImplementedError

    def view(self, state: S, seat: SeatName, events: Sequence[Event]) -> View:
        """Return what the seat may know: `heading`, with the game's own keys added.

        The view is JSON data. It is the only way by which anything of a state reaches a
        player.

        Args:
            state: The state as `begin`, `resolve` or `load` returned it.
            seat: The seat that reads the view.
            events: All events since the seat's last report, also those that other seats alone may hear of.
        """
        raise NotImplementedError

    def resolve(self, state: S, turn: TurnInput, dice: Dice) -> tuple[S, tuple[Event, ...]]:
        """Return the next state and the events of the turn.

        Must not modify `state`, and must depend on nothing but its arguments: replay and
        rerun call it again and compare the results byte for byte.

        Args:
            state: The state at the start of the turn.
            turn: The orders of all seats, and whatever else happened before the run.
            dice: Dice of this turn; `dice.campaign` has those of the whole campaign.
        """
        raise NotImplementedError

    def standing(self, state: S) -> Standing:
        """Return whether the game is over, the seats that are awaited, scores and winners."""
        raise NotImplementedError

    def setup(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> S:
        """Check the seats, complete the options with their defaults, and return what `begin` makes of them.

        Raises:
            SetupError: The game does not have these seats, or `begin` refuses the options.
        """
        if not _are_valid(self.seats, seats):
            given = (", ".join(seats) or "nobody") if self.seats.names else str(len(seats))
            raise SetupError(f"{self.title} is played by {_describe_seats(self.seats)}, not by {given}")
        return self.begin(
            {option.name: options.get(option.name, option.default) for option in self.options}, seats, dice
        )

    def heading(self, state: S, seat: SeatName, events: Sequence[Event], label: str) -> dict[str, Any]:
        """Return the keys that every view must have; `view` adds to them what else the seat may know.

        Args:
            state: The state that the view is made from.
            seat: The seat that reads the view.
            events: All events since the seat's last report; those that it may not hear of are left out.
            label: The players' name of the moment on one line, 2 to 62 characters: "turn 3".
        """
        standing = self.standing(state)
        return {
            "seat": seat,
            "label": label,
            "over": standing.over,
            "awaited": seat in standing.awaiting,
            "events": events_for(events, seat),
        }

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        """Return the orders as declared, without those that `check_order` refuses. Never raises.

        Once the game is over no order is accepted; from a seat that is not awaited, those alone that are declared
        `at_any_time` or end the seat.
        """
        return self.orders.parse(view, lines).apply_check(lambda entry, before: self._check(view, entry.order, before))

    def check_order(self, view: View, order: Order, before: Sequence[ParsedOrder]) -> None:
        """Refuse a second order for one slot.

        Override it to check an order against the view, or against the lines above it::

            def check_order(self, view, order, before):
                super().check_order(view, order, before)
                if isinstance(order, Bid) and order.amount > view["purse"]:
                    raise FieldError("too-dear", f"you have {view['purse']} coins")

        Args:
            view: The view that was mailed to the player.
            order: An order that could be read.
            before: The orders of the sheet accepted above it, with their lines.

        Raises:
            FieldError: The order is refused.
        """
        self.orders.check_slot(order, before)

    def _check(self, view: View, order: Order, before: Sequence[ParsedOrder]) -> None:
        if view["over"]:
            raise FieldError("game-over", "the game is over; no more orders are taken")
        if not _is_open(view, type(order)):
            anyhow = [verb.form for verb in self.orders.verbs if _is_open(view, verb.order)]
            hint = f"at any time: {', '.join(anyhow)}" if anyhow else ""
            raise FieldError("not-awaited", "no orders are asked of you now", hint)
        self.check_order(view, order, before)

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """Return no orders: a seat without a sheet does nothing."""
        return ()

    def template(self, view: View) -> list[str]:
        """Return the shortest form of each order as a comment line."""
        # Behind semicolons: a form that is sent back as it is has no orders, and no errors.
        return [f"; {verb.form}" for verb in self.orders.verbs]

    def desk(self, view: View) -> Json:
        """Return the declared orders that may be given now: none at the end, all while the seat is awaited."""
        return self.orders.desk(view, [order for order in self.orders.types if _is_open(view, order)])

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice | Amount]:
        """Return nothing: a page is given the lines that the forms of the orders make and `parse` takes."""
        return ()

    def agenda(self, view: View) -> Sequence[Need]:
        """Return no needs."""
        return ()

    def purses(self, view: View) -> Mapping[str, Purse]:
        """Return no purses: orders cost nothing."""
        return {}

    def view_with(self, view: View, words: tuple[str, ...]) -> View:
        """Return the view as it is: no line makes a unit."""
        return view

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return an empty memory."""
        return {}

    def turn_summary(self, view: View) -> Sequence[str]:
        """Return no lines: the report begins with its events."""
        return ()

    def order_outcomes(self, view: View, orders: Sequence[Order]) -> Sequence[str]:
        """Return an empty outcome for each order."""
        return [""] * len(orders)

    def without_orders(self, view: View) -> str:
        """Return that nothing is ordered."""
        return "Without orders nothing is done for you."

    def current_view(self, view: View) -> View:
        """Return the view as it is."""
        return view

    def pictures(self, view: View) -> Sequence[Picture]:
        """Return no pictures."""
        return ()

    def text_map(self, view: View) -> str:
        """Return an empty text: there is no map."""
        return ""

    def enclosures(self, view: View) -> Mapping[str, Sequence[Attachment]]:
        """Return no enclosures."""
        return {}

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        """Return None: strangers are shown nothing before the end."""
        return None

    def full_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        """Return `public_view` of the same views."""
        return self.public_view(views)

    def allies(self, view: View) -> Sequence[SeatName] | None:
        """Return None: the game has no alliances."""
        return None

    @property
    def bots(self) -> Mapping[str, Bot]:
        """The bot "standard", which writes random lines of the declared orders and sends the valid ones."""
        return {"standard": self._random_lines}

    def dump(self, state: S) -> Json:
        """Return the state as JSON data, by the declaration of its dataclasses.

        Raises:
            TypeError: The state holds a value of a type that `from_json` could not restore.
        """
        return to_json(state)

    def read(self, data: Json) -> S:
        """Return the state from dumped data of the current version.

        Bad data may raise any of AttributeError, LookupError, TypeError, ValueError and
        RulesetError; `load` turns these into SaveError.
        """
        state: S = from_json(_state_type(type(self)), data)
        return state

    def load(self, data: Json, version: int) -> S:
        """Return the state from dumped data of any released version, brought up to date by `upgrades`.

        Args:
            data: JSON data as `dump` of that version returned them.
            version: The `version` of the ruleset that dumped them.

        Raises:
            SaveError: The version is newer than this code, or older than `oldest_version`; or the data are no state.
        """
        # Old code must not guess at a newer save.
        if not self.oldest_version <= version <= self.version:
            known = " to ".join(map(str, sorted({self.oldest_version, self.version})))
            raise SaveError(f"this save is of version {version} of {self.title}; this program reads {known}")
        try:
            for upgrade in self.upgrades[version - self.oldest_version :]:
                data = upgrade(data)
            return self.read(data)
        # Dataclasses and upgrades meet data of any shape here: a damaged save can raise any of these.
        except (AttributeError, LookupError, TypeError, ValueError, RulesetError) as error:
            raise SaveError(f"this is not a save of {self.title}: {error!r}") from None

    @property
    def pitch(self) -> str:
        """The summary."""
        return self.summary

    @cached_property
    def rulebook(self) -> str:
        """The text of `rulebook.md` beside the module of the class, or "" if there is none."""
        page = _find_resource(type(self), "rulebook.md")
        return page.read_text(encoding="utf-8") if page else ""

    @property
    def templates(self) -> Traversable | None:
        """The folder `templates` beside the module of the class, or None if there is none."""
        return _find_resource(type(self), "templates")

    def _random_lines(self, view: View, dice: Dice) -> list[str]:
        # With the label as a key, or each turn would have the same lines.
        thought = [self.orders.invent(view, dice, view["label"], number) for number in range(RANDOM_LINES)]
        return [self.orders.line(order) for order in self.parse(view, list(enumerate(thought, 1))).orders]


def _is_open(view: View, order: type[Order]) -> bool:
    """Return True if orders of a type may be given now."""
    return not view["over"] and (view["awaited"] or order.at_any_time or bool(order.ends_seat))


def _are_valid(known: Seats, seats: Sequence[SeatName]) -> bool:
    if _is_fixed(known):
        return tuple(seats) == known.names
    differ = len(set(seats)) == len(seats)
    return differ and known.least <= len(seats) <= known.most and (not known.names or set(seats) <= set(known.names))


def _is_fixed(known: Seats) -> bool:
    return known.least == len(known.names)


def _describe_seats(known: Seats) -> str:
    if _is_fixed(known):
        return f"{' and '.join(known.names)}, in this order"
    if known.names:
        return f"{known.least} to {known.most} of {', '.join(known.names)}"
    return f"{known.least} to {known.most} players of different names"


def _find_resource(game: type, name: str) -> Traversable | None:
    """Return the file or folder beside the module of the class, or else beside that of a base class."""
    packages = (each.__module__.rpartition(".")[0] for each in game.__mro__[: game.__mro__.index(BaseRuleset)])
    found = (resources.files(package).joinpath(name) for package in packages if package)
    return next((place for place in found if place.is_file() or place.is_dir()), None)


def _state_type(game: type) -> Any:
    """Return the type between the brackets of `BaseRuleset[…]`."""
    for each in game.__mro__:
        # They have the argument in brackets, which __bases__ lacks (PEP 560); getattr would find those of a base class.
        for base in vars(each).get("__orig_bases__", ()):
            if get_origin(base) is not Generic:
                return get_args(base)[0]
    raise TypeError(f"{game.__name__} does not name the type of its state: write BaseRuleset[State]")


KEPT = 200
"""Scores in a memory; in a longer game the oldest are forgotten."""


def append_score(before: Mapping[str, Json], of: str, by: str, number: int, score: int) -> Json:
    """Return the `scores` of a memory with the score of one more turn, for `carry_memory`.

    A second score of the same turn replaces the first. The newest `KEPT` scores are kept.

    >>> scores = append_score({}, "planets", "turn", 1, 3)
    >>> append_score({"scores": scores}, "planets", "turn", 2, 5)
    {'of': 'planets', 'by': 'turn', 'turns': [[1, 3], [2, 5]]}

    Args:
        before: The memory that came with the seat's last report.
        of: The thing counted, in the plural: "planets".
        by: The unit of `number`: "turn" or "round".
        number: The number of the turn that the score is of.
        score: The score.
    """
    # A corrected report has the score of its turn once more, and the last one counts.
    last = before.get("scores", {"turns": []})["turns"]
    return {"of": of, "by": by, "turns": [*(each for each in last if each[0] != number), [number, score]][-KEPT:]}
