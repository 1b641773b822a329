"""The turn summary: the GM's answer to a player's sheet, the scores, and the turns still to come."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.ruleset import View
from pbem_rules.common.summary import counted, fitted, named, sentence


def turn_summary(view: View) -> list[str]:
    """Return the first words of the GM, and the state of the game, from the view alone."""
    return fitted([*_end(view), *_ruled(view), *_gone(view), *_scores(view), *_turn(view)])


def _of(view: View, kind: str) -> list[str]:
    return [event.get("text", "") for event in view["events"] if event["kind"] == kind]


def _end(view: View) -> Iterator[str]:
    if view["over"]:
        winners = [_who(view, seat) for seat in view["result"]["winners"]]
        yield f"The game is over; it was won by {named(winners)}." if winners else "The game is over; nobody has won."
        yield sentence(view["result"]["reason"])


def _ruled(view: View) -> Iterator[str]:
    """Yield whether the GM answered the sheet, and the first line of the answer."""
    own, public = _of(view, "result"), _of(view, "public")
    sheet = f"your sheet of {counted(len(view['sheet']), 'line')}" if view["sheet"] else ""
    if _of(view, "unruled"):
        yield f"The GM gave no ruling{f' on {sheet}' if sheet else ''}; nothing has changed."
    elif sheet and own:
        yield f"The GM has ruled on {sheet}."
    elif sheet:
        yield f"The GM has written nothing to you alone on {sheet}."
    yield from (f"To you: {_first(text)}" for text in own)
    yield from (f"To all: {_first(text)}" for text in public)


def _first(text: str) -> str:
    """Return the first line that has letters or digits, without the marks of a Markdown title."""
    line = next((line.strip() for line in text.splitlines() if any(sign.isalnum() for sign in line)), "see below.")
    marks, _, title = line.partition(" ")
    return title.strip() if title and not marks.strip("#") else line


def _gone(view: View) -> Iterator[str]:
    gone = [event["who"] for event in view["events"] if event["kind"] in ("left", "out")]
    if gone:
        who = named([_who(view, seat) for seat in gone])
        yield f"Out of the game since this turn: {who}."


def _scores(view: View) -> Iterator[str]:
    """Yield the best score, and the reader's own."""
    scores = view["scores"]
    if not scores:
        return
    best = max(scores.values())
    first = [_who(view, seat) for seat in view["seats"] if scores[seat] == best]
    own = "" if "you" in first else f"; you have {scores[view['seat']]}"
    yield f"Highest score: {best}, of {named(first)}{own}."


def _turn(view: View) -> Iterator[str]:
    if view["over"]:
        return
    label, turn, turns = view["label"], view["turn"], view["turns"]
    named_so = f"{sentence(label)}: the" if label != f"turn {turn}" else "The"
    if not turns:
        yield f"{named_so} next turn is turn {turn}; the GM says when the game ends."
    elif turn >= turns:
        yield f"{named_so} next turn is turn {turn}, the last."
    else:
        yield f"{named_so} next turn is turn {turn} of {turns}."


def _who(view: View, seat: str) -> str:
    return "you" if seat == view["seat"] else seat
