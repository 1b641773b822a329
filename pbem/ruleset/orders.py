"""Typed orders: declared once, and everything else follows.

An order is a frozen dataclass with a usage line and typed fields:

    @dataclass(frozen=True, slots=True)
    class Fire(Order):
        \"\"\"Aim the shots of a ship at one enemy ship.\"\"\"

        usage = "FIRE ship AT target"
        ship: Annotated[str, OWN_SHIP]
        target: Annotated[str, SEEN_SHIP]

        def words(self) -> str:
            return f"{self.ship} fires at {self.target}"

In a usage line capitals are words to type, small letters name fields, `[…]`
may be left out, and `field...` takes one word or more. From the declarations
an `OrderBook` reads sheets, words findings, writes orders back as lines and as
JSON, documents every verb and invents random lines for tests.

A sheet has one order a line. Verbs, words and names are case-blind; a verb may
be cut to three letters or more if that leaves no doubt; commas are blanks;
"quotes" hold names with blanks; `;` and `#` begin comments; a trailing `\\`
continues on the next line.
"""

from __future__ import annotations

import dataclasses
import difflib
import heapq
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pbem.ruleset.dice import Dice

MAX_LINES = 2_000
MAX_LINE = 500
MAX_ERRORS = 50
MOST_COMPARED = 200
"""Names that a word is compared with to find the nearest."""

SHORTEST_ABBREVIATION = 3

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_TOKEN = re.compile(r'"([^"]*+)"?|([;#].*+)|([^\s,";]++)')
_PARTING = re.compile(r"[\s,;#]")
_PIECE = re.compile(r"\[|\]|[^\s\[\]]++")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_ContextView = Mapping[str, Any]


class Refused(Exception):
    """A word a kind cannot read: `code` is stable, `text` and `hint` are for the player."""

    def __init__(self, code: str, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.code, self.text, self.hint = code, text, hint


class Kind:
    """What a field of an order may hold, and how a player writes it.

    `shown` stands for it in usage lines, `expected` in findings ("one of your
    ships"), `example` in the reference.
    """

    shown: str
    expected: str
    example: str

    def read(self, word: str, view: _ContextView) -> Any:
        """The value of a word as typed. Raises Refused."""
        raise NotImplementedError

    def write(self, value: Any) -> str:
        """The word that reads as this value."""
        return str(value)

    def samples(self, view: _ContextView) -> Sequence[str]:
        """Words this kind can read, given the view; for hints and random sheets."""
        raise NotImplementedError


@dataclass(frozen=True)
class Word(Kind):
    """One of a few fixed words; read without regard to case, written as declared."""

    words: tuple[str, ...]
    expected: str = ""
    shown: str = ""
    example: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "expected", self.expected or "one of " + ", ".join(self.words))
        object.__setattr__(self, "shown", self.shown or "|".join(self.words))
        object.__setattr__(self, "example", self.example or self.words[0])

    def read(self, word: str, view: _ContextView) -> str:
        return choose(word, self.words, self.expected)

    def samples(self, view: _ContextView) -> Sequence[str]:
        return self.words


