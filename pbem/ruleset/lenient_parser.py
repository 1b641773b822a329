"""Lenient reading of order lines that do not keep to the rules of a sheet.

Filler words are skipped (`the`, `please`, a `to` where the usage has none),
prepositions of the usage may be missing, lists may be written `a/b`, `a & b` or
`a and b`, and names with blanks need no quotes. Such a reading counts only if no
other is as good: an ambiguous line is not guessed.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset.fields import ContextView, Field, FieldError, list_names, show_word
from pbem.ruleset.order_types import Argument, Literal, Optional, Order, OrderType, ParseMismatch, Part, missing_word
from pbem.ruleset.tokenizer import ARROW, Token, comment_mark, comment_of, split_words, without_comment

PREPOSITIONS = frozenset(
    {
        "TO",
        "AT",
        "WITH",
        "ON",
        "IN",
        "OF",
        "INTO",
        "ONTO",
        "BY",
        "FOR",
        "VIA",
        "AGAINST",
        "AS",
        "TOWARD",
        "TOWARDS",
        "FROM",
    }
)
"""Words of a usage that a line may leave out."""

LISTING = frozenset({"AND", "&", "/", "THEN"})
"""Separators between the items of a list."""

EXCEPTING = frozenset({"NOT", "NO", "DON'T", "DONT", "NEVER", "EXCEPT", "BUT", "UNLESS", "IF", "WITHOUT", "WHEN", "OR"})
"""Words that limit a statement: in a line with one of them no item of a list is dropped."""

FILLERS = (
    (PREPOSITIONS - {"FROM", "AS"})
    | LISTING
    | frozenset(
        {
            *("THE", "A", "AN", "MY", "OUR"),
            *("PLEASE", "PLS", "PLZ", "THANKS", "THX"),
            *("-", "--", "="),
        }
    )
)
"""Words that mean nothing where a usage does not have them. FROM is not among them: it reverses the meaning."""

TAKING_BACK = frozenset(
    {
        *("CANCEL", "CANCELLED", "CANCELED", "DELETE", "FORGET", "UNDO", "SCRATCH", "STRIKE", "REMOVE", "REVOKE"),
        *("RESCIND", "RETRACT", "WITHDRAW", "IGNORE", "DISREGARD", "OMIT", "ERASE", "ABORT", "ANNUL"),
        *("NOT", "NO", "DON'T", "DONT", "DO NOT", "NEVER", "NEITHER", "NOR", "WON'T", "WONT", "INSTEAD", "WITHOUT"),
    }
)
"""Words that begin a line by which an order is taken back or denied; a game may have verbs among them."""

OPENERS = frozenset(["PLEASE", "PLS", "PLZ", "THEN", "AND", "ALSO", "NEXT", "FINALLY"])
"""Words that may come before a verb."""

MOST_STEPS = 3_000
"""Attempts to fit a line; one that takes more is not understood."""

MOST_JOINED = 24
"""Words that are joined to one value."""

MOST_LISTED = 100
"""Items of a list."""

_LETTERS = re.compile(r"[A-Za-z]+")
_NUMBER = re.compile(r"[+-]?[0-9]+")
_SIGNED = re.compile(r"[+-][0-9]*")

# Cost of a reading that drops an item of a list, and of one that ignores FROM and the word behind it.
_DROPPED, _FROM = 100, 1


@dataclass(frozen=True, slots=True)
class Omission:
    """Words of a line that a reading leaves out; `why` is set for an item dropped from a list."""

    words: str
    why: FieldError | None = None


@dataclass(frozen=True, slots=True)
class Interpretation:
    """An order that a line can mean, and the words of the line that this reading leaves out."""

    order: Order
    remarks: tuple[Omission, ...] = ()

    @property
    def cost(self) -> int:
        """The weight of the omissions; of several readings the cheapest counts."""
        return sum(_DROPPED if remark.why else _FROM for remark in self.remarks)


class _Exhausted(Exception):
    pass


def without_openers(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens of a line from its verb on."""
    start = next((at for at, token in enumerate(tokens) if token.text.upper() not in OPENERS), len(tokens))
    return list(tokens[start:])


MOST_REMARKS = 100
"""Lines of a sheet whose comments are searched for orders: each takes as long as several lines without a comment."""

MOST_PARTS = 5
"""Parts of a comment that are searched for orders."""

_CONNECTING = frozenset({"THEN", "AND", "ALSO", "NEXT", "AFTERWARDS", "FINALLY", "&"})


