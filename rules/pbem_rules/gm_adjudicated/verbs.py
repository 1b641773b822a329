"""The GM's own verbs (ruling 1): their declaration by a campaign, and their recognition in a line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.ruleset import Json, SetupError, suggest
from pbem_rules.gm_adjudicated.text import one_line
from pbem_rules.gm_adjudicated.usages import KINDS, Lists, check_usages

SAY = "SAY"
"""The verb that every campaign has, for plain words."""

RESERVED = frozenset({SAY, "END", "FINAL", "ORDERS", "WAIT"})
"""Words with another meaning on the sheets of every game."""

MOST = 60
SHORTEST_ABBREVIATION = 3
SHORTEST_WITH_SLIPS = 5
LONGEST_HELP = 200
MOST_NAMES, LONGEST_NAME = 500, 40

LISTS = "lists"
"""The key of the campaign's own lists, such as its places, in the file of verbs."""

_SHAPE = 'a list such as ["MARCH", "BUILD"], or an object of verb and help, or of verb and {usage, help}'

_SENTENCES = """
    ALL ALSO AND ANY ARE ASK BUT CAN DID FOR FROM GET GOT HAD HAS HAVE HER HERE HIM HIS HOW INTO ITS LET MANY MAY MEN
    MORE MOST MUCH NEW NOR NOT NOTE NOTES NOW OFF OLD ONE ONLY OUR OUT OVER OWN SAID SEE SHE SOME SUCH THAN THAT THE
    THEIR THEM THEN THERE THESE THEY THIS THOSE TWO WAR WAS WAY WERE WHAT WHEN WHO WHY WILL WITH YES YET YOU YOUR"""
PLAIN_WORDS = frozenset(_SENTENCES.split())
"""Words with which a sentence may begin; they are never read as an abbreviation or a slip (ruling 1)."""

_BULLET = re.compile(r"(?:[-*•>–—]{1,9}|->|\(?(?:[0-9]{1,3}|[A-Za-z])[.)]|[0-9]{1,3} [-–])\s{1,9}(?=\S)")
_FIRST = re.compile(
    r"""[("'“‘*_\[]{0,9}([A-Za-z][A-Za-z0-9-]{0,39}?)[)"'”’*_\]]{0,9}(?=$|[\s:,.;!?–—→]|->)"""
    r"""(?:\s{0,9}(?:->|[:,.!?–—→]|-(?=\s))){0,9}\s*+(.*+)"""
)
_LIST = re.compile(r"[a-z][a-z0-9_]{0,19}")
_VERB = re.compile(r"[A-Z][A-Z0-9-]{1,19}")


class Declared(NamedTuple):
    """The declarations of a campaign: help by verb, usage by verb with arguments, and names by list."""

    helps: Mapping[str, str]
    usages: Mapping[str, str]
    lists: Lists


def read_verbs(data: Json) -> Declared:
    """Return the verbs of the option, from a list or an object.

    An object has the help of each verb, or its `{usage, help}`, and may have
    `lists`. Raises SetupError.
    """
    given = dict.fromkeys(data, "") if isinstance(data, list) and all(isinstance(verb, str) for verb in data) else data
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise SetupError(f"option verbs must be {_SHAPE}")
    own = given.get(LISTS)
    lists = _lists(own) if isinstance(own, Mapping) else {}
    verbs = {typed: each for typed, each in given.items() if not (typed == LISTS and lists)}
    if len(verbs) > MOST:
        raise SetupError(f"option verbs has {len(verbs)} verbs; a campaign takes {MOST} at the most")
    helps: dict[str, str] = {}
    usages: dict[str, str] = {}
    for typed, each in verbs.items():
        verb = typed.strip().upper()
        if not _VERB.fullmatch(verb) or verb in RESERVED or verb in helps:
            raise SetupError(f"option verbs: {typed!r} {_fault(verb, helps)}")
        help_, usage = _described(typed, each)
        helps[verb] = one_line(help_)[:LONGEST_HELP]
        usages |= {verb: one_line(usage)} if usage else {}
    check_usages(helps, usages, lists)
    return Declared(helps, usages, lists)