@dataclass(frozen=True)
class Listed(Kind):
    """One of the names a view lists, such as the reader's own ships."""

    shown: str
    expected: str
    example: str
    names: Callable[[_ContextView], Sequence[str]]

    def read(self, word: str, view: _ContextView) -> str:
        return choose(word, self.names(view), self.expected)

    def samples(self, view: _ContextView) -> Sequence[str]:
        return self.names(view)


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number within bounds."""

    low: int
    high: int
    shown: str = "number"
    expected: str = ""
    example: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "expected", self.expected or f"a whole number from {self.low} to {self.high}")
        object.__setattr__(self, "example", self.example or str(self.low))

    def read(self, word: str, view: _ContextView) -> int:
        if not _WHOLE.fullmatch(word):
            raise Refused("not-a-number", f"expected {self.expected}, got {word!r}")
        number = int(word)
        if not self.low <= number <= self.high:
            nearest = self.low if number < self.low else self.high
            raise Refused("out-of-bounds", f"expected {self.expected}, got {word}", f"the nearest is {nearest}")
        return number

    def samples(self, view: _ContextView) -> Sequence[str]:
        return sorted({str(self.low), str((self.low + self.high) // 2), str(self.high)})


def choose(word: str, names: Sequence[str], expected: str) -> str:
    """The one name meant by a word: the same but for case, or its only beginning. Raises Refused."""
    wanted = word.casefold()
    starts = []
    for name in names:
        folded = name.casefold()
        if folded == wanted:
            return name
        if wanted and folded.startswith(wanted):
            starts.append(name)
    if len(starts) == 1:
        return starts[0]
    if starts:
        raise Refused("ambiguous", f"{word!r} could be {_either(starts)}", "write it in full")
    raise Refused("unknown-name", f"expected {expected}, got {word!r}", suggest(word, names))


def suggest(word: str, names: Sequence[str]) -> str:
    """A hint with the nearest valid name, or with all of them where none is near and they are few."""
    folded = {name.casefold(): name for name in reversed(names)}
    wanted = word.casefold()[:MAX_LINE]
    # Of thousands of names only those that begin and end most like the word: a sheet may hold many bad words.
    likely = heapq.nlargest(MOST_COMPARED, folded, key=lambda name: _ends_alike(wanted, name))
    near = difflib.get_close_matches(wanted, likely, n=1, cutoff=0.5)
    if near:
        return f"did you mean {folded[near[0]]}?"
    if not names:
        return "there is none now"
    if len(names) <= 8:
        return "possible: " + ", ".join(names)
    return ""


def _ends_alike(one: str, other: str) -> int:
    """How many signs two words have in common at their beginning and at their end."""
    return _alike(one, other) + _alike(one[::-1], other[::-1])


def _alike(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _either(names: Sequence[str]) -> str:
    shown = list(names[:6]) + (["others"] if len(names) > 6 else [])
    return ", ".join(shown[:-1]) + " or " + shown[-1]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to tell the player of his sheet.

    `severity` is "error" (the line is not taken), "warning" (taken, but look)
    or "note". `code` is stable; `text` and `hint` may be reworded. Line 0
    speaks of the sheet as a whole.
    """

    line: int
    severity: str
    code: str
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """Base of all typed orders; the docstring of a subclass is its help."""

    usage: ClassVar[str]

    def words(self) -> str:
        """The order restated for its player's receipt."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Entry:
    """An order and the number of the line it came from."""

    line: int
    order: Order


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a sheet comes to: the orders taken, and all findings, by line.

    A sheet that is not `complete` lacks what its seat is awaited for, such as
    the move itself: it is kept, but the turn is not run before its deadline on
    the strength of it.
    """

    entries: tuple[Entry, ...] = ()
    findings: tuple[Finding, ...] = ()
    complete: bool = True

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders alone, in the order written."""
        return tuple(entry.order for entry in self.entries)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings because of which lines were not taken."""
        return tuple(finding for finding in self.findings if finding.severity == "error")


@dataclass(frozen=True, slots=True)
class _Literal:
    word: str


@dataclass(frozen=True, slots=True)
class _Argument:
    name: str
    many: bool


@dataclass(frozen=True, slots=True)
class _Optional:
    parts: tuple[_Part, ...]


_Part = _Literal | _Argument | _Optional


def _compile(usage: str) -> tuple[_Part, ...]:
    stack: list[list[_Part]] = [[]]
    for piece in _PIECE.findall(usage):
        if piece == "[":
            stack.append([])
        elif piece == "]":
            group = tuple(stack.pop())
            stack[-1].append(_Optional(group))
        elif piece[0].islower():
            stack[-1].append(_Argument(piece.removesuffix("..."), piece.endswith("...")))
        else:
            stack[-1].append(_Literal(piece))
    return tuple(stack[0])


class _Mismatch(Exception):
    def __init__(self, reached: int, refused: Refused) -> None:
        super().__init__(refused.text)
        self.reached, self.refused = reached, refused


