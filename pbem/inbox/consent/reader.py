"""Classes of answers, by their segments, each of which is known word for word.

Nothing is guessed: "Yes, but only if I can be red" has a segment that is in no list,
so it is not a plain yes, whatever that segment says. Reading is total, and takes
linear time.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal
from unicodedata import combining, normalize

Said = Literal["yes", "yes-question", "mixed", "no", "words", "question", "courtesy", "nothing", "unreadable"]
"""The class of an answer.

"mixed" has a yes and something else; "unreadable" has parts, none of which is a text that can be read.
"""

MOST_READ = 4_000
"""Characters of an answer that are read; what is longer is no plain yes."""

_LISTS = ("alone", "yes", "agree", "interest", "mine", "no", "decline", "courtesy")
"""Lists of the word files, a later one before an earlier; "alone" are words for yes that are others in phrases."""

_NAME, _OTHER, _QUESTION = "name", "other", "question"

_SEGMENT = re.compile(r"([^.!?,;:/()\"…。、！？，；：]++)([.!?,;:/()\"…。、！？，；：\s]*+)")
_DASH = re.compile(r"[\u2013\u2014]|(?<=\s)-+(?=\s)|--+")
_APOSTROPHES = re.compile(r"['\u2018\u2019`\u00b4]")
_TONES = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")
_WORD = re.compile("\\w+|[\U0001f44d\U0001f44e]")
_TITLED = re.compile(r"[^\W\d_]\w*+\.?(?: [^\W\d_]\w*+\.?){0,3}")

_BARE = re.compile(r"[^\W\d_]{2,20}\.?")

_WRAPPED = 50
"""Characters from which a line without a mark at its end goes on in the next, if that begins small."""

_MOST_SIGNED = 4
"""Lines of names below a closing."""

_SHORTEST_NAME = 3
"""Letters of a short form of the sender's name, apart from an initial."""


def fold(text: str) -> tuple[str, ...]:
    """Return the words of a text as they are compared: small, without apostrophes, accents and marks."""
    plain = normalize("NFKD", _APOSTROPHES.sub("", _TONES.sub("", text)).casefold())
    return tuple(_WORD.findall("".join(sign for sign in plain if not combining(sign))))


@cache
def load_words() -> Mapping[tuple[str, ...], str]:
    """Return the known phrases of all languages, each with its list.

    A courtesy of one language that is a yes in another is a courtesy.
    """
    known: dict[tuple[str, ...], str] = {}
    found = sorted(files("pbem.inbox.consent").joinpath("words").iterdir(), key=lambda file: file.name)
    languages = [tomllib.loads(file.read_text("utf-8")) for file in found if file.name.endswith(".toml")]
    for name in _LISTS:
        known |= {fold(phrase): name for language in languages for phrase in language.get(name, ())}
    return known


@cache
def _longest() -> int:
    return max(map(len, load_words()))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words that count for one question: the lists that are a yes and a no, and the sender's names.

    `own` are phrases that say yes to this question alone, such as its command. With `signed`, what looks like a name is
    one behind a courtesy or below a closing, and with `unnamed` also at the end; else only names of the sender are.
    """

    yes: tuple[str, ...]
    no: tuple[str, ...] = ("no",)
    names: Collection[str] = ()
    own: Collection[str] = ()
    signed: bool = False
    unnamed: bool = False

    def kinds(self, segment: str) -> frozenset[str]:
        """Return what the phrases of a segment are; with one word that is not known, the whole is "other"."""
        words, found, at = fold(segment), set[str](), 0
        if words in map(fold, self.own) or load_words().get(words) == "alone":
            return frozenset({"yes"})
        said, _, name = segment.strip().rpartition(" ")
        named = self.signed and name.istitle() and fold(name) not in load_words()  # "Hi Gina"
        if named and load_words().get(fold(said)) == "courtesy":
            return frozenset({"courtesy"})
        while at < len(words):
            size, kind = self._longest_phrase(words, at)
            if kind == _OTHER:
                return frozenset({_OTHER})
            found.add(kind)
            at += size
        return frozenset(found)

    def _longest_phrase(self, words: Sequence[str], at: int) -> tuple[int, str]:
        known = load_words()
        for size in range(min(_longest(), len(words) - at), 0, -1):
            if (name := known.get(tuple(words[at : at + size]))) is not None:
                return size, self._kind(name)
        return (1, _NAME) if self._is_name(words[at]) else (0, _OTHER)

    def _kind(self, name: str) -> str:
        if name == "courtesy" or (name == "interest" and "agree" in self.yes):
            return name
        return "yes" if name in self.yes else "no" if name in self.no else _OTHER

    def _is_name(self, word: str) -> bool:
        return any(
            word == name or (name.startswith(word) and (len(word) == 1 or len(word) >= _SHORTEST_NAME))
            for name in self.names
        )


def read_answer(lines: Iterable[str], words: Vocabulary) -> Said:
    """Return the class of an answer, by the lines that the sender has typed."""
    text = "\n".join(lines).strip()
    typed = _join_wrapped([line.strip() for line in text[:MOST_READ].split("\n")])
    typed = _without_names(typed, words) if words.signed else typed
    found = [kinds for line in typed for kinds in _read_line(line, words)]
    return _classify([*found, *([frozenset({_OTHER})] if len(text) > MOST_READ else [])])


def _join_wrapped(lines: Sequence[str]) -> Sequence[str]:
    joined: list[str] = []
    for line in lines:
        if joined and len(joined[-1]) >= _WRAPPED and joined[-1][-1].isalnum() and line[:1].islower():
            joined[-1] = f"{joined[-1]} {line}"
        else:
            joined.append(line)
    return joined


def _without_names(lines: Sequence[str], words: Vocabulary) -> Sequence[str]:
    """Return the lines without those that look like a name: some below a closing, or one at the end of all."""
    kept: list[str] = []
    room = 0
    for at, line in enumerate(lines):
        kinds = words.kinds(line)
        last = words.unnamed and at == len(lines) - 1 and at > 0 and _BARE.fullmatch(line)
        named = _TITLED.fullmatch(line) is not None and all(word[0].isupper() for word in line.split())
        if _OTHER in kinds and named and (room or last):
            room = max(room - 1, 0)
            continue
        kept.append(line)
        if line:
            room = _MOST_SIGNED if kinds == {"courtesy"} else 0
    return kept


def _read_line(line: str, words: Vocabulary) -> Iterator[frozenset[str]]:
    for match in _SEGMENT.finditer(_DASH.sub(", ", line)):
        if not fold(match[1]):
            continue
        kinds, asks = words.kinds(match[1]), "?" in match[2] or "\uff1f" in match[2]
        # "Yes?" asks; "Yes, why not?" does not.
        yield frozenset({_QUESTION}) if asks and kinds != {"courtesy"} else kinds


def _classify(found: Collection[frozenset[str]]) -> Said:
    kinds = frozenset[str]().union(*found)
    if "yes" in kinds or ("interest" in kinds and _QUESTION not in kinds):
        if kinds & {"no", _OTHER}:
            return "mixed"
        return "yes-question" if _QUESTION in kinds else "yes"
    if "no" in kinds:
        return "no"
    if _QUESTION in kinds:
        return "question"
    return "words" if _OTHER in kinds else "courtesy" if kinds else "nothing"
