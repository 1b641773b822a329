"""A GM's texts in reports, and press."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.acts.press.from_gm import PressBook, Reached, Text, Texts
from pbem.report.wording import barred, counted, joined
from pbem.telling.common import utc
from pbem.telling.door import Door


def text_lines(text: Text, _: Door) -> Iterator[str]:
    """A text just given."""
    yield f"Your text is number {text.id}, and stands in the reports that open turn {text.turn}, for {_whom(text)}."


def texts_lines(texts: Texts, _: Door) -> Iterator[str]:
    """The texts of a campaign's GM, each with the turn whose reports bring it, and whether they have."""
    if not texts.texts:
        yield f"There are no texts for reports of {texts.campaign}."
    for each in texts.texts:
        state = "waits for" if each.turn > texts.turn else "went with"
        yield f"{each.id}  {state} the reports that open turn {each.turn}, for {_whom(each)}"
        yield barred(each.text)


def _whom(text: Text) -> str:
    return text.seat or "all"


def press_lines(book: PressBook, _: Door) -> Iterator[str]:
    """All press of a campaign, for its GM alone: by whom each piece truly is."""
    if not book.press:
        yield "There is no press."
    for each in book.press:
        by = (each.seat or "the GM") + (" (unsigned)" if each.unsigned else "")
        to = "" if each.kind != "press" else f" to {joined(each.to) or 'all'}"
        yield f"{each.id}  turn {each.turn}, {utc(each.at)} UTC: {each.kind} by {by}{to}"
        yield barred(each.text)


def reached_lines(reached: Reached, door: Door) -> Iterator[str]:
    """Who gets a GM's words."""
    said = f"{counted(len(reached.to), 'mail')} queued, to {joined(reached.to)}."
    yield said + door.either(" Send: pbem tick", "")
