"""Synonyms of directions, turns, colours, spaces, cards and numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pbem_rules.bubble_singularity.abilities import ABILITIES, CATEGORIES
from pbem_rules.bubble_singularity.grid import DIAGONALS, WAYS
from pbem_rules.bubble_singularity.state import COLOURS

_WINDS = {"n": "north", "e": "east", "s": "south", "w": "west"}
_SIDES = {"up": "N", "upwards": "N", "right": "E", "down": "S", "downwards": "S", "left": "W"}

WAYS_OF: Mapping[str, str] = {
    **{way.lower(): way for way in (*WAYS, *DIAGONALS)},
    **{wind + end: letter.upper() for letter, wind in _WINDS.items() for end in ("", "s", "ward", "wards")},
    **{_WINDS[way[0].lower()] + _WINDS[way[1].lower()]: way for way in DIAGONALS},
    **_SIDES,
}
"""Directions by their names; the sides of the picture stand for compass points."""

TURNS_OF: Mapping[str, str] = {
    **dict.fromkeys(("cw", "clockwise", "right", "r"), "CW"),
    **dict.fromkeys(("ccw", "acw", "counterclockwise", "anticlockwise", "left", "l"), "CCW"),
    # Misspellings are listed one by one: CW and CCW are too much alike to be guessed at.
    **dict.fromkeys(("conterclockwise", "counterclokwise", "anticlokwise"), "CCW"),
    **dict.fromkeys(("clokwise", "clockwize"), "CW"),
}
"""Turns by their names."""

COUNTS: Mapping[str, int] = {"twice": 2, "thrice": 3, "two": 2, "three": 3, "four": 4, "both": 2}

DECKS = {word: deck for deck in CATEGORIES for word in (deck, deck.rstrip("s"), deck + "s", deck[:3], deck[:4])}

_FIRST = [card.title.lower().split()[0] for card in ABILITIES.values()]
CARDS: Mapping[str, str] = {
    **{key: key for key in ABILITIES},
    **{card.title.lower(): key for key, card in ABILITIES.items()},
    **{card.title.lower().replace(" ", ""): key for key, card in ABILITIES.items()},
    **{first: key for first, key in zip(_FIRST, ABILITIES, strict=True) if _FIRST.count(first) == 1},
}
"""Ability cards by word, by title, and by the first word of the title if that is unique."""

_SPACE = re.compile(r"([a-z])([0-9])|([0-9])([a-z])")
_LIKE_SPACE = re.compile(r"[a-z][0-9]{1,3}|[0-9]{1,3}[a-z]")
_TIMES = re.compile(r"x?([1-9])x?")


def way_of(word: str) -> str:
    """Return the direction that a word names; "" if none."""
    return WAYS_OF.get(word.lower(), "")


def colour_of(word: str) -> str:
    """Return the colour that a word names, also abbreviated or in the plural; "" if none."""
    folded = word.lower()
    starts = (colour for colour in COLOURS if (folded and colour.startswith(folded)) or folded == colour + "s")
    return next(starts, "")


def space_of(word: str) -> str:
    """Return a word of the form of a space, also backwards ("2B"), on the board or not; "" for others."""
    found = _SPACE.fullmatch(word.lower())
    return f"{found[1] or found[4]}{found[2] or found[3]}".upper() if found else ""


def is_like_space(word: str) -> bool:
    """Return True for a word of the form of a space of a larger board, such as "A13" or "9B"."""
    return bool(_LIKE_SPACE.fullmatch(word.lower()))


def count_of(word: str) -> int:
    """Return the number that a word says; 0 if it is none."""
    found = _TIMES.fullmatch(word.lower())
    return int(found[1]) if found else COUNTS.get(word.lower(), 0)
