"""A second ruling on the same turn: it replaces the parts that it names, and the rest of the first one stays.

The parts of a reader's file are its sections; those of game.txt are its commands, SCORE
one for each seat, SET one for each entry of a ledger, in whichever file it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pbem_rules.gm_adjudicated.forms import ALL, GAME, file_of, with_lines
from pbem_rules.gm_adjudicated.ruling import Ruling, Told, commands_of
from pbem_rules.gm_adjudicated.state import ReportTexts, State


def merged(before: Ruling, ruling: Ruling, results: frozenset[str]) -> Ruling:
    """Return the ruling that counts after a second one (ruling 11); `results` are its files with a [RESULT]."""
    changed = {(change.owner, change.name) for change in ruling.changes}
    kept = (change for change in before.changes if (change.owner, change.name) not in changed)
    seats = {seat: before.seats.get(seat, Told()) for seat in (*before.seats, *ruling.seats)}
    return Ruling(
        all=_merge_files(before.all, ruling.all, result=ALL in results),
        seats={
            seat: _merge_files(told, ruling.seats.get(seat, Told()), result=file_of(seat) in results)
            for seat, told in seats.items()
        },
        name=ruling.name or before.name,
        scores={**before.scores, **ruling.scores},
        out=tuple(dict.fromkeys((*before.out, *ruling.out))),
        turns=before.turns if ruling.turns is None else ruling.turns,
        winners=ruling.winners or before.winners,
        over=ruling.over or before.over,
        changes=(*kept, *ruling.changes),
    )


def _merge_files(before: Told, now: Told, *, result: bool) -> Told:
    told = before
    if result:  # an empty [RESULT] replaces the first one, too
        told = replace(told, result=now.result, with_result=now.with_result)
    if now.file is not None:
        told = replace(told, file=now.file, with_file=now.with_file)
    if now.map is not None:
        told = replace(told, map=now.map, with_map=now.with_map)
    return told if now.notes is None else replace(told, notes=now.notes)


def parts_of(state: State, ruling: Ruling) -> dict[str, str]:
    """Return the text of each part of a ruling, by its name; parts that change nothing are left out."""
    parts = dict(_told_parts(ALL, state.shared, state.notes, ruling.all))
    for seat, told in ruling.seats.items():
        player = state.players[seat]
        parts |= _told_parts(file_of(seat), player.known, player.notes, told)
    return parts | {f"{GAME}: {command}": line for command, line in commands_of(ruling, state.turns).items()}


def _told_parts(file: str, known: ReportTexts, notes: str, told: Told) -> Iterator[tuple[str, str]]:
    after = told.after(known)
    sections = {
        "RESULT": ("", with_lines(told.result, told.with_result)),
        "FILE": (with_lines(known.file, known.with_file), with_lines(after.file, after.with_file)),
        "MAP": (with_lines(known.map, known.with_map), with_lines(after.map, after.with_map)),
        "NOTES": (notes, told.noted(notes)),
    }
    for name, (was, now) in sections.items():
        if was != now:
            yield f"{file} [{name}]", now