def orders_in_remark(line: str, read: Callable[[str], object]) -> Iterator[FieldError]:
    """Yield a warning for each part of a comment that reads as an order, or as the rest of the order before it.

    Words that do not change the order are an ordinary remark, and so is a whole line that is a comment.

    Args:
        line: A line of a sheet.
        read: Returns the meaning of a text as an order, or None if it is not an order.
    """
    behind = comment_of(line)
    body = without_comment(line) if behind.strip() else ""
    words = split_words(body)
    if not words:
        return
    before, mark = read(body), comment_mark(line)
    for part in itertools.islice(filter(split_words, behind.split(";")), MOST_PARTS):
        rest_of_order = _strip_connectives(part)
        # The first word alone, too: of several words behind a ; one may be wrong.
        more = (f"{body} {part}", f"{words[0]} {part}", f"{body} {rest_of_order.partition(' ')[0].rstrip(',')}")
        alone, *rest = (read(text) for text in (rest_of_order, *more))
        if alone not in (None, before):
            text = f"{_excerpt(part)!r} stands behind a {mark} and so is a remark, not an order"
            yield FieldError("second-order", text, "write one order a line")
        elif any(found not in (None, before) for found in rest):
            text = f"{_excerpt(part)!r} stands behind a {mark} and so is a remark, not a part of the order"
            yield FieldError("order-rest", text, f"leave the {mark} out, or write one order a line")


def _strip_connectives(part: str) -> str:
    """Return a part without words such as "and then" at its start."""
    words = part.split()
    return " ".join(itertools.dropwhile(lambda word: word.rstrip(",").upper() in _CONNECTING, words))


def _excerpt(part: str) -> str:
    return " ".join(part.split())[:80]


def parse_leniently(verbs: Sequence[OrderType], tokens: Sequence[Token], view: ContextView) -> Interpretation:
    """Return the only order that a line can mean.

    Raises:
        ParseMismatch: The line fits none of the verbs, or fits several readings equally well; `reached` counts
            characters, and is `END` in the second case.
    """
    searches = [_Search(verb, tokens, view) for verb in verbs]
    found: dict[Order, Interpretation] = {}
    for search in searches:
        for reading in search.readings():
            if reading.order not in found or reading.cost < found[reading.order].cost:
                found[reading.order] = reading
    least = min((reading.cost for reading in found.values()), default=0)
    best = [reading for reading in found.values() if reading.cost == least]
    if len(best) == 1:
        return best[0]
    if best:
        by_order = {verb.order: verb for verb in verbs}
        lines = [by_order[type(reading.order)].write(reading.order) for reading in best]
        raise ParseMismatch(END, FieldError("ambiguous", f"this could mean {list_names(lines)}", "write one of them"))
    raise max((search.furthest for search in searches), key=lambda mismatch: mismatch.reached)


END = 1_000_000
"""Position of the end of a line, after any of its words."""