@dataclass(frozen=True)
class Verb:
    """One declared order, ready to read and write lines."""

    order: type[Order]
    parts: tuple[_Part, ...]
    kinds: Mapping[str, Kind]
    name: str
    word: str

    @classmethod
    def of(cls, order: type[Order]) -> Verb:
        """Reads a declaration. Raises TypeError when usage and fields do not agree."""
        parts = _compile(order.usage)
        kinds = _kinds(order)
        if not isinstance(parts[0], _Literal):
            raise TypeError(f"the usage of {order.__name__} must begin with its verb")
        if {part.name for part in _arguments(parts)} != set(kinds):
            raise TypeError(f"the usage of {order.__name__} does not name its fields {sorted(kinds)}")
        _check_defaults(order, parts)
        name = _HUMP.sub("-", order.__name__).lower()
        return cls(order, parts, kinds, name, parts[0].word)

    @property
    def usage(self) -> str:
        """The usage line as players see it."""
        return " ".join(self._shown(part) for part in self.parts)

    @property
    def help(self) -> str:
        """The help text: the declaration's docstring on one line."""
        return " ".join((self.order.__doc__ or "").split())

    @property
    def example(self) -> str:
        """A line that shows every part of the usage."""
        return " ".join(_example(part, self.kinds) for part in self.parts)

    @property
    def examples(self) -> tuple[str, ...]:
        """Lines that show it: with every part of the usage, and with none that may be left out."""
        least = " ".join(_example(part, self.kinds) for part in self.parts if not isinstance(part, _Optional))
        return tuple(dict.fromkeys((self.example, least)))

    def read(self, words: Sequence[str], view: _ContextView) -> Order:
        """The order of a line's words, of which the first is the verb. Raises _Mismatch."""
        values: dict[str, Any] = {}
        reached = self._match(self.parts[1:], words, 1, values, view, frozenset())
        if reached < len(words):
            extra = " ".join(words[reached:])
            raise _Mismatch(reached, Refused("extra-words", f"{extra!r} is more than {self.word} takes", self._hint()))
        return self.order(**values)

    def write(self, order: Order) -> str:
        """The line that reads as this order."""
        return " ".join(self._written(self.parts, order))

    def invent(self, view: _ContextView, dice: Dice, *key: str | int) -> str:
        """A random line of this verb, well-formed as far as the view has names for it."""
        return " ".join(self._invented(self.parts, view, dice, key))

    def _hint(self) -> str:
        return f"write: {self.usage}"

    def _shown(self, part: _Part) -> str:
        if isinstance(part, _Literal):
            return part.word
        if isinstance(part, _Optional):
            return "[" + " ".join(self._shown(inner) for inner in part.parts) + "]"
        shown = self.kinds[part.name].shown
        shown = shown if "|" in shown else f"<{shown}>"
        return f"{shown}..." if part.many else shown

    def _match(
        self,
        parts: Sequence[_Part],
        words: Sequence[str],
        at: int,
        values: dict[str, Any],
        view: _ContextView,
        after: frozenset[str],
    ) -> int:
        for index, part in enumerate(parts):
            stops = _stop_words(parts[index + 1 :], after)
            if isinstance(part, _Literal):
                at = self._literal(part, words, at)
            elif isinstance(part, _Argument):
                at = self._argument(part, words, at, values, view, stops)
            elif self._enters(part, words, at, view):
                at = self._match(part.parts, words, at, values, view, stops)
        return at

    def _literal(self, part: _Literal, words: Sequence[str], at: int) -> int:
        if at < len(words) and words[at].upper() == part.word:
            return at + 1
        raise self._missing(part.word, words, at)

    def _argument(
        self,
        part: _Argument,
        words: Sequence[str],
        at: int,
        values: dict[str, Any],
        view: _ContextView,
        stops: frozenset[str],
    ) -> int:
        kind = self.kinds[part.name]
        first = at
        read: list[Any] = []
        while at < len(words) and not (part.many and words[at].upper() in stops):
            try:
                read.append(kind.read(words[at], view))
            except Refused as refused:
                raise _Mismatch(at, self._with_usage(refused)) from None
            at += 1
            if not part.many:
                break
        if at == first:
            raise self._missing(kind.expected, words, at)
        values[part.name] = tuple(read) if part.many else read[0]
        return at

    def _missing(self, expected: str, words: Sequence[str], at: int) -> _Mismatch:
        found = f"got {words[at]!r}" if at < len(words) else "the line ends"
        return _Mismatch(at, Refused("missing-word", f"expected {expected}, {found}", self._hint()))

    def _with_usage(self, refused: Refused) -> Refused:
        return refused if refused.hint else Refused(refused.code, refused.text, self._hint())

    def _enters(self, group: _Optional, words: Sequence[str], at: int, view: _ContextView) -> bool:
        if at >= len(words):
            return False
        first = group.parts[0]
        if isinstance(first, _Literal):
            return words[at].upper() == first.word
        if isinstance(first, _Optional):
            return self._enters(first, words, at, view)
        try:
            self.kinds[first.name].read(words[at], view)
        except Refused:
            # A last optional argument is surely what an unreadable last word was meant for.
            return group == self.parts[-1]
        return True

    def _written(self, parts: Iterable[_Part], order: Order) -> Iterator[str]:
        for part in parts:
            if isinstance(part, _Literal):
                yield part.word
            elif isinstance(part, _Optional):
                if any(getattr(order, inner.name) not in (None, ()) for inner in _arguments(part.parts)):
                    yield from self._written(part.parts, order)
            else:
                kind, value = self.kinds[part.name], getattr(order, part.name)
                yield from map(_quoted, map(kind.write, value if part.many else (value,)))

    def _invented(
        self, parts: Iterable[_Part], view: _ContextView, dice: Dice, key: tuple[str | int, ...]
    ) -> Iterator[str]:
        for index, part in enumerate(parts):
            here = (*key, index)
            if isinstance(part, _Literal):
                yield part.word
            elif isinstance(part, _Optional):
                if dice.chance(1, 2, *here):
                    yield from self._invented(part.parts, view, dice, here)
            else:
                names = self.kinds[part.name].samples(view) or ["nothing"]
                for count in range(dice.roll(3, *here, "many") if part.many else 1):
                    yield _quoted(dice.pick(names, *here, count))


