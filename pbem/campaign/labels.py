"""How players count: by what their reports call the turns, where the host only numbers them.

The host's numbers run on, whatever a game calls its moments: its turn 3 may be
"turn 1, combat round 1". Players read those of their own reports alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.campaign.snapshot import CampaignSnapshot, live
from pbem.store.models import Report, Turn

Labels = Mapping[int, str]
"""What the reports of a seat call the turns that they open, by the host's numbers, in their order."""

UNKNOWN = "a turn of which you had no report"

_TURN = re.compile(r"\bturn (\d{1,9})\b")
_WORD = re.compile(r"\w+")


def labels_of(
    session: Session, snapshot: CampaignSnapshot, seat_id: int, numbers: Iterable[int] | None = None
) -> Labels:
    """The labels of a seat's reports, or of those among them that open turns of these numbers."""
    reports = (
        select(Turn.number, Report.view)
        .join(Report, Report.turn_id == Turn.id)
        .where(live(snapshot.id), Report.seat_id == seat_id)
        .order_by(Turn.number)
    )
    if numbers is not None:
        reports = reports.where(Turn.number.in_(list(numbers)))
    return {number: str(json.loads(view)["label"]) for number, view in session.execute(reports)}


def label_at(labels: Labels, number: int) -> str:
    """What a seat calls the moment when a turn was open: as the last report says that it had by then."""
    return next((labels[each] for each in sorted(labels, reverse=True) if each <= number), "before the first report")


def numbers_in(texts: Iterable[str]) -> set[int]:
    """The host's numbers of all turns that some texts of the journal name."""
    return {int(number) for text in texts for number in _TURN.findall(text)}


def as_counted(text: str, labels: Labels) -> str:
    """A text of the journal with its turns as a seat's reports call them."""

    def called(found: re.Match[str]) -> str:
        label = labels.get(int(found[1]), "")
        return found[0] if label == found[0] else f'"{label}"' if label else UNKNOWN

    return _TURN.sub(called, text)


def turns_called(labels: Labels, typed: str) -> Sequence[int]:
    """The turns that somebody means who types a label or how it begins, or its number alone; the best first.

    Of labels that are the same the newest is meant.
    """
    words = _WORD.findall(typed.casefold())
    spoken = {number: _WORD.findall(label.casefold()) for number, label in labels.items()}
    same = [number for number, label in spoken.items() if label == words]
    if same:
        return same[-1:]
    if len(words) == 1 and words[0].isdigit():
        return [number for number, label in spoken.items() if next(filter(str.isdigit, label), "") == words[0]]
    return [number for number, label in spoken.items() if words and label[: len(words)] == words]
