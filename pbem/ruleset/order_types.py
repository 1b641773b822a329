"""Declaration of typed orders: a usage line and fields, by which lines are read and written.

An order is a frozen dataclass with a usage line and typed fields:

    @dataclass(frozen=True, slots=True)
    class Fire(Order):
        \"\"\"Aim the shots of a ship at one enemy ship.\"\"\"

        usage = "FIRE ship AT target"
        ship: Annotated[str, OWN_SHIP]
        target: Annotated[str, SEEN_SHIP]

        def words(self) -> str:
            return f"{self.ship} fires at {self.target}"

In a usage line, capitals are words to type, lower-case words name fields, `[…]`
may be left out, and `field...` takes one word or more. A list that may lose bad
items and keep the rest has `DROPS_BAD` behind its kind.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pbem.ruleset.choices import OrderMark
from pbem.ruleset.dice import Dice
from pbem.ruleset.fields import ContextView, Field, FieldError, show_word
from pbem.ruleset.tokenizer import quote_word

DROPS_BAD = object()
"""Mark of the list at the end of a usage: items that cannot be read are left out with a warning."""

FILLED_IN = object()
"""Mark of a field that is not in the usage: `parse` fills it in, and it has a default until then."""

RESIGNS = "RESIGN CONFIRM"
"""The one line that ends a seat, in every game."""

_PIECE = re.compile(r"\[|\]|[^\s\[\]]++")
_FIELD = re.compile(r"\{(\w*)\}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Order:
    """Base class of all orders; the docstring of a subclass is its help.

    A subclass is a frozen dataclass. Its fields hold strings, whole numbers,
    booleans, None, or tuples of these, since orders are stored as JSON.
    """

    usage: ClassVar[str]
    also: ClassVar[tuple[str, ...]] = ()
    """Other words for the verb, accepted when typed in full."""
    examples: ClassVar[tuple[str, ...]] = ()
    """Lines that a player would type; by default they are put together from the examples of the fields."""
    ends_seat: ClassVar[str] = ""
    """Effect of the order by which a player leaves, in the conditional. Its line must be `RESIGN CONFIRM`."""
    slot: ClassVar[str] = ""
    """The thing that one line of a sheet alone can be about: "unit {unit}", with a field. Without it lines add up."""
    at_any_time: ClassVar[bool] = False
    """True if a seat may give the order also while no orders are awaited of it."""
    mark: ClassVar[OrderMark | None] = None
    """The way a page draws the order on the map; without it, it stands in the list alone."""
    grave: ClassVar[bool] = False
    """True if a page sets the order apart, asks once more, and never gives it by a tap on the map."""
    also_ends_seat: ClassVar[tuple[str, ...]] = ()
    """Lines other than `RESIGN CONFIRM` that the rules of a game name for that order; each ends with CONFIRM."""

    def words(self) -> str:
        """Return the order in words for the receipt, on one printable line: "R101 fires at J7"."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Literal:
    """A word of a usage that is typed as it is."""

    word: str


@dataclass(frozen=True, slots=True)
class Argument:
    """A field to be filled in; with `many`, by one word or more."""

    name: str
    many: bool


@dataclass(frozen=True, slots=True)
class Optional:
    """Parts of a usage that may be left out together."""

    parts: tuple[Part, ...]


Part = Literal | Argument | Optional


def _compile(usage: str) -> tuple[Part, ...]:
    stack: list[list[Part]] = [[]]
    for piece in _PIECE.findall(usage):
        if piece == "[":
            stack.append([])
        elif piece == "]":
            group = tuple(stack.pop())
            stack[-1].append(Optional(group))
        elif piece[0].islower():
            stack[-1].append(Argument(piece.removesuffix("..."), piece.endswith("...")))
        else:
            stack[-1].append(Literal(piece))
    return tuple(stack[0])


class ParseMismatch(Exception):
    """Raised when a line does not fit a verb.

    `reached` is the number of words that fitted; where lines are compared, it is the
    number of characters. `refused` is the finding for the player.
    """

    def __init__(self, reached: int, refused: FieldError) -> None:
        super().__init__(refused.text)
        self.reached, self.refused = reached, refused


def missing_word(expected: str, found: str | None, hint: str) -> FieldError:
    """Return the error for a word that is missing; `found` is the word in its place, None at the end of the line."""
    there = "the line ends" if found is None else f"{show_word(found)} stands"
    return FieldError("missing-word", f"{there} where {expected} belongs", hint, found or "")


