r"""Parser of order sheets, which follows from the declarations of a game's orders.

An `OrderParser` reads sheets, words findings, writes orders as lines and as JSON,
documents every verb and generates random lines for tests.

A sheet has one order a line. Verbs, words and names are case-insensitive; a verb
may be cut to three letters or more if it stays unambiguous; commas are blanks;
"quotes" hold names with blanks; `;`, `#`, `%` and `//` begin comments, and `/* */`
holds one, also of several lines; a trailing `\` continues on the next line. A line
that does not keep to this is read leniently (`loosely`), and accepted if it can mean
one thing only.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset.dice import Dice
from pbem.ruleset.fields import LONGEST_SHOWN, ContextView, Field, FieldError, list_names, nearest, show_word, suggest
from pbem.ruleset.lenient_parser import (
    END,
    MOST_REMARKS,
    OPENERS,
    TAKING_BACK,
    Interpretation,
    Omission,
    orders_in_remark,
    parse_leniently,
    without_openers,
)
from pbem.ruleset.order_types import (
    RESIGNS,
    Finding,
    Literal,
    Optional,
    Order,
    OrderType,
    ParsedOrder,
    ParsedSheet,
    ParseMismatch,
    Part,
    read_first,
)
from pbem.ruleset.tokenizer import (
    Token,
    comment_of,
    join_lines,
    plain_signs,
    split_leniently,
    split_tokens,
    without_comment,
)

FORMAT = 2
"""Version of the order form data; it grows when clients have to be changed."""

# As the form of a report has them.
_BLANK = re.compile(r"<[a-z][a-z -]{0,30}>")
_PARTED_SIGN = re.compile(r"(?<!\S)\S++\s++[-+]\s*+[0-9]")
_NOT_IN_IDS = re.compile(r"[^a-z0-9]+")


def order_form_data(verbs: Iterable[OrderType], view: ContextView) -> dict[str, Any]:
    """Return the data of an order form: verbs, and the words that their fields may hold, given a view.

    `verbs` have `name` (as in orders stored as JSON), `word` and `also` (other words
    for it), `usage`, `help`, `examples`, `slot`, `mark` and `grave` (see `Order`), and
    `parts`, the first of which is the word to begin with. A part is `{"word": "AT"}`,
    to be written as it is; `{"field": "ship", "kind": "ship-2", "many": false}`, to be
    filled in by one word of that kind, or with `many` by one or more; or `{"optional":
    [part, …]}`, to be left out as a whole. `kinds` says by id how each is `shown` in
    usages, what is `expected`, an `example`, and its `form`. A word with a blank,
    comma, quote, `;`, `#`, `%`, `//` or `/*` in it is written in quotes.
    """
    kinds = _Kinds(view)
    return {"format": FORMAT, "verbs": [_verb_data(verb, kinds) for verb in verbs], "kinds": kinds.data}


def _verb_data(verb: OrderType, kinds: _Kinds) -> dict[str, Any]:
    return {
        "name": verb.name,
        "word": verb.word,
        "also": list(verb.order.also),
        "usage": verb.usage,
        "help": verb.help,
        "examples": list(verb.examples),
        "parts": _parts_data(verb.parts, verb, kinds),
        "slot": verb.order.slot,
        "mark": dataclasses.asdict(verb.order.mark) if verb.order.mark else None,
        "grave": verb.order.grave or bool(verb.order.ends_seat),
    }


def _parts_data(parts: Sequence[Part], verb: OrderType, kinds: _Kinds) -> list[dict[str, Any]]:
    return [_part_data(part, verb, kinds) for part in parts]


def _part_data(part: Part, verb: OrderType, kinds: _Kinds) -> dict[str, Any]:
    if isinstance(part, Literal):
        return {"word": part.word}
    if isinstance(part, Optional):
        return {"optional": _parts_data(part.parts, verb, kinds)}
    return {"field": part.name, "kind": kinds.id_of(verb.kinds[part.name]), "many": part.many}


class _Kinds:
    """The kinds used so far, each written once; ids are made from their names in usage lines."""

    def __init__(self, view: ContextView) -> None:
        self.data: dict[str, dict[str, Any]] = {}
        self._view = view

    def id_of(self, kind: Field) -> str:
        """Return the id of a kind, adding the kind if none is equal to it."""
        data = {
            "shown": kind.shown,
            "expected": kind.expected,
            "example": kind.example,
            "form": kind.form(self._view).to_json(),
        }
        for known, other in self.data.items():
            if other == data:
                return known
        new = self._unused_name(_NOT_IN_IDS.sub("-", kind.shown.lower()).strip("-") or "kind")
        self.data[new] = data
        return new

    def _unused_name(self, name: str) -> str:
        count, new = 1, name
        while new in self.data:
            count += 1
            new = f"{name}-{count}"
        return new


MAX_LINES = 2_000
MAX_LINE = 500
MAX_ERRORS = 50

SHORTEST_ABBREVIATION = 3

_RESIGNING = frozenset({"RESIGN", "RESIGNS", "RESIGNED", "RESIGNING"})
_QUITTING = frozenset({"QUIT", "QUITS", "QUITTING", "CONCEDE", "SURRENDER", "CAPITULATE"})
_LEAVING = ("LEAVE GAME", "LEAVE THE GAME", "GIVE UP", "GIVE UP THE GAME")
# Nearly no line has one of these; the others need not be split into words.
_MAY_RESIGN = re.compile("RESIGN|QUIT|CONCEDE|SURRENDER|CAPITULATE|LEAVE|GIVE")
# Words that people put before a word of resigning.
_SPEAKING = OPENERS | {"I", "WE", "I'LL", "I'D", "WILL", "SHALL", "WOULD", "MUST", "HEREBY", "LIKE", "WANT", "TO"}


@dataclass(frozen=True)
class OrderParser:
    """All orders of a game, with a parser of their sheets. `words` are those with which its orders begin.

    Without `loosely`, lines that do not keep to the rules of a sheet are refused
    instead of being read leniently.

    Args:
        types: The declared orders, in the order of the reference.
        rewrite: Returns a line in the words of the orders, for a game with a notation of its own: "MOVE e2 TO e4" for
            "e2-e4". It is given the line without its comment, and the view; what it does not know it returns as it is.
            It may raise FieldError. Findings keep the number of the line as typed, and no line that it returns ends
            the seat.

    Raises:
        TypeError: A usage and its fields do not agree, on construction: the game cannot be imported.
    """

    types: tuple[type[Order], ...]
    loosely: bool = True
    rewrite: Callable[[str, ContextView], str] | None = field(default=None, kw_only=True)
    verbs: tuple[OrderType, ...] = field(init=False)
    words: tuple[str, ...] = field(init=False, repr=False)
    _by_word: dict[str, list[OrderType]] = field(init=False, repr=False)
    _by_name: dict[str, OrderType] = field(init=False, repr=False)
    _by_type: dict[type[Order], OrderType] = field(init=False, repr=False)
    _leaving: type[Order] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        verbs = tuple(map(OrderType.of, self.types))
        by_word: dict[str, list[OrderType]] = {}
        for verb in verbs:
            for word in (verb.word, *verb.order.also):
                by_word.setdefault(word, []).append(verb)
        object.__setattr__(self, "verbs", verbs)
        object.__setattr__(self, "words", tuple(by_word))
        object.__setattr__(self, "_by_word", by_word)
        object.__setattr__(self, "_by_name", {verb.name: verb for verb in verbs})
        object.__setattr__(self, "_by_type", {verb.order: verb for verb in verbs})
        object.__setattr__(self, "_leaving", next((order for order in self.types if order.ends_seat), None))

    def parse(self, view: ContextView, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        """Return the orders of a sheet, and a finding for each line that is refused or doubtful.

        Never raises, whatever the text. At most 2,000 lines are read (`MAX_LINES`), and no
        more after 50 errors (`MAX_ERRORS`).

        Args:
            view: The view that was mailed to the player.
            lines: The lines of the sheet with their numbers.
        """
        return self.read(view, join_lines(lines))

    def read(self, view: ContextView, lines: Iterable[tuple[int, str | Order]]) -> ParsedSheet:
        """Return the same as `parse` for lines that are joined, some of which a game may have read as orders."""
        entries: list[ParsedOrder] = []
        findings: list[Finding] = []
        bad = remarks = 0
        for count, (number, line) in enumerate(lines):
            if count >= MAX_LINES or bad >= MAX_ERRORS:
                findings.append(Finding(number, "error", "too-much", "the sheet was read no further than here"))
                break
            if isinstance(line, Order):
                entries.append(ParsedOrder(number, line))
                continue
            try:
                reading = self._understand(line, view)
            except FieldError as error:
                bad += 1
                refused = self._explain(line, error)
                corrected = self._correct(line, refused, view)
                blank = _BLANK.search(line)
                text = f"{blank[0]} is not filled in" if blank else refused.text
                findings.append(Finding(number, "error", refused.code, text, refused.hint, corrected))
            else:
                if reading is None:
                    continue
                entries.append(ParsedOrder(number, reading.order))
                findings += [_omission_finding(number, left) for left in reading.remarks]
            # Each part of a comment is parsed as an order three times: hence a limit of its own.
            if comment_of(line) and (remarks := remarks + 1) <= MOST_REMARKS:
                told = orders_in_remark(line, lambda text: self._read_whole(text, view))
                findings += [Finding(number, "warning", each.code, each.text, each.hint) for each in told]
        return ParsedSheet(tuple(entries), tuple(findings))

    def is_like_order(self, line: str) -> bool:
        """Return True if a line begins with a verb, abbreviated or misspelt too, or speaks of resigning."""
        line = line[:MAX_LINE]
        words = [token.text for token in split_leniently(line)]
        word = next((each for each in words if each.upper() not in _SPEAKING), "")
        if not word or resigning_word(line):
            return bool(word)
        try:
            self._find(word)
        except FieldError as refused:
            return refused.code == "ambiguous-verb" or _nearest_verb(word.upper(), self.words) is not None
        return True

    def begins_with_verb(self, line: str) -> bool:
        """Return True if a line begins with a verb, in full or cut to three letters or more."""
        tokens = without_openers(split_leniently(line[:MAX_LINE]))
        try:
            return bool(tokens and not tokens[0].quoted and self._find(tokens[0].text))
        except FieldError as refused:
            return refused.code == "ambiguous-verb"

    def line(self, order: Order) -> str:
        """Return the line of a sheet that reads as this order."""
        return self._by_type[type(order)].write(order)

    def slot(self, order: Order) -> str:
        """Return the slot of an order with its fields filled in: "unit R101"; "" if lines of its kind add up."""
        return self._by_type[type(order)].fill(order.slot, order)

    def check_slot(
        self, order: Order, before: Iterable[ParsedOrder], hint: str = "leave one of the two lines out"
    ) -> None:
        """Refuse an order for the slot of one accepted before it.

        Raises:
            FieldError: The slot has an order; the text names its line.
        """
        slot = self.slot(order)
        for earlier in before if slot else ():
            if self.slot(earlier.order) == slot:
                raise FieldError("only-one", f"line {earlier.line} says {self.line(earlier.order)} already", hint)

    def to_json(self, order: Order) -> dict[str, Any]:
        """Return the order as JSON data; tuples become lists."""
        verb = self._by_type[type(order)]
        return {"order": verb.name, **{name: _to_lists(getattr(order, name)) for name in verb.kinds}}

    def from_json(self, data: Mapping[str, Any]) -> Order:
        """Return the order from the data of `to_json`.

        Raises:
            KeyError: There is no order of this name.
            TypeError: The data are not those of this order.
        """
        values = {name: _to_tuples(value) for name, value in data.items() if name != "order"}
        return self._by_name[data["order"]].order(**values)

    def reference(self) -> str:
        """Return the order reference in Markdown, for rulebooks."""
        return "\n".join(f"- `{verb.usage}`  \n  {verb.help}  \n  Example: `{verb.example}`" for verb in self.verbs)

    def desk(self, view: ContextView, orders: Iterable[type[Order]] | None = None) -> dict[str, Any]:
        """Return the order form for a page as JSON data, of all orders or of some; see `order_form_data`."""
        return order_form_data([self._by_type[order] for order in (self.types if orders is None else orders)], view)

    def invent(self, view: ContextView, dice: Dice, *key: str | int) -> str:
        """Return a random line, well-formed as far as the view has names for its fields."""
        return dice.pick(self.verbs, *key, "verb").invent(view, dice, *key)

    def ends_seat(self, line: str) -> bool:
        """Return True if a line is, word for word, one by which a player leaves the game."""
        # Each of these ends so, and nearly no line does; the others need not be split into words.
        if self._leaving is None or len(line) > MAX_LINE or "CONFIRM" not in plain_signs(line).upper():
            return False
        return _capital_words(line) in [each.split() for each in (RESIGNS, *self._leaving.also_ends_seat)]

    def _understand(self, line: str, view: ContextView) -> Interpretation | None:
        """Return the meaning of a line, read strictly or else leniently; None if it says nothing. Raises FieldError.

        The order that ends a seat is accepted word for word only, also with `loosely`.
        """
        if len(line) > MAX_LINE:
            raise FieldError("too-long", f"the line has {len(line)} characters; {MAX_LINE} are read at the most")
        if (leaving := self._leaving) is not None:
            if self.ends_seat(line):
                return Interpretation(leaving())
            word = resigning_word(line)
            # A game may have an order of its own with a verb such as QUIT; RESIGN always means to leave.
            if word in _RESIGNING or (word and word not in self._by_word):
                raise _confirmation_error(word, leaving)
        line = self._rewritten(without_comment(line), view)
        tokens = split_tokens(line)
        if not tokens:
            return None
        try:
            words, places = [token.text for token in tokens], [*(token.start for token in tokens), END]
            order = read_first(self._verbs_of(tokens[0]), words, view, places)
            reading: Interpretation | None = Interpretation(order)
        except ParseMismatch as strict:
            reading = self._read_leniently(line, view, strict)
        if leaving is not None and reading is not None and reading.order.ends_seat:
            raise _confirmation_error("RESIGN", leaving)
        return reading

    def _explain(self, line: str, refused: FieldError) -> FieldError:
        """Return the error of a line; one that takes an order back, or denies it, is told what to do instead."""
        said = " ".join(itertools.dropwhile(_SPEAKING.__contains__, _capital_words(line[:MAX_LINE])))
        word = "DO NOT" if said.startswith("DO NOT ") else said.partition(" ")[0]
        if word not in TAKING_BACK or word in self._by_word:
            return refused
        text = f"a line that begins with {word} gives no order and takes none back"
        return FieldError("takes-back", text, "leave out what you do not want: a new sheet replaces the one before")

    def _rewritten(self, line: str, view: ContextView) -> str:
        if self.rewrite is None:
            return line
        return self.rewrite(line, view) if line.strip() else line

    def _read_leniently(self, line: str, view: ContextView, strict: ParseMismatch) -> Interpretation | None:
        """Return the meaning of a line as people write it; None if it says nothing. Raises FieldError."""
        if not self.loosely:
            raise strict.refused
        tokens = without_openers(split_leniently(line))
        if not tokens:
            return None
        try:
            return parse_leniently(self._verbs_of(tokens[0]), tokens, view)
        except ParseMismatch as mismatch:
            # Of two errors the one further to the right is told; at the same word, a number out of bounds says more,
            # and so does an error that has read "J1 - 9" as one word.
            plainer = mismatch.reached == strict.reached and (
                mismatch.refused.code == "out-of-bounds"
                or _PARTED_SIGN.match(plain_signs(line[strict.reached : strict.reached + LONGEST_SHOWN])) is not None
            )
            raise (mismatch if plainer or mismatch.reached > strict.reached else strict).refused from None

    def _verbs_of(self, token: Token) -> Sequence[OrderType]:
        try:
            return self._find(token.text)
        except FieldError as refused:
            raise ParseMismatch(token.start, refused) from None

    def _correct(self, line: str, refused: FieldError, view: ContextView) -> str:
        """Return the line with the word that a hint offers, if it can be read then; else ""."""
        corrected = refused.correct(line)
        return corrected if corrected and self._read_whole(corrected, view) else ""

    def _read_whole(self, line: str, view: ContextView) -> Order | None:
        """Return the order of a line that is read without omissions; None for any other line."""
        try:
            reading = self._understand(line, view)
        except FieldError:
            return None
        return reading.order if reading and not reading.remarks else None

    def _find(self, typed: str) -> list[OrderType]:
        word = typed.upper()
        if word in self._by_word:
            return self._by_word[word]
        starts = [known for known in self._by_word if known.startswith(word)]
        if len(word) >= SHORTEST_ABBREVIATION and len(starts) == 1:
            return self._by_word[starts[0]]
        if len(word) >= SHORTEST_ABBREVIATION and starts:
            text = f"{show_word(typed)} could be {list_names(starts)}"
            raise FieldError("ambiguous-verb", text, "write it in full", typed)
        # Prose has many unknown words: the search for the nearest verb waits until it is shown.
        raise unknown_verb(typed, lambda: _suggest_verb(word, self.words))


# The same greetings and names stand in mail after mail, and are looked at several times in each.
_nearest_verb = functools.lru_cache(maxsize=1_000)(nearest)
_suggest_verb = functools.lru_cache(maxsize=1_000)(suggest)


def unknown_verb(word: str, hint: str | Callable[[], str]) -> FieldError:
    """Return the error for a line whose first word begins no order."""
    return FieldError("unknown-verb", f"there is no order {show_word(word)}", hint, word)


def resigning_word(line: str) -> str:
    """Return the word, in capitals, by which a line begins to speak of resigning; "" for any other line.

    >>> resigning_word("I would like to resign")
    'RESIGN'
    >>> resigning_word("MOVE R101 N")
    ''
    """
    if not _MAY_RESIGN.search(plain_signs(line).upper()):
        return ""
    words = _capital_words(line.replace("?", " "))
    while words and words[0] in _SPEAKING:
        words.pop(0)
    if " ".join(words) in _LEAVING:
        return " ".join(words)
    return words[0] if words and words[0] in _RESIGNING | _QUITTING else ""


def _capital_words(line: str) -> list[str]:
    # Quoted words stay quoted: "RESIGN" in quotes is a name, not the order.
    return [f'"{token.text}"' if token.quoted else token.text.upper() for token in split_leniently(line)]


def _confirmation_error(word: str, order: type[Order]) -> FieldError:
    hint = f"to leave the game, write on a line of its own: {RESIGNS}"
    if word not in _RESIGNING:
        return unknown_verb(word, hint)
    return FieldError("unconfirmed", f"RESIGN counts only with CONFIRM behind it: {order.ends_seat}", hint)


def _omission_finding(number: int, left: Omission) -> Finding:
    """Return the finding for words that a reading leaves out."""
    if left.why is None:
        return Finding(
            number, "note", "not-read", f"{show_word(left.words)} is not looked at; the rest of the line counts"
        )
    return Finding(number, "warning", "dropped", f"left out: {left.why.text}", left.why.hint)


def _to_tuples(value: Any) -> Any:
    return tuple(map(_to_tuples, value)) if isinstance(value, list) else value


def _to_lists(value: Any) -> Any:
    return list(map(_to_lists, value)) if isinstance(value, tuple) else value
