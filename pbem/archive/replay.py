"""Prove an archive by resolving every turn again from its record alone.

A turn's record covers the attachments in its folder
(`<campaign>/0003/enclosed/<SHA-256 of the content>.png`) like all other files;
this module checks that every attachment that reports show is in the archive.

Every record names all records that were withdrawn before it was made. Those
withdrawn after the newest record are named by none yet: a copy of an archive can
only show that they continue from the newest record, and the application has its
database.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.archive.json_patch import PatchError, apply_patch
from pbem.archive.reader import ArchivedTurn, check_chain, check_files, check_successor, load_turns, load_withdrawn
from pbem.archive.record import (
    RECORD,
    WITHDRAWN,
    attachment_hash,
    events_hash,
    load_dice_words,
    mixed_seed,
    recorded_rolls,
    roll_dice,
    setup_dice,
    state_hash,
    turn_dice,
    withdrawn_name,
)
from pbem.errors import PARSE_ERRORS, ReplayError, RulesetError
from pbem.ruleset.dice import seed_hash
from pbem.ruleset.fields import FieldError
from pbem.ruleset.protocol import AnyRuleset, StateImporter, TurnInput, iter_views, with_memory
from pbem.ruleset.rolls import Roll, roll_notation
from pbem.ruleset.serialization import canonical_json, json_sha256
from pbem.ruleset.values import Event, Json, SeatName, View


def check_attachments(folders: Sequence[ArchivedTurn], ruleset: AnyRuleset) -> None:
    """Raise ReplayError naming the first report that shows an attachment which is not in the archive.

    Games without rulings have no attachments.
    """
    if not any("ruling" in folder.record for folder in folders):
        return
    there: set[str] = set()
    for folder in folders:
        files = folder.record["files"]
        there |= {hash_ for path, hash_ in files.items() if attachment_hash(path) == hash_}
        for path in sorted(files):
            if path.startswith("reports/") and path.endswith(".json"):
                _check_report(folder, path, ruleset, there)


def _check_report(folder: ArchivedTurn, path: str, ruleset: AnyRuleset, there: set[str]) -> None:
    try:
        shown = ruleset.enclosures(folder.read_report(path)["view"])
        lost = [each.name for enclosed in shown.values() for each in enclosed if each.sha256 not in there]
    except (RulesetError, *PARSE_ERRORS) as error:
        raise ReplayError(f"turn {folder.number}: {folder.label(path)}: {error}") from None
    if lost:
        raise ReplayError(f"turn {folder.number}: {folder.label(path)} shows {lost[0]!r}, which is not in the archive")


def check_rolls(folder: ArchivedTurn, seed: bytes) -> None:
    """Raise ReplayError unless the rolls of a turn are those of its dice; `seed` is the mixed one."""
    for roll in recorded_rolls(folder.record):
        try:
            true = roll_notation(roll_dice(seed, folder.number), roll.dice, roll.label, roll.number)
        except FieldError as refused:
            raise ReplayError(f"turn {folder.number}: {refused.text}") from None
        if roll != true:
            raise ReplayError(
                f"turn {folder.number}: {roll.dice} for {roll.label!r} came to {true.total}, not to {roll.total}"
            )


def check_numbers(folder: ArchivedTurn) -> None:
    """Raise ReplayError if the rolls for a label are not numbered without a gap."""
    known: Counter[str] = Counter()
    for roll in recorded_rolls(folder.record):
        known[roll.key] += 1
        if roll.number != known[roll.key]:
            raise ReplayError(f"turn {folder.number}: roll {known[roll.key]} for {roll.label!r} is missing")


def check_none_undone(folders: Sequence[ArchivedTurn], aside: Sequence[ArchivedTurn]) -> None:
    """Raise ReplayError if a roll of a withdrawn turn is not in the turn that took its place."""
    stand: dict[int, frozenset[Roll]] = {folder.number: frozenset(recorded_rolls(folder.record)) for folder in folders}
    for folder in aside:
        lost = [roll for roll in recorded_rolls(folder.record) if roll not in stand.get(folder.number, (roll,))]
        if lost:
            raise ReplayError(f"turn {folder.number}: the roll {lost[0].number} for {lost[0].label!r} was undone")


def check_withdrawn(
    folders: Sequence[ArchivedTurn], withdrawn: Sequence[ArchivedTurn], known: Collection[tuple[int, str]] | None = None
) -> int:
    """Check all folders of withdrawn turns against the records; return the number of those that no record names yet.

    `known` are the numbers and hashes of those in the database; without it (None)
    those that no record names must follow from the newest record.

    Raises:
        ReplayError: One is missing, altered or foreign.
    """
    places = {folder.name: folder for folder in withdrawn}
    named = set()
    for folder in (*folders, *withdrawn):
        for each in folder.record.get("withdrawn", ()):
            _check_named(places, each["turn"], each["hash"], folder.label(RECORD))
            named.add(each["hash"])
    for number, hash_ in known or ():
        _check_named(places, number, hash_, "the database")
    for folder in withdrawn:
        check_files(folder)
    unnamed = [folder for folder in withdrawn if folder.hash not in named]
    if known is None:
        _check_unnamed(folders[-1], unnamed)
    else:
        hashes = {hash_ for _, hash_ in known}
        _refuse_foreign(folder for folder in unnamed if folder.hash not in hashes)
    return len(unnamed)


def _check_named(places: dict[str, ArchivedTurn], number: int, hash_: str, voucher: str) -> None:
    name = f"{WITHDRAWN}/{withdrawn_name(number, hash_)}"
    if name not in places:
        raise ReplayError(f"turn {number}: {name}, which was withdrawn, is missing ({voucher} names it)")
    check_successor(places[name], hash_, voucher)


def _check_unnamed(head: ArchivedTurn, unnamed: Sequence[ArchivedTurn]) -> None:
    """Raise ReplayError unless the turns were withdrawn since the newest record, and so follow it."""
    before = {head.hash, *(folder.hash for folder in unnamed)}
    _refuse_foreign(folder for folder in unnamed if folder.record["previous"] not in before)


def _refuse_foreign(foreign: Iterable[ArchivedTurn]) -> None:
    for folder in foreign:
        raise ReplayError(f"turn {folder.number}: {folder.name} is not one of the turns that were withdrawn")


@dataclass(frozen=True, slots=True)
class ReplayProof:
    """A passed proof: numbers of turns and reports, up to the record with the hash `head`.

    `withdrawn` is the number of withdrawn turns found, unaltered.
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
    """Check a campaign's archive from its set-up to its last turn.

    Checked are the chain of records, every file, every state and event hash, each
    seat's view against its report, and the withdrawn turns.

    Args:
        seed: The sealed seed; the words in the set-up's record are mixed with it.
        head: The hash of the newest record, as the database knows it; None if it is unknown.
        withdrawn: Numbers and hashes of the withdrawn turns in the database; None if unknown.
        on_turn: Called with the number of turns checked.

    Raises:
        ReplayError: Names the first difference.
    """
    folders = load_turns(archive, campaign)
    check_chain(folders, head)
    aside = load_withdrawn(archive, campaign)
    check_withdrawn(folders, aside, withdrawn)
    check_attachments(folders, ruleset)
    run = _Replay(ruleset, seed, mixed_seed(seed, load_dice_words(folders[0].record)))
    for folder in folders:
        check_files(folder)
        run.check(folder)
        if on_turn is not None:
            on_turn(folder.number - folders[0].number)
    over = ruleset.standing(run.state).over
    return ReplayProof(campaign, len(folders) - 1, run.reports, over, folders[-1].hash, len(aside))


