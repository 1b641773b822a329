"""Lexicon: the words of players as tokens, before a line is parsed.

People write "soldier 2", "S 2" and "S2", "north-east", "N.E." and "NE", "2 NE",
"NEx2" and "NE twice". Here such words become tokens; `pbem_rules.harvester.phrases`
makes orders of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from pbem.ruleset import FieldError, plain_signs
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester.planet import NAMES as DIRECTIONS
from pbem_rules.harvester.units import NAMES as UNITS

MOST_STEPS = 99
"""Repeats beyond this are read as this many: more than any unit takes."""


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word and its meaning.

    `sort` is "verb", "unit", "kind", "all", "way", "half" (north or south alone), "count",
    "hex", "to", "stay", "times", "comma", "filler", or "word" for an unknown one; `value` is the verb, the
    unit's name, the letter of the kind, the directions, the half's letter, the number or the hex.
    `many` marks a plural, `turned` directions with their letters swapped, such as EN.
    """

    sort: str
    typed: str
    value: str = ""
    number: int = 0
    ways: tuple[str, ...] = ()
    hex: Hex = (0, 0)
    many: bool = False
    turned: bool = False


def _table(**senses: str) -> dict[str, str]:
    return {word: sense.replace("_", "-") for sense, words in senses.items() for word in words.split()}