@dataclass
class _Search:
    """Backtracking search for all ways to fit a line to one verb.

    `furthest` is the failure that occurred furthest to the right: the best one to tell the player.
    """

    verb: OrderType
    tokens: Sequence[Token]
    view: ContextView
    furthest: ParseMismatch = field(init=False)
    steps: int = 0
    _cache: dict[tuple[str, str, bool], Any] = field(default_factory=dict)
    _fillers: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.furthest = ParseMismatch(-1, FieldError("missing-word", "the line cannot be read", self.verb.hint))
        self._fillers = FILLERS - self.verb.literals | {ARROW}

    def readings(self) -> Iterator[Interpretation]:
        """Yield the readings found before the search was exhausted or gave up."""
        try:
            for values, remarks in self._parts(self.verb.parts[1:], 1, {}, ()):
                yield Interpretation(self.verb.order(**values), remarks)
        except _Exhausted:
            return

    def _parts(
        self, parts: tuple[Part, ...], at: int, values: dict[str, Any], remarks: tuple[Omission, ...]
    ) -> Iterator[tuple[dict[str, Any], tuple[Omission, ...]]]:
        self.steps += 1
        # Optional parts and fillers multiply: a hostile line could have more readings than time.
        if self.steps > MOST_STEPS:
            raise _Exhausted
        if not parts:
            yield from self._close(at, values, remarks)
            return
        head, rest = parts[0], parts[1:]
        if isinstance(head, Optional):
            yield from self._parts(head.parts + rest, at, values, remarks)
            yield from self._parts(rest, at, values, remarks)
        elif isinstance(head, Literal):
            yield from self._literal(head, rest, at, values, remarks)
        else:
            yield from self._argument(head, rest, at, values, remarks)

    def _close(
        self, at: int, values: dict[str, Any], remarks: tuple[Omission, ...]
    ) -> Iterator[tuple[dict[str, Any], tuple[Omission, ...]]]:
        for start, more in self._starts(at):
            if start == len(self.tokens):
                yield values, remarks + more
                return
        extra = " ".join(token.text for token in self.tokens[at:])
        text = f"{show_word(extra)} is more than {self.verb.word} takes"
        self._fail(at, FieldError("extra-words", text, self.verb.hint))

    def _starts(self, at: int) -> Iterator[tuple[int, tuple[Omission, ...]]]:
        """Yield the positions where the next part may begin: here, or after words without meaning."""
        yield at, ()
        while at < len(self.tokens) and self._is_filler(at):
            at += 1
            yield at, ()
        if at + 1 < len(self.tokens) and self._word(at) == "FROM" and "FROM" not in self.verb.literals:
            # Directly after the verb FROM may be a filler; elsewhere it names an origin, which is left out with it.
            if at == 1:
                yield at + 1, ()
            end = at + 2
            while end < len(self.tokens) and self.tokens[end].listed and _NUMBER.fullmatch(self.tokens[end].text):
                end += 1
            words = f"{self.tokens[at].text} {','.join(token.text for token in self.tokens[at + 1 : end])}"
            for start, more in self._starts(end):
                yield start, (Omission(words), *more)

    def _is_filler(self, at: int) -> bool:
        return self._word(at) in self._fillers and not self.tokens[at].quoted and not self._is_sign(at)

    def _is_sign(self, at: int) -> bool:
        """Return True for a dash before a number: it may be a minus, which is never left out."""
        following = self.tokens[at + 1 : at + 2]
        return self.tokens[at].text.startswith("-") and bool(following) and following[0].text[:1].isdecimal()

    def _word(self, at: int) -> str:
        return self.tokens[at].text.upper()

    def _literal(
        self,
        part: Literal,
        rest: tuple[Part, ...],
        at: int,
        values: dict[str, Any],
        remarks: tuple[Omission, ...],
    ) -> Iterator[tuple[dict[str, Any], tuple[Omission, ...]]]:
        stands = False
        for start, more in self._starts(at):
            if start < len(self.tokens) and self._word(start) == part.word:
                stands = True
                yield from self._parts(rest, start + 1, values, remarks + more)
        if part.word in PREPOSITIONS and not stands:
            yield from self._parts(rest, at, values, remarks)
        elif not stands:
            self._miss(part.word, at)

    def _argument(
        self,
        part: Argument,
        rest: tuple[Part, ...],
        at: int,
        values: dict[str, Any],
        remarks: tuple[Omission, ...],
    ) -> Iterator[tuple[dict[str, Any], tuple[Omission, ...]]]:
        fits = self._items if part.many else self._single
        for start, more in self._starts(at):
            for value, after, left_out in fits(part, start):
                yield from self._parts(rest, after, {**values, part.name: value}, remarks + more + left_out)

    def _single(self, part: Argument, at: int) -> Iterator[tuple[Any, int, tuple[Omission, ...]]]:
        """Yield the values of a field that begin at a token, each with its end and its omissions."""
        kind = self.verb.kinds[part.name]
        if at >= len(self.tokens):
            self._miss(kind.expected, at)
            return
        refused: list[FieldError] = []
        for word, after in self._join_tokens(kind, at):
            read = self._read(part.name, word, spare=False)
            if not isinstance(read, FieldError):
                yield read, after, ()
                continue
            refused.append(read)
            spared = self._read(part.name, word, spare=True) if self._is_list(at, after) else read
            if not isinstance(spared, FieldError):
                value, dropped = spared
                yield value, after, tuple(Omission(why.word or word, why) for why in dropped)
        if refused and isinstance(self._read(part.name, self.tokens[at].text, spare=False), FieldError):
            best = next((why for why in refused if why.hint.startswith("did you mean")), refused[0])
            self._fail(at, best if best.hint else FieldError(best.code, best.text, self.verb.hint, best.word))

    def _is_list(self, at: int, end: int) -> bool:
        """Return True if the tokens are a list, in one word or with separators, in a line without a limiting word."""
        between = range(at + 1, end)
        listed = (self.tokens[here].listed or LISTING & {self._word(here), self._word(here - 1)} for here in between)
        return not self._excepting and all(listed)

    @functools.cached_property
    def _excepting(self) -> bool:
        return any(token.text.upper() in EXCEPTING for token in self.tokens)

    def _items(self, part: Argument, at: int) -> Iterator[tuple[tuple[Any, ...], int, tuple[Omission, ...]]]:
        """Yield lists that begin at a token and have at least one good item, the longest first."""
        return ((value, end, left_out) for value, end, left_out in self._tails(part, at, MOST_LISTED) if value)

    def _tails(self, part: Argument, at: int, most: int) -> Iterator[tuple[tuple[Any, ...], int, tuple[Omission, ...]]]:
        """Yield all continuations of a list from a token on."""
        for value, after, left_out in self._item(part, at):
            behind = after
            while behind < len(self.tokens) and self._is_filler(behind):
                behind += 1
            if behind < len(self.tokens) and most:
                for more, end, also in self._tails(part, behind, most - 1):
                    yield value + more, end, left_out + also
            yield value, after, left_out

    def _item(self, part: Argument, at: int) -> Iterator[tuple[tuple[Any, ...], int, tuple[Omission, ...]]]:
        """Yield the readings of one item: a value, several values in one word with slashes, or a bad item to drop."""
        fitted = False
        for value, after, left_out in self._single(part, at):
            fitted = True
            yield (value,), after, left_out
        if fitted or at >= len(self.tokens):
            return
        pieces = [piece for piece in self.tokens[at].text.split("/") if piece]
        read = [self._read(part.name, piece, spare=False) for piece in pieces]
        good = tuple(value for value in read if not isinstance(value, FieldError))
        if len(pieces) > 1 and len(good) == len(read):
            yield good, at + 1, ()
        # "ALL EXCEPT R1" must not become R1: with a limiting word nothing is dropped.
        elif part.name in self.verb.sparing and not self._excepting:
            bad = [(piece, why) for piece, why in zip(pieces, read, strict=True) if isinstance(why, FieldError)]
            yield good, at + 1, tuple(Omission(piece, why) for piece, why in bad)

    def _join_tokens(self, kind: Field, at: int) -> Iterator[tuple[str, int]]:
        """Yield the words that may stand for one value, each with its end: the first token alone, or several joined."""
        behind = [token.text for token in itertools.takewhile(_is_plain, self.tokens[at : at + 3])]
        # "J1 - 9" is J1-9, if the field reads that; else its error tells more than that of J1.
        if len(behind) == 3 and behind[1] in "+-" and behind[2][0].isdecimal():
            yield "".join(behind), at + 3
        signed = len(behind) > 1 and _SIGNED.fullmatch(behind[1])
        if signed:
            yield "".join(behind[:2]), at + 2
        yield self.tokens[at].text, at + 1
        if len(behind) > 1 and not signed and _is_split_name(*behind[:2]):
            yield "".join(behind[:2]), at + 2
        most = min(kind.longest(self.view), len(self.tokens) - at, MOST_JOINED)
        for count in range(2, most + 1):
            yield " ".join(token.text for token in self.tokens[at : at + count]), at + count
        if kind.glue == "/":
            yield from self._join_at_slashes(at)
        elif kind.glue == ",":
            yield from self._points(at)

    def _points(self, at: int) -> Iterator[tuple[str, int]]:
        for count in (2, 3):
            numbers = [token.text for token in self.tokens[at : at + count]]
            if len(numbers) == count and all(map(_NUMBER.fullmatch, numbers)):
                yield ",".join(numbers), at + count

    def _join_at_slashes(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield tokens joined by slashes, without the filler words between them."""
        words, end = [self.tokens[at].text], at + 1
        while len(words) < MOST_JOINED:
            while end < len(self.tokens) and self._is_filler(end):
                end += 1
            if end >= len(self.tokens) or self.tokens[end].quoted:
                return
            words.append(self.tokens[end].text)
            end += 1
            yield "/".join(words), end

    def _read(self, name: str, word: str, *, spare: bool) -> Any:
        """Return the value of a word, or the FieldError; each field is asked only once for each word."""
        key = (name, word, spare)
        if key not in self._cache:
            kind = self.verb.kinds[name]
            self.steps += 1
            try:
                self._cache[key] = kind.spare(word, self.view) if spare else kind.read(word, self.view)
            except FieldError as refused:
                self._cache[key] = refused
        return self._cache[key]

    def _miss(self, expected: str, at: int) -> None:
        found = self.tokens[at].text if at < len(self.tokens) else None
        self._fail(at, missing_word(expected, found, self.verb.hint))

    def _fail(self, at: int, refused: FieldError) -> None:
        reached = self.tokens[at].start if at < len(self.tokens) else END
        if reached > self.furthest.reached:
            self.furthest = ParseMismatch(reached, refused)


def _is_plain(token: Token) -> bool:
    return not token.quoted


def _is_split_name(first: str, second: str) -> bool:
    """Return True if two words are an id or a square with a blank in it, such as R 101."""
    return bool(_LETTERS.fullmatch(first) and len(first) < 4 and "0" <= second[:1] <= "9")
