"""Base class for rulesets, with a default for everything that most games do alike.

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

Every default is replaced by defining it: as a method, or as a function of a
module with `parse = staticmethod(sheet.parse)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Generic, TypeVar, get_args, get_origin

from pbem.errors import RulesetError, SaveError, SetupError
from pbem.ruleset.dice import Dice
from pbem.ruleset.drawing import Picture
from pbem.ruleset.order_types import Order, ParsedSheet
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
"""Lines that a random bot thinks of for a sheet; it sends those that are taken."""


class BaseRuleset(Generic[S]):
    """Base of games; `S` is the type of the state. See `Ruleset` for what each member promises the host."""

    key: str
    title: str
    designer: str
    summary: str
    seats: Seats
    orders: OrderParser
    version: int = 1
    pace: str = "all players at once"
    options: tuple[Option, ...] = ()
    demo: Demo = Demo()
    upgrades: tuple[Callable[[Json], Json], ...] = ()
    """Makes of a save of version 1 one of version 2, of version 2 one of version 3, and so on."""

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> S:
        """The state before the first turn; options are complete, and seats such as the game has. Raises SetupError."""
        raise NotImplementedError

    def view(self, state: S, seat: SeatName, events: Sequence[Event]) -> View:
        """What the seat may know: `heading`, and whatever else is added to it."""
        raise NotImplementedError

    def resolve(self, state: S, turn: TurnInput, dice: Dice) -> tuple[S, tuple[Event, ...]]:
        """The next state and what happened."""
        raise NotImplementedError

    def standing(self, state: S) -> Standing:
        """Over or not, who is awaited, scores, winners."""
        raise NotImplementedError

    def setup(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> S:
        """The state before the first turn. Raises SetupError, also for seats that the game does not have."""
        if not _are_valid(self.seats, seats):
            given = (", ".join(seats) or "nobody") if self.seats.names else str(len(seats))
            raise SetupError(f"{self.title} is played by {_describe_seats(self.seats)}, not by {given}")
        return self.begin(
            {option.name: options.get(option.name, option.default) for option in self.options}, seats, dice
        )

    def heading(self, state: S, seat: SeatName, events: Sequence[Event], label: str) -> dict[str, Any]:
        """What every view has, to which a game adds what the seat may know besides."""
        standing = self.standing(state)
        return {
            "seat": seat,
            "label": label,
            "over": standing.over,
            "awaited": seat in standing.awaiting,
            "events": events_for(events, seat),
        }

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        """The orders as declared, without a further look at whether they go together."""
        return self.orders.parse(view, lines)

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """None: without a sheet nothing is ordered."""
        return ()

    def template(self, view: View) -> list[str]:
        """Each order without what may be left out of it, as comments."""
        return [f"; {verb.form}" for verb in self.orders.verbs]

    def desk(self, view: View) -> Json:
        """All orders, whenever they may be given."""
        return self.orders.desk(view)

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        """Nothing."""
        return {}

    def turn_summary(self, view: View) -> Sequence[str]:
        """None: the report begins with what happened."""
        return ()

    def order_outcomes(self, view: View, orders: Sequence[Order]) -> Sequence[str]:
        """Nothing is said of any."""
        return [""] * len(orders)

    def pictures(self, view: View) -> Sequence[Picture]:
        """None."""
        return ()

    def text_map(self, view: View) -> str:
        """None."""
        return ""

    def enclosures(self, view: View) -> Mapping[str, Sequence[Attachment]]:
        """None."""
        return {}

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        """Nothing."""
        return None

    def full_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        """What `public_view` returns."""
        return self.public_view(views)

    @property
    def bots(self) -> Mapping[str, Bot]:
        """ "standard" writes random lines of the declared orders, and sends those that are taken."""
        return {"standard": self._random_lines}

    def dump(self, state: S) -> Json:
        """The state as JSON data, by its declaration."""
        return to_json(state)

    def read(self, data: Json) -> S:
        """The state from data of this version; whatever is wrong with them may raise what it likes."""
        state: S = from_json(_state_type(type(self)), data)
        return state

    def load(self, data: Json, version: int) -> S:
        """The state from the data of any version, brought up by the `upgrades`. Raises SaveError."""
        if not 1 <= version <= self.version:
            raise SaveError(
                f"this save is of version {version} of {self.title}; this program reads 1 to {self.version}"
            )
        try:
            for upgrade in self.upgrades[version - 1 :]:
                data = upgrade(data)
            return self.read(data)
        except (AttributeError, LookupError, TypeError, ValueError, RulesetError) as error:
            raise SaveError(f"this is not a save of {self.title}: {error!r}") from None

    @cached_property
    def rulebook(self) -> str:
        """The text of `rulebook.md` in the package of the class; {{ORDERS}} is where the order reference goes."""
        page = _find_resource(type(self), "rulebook.md")
        return page.read_text(encoding="utf-8") if page else ""

    @property
    def templates(self) -> Traversable | None:
        """The folder `templates` in the package of the class, if there is one."""
        return _find_resource(type(self), "templates")

    def _random_lines(self, view: View, dice: Dice) -> list[str]:
        if not view["awaited"]:
            return []
        thought = [self.orders.invent(view, dice, view["label"], number) for number in range(RANDOM_LINES)]
        return [self.orders.line(order) for order in self.parse(view, list(enumerate(thought, 1))).orders]


def _are_valid(known: Seats, seats: Sequence[SeatName]) -> bool:
    if _is_fixed(known):
        return tuple(seats) == known.names
    differ = len(set(seats)) == len(seats)
    return differ and known.least <= len(seats) <= known.most and (not known.names or set(seats) <= set(known.names))


def _is_fixed(known: Seats) -> bool:
    """Whether there is but one table."""
    return known.least == len(known.names)


def _describe_seats(known: Seats) -> str:
    if _is_fixed(known):
        return f"{' and '.join(known.names)}, in this order"
    if known.names:
        return f"{known.least} to {known.most} of {', '.join(known.names)}"
    return f"{known.least} to {known.most} players of different names"


def _find_resource(game: type, name: str) -> Traversable | None:
    """What lies beside the module of the class, or else beside that of the one it is derived from, and so on."""
    packages = (each.__module__.rpartition(".")[0] for each in game.__mro__[: game.__mro__.index(BaseRuleset)])
    found = (resources.files(package).joinpath(name) for package in packages if package)
    return next((place for place in found if place.is_file() or place.is_dir()), None)


def _state_type(game: type) -> Any:
    """The type between the brackets of `BaseRuleset[…]`."""
    for each in game.__mro__:
        for base in vars(each).get("__orig_bases__", ()):
            if get_origin(base) is not Generic:
                return get_args(base)[0]
    raise TypeError(f"{game.__name__} does not name the type of its state: write BaseRuleset[State]")


KEPT = 200
"""Scores remembered; in a longer game the first are forgotten."""


def append_score(before: Mapping[str, Json], of: str, by: str, number: int, score: int) -> Json:
    """The `scores` of a memory with one more: of planets, say, by turn. A second one of a turn takes the first's place.

    `before` is the memory of the report before.
    """
    last = before.get("scores", {"turns": []})["turns"]
    return {"of": of, "by": by, "turns": [*(each for each in last if each[0] != number), [number, score]][-KEPT:]}
