"""A campaign of the toy fair, played into an archive as the host plays it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pbem.archive.record import file_hash, orders_json, setup_dice, setup_record, state_hash, turn_dice, turn_record
from pbem.archive.writer import SheetReceived, archive_turn, turn_files
from pbem.report.facts import SheetUsed
from pbem.report.renderer import Renderer
from pbem.ruleset import Event, SeatName, TurnInput, canonical_json, json_sha256, seed_hash
from tests.report.toy import Fair, facts, reporter

SEED = b"a secret seed"
NAME = "fair1"
SEATS = ("red", "blue")
START = dt.datetime(2026, 11, 20, 19, tzinfo=dt.UTC)

Sheets = Mapping[SeatName, Sequence[str]]


@dataclass
class Game:
    """A running campaign; `unheard` are the events that each seat has yet to be told."""

    archive: Path
    pace: str = "together"
    fair: Fair = field(default_factory=Fair)
    reporter: Renderer = field(default_factory=reporter)
    state: Any = None
    number: int = 0
    record: bytes = b""
    unheard: dict[SeatName, list[Event]] = field(default_factory=lambda: {seat: [] for seat in SEATS})

    @property
    def head(self) -> str:
        """Return the hash of the newest record, as the database would have it."""
        return file_hash(self.record)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the campaign."""
        return {"rounds": 5, "pace": self.pace, "rich": False, "purses": None}

    def start(self) -> Path:
        """Set up the game and archive the set-up."""
        self.state = self.fair.setup(self.options, SEATS, setup_dice(SEED))
        files = turn_files(self._reports(SEATS))
        self.record = setup_record(
            campaign=NAME,
            ruleset=self.fair,
            options=self.options,
            seats=SEATS,
            seal=seed_hash(SEED),
            started=START,
            state=state_hash(self.fair, self.state),
            files=files,
        )
        return archive_turn(self.archive, self.record, files)

    def turn(self, sheets: Sheets) -> Path:
        """Run a turn with these sheets and archive it; a seat without one is missing."""
        self.number += 1
        before = state_hash(self.fair, self.state)
        turn = self._input(sheets)
        self.state, events = self.fair.resolve(self.state, turn, turn_dice(SEED, self.number))
        for heard in self.unheard.values():
            heard.extend(events)
        told = self.fair.standing(self.state).told
        files = turn_files(
            self._reports([seat for seat in SEATS if told is None or seat in told]),
            sheets=[SheetReceived(seat, 1, "\n".join(lines)) for seat, lines in sheets.items()],
            orders=turn.orders,
            book=self.fair.orders,
        )
        self.record = turn_record(
            campaign=NAME,
            ruleset=self.fair,
            number=self.number,
            options=self.options,
            seats=SEATS,
            seal=seed_hash(SEED),
            opened=START + dt.timedelta(days=7 * self.number - 7),
            resolved=START + dt.timedelta(days=7 * self.number),
            turn=turn,
            used={seat: SheetUsed(1, json_sha256(orders_json(self.fair.orders, turn.orders[seat]))) for seat in sheets},
            state_before=before,
            state_after=state_hash(self.fair, self.state),
            events=events,
            files=files,
            previous=self.record,
        )
        return archive_turn(self.archive, self.record, files)

    def _input(self, sheets: Sheets) -> TurnInput:
        orders = {}
        for seat, lines in sheets.items():
            view = self.fair.view(self.state, seat, ())
            orders[seat] = self.fair.parse(view, enumerate(lines, start=1)).orders
        missing = self.fair.standing(self.state).awaiting - set(sheets)
        return TurnInput({**orders, **dict.fromkeys(sorted(missing), ())}, missing)

    def _reports(self, seats: Sequence[SeatName]) -> list[dict[str, bytes]]:
        reports = []
        for seat in seats:
            view = json.loads(canonical_json(self.fair.view(self.state, seat, self.unheard[seat])))
            self.unheard[seat].clear()
            reports.append(self.reporter.report(self.fair, view, facts(seat=seat)).files())
        return reports


def played(archive: Path) -> Game:
    """Return a game of two turns, in the second of which blue sent no sheet."""
    game = Game(archive)
    game.start()
    game.turn({"red": ["BID 3", "WHISPER blue deal"], "blue": ["BID 2"]})
    game.turn({"red": ["BID 1"]})
    return game
