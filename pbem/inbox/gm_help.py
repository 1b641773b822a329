"""HELP for a GM: the list of commands, a line each, and one command with an example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.inbox.synonyms import as_gm_command, words_for
from pbem.report.answers import GmCommandHelp, GmHelpPage
from pbem.ruleset.fields import nearest
from pbem.verbs import BY_TOPIC, VERBS, Verb

# The more used ones first: of two that are as near to a mistyped word the first is offered.
_USED = ("STATUS", "HELP", "DEADLINE", "RULING", "HOLD", "RELEASE", "RUN", "SHEET", "ANNOUNCE")
_OFTEN = tuple(dict.fromkeys((*_USED, *map(str.upper, VERBS))))


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
    found = VERBS.get(word.lower())
    near = nearest_command(word) if word and found is None else ""
    return GmHelpPage(
        campaign=campaign,
        unknown=word if word and found is None else "",
        hint=near,
        one=_help_on(found) if found else None,
        topics=() if found else tuple(_listed()),
    )


def _help_on(verb: Verb) -> GmCommandHelp:
    return GmCommandHelp(
        usage=verb.usage,
        help=" ".join(filter(None, (f"{verb.summary}.", f"Below it: {verb.below}." if verb.below else "", verb.more))),
        also=words_for(verb.word.upper()),
        example=tuple(verb.example.splitlines()),
        undo=verb.undo,
    )


def _listed() -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    for title, verbs in BY_TOPIC.items():
        yield title, tuple((each.usage, each.summary) for each in verbs)


def help_lines(page: GmHelpPage) -> Iterator[str]:
    """Yield HELP as plain lines, for an answer to several commands."""
    if page.unknown:
        yield f'"{page.unknown}" is not a command.' + (f" Did you mean {page.hint}?" if page.hint else "")
    if page.one:
        yield from (page.one.usage, page.one.help, *page.one.example)
    for title, commands in page.topics:
        yield title
        yield from (f"- {usage}: {summary}" for usage, summary in commands)
