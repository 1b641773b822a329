"""History of a campaign: earlier turns and their labels, dice rolls and dice words.

The turn numbers of the host run on, whatever a game calls its turns: turn 3 may be
"turn 1, combat round 1". Players read only the labels of their own reports.

A rollback keeps all rolls. When the turn is open again, its rolls stand, as the
dice of every other game do, so that no roll can be repeated.

The sealed seed was drawn by the creator of the campaign; the dice words are what
the players add to it (`pbem.archive.record` mixes them). Before the start a word
is shown only to its own player.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, bindparam, insert, select, update
from sqlalchemy.orm import Session

from pbem.archive.record import WithdrawnTurn, drawn_word, file_hash, recorded_rolls, roll_dice, turn_dice
from pbem.archive.writer import SheetReceived
from pbem.campaign.snapshot import CampaignSnapshot, ReceivedSheet, SeatView, add_entry, is_current
from pbem.errors import CampaignError
from pbem.report.facts import DiceWord
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset, TurnInput
from pbem.ruleset.rolls import Roll, Rolls, roll_notation
from pbem.ruleset.values import Event, SeatName
from pbem.store.models import Report, Seat, StoredRoll, Turn, WithdrawnTurns
from pbem.store.session import flushed_connection
from pbem.store.types import CampaignState, WithdrawalKind

if TYPE_CHECKING:
    from pbem.ruleset.orders import OrderParser

Labels = Mapping[int, str]
"""The labels of a seat's reports by the numbers of the turns that they open, in their order."""

BEFORE = "before the first report"
UNKNOWN = "a turn of which you had no report"

_TURN = re.compile(r"\bturn (\d{1,9})\b")
_WORD = re.compile(r"\w+")


def load_turn_labels(session: Session, snapshot: CampaignSnapshot, seat_id: int) -> Labels:
    """Return the labels of a seat's reports."""
    return _load_labels(session, is_current(snapshot.id), Report.seat_id == seat_id).get(seat_id, {})


def current_turn_label(session: Session, snapshot: CampaignSnapshot, seat_id: int) -> str:
    """Return the label of a seat's last report up to the turn of the snapshot."""
    view = session.scalar(
        select(Report.view)
        .join(Turn, Turn.id == Report.turn_id)
        .where(is_current(snapshot.id), Report.seat_id == seat_id, Turn.number <= snapshot.turn)
        .order_by(Turn.number.desc())
        .limit(1)
    )
    return BEFORE if view is None else str(json.loads(view)["label"])


def labels_named(
    session: Session, snapshot: CampaignSnapshot, seat_ids: Collection[int], texts: Iterable[str]
) -> Mapping[int, Labels]:
    """Return the labels of the turns that texts of the journal name, by seat, as last reported: withdrawn turns too."""
    numbers = {int(number) for text in texts for number in _TURN.findall(text)}
    named = (Turn.campaign_id == snapshot.id, Turn.number.in_(numbers), Report.seat_id.in_(seat_ids))
    return _load_labels(session, *named) if numbers else {}


def _load_labels(session: Session, *which: ColumnElement[bool]) -> Mapping[int, Labels]:
    found: dict[int, dict[int, str]] = defaultdict(dict)
    reports = select(Report.seat_id, Turn.number, Report.view).join(Turn, Turn.id == Report.turn_id).where(*which)
    # Views of many seats together would fill the memory.
    some = reports.order_by(Turn.number, Turn.id).execution_options(yield_per=100)
    for seat_id, number, view in session.execute(some):
        found[seat_id][number] = str(json.loads(view)["label"])
    return found


def turn_label(labels: Labels, number: int) -> str:
    """Return the label for the moment when a turn was open: that of the seat's last report until then."""
    return next((labels[each] for each in sorted(labels, reverse=True) if each <= number), BEFORE)


def relabel(text: str, labels: Labels) -> str:
    """Return a text of the journal with its turns as a seat's reports call them."""

    def name_turn(found: re.Match[str]) -> str:
        label = labels.get(int(found[1]), "")
        # Not the number: it would tell of a turn that the seat heard nothing of, such as a fight between others.
        return found[0] if label == found[0] else f'"{label}"' if label else UNKNOWN

    return _TURN.sub(name_turn, text)


