"""Types of the arguments of orders: bubbles, directions, squares, cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import AnyOfPattern as AnyOf
from pbem.ruleset import (
    ChoicePattern,
    Field,
    FieldError,
    KeywordField,
    NameField,
    Pattern,
    SequencePattern,
    match_name,
    show_word,
    suggest,
)
from pbem_rules.bubble_singularity.abilities import ABILITIES, CATEGORIES
from pbem_rules.bubble_singularity.cards import TURNS
from pbem_rules.bubble_singularity.grid import DIAGONALS, WAYS, squares, starts
from pbem_rules.bubble_singularity.phrases import asked_for
from pbem_rules.bubble_singularity.state import COLOURS, SEATS
from pbem_rules.bubble_singularity.vocabulary import CARDS, TURNS_OF, is_like_space, space_of, way_of

_View = Mapping[str, Any]

NONE = "none"
"""The word for a space that gets no bubble."""

EXTRA = "+"
"""After a colour: Bubble Resonance adds one of the own colour."""


@dataclass(frozen=True)
class Way(Field):
    """A direction, "N" or "north"; with `diagonal` also the four between, with `twice` also "NN" for two spaces."""

    shown: str = "way"
    example: str = "N"
    diagonal: bool = False
    twice: bool = False

    @property
    def expected(self) -> str:  # type: ignore[override]  # a sentence made from the fields
        """The phrase for findings."""
        return "a direction, " + ", ".join(WAYS[:-1]) + " or W"

    def read(self, word: str, view: _View) -> str:
        typed = way_of(word) or word.upper()
        if typed in self._words():
            return typed
        hint = "write N, E, S or W" + (f"; {_bounds(view)}" if is_like_space(word) else "")
        raise FieldError("no-direction", f"{show_word(word)} is not {self.expected}", hint, word)

    def samples(self, view: _View) -> Sequence[str]:
        return WAYS

    def form(self, view: _View) -> Pattern:
        """Return the directions that the reader's cards allow."""
        # Diagonals need Quantum Drift, two spaces Cascade Control (ruling 16).
        slanting = DIAGONALS if self.diagonal and "drift" in _own_cards(view) else ()
        doubled = [way * 2 for way in WAYS if self.twice and "cascade" in _own_cards(view)]
        return ChoicePattern((*WAYS, *slanting, *doubled))

    def _words(self) -> Sequence[str]:
        doubled = [way * 2 for way in WAYS] if self.twice else []
        return [*WAYS, *(DIAGONALS if self.diagonal else ()), *doubled]


@dataclass(frozen=True)
class Placed(Field):
    """The content of a space in BUBBLES: a colour, a colour with "+" (Bubble Resonance), or "none"."""

    shown: str = "bubble"
    expected: str = "a colour, a colour with +, or none"
    example: str = "blue red+ none"

    def read(self, word: str, view: _View) -> str:
        colour = match_name(word.removesuffix(EXTRA), (*COLOURS, NONE), self.expected)
        if colour == NONE and word.endswith(EXTRA):
            text = f"{show_word(word)} is not {self.expected}"
            raise FieldError("no-bubble", text, "Bubble Resonance adds to a bubble: blue+", word)
        return colour + EXTRA if word.endswith(EXTRA) else colour

    def samples(self, view: _View) -> Sequence[str]:
        return (*COLOURS, NONE)

    def form(self, view: _View) -> Pattern:
        """Return the colours in the reader's supply, and those that Bubble Resonance adds."""
        colours = [colour for colour in COLOURS if view["players"][view["seat"]]["hand"][colour]]
        more = [colour + EXTRA for colour in colours if "resonance" in _own_cards(view)]
        return ChoicePattern((*colours, *more, NONE))


def _own_cards(view: _View) -> Sequence[str]:
    cards: Sequence[str] = view["players"][view["seat"]]["cards"]
    return cards


@dataclass(frozen=True)
class Either(Field):
    """A word that one of several types can read; with `paired` one of each in turn, such as a colour and a way."""

    kinds: tuple[Field, ...]
    shown: str
    expected: str
    example: str
    paired: bool = False

    def read(self, word: str, view: _View) -> Any:
        for kind in self.kinds:
            try:
                return kind.read(word, view)
            except FieldError:
                continue
        raise FieldError("unknown-word", f"{show_word(word)} is not {self.expected}", self._hint(view), word)

    def samples(self, view: _View) -> Sequence[str]:
        return [word for kind in self.kinds for word in kind.samples(view)]

    def form(self, view: _View) -> Pattern:
        forms = tuple(kind.form(view) for kind in self.kinds)
        return SequencePattern(forms) if self.paired else AnyOf(forms)

    def _hint(self, view: _View) -> str:
        words = [word for kind in self.kinds if not isinstance(kind, Space) for word in kind.samples(view)]
        return "possible: " + ", ".join(words)