def _check_defaults(order: type[Order], parts: Iterable[_Part]) -> None:
    optional = {part.name for part in _arguments(group for group in parts if isinstance(group, _Optional))}
    for slot in dataclasses.fields(order):
        if slot.name in optional and slot.default is slot.default_factory is dataclasses.MISSING:
            raise TypeError(f"field {slot.name} of {order.__name__} may be left out, so it needs a default")


def _arguments(parts: Iterable[_Part]) -> Iterator[_Argument]:
    for part in parts:
        if isinstance(part, _Argument):
            yield part
        elif isinstance(part, _Optional):
            yield from _arguments(part.parts)


def _stop_words(parts: Sequence[_Part], after: frozenset[str]) -> frozenset[str]:
    """The words before which a `field...` ends: those that may follow it, `after` being what follows all parts."""
    stops: set[str] = set()
    for part in parts:
        if isinstance(part, _Literal):
            return frozenset({*stops, part.word})
        if isinstance(part, _Optional) and isinstance(part.parts[0], _Literal):
            stops.add(part.parts[0].word)
    return after | stops


def _example(part: _Part, kinds: Mapping[str, Kind]) -> str:
    if isinstance(part, _Literal):
        return part.word
    if isinstance(part, _Optional):
        return " ".join(_example(inner, kinds) for inner in part.parts)
    return kinds[part.name].example


def _kinds(order: type[Order]) -> dict[str, Kind]:
    hints = typing.get_type_hints(order, include_extras=True)
    kinds = {}
    for slot in dataclasses.fields(order):
        found = [extra for extra in getattr(hints[slot.name], "__metadata__", ()) if isinstance(extra, Kind)]
        if len(found) != 1:
            raise TypeError(f"field {slot.name} of {order.__name__} needs exactly one Kind in Annotated")
        kinds[slot.name] = found[0]
    return kinds


def _quoted(word: str) -> str:
    return f'"{word}"' if not word or _PARTING.search(word) else word


def split_words(line: str) -> list[str]:
    """The words of a line: blanks and commas part them, quotes hold them together, comments go."""
    words = []
    for match in _TOKEN.finditer(line):
        quoted, comment, plain = match.groups()
        if comment is not None:
            break
        words.append(plain if plain is not None else quoted)
    return words


