"""HELP for a GM: the list of commands, a line each, and one command with an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.inbox.synonyms import as_gm_command, load_table, words_for
from pbem.report.answers import GmCommandHelp, GmHelpPage
from pbem.ruleset.fields import nearest


@dataclass(frozen=True, slots=True)
class GmWord:
    """A command of a GM as HELP explains it.

    `example` has the lines of a frame that can be sent as they are, but for names. `undo` is the command that reverses
    it, or the reason why there is none.
    """

    usage: str
    summary: str
    example: tuple[str, ...]
    undo: str
    more: str = ""

    @property
    def word(self) -> str:
        """The first word."""
        return self.usage.split()[0]


def _word(row: Mapping[str, Any]) -> GmWord:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return GmWord(**values)


_TOPICS = tuple((title, tuple(map(_word, rows))) for title, rows in load_table("gm_help").items())

GM_WORDS: tuple[GmWord, ...] = tuple(word for _, words in _TOPICS for word in words)
"""All commands, in the order of HELP."""

# The more used ones first: of two that are as near to a mistyped word the first is offered.
_USED = ("STATUS", "HELP", "DEADLINE", "RULING", "HOLD", "RELEASE", "RUN", "SHEET", "ANNOUNCE")
_OFTEN = (*_USED, *(each.word for each in GM_WORDS if each.word not in _USED))


def nearest_command(typed: str) -> str:
    """Return the command for which a word was mistyped; "" if none is."""
    return nearest(typed, _OFTEN) or _swapped(typed, _OFTEN)


def _swapped(typed: str, words: Sequence[str]) -> str:
    """Return the first word that has the same letters in another order; "" if there is none."""
    return next((word for word in words if len(word) > 3 and sorted(word) == sorted(typed.upper())), "")


def explain(words: Sequence[str], campaign: str) -> GmHelpPage:
    """Return HELP on one command of a campaign's GM, or the list where the words behind HELP name none."""
    typed = as_gm_command(" ".join(words)).split()[:1] or [""]
    word = typed[0].upper()
    found = next((each for each in GM_WORDS if word == each.word), None)
    near = nearest_command(word) if word and found is None else ""
    return GmHelpPage(
        campaign=campaign,
        unknown=word if word and found is None else "",
        hint=near,
        one=_help_on(found) if found else None,
        topics=() if found else tuple(_listed()),
    )


def _help_on(word: GmWord) -> GmCommandHelp:
    return GmCommandHelp(
        usage=word.usage,
        help=" ".join(filter(None, (f"{word.summary}.", word.more))),
        also=words_for(word.word),
        example=word.example,
        undo=word.undo,
    )


def _listed() -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    for title, words in _TOPICS:
        yield title, tuple((each.usage, each.summary) for each in words)


def help_lines(page: GmHelpPage) -> Iterator[str]:
    """Yield HELP as plain lines, for an answer to several commands."""
    if page.unknown:
        yield f'"{page.unknown}" is not a command.' + (f" Did you mean {page.hint}?" if page.hint else "")
    if page.one:
        yield from (page.one.usage, page.one.help, *page.one.example)
    for title, commands in page.topics:
        yield title
        yield from (f"- {usage}: {summary}" for usage, summary in commands)
