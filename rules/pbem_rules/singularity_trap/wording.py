"""Orders as players of this game write them, put into the words of the order parser.

Only lines that the parser does not understand as they are come here. Ships may
come before the verb, directions be written out, steps be counted, a `with`
turn a FIRE round, a YES be left out. Unknown words stay as they are, and the
parser says what is wrong with them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable

from pbem.ruleset import plain_signs, without_comment
from pbem_rules.singularity_trap.space import VECTORS

# Matches "R472", "NEW1", "ALL", and several of them joined by strokes.
_SHIP = re.compile(r"(?:[A-Z][1-9][0-9]{2,3}|NEW[1-9][0-9]?|ALL)(?:/(?:[A-Z][1-9][0-9]{2,3}|NEW[1-9][0-9]?))*")
_JOINS = {"AND", "&", "/", ","}
# Matches "- MOVE …" and "1. MOVE …".
_BULLET = re.compile(r"^\s*(?:[-*•]+|[0-9]{1,2}[.)])\s+")
# Repetitions are bounded, so that no line takes longer than in proportion to its length.
_SENTENCE = re.compile(r"[.!:]{1,9}(?=\s|$)")
_ARROWS = re.compile(r"\s{0,9}(?:[-=]{1,9}>|[→➔⇒])\s{0,9}")

_VERBS = {
    **dict.fromkeys(("MOVE", "MOVES", "GO", "GOES", "FLY", "FLIES", "SEND", "WARP", "WARPS"), "MOVE"),
    **dict.fromkeys(("FIRE", "FIRES", "SHOOT", "SHOOTS", "ATTACK", "ATTACKS"), "FIRE"),
    **dict.fromkeys(("HIDE", "HIDES", "CLOAK"), "HIDE"),
    **dict.fromkeys(("SCRAP", "SCUTTLE", "DISBAND", "DROP"), "SCRAP"),
    **dict.fromkeys(("REPAIR", "REPAIRS", "FIX", "MEND"), "REPAIR"),
    **dict.fromkeys(("BUILD", "BUY", "MAKE", "CONSTRUCT"), "BUILD"),
    **dict.fromkeys(("TERRAFORM", "TERRAFORMS"), "TERRAFORM"),
    **dict.fromkeys(("SLIP", "SLIPS"), "SLIP"),
    **dict.fromkeys(("JUMP", "JUMPS"), "JUMP"),
    "TARGET": "TARGET",
    "ALLY": "ALLY",
    "UNALLY": "UNALLY",
    "FACTION": "FACTION",
    "EMPIRE": "FACTION",
    "DECLARE": "DECLARE",
}
_NEGATED = re.compile(r"(?:DO NOT|DON'T|DONT|NO|NEVER) (?=TERRAFORM|ALLY)")
_EVERY = {"EVERYTHING", "EVERYONE", "EVERYBODY"}
_SPEAKER = {"I", "I'LL", "WE", "WE'LL", "WILL"}
_PLAIN = {"PLEASE", "PLS", "THE", "MY", "A", "AN", "THEN", "THANKS"}

_YES = {"YES", "Y", "YEP", "YEAH", "ON", "TRUE", "OK"}
_NO = {"NO", "N", "NOPE", "OFF", "FALSE"}
_TIMES = {"TWICE": 2, "THRICE": 3}
_NUMERALS = {
    word: str(number)
    for number, word in enumerate(("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"), 1)
}
# Matches "3", "x3" and "3x".
_COUNT = re.compile(r"(?:X|×|\*)?([1-9][0-9]?)(?:X|×|\*)?")
_LEG = re.compile(r"(N|NE|SE|S|SW|NW|UP|DOWN|JUMP)([+-]?)")
# Matches "2N", "N+2" and "JUMPx2".
_COUNTED = re.compile(r"(?:([1-9])[X×*]?)?(N|NE|SE|S|SW|NW|UP|DOWN|JUMP)([+-]?)(?:[X×*]?([1-9]))?")
# Matches "NORTH" and "NORTH-EAST".
_DIRECTION = re.compile(r"(NORTH|SOUTH)(?:[- ]?(EAST|WEST))?")
_SLOPES = {
    **dict.fromkeys(("RISING", "CLIMBING", "ASCENDING"), "+"),
    **dict.fromkeys(("FALLING", "DIVING", "DESCENDING", "SINKING"), "-"),
}
_MOST_STEPS = 30


# Matches the words of "MOVE R472 TO TO J6" of which one is meant.
TWICE = re.compile(r"\b(TO|AT)(?:\s{1,9}\1\b){1,9}", re.IGNORECASE)


def plain(line: str) -> str:
    """Return the line in the words of the order parser, as far as it is understood."""
    text = _BULLET.sub("", plain_signs(without_comment(line)).upper())
    text = _SENTENCE.sub(" ", TWICE.sub(r"\1", _ARROWS.sub(" TO ", text))).replace(",", " , ")
    words = [word for word in text.split() if word not in _PLAIN]
    words = [*itertools.dropwhile(_SPEAKER.__contains__, words)]
    if not words or '"' in text:
        return line
    negated = _NEGATED.match(" ".join(words))
    if negated:
        words = [*" ".join(words)[negated.end() :].split(), "NO"]
        # Two answers, as in "don't ally red no", are not weighed.
        if (_YES | _NO) & {*words[:-1]}:
            return line
    ships, rest = _ships_first(words)
    if ships:
        rest = _verb_first(ships, rest)
    verb = _VERBS.get(rest[0], "") if rest else ""
    if verb and rest[0] != "EMPIRE":
        rest = [verb, *rest[1:]]
    if rest[:2] == ["END", "ALLIANCE"]:
        return " ".join(_unally(rest[2:]))
    return " ".join(_WORDINGS.get(verb, list)(rest)) if rest else line


def _ships_first(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the ships that a line begins with, and what follows them."""
    at = 0
    while at < len(words) and (_SHIP.fullmatch(words[at]) or (at and words[at] in _JOINS)):
        at += 1
    return [word for word in words[:at] if word not in _JOINS], words[at:]


