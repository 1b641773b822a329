"""How players count: by what their reports call the turns, where the host only numbers them.

The host's numbers run on, whatever a game calls its moments: its turn 3 may be
"turn 1, combat round 1". Players read those of their own reports alone.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from pbem.campaign.snapshot import CampaignSnapshot, live
from pbem.store.models import Report, Turn

Labels = Mapping[int, str]
"""What the reports of a seat call the turns that they open, by the host's numbers, in their order."""

BEFORE = "before the first report"
UNKNOWN = "a turn of which you had no report"

_TURN = re.compile(r"\bturn (\d{1,9})\b")
_WORD = re.compile(r"\w+")


def labels_of(session: Session, snapshot: CampaignSnapshot, seat_id: int) -> Labels:
    """The labels of a seat's reports."""
    return _labels(session, live(snapshot.id), Report.seat_id == seat_id).get(seat_id, {})


def open_label(session: Session, snapshot: CampaignSnapshot, seat_id: int) -> str:
    """What a seat calls the moment of a snapshot: as its last report until then does, the only one that is read."""
    view = session.scalar(
        select(Report.view)
        .join(Turn, Turn.id == Report.turn_id)
        .where(live(snapshot.id), Report.seat_id == seat_id, Turn.number <= snapshot.turn)
        .order_by(Turn.number.desc())
        .limit(1)
    )
    return BEFORE if view is None else str(json.loads(view)["label"])


def labels_named(
    session: Session, snapshot: CampaignSnapshot, seat_ids: Collection[int], texts: Iterable[str]
) -> Mapping[int, Labels]:
    """The labels of turns that texts of the journal name, by seat, as it read them last: of those taken back too."""
    numbers = {int(number) for text in texts for number in _TURN.findall(text)}
    named = (Turn.campaign_id == snapshot.id, Turn.number.in_(numbers), Report.seat_id.in_(seat_ids))
    return _labels(session, *named) if numbers else {}


def _labels(session: Session, *which: ColumnElement[bool]) -> Mapping[int, Labels]:
    found: dict[int, dict[int, str]] = defaultdict(dict)
    reports = select(Report.seat_id, Turn.number, Report.view).join(Turn, Turn.id == Report.turn_id).where(*which)
    # Views of many seats together would fill the memory.
    some = reports.order_by(Turn.number, Turn.id).execution_options(yield_per=100)
    for seat_id, number, view in session.execute(some):
        found[seat_id][number] = str(json.loads(view)["label"])
    return found


def label_at(labels: Labels, number: int) -> str:
    """What a seat calls the moment when a turn was open: as the last report says that it had by then."""
    return next((labels[each] for each in sorted(labels, reverse=True) if each <= number), BEFORE)


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
