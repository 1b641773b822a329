"""Lenient reading of order lines: "move 2 west, north", "turn clockwise", "keep quantum drift".

A line with an unknown word is left as it was, so that it is refused as typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pbem.ruleset import FieldError, missing_word, suggest, unknown_verb
from pbem_rules.bubble_singularity.abilities import ABILITIES
from pbem_rules.bubble_singularity.grid import DIAGONALS, WAYS, starts
from pbem_rules.bubble_singularity.phrases import (
    BETWEEN,
    LITTLE,
    asked_for,
    listed,
    title_of,
    to_way,
    turned_round,
    unfolded,
    way_between,
    without,
    words_of,
)
from pbem_rules.bubble_singularity.reading_uses import USES, using
from pbem_rules.bubble_singularity.state import COLOURS
from pbem_rules.bubble_singularity.vocabulary import CARDS, DECKS, TURNS_OF, colour_of, count_of, space_of, way_of

_View = Mapping[str, Any]

_SYNONYMS = {
    "MOVE": ("move", "moves", "mov", "go", "goes", "walk", "step"),
    "BUBBLES": ("bubbles", "bubble", "bub", "place", "drop", "leave", "put"),
    "ROTATE": ("rotate", "rot", "turn", "spin"),
    "PULL": ("pull", "gravity"),
    "SEND": ("send", "push"),
    "POP": ("pop",),
    "SWAP": ("swap",),
    "DRAW": ("draw",),
    "KEEP": ("keep", "choose", "take"),
    "START": ("start", "begin"),
    "USE": ("use",),
}
SHORTEST = 3
"""Fewest letters of an abbreviated verb."""

_VERBS = {word: verb for verb, words in _SYNONYMS.items() for word in words}
_IDLE = {"stay", "pass", "wait", "skip", "nothing"}

_PUSHING = {"push", "degrees", "90", "quarter", "1"}
_WORDS_OF_PULLS = {"bubbles", "gravity", "pull", "all"}

# The number of an entry in a list of orders.
_ENTRY = re.compile(r"\A\s{0,9}\(?[0-9]{1,2}[.)]\s{0,9}(?=[^\W\d_])")

_EITHER = {"or", "else", "rather"}
_LISTED = {"KEEP", "DRAW", "START"}
"""Verbs of orders that say what is taken if the first of their words cannot be had."""

_LETTERS = re.compile(r"[nesw]{2,}")
_COLOURS = re.compile(r"[rgby]{2,5}")


def rewrite(line: str, view: _View) -> str:
    """Rewrite a line in the words of the orders, as far as it is understood.

    Raises:
        FieldError: the first word is no order, or the line may mean two things.
    """
    words = words_of(_ENTRY.sub("", line))
    if view["over"] or not words:
        return line
    verb, rest = _verb(words, view)
    if verb and verb not in _LISTED and not _EITHER.isdisjoint(words):
        raise FieldError("either-or", "the line gives a choice", "write the one that you want")
    found = _ALONE[verb](rest) if verb in _ALONE else _BY_VIEW[verb](rest, view) if verb else ""
    if not found and not verb and not _is_short_for(words[0], "RESIGN"):
        raise _unknown(words, view, line)
    return found or line


def _verb(words: Sequence[str], view: _View) -> tuple[str, list[str]]:
    """Return the verb of a line and the words after it; without a verb, the only one that its words allow."""
    said = [
        word for word in words if word not in ("i", "i'd", "i'll", "would", "like", "to", "my", "mari", "the", "you")
    ]
    first = said[0] if said else ""
    if "bag" in said or first in USES:
        return "USE", said[1:] if first in ("take", "use") else said
    verb = _VERBS.get(first) or next((verb for verb in _SYNONYMS if _is_short_for(first, verb)), "")
    if verb:
        return verb, said[1:]
    plain = without(said, LITTLE, BETWEEN)
    return _bare(plain, view), said


def _is_short_for(word: str, verb: str) -> bool:
    return len(word) >= SHORTEST and verb.startswith(word.upper())


def _bare(words: Sequence[str], view: _View) -> str:
    """Return the verb of words alone: ways move, colours are placed, turns rotate; answers to questions are kept."""
    if words and all(word in TURNS_OF for word in words):
        return "ROTATE"
    if view["phase"] == "setup" and words and all(map(space_of, words)):
        return "START"
    if view["phase"] != "turn":
        return "KEEP" if _cards(list(words)) else ""
    if words and all(_ways_of(word) or count_of(word) for word in words):
        return "MOVE"
    if words and all(colour_of(word) or count_of(word) for word in words):
        return "BUBBLES"
    return "USE" if title_of(words) else ""


def _unknown(words: Sequence[str], view: _View, text: str) -> FieldError:
    """Return the error for a line whose first word is no order, which it repeats as typed."""
    typed = next((word for word in text.split() if word.lower() == words[0]), words[0])
    if words[0] == "station":
        return unknown_verb(words[0], "write: USE RESEARCH, TELEPORT, CONVERT or DEPLOY")
    if view["phase"] == "turn" and words[0] in _IDLE:
        hint = "write: MOVE <way>... and ROTATE, PULL or a station"
        return FieldError("must-move", "a Mari that can move must move, and act", hint)
    near = suggest(words[0], list(_SYNONYMS)) if view["phase"] == "turn" else ""
    if near:
        return unknown_verb(typed, near)
    hints = {"setup": "write: START <space>... and KEEP <card>", "turn": "write: MOVE, then ROTATE or PULL"}
    hint = hints.get(view["phase"]) or "write: KEEP " + " or ".join(asked_for(view))
    return unknown_verb(typed, hint)


def _ways_of(word: str) -> list[str]:
    """Return the ways of one word, such as "wwn"; none if it holds other letters."""
    if way_of(word):
        return [way_of(word)]
    return [letter.upper() for letter in word] if _LETTERS.fullmatch(word) else []


def _moving(words: list[str], view: _View) -> str:
    spaces = [space_of(word) for word in words if space_of(word) in view["spaces"]]
    # "E2" is a space, and may be meant as two steps east.
    if any(way_of(space[0]) for space in spaces):
        raise FieldError(
            "ambiguous", f"{spaces[0]} may be a space or a number of steps", "write each way, such as: E E"
        )
    said = words if spaces else listed(words)
    said = without(said, LITTLE, BETWEEN)
    # Before the set-up is over the Mari stands nowhere.
    if said and all(map(space_of, said)) and spaces and view["players"][view["seat"]]["at"]:
        return "MOVE " + " ".join(_ways_to([space_of(word) for word in said], view))
    ways = [way for word in said for way in _ways_of(word)]
    if not ways or not all(map(_ways_of, said)):
        return ""
    for word in said:
        _check_letters(word, view)
    return "MOVE " + " ".join(ways)


def _check_letters(word: str, view: _View) -> None:
    """Raise FieldError if letters in one word are ambiguous: with Quantum Drift, NE is a way of its own."""
    diagonal = next((way for way in DIAGONALS if way.lower() in word), "")
    # Without Quantum Drift "NE" can only be two steps.
    if "drift" in view["players"][view["seat"]]["cards"] and diagonal and len(word) > 2 and _LETTERS.fullmatch(word):
        letters, other = " ".join(word.upper()), word.upper().replace(diagonal, f" {diagonal} ")
        raise FieldError(
            "ambiguous", f"{word!r} may be read in two ways", f"write: {' '.join(other.split())}, or: {letters}"
        )


def _ways_to(spaces: Sequence[str], view: _View) -> list[str]:
    """Return the ways from the Mari's place over some spaces. Raise FieldError if one is not beside the one before."""
    here, ways = view["players"][view["seat"]]["at"], []
    for space in spaces:
        way = way_between(here, space, view)
        if not way:
            beside = ", ".join(each for each in view["spaces"] if way_between(here, each, view) in WAYS)
            hint = f"beside it are {beside}; write each space entered, or the ways: MOVE W W N"
            raise FieldError("not-beside", f"{space} is not beside {here}", hint)
        ways.append(way)
        here = space
    return ways