class _Replay:
    """A campaign resolved again, turn by turn; the state passes through its dump as it does in the database."""

    def __init__(self, ruleset: AnyRuleset, sealed: bytes, mixed: bytes) -> None:
        self._ruleset, self._sealed, self._seed = ruleset, sealed, mixed
        self._unheard: dict[SeatName, list[Event]] = {}
        self._last: dict[SeatName, View] = {}
        self.state: Any = None
        self.reports = 0

    def check(self, folder: ArchivedTurn) -> None:
        """Resolve the turn of a folder and compare it with its record and reports."""
        self._check_game(folder)
        with _translate_errors(folder):
            events = self._set_up(folder) if folder.is_set_up else self._resolve(folder)
            self._expect_result(folder, "the state after it", state_hash(self._ruleset, self.state), "state_after")
            self._check_reports(folder, events)

    def _check_game(self, folder: ArchivedTurn) -> None:
        record, ruleset = folder.record, self._ruleset
        if (record["game"], record["version"]) != (ruleset.key, ruleset.version):
            here = f"{ruleset.key} version {ruleset.version}"
            raise ReplayError(
                f"turn {folder.number} was run by {record['game']} version {record['version']}, and this is {here}: a "
                "turn comes out the same only with the version that ran it. See what can be proved here: pbem verify"
            )
        if record["seal"] != seed_hash(self._sealed):
            raise ReplayError(f"turn {folder.number}: the dice's seed does not have the seal {record['seal']}")

    def _set_up(self, folder: ArchivedTurn) -> Sequence[Event]:
        record = folder.record
        _check_options(self._ruleset, record)
        if "given" in record:
            _check_given_state(self._ruleset, record)
            state = self._ruleset.load(record["given"], record["version"])
        else:
            state = self._ruleset.setup(record["options"], record["seats"], setup_dice(self._seed))
        self._load_result(state, record)
        return ()

    def _resolve(self, folder: ArchivedTurn) -> Sequence[Event]:
        _compare(folder, "the state before it", state_hash(self._ruleset, self.state), folder.record["state_before"])
        check_rolls(folder, self._seed)
        turn = _turn_input(self._ruleset, folder.record)
        state, events = self._ruleset.resolve(self.state, turn, turn_dice(self._seed, folder.number))
        self._load_result(state, folder.record)
        self._expect_result(folder, "what happened", events_hash(events), "events")
        return events

    def _load_result(self, state: Any, record: Json) -> None:
        """Take over the state that the rules made, with the GM's changes."""
        data = apply_patch(json.loads(canonical_json(self._ruleset.dump(state))), record.get("patch", ()))
        self.state = self._ruleset.load(data, self._ruleset.version)

    def _expect_result(self, folder: ArchivedTurn, what: str, found: str, key: str) -> None:
        """Compare a result of the rules with its record; raise ReplayError naming both possible causes."""
        try:
            _compare(folder, what, found, folder.record[key])
        except ReplayError as error:
            game = f"{self._ruleset.title} version {self._ruleset.version}"
            raise ReplayError(f"{error}; either the record was changed, or the code of {game} since it ran") from None

    def _check_reports(self, folder: ArchivedTurn, events: Sequence[Event]) -> None:
        for seat in folder.record["seats"]:
            self._unheard.setdefault(seat, []).extend(events)
        told = [seat for seat in folder.record["seats"] if _report_of(seat) in folder.record["files"]]
        for seat, view in self._views(told, len(events)):
            path = _report_of(seat)
            archived = folder.read_report(path)["view"]
            mailed = with_memory(self._ruleset, view, self._last.get(seat))
            # Reports made before their game had a memory have none.
            shown = mailed if "memory" in archived else view
            _compare(folder, f"the view in {folder.label(path)}", json_sha256(shown), json_sha256(archived))
            self._last[seat] = archived
            self.reports += 1

    def _views(self, told: Sequence[SeatName], new: int) -> Iterator[tuple[SeatName, View]]:
        """Yield the views of these seats, of all events since their last report; `new` events are of this turn."""
        unheard = {seat: self._unheard.pop(seat) for seat in told}
        up_to_date = [seat for seat in told if len(unheard[seat]) == new]
        if up_to_date:
            yield from iter_views(self._ruleset, self.state, up_to_date, unheard[up_to_date[0]])
        for seat in told:
            if len(unheard[seat]) > new:
                yield seat, self._ruleset.view(self.state, seat, unheard[seat])