def _verb_first(ships: list[str], rest: list[str]) -> list[str]:
    """Return a line that names its ships first, turned round; without a verb they are to move."""
    joined = "/".join(ships)
    # "R101 goes dark" hides, though GO alone is a verb of MOVE.
    if rest[:2] in (["GO", "DARK"], ["GOES", "DARK"]):
        return ["HIDE", joined, *rest[2:]]
    if rest and rest[0] in _VERBS:
        return [rest[0], joined, *rest[1:]]
    return ["MOVE", joined, *(rest[1:] if rest[:1] == ["-"] else rest)]


def _every(words: list[str]) -> list[str]:
    return ["ALL" if word in _EVERY else word for word in words]


def _move(words: list[str]) -> list[str]:
    ships, way = _ships_first(_every(words[1:]))
    if not ships:
        return words
    if ships == ["ALL"] and way and way[0].rstrip("S").isalpha() and not _LEG.fullmatch(way[0]) and way[0] != "TO":
        # "ALL scouts": the type belongs to the ships.
        ships, way = [f"ALL {way[0]}"], way[1:]
    return ["MOVE", " / ".join(ships), *_way(way)]


def _slip_or_jump(words: list[str]) -> list[str]:
    """Return a MOVE for a line whose verb is the first part of the way."""
    ships, way = _ships_first(_every(words[1:]))
    return ["MOVE", "/".join(ships), *_way([words[0], *way])] if ships else words


def _way(words: list[str]) -> list[str]:
    """Return a way with short directions and each step written once; the space of a MOVE … TO stays as it is."""
    words = _compass([_NUMERALS.get(word, word) for word in words if word not in {"WARP", "FOR", "BY", "AND", ","}])
    words = [word for word in words if word not in {"SPACES", "SPACE", "STEPS", "TIMES"}]
    if words[:1] == ["SLIP"]:
        return _slipped(words[1:])
    if any(word in {"TO", "AT"} for word in words) and not any(_LEG.fullmatch(word) for word in words):
        return words
    return _steps(word for word in words if word not in {"TO"})


def _slipped(words: list[str]) -> list[str]:
    """Return a slip with its vector first and its length behind it, and the steps that follow."""
    words = [word for word in words if word != "TO"]
    if len(words) > 1 and _COUNT.fullmatch(words[0]):
        words = [words[1], words[0], *words[2:]]
    if not words:
        return ["SLIP"]
    counted = _COUNTED.fullmatch(words[0])
    if counted and (counted[1] or counted[4]):
        words = [counted[2] + counted[3], counted[1] or counted[4], *words[1:]]
    length = _COUNT.fullmatch(words[1]) if len(words) > 1 else None
    if length:
        return ["SLIP", words[0], length[1], *_steps(words[2:])]
    return ["SLIP", words[0], *_steps(words[1:])]


