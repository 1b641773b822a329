"""A turn that is still open: what it would come to, sheets entered, a GM's ruling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.acts.past.patching import State
from pbem.acts.past.preview import Preview
from pbem.acts.ruling.adjudicating import Taken
from pbem.acts.ruling.rolling import RollBook, Rolled
from pbem.report import Receipt
from pbem.report.wording import sentence, when, wrapped
from pbem.ruleset import Finding
from pbem.telling.common import reading_lines, versions
from pbem.telling.door import Door

OTHER_DICE = "Whatever was rolled for it was rolled with other dice than the turn will have."
REAL_DICE = (
    "It was rolled with the dice that the turn will have; the journal and the next reports tell that you looked."
)
"""What a GM is told of the dice of a preview."""


def preview_lines(made: Preview, _: Door) -> Iterator[str]:
    """What a turn would come to if it were run now."""
    yield f"{made.campaign}: turn {made.turn}, as it would be run {when(made.at, made.zone)}"
    yield f"  sheets that count: {versions(made.sheets)}"
    if made.missing:
        yield f"  no sheet: {', '.join(made.missing)}"
    if made.ruled:
        yield "  with your ruling"
    yield f"  reports to: {', '.join(report.place.seat for report in made.reports)}; events: {made.events}"
    if made.over:
        yield f"  the game would be over: {made.reason}"
    yield wrapped(f"Nothing was kept, and nobody is mailed. {REAL_DICE if made.real_dice else OTHER_DICE}")


def state_lines(state: State, _: Door) -> Iterator[str]:
    """The state of a turn, which goes with the answer."""
    yield f"The state of turn {state.turn} of {state.campaign} is attached. Change it by a JSON Patch, with: PATCH"


def entered_lines(receipt: Receipt, door: Door) -> Iterator[str]:
    """A sheet that a GM entered, or would enter."""
    yield from receipt_lines(receipt)
    yield ""
    yield door.undone or door.queued("The player's receipt is queued")


def receipt_lines(receipt: Receipt) -> Iterator[str]:
    """How a sheet was read."""
    yield f"{receipt.campaign}, {receipt.label}, seat {receipt.seat}: {receipt.verdict}"
    yield from reading_lines(receipt.findings, receipt.orders)


def finding_lines(file: str, findings: Iterable[Finding]) -> Iterator[str]:
    """What is said of a file of a ruling."""
    for finding in findings:
        line = f", line {finding.line}" if finding.line else ""
        hint = f" {sentence(finding.hint)}" if finding.hint else ""
        yield wrapped(f"{finding.severity}: {file}{line}: {sentence(finding.text)}{hint}", "    ")


def ruling_lines(taken: Taken, door: Door) -> Iterator[str]:
    """How a GM's files were read, and what becomes of them."""
    for file, findings in taken.findings.items():
        yield from finding_lines(file, findings)
    if taken.kept and door.undone:
        yield f"You have ruled on turn {taken.turn} of {taken.campaign} already; this ruling would replace that one."
        yield door.undone
    elif taken.kept:
        release = door.either(f"pbem release {taken.campaign}", "RELEASE")
        yield from (wrapped(f"Rolled: {roll.told(roll.number)}", "    ") for roll in taken.rolled)
        yield f"The ruling on turn {taken.turn} of {taken.campaign} is taken. Run it with: {release}"
    else:
        yield "The ruling is not taken: mend the errors and take it again."


def rolled_lines(rolled: Rolled, _: Door) -> Iterator[str]:
    """A roll, and that it stands."""
    yield wrapped(rolled.roll.told(rolled.roll.number), "    ")
    said = (
        f"It stands for turn {rolled.turn} of {rolled.campaign}; the journal has it, and the record of the turn will."
    )
    yield wrapped(said)


def rolls_lines(book: RollBook, _: Door) -> Iterator[str]:
    """All rolls of a turn."""
    if not book.rolls:
        yield f"Nothing was rolled in turn {book.turn} of {book.campaign}."
    for roll in book.rolls:
        yield wrapped(book.told(roll), "    ")
