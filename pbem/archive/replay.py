"""Proves an archive: every turn is resolved again, from its record alone, and must come out the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.archive.dice import mixed_seed, recorded_words
from pbem.archive.enclosed import check_enclosed
from pbem.archive.patches import PatchError, apply_patch
from pbem.archive.reading import Folder, check_chain, check_files, open_folders, open_withdrawn
from pbem.archive.record import events_hash, recorded_rolls, setup_dice, state_hash, turn_dice
from pbem.archive.rolls import check_rolls
from pbem.archive.withdrawn import check_withdrawn
from pbem.errors import MISREAD, ReplayError, RulesetError
from pbem.report.data import ReportDataError, read_report_data
from pbem.ruleset.dice import seal
from pbem.ruleset.protocol import AnyRuleset, TakenOver, TurnInput, all_views, remembering
from pbem.ruleset.serialization import canonical, digest
from pbem.ruleset.values import Event, Json, Seat, View


@dataclass(frozen=True, slots=True)
class ReplayProof:
    """What was proved: so many turns and reports, up to the record with the hash `head`.

    `withdrawn` turns were found beside them, as they were when they were taken back.
    """

    campaign: str
    turns: int
    reports: int
    over: bool
    head: str
    withdrawn: int = 0


def replay(
    archive: Path,
    campaign: str,
    *,
    ruleset: AnyRuleset,
    seed: bytes,
    head: str | None,
    withdrawn: Collection[tuple[int, str]] | None = None,
    on_turn: Callable[[int], object] | None = None,
) -> ReplayProof:
    """Checks a campaign's archive from its set-up to its last turn.

    Checked are the chain of records up to `head` (the hash of the newest, as
    the database knows it), every file, every state and event hash, each seat's
    view against its report, and what was withdrawn (`withdrawn`: the numbers and
    hashes of the records that the database has). `seed` is the sealed one; the
    words in the set-up's record are mixed with it. `on_turn` is told how many
    turns have passed. Raises ReplayError naming the first difference.
    """
    folders = open_folders(archive, campaign)
    check_chain(folders, head)
    aside = open_withdrawn(archive, campaign)
    check_withdrawn(folders, aside, withdrawn)
    check_enclosed(folders, ruleset)
    run = _Run(ruleset, seed, mixed_seed(seed, recorded_words(folders[0].record)))
    for folder in folders:
        check_files(folder)
        run.check(folder)
        if on_turn is not None:
            on_turn(folder.number - folders[0].number)
    over = ruleset.standing(run.state).over
    return ReplayProof(campaign, len(folders) - 1, run.reports, over, folders[-1].hash, len(aside))


class _Run:
    """A campaign resolved again, turn by turn; the state goes through its dump as it does in the database."""

    def __init__(self, ruleset: AnyRuleset, sealed: bytes, mixed: bytes) -> None:
        self._ruleset, self._sealed, self._seed = ruleset, sealed, mixed
        self._unheard: dict[Seat, list[Event]] = {}
        self._last: dict[Seat, View] = {}
        self.state: Any = None
        self.reports = 0

    def check(self, folder: Folder) -> None:
        """Resolves the turn of a folder and compares all its record and reports say of it."""
        self._check_game(folder)
        with _refused(folder):
            events = self._set_up(folder) if folder.is_set_up else self._resolve(folder)
            self._expect_result(folder, "the state after it", state_hash(self._ruleset, self.state), "state_after")
            self._check_reports(folder, events)

    def _check_game(self, folder: Folder) -> None:
        record, ruleset = folder.record, self._ruleset
        if (record["game"], record["version"]) != (ruleset.key, ruleset.version):
            here = f"{ruleset.key} version {ruleset.version}"
            raise ReplayError(
                f"turn {folder.number} is of {record['game']} version {record['version']}; this is {here}, and a turn "
                "comes out the same only with the version that ran it; what can be shown here is told by: pbem verify"
            )
        if record["seal"] != seal(self._sealed):
            raise ReplayError(f"turn {folder.number}: the dice's seed does not have the seal {record['seal']}")

    def _set_up(self, folder: Folder) -> Sequence[Event]:
        record = folder.record
        _check_options(self._ruleset, record)
        if "given" in record:
            _check_given(self._ruleset, record)
            state = self._ruleset.load(record["given"], record["version"])
        else:
            state = self._ruleset.setup(record["options"], record["seats"], setup_dice(self._seed))
        self._keep(state, record)
        return ()

    def _resolve(self, folder: Folder) -> Sequence[Event]:
        _compare(folder, "the state before it", state_hash(self._ruleset, self.state), folder.record["state_before"])
        check_rolls(folder, self._seed)
        turn = _turn_input(self._ruleset, folder.record)
        state, events = self._ruleset.resolve(self.state, turn, turn_dice(self._seed, folder.number))
        self._keep(state, folder.record)
        self._expect_result(folder, "what happened", events_hash(events), "events")
        return events

    def _keep(self, state: Any, record: Json) -> None:
        """What the rules made of it, and the GM's changes of that."""
        data = apply_patch(json.loads(canonical(self._ruleset.dump(state))), record.get("patch", ()))
        self.state = self._ruleset.load(data, self._ruleset.version)

    def _expect_result(self, folder: Folder, what: str, found: str, key: str) -> None:
        """Compare what the rules made of a turn with its record. Raises ReplayError naming both causes there may be."""
        try:
            _compare(folder, what, found, folder.record[key])
        except ReplayError as error:
            game = f"{self._ruleset.title} version {self._ruleset.version}"
            raise ReplayError(f"{error}; either the record was changed, or the code of {game} since it ran") from None

    def _check_reports(self, folder: Folder, events: Sequence[Event]) -> None:
        for seat in folder.record["seats"]:
            self._unheard.setdefault(seat, []).extend(events)
        told = [seat for seat in folder.record["seats"] if _report_of(seat) in folder.record["files"]]
        for seat, view in self._views(told, len(events)):
            path = _report_of(seat)
            archived = _archived_view(folder, path)
            mailed = remembering(self._ruleset, view, self._last.get(seat))
            # Reports from before their game remembered anything stand as they were made.
            shown = mailed if "memory" in archived else view
            _compare(folder, f"the view in {folder.said(path)}", digest(shown), digest(archived))
            self._last[seat] = archived
            self.reports += 1

    def _views(self, told: Sequence[Seat], new: int) -> Iterator[tuple[Seat, View]]:
        """The views of the seats told, of all that happened since their last report; `new` events are of this turn."""
        unheard = {seat: self._unheard.pop(seat) for seat in told}
        up_to_date = [seat for seat in told if len(unheard[seat]) == new]
        if up_to_date:
            yield from all_views(self._ruleset, self.state, up_to_date, unheard[up_to_date[0]])
        for seat in told:
            if len(unheard[seat]) > new:
                yield seat, self._ruleset.view(self.state, seat, unheard[seat])


