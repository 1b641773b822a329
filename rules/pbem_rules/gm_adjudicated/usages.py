"""The GM's verbs with arguments: usages such as "MARCH <army:number 1..9> TO <place>", read, written and offered.

In angle brackets stands the name of an argument and, behind a colon, its kind:
`number 1..9`, `word`, `seat`, `slow|fast`, the name of a list of the campaign, or
last of all `text`, the player's own words to the end of the line. Where name and
kind are the same, one will do. `[…]` may be left out, `<place>...` takes one or more.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, cast

from pbem.ruleset import (
    Field,
    FieldError,
    Finding,
    IntegerField,
    KeywordField,
    NameField,
    Order,
    OrderParser,
    SetupError,
    split_tokens,
    suggest,
)
from pbem_rules.gm_adjudicated.words import AnyWord, Line, RestOfLine

NUMBER, WORD, SEAT, TEXT = "number", "word", "seat", "text"
KINDS = (NUMBER, WORD, SEAT, TEXT)

LARGEST = 999_999_999
LONGEST_USAGE = 200

Lists = Mapping[str, tuple[str, ...]]
"""The campaign's own lists, such as its places, by name."""

_PIECE = re.compile(r"<([^<>]{1,120})>(\.\.\.)?|[\[\]]|[^\s\[\]<>]++")
_ARGUMENT = re.compile(r"([a-z][a-z0-9_]{0,19})(?:\s{0,9}:\s{0,9}(.{1,100}))?")
_RANGE = re.compile(r"number(?:\s{1,9}(-?[0-9]{1,9})\s{0,9}\.\.\s{0,9}(-?[0-9]{1,9}))?")
_LITERAL = re.compile(r"[A-Z][A-Z0-9-]{0,19}")
_COLON = re.compile(r"(?<=[\w\"]):(?=\s)")
_ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True)
class ListedName(NameField):
    """One of the names of a list, also with or without an article before it."""

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        if word.casefold() in _ARTICLES:  # "the" alone is not short for "the pass"
            raise FieldError("unknown-name", f"{word} is not {self.expected}", "put a name with blanks in quotes", word)
        try:
            return super().read(word, view)
        except FieldError:
            meant = [name for name in self.names(view) if _without_article(name) == _without_article(word)]
            if len(meant) != 1:
                raise
            return meant[0]


def _without_article(name: str) -> str:
    first, _, rest = name.casefold().partition(" ")
    return rest if rest and first in _ARTICLES else name.casefold()


@dataclass(frozen=True)
class Usages:
    """The verbs that have arguments: `everything` to offer them, with SAY; `plain` and `texts` to read their lines."""

    everything: OrderParser
    plain: OrderParser
    texts: OrderParser
    words: frozenset[str]

    def read(self, view: Mapping[str, Any], number: int, line: str) -> tuple[str, tuple[Finding, ...]]:
        """Return a line as its usage writes it, and its findings; a line with another verb is returned unchanged.

        Raises:
            FieldError: If the line does not fit the usage, or if what the usage writes
                would be read differently again.
        """
        if line.partition(" ")[0] not in self.words:
            return line, ()
        written, findings = self._read(view, number, line)
        try:  # the record keeps the written line, which must be read as the same order in a replay
            again, _ = self._read(view, number, written)
        except FieldError:
            again = ""
        if again != written:
            raise FieldError("ambiguous", "it can be read in several ways", "")
        return written, findings

    def _read(self, view: Mapping[str, Any], number: int, line: str) -> tuple[str, tuple[Finding, ...]]:
        verb = line.partition(" ")[0]
        with_text = any(known.word == verb for known in self.texts.verbs)
        book = self.texts if with_text else self.plain
        parsed = book.parse(view, [(number, line)])
        if with_text and not parsed.entries:
            line = _COLON.sub("", line, count=1)  # "TELL blue: come" is "TELL blue come"
            parsed = book.parse(view, [(number, line)])
        if not parsed.entries:
            slip = parsed.errors[0]
            raise FieldError(slip.code, slip.text, slip.hint)
        order = parsed.orders[0]
        return (_verbatim(book, order, line), ()) if with_text else (book.line(order), parsed.findings)

    def invent(self, view: Mapping[str, Any], verb: str, dice: Any, *key: str | int) -> str:
        """Return a random line of a verb."""
        return next(known for known in self.everything.verbs if known.word == verb).invent(view, dice, *key)


def _verbatim(book: OrderParser, order: Order, line: str) -> str:
    """Return the line with its text exactly as typed."""
    (text,) = (slot.name for slot in dataclasses.fields(order) if slot.name.startswith(TEXT))
    tokens = split_tokens(line)
    start = tokens[len(tokens) - len(getattr(order, text))].start
    head = book.line(dataclasses.replace(order, **{text: ()}))
    return f"{head} {line[start:]}"


def usages_of(view: Mapping[str, Any]) -> Usages:
    declared = tuple((verb["verb"], verb["help"], verb.get("usage", "")) for verb in view["verbs"])
    lists = tuple((name, tuple(names)) for name, names in view["lists"].items())
    return _usages(declared, lists)


def check_usages(helps: Mapping[str, str], usages: Mapping[str, str], lists: Lists) -> None:
    """Raise SetupError, naming the verb, if a usage cannot be read."""
    _usages(
        tuple((verb, help_, usages.get(verb, "")) for verb, help_ in helps.items()),
        tuple((name, tuple(names)) for name, names in lists.items()),
    )


