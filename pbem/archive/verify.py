"""Verify an archive on any machine from its folder alone, or completely with the dice seed.

A report discloses the hash of an earlier record, and is itself a file of the
record made with it. So players who kept their reports can show that neither these
nor anything before them was changed since, even if the archive is consistent.

The seed of the dice is in the record of the last turn once the game is over.
Before that, chain, files, seed hash and sheets can be checked, and the result
says what cannot be proved yet.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pbem.archive.reader import ArchivedTurn, check_chain, check_files, load_turns, load_withdrawn
from pbem.archive.record import (
    RECORD,
    disclose_dice_words,
    drawn_word,
    file_hash,
    folder_name,
    load_dice_words,
    mixed_seed,
    recorded_rolls,
)
from pbem.archive.replay import (
    check_attachments,
    check_none_undone,
    check_numbers,
    check_rolls,
    check_withdrawn,
    replay,
)
from pbem.errors import ReplayError
from pbem.report.data import ReportDataError, dice_data, read_report_data
from pbem.report.facts import DiceDisclosure, DiceWord
from pbem.ruleset.dice import seed_hash
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import json_sha256
from pbem.ruleset.values import SeatName


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedFile:
    """A report or a record's hash that is in the archive, with the turn of that record, which may be `withdrawn`."""

    what: Literal["report", "record"]
    name: str
    turn: int
    withdrawn: bool


def group_by_campaign(reports: Mapping[str, bytes], campaigns: Sequence[str]) -> dict[str, dict[str, bytes]]:
    """Return reports by campaign, then by name.

    Raises:
        ReplayError: A file is no report, or is one of another campaign.
    """
    sorted_: dict[str, dict[str, bytes]] = {}
    for name, raw in reports.items():
        campaign = _load_report(raw, name)["campaign"]
        if campaign not in campaigns:
            raise ReplayError(
                f"{name}: it is of the campaign {campaign}, but this is the archive of {', '.join(campaigns)}"
            )
        sorted_.setdefault(campaign, {})[name] = raw
    return sorted_


def find_record(hash_: str, folders: Sequence[ArchivedTurn]) -> LocatedFile:
    """Return the record with a hash that a report discloses.

    Raises:
        ReplayError: The archive has no such record.
    """
    for folder in folders:
        if folder.hash == hash_.strip().lower():
            return _locate("record", hash_, folder)
    raise ReplayError(f"no record has the hash {hash_}: the archive was changed or cut since, or is another one")


def find_report(raw: bytes, name: str, folders: Sequence[ArchivedTurn]) -> LocatedFile:
    """Return the turn of a report, given the bytes of its JSON.

    Raises:
        ReplayError: It is no report, or the archive has no such report.
    """
    told, found = _load_report(raw, name).get("record"), file_hash(raw)
    folder = next((folder for folder in folders if found in folder.record["files"].values()), None)
    if folder is None:
        raise ReplayError(f"{name}: no turn has this report: the archive was changed or cut since, or the file was")
    if told and told != folder.record["previous"]:
        raise ReplayError(f"{name}: it tells of the record {told}, but its turn {folder.number} follows another")
    return _locate("report", name, folder)


def _load_report(raw: bytes, name: str) -> dict[str, Any]:
    try:
        return read_report_data(raw)
    except ReportDataError as error:
        raise ReplayError(f"{name}: {error}") from None


