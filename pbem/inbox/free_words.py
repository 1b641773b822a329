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
from itertools import takewhile
from typing import Literal

from pbem.campaign.courtesies import MOST_SIGNED, Lines, Manners, find_courtesies, first_words, plain_words
from pbem.campaign.order_sheets import parse_split
from pbem.inbox.consent.reader import fold, load_words
from pbem.inbox.frames import SheetText
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import View

Meaning = Literal["talk", "question", "orders"]
"""Kinds of texts in free words: small talk that needs no answer, questions and asides alone, or anything else."""

_MOST_LOOKED_AT = 60
"""Lines at the end of a text among which what was added is looked for."""

_LONGEST_TALK = 60
"""Words up to which a text may be small talk or questions alone."""

_SHORTEST_NOTICE = 80
_WRAPPED = range(60, 79)
"""Lengths of lines that mail programs leave of a paragraph which they break."""

_LONGEST_PARAGRAPH = 1_800
_CONTACT = re.compile(
    r"[+(][0-9][-()/. 0-9]{5,28}[0-9]|\b0[0-9][-()/. 0-9]{5,28}[0-9]|\b[0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}\b"
    r"|\b(?:tel|telephone|telefon|phone|mobile|mobil|mob|cell|fax)\b[.: ]{0,3}[0-9]|\S@\S|https?://|\bwww\.",
    re.IGNORECASE,
)
"""A telephone number, which begins with 0, + or a bracket or has a label, an address or a link."""

_DATE = re.compile(r"\b[0-9]{1,4}([-./])[0-9]{1,2}\1[0-9]{2,4}\b")
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
        read = parse_split(ruleset, view, [each for each in sheet.lines if each[0] in added])
        added -= {entry.line for entry in read.entries}
    left = sheet.without(added).lines
    aside = added | find_courtesies(ruleset, view, left, names)
    if not ruleset.free_text:
        return sheet, aside
    whole = _join_paragraphs([each for each in left if each[0] not in aside])
    kept = [each for each in sheet.lines if each[0] in aside]
    return replace(sheet, lines=tuple(sorted((*kept, *whole)))), aside


_ALONE = "ADD"
_ADD = re.compile(r"\A\s*+(ADD\b|add(?=[:.!]|\s*+\Z))[:.,!]*+\s*+(.*+)", re.IGNORECASE | re.DOTALL)
_TO_ORDERS = re.compile(
    r"(?:(?:to )?(?:my |the )?(?:orders?|sheet)|this|these|th(?:is|ese) orders?)?[:.]?", re.IGNORECASE
)


def split_addition(ruleset: AnyRuleset, view: View, sheet: SheetText, aside: Collection[int]) -> tuple[SheetText, bool]:
    """Return a sheet without the ADD that it begins with, and others like it, and whether it does.

    In free words "Add a tower" is an order: there it is ADD in capitals, before a colon or alone on its line.
    """
    typed = [(number, line) for number, line in sheet.lines if line.strip() and number not in aside]
    first = _ADD.match(typed[0][1]) if typed else None
    if first is None:
        return sheet, False
    own = "ADD" in first_words(ruleset, view)
    rests = {number: rest for number, line in typed if (rest := _without_add(line, own=own, free=ruleset.free_text))}
    if typed[0][0] not in rests:
        return sheet, False
    lines = ((number, rests.get(number, line)) for number, line in sheet.lines)
    return replace(sheet, lines=tuple(each for each in lines if each[1] != _ALONE)), True


def _without_add(line: str, *, own: bool, free: bool) -> str:
    """Return a line without the ADD that it begins with, ADD if that is all, "" for any other line.

    Args:
        line: The line.
        own: ADD is a word of the game.
        free: Lines are free words.
    """
    if (found := _ADD.match(line)) is None:
        return ""
    if _TO_ORDERS.fullmatch(found[2].strip()):
        return _ALONE
    return "" if own or (free and found[1] != "ADD" and ":" not in line[:5]) else found[2]


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


def _notice(lines: Lines, typed: Lines) -> Iterator[int]:
    """Yield the lines of the notices with which a text ends: paragraphs, of which the first one is long."""
    found: list[Lines] = []
    for paragraph in reversed(_paragraphs(lines, typed)):
        if not _is_of_notice(paragraph):
            break
        found.append(paragraph)
    while found and not _begins_notice(found[-1]):
        found.pop()
    yield from (number for paragraph in found for number, _ in paragraph)


def _paragraphs(lines: Lines, typed: Lines) -> list[Lines]:
    """Return the typed lines by paragraphs, between which a line is blank or a rule."""
    blank = {number for number, line in lines if not line.strip(" \t-_=*")}
    found: list[list[tuple[int, str]]] = []
    for number, line in typed:
        if not found or number - 1 in blank:
            found.append([])
        found[-1].append((number, line))
    return [*found]


def _begins_notice(paragraph: Lines) -> bool:
    """Return True for a paragraph that begins like a notice and speaks like one."""
    said = fold(text := " ".join(line for _, line in paragraph))
    begins = " ".join(said).startswith(_table("notice")["begins"])
    return begins and len(text) >= _SHORTEST_NOTICE and _speaks_of_notice(said)


def _speaks_of_notice(words: Sequence[str]) -> bool:
    return len({*words} & {*_table("notice")["words"]}) > 1


def _is_of_notice(paragraph: Lines) -> bool:
    """Return True for a paragraph that may stand in or below a notice: in its words, or about a company."""
    words = fold(" ".join(line for _, line in paragraph))
    begins = (*_table("notice")["begins"], *_table("notice")["company"])
    return " ".join(words).startswith(begins) or _speaks_of_notice(words) or all(map(_has_contact, paragraph))


def _has_contact(line: tuple[int, str]) -> bool:
    return _CONTACT.search(_DATE.sub(" ", line[1])) is not None


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
        if _has_contact((0, line)) or {*plain_words(line).split()} & {*names}
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
        asked = sentence.rstrip().endswith("?") and (rest or words)[0] in _table("question")["begins"]
        if not (asked or is_aside(sentence)):
            return "orders"
        asks = True
    return "question" if asks else "talk"


def is_aside(line: str) -> bool:
    """Return True for words to a person, by what they begin with, such as BTW."""
    return " ".join(fold(line)[:1]) in _table("talk")["asides"]


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
    ours, theirs = [[fold(_NUMBERING.sub("", line)) for line in lines] for lines in (new, counted)]
    shared = {*filter(None, ours)} & {*theirs}
    return not shared and 2 * sum(map(len, ours)) < sum(map(len, theirs))