@lru_cache(maxsize=64)
def _usages(declared: tuple[tuple[str, str, str], ...], lists: tuple[tuple[str, tuple[str, ...]], ...]) -> Usages:
    known = dict(lists)
    types = [_Usage(verb, usage, known).order(help_) for verb, help_, usage in declared if usage]
    texts = [each for each in types if each.usage.split()[-1].startswith(TEXT)]
    return Usages(
        everything=OrderParser((*types, Line)),
        plain=OrderParser(tuple(each for each in types if each not in texts)),
        texts=OrderParser(tuple(texts), loosely=False),
        words=frozenset(verb for verb, _, usage in declared if usage),
    )


@dataclass
class _Usage:
    """A usage as a GM writes it, converted piece by piece to an order type."""

    verb: str
    text: str
    lists: Lists
    pieces: list[str] = field(default_factory=list)
    fields: list[tuple[str, Any, Any]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    depth: int = 0

    def order(self, help_: str) -> type[Order]:
        """Return the order type; raise SetupError."""
        if len(self.text) > LONGEST_USAGE or _PIECE.sub("", self.text).strip():
            raise self._wrong(f"cannot be read: write it like {self.verb} <army:number 1..9> TO <place>")
        for match in _PIECE.finditer(self.text):
            self._take(match)
        if self.depth or self.pieces[:1] != [self.verb]:
            raise self._wrong(f"must begin with {self.verb}, and close each [")
        if any(name.startswith(TEXT) for name, _, _ in self.fields[:-1]) or self._has_text_inside():
            raise self._wrong("has words behind a text, which is all that stands to the end of the line")
        namespace = {"usage": " ".join(self.pieces), "__doc__": help_ or f"An order of the verb {self.verb}."}
        made = dataclasses.make_dataclass(
            self.verb.title().replace("-", ""),
            self.fields,
            bases=(Order,),
            namespace=namespace,
            frozen=True,
            kw_only=True,
        )
        return cast("type[Order]", made)

    def _has_text_inside(self) -> bool:
        last = self.fields[-1][0] if self.fields else ""
        return last.startswith(TEXT) and self.pieces[-1] != f"{last}..."

    def _take(self, match: re.Match[str]) -> None:
        piece = match[0]
        if match[1]:
            self._argument(match[1].strip(), many=bool(match[2]))
            return
        if piece in "[]":
            self.depth += 1 if piece == "[" else -1
            if self.depth < 0 or (piece == "]" and self.pieces[-1] == "["):
                raise self._wrong("has a ] without words before it")
        elif not _LITERAL.fullmatch(piece := piece.upper()):
            raise self._wrong(f"has {piece!r}: a word to type has 1 to 20 of A-Z, 0-9 and -, a letter first")
        self.pieces.append(piece)

    def _argument(self, text: str, *, many: bool) -> None:
        many = many or text.endswith("...")
        found = _ARGUMENT.fullmatch(text.removesuffix("...").strip())
        spec = text.removesuffix("...").strip()
        if found is None and not _RANGE.fullmatch(spec):
            raise self._wrong(f"has <{text}>: write it like <army:number 1..9>")
        name = found[1] if found else NUMBER
        kind = self._kind(name, (found[2] or found[1]).strip() if found else spec)
        if name in self.names:
            raise self._wrong(f"has two arguments called {name}")
        self.names.add(name)
        many = many or isinstance(kind, RestOfLine)
        slot = f"{TEXT if isinstance(kind, RestOfLine) else 'field'}{len(self.fields)}"
        default = dataclasses.field(default=() if many else None) if self.depth else dataclasses.field()
        self.fields.append((slot, Annotated[Any, kind], default))
        self.pieces.append(f"{slot}..." if many else slot)

    def _kind(self, name: str, spec: str) -> Field:
        number = _RANGE.fullmatch(spec)
        if number:
            low, high = int(number[1] or 0), int(number[2] or LARGEST)
            if low > high:
                raise self._wrong(f"has no number from {low} to {high}")
            return IntegerField(low, high, shown=name)
        if "|" in spec:
            return KeywordField(tuple(self._choices(spec)))
        if spec in self.lists:
            names = tuple(self.lists[spec])
            return ListedName(name, f"{'an' if spec[0] in 'aeiou' else 'a'} {spec}", names[0], lambda _: names)
        if spec == SEAT:
            return NameField(name, "a seat", "red", lambda view: tuple(view["seats"]))
        if spec in (WORD, TEXT):
            return AnyWord(name) if spec == WORD else RestOfLine(name)
        kinds = [*KINDS, *self.lists]
        raise self._wrong(f"has <{name}>, which is no kind: {suggest(spec, kinds) or 'possible: ' + ', '.join(kinds)}")

    def _choices(self, spec: str) -> Iterator[str]:
        for choice in spec.split("|"):
            word = choice.strip()
            if not word or not word.isprintable() or any(sign in word for sign in ' ,;#"'):
                raise self._wrong(f"has {choice!r} as a choice: each is one word")
            yield word

    def _wrong(self, why: str) -> SetupError:
        return SetupError(f"option verbs: the usage {self.text[:80]!r} of {self.verb} {why}")
