"""Other words for commands, of players and of GMs: whole lines, and beginnings behind which the arguments stand.

The words are data, `words/player.toml` and `pbem.verbs`. A beginning counts only with
arguments that can be meant, so that "From the castle to the lake" stays an order in a
game of free words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from pbem.actions.days import write_span, write_span_of_time, write_time
from pbem.ruleset.tokenizer import quote_word
from pbem.verbs import VERBS

LONGEST = 200
"""Characters of a line that may be a synonym."""

_PUNCTUATION = re.compile(r"[^\w\s]++|_")
_POLITE = ("please", "pls", "thanks", "thank you")
_LIST_MARK = re.compile(r"\A\s*+(?:\(?[0-9]{1,2}[.)]|[-*\u2022\u2013])\s++(?=\w)")


def load_table(name: str) -> Mapping[str, Any]:
    """Return the data of `words/NAME.toml`."""
    return tomllib.loads(files("pbem.inbox").joinpath("words", f"{name}.toml").read_text("utf-8"))


def without_list_mark(line: str) -> str:
    """Return a line without the number or bullet that a list has before it: "1. ", "1) ", "- ", "* "."""
    return _LIST_MARK.sub("", line)


def plain_words(line: str) -> str:
    """Return a line in small letters, without punctuation and without a "please" around it."""
    words = " ".join(_PUNCTUATION.sub("", line[:LONGEST].lower()).split())
    for polite in ("please ", "pls "):
        words = words.removeprefix(polite)
    for polite in _POLITE:
        words = words.removesuffix(f" {polite}")
    return words


_WORD = re.compile(r"[\w-]++[.!]?")


def _seats(rest: str) -> str:
    """Return names that commas, "and" or "with" join; "" for other words."""
    names = rest.rstrip(":.").replace(" and ", ",").replace(" with ", ",").split(",")
    return ", ".join(name.strip() for name in names) if all(_WORD.fullmatch(name.strip()) for name in names) else ""


def _unmuted(rest: str) -> str:
    name, _, off = rest.rstrip(".!").rpartition(" ")
    return name.strip() if off.upper() == "OFF" and _WORD.fullmatch(name.strip()) else ""


def _give_to(rest: str) -> str:
    """Return "red TO address" for "red BY address"."""
    words = rest.split()
    by = [word.upper() for word in words[1:2]] in (["BY"], ["WITH"])
    return " ".join([words[0], "TO", *words[2:]]) if by else rest


def _time(rest: str) -> str:
    """Return a span or a moment as one word, with YES and what is behind that; other words as they are."""
    words = rest.split()
    at = next((at for at, word in enumerate(words) if word.upper() == "YES"), len(words))
    time = write_time(" ".join(words[:at]))
    return " ".join([quote_word(time), *words[at:]]) if time else rest


_READERS: Mapping[str, Callable[[str], str]] = {
    "days": write_span,
    "span": lambda rest: write_span_of_time(rest) or rest,
    "time": _time,
    "name": lambda rest: rest.rstrip(".!") if _WORD.fullmatch(rest) else "",
    "seats": _seats,
    "address": lambda rest: rest if "@" in rest else "",
    "off": _unmuted,
    "given": _give_to,
    "": lambda rest: rest,
}
"""Functions that read the words behind a beginning, by what a command takes: "" if they cannot be meant."""


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Other words by the commands that they mean: `alone` as whole lines, `before` before arguments of a kind."""

    alone: Mapping[str, str]
    before: Mapping[str, tuple[str, str]]
    others: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, table: Mapping[str, Mapping[str, Any]]) -> Synonyms:
        """Return the synonyms of a table as `words/player.toml` has it."""
        alone, before, others = dict[str, str](), dict[str, tuple[str, str]](), dict[str, tuple[str, ...]]()
        for command, row in table.items():
            also = row.get("also", ())
            alone |= dict.fromkeys((*also, *row.get("alone", ())), command)
            before |= dict.fromkeys((*also, *row.get("before", ())), (command, row.get("takes", "")))
            others[command] = tuple(dict.fromkeys((*also, *row.get("before", ()), *row.get("alone", ()))))
        return cls(alone, before, others)

    def reword(self, line: str) -> str:
        """Return the command that a line means in other words; the line itself if it is no synonym."""
        if len(line) > LONGEST or not line.strip():
            return line
        line = without_list_mark(line)
        if command := self.alone.get(plain_words(line) or line.strip()):
            return command
        typed = line.strip()
        typed = typed[len("please ") :].lstrip() if typed.lower().startswith("please ") else typed
        begins = typed.split()
        for count in range(min(_MOST_WORDS, len(begins)), 0, -1):
            command, takes = self.before.get(" ".join(begins[:count]).lower().rstrip(":"), ("", ""))
            behind = typed.split(None, count)[count:]
            if behind and command and (rest := _READERS[takes](without_courtesies(behind[0].lstrip(": \t")))):
                return f"{command} {rest}"
        return line


_MOST_WORDS = 5
"""Words of the longest beginning."""


@cache
def _synonyms(name: str) -> Synonyms:
    return Synonyms.of(gm_table() if name == "gm" else load_table(name))


def gm_table() -> Mapping[str, Mapping[str, Any]]:
    """Return the other words of `pbem.verbs` by the commands that they mean, such as "ANNOUNCE TO"."""
    table: dict[str, dict[str, Any]] = {}
    for verb in VERBS.values():
        for kind, words in (("also", verb.also), ("alone", verb.alone), ("before", verb.before)):
            for phrase in filter(None, words.split(", ")):
                said, _, behind = phrase.partition(" = ")
                row = table.setdefault(f"{verb.word} {behind}".strip().upper(), {"takes": verb.takes})
                row.setdefault(kind, []).append(said)
    return table


def as_command(line: str) -> str:
    """Return the command of a player that a line means in other words; the line itself if it is no synonym."""
    return _synonyms("player").reword(line)


def as_gm_command(line: str) -> str:
    """Return a line with the command of a GM in its own word; the line itself if it has no other words for one."""
    return _synonyms("gm").reword(line)


def words_for(word: str) -> tuple[str, ...]:
    """Return the other words for a GM's command, by its first word."""
    found = (words for command, words in _synonyms("gm").others.items() if command.split()[0] == word)
    return tuple(words.upper() for some in found for words in some if words != word.lower())


def without_courtesies(said: str) -> str:
    """Return words without "please" or thanks at their end, and without the marks there."""
    said = said.rstrip(" \t.!?,:")
    polite = next((word for word in _POLITE if said.lower().endswith(f" {word}")), "")
    return said[: len(said) - len(polite)].rstrip(" \t,")
