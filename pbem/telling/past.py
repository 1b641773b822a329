"""Changes of what has been: turns rolled back or run again, and copies that leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.acts.past.forking import Compared, Forked, WhatIf
from pbem.acts.past.impact import Impact, Touched
from pbem.acts.past.mending import Mended
from pbem.acts.past.patching import Patched
from pbem.acts.past.rolling import Rolled
from pbem.report.wording import when, wrapped
from pbem.telling.common import versions
from pbem.telling.door import Door
from pbem.telling.turns import preview_lines, receipt_lines

SEED_KNOWN = (
    "The game was over, so the seed of the dice was in its last reports: "
    "whoever kept them can reckon every roll of the turns to come."
)
"""The warning that a turn is opened again whose dice are no longer secret."""

NOTED = "The journal and the next reports tell that you looked, but not at whose sheet."
"""What a GM is told who has only asked what his changes would come to."""


def rolled_lines(rolled: Rolled, door: Door) -> Iterator[str]:
    """A rollback, a forward, or what one would do."""
    stands = "stands" if door.done else "would stand"
    yield f"{rolled.campaign} {stands} at turn {rolled.turn} again; it was at turn {rolled.before}."
    if rolled.deadline is not None:
        yield f"It is due {when(rolled.deadline, rolled.zone)}."
    yield f"Sheets that count: {versions(rolled.sheets)}."
    verb = "is" if door.done else "would be"
    yield from (f"Seat {seat} {verb} in the game again, as it was then." for seat in rolled.back)
    yield from (f"Seat {seat} {verb} out of the game again." for seat in rolled.out)
    if rolled.seed_known:
        yield wrapped(SEED_KNOWN)
    yield door.undone or door.queued("Everyone is told by mail")


def mended_lines(mended: Mended, door: Door) -> Iterator[str]:
    """A campaign that was mended, or could be."""
    name, strays, done = mended.rolled.campaign, mended.strays, door.done
    yield wrapped(f"The turns of {name} {'did' if done else 'do'} not hang together: {mended.wrong}.")
    if strays:
        which = f"Turn {strays[0]}" if len(strays) == 1 else f"Turns {', '.join(map(str, strays))}"
        yield f"{which} {'went' if done else 'would go'} onto a shelf; nothing is thrown away."
    yield from rolled_lines(mended.rolled, door)


def impact_lines(impact: Impact, door: Door) -> Iterator[str]:
    """The blast radius of a second run, done or only looked at."""
    for seat, reading in impact.given.items():
        errors = [finding for finding in reading.findings if finding.severity == "error"]
        yield from (f"sheet of {seat}, line {finding.line}: {finding.text}" for finding in errors)
    what = impact.what
    yield f"{impact.campaign}: {what} " + ("was run again." if door.done else "would come out so:")
    for touched in impact.touched:
        yield from _touched_lines(touched)
    if impact.gone:
        yield f"  {', '.join(impact.gone)}: report withdrawn, none in its place"
    if impact.untouched:
        yield f"  {', '.join(impact.untouched)}: nothing changes, no mail"
    if impact.seed_known:
        yield wrapped(SEED_KNOWN)
    if impact.tried and not door.done:
        yield NOTED
    sent = door.queued("Corrected reports are queued", "them") if impact.touched else "Nobody is mailed."
    yield door.undone or sent


def patched_lines(patched: Patched, door: Door) -> Iterator[str]:
    """A change of the state, path by path, and whose reports show it."""
    for each in patched.edit.differences:
        yield f"{each.path}: {each.text}"
    yield from impact_lines(patched.impact, door)


def _touched_lines(touched: Touched) -> Iterator[str]:
    kind = f"corrected report, edition {touched.edition}" if touched.edition > 1 else "a report, where there was none"
    sheet = {"none": "", "kept": "; the sheet sent since is kept", "dropped": "; the sheet sent since no longer fits"}
    yield f"  {touched.seat}: {kind}{sheet[touched.sheet]}"
    yield from (f"    {line}" for line in touched.differences)


def forked_lines(forked: Forked, _: Door) -> Iterator[str]:
    """A copy of a campaign."""
    yield "It has the real dice, so the journal and the next reports tell that it was made."
    yield f"Sheets that count: {versions(forked.sheets)}."


def compared_lines(compared: Compared, _: Door) -> Iterator[str]:
    """How the reports of a turn run in a copy differ from the real ones."""
    yield f"{compared.campaign}: turn {compared.turn} there, against what was really told (- really, + there):"
    for seat, lines in compared.differing.items():
        yield from (f"  {seat}:", *(f"    {line}" for line in lines))
    if compared.same:
        yield f"  {', '.join(compared.same)}: told the same"


def what_if_lines(tried: WhatIf, door: Door) -> Iterator[str]:
    """A turn tried with other sheets, in a copy that is gone."""
    forked = tried.forked
    yield f"{forked.campaign} was copied as it stood when turn {forked.turn} was open."
    yield from forked_lines(forked, door)
    for receipt in tried.entered:
        yield from receipt_lines(receipt)
    yield from preview_lines(tried.preview, door)
    if tried.compared:
        yield from compared_lines(tried.compared, door)