@dataclass(frozen=True)
class OrderType:
    """A declared order, compiled for reading and writing lines."""

    order: type[Order]
    parts: tuple[Part, ...]
    kinds: Mapping[str, Field]
    sparing: frozenset[str]
    name: str
    word: str

    @classmethod
    def of(cls, order: type[Order]) -> OrderType:
        """Compile a declaration.

        Raises:
            TypeError: The usage and the fields of the order do not agree.
        """
        parts = _compile(order.usage)
        kinds = _kinds(order)
        if not isinstance(parts[0], Literal):
            raise TypeError(f"the usage of {order.__name__} must begin with its verb")
        if {part.name for part in arguments(parts)} != set(kinds):
            raise TypeError(f"the usage of {order.__name__} does not name its fields {sorted(kinds)}")
        if (bool(order.ends_seat) or parts[0].word == "RESIGN") and not (order.ends_seat and order.usage == RESIGNS):
            raise TypeError(f"the order that ends a seat has the usage {RESIGNS}, and ends_seat: see {order.__name__}")
        if unknown := {name for name in _FIELD.findall(order.slot) if name not in kinds}:
            raise TypeError(f"the slot of {order.__name__} names no field of it: {sorted(unknown)}")
        if not all(line.split()[1:-1] and line.endswith(" CONFIRM") for line in order.also_ends_seat):
            raise TypeError(f"each line of also_ends_seat has two words and CONFIRM behind them: see {order.__name__}")
        _check_defaults(order, parts)
        sparing = _droppable_lists(order, parts)
        name = _HUMP.sub("-", order.__name__).lower()
        return cls(order, parts, kinds, sparing, name, parts[0].word)

    @property
    def usage(self) -> str:
        """The usage line as players see it."""
        return " ".join(self._format_part(part) for part in self.parts)

    @property
    def form(self) -> str:
        """The shortest line of this order, with its fields in angle brackets."""
        least = (part for part in self.parts if not isinstance(part, Optional))
        return " ".join(
            part.word if isinstance(part, Literal) else f"<{self.kinds[part.name].shown}>" for part in least
        )

    @property
    def help(self) -> str:
        """The docstring of the declaration, on one line."""
        return " ".join((self.order.__doc__ or "").split())

    @property
    def example(self) -> str:
        """A line that shows every part of the usage, or the first example of the declaration."""
        return self.examples[0]

    @property
    def examples(self) -> tuple[str, ...]:
        """The examples of the declaration, or else a line with every part of the usage and one with the fewest."""
        if self.order.examples:
            return self.order.examples
        most = " ".join(_example_part(part, self.kinds) for part in self.parts)
        least = " ".join(_example_part(part, self.kinds) for part in self.parts if not isinstance(part, Optional))
        return tuple(dict.fromkeys((most, least)))

    @property
    def literals(self) -> frozenset[str]:
        """The words of the usage to be typed as they are, including the verb."""
        return frozenset(_literals(self.parts))

    @property
    def hint(self) -> str:
        return f"write: {self.usage}"

    def read(self, words: Sequence[str], view: ContextView) -> Order:
        """Return the order that the words of a line mean, reading them strictly; the first one is the verb.

        Raises:
            ParseMismatch: The words do not fit the usage.
        """
        values: dict[str, Any] = {}
        reached = self._match(self.parts[1:], words, 1, values, view, frozenset())
        if reached < len(words):
            extra = " ".join(words[reached:])
            raise ParseMismatch(
                reached, FieldError("extra-words", f"{show_word(extra)} is more than {self.word} takes", self.hint)
            )
        return self.order(**values)

    def write(self, order: Order) -> str:
        """Return the line that `read` reads as this order."""
        return " ".join(self._write_parts(self.parts, order))

    def words_of(self, order: Order, name: str) -> tuple[str, ...]:
        """Return the words of one field of an order without quotes; none if it was left out."""
        value = getattr(order, name)
        many = any(part.name == name and part.many for part in arguments(self.parts))
        return () if value is None else tuple(map(self.kinds[name].write, value if many else (value,)))

    def fill(self, text: str, order: Order) -> str:
        """Return a text such as a slot with the fields in braces filled in from an order."""
        return _FIELD.sub(lambda found: " ".join(self.words_of(order, found[1])), text)

    def invent(self, view: ContextView, dice: Dice, *key: str | int) -> str:
        """Return a random line of this verb, well-formed as far as the view has names for its fields."""
        return " ".join(self._invent_parts(self.parts, view, dice, key))

    def _format_part(self, part: Part) -> str:
        if isinstance(part, Literal):
            return part.word
        if isinstance(part, Optional):
            return "[" + " ".join(self._format_part(inner) for inner in part.parts) + "]"
        shown = self.kinds[part.name].shown
        shown = shown if "|" in shown else f"<{shown}>"
        return f"{shown}..." if part.many else shown

    def _match(
        self,
        parts: Sequence[Part],
        words: Sequence[str],
        at: int,
        values: dict[str, Any],
        view: ContextView,
        after: frozenset[str],
    ) -> int:
        for index, part in enumerate(parts):
            stops = _stop_words(parts[index + 1 :], after)
            if isinstance(part, Literal):
                # No backtracking here: a group is entered by its first word, and the lenient parser tries the rest.
                at = self._literal(part, words, at)
            elif isinstance(part, Argument):
                at = self._argument(part, words, at, values, view, stops)
            elif self._is_given(part, words, at, view):
                at = self._match(part.parts, words, at, values, view, stops)
        return at

    def _literal(self, part: Literal, words: Sequence[str], at: int) -> int:
        if at < len(words) and words[at].upper() == part.word:
            return at + 1
        raise self._missing(part.word, words, at)

    def _argument(
        self,
        part: Argument,
        words: Sequence[str],
        at: int,
        values: dict[str, Any],
        view: ContextView,
        stops: frozenset[str],
    ) -> int:
        kind = self.kinds[part.name]
        first = at
        read: list[Any] = []
        while at < len(words) and not (part.many and words[at].upper() in stops):
            try:
                read.append(kind.read(words[at], view))
            except FieldError as refused:
                raise ParseMismatch(at, self._with_usage(refused)) from None
            at += 1
            if not part.many:
                break
        if at == first:
            raise self._missing(kind.expected, words, at)
        values[part.name] = tuple(read) if part.many else read[0]
        return at

    def _missing(self, expected: str, words: Sequence[str], at: int) -> ParseMismatch:
        return ParseMismatch(at, missing_word(expected, words[at] if at < len(words) else None, self.hint))

    def _with_usage(self, refused: FieldError) -> FieldError:
        return refused if refused.hint else FieldError(refused.code, refused.text, self.hint, refused.word)

    def _is_given(self, group: Optional, words: Sequence[str], at: int, view: ContextView) -> bool:
        if at >= len(words):
            return False
        first = group.parts[0]
        if isinstance(first, Literal):
            return words[at].upper() == first.word
        if isinstance(first, Optional):
            return self._is_given(first, words, at, view)
        try:
            self.kinds[first.name].read(words[at], view)
        except FieldError:
            # An unreadable word is taken for the optional argument at the end, so that its error is told.
            return group == self.parts[-1]
        return True

    def _write_parts(self, parts: Iterable[Part], order: Order) -> Iterator[str]:
        for part in parts:
            if isinstance(part, Literal):
                yield part.word
            elif isinstance(part, Optional):
                values = [getattr(order, inner.name) for inner in arguments(part.parts)]
                if any(not (value is None or value is False or value == ()) for value in values):
                    yield from self._write_parts(part.parts, order)
            else:
                kind, value = self.kinds[part.name], getattr(order, part.name)
                yield from map(quote_word, map(kind.write, value if part.many else (value,)))

    def _invent_parts(
        self, parts: Iterable[Part], view: ContextView, dice: Dice, key: tuple[str | int, ...]
    ) -> Iterator[str]:
        for index, part in enumerate(parts):
            here = (*key, index)
            if isinstance(part, Literal):
                yield part.word
            elif isinstance(part, Optional):
                if dice.chance(1, 2, *here):
                    yield from self._invent_parts(part.parts, view, dice, here)
            else:
                names = self.kinds[part.name].samples(view) or ["nothing"]
                for count in range(dice.roll(3, *here, "many") if part.many else 1):
                    yield quote_word(dice.pick(names, *here, count))