def join_lines(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The numbered lines with those that end in a backslash, not one of a comment, joined to the next."""
    start, held = 0, ""
    for number, line in lines:
        start = start or number
        stripped = line.rstrip()
        if stripped.endswith("\\") and not _has_comment(stripped):
            held += stripped[:-1] + " "
            continue
        yield start, held + line
        start, held = 0, ""
    if held:
        yield start, held


def _has_comment(line: str) -> bool:
    return any(comment is not None for _, comment, _ in (match.groups() for match in _TOKEN.finditer(line)))


@dataclass(frozen=True)
class OrderBook:
    """All orders of a game."""

    types: tuple[type[Order], ...]
    verbs: tuple[Verb, ...] = field(init=False)
    _by_word: dict[str, list[Verb]] = field(init=False, repr=False)
    _by_name: dict[str, Verb] = field(init=False, repr=False)
    _by_type: dict[type[Order], Verb] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        verbs = tuple(map(Verb.of, self.types))
        by_word: dict[str, list[Verb]] = {}
        for verb in verbs:
            by_word.setdefault(verb.word, []).append(verb)
        object.__setattr__(self, "verbs", verbs)
        object.__setattr__(self, "_by_word", by_word)
        object.__setattr__(self, "_by_name", {verb.name: verb for verb in verbs})
        object.__setattr__(self, "_by_type", {verb.order: verb for verb in verbs})

    def parse(self, view: _ContextView, lines: Iterable[tuple[int, str]]) -> Parsed:
        """The orders of numbered lines, and what is wrong with the rest. Never raises on any text."""
        entries: list[Entry] = []
        findings: list[Finding] = []
        for count, (number, line) in enumerate(join_lines(lines)):
            if count >= MAX_LINES or len(findings) >= MAX_ERRORS:
                findings.append(Finding(number, "error", "too-much", "the sheet was read no further than here"))
                break
            try:
                order = self._read(line, view)
            except Refused as refused:
                findings.append(Finding(number, "error", refused.code, refused.text, refused.hint))
            else:
                if order is not None:
                    entries.append(Entry(number, order))
        return Parsed(tuple(entries), tuple(findings))

    def line(self, order: Order) -> str:
        """The line of a sheet that reads as this order."""
        return self._by_type[type(order)].write(order)

    def to_json(self, order: Order) -> dict[str, Any]:
        """The order as JSON data; tuples become lists."""
        verb = self._by_type[type(order)]
        return {"order": verb.name, **{name: _thawed(getattr(order, name)) for name in verb.kinds}}

    def from_json(self, data: Mapping[str, Any]) -> Order:
        """The order of `to_json` data. Raises KeyError or TypeError on other data."""
        values = {name: _frozen(value) for name, value in data.items() if name != "order"}
        return self._by_name[data["order"]].order(**values)

    def reference(self) -> str:
        """The order reference in Markdown, for rulebooks."""
        return "\n".join(f"- `{verb.usage}`  \n  {verb.help}  \n  Example: `{verb.example}`" for verb in self.verbs)

    def invent(self, view: _ContextView, dice: Dice, *key: str | int) -> str:
        """A random line, well-formed as far as the view has names for it."""
        return dice.pick(self.verbs, *key, "verb").invent(view, dice, *key)

    def _read(self, line: str, view: _ContextView) -> Order | None:
        if len(line) > MAX_LINE:
            raise Refused("too-long", f"the line has {len(line)} characters; {MAX_LINE} are read at the most")
        words = split_words(line)
        if not words:
            return None
        best: _Mismatch | None = None
        for verb in self._find(words[0]):
            try:
                return verb.read(words, view)
            except _Mismatch as mismatch:
                if best is None or mismatch.reached > best.reached:
                    best = mismatch
        assert best is not None
        raise best.refused

    def _find(self, typed: str) -> list[Verb]:
        word = typed.upper()
        if word in self._by_word:
            return self._by_word[word]
        starts = [known for known in self._by_word if known.startswith(word)]
        if len(word) >= SHORTEST_ABBREVIATION and len(starts) == 1:
            return self._by_word[starts[0]]
        if len(word) >= SHORTEST_ABBREVIATION and starts:
            raise Refused("ambiguous-verb", f"{typed!r} could be {_either(starts)}", "write it in full")
        raise Refused("unknown-verb", f"{typed!r} is not an order", suggest(word, list(self._by_word)))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _thawed(value: Any) -> Any:
    return list(map(_thawed, value)) if isinstance(value, tuple) else value