def _placing(words: list[str]) -> str:
    text = " ".join(words).replace(", one more", "+").replace("and one more", "+").replace(" plus", "+")
    said = listed(text.replace(" +", "+").split())
    if any(map(space_of, said)):
        raise FieldError(
            "only-colours", "BUBBLES names no spaces", "write colours alone, in the order of the spaces entered"
        )
    glued = [
        letter for word in said for letter in ([word] if colour_of(word) or not _COLOURS.fullmatch(word) else word)
    ]
    return " ".join(["BUBBLES", *(_placed(word) for word in glued)])


def _placed(word: str) -> str:
    if word in ("nothing", "no"):
        return "none"
    plus = "+" if word.endswith("+") else ""
    return (colour_of(word.removesuffix("+")) or word.removesuffix("+")) + plus


def _turning(words: list[str]) -> str:
    said = without(words, LITTLE, BETWEEN, _PUSHING)
    if any(map(space_of, said)):
        hint = "write: ROTATE CW or ROTATE CCW; Space Folder turns other cards"
        raise FieldError("own-card", "ROTATE turns the card under your Mari", hint)
    return f"ROTATE {TURNS_OF[said[0]]}" if len(said) == 1 and said[0] in TURNS_OF else ""


def _pulling(words: list[str]) -> str:
    said = without(words, LITTLE, BETWEEN, _WORDS_OF_PULLS)
    return f"PULL {way_of(said[0]) or space_of(said[0]) or said[0]}" if len(said) == 1 else ""