VERBS = _table(
    MOVE="move moves moving mv m go goes send sends march marches walk walks advance run runs moved",
    TARGET="target targets targ harvest harvests gather gathers sets",
    BUILD="build builds rebuild rebuilds repair repairs make makes construct replace recruit",
    DROP="drop drops dump dumps leave leaves unload",
    DESTROY="destroy destroys scuttle scuttles scrap kill kills",
    SELF_DESTRUCT="selfdestruct",
    FIGHT="attack attacks fire fires fight fights shoot shoots conquer hit",
    SCAN="scan scans look looks spy",
)
_KINDS = _table(
    H="harvester harvesters home base",
    G="general generals gen",
    L="lieutenant lieutenants lieut lt lts l",
    S="soldier soldiers sol",
    C="scout scouts c",
)
_WAYS = _table(
    E="east eastward eastwards right",
    W="west westward westwards left",
    NE="northeast northeastward upright upperright topright rightup",
    NW="northwest northwestward upleft upperleft topleft leftup",
    SE="southeast southeastward downright lowerright bottomright rightdown",
    SW="southwest southwestward downleft lowerleft bottomleft leftdown",
)
_HALVES = _table(N="n north northward northwards up upper top", S="s south southward southwards down lower bottom")
_NUMBERS = {
    word: number
    for number, words in enumerate(
        ("", "one once a1", "two twice", "three thrice", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
    for word in words.split()
}
_AFTER = frozenset(("once", "twice", "thrice"))
# Sorts of other words.
_SORTS = _table(
    to="to towards toward",
    all="all everything everyone everybody every each both",
    stay="hold holds stay stays staying wait waits guard guards stop stops pass nothing nowhere none rest rests put",
    times="x * times time steps step hex hexes fields field spaces space",
    filler="a an the my our your please pls thanks thx thank you i we and then also now just of with by in into at on "
    "from for out its unit units it itself them resource resources res new here confirm direction directions",
)

# Repetitions in these patterns are bounded: long words took time out of proportion.
_ARROW = re.compile(r"[-=]{1,9}>|→|⇒|➔")
_QUOTE = re.compile('["“”„‘’`]')
_WHOLE, _GAP = r"([+-]?[0-9]{1,9})", r"\s{0,9}"
_HEX = re.compile(
    rf"\(?\bq{_GAP}=?{_GAP}{_WHOLE}[\s,/]{{1,9}}r{_GAP}=?{_GAP}{_WHOLE}\)?"
    rf"|(?<![\w]){_WHOLE}{_GAP}[,/]{_GAP}{_WHOLE}(?!\w)|\({_GAP}{_WHOLE}\s{{1,9}}{_WHOLE}{_GAP}\)"
)
_PLACED = re.compile(r"@([+-]?[0-9]{1,9}):([+-]?[0-9]{1,9})")
# The number of an entry in a list of orders: "1. S1 NW", "(2) S2 W".
_ENTRY = re.compile(r"\s{0,9}[(\[]?[0-9]{1,2}[.)\]:]{1,2}\s{0,9}(?=[^\W\d_])|\s{0,9}[-*•·]{1,9}\s{1,9}")
# The number of a step or an entry inside a line: "S1 1. NW 2. W". Behind "x" it counts.
_NUMBERED_STEP = re.compile(r"(?<!\S)(?<![x*]\s)[(\[]?([0-9]{1,2})[.)\]:]{1,2}\s{0,9}(?=([^\W\d_]{1,40}))")
_CHUNK = re.compile(r",|[^\s,]+")
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
_REPEATED = re.compile(r"(?:([0-9]{1,4})[x*]?([a-z]{1,19})|([a-z]{1,19}?)[x*]?([0-9]{1,4}))")
_TIMES = re.compile(r"[x*]([0-9]{1,4})|([0-9]{1,4})[x*]")
_NUMBERED = re.compile(r"([a-z]{2,19})([0-9])")
_UNIT_LIKE = re.compile(r"[a-z][0-9]{1,2}")
_PARTING = re.compile(r"[-/.:+()=\[\]!?]+")
# Tildes, and the dashes of single scripts (Armenian, Hebrew, Mongolian, Japanese), which are no minus elsewhere.
_DASHES = "~\u223c\u058a\u05be\u1400\u1806\u2e17\u2e3a\u2e3b\u301c\u3030\u30a0\u30fc"
# A sign of which nobody can say whether it belongs to the number behind it or parts two words: "3-2", "S1 - 3,2".
_DOUBTFUL = re.compile(
    rf"[{_DASHES}]\s{{0,9}}[0-9]{{1,9}}|"
    r"(?<!^)[-+]\s++[0-9]{1,9}|[-+0-9][-+][0-9]{1,9}|(?<=[a-z])[-+][0-9]{1,9}\s{0,9}[,/]\s{0,9}[-+]?[0-9]{1,9}"
)
# "S1-S3", which may be two units or three; nobody can say which.
_RANGE = re.compile(r"(?<![\w-])([lsc])([1-4])\s{0,9}(?:--?|\.{2,3}|…)\s{0,9}\1([1-4])(?![\w-])")


def tokens(text: str) -> list[Lexeme]:
    """Return the tokens of a line without comments, in their order.

    Raises:
        FieldError: A sign before a number may be a minus or a dash, a number may count the step before it, or it is
            not certain which units are named.
    """
    plain = plain_signs(text).casefold()
    if (few := _RANGE.search(plain)) and abs(int(few[2]) - int(few[3])) > 1:
        raise FieldError("doubtful-units", f"{few[0]!r} may be two units or more", "name each, as in: S1, S2, S3")
    entry = _ENTRY.match(plain)
    plain = _QUOTE.sub(" ", _ARROW.sub(" to ", plain[entry.end() if entry else 0 :])).replace("&", " and ")
    if doubtful := _DOUBTFUL.search(plain):
        shown = " ".join(doubtful[0].split())
        raise FieldError("doubtful-sign", f"{shown!r} has a sign that may be a dash", "write a hex as in: TO -3,2")
    plain = _HEX.sub(lambda match: " @{}:{} ".format(*filter(None, match.groups())), plain)
    plain = _without_numbering(plain, entry[0] if entry else "")
    found = list(chain.from_iterable(_of_chunk(chunk) for chunk in _CHUNK.findall(plain)))
    return list(_joined(found))


def _without_numbering(plain: str, entry: str) -> str:
    """Return a line without the numbers 1., 2., … of its parts, of which the first may be before the line.

    Raises:
        FieldError: A number before a direction may be that of a part, or count the step before it.
    """
    found = list(_NUMBERED_STEP.finditer(plain))
    numbers = [int(digits) for digits in (entry.strip(" ([.)]:-*•·"), *(mark[1] for mark in found)) if digits]
    if numbers == [*range(1, len(numbers) + 1)]:
        return _NUMBERED_STEP.sub(" , ", plain)
    for mark in found:
        if _of_chunk(mark[2])[0].sort in ("way", "half"):
            shown = f"{mark[0].strip()} {mark[2]}"
            text = f"{shown!r} may number a step, or count the one before it"
            raise FieldError("doubtful-number", text, "write each step, as in: NE NE W")
    return plain


@lru_cache(maxsize=1_024)  # sheets are made of a few dozen words, over and over
def _of_chunk(chunk: str) -> Sequence[Lexeme]:
    """Return the tokens of text between blanks and commas: one if the whole has a meaning, else one for each piece."""
    if chunk == ",":
        return [Lexeme("comma", chunk)]
    if placed := _PLACED.fullmatch(chunk):
        return [Lexeme("hex", f"{placed[1]},{placed[2]}", hex=(int(placed[1]), int(placed[2])))]
    bare = chunk.strip(".!?:()[]'")
    if _NUMBER.fullmatch(bare):
        return [Lexeme("count", bare, number=int(bare))]
    token = _of_word(_PARTING.sub("", bare), chunk)
    if token.sort != "word":
        return [token]
    pieces = [_of_word(piece, piece) for piece in _PARTING.split(bare) if piece]
    known = all(piece.sort != "word" for piece in pieces)
    return pieces if known else [token]


def _of_word(word: str, typed: str) -> Lexeme:
    if _NUMBER.fullmatch(word):
        return Lexeme("count", typed, number=int(word))
    if word.upper() in UNITS:
        return Lexeme("unit", typed, value=word.upper())
    return _of_set(word, typed) or _of_way(word, typed) or _of_number(word, typed) or Lexeme("word", typed)


def _of_set(word: str, typed: str) -> Lexeme | None:
    """Return the token of a listed word."""
    if word in _HALVES:
        return Lexeme("half", typed, value=_HALVES[word])
    if word in VERBS:
        return Lexeme("verb", typed, value=VERBS[word])
    if word in _KINDS:
        return Lexeme("kind", typed, value=_KINDS[word], many=word.endswith("s"))
    return Lexeme(_SORTS[word], typed) if word in _SORTS else None


def _of_way(word: str, typed: str) -> Lexeme | None:
    """Return the token of a direction, of several in one word ("NENEE"), or of one with a count ("NEx2", "2NE")."""
    repeated = _REPEATED.fullmatch(word)
    letters = (repeated[2] or repeated[3]) if repeated else word
    times = min(int(repeated[1] or repeated[4]), MOST_STEPS) if repeated else 1
    if ways := _ways(letters) or _decoded(letters, turned=True):
        return Lexeme("way", typed, ways=ways * times, turned=not _ways(letters))
    return None


def _of_number(word: str, typed: str) -> Lexeme | None:
    """Return the token of a number word, of "x2", of an impossible unit, or of a kind and number in one word."""
    if word in _NUMBERS:
        return Lexeme("count", typed, value="after" if word in _AFTER else "", number=_NUMBERS[word])
    if repeated := _TIMES.fullmatch(word):
        return Lexeme("count", typed, number=int(repeated[1] or repeated[2]))
    if numbered := _NUMBERED.fullmatch(word):
        kind = _KINDS.get(numbered[1], "")
        return Lexeme("unit", typed, value=f"{kind}{numbered[2]}") if kind else None
    return Lexeme("unit", typed, value=word.upper()) if _UNIT_LIKE.fullmatch(word) else None


def _ways(word: str) -> tuple[str, ...]:
    if word in _WAYS:
        return (_WAYS[word],)
    return _decoded(word)


def _decoded(word: str, *, turned: bool = False) -> tuple[str, ...]:
    """Return the directions of a word without blanks; with `turned`, letters are swapped, as in EN for NE."""
    if len(word) > MOST_STEPS or set(word) - set("news"):
        return ()
    pairs = {name[::-1] if turned else name: name for name in DIRECTIONS if len(name) > 1}
    found, at = [], 0
    while at < len(word):
        pair, single = pairs.get(word[at : at + 2].upper()), word[at].upper()
        if pair is None and single not in DIRECTIONS:
            return ()
        found.append(pair or single)
        at += 2 if pair else 1
    return tuple(found)


def _joined(found: Sequence[Lexeme]) -> Iterator[Lexeme]:
    """Join north or south with an east or west after it into one direction."""
    at = 0
    while at < len(found):
        token = found[at]
        behind = next((each for each in found[at + 1 : at + 3] if each.sort != "comma"), None)
        if token.sort == "half" and behind is not None and behind.sort == "way" and behind.ways[0] in ("E", "W"):
            name = token.value + behind.ways[0]
            repeats = len(behind.ways) if set(behind.ways) == {behind.ways[0]} else 1
            yield Lexeme("way", f"{token.typed} {behind.typed}", ways=(name,) * repeats)
            at = found.index(behind, at) + 1
        else:
            yield token
            at += 1
