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

# Files of the archive are named after seats: no dot and no slash.
_SEAT = re.compile(r"[a-z0-9-]{1,20}")


def is_plain_seat(text: str) -> bool:
    """Return True if a name has only the characters that the name of a seat may have."""
    return _SEAT.fullmatch(text) is not None


Json = Any
"""JSON data, as `json.loads` returns it."""

View = Mapping[str, Any]
"""All that one seat may know. Every view has at least these keys:

`seat`     the seat that reads it
`label`    the players' name of the moment ("turn 3", "turn 3, movement"), part of the subject
`over`     true if the game is finished
`events`   list of the events since the last report, each with a `kind`
`awaited`  true if this seat is asked for orders now

A mailed view has `memory` too, if its game remembers anything: what the seat knew
from its earlier reports (see `Ruleset.carry_memory`).
"""

Bot = Callable[[View, Dice], list[str]]
"""Plays a seat: returns the lines of a sheet, as a person would type them, for a mailed view."""


@dataclass(frozen=True, slots=True)
class Option:
    """A campaign option, declared once: it is read, checked and documented from this record.

    `kind` is "int" (bounds `low` to `high`), "bool", "choice" (one of `choices`) or
    "file" (JSON, YAML or the rows of a CSV table, read by the host from the path
    given; None when not given).

    >>> turns = Option("turns", "int", 8, "turns to play", 1, 30)
    >>> turns.allowed
    'a whole number from 1 to 30'
    >>> turns.read("12")
    12
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
        """Return the value that a GM typed; for a file, the path.

        Raises:
            SetupError: The value is not allowed. The text names the allowed values.
        """
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

    @property
    def usually(self) -> str:
        """The default in words; "" for a choice named "usual", of which the help says what it is."""
        return "" if self.default == "usual" else _format_value(self.default)

    def allows(self, value: Any) -> bool:
        """Return True if a recorded value is one that a GM could have given; the contents of a file may be anything."""
        # JSON's true is an int in Python.
        if self.kind == "int":
            return isinstance(value, int) and not isinstance(value, bool) and self._within(value)
        if self.kind == "bool":
            return isinstance(value, bool)
        return value in self.choices if self.kind == "choice" else True

    def describe(self, value: Any) -> str:
        """Return the meaning of the option and its value in a campaign, for the players.

        The contents of a file are not told, nor the part of the help after a colon, which
        describes their form; "" where no file was given.
        """
        if self.kind == "file":
            return "" if value is None else f"{self.help.partition(':')[0]}: your GM has given another"
        said = f"{self.help}: {_format_value(value)}"
        return said if value == self.default or not self.usually else f"{said} (usually {self.usually})"

    def _within(self, number: int) -> bool:
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


_YES = {"yes", "true", "on", "1"}
_NO = {"no", "false", "off", "0"}


@dataclass(frozen=True, slots=True)
class Seats:
    """The number of players, and the names of the seats.

    With `names`, a campaign has any `least` to `most` of them, in this order; without,
    seats may have any names.
    """

    least: int
    most: int
    names: tuple[SeatName, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened while a turn was resolved, and the seats that may hear of it.

    Length and order of a list of events disclose something too: a view takes the
    events of its seat with `events_for`, and never has a running number of theirs.
    """

    kind: str
    audience: frozenset[SeatName]
    data: Mapping[str, Any] = field(default_factory=dict)


def events_for(events: Iterable[Event], seat: SeatName) -> list[dict[str, Any]]:
    """Return the events that one seat may hear of, as JSON data for its view.

    >>> found = Event("found", frozenset({"red"}), {"cave": 3})
    >>> hidden = Event("hidden", frozenset({"blue"}))
    >>> events_for([found, hidden], "red")
    [{'kind': 'found', 'cave': 3}]
    """
    return [{"kind": event.kind, **event.data} for event in events if seat in event.audience]


class Loss(str):
    """Headline of a loss or a failure: shown in their colour. Any other headline is a plain string."""

    __slots__ = ()
    bad = True


class NotDone(str):
    """Outcome of an order that was not carried out; a plain string is that of one that was."""

    __slots__ = ()
    state = "not"


class InPart(str):
    """Outcome of an order that was carried out in part."""

    __slots__ = ()
    state = "part"


class AsOrdered(str):
    """Outcome that says no more than that its order came true: a report on many orders counts these."""

    __slots__ = ()
    state = "plain"


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of a game, for the host and the GM; players are not mailed it.

    `awaiting` is empty if and only if the game is over. `told` are the seats that get
    a report now, None for all.
    """

    over: bool
    awaiting: frozenset[SeatName]
    scores: Mapping[SeatName, int] = field(default_factory=dict)
    winners: tuple[SeatName, ...] = ()
    reason: str = ""
    # A round of combat may be a turn: a report of it would tell others that there is a fight (decision 1).
    told: frozenset[SeatName] | None = None


@dataclass(frozen=True, slots=True)
class Panorama:
    """A moment of the game for readers who have no seat.

    `scores` are by seat; `of` names the thing counted ("planets").
    """

    pictures: tuple[Picture, ...] = ()
    scores: Mapping[SeatName, int] = field(default_factory=dict)
    of: str = ""


@dataclass(frozen=True, slots=True)
class Demo:
    """Settings by which `pbem demo` plays a game, where bots alone would show too little of it.

    `seats` are the names of the first seats. `options(seats)` returns the options of
    the campaign (for a file, its contents). `bot` plays all seats, with None for the
    standard bot. `rule(turn, files)` is the GM of an `Adjudicated` game: it returns
    the files of the ruling filled in, and the files beside them (texts such as SVG)
    by name.
    """

    seats: tuple[SeatName, ...] = ()
    options: Callable[[Sequence[SeatName]], Mapping[str, Json]] | None = None
    bot: Bot | None = None
    rule: Callable[[int, Mapping[str, str]], tuple[Mapping[str, str], Mapping[str, str]]] | None = None


MAX_ATTACHMENT_BYTES = 2_000_000
"""Bytes of one picture or file."""

LARGEST_ENCLOSED = 4_000_000
"""Bytes of all attachments of one report: mail makes half as much again of them, and many mailboxes take 20 MB."""

LARGEST_OF_TURN = 16_000_000
"""Bytes of all attachments of one ruling."""

MOST_ENCLOSED = 20
"""Pictures and files of one report."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or a file of a GM.

    `kind` is its media type, `sha256` the hash of its bytes in hex, `size` their
    number. `width` and `height` are the pixels of a picture that is shown, or 0 for a
    file that is only attached. `caption` is one line of description, "" if the GM
    wrote none.
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
        """True for a picture that is shown in the text, False for an attached file."""
        return self.width > 0

    @property
    def title(self) -> str:
        """The text in place of a picture that cannot be seen."""
        return self.caption or self.name

    def dump(self) -> dict[str, Any]:
        """Return the attachment as JSON data; `Attachment(**data)` restores it."""
        return asdict(self)


AttachedFiles = Mapping[str, Attachment | None]
"""The files beside a GM's texts, by name; None for one that cannot be sent, which the host reports itself."""


def format_size(size: int) -> str:
    """Return a number of bytes as people read it, rounded up.

    >>> format_size(2_345_678)
    '2.4 MB'
    """
    # Up: what is just above a limit must not look as large as the limit.
    tenths = -(-size // 100_000)
    return f"{tenths / 10:g} MB" if tenths > 1 else f"{-(-size // 1000)} kB"
