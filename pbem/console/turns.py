"""A turn that is still open: what it would come to, sheets entered, a GM's ruling, changes of its state."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.acts.past.patching import Patched
from pbem.acts.past.preview import OTHER_DICE, REAL_DICE, Preview
from pbem.acts.past.preview import Written as PreviewWritten
from pbem.acts.ruling.adjudicating import Taken
from pbem.acts.ruling.adjudicating import Written as FolderWritten
from pbem.console.common import NOT_YET, reading_lines, versions
from pbem.console.past import radius_lines
from pbem.report import Receipt
from pbem.report.wording import sentence, when, wrapped


def preview_lines(made: Preview, written: PreviewWritten | None) -> Iterator[str]:
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
    if written is not None:
        yield from _written_lines(written)
    yield wrapped(f"Nothing was kept, and nobody is mailed. {REAL_DICE if made.real_dice else OTHER_DICE}")


def _written_lines(written: PreviewWritten) -> Iterator[str]:
    yield f"  written to {written.folder}"
    if written.changed is not None:
        yield f"  changed since the last preview there: {', '.join(written.changed) or 'nothing'}"


def entered_lines(receipt: Receipt, *, sure: bool) -> Iterator[str]:
    """A sheet that a GM entered, or would enter."""
    yield f"{receipt.campaign}, {receipt.label}, seat {receipt.seat}: {receipt.verdict}"
    yield from reading_lines(receipt.findings, receipt.orders)
    yield from ("", "The player's receipt is queued; send it: pbem tick" if sure else NOT_YET)


def patched_lines(patched: Patched, *, sure: bool) -> Iterator[str]:
    """A change of the state, path by path, and whose reports show it."""
    for each in patched.edit.differences:
        yield f"{each.path}: {each.text}"
    yield from radius_lines(patched.radius, sure=sure)


def folder_lines(written: FolderWritten) -> Iterator[str]:
    """What was written for a GM who is to rule, and how to go on."""
    yield wrapped(
        f"Turn {written.turn} of {written.campaign}; written to {written.folder}: {', '.join(written.written)}."
    )
    if written.left:
        yield wrapped(f"Left as they are: {', '.join(written.left)}. To write them anew, add --force.")
    yield f"Fill them in, then: pbem adjudicate {written.campaign} {written.folder} --take"


def ruling_lines(taken: Taken) -> Iterator[str]:
    """How a GM's files were read, and what becomes of them."""
    for file, findings in taken.findings.items():
        for finding in findings:
            line = f", line {finding.line}" if finding.line else ""
            hint = f" {sentence(finding.hint)}" if finding.hint else ""
            yield wrapped(f"{finding.severity}: {file}{line}: {sentence(finding.text)}{hint}", "    ")
    if taken.kept:
        run = f"Run it with: pbem release {taken.campaign}"
        yield f"The ruling on turn {taken.turn} of {taken.campaign} is taken. {run}"
    else:
        yield "The ruling is not taken: mend the errors and take it again."
