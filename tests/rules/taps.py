"""Lines of orders made of the choices of a game, as a page makes them by taps."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.ruleset import AnyRuleset, Choice, View


def offered(ruleset: AnyRuleset, view: View, *words: str) -> list[Choice]:
    """Return the choices behind the beginning of a line."""
    return [choice for choice in ruleset.choices(view, words) if isinstance(choice, Choice)]


def lines(ruleset: AnyRuleset, view: View, *words: str) -> Iterator[str]:
    """Yield every line of the choices behind a beginning, none of which may take several words."""
    found = offered(ruleset, view, *words)
    if not found:
        yield " ".join(words)
    for choice in found:
        yield from lines(ruleset, view, *words, choice.word)


def spots(ruleset: AnyRuleset, view: View) -> set[str]:
    """Return the names of all places of the first picture."""
    return {name for spot in ruleset.pictures(view)[0].spots for name in spot.names}


def is_taken(ruleset: AnyRuleset, view: View, line: str) -> bool:
    """Return True if a line is accepted by itself."""
    parsed = ruleset.parse(view, [(1, line)])
    return bool(parsed.orders) and not parsed.errors