def match_turns(labels: Labels, typed: str) -> Sequence[int]:
    """Return the turns meant by a label, its beginning, or its number alone; the best first.

    Of equal labels the newest is meant.
    """
    words = _WORD.findall(typed.casefold())
    spoken = {number: _WORD.findall(label.casefold()) for number, label in labels.items()}
    same = [number for number, label in spoken.items() if label == words]
    if same:
        return same[-1:]
    if len(words) == 1 and words[0].isdigit():
        return [number for number, label in spoken.items() if next(filter(str.isdigit, label), "") == words[0]]
    return [number for number, label in spoken.items() if words and label[: len(words)] == words]


PastEvents = Mapping[int, tuple[Event, ...]]
"""The events of earlier turns, by the numbers of these."""


def seats_removed_before(session: Session, campaign_id: int, number: int) -> frozenset[SeatName]:
    """Return the seats that the GM removed and earlier turns than this one were told of."""
    return frozenset(seat for seat, run in removal_turns(session, campaign_id).items() if run < number)


def removal_turns(session: Session, campaign_id: int) -> dict[SeatName, int]:
    """Return, for each seat that has left the game, the turn run without it; other seats may still come back."""
    runs = select(Turn.number, Turn.record).where(is_current(campaign_id), Turn.record.is_not(None))
    return {
        seat: number
        for number, record in session.execute(runs)
        for seat in json.loads(record or b"{}").get("removed", ())
    }


# Had another word when the first records were written: records never change.
_RECORDED_KINDS = {WithdrawalKind.UNDO: "forward"}


_WITHDRAWN = (
    select(Turn.record, WithdrawnTurns.kind)
    .join(WithdrawnTurns, WithdrawnTurns.id == Turn.withdrawal_id)
    .where(Turn.campaign_id == bindparam("campaign"), Turn.record.is_not(None))
    .order_by(Turn.id)
)


def load_withdrawn(session: Session, campaign_id: int) -> tuple[WithdrawnTurn, ...]:
    """Return the records that rollbacks and reruns took out of a campaign's history, oldest first."""
    rows = flushed_connection(session).execute(_WITHDRAWN, {"campaign": campaign_id})
    return tuple(
        WithdrawnTurn(json.loads(record)["number"], file_hash(record), _RECORDED_KINDS.get(kind, kind))
        for record, kind in rows
        if record
    )


def orders_used(record: bytes, book: OrderParser) -> dict[SeatName, tuple[Order, ...]]:
    """Return the orders a turn was resolved with, from its record; a seat whose orders no longer exist is left out."""
    return orders_disclosed(json.loads(record), book)


def orders_disclosed(record: Mapping[str, Any], book: OrderParser) -> dict[SeatName, tuple[Order, ...]]:
    """Return the same from a record that was parsed already."""
    used = {}
    for seat, orders in record.get("orders", {}).items():
        try:
            used[seat] = tuple(map(book.from_json, orders))
        # A later version of the game may lack an order that was used; its old records must still be read.
        except (KeyError, TypeError):
            continue
    return used


def events_from(session: Session, snapshot: CampaignSnapshot, ruleset: AnyRuleset, first: int) -> PastEvents:
    """Return the events of the turns from `first` to the one before the snapshot's turn.

    They are for seats that get no report at some openings, and hear of all events in
    their next report. Events are not stored: the turns are resolved again.
    """
    rows = session.execute(
        select(Turn.number, Turn.state, Turn.record)
        .where(is_current(snapshot.id), Turn.number >= first - 1, Turn.number < snapshot.turn, Turn.record.is_not(None))
        .order_by(Turn.number)
    )
    turns = [(number, state, json.loads(record or b"")) for number, state, record in rows]
    # The run of the turn before wrote the state, perhaps with an older version of the game.
    return {
        number: _replay_events(snapshot, ruleset, number, ruleset.load(json.loads(state), earlier["version"]), record)
        for (_, _, earlier), (number, state, record) in pairwise(turns)
    }


def _replay_events(
    snapshot: CampaignSnapshot, ruleset: AnyRuleset, number: int, before: Any, record: Mapping[str, Any]
) -> tuple[Event, ...]:
    orders = {
        seat: tuple(ruleset.orders.from_json(order) for order in orders) for seat, orders in record["orders"].items()
    }
    missing, removed = frozenset(record["missing"]), frozenset(record["removed"])
    turn = TurnInput(orders, missing, removed, record.get("ruling"), recorded_rolls(record))
    return ruleset.resolve(before, turn, turn_dice(snapshot.dice_seed, number))[1]


