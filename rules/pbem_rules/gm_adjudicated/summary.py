"""The turn summary: the GM's answer to a player's sheet, the scores, and the turns still to come."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pbem.ruleset import Loss, View
from pbem_rules.common.summary import LINES, SIGNS, counted, events_of, named, sentence, you_or_seat

# Marks of Markdown at the beginning of a line, those within it, and signs of what is no sentence: tables, HTML, links.
_OPENING = re.compile(r"[#>*+\s-]{1,20}+")
_MARKS = re.compile(r"[*`]++|(?<!\w)_++|_++(?!\w)")
_NO_SENTENCE = re.compile(r"[|<>\[\]]|---|===")
# The end of a sentence, with the quotation mark that may follow.
_END = re.compile(r"[.!?…][\"'”’)]?(?=\s|$)")


def turn_summary(view: View) -> list[str]:
    """Return the first words of the GM, and the state of the game, from the view alone."""
    lines = [*_end(view), *_departures(view), *_scores(view), *_ruled(view)]
    turn = list(_turn(view))
    return [line for line in lines if len(line) <= SIGNS][: LINES - len(turn)] + turn


def _of(view: View, kind: str) -> list[str]:
    return [event.get("text", "") for event in events_of(view, kind)]


def _end(view: View) -> Iterator[str]:
    if view["over"]:
        winners = [you_or_seat(view, seat) for seat in view["result"]["winners"]]
        yield f"The game is over; it was won by {named(winners)}." if winners else "The game is over; nobody has won."
        yield sentence(view["result"]["reason"])


def _ruled(view: View) -> Iterator[str]:
    """Yield whether the GM answered the sheet, and the first sentences of the GM that fit."""
    own, public = _of(view, "result"), _of(view, "public")
    sheet = f"your sheet of {counted(len(view['sheet']), 'line')}" if view["sheet"] else ""
    first = [f"To you: {words}" for text in own if (words := _first(text, SIGNS - 8))]
    if _of(view, "unruled"):
        yield Loss(f"The GM gave no ruling{f' on {sheet}' if sheet else ''}; nothing has changed.")
    elif sheet and not own:
        yield f"The GM has written nothing to you alone on {sheet}."
    yield from first or (f"To all: {words}" for text in public if (words := _first(text, SIGNS - 8)))


def _first(text: str, room: int) -> str:
    """Return the first sentence of a text without marks of Markdown, or its title; "" if that has no room."""
    for paragraph in text[:2_000].split("\n\n"):
        lines = [line for line in paragraph.splitlines() if any(sign.isalnum() for sign in line)]
        if lines:
            said = lines[0] if lines[0].startswith("#") else " ".join(lines)
            return _sentence(said, room)
    return ""


def _sentence(text: str, room: int) -> str:
    """Return the sentence that a text begins with; "" if it has no room or is none."""
    words = " ".join(_MARKS.sub("", _OPENING.sub("", text, count=1) if _OPENING.match(text) else text).split())
    end = _END.search(words)
    first = words[: end.end()] if end else words
    return "" if len(first) > room or _NO_SENTENCE.search(first) else first


def _departures(view: View) -> Iterator[str]:
    gone = [event["who"] for event in events_of(view, "left", "out")]
    if view["seat"] in gone:
        yield Loss("You are out of the game since this turn.")
    if others := [who for who in gone if who != view["seat"]]:
        yield f"Out of the game since this turn: {named(others)}."


def _scores(view: View) -> Iterator[str]:
    """Yield who leads, and the scores of the reader and as many others as a headline holds."""
    scores = view["scores"]
    if not scores:
        return
    best = max(scores.values())
    first = [seat for seat in view["seats"] if scores[seat] == best]
    behind = (seat for seat in scores if seat not in first)
    rest = sorted(behind, key=lambda seat: (seat != view["seat"], -scores[seat]))
    told = [f"you have {scores[seat]}" if seat == view["seat"] else f"{seat} {scores[seat]}" for seat in rest]
    names = [you_or_seat(view, seat) for seat in first]
    leads = "lead" if len(first) > 1 or "you" in names else "leads"
    head = sentence(f"{named(sorted(names, key=lambda name: name != 'you'))} {leads} with {best}")
    wordings = (f"{head}{'; ' if told[:at] else ''}{', '.join(told[:at])}." for at in (len(told), min(1, len(told)), 0))
    yield next((each for each in wordings if len(each) <= SIGNS), "")


def _turn(view: View) -> Iterator[str]:
    """Yield how many turns are left, where that is known."""
    if view["over"] or not view["turns"]:
        return
    left = view["turns"] - view["turn"]
    if left > 0:
        yield f"{counted(left, 'turn')} {'is' if left == 1 else 'are'} left after this one."
    else:
        yield "This is the last turn, unless your GM says otherwise."
