"""The last turn of a campaign, resolved again from what it was run from, with what its GM puts right."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.orm import Session

from pbem.acts.act import Scene
from pbem.acts.opening import begun_with, set_up, set_up_record
from pbem.acts.past.shelving import RERUN, version_before
from pbem.archive.json_patch import PatchError
from pbem.archive.record import Patch, Withdrawn, file_hash
from pbem.archive.writer import turn_files
from pbem.campaign.history import all_withdrawn, removed_before
from pbem.campaign.reading import Lines, Reading, read_lines
from pbem.campaign.resolving import Before, Outcome, resolve_turn, run_files, run_record
from pbem.campaign.rolls import load_rolls
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    LastReport,
    OpenTurn,
    SheetIn,
    find_place,
    live_turn,
    load_last_reports,
    load_sheets,
    record_of,
)
from pbem.errors import MISREAD, CampaignError
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Seat
from pbem.store.models import Turn
from pbem.store.types import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a GM puts right of the last turn: sheets of seats, and the state that came out.

    A `patch` given earlier stays in force, unless `drop_patch`. One given now
    was made for the state with the hash `of_state`.
    """

    sheets: Mapping[Seat, Lines] = field(default_factory=dict)
    patch: Patch = ()
    of_state: str = ""
    drop_patch: bool = False


NO_CHANGES = Changes()
"""The turn as it was run, to see whether it comes out the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """A turn, or the set-up, resolved again. `number` is its own; `turn` and `following` are the rows as they are.

    `before` is None for the set-up. `given` is how the GM's sheets read;
    `withdrawn` is all that is taken back once this stands.
    """

    snapshot: CampaignSnapshot
    ruleset: AnyRuleset
    number: int
    turn: Turn
    following: Turn
    before: Before | None
    outcome: Outcome
    given: Mapping[Seat, Reading]
    withdrawn: tuple[Withdrawn, ...]

    @property
    def told(self) -> Mapping[str, Any]:
        """The record of the run that stands."""
        return dict(json.loads(self.turn.record or b"{}"))

    def files(self, reports: Sequence[Mapping[str, bytes]]) -> dict[str, bytes]:
        """The files for the archive, of the reports of all seats told."""
        if self.before is None:
            return turn_files(reports)
        return run_files(self.before, self.outcome, reports)

    def record(self, files: Mapping[str, bytes], now: dt.datetime) -> bytes:
        """The record that takes the place of the one that stands."""
        if self.before is None:
            began = self.turn.opened_at
            given = begun_with(self.ruleset, self.turn)
            return set_up_record(self.snapshot, self.ruleset, self.outcome, given, files, began, self.withdrawn)
        return run_record(self.before, self.outcome, files, now)


def rerun(scene: Scene, changes: Changes) -> Rerun:
    """Resolves the last turn again. Raises CampaignError naming what cannot be done, and what can."""
    session, snapshot = scene.session, scene.snapshot
    if snapshot.status == Phase.FORMING:
        raise CampaignError(f"campaign {snapshot.name} has not begun: there is no turn to run again")
    ruleset, number = scene.house.game(snapshot.game), snapshot.turn - 1
    turn, following = live_turn(session, snapshot, number), live_turn(session, snapshot, snapshot.turn)
    if changes.patch and following.state_hash != changes.of_state:
        raise CampaignError(
            f"the state of {snapshot.name} has changed since you edited it; what it is now is told by: "
            f"pbem state {snapshot.name} (by mail: STATE)"
        )
    patch = (() if changes.drop_patch else tuple(json.loads(turn.record or b"{}").get("patch", ()))) + tuple(
        changes.patch
    )
    given: dict[Seat, Reading] = {}
    before = None
    withdrawn = (*all_withdrawn(session, snapshot.id), Withdrawn(number, file_hash(turn.record or b""), RERUN))
    if number != snapshot.origin:
        before, given = _look_back(session, ruleset, snapshot, turn, changes.sheets, patch)
        before = replace(before, withdrawn=withdrawn)
    elif changes.sheets:
        raise CampaignError(
            f"{snapshot.name} has run no turn yet: a sheet for the open one is entered with pbem sheet (by mail: SHEET)"
        )
    outcome = _resolved(session, snapshot, ruleset, turn, before, patch)
    return Rerun(
        snapshot=replace(snapshot, era=snapshot.era + 1),
        ruleset=ruleset,
        number=number,
        turn=turn,
        following=following,
        before=before,
        outcome=outcome,
        given=given,
        withdrawn=withdrawn,
    )


def _resolved(
    session: Session,
    snapshot: CampaignSnapshot,
    ruleset: AnyRuleset,
    turn: Turn,
    before: Before | None,
    patch: Patch,
) -> Outcome:
    try:
        if before is None:
            outcome = set_up(snapshot, ruleset, begun_with(ruleset, turn), patch)
        else:
            outcome = resolve_turn(session, before)
        return replace(outcome, views=tuple(outcome.views))  # a changed state may be one that cannot be shown
    except PatchError as error:
        raise CampaignError(
            f"your earlier change of the state does not fit what comes out now: {error}; "
            "leave it out with pbem rerun --without-patch, and make it anew afterwards"
        ) from None
    except MISREAD as error:
        if not patch:
            raise
        raise CampaignError(
            f"{ruleset.title} cannot go on from the changed state ({type(error).__name__}: {error})"
        ) from error


def _look_back(
    session: Session,
    ruleset: AnyRuleset,
    snapshot: CampaignSnapshot,
    turn: Turn,
    sheets: Mapping[Seat, Lines],
    patch: Patch,
) -> tuple[Before, dict[Seat, Reading]]:
    """What the turn was run from: seats, views, sheets and rulings of that time, and the GM's sheets."""
    out = removed_before(session, snapshot.id, turn.number + 1)
    then = replace(
        snapshot,
        turn=turn.number,
        version=version_before(session, snapshot, turn.number),
        places=tuple(replace(place, playing=place.seat not in out) for place in snapshot.places),
    )
    last = load_last_reports(session, snapshot, until=turn.number)
    came = load_sheets(session, turn.id)
    given = dict(_read(ruleset, then, last, seat, lines) for seat, lines in sheets.items())
    before = Before(
        snapshot=then,
        ruleset=ruleset,
        turn=OpenTurn.of(turn, (*came, *(_sheet(then, came, seat, reading) for seat, reading in given.items()))),
        last=last,
        previous=record_of(session, snapshot, turn.number - 1),
        withdrawn=(),
        removed=frozenset(json.loads(turn.record or b"{}")["removed"]),
        patch=patch,
        rolls=load_rolls(session, then, turn.number),
    )
    return before, given