def _described(verb: str, data: Json) -> tuple[str, str]:
    """Return the help and the usage of a verb, "" for a missing one."""
    parts = {"help": data} if isinstance(data, str) else data
    if not isinstance(parts, Mapping) or not all(isinstance(part, str) for part in parts.values()):
        raise SetupError(f"option verbs must be {_SHAPE}")
    for name in parts:
        if name not in ("help", "usage"):
            raise SetupError(f"option verbs: {verb} has {name!r}: {suggest(name, ('help', 'usage'))}")
    return parts.get("help", ""), parts.get("usage", "")


def _lists(data: Mapping[str, Json]) -> dict[str, tuple[str, ...]]:
    lists = {}
    for name, names in data.items():
        if not _LIST.fullmatch(name) or name in KINDS:
            raise SetupError(f"option verbs: a list cannot be called {name!r}: use 1 to 20 of a-z, 0-9 and _")
        if not isinstance(names, list) or not 0 < len(names) <= MOST_NAMES:
            raise SetupError(f"option verbs: the list {name} must have 1 to {MOST_NAMES} names")
        lists[name] = tuple(_listed(name, each) for each in names)
        if len({each.casefold() for each in lists[name]}) < len(names):
            raise SetupError(f"option verbs: the list {name} has a name twice")
    return lists


def _listed(name: str, text: Json) -> str:
    word = one_line(str(text))
    if isinstance(text, str | int) and not isinstance(text, bool) and 0 < len(word) <= LONGEST_NAME and '"' not in word:
        return word
    raise SetupError(f"option verbs: {name} has {text!r}: names have up to {LONGEST_NAME} characters, and no quotes")


def _fault(verb: str, verbs: Mapping[str, str]) -> str:
    if verb in verbs:
        return "is there twice"
    if verb in RESERVED:
        return "cannot be a verb: it means something else on every sheet"
    return "cannot be a verb: use 2 to 20 of A-Z, 0-9 and -, a letter first"


def first_word(text: str) -> tuple[str, str]:
    """Return the first word of a line and the rest, without bullets and signs around the word."""
    bullet = _BULLET.match(text)
    found = _FIRST.fullmatch(text[bullet.end() :] if bullet else text)
    return (found[1], found[2]) if found else ("", "")


def meant(word: str, verbs: Sequence[str]) -> list[str]:
    """Return the verbs that a word may stand for: itself, or those that it abbreviates if it is long enough."""
    if word in verbs:
        return [word]
    if len(word) < SHORTEST_ABBREVIATION or word in PLAIN_WORDS:
        return []
    return [verb for verb in verbs if verb.startswith(word)]


def slip_of(word: str, verbs: Sequence[str]) -> str:
    """Return the first verb that is one slip away: a letter too many, too few, wrong, or two swapped; "" for none."""
    if len(word) < SHORTEST_ABBREVIATION or word in PLAIN_WORDS:
        return ""
    return next((verb for verb in verbs if _one_slip(word, verb)), "")


def _one_slip(word: str, verb: str) -> bool:
    """Return True if a word is one slip away from a verb.

    Short verbs have too many neighbours: for them, only swapped letters count.
    """
    if word == f"{verb}S":
        return False
    start = _alike(word, verb)
    word, verb = word[start:], verb[start:]
    end = _alike(word[::-1], verb[::-1])
    left, right = word[: len(word) - end], verb[: len(verb) - end]
    swapped = len(left) == 2 and left == right[::-1]
    return swapped or (max(len(left), len(right)) == 1 and len(verb) + start >= SHORTEST_WITH_SLIPS)


def _alike(one: str, other: str) -> int:
    """Return the length of the common beginning of two words."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
