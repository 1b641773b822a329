"""Other words for commands, as one table: sentences, and beginnings behind which the arguments stand.

A synonym counts only as a whole line. A beginning counts only with arguments that can be
meant, so that "From the castle to the lake" stays an order in a game of free words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import product

from pbem.inbox.days import write_span

LONGEST = 200
"""Characters of a line that may be a synonym."""

_SENTENCES: Mapping[str, tuple[str, ...]] = {
    "STATUS": ("who", "deadline", "when is it due", "when are orders due", "when is the deadline"),
    "RESEND": (
        *("report again", "resend report", "resend my report", "resend the report"),
        *("send my report again", "send me my report again", "send the report again"),
    ),
    "JOURNAL": ("log",),
    "RULES": ("rulebook", "rule book", "the rules"),
    "LEAVE": ("resign my seat", "unsubscribe"),
    "NO ORDERS": (
        *("no orders this turn", "no orders for this turn", "nothing to order", "nothing to order this turn"),
        *("i have no orders", "no order", "pass"),
    ),
    "CLEAR ORDERS": tuple(
        f"{verb} {orders}"
        for verb, orders in product(
            ("clear", "cancel", "withdraw", "delete", "remove", "retract", "drop"),
            *[("orders", "my orders", "all orders", "all my orders", "my sheet", "my order sheet", "the orders")],
        )
        if f"{verb} {orders}" != "clear orders"
    ),
    "EXTEND": ("more time", "delay", "can we have more time"),
    "PRESENT": ("absent off", "away off", "i am back", "im back", "back again", "i am here again", "im here again"),
    "UNDEPUTE": ("deputy off", "no deputy", "standin off", "substitute off"),
    "RESUME": ("continue", "back", "pause off"),
    "FALLBACK OFF": ("second address off", "no second address"),
    "FORMAT TEXT": ("format plain", "format plain text", "plain text", "plain text please", "format text only"),
    "FORMAT HTML": ("format whole",),
    "FORMAT CALENDAR": ("format calendar on", "calendar on"),
    "FORMAT NOCALENDAR": ("format calendar off", "calendar off"),
    "FORMAT PAGE": ("format page attached", "format page on", "page on", "page attached"),
    "FORMAT LINK": ("format page link", "page link"),
    "FORMAT NOPAGE": ("format page off", "page off"),
    "ASK GM": (
        *("ask the gm", "ask my gm", "press to gm", "press to the gm", "question", "a question", "gm question"),
        *("question to gm", "question to the gm", "a question to the gm", "question for the gm", "write to the gm"),
        *("a question for the gm", "message to the gm", "write to gm", "message to gm", "tell the gm", "tell gm"),
    ),
}
"""Whole lines, in small letters and without punctuation, by the command that they mean."""

_PUNCTUATION = re.compile(r"[^\w\s]++|_")
_POLITE = ("please", "pls", "thanks", "thank you")
_BY_SENTENCE = {sentence: command for command, sentences in _SENTENCES.items() for sentence in sentences}


def plain_words(line: str) -> str:
    """Return a line in small letters, without punctuation and without a "please" around it."""
    words = " ".join(_PUNCTUATION.sub("", line[:LONGEST].lower()).split())
    for polite in ("please ", "pls "):
        words = words.removeprefix(polite)
    for polite in _POLITE:
        words = words.removesuffix(f" {polite}")
    return words


_WORD = re.compile(r"[\w-]++[.!]?")


def _one_word(rest: str) -> str:
    return rest.rstrip(".!") if _WORD.fullmatch(rest) else ""


def _seats(rest: str) -> str:
    """Return names that commas or "and" join; "" for other words."""
    names = rest.rstrip(":.").replace(" and ", ",").split(",")
    return ", ".join(name.strip() for name in names) if all(_WORD.fullmatch(name.strip()) for name in names) else ""


def _with_address(rest: str) -> str:
    return rest if "@" in rest else ""


def _unmuted(rest: str) -> str:
    name, _, off = rest.rstrip(".!").rpartition(" ")
    return name.strip() if off.upper() == "OFF" and _WORD.fullmatch(name.strip()) else ""


_BEGINNINGS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("absent", "ABSENT", write_span),
    ("away", "ABSENT", write_span),
    ("holiday", "ABSENT", write_span),
    ("on holiday", "ABSENT", write_span),
    ("i am away", "ABSENT", write_span),
    ("i'm away", "ABSENT", write_span),
    ("i will be away", "ABSENT", write_span),
    ("i'll be away", "ABSENT", write_span),
    ("i am on holiday", "ABSENT", write_span),
    ("i'm on holiday", "ABSENT", write_span),
    ("i am absent", "ABSENT", write_span),
    ("from", "ABSENT", write_span),
    ("standin", "DEPUTY", _with_address),
    ("substitute", "DEPUTY", _with_address),
    ("new address", "ADDRESS", _with_address),
    ("my new address is", "ADDRESS", _with_address),
    ("email", "ADDRESS", _with_address),
    ("second address", "FALLBACK", _with_address),
    ("mute", "UNMUTE", _unmuted),
    ("ignore", "MUTE", _one_word),
    ("press anonymous to", "UNSIGNED TO", _seats),
    ("press to", "PRESS TO", _seats),
    ("write to", "PRESS TO", _seats),
    ("message to", "PRESS TO", _seats),
    ("tell", "PRESS TO", _seats),
    ("extend by", "EXTEND", lambda rest: rest),
    ("extend for", "EXTEND", lambda rest: rest),
)
"""Beginnings of lines, the commands that they mean, and the function that reads the words behind: "" if it cannot."""

_LONGEST_FIRST = sorted(_BEGINNINGS, key=lambda row: -len(row[0]))
_ANY_BEGINNING = tuple(begins for begins, _, _ in _BEGINNINGS)


def _without_thanks(words: str) -> str:
    said = words.rstrip(" \t,.!")
    polite = next((word for word in _POLITE if said.lower().endswith(f" {word}")), "")
    return said[: len(said) - len(polite)].rstrip(" \t,") if polite else words.strip()


def as_command(line: str) -> str:
    """Return the command that a line means in other words; the line itself if it is no synonym."""
    if len(line) > LONGEST or not line.strip():
        return line
    if command := _BY_SENTENCE.get(plain_words(line)):
        return command
    typed = line.strip()
    typed = typed[len("please ") :].lstrip() if typed.lower().startswith("please ") else typed
    small = typed.lower()
    for begins, command, read in _LONGEST_FIRST if small.startswith(_ANY_BEGINNING) else ():
        behind = typed[len(begins) :] if small.startswith(begins) else ""
        if behind.startswith((" ", ":", "\t")) and (rest := read(_without_thanks(behind.lstrip(": \t")))):
            return f"{command} {rest}"
    return line


_ASKING = ("ask gm", "ask the gm", "ask my gm")
_TO_GM = ("to gm", "for gm", "to the gm", "for the gm")
_QUESTION = ("question", "a question", *(f"{noun} {to}" for noun in ("question", "a question") for to in _TO_GM))


def words_to_gm(line: str) -> str:
    """Return what stands behind ASK GM, or a colon behind QUESTION, on the same line; "" for any other line."""
    begins, colon, behind = line.partition(":")
    said = " ".join(begins.lower().split())
    if colon and said in (*_ASKING, *_QUESTION):
        return behind.strip()
    typed = line.strip()
    asked = next((begins for begins in _ASKING if typed[: len(begins) + 1].lower() == f"{begins} "), "")
    behind = typed[len(asked) :].strip() if asked else ""
    return behind if behind.strip(" .!:,") else ""