def _paired(words: Iterable[str], *, twice: bool = False) -> list[str]:
    """Return colours and ways two by two, in either order; with `twice` a way may be for two spaces."""
    said = [part for word in without(words, LITTLE, BETWEEN, ("bubble", "bubbles", "send")) for part in unfolded(word)]
    found: list[str] = []
    number = 1
    for word in said:
        if count_of(word) and twice and found and found[-1] in WAYS:
            found[-1] *= count_of(word)
        elif count_of(word):
            number = count_of(word)
        elif twice and way_of(word) in WAYS and found and found[-1] == way_of(word):
            found[-1] *= 2
        else:
            found.append((way_of(word) * number if twice and way_of(word) in WAYS else way_of(word)) or word)
            number = 1
    colours = [colour_of(word) if not set(word) <= set("NESW") else word for word in found]
    named = [colour or word for colour, word in zip(colours, found, strict=True)]
    return turned_round(named, lambda word: word in COLOURS)


def _sending(words: list[str]) -> str:
    return " ".join(["SEND", *_paired(words)])


def _popping(words: list[str]) -> str:
    said = without(words, LITTLE, ("send",))
    space = space_of(said[0]) if said else ""
    return " ".join(["POP", space, *_paired(said[1:], twice=True)]) if space else ""


def _swapping(words: list[str], view: _View) -> str:
    said = without(words, LITTLE, BETWEEN)
    return f"SWAP {space_of(said[0])} {to_way(said, view)}" if len(said) == 2 and space_of(said[0]) else ""


def _drawing(words: list[str]) -> str:
    said = listed(without(words, ("decks", "deck")))
    return " ".join(["DRAW", *(DECKS[word] for word in said)]) if said and all(word in DECKS for word in said) else ""


def _keeping(words: list[str], view: _View) -> str:
    said = without(words, ("i",))
    cards = (
        _cards(listed(said))
        if said and all(colour_of(w) or count_of(w) or w in BETWEEN for w in said)
        else _cards(said)
    )
    if "bag" in words:
        return ""
    if not said:
        raise missing_word("what to keep", None, "possible: " + ", ".join(asked_for(view) or ABILITIES))
    return " ".join(["KEEP", *cards]) if cards else ""


def _cards(words: list[str]) -> list[str]:
    """Return the cards and colours of a list, with titles that are not quoted; nothing if a word is neither."""
    found: list[str] = []
    said = without(words, BETWEEN, LITTLE - {"space", "card"}, ("card", "cards"))
    while said:
        two, one = " ".join(said[:2]), said[0]
        if two in CARDS and len(said) > 1:
            found.append(CARDS[two])
            said = said[2:]
        elif one in CARDS or colour_of(one):
            found.append(CARDS.get(one) or colour_of(one))
            said = said[1:]
        else:
            return []
    return found


def _starting(words: list[str], view: _View) -> str:
    said = without(words, LITTLE, BETWEEN)
    sides = starts(view["size"])
    spaces = [space for word in said for space in sides.get(way_of(word), (space_of(word),))]
    return " ".join(["START", *spaces]) if spaces and all(spaces) else ""


# Readers of the words after a verb.
_ALONE: Mapping[str, Callable[[list[str]], str]] = {
    "BUBBLES": _placing,
    "ROTATE": _turning,
    "PULL": _pulling,
    "SEND": _sending,
    "POP": _popping,
    "DRAW": _drawing,
}

# Readers that need the view as well.
_BY_VIEW: Mapping[str, Callable[[list[str], _View], str]] = {
    "MOVE": _moving,
    "SWAP": _swapping,
    "KEEP": _keeping,
    "USE": using,
    "START": _starting,
}