def read_first(
    verbs: Iterable[OrderType], words: Sequence[str], view: ContextView, places: Sequence[int] | None = None
) -> Order:
    """Return the order of the first of several verbs with one word that the words of a line fit.

    Args:
        verbs: The verbs.
        words: The words of the line.
        view: The view that was mailed to the player.
        places: Where each word begins, and a place behind the last, for `reached`; without them it counts words.

    Raises:
        ParseMismatch: They fit none; it is that of the verb of which they fitted most.
    """
    best: ParseMismatch | None = None
    for verb in verbs:
        try:
            return verb.read(words, view)
        except ParseMismatch as mismatch:
            best = mismatch if best is None or mismatch.reached > best.reached else best
    assert best is not None
    raise ParseMismatch(places[best.reached], best.refused) if places else best


def _check_defaults(order: type[Order], parts: Iterable[Part]) -> None:
    optional = {part.name for part in arguments(group for group in parts if isinstance(group, Optional))}
    for slot in dataclasses.fields(order):
        if slot.name in optional and slot.default is slot.default_factory is dataclasses.MISSING:
            raise TypeError(f"field {slot.name} of {order.__name__} may be left out, so it needs a default")


def arguments(parts: Iterable[Part]) -> Iterator[Argument]:
    for part in parts:
        if isinstance(part, Argument):
            yield part
        elif isinstance(part, Optional):
            yield from arguments(part.parts)