def _read(
    ruleset: AnyRuleset, snapshot: CampaignSnapshot, last: Mapping[Seat, LastReport], seat: Seat, lines: Lines
) -> tuple[Seat, Reading]:
    place = find_place(snapshot, seat)
    if not place.playing:
        raise CampaignError(f"seat {place.seat} of {snapshot.name} was out of the game in turn {snapshot.turn}")
    return place.seat, checked(read_lines(ruleset, json.loads(last[place.seat].view), lines), place.seat)


def checked(reading: Reading, seat: Seat) -> Reading:
    """A GM's sheet that has something to take. Raises CampaignError with its first slip."""
    if not reading.accepted:
        slip = next((each for each in reading.told if each.line), reading.told[0])
        hint = f" ({slip.hint})" if slip.hint else ""
        raise CampaignError(f"nothing in the sheet of {seat} is understood: line {slip.line}, {slip.text}{hint}")
    return reading


def _sheet(snapshot: CampaignSnapshot, came: Sequence[SheetIn], seat: Seat, reading: Reading) -> SheetIn:
    place = find_place(snapshot, seat)
    version = 1 + max((sheet.version for sheet in came if sheet.seat_id == place.id), default=0)
    # 0 marks it as one that is not in the database: it is put there only if the run is kept.
    return SheetIn(0, place.id, version, True, reading.digest, reading.text, reading.orders)