def _check_options(ruleset: AnyRuleset, record: Mapping[str, Json]) -> None:
    """Raise ValueError for options or seats that no GM could have chosen: their set-up might never end."""
    for option in ruleset.options:
        if not option.allows(record["options"].get(option.name, option.default)):
            raise ValueError(f"option {option.name} is not {option.allowed}")
    if not ruleset.seats.least <= len(record["seats"]) <= ruleset.seats.most:
        raise ValueError(f"the game is not for {len(record['seats'])} players")


def _check_given_state(ruleset: AnyRuleset, record: Mapping[str, Json]) -> None:
    """Raise ValueError for a state that its game would have refused: loading it might never end."""
    if isinstance(ruleset, StateImporter):
        for fault in ruleset.check_state(record["given"], record["seats"]):
            raise ValueError(f"the state it was given is none: {fault}")


def _report_of(seat: SeatName) -> str:
    return f"reports/{seat}.json"


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


def _compare(folder: ArchivedTurn, what: str, found: str, expected: str) -> None:
    if found != expected:
        raise ReplayError(f"turn {folder.number}: {what} has hash {found}, expected {expected}")


@contextmanager
def _translate_errors(folder: ArchivedTurn) -> Iterator[None]:
    """Report an error of a ruleset as that of a forged record."""
    try:
        yield
    except (RulesetError, PatchError, *PARSE_ERRORS) as error:
        raise ReplayError(f"turn {folder.number} cannot be resolved again from its record: {error}") from error