def _literals(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Literal):
            yield part.word
        elif isinstance(part, Optional):
            yield from _literals(part.parts)


def _stop_words(parts: Sequence[Part], after: frozenset[str]) -> frozenset[str]:
    """Return the words that end a `field...`: those that may follow it; `after` are those that follow all parts."""
    stops: set[str] = set()
    for part in parts:
        if isinstance(part, Literal):
            return frozenset({*stops, part.word})
        if isinstance(part, Optional) and isinstance(part.parts[0], Literal):
            stops.add(part.parts[0].word)
    return after | stops


def _example_part(part: Part, kinds: Mapping[str, Field]) -> str:
    if isinstance(part, Literal):
        return part.word
    if isinstance(part, Optional):
        return " ".join(_example_part(inner, kinds) for inner in part.parts)
    return kinds[part.name].example


def _droppable_lists(order: type[Order], parts: Iterable[Part]) -> frozenset[str]:
    """Return the names of the lists marked `DROPS_BAD`.

    Raises TypeError unless such a list ends the usage: words after it could be mistaken for its bad items.
    """
    marked = frozenset(name for name, extras in _annotations(order).items() if DROPS_BAD in extras)
    behind = list(arguments(parts))[-1:]
    if not marked <= {part.name for part in behind if part.many}:
        raise TypeError(f"in the usage of {order.__name__} only a list at its end may drop bad items")
    return marked


def _annotations(order: type[Order]) -> dict[str, tuple[Any, ...]]:
    """Return the extras of each field's `Annotated`, by the name of the field."""
    hints = typing.get_type_hints(order, include_extras=True)
    return {slot.name: getattr(hints[slot.name], "__metadata__", ()) for slot in dataclasses.fields(order)}


def _kinds(order: type[Order]) -> dict[str, Field]:
    extras = _annotations(order)
    kinds = {}
    for slot in dataclasses.fields(order):
        if FILLED_IN in extras[slot.name]:
            continue
        found = [extra for extra in extras[slot.name] if isinstance(extra, Field)]
        if len(found) != 1:
            raise TypeError(f"field {slot.name} of {order.__name__} needs exactly one Field in Annotated")
        kinds[slot.name] = found[0]
    return kinds


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark on an order sheet, for its player.

    `line` is the number of the line, or 0 for the sheet as a whole. `severity` is
    "error" (the line is not accepted), "warning" (accepted, but worth a look) or
    "note". `code` is a stable identifier in lower case, without blanks; `text` and
    `hint` are printable lines and may be reworded. `corrected` is the whole line as it
    was probably meant, which can be read without an error, or "".
    """

    line: int
    severity: str
    code: str
    text: str
    hint: str = ""
    corrected: str = ""

    @classmethod
    def error(cls, line: int, refused: FieldError) -> Finding:
        return cls(line, "error", refused.code, refused.text, refused.hint)


@dataclass(frozen=True, slots=True)
class ParsedOrder:
    """An order and the number of the line that it came from."""

    line: int
    order: Order


@dataclass(frozen=True, slots=True)
class ParsedSheet:
    """Result of parsing a sheet: the orders accepted, and all findings.

    A sheet that is not `complete` lacks an order that its seat is awaited for, such as
    the move itself: it is stored, but the turn is not run before its deadline because
    of it.
    """

    entries: tuple[ParsedOrder, ...] = ()
    findings: tuple[Finding, ...] = ()
    complete: bool = True

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders alone, in the order of their lines."""
        return tuple(entry.order for entry in self.entries)

    def apply_check(self, check: Callable[[ParsedOrder, Sequence[ParsedOrder]], None]) -> ParsedSheet:
        """Return the sheet without the orders that a check refuses; a finding says why, with its line.

        Args:
            check: Is given each order and those accepted above it, and raises FieldError to refuse the order.
        """
        entries: list[ParsedOrder] = []
        findings = list(self.findings)
        for entry in self.entries:
            try:
                check(entry, entries)
            except FieldError as refused:
                findings.append(Finding.error(entry.line, refused))
            else:
                entries.append(entry)
        findings.sort(key=lambda finding: finding.line)
        return ParsedSheet(tuple(entries), tuple(findings), self.complete)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings with which lines were refused."""
        return tuple(finding for finding in self.findings if finding.severity == "error")