@dataclass(frozen=True)
class AbilityField(Field):
    """An argument of KEEP: an ability card, by its word or its quoted title, or a colour of bubbles."""

    shown: str = "card or bubble"
    expected: str = "an ability card or a colour"
    example: str = "drift"

    def read(self, word: str, view: _View) -> str:
        try:
            return CARDS.get(word.casefold()) or match_name(word, (*ABILITIES, *COLOURS), self.expected)
        except FieldError as refused:
            hint = suggest(word, list(ABILITIES)) or "possible: " + ", ".join(self.samples(view))
            raise FieldError(refused.code, str(refused), hint, word) from None

    def samples(self, view: _View) -> Sequence[str]:
        return asked_for(view) or list(ABILITIES)

    def form(self, view: _View) -> Pattern:
        """Return the choices of the open questions; for a standing list, all cards and colours."""
        return ChoicePattern(tuple(dict.fromkeys(asked_for(view) or (*ABILITIES, *COLOURS))))


def _all_squares(view: _View) -> Sequence[str]:
    return squares(view["size"])


def _bounds(view: _View) -> str:
    last = view["size"]
    return f"columns go A to {'ABCDE'[last - 1]}, rows 1 to {last}"


@dataclass(frozen=True)
class Space(NameField):
    """A space, also typed backwards ("2B").

    The finding for a word that is none gives the bounds of the board, or all spaces that may be named.
    """

    def read(self, word: str, view: _View) -> str:
        typed = space_of(word) or word.upper()
        if typed in self.names(view):
            return typed
        text = f"{show_word(word)} is not {self.expected}"
        if len(self.names(view)) < len(_all_squares(view)) and is_like_space(word):
            raise FieldError("unknown-name", text, "possible: " + ", ".join(self.names(view)), word)
        raise FieldError("unknown-name", text, _bounds(view) if is_like_space(word) else "", word)


@dataclass(frozen=True)
class QuarterTurn(Field):
    """A quarter turn, by any of its names; a misspelling is refused, not guessed at."""

    shown: str = "|".join(TURNS)
    expected: str = "CW (clockwise) or CCW (counter-clockwise)"
    example: str = TURNS[0]

    def read(self, word: str, view: _View) -> str:
        if word.lower() in TURNS_OF:
            return TURNS_OF[word.lower()]
        text = f"{show_word(word)} is not {self.expected}"
        raise FieldError("no-turn", text, "possible: " + ", ".join(TURNS), word)

    def samples(self, view: _View) -> Sequence[str]:
        return TURNS

    def form(self, view: _View) -> Pattern:
        return ChoicePattern(tuple(TURNS))


def _space(expected: str, example: str, names: Callable[[_View], Sequence[str]] = _all_squares) -> Space:
    return Space("space", expected, example, names)


START = _space(
    "a middle space of a side",
    "C1 D3",
    lambda view: [place for side in starts(view["size"]).values() for place in side],
)
SPACE = _space("a space of the board, such as B2", "B2")
SPACE_TO = _space("a space of the board, such as B2", "C3")
NODE = _space("a space with a node", "D2", lambda view: view["nodes"])
WAY = Way()
PULLED = Either((WAY, SPACE), "way", "a direction, N, E, S or W", "N")
EAST = Way(example="E")
TOWARDS = Way(example="W W")
STEP = Way(diagonal=True, example="E E N")
COLOUR = KeywordField(COLOURS, shown="colour", expected="a colour: red, green, blue or yellow", example="blue")
PLACED = Placed()
FOUND = KeywordField(COLOURS, shown="colour", expected="a colour: red, green, blue or yellow", example="blue red red")
BUBBLE_AND_WAY = Either(
    (COLOUR, WAY), "colour way", "a colour and a way in turn, such as blue N", "blue N, red E", paired=True
)
BUBBLE_AND_FAR_WAY = Either(
    (COLOUR, Way(twice=True)), "colour way", "a colour and a way in turn, such as blue N", "red N, blue E", paired=True
)
SPACE_AND_COLOUR = Either(
    (SPACE, COLOUR), "space colour", "a space and a colour in turn, such as B2 red", "B1 red, A2 green", paired=True
)
COLOUR_AND_SPACE = Either(
    (COLOUR, SPACE), "colour space", "a colour and a space in turn, such as red B2", "red B2, blue C3", paired=True
)
TURN = QuarterTurn()
KEPT = AbilityField()
DECK = KeywordField(CATEGORIES, shown="deck", expected="a deck: movement, reactions or special")
OTHER_DECK = KeywordField(
    CATEGORIES, shown="deck", expected="a deck: movement, reactions or special", example="special"
)
OTHER_SEAT = NameField(
    "player",
    "another player",
    "green",
    lambda view: [seat for seat in SEATS if seat in view["players"] and seat != view["seat"]],
)
ACTION = KeywordField(("ROTATE", "PULL", "STATION"))