def _locate(what: Literal["report", "record"], name: str, folder: ArchivedTurn) -> LocatedFile:
    return LocatedFile(what=what, name=name, turn=folder.number, withdrawn=folder.is_withdrawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRun:
    """One run of a turn, or of the set-up: its time (ISO 8601), and the hash of its record.

    `withdrawn` is True if it was rolled back, or run again.
    """

    turn: int
    resolved: str
    record: str
    withdrawn: bool


def list_turn_runs(folders: Iterable[ArchivedTurn]) -> tuple[TurnRun, ...]:
    """Return the runs in the folders of an archive, by turn and time."""
    runs = (
        TurnRun(turn=each.number, resolved=each.record["resolved"], record=each.hash, withdrawn=each.is_withdrawn)
        for each in folders
    )
    return tuple(sorted(runs, key=lambda run: (run.turn, run.resolved, run.record)))


# Fields that are equal in all records of a campaign.
_SAME = ("campaign", "game", "options", "seats", "seal")

# Texts of reports.
_WORDS_TOLD = re.compile(r"^Words for the dice, [^\n]*:\n\n((?>(?:- \S[^\n]*(?:\n|\Z))+))", re.MULTILINE)
_SHEET_USED = re.compile(r"^Sheet (\d+), ([0-9a-f]{12})\.", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyResult:
    """Findings on an archive. `unproved` are sentences on what it cannot prove yet; if empty, all was replayed.

    `patched` are the turns whose outcome the GM has changed. `withdrawn` is the number
    of turns rolled back or run again, which are kept beside the others; `unnamed` of
    these were withdrawn since the newest record, so that no record names them yet.
    `rolls` is the number of the GM's rolls. `runs` are all runs, withdrawn ones too.
    `words` are the dice words, as in the first reports. `held` are the reports and
    hashes that a reader had, as found.
    """

    campaign: str
    turns: int
    files: int
    sheets: int
    rolls: int
    seal: str
    head: str
    over: bool
    patched: tuple[int, ...]
    withdrawn: int
    unnamed: int
    runs: tuple[TurnRun, ...]
    words: tuple[DiceWord, ...]
    held: tuple[LocatedFile, ...]
    unproved: tuple[str, ...]


def find_campaigns(archive: Path, campaign: str | None = None) -> list[tuple[Path, str]]:
    """Return folder and name of each campaign in an archive, or in the folder of one campaign.

    Raises:
        ReplayError: There is none.
    """
    if campaign is not None:
        return [(archive, campaign)]
    if _is_of_a_campaign(archive):
        return [(archive.resolve().parent, archive.resolve().name)]
    names = sorted(path.name for path in archive.iterdir() if _is_of_a_campaign(path)) if archive.is_dir() else []
    if not names:
        raise ReplayError(
            f"there is no archive of a campaign in {archive}: give the folder that holds {folder_name(0)}"
        )
    return [(archive, name) for name in names]


def _is_of_a_campaign(folder: Path) -> bool:
    """Return True if a folder has folders of turns; the first one is the set-up, whatever its number."""
    return any(True for _ in folder.glob(f"[0-9][0-9][0-9][0-9]*/{RECORD}"))


def verify(
    archive: Path,
    campaign: str,
    *,
    games: Mapping[str, AnyRuleset],
    seed: bytes | None = None,
    reports: Mapping[str, bytes] | None = None,
    records: Sequence[str] = (),
    on_turn: Callable[[int, int], object] | None = None,
) -> VerifyResult:
    """Check a campaign's archive.

    Args:
        seed: The seed of the dice, if it is known from elsewhere.
        reports: Reports by name that a reader has, and that must be in the archive.
        records: Hashes of records that reports disclose, and that must be in it too.
        on_turn: Called with the number of turns replayed, and of all.

    Raises:
        ReplayError: Names the first difference.
    """
    folders = load_turns(archive, campaign)
    check_chain(folders, None)
    for folder in folders:
        check_files(folder)
    aside = load_withdrawn(archive, campaign)
    unnamed = check_withdrawn(folders, aside)
    for folder in (*folders, *aside):
        _check_same(folders[0], folder)
        _check_sheets(folder)
        check_numbers(folder)
    _check_states(folders)
    if folders[0].record["game"] in games:
        check_attachments(folders, games[folders[0].record["game"]])
    check_none_undone(folders, aside)
    held = [find_report(raw, name, (*folders, *aside)) for name, raw in (reports or {}).items()]
    held += [find_record(hash_, (*folders, *aside)) for hash_ in records]
    words = _load_words(folders[0])
    seed = _find_seed(folders, seed)
    _check_drawn_words(words, seed)
    if seed is not None:
        for folder in (*folders, *aside):
            check_rolls(folder, mixed_seed(seed, words))
    unproved = _list_unproved(folders, games, seed)
    over = "seed" in folders[-1].record
    if not unproved and seed is not None:
        told = None if on_turn is None else lambda number: on_turn(number, len(folders) - 1)
        ruleset = games[folders[0].record["game"]]
        over = replay(archive, campaign, ruleset=ruleset, seed=seed, head=None, on_turn=told).over
    return VerifyResult(
        campaign=campaign,
        turns=len(folders) - 1,
        files=sum(len(folder.record["files"]) for folder in folders),
        sheets=sum(len(folder.record.get("sheets", ())) for folder in folders),
        rolls=sum(len(recorded_rolls(folder.record)) for folder in folders),
        seal=folders[0].record["seal"],
        head=folders[-1].hash,
        over=over,
        patched=tuple(folder.number for folder in folders if folder.record.get("patch")),
        withdrawn=len(aside),
        unnamed=unnamed,
        runs=list_turn_runs((*folders, *aside)),
        words=words,
        held=tuple(held),
        unproved=unproved,
    )


def _check_same(first: ArchivedTurn, folder: ArchivedTurn) -> None:
    for key in _SAME:
        if folder.record[key] != first.record[key]:
            said, other = first.record[key], folder.record[key]
            raise ReplayError(f"turn {folder.number}: its {key} is {other!r}, but the set-up says {said!r}")


def _check_sheets(folder: ArchivedTurn) -> None:
    """Raise ReplayError unless each sheet used is there as received, with the digest that its player's report tells."""
    record = folder.record
    for seat, sheet in sorted(record.get("sheets", {}).items()):
        where = f"turn {folder.number}: the sheet of {seat}"
        if json_sha256(record["orders"].get(seat)) != sheet["digest"]:
            raise ReplayError(f"{where} has digest {sheet['digest']}, but its orders have another")
        path = f"sheets/{seat}-v{sheet['version']}.txt"
        if path not in record["files"]:
            raise ReplayError(f"{where} is not there as it came: {folder.label(path)} is missing")
        if seat in record["missing"]:
            raise ReplayError(f"{where} was used, but the record counts it as missing")
        _check_told_sheet(folder, seat, (str(sheet["version"]), sheet["digest"][:12]))


def _check_told_sheet(folder: ArchivedTurn, seat: str, used: tuple[str, str]) -> None:
    path = f"reports/{seat}.txt"
    if path not in folder.record["files"]:
        return
    text = folder.read(path).decode("utf-8", "replace")
    told = _SHEET_USED.search(text)
    if told is not None and told.groups() != used:
        raise ReplayError(
            f"turn {folder.number}: {folder.label(path)} tells of sheet {told[1]} (digest {told[2]}), "
            f"but sheet {used[0]} (digest {used[1]}) was used"
        )


def _check_states(folders: list[ArchivedTurn]) -> None:
    for earlier, later in itertools.pairwise(folders):
        after, before = earlier.record["state_after"], later.record["state_before"]
        if before != after:
            raise ReplayError(f"turn {later.number} begins with the state {before}, but the one before left {after}")


def _load_words(setup: ArchivedTurn) -> tuple[DiceWord, ...]:
    """Return the dice words: one for each seat, and the same in the first reports."""
    words = load_dice_words(setup.record)
    if words and [each.seat for each in words] != setup.record["seats"]:
        raise ReplayError(f"turn {setup.number}: the words for the dice are not those of its seats")
    for seat, told in disclose_dice_words(words).items():
        _check_told_words(setup, seat, told)
    return words


def _check_told_words(setup: ArchivedTurn, seat: SeatName, told: DiceDisclosure) -> None:
    data = setup.read_report(f"reports/{seat}.json").get("dice")
    listed = _WORDS_TOLD.search(setup.read(f"reports/{seat}.txt").decode("utf-8", "replace"))
    # The text has one blank where a word has several; the data are exact.
    expected = [line.split() for line in told.lines]
    # A GM's template may word the text otherwise; where it lists the words as usual, they must be these.
    in_text = expected if listed is None else [row.removeprefix("- ").split() for row in listed[1].splitlines()]
    if data != dice_data(told, setup.record["seal"]) or in_text != expected:
        raise ReplayError(
            f"turn {setup.number}: the report of {seat} tells of other words for the dice than the record"
        )


def _check_drawn_words(words: Sequence[DiceWord], seed: bytes | None) -> None:
    """Raise ReplayError unless the words that no player sent follow from the sealed seed."""
    for each in words:
        if seed is not None and not each.own and each.word != drawn_word(seed, each.seat):
            raise ReplayError(
                f"the word {each.word!r} of {each.seat} for the dice is neither its player's own, nor the one drawn"
            )


def _find_seed(folders: list[ArchivedTurn], given: bytes | None) -> bytes | None:
    """Return the seed, from the last record or as given; it must have the seal that was disclosed at the start."""
    told = folders[-1].record.get("seed")
    try:
        seed = given if told is None else bytes.fromhex(told)
    except ValueError:
        raise ReplayError(f"turn {folders[-1].number}: its seed is not written in hexadecimal digits") from None
    sealed = folders[0].record["seal"]
    if seed is not None and seed_hash(seed) != sealed:
        whose = "given" if told is None else "in the last record"
        raise ReplayError(f"the seed {whose} has the seal {seed_hash(seed)}, but {sealed} was told at the start")
    return seed


def _list_unproved(
    folders: Sequence[ArchivedTurn], games: Mapping[str, AnyRuleset], seed: bytes | None
) -> tuple[str, ...]:
    record, reasons = folders[-1].record, []
    ruleset = games.get(record["game"])
    versions = sorted({folder.record["version"] for folder in folders})
    if seed is None:
        reasons.append(
            "The dice and all results: the seed is in the record of the last turn when the game is over. "
            "It also stands in the last reports; give it with --seed."
        )
    if ruleset is None:
        reasons.append(f"All results: this program does not know the game {record['game']}.")
    elif versions != [ruleset.version]:
        reasons.append(
            f"All results: the archive is of {ruleset.title} version {' and '.join(map(str, versions))}, "
            f"this program has version {ruleset.version}."
        )
    return tuple(reasons)
