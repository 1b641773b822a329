"""Parts of a text that are no orders, by tables of words, for games in which every sentence may be one.

Companies add notices and signatures; people add small talk and questions. What programs
add is left out before (`pbem.mail.reply_parser`). The tables are `free_words.toml`. All of this takes linear time.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import pairwise, takewhile
from typing import Literal

from pbem.campaign.courtesies import MOST_SIGNED, Lines, Manners, find_courtesies, first_words, plain_words
from pbem.inbox.consent.reader import fold, load_words
from pbem.inbox.frames import SheetText
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import View

Meaning = Literal["talk", "question", "orders"]
"""Kinds of texts in free words: small talk that needs no answer, questions alone, or anything else."""

_MOST_LOOKED_AT = 60
"""Lines at the end of a text among which what was added is looked for."""

_LONGEST_TALK = 60
"""Words up to which a text may be small talk or questions alone."""

_SHORTEST_NOTICE = 80
_WRAPPED = range(60, 79)
"""Lengths of lines that mail programs leave of a paragraph which they break."""

_LONGEST_PARAGRAPH = 1_800
_CONTACT = re.compile(r"[+(]?[0-9][-()/. 0-9]{6,28}[0-9]|\S@\S|https?://|\bwww\.")
_SENTENCE = re.compile(r"[^.!?\n]++[.!?]*+")
_NUMBERING = re.compile(r"\A\s*+(?:[-*•]|\(?[0-9]{1,3}[.)])\s++")


@cache
def _table(name: str) -> Mapping[str, tuple[str, ...]]:
    text = files("pbem.inbox").joinpath("free_words.toml").read_text("utf-8")
    return {key: tuple(" ".join(fold(each)) for each in words) for key, words in tomllib.loads(text)[name].items()}


@cache
def _talk() -> Mapping[tuple[str, ...], int]:
    """Return the phrases that need no answer, those of all courtesies among them, with their lengths."""
    phrases = {
        *(tuple(each.split()) for each in _table("talk")["phrases"]),
        *(words for words, kind in load_words().items() if kind == "courtesy"),
    }
    return {words: len(words) for words in phrases}


def find_words(
    ruleset: AnyRuleset, view: View, sheet: SheetText, names: Collection[str]
) -> tuple[SheetText, frozenset[int]]:
    """Return a sheet, its paragraphs whole in free words, and the numbers of its lines that are no orders.

    These are what was added to a text without END, and courtesies.
    """
    added = frozenset() if sheet.closed else _find_additions(sheet.lines, names, lambda: first_words(ruleset, view))
    if added and not ruleset.free_text:
        read = ruleset.parse(view, [each for each in sheet.lines if each[0] in added])
        added -= {entry.line for entry in read.entries}
    left = sheet.without(added).lines
    aside = added | find_courtesies(ruleset, view, left, names)
    if not ruleset.free_text:
        return sheet, aside
    whole = _join_paragraphs([each for each in left if each[0] not in aside])
    kept = [each for each in sheet.lines if each[0] in aside]
    return replace(sheet, lines=tuple(sorted((*kept, *whole)))), aside


_ADD = re.compile(r"\A\s*+(ADD\b|add(?=[:.!]|\s*+\Z))[:.,!]*+\s*+(.*+)", re.IGNORECASE | re.DOTALL)
_TO_ORDERS = re.compile(
    r"(?:(?:to )?(?:my |the )?(?:orders?|sheet)|this|these|th(?:is|ese) orders?)?[:.]?", re.IGNORECASE
)


def split_addition(ruleset: AnyRuleset, view: View, sheet: SheetText, aside: Collection[int]) -> tuple[SheetText, bool]:
    """Return a sheet without the ADD that it begins with, and whether it does.

    In free words "Add a tower" is an order: there it is ADD in capitals, before a colon or alone on its line.
    """
    at, line = next((each for each in sheet.lines if each[1].strip() and each[0] not in aside), (0, ""))
    found = _ADD.match(line)
    if found is None:
        return sheet, False
    alone = _TO_ORDERS.fullmatch(found[2].strip()) is not None
    own = not alone and "ADD" in first_words(ruleset, view)
    if own or (ruleset.free_text and not alone and found[1] != "ADD" and ":" not in line[:5]):
        return sheet, False
    rest = [
        (number, found[2] if number == at else text) for number, text in sheet.lines if not (alone and number == at)
    ]
    return replace(sheet, lines=tuple(rest)), True


def _find_additions(lines: Lines, names: Collection[str], verbs: Callable[[], Collection[str]]) -> frozenset[int]:
    """Return the numbers of the lines that companies add: notices and signatures.

    Args:
        lines: The lines of a text without a frame.
        names: The words of the sender's names, in small letters.
        verbs: Returns the first words of the game's orders, in capitals.
    """
    typed = [(number, line) for number, line in lines if line.strip()]
    found = {*_notice(lines, typed[-_MOST_LOOKED_AT:])}
    rest = [each for each in typed if each[0] not in found]
    return frozenset(found | set(_signature(rest, names, verbs)))


def _notice(lines: Lines, typed: Lines) -> Sequence[int]:
    """Return the lines of a notice: its paragraph on top of a text, else all from there to the end."""
    table, blank = _table("notice"), {number for number, line in lines if not line.strip(" \t-_=*")}
    for at, (number, line) in enumerate(typed):
        if (at and number - 1 not in blank) or not " ".join(fold(line)).startswith(table["begins"]):
            continue
        rest = typed[at:]
        if at == 0:
            rest = [rest[0], *(each for _, each in takewhile(lambda two: two[0][0] + 1 == two[1][0], pairwise(rest)))]
        text = " ".join(each for _, each in rest)
        if len(text) >= _SHORTEST_NOTICE and len({*fold(text)} & {*table["words"]}) > 1:
            return [number for number, _ in rest]
    return ()


def _signature(typed: Lines, names: Collection[str], verbs: Callable[[], Collection[str]]) -> Iterator[int]:
    """Yield the last closing, and the lines below it up to the last name of the sender, telephone, link or address."""
    manners = Manners(names=names, free=True)
    # A closing that ends the text is a courtesy, with no sign below it.
    closings = [at for at, (_, line) in enumerate(typed[-_MOST_LOOKED_AT:-1]) if manners.closes(plain_words(line))]
    if not closings:
        return
    at = closings[-1] + max(len(typed) - _MOST_LOOKED_AT, 0)
    known = verbs()
    block = [*takewhile(lambda each: not _is_sentence(each[1], known), typed[at + 1 : at + 1 + MOST_SIGNED])]
    signs = [
        place
        for place, (_, line) in enumerate(block)
        if _CONTACT.search(line) or {*plain_words(line).split()} & {*names}
    ]
    # A signature begins with its sender. Where the name stands below other lines, these may be orders.
    if signs and signs[0] == 0:
        yield from (number for number, _ in [typed[at], *block[: signs[-1] + 1]])


def _is_sentence(line: str, verbs: Collection[str]) -> bool:
    """Return True if a line below a closing belongs to no signature."""
    words, table = fold(line), _table("signature")
    if not words or words[0].upper() in verbs or " ".join(words[:3]).startswith(table["postscript"]):
        return True
    return len(words) > 1 and line.rstrip()[-1] in '.!?;:"' and words[-1] not in table["abbreviations"]


def _join_paragraphs(lines: Lines) -> Lines:
    """Return the lines, a paragraph that a program broke as one: 60 to 78 characters, and the next begins small."""
    joined: list[tuple[int, str]] = []
    last = ""
    for number, line in lines:
        if (
            len(last) in _WRAPPED
            and line[:1].islower()
            and last[-1] not in ".!?"
            and len(joined[-1][1]) < _LONGEST_PARAGRAPH
        ):
            joined[-1] = (joined[-1][0], f"{joined[-1][1]} {line.strip()}")
        else:
            joined.append((number, line))
        last = line.rstrip()
    return tuple(joined)


def read_meaning(lines: Sequence[str], names: Collection[str]) -> Meaning:
    """Return what the lines of a text without a frame are, apart from what was added."""
    text, asks = "\n".join(lines), False
    if len(fold(text)) > _LONGEST_TALK:
        return "orders"
    for sentence in _SENTENCE.findall(text):
        words = fold(sentence)
        if " ".join(words) in _table("talk")["unclear"]:
            return "orders"
        rest = words[_skip_talk(words, names) :]
        if not rest and "?" not in sentence:
            continue
        if not sentence.rstrip().endswith("?") or (rest or words)[0] not in _table("question")["begins"]:
            return "orders"
        asks = True
    return "question" if asks else "talk"


def _skip_talk(words: Sequence[str], names: Collection[str]) -> int:
    """Return how many words at the beginning are small talk, courtesies and names."""
    known, at = _talk(), 0
    longest = max(known.values())
    while at < len(words):
        sizes = range(min(longest, len(words) - at), 0, -1)
        size = next((size for size in sizes if tuple(words[at : at + size]) in known), int(words[at] in names))
        if not size:
            break
        at += size
    return at


def is_for_another_sheet(new: Sequence[str], counted: Sequence[str]) -> bool:
    """Return True if lines share none with the sheet that counts, and have less than half as many words."""
    ours, theirs = [list(map(_compared, lines)) for lines in (new, counted)]
    shared = {*filter(None, ours)} & {*theirs}
    return not shared and 2 * sum(map(len, ours)) < sum(map(len, theirs))


def _compared(line: str) -> tuple[str, ...]:
    return fold(_NUMBERING.sub("", line))