_ROLLS = (
    select(StoredRoll.dice, StoredRoll.label, StoredRoll.number)
    .where(StoredRoll.campaign_id == bindparam("campaign"), StoredRoll.turn == bindparam("turn"))
    .order_by(StoredRoll.id)
)


def load_rolls(session: Session, snapshot: CampaignSnapshot, turn: int) -> tuple[Roll, ...]:
    """Return all rolls ever made in a turn, in their order."""
    rows = flushed_connection(session).execute(_ROLLS, {"campaign": snapshot.id, "turn": turn})
    # A row has no result: that follows from seed, turn, label and number (note 33).
    dice = roll_dice(snapshot.dice_seed, turn)
    return tuple(roll_notation(dice, *row) for row in rows)


def current_rolls(session: Session, snapshot: CampaignSnapshot) -> Rolls:
    """Return the rolls of the open turn: those made, and those to come."""
    return Rolls(roll_dice(snapshot.dice_seed, snapshot.turn), load_rolls(session, snapshot, snapshot.turn))


def has_rolled(session: Session, snapshot: CampaignSnapshot) -> bool:
    """Return True if the GM ever rolled."""
    rolls = select(StoredRoll.id).where(StoredRoll.campaign_id == snapshot.id).limit(1)
    return flushed_connection(session).execute(rolls).first() is not None


def save_rolls(session: Session, snapshot: CampaignSnapshot, rolls: Iterable[Roll], now: dt.datetime) -> None:
    """Store fresh rolls of the open turn of a locked campaign, with a journal entry for the GM alone."""
    for roll in rolls:
        # By the number of the turn, not its row: after a rollback the same words have the same roll (note 33).
        row = {"campaign_id": snapshot.id, "turn": snapshot.turn, "at": now}
        same = {"label": roll.label, "dice": roll.dice, "number": roll.number}
        session.execute(insert(StoredRoll), row | same)
        said = f"rolled in turn {snapshot.turn}: {roll.describe(roll.number)}"
        add_entry(session, snapshot.id, now, actor="gm", text=said, secret=True)


LONGEST = 40
"""Characters of a dice word: as many as fit on a line of a report beside the longest name of a seat."""


def set_dice_word(
    session: Session, snapshot: CampaignSnapshot, place: SeatView, words: Iterable[str], now: dt.datetime
) -> str:
    """Store and return a player's own dice word; the campaign is locked, and not started. Raises CampaignError."""
    if snapshot.status != CampaignState.FORMING:
        raise CampaignError(
            f"it is too late: the dice of {snapshot.name} were fixed when it began, and your first report tells of them"
        )
    # The seed is mixed from the bytes of the words (note 16), so equal characters need equal bytes.
    word = unicodedata.normalize("NFC", " ".join(words))
    if not (0 < len(word) <= LONGEST and word.isprintable()):
        raise CampaignError(f"a word for the dice is at most {LONGEST} characters that can be printed")
    session.execute(update(Seat).where(Seat.id == place.id).values(dice_word=word))
    add_entry(session, snapshot.id, now, actor=place.seat, text="has chosen a word for the dice")
    return word


def load_dice_words(session: Session, snapshot: CampaignSnapshot) -> tuple[DiceWord, ...]:
    """Return the dice words as they would be fixed now, one for each seat of the snapshot, in their order."""
    rows = session.execute(select(Seat.id, Seat.dice_word).where(Seat.campaign_id == snapshot.id))
    own = {row.id: row.dice_word for row in rows}
    return tuple(
        DiceWord(place.seat, own[place.id] or drawn_word(snapshot.seed, place.seat), own=bool(own[place.id]))
        for place in snapshot.places
    )


def received_sheets(snapshot: CampaignSnapshot, sheets: Sequence[ReceivedSheet]) -> list[SheetReceived]:
    """Return the sheets of a turn as the archive keeps them, by seat and version."""
    names = {place.id: place.seat for place in snapshot.places}
    found = [SheetReceived(names[sheet.seat_id], sheet.version, sheet.text) for sheet in sheets]
    return sorted(found, key=lambda sheet: (sheet.seat, sheet.version))
