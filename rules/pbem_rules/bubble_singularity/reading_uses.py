"""Lenient reading of USE lines: abilities and stations, with or without the USE."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pbem.ruleset import FieldError
from pbem_rules.bubble_singularity.abilities import ABILITIES
from pbem_rules.bubble_singularity.phrases import BETWEEN, LITTLE, listed, title_of, to_way, turned_round, without
from pbem_rules.bubble_singularity.vocabulary import TURNS_OF, colour_of, space_of, way_of

_View = Mapping[str, Any]
_ACTIONS = {"rotate": "ROTATE", "rotating": "ROTATE", "pull": "PULL", "pulling": "PULL", "station": "STATION"}


def using(words: list[str], view: _View) -> str:
    """Rewrite the words of a USE line; "" if they name neither an ability nor a station."""
    said = without(words, LITTLE - {"from"})
    said = said[1:] if said[:1] == ["transit"] else said
    if not said:
        return ""
    if "bag" in said:
        said = ["select", *without(said, ("bag", "from", "select"))]
    card = title_of(said) or (said[0] if len(said) == 1 and said[0] in ABILITIES else "")
    if card:
        _check_passive(card)
    word = {"warp": "teleport"}.get(said[0], said[0])
    needless = ("from", "bubble") if word == "block" else ("from", "station", "bubble")
    rest = without(said[1:], needless, () if word in ("select", "attractor") else BETWEEN)
    if word == "director":
        return " ".join(["USE DIRECTOR", *_direct(rest, view)])
    reading = _OF_USES.get(word)
    return " ".join(["USE", word.upper(), *reading(rest)]) if reading else ""


def _check_passive(card: str) -> None:
    if card in ("folder", "attractor", "director"):
        return
    hint = "write: MOVE NE" if card == "drift" else "no line is needed: it works by itself, wherever it can"
    raise FieldError("no-use", f"{ABILITIES[card].title} is not used by a line of its own", hint)


def _fold(said: list[str]) -> list[str]:
    plain = [TURNS_OF.get(word) or space_of(word) or word for word in said if word != "turn"]
    return sorted(plain, key=lambda word: word in ("CW", "CCW"))


def _attract(said: list[str]) -> list[str]:
    if not said:
        return []
    ways = [way_of(word) or word for word in listed(said[1:])]
    return [space_of(said[0]) or said[0], *ways]


def _direct(said: list[str], view: _View) -> list[str]:
    return [space_of(said[0]), to_way(said, view)] if len(said) == 2 and space_of(said[0]) else said


def _select(said: list[str]) -> list[str]:
    return [colour_of(word) or word for word in listed(said)]


def _transfer(said: list[str]) -> list[str]:
    colours, spaces = [word for word in said if colour_of(word)], [space_of(word) for word in said if space_of(word)]
    if len(colours) != 1 or len(spaces) != 2 or len(said) != 3:
        return said
    return [colour_of(colours[0]), "FROM", spaces[0], "TO", spaces[1]]


def _in_turn(said: list[str], *, spaces_first: bool) -> list[str]:
    named = [space_of(word) or colour_of(word) or word for word in said]
    return turned_round(named, lambda word: bool(space_of(word) if spaces_first else colour_of(word)))


def _plain(said: list[str]) -> list[str]:
    return [space_of(word) or word for word in said]


def _block(said: list[str]) -> list[str]:
    named = [_ACTIONS.get(word) or colour_of(word) or word for word in said]
    return sorted(named, key=lambda word: word in _ACTIONS.values())


# Readers of the words after each use.
_OF_USES: Mapping[str, Callable[[list[str]], list[str]]] = {
    "folder": _fold,
    "attractor": _attract,
    "select": _select,
    "transfer": _transfer,
    "convert": partial(_in_turn, spaces_first=True),
    "deploy": partial(_in_turn, spaces_first=False),
    "block": _block,
    **dict.fromkeys(("research", "teleport", "ignite"), _plain),
}

USES = (*_OF_USES, "director", "warp")
"""Words that a USE line may begin with, also without the USE."""