def _compass(words: list[str]) -> list[str]:
    """Return directions in full as vectors: north-east rising is NE+."""
    text = _DIRECTION.sub(lambda match: match[1][0] + (match[2] or "")[:1], " ".join(words))
    found: list[str] = []
    for word in text.split():
        slope = _SLOPES.get(word) or (word if word in {"+", "-"} else "")
        if slope and found and found[-1] + slope in VECTORS:
            found[-1] += slope
        else:
            found.append(word)
    return found


def _steps(words: Iterable[str]) -> list[str]:
    """Return each step as often as it is to be made."""
    steps: list[str] = []
    waiting = 1
    for word in words:
        counted, count = _COUNTED.fullmatch(word), _COUNT.fullmatch(word)
        if counted:
            leg = counted[2] + counted[3]
            steps += [leg] * waiting * int(counted[1] or 1) * int(counted[4] or 1)
            waiting = 1
        elif (count or word in _TIMES) and steps and _LEG.fullmatch(steps[-1]):
            steps += steps[-1:] * ((int(count[1]) if count else _TIMES[word]) - 1)
        elif count and not steps:
            waiting = int(count[1])
        # NNN are three steps north.
        elif len(word) > 1 and len(word) < _MOST_STEPS and set(word) in ({"N"}, {"S"}):
            steps += [word[0]] * len(word)
        else:
            steps.append(word)
    return steps[:_MOST_STEPS]


def _fire(words: list[str]) -> list[str]:
    """Return FIRE with its own ships first, also where they follow a WITH."""
    words = _every(words)
    mark = next((at for at, word in enumerate(words) if word in {"WITH", "USING"}), None)
    if mark is None:
        return words
    targets, ships = words[1:mark], words[mark + 1 :]
    aimed = targets[1:] if targets[:1] in (["AT"], ["ON"]) else targets
    return ["FIRE", *ships, "AT", *aimed]


def _repair(words: list[str]) -> list[str]:
    """Return REPAIR with its ship first, then points, then units."""
    units = {"ARMOUR": "ARMOR", "GUNS": "WEAPONS", "GUN": "WEAPONS", "WEAPON": "WEAPONS"}
    words = [units.get(word, word) for word in _every(words[1:]) if word not in {"UP", "TO", "MOST", "POINTS", "POINT"}]
    ships = [word for word in words if _SHIP.fullmatch(word)]
    rest = [word for word in words if word not in ships and word not in {"ON", "OF", "AND", ","}]
    return ["REPAIR", "/".join(ships), *rest]


def _build(words: list[str]) -> list[str]:
    """Return BUILD with its count before the type."""
    words = [_NUMERALS.get(word, word) for word in words]
    if len(words) > 2 and _COUNT.fullmatch(words[2]) and not _COUNT.fullmatch(words[1]):
        words = [words[0], words[2], words[1], *words[3:]]
    return words


def _target(words: list[str]) -> list[str]:
    return [word for word in words if word not in {"FIRST", "SECOND", "THIRD", "LAST", "AND", ","}]


def _ally(words: list[str]) -> list[str]:
    """Return ALLY with a player and an answer, which is YES where none is given."""
    rest = [word for word in words[1:] if word not in {"WITH", ","}]
    said = [word for word in rest if word in _YES | _NO]
    who = [word for word in rest if word not in said]
    answers = {"NO" if word in _NO else "YES" for word in said} or {"YES"}
    return ["ALLY", *who, *answers] if len(who) == len(answers) == 1 else words


def _unally(words: list[str]) -> list[str]:
    return ["ALLY", *(word for word in words if word not in {"UNALLY", "WITH"}), "NO"]


def _declare(words: list[str]) -> list[str]:
    return ["WITH" if word in {"OVER", "OF", "BETWEEN"} else word for word in words]


def _faction(words: list[str]) -> list[str]:
    return _declare(["DECLARE", *words])


_WORDINGS: dict[str, Callable[[list[str]], list[str]]] = {
    "MOVE": _move,
    "SLIP": _slip_or_jump,
    "JUMP": _slip_or_jump,
    "FIRE": _fire,
    "REPAIR": _repair,
    "BUILD": _build,
    "TARGET": _target,
    "ALLY": _ally,
    "UNALLY": _unally,
    "FACTION": _faction,
    "DECLARE": _declare,
    "SCRAP": _every,
    "HIDE": _every,
}
