"""Value types that pass between the host and a game.

An attachment is known to a game by name, size and hash alone. Its bytes stay with
the host, which has checked them before the game hears of them and sends them to
the seats whose views name them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pbem.errors import SetupError
from pbem.ruleset.dice import Dice
from pbem.ruleset.drawing import Picture

SeatName = str
"""A seat's name as players type it: lower case, no blanks ("red")."""

_SEAT = re.compile(r"[a-z0-9-]{1,20}")


def is_plain_seat(text: str) -> bool:
    """Return whether the name of a seat has only the characters that one may have."""
    return _SEAT.fullmatch(text) is not None


Json = Any
"""JSON data, as `json.loads` returns it."""

View = Mapping[str, Any]
"""What one seat may know. Every view has at least these keys:

`seat`     the seat it was made for
`label`    what players call the moment ("turn 3", "turn 3, movement"); it stands in subjects
`over`     whether the game is finished
`events`   list of what happened since the last report, each with a `kind`
`awaited`  whether this seat is asked for orders now

One that was mailed has `memory` besides, if its game remembers anything: what
the seat knew from its reports before (see `Ruleset.carry_memory`).
"""

Bot = Callable[[View, Dice], list[str]]
"""Plays a seat: from the mailed view to the lines of a sheet, as a person would type them."""


@dataclass(frozen=True, slots=True)
class Option:
    """A campaign option, declared once: read, checked and documented from this record.

    `kind` is "int" (bounds `low`…`high`), "bool", "choice" (one of `choices`) or
    "file" (JSON, YAML or the rows of a CSV table, read by the host from the path given; None when not given).
    """

    name: str
    kind: str
    default: Any
    help: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """The allowed values in words, for help and for errors."""
        if self.kind == "int":
            return f"a whole number from {self.low} to {self.high}"
        if self.kind == "bool":
            return "yes or no"
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        return "the path of a file (JSON, YAML or CSV)"

    def read(self, text: str) -> Any:
        """The value a GM typed. Raises SetupError naming the allowed values."""
        word = text.strip()
        if self.kind == "int":
            try:
                number = int(word)
            except ValueError:
                number = None
            if number is not None and self._within(number):
                return number
        elif self.kind == "bool" and word.lower() in _YES | _NO:
            return word.lower() in _YES
        elif self.kind == "choice" and word.lower() in self.choices:
            return word.lower()
        elif self.kind == "file":
            return word
        raise SetupError(f"option {self.name} cannot be {text!r}: it is {self.allowed} ({self.help})")

    def allows(self, value: Any) -> bool:
        """Whether this is a value that a GM could have given, as it stands in records; what a file holds is free."""
        if self.kind == "int":
            return isinstance(value, int) and not isinstance(value, bool) and self._within(value)
        if self.kind == "bool":
            return isinstance(value, bool)
        return value in self.choices if self.kind == "choice" else True

    def told(self, value: Any) -> str:
        """What it means and what a campaign has of it, for its players.

        Of a file's contents nothing, nor what its help says of their form, behind a colon; "" where none was given.
        """
        if self.kind == "file":
            return "" if value is None else f"{self.help.partition(':')[0]}: your GM has given his own"
        said = f"{self.help}: {_format_value(value)}"
        return said if value == self.default else f"{said} (usually {_format_value(self.default)})"

    def _within(self, number: int) -> bool:
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)


def _format_value(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


_YES = {"yes", "true", "on", "1"}
_NO = {"no", "false", "off", "0"}


@dataclass(frozen=True, slots=True)
class Seats:
    """How many may play, and what seats may be called.

    With `names`, a campaign takes any `least` to `most` of them, in this order;
    without, any names will do.
    """

    least: int
    most: int
    names: tuple[SeatName, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened while a turn was resolved, and the seats that may hear of it.

    Beware of what a list of events tells by its length and order: a view takes
    the events of its seat with `events_for`, and never a running number.
    """

    kind: str
    audience: frozenset[SeatName]
    data: Mapping[str, Any] = field(default_factory=dict)


def events_for(events: Iterable[Event], seat: SeatName) -> list[dict[str, Any]]:
    """The events one seat may hear of, as JSON data for its view."""
    return [{"kind": event.kind, **event.data} for event in events if seat in event.audience]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a game stands. For the host and the GM; nothing of it is mailed to players.

    `awaiting` is empty exactly when the game is over. `told` are the seats that
    get a report now; None stands for all.
    """

    over: bool
    awaiting: frozenset[SeatName]
    scores: Mapping[SeatName, int] = field(default_factory=dict)
    winners: tuple[SeatName, ...] = ()
    reason: str = ""
    told: frozenset[SeatName] | None = None


@dataclass(frozen=True, slots=True)
class Panorama:
    """A moment as those see it who have no seat. `scores` are by seat, and of what `of` says ("planets")."""

    pictures: tuple[Picture, ...] = ()
    scores: Mapping[SeatName, int] = field(default_factory=dict)
    of: str = ""


@dataclass(frozen=True, slots=True)
class Demo:
    """How a demo plays a game whose bots alone would show too little of it.

    `seats` are the names of the first seats, `options(seats)` those of its campaign (for one that is a file, what is
    in it), and `bot` plays all seats, the standard one if there is none. `rule(turn, files)` is the GM of an
    `Adjudicated` game: the files of his ruling filled in, and what he lays beside them, texts such as SVG by name.
    """

    seats: tuple[SeatName, ...] = ()
    options: Callable[[Sequence[SeatName]], Mapping[str, Json]] | None = None
    bot: Bot | None = None
    rule: Callable[[int, Mapping[str, str]], tuple[Mapping[str, str], Mapping[str, str]]] | None = None


MAX_ATTACHMENT_BYTES = 2_000_000
"""Bytes of one picture or file."""

LARGEST_ENCLOSED = 4_000_000
"""Bytes of all that goes with one report: mail makes half as much again of them, and many boxes take 20 MB."""

LARGEST_OF_TURN = 16_000_000
"""Bytes of all that comes with one ruling."""

MOST_ENCLOSED = 20
"""Pictures and files of one report."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or a file. `kind` is its media type, `sha256` the hash of its bytes in hex, `size` their number.

    `width` and `height` are pixels of a picture that is shown, and 0 for a file that is only attached. `caption` is
    one line that says what there is to see, "" if the GM has written none.
    """

    name: str
    kind: str
    sha256: str
    size: int
    width: int = 0
    height: int = 0
    caption: str = ""

    @property
    def shown(self) -> bool:
        """Whether it is a picture to be looked at where it is told of."""
        return self.width > 0

    @property
    def title(self) -> str:
        """What stands in its place where it cannot be seen."""
        return self.caption or self.name

    def dump(self) -> dict[str, Any]:
        """It as JSON data, of which `Attachment(**data)` makes it again."""
        return asdict(self)


AttachedFiles = Mapping[str, Attachment | None]
"""What lies beside a GM's texts, by name; None for what cannot be sent, of which the host says why."""


def format_size(size: int) -> str:
    """A number of bytes as people read it, rounded up."""
    tenths = -(-size // 100_000)
    return f"{tenths / 10:g} MB" if tenths > 1 else f"{-(-size // 1000)} kB"