def _check_options(ruleset: AnyRuleset, record: Mapping[str, Json]) -> None:
    """Raises ValueError for a set-up that no GM could have asked for, and that might never come to its end."""
    for option in ruleset.options:
        if not option.allows(record["options"].get(option.name, option.default)):
            raise ValueError(f"option {option.name} is not {option.allowed}")
    if not ruleset.seats.least <= len(record["seats"]) <= ruleset.seats.most:
        raise ValueError(f"the game is not for {len(record['seats'])} players")


def _check_given(ruleset: AnyRuleset, record: Mapping[str, Json]) -> None:
    """Raises ValueError for a state that its game would have refused, and that might never come to its end."""
    if isinstance(ruleset, TakenOver):
        for fault in ruleset.check_state(record["given"], record["seats"]):
            raise ValueError(f"the state it was given is none: {fault}")


def _report_of(seat: Seat) -> str:
    return f"reports/{seat}.json"


def _archived_view(folder: Folder, path: str) -> Json:
    try:
        return read_report_data(folder.read(path))["view"]
    except ReportDataError as error:
        raise ReplayError(f"turn {folder.number}: {folder.said(path)}: {error}") from None


def _turn_input(ruleset: AnyRuleset, record: Json) -> TurnInput:
    read = ruleset.orders.from_json
    seats = sorted(record["orders"], key=record["seats"].index)
    return TurnInput(
        orders={seat: tuple(map(read, record["orders"][seat])) for seat in seats},
        missing=frozenset(record["missing"]),
        removed=frozenset(record["removed"]),
        ruling=record.get("ruling"),
        rolls=recorded_rolls(record),
    )


def _compare(folder: Folder, what: str, found: str, expected: str) -> None:
    if found != expected:
        raise ReplayError(f"turn {folder.number}: {what} has hash {found}, expected {expected}")


@contextmanager
def _refused(folder: Folder) -> Iterator[None]:
    """Turns what a ruleset makes of a forged record into the finding that it is one."""
    try:
        yield
    except (RulesetError, PatchError, *MISREAD) as error:
        raise ReplayError(f"turn {folder.number} cannot be resolved again from its record: {error}") from error
