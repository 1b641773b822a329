"""What an archive proves, to its house and to anybody else."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from pbem.archive.replay import ReplayProof
from pbem.archive.verify import Held, Run, Verified
from pbem.text import counted, when, wrapped


def proof_lines(proof: ReplayProof) -> Iterator[str]:
    """What a replay proved."""
    over = ", to the end of the game" if proof.over else ""
    yield f"{proof.campaign}: the set-up and {counted(proof.turns, 'turn')} resolved again{over}; every hash agrees."
    yield f"{counted(proof.reports, 'report')} hold what the rules let their seats know."
    if proof.withdrawn:
        yield f"{counted(proof.withdrawn, 'turn')} taken back or run again: as when that was done."
    yield f"Newest record: {proof.head}"


def verified_lines(verified: Verified) -> Iterator[str]:
    """What an archive shows by itself."""
    turns, files = counted(verified.turns, "turn"), counted(verified.files, "file")
    yield f"{verified.campaign}: {turns}, {files}, {counted(verified.sheets, 'sheet')} used."
    yield "The chain of records, all files, and the digest of every sheet agree."
    yield f"Dice seal, told at the start: {verified.seal}"
    if verified.words:
        own = ", ".join(each.seat for each in verified.words if each.own) or "none, all were drawn"
        yield wrapped(f"Words mixed into the dice, the same in all first reports; their players' own: {own}.")
    if verified.rolls:
        yield _rolls_line(verified)
    if not verified.unproved:
        over = ", to the end of the game" if verified.over else ""
        yield f"The seed has this seal, and every turn was resolved again with it{over}: all results agree."
    for reason in verified.unproved:
        yield wrapped(f"Not proved yet: {reason}")
    if verified.patched:
        yield f"Changed by the GM after the rules: turn {', '.join(map(str, verified.patched))}."
    if verified.withdrawn:
        yield f"Taken back or run again, and kept beside: {verified.withdrawn}. Every run of those turns:"
        again = {run.turn for run in verified.runs if run.withdrawn}
        yield from (_run_line(run) for run in verified.runs if run.turn in again)
    if verified.unnamed:
        yield wrapped(
            f"Not proved yet: that nothing is missing of what was taken back last ({verified.unnamed} of these): "
            "the record of the next turn will tell."
        )
    for held in verified.held:
        yield _held_line(held)
    yield f"Newest record: {verified.head}"


def _rolls_line(verified: Verified) -> str:
    said = f"Rolled by the GM: {counted(verified.rolls, 'roll')}, none left out by its number."
    return said if verified.unproved else f"{said} Each follows from the seed."


def _run_line(run: Run) -> str:
    what = f"turn {run.turn}" if run.turn else "the set-up"
    at = when(dt.datetime.fromisoformat(run.resolved), "UTC")
    return f"  {what}, run {at}: " + (f"withdrawn, record {run.record}" if run.withdrawn else "counts")


def _held_line(held: Held) -> str:
    place = f"turn {held.turn}, which was taken back or run again" if held.withdrawn else f"turn {held.turn}"
    if held.what == "report":
        return wrapped(f"The report {held.name} is that of {place}, as it was mailed.")
    return f"The record of {place} is there: {held.name}"
