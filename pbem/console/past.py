"""Changes of what has been: turns rolled back or run again, and copies that leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pbem.acts.past.amending import LOOKED
from pbem.acts.past.forking import Compared, Forked
from pbem.acts.past.mending import Mended
from pbem.acts.past.radius import Radius, Touched
from pbem.acts.past.rolling import Rolled
from pbem.console.common import NOT_YET, versions
from pbem.report.wording import when, wrapped

SEED_KNOWN = (
    "The game was over, so the seed of the dice was in its last reports: "
    "whoever kept them can reckon every roll of the turns to come."
)
"""The warning that a turn is opened again whose dice are no longer secret."""


def rolled_lines(rolled: Rolled, *, sure: bool) -> Iterator[str]:
    """A rollback, a forward, or what one would do."""
    done = "stands" if sure else "would stand"
    yield f"{rolled.campaign} {done} at turn {rolled.turn} again; it was at turn {rolled.before}."
    if rolled.deadline is not None:
        yield f"It is due {when(rolled.deadline, rolled.zone)}."
    yield f"Sheets that count: {versions(rolled.sheets)}."
    if rolled.seed_known and sure:
        yield wrapped(SEED_KNOWN)
    yield "Everyone is told by mail; send it: pbem tick" if sure else NOT_YET


def mended_lines(mended: Mended, *, sure: bool) -> Iterator[str]:
    """A campaign that was mended, or could be."""
    name, strays = mended.rolled.campaign, mended.strays
    yield wrapped(f"The turns of {name} {'did' if sure else 'do'} not hang together: {mended.wrong}.")
    if strays:
        which = f"Turn {strays[0]}" if len(strays) == 1 else f"Turns {', '.join(map(str, strays))}"
        yield f"{which} {'went' if sure else 'would go'} onto a shelf; nothing is thrown away."
    yield from rolled_lines(mended.rolled, sure=sure)


def radius_lines(radius: Radius, *, sure: bool) -> Iterator[str]:
    """The blast radius of a second run, done or only looked at."""
    for seat, reading in radius.given.items():
        errors = [finding for finding in reading.findings if finding.severity == "error"]
        yield from (f"sheet of {seat}, line {finding.line}: {finding.text}" for finding in errors)
    what = f"turn {radius.turn}" if radius.turn else "the set-up"
    yield f"{radius.campaign}: {what} " + ("was run again." if sure else "would come out so:")
    for touched in radius.touched:
        yield from _touched_lines(touched)
    if radius.gone:
        yield f"  {', '.join(radius.gone)}: report withdrawn, none in its place"
    if radius.untouched:
        yield f"  {', '.join(radius.untouched)}: nothing changes, no mail"
    if radius.seed_known:
        yield wrapped(SEED_KNOWN)
    if sure:
        yield "Corrected reports are queued; send them: pbem tick" if radius.touched else "Nobody is mailed."
    else:
        if radius.tried:
            yield LOOKED
        yield NOT_YET


def forked_lines(forked: Forked, home: Path) -> Iterator[str]:
    """A copy of a campaign, and how to go on in it."""
    yield f"{forked.campaign} is copied to {home}, with turn {forked.turn} open. Nobody can be mailed from there."
    yield "It has the real dice, so the journal and the next reports tell that it was made."
    yield f"Sheets that count: {versions(forked.sheets)}."
    yield f"Go on with: pbem --home {home} preview {forked.campaign}"


def compared_lines(compared: Compared) -> Iterator[str]:
    """How the reports of a turn run in a copy differ from the real ones."""
    yield f"{compared.campaign}: turn {compared.turn} there, against what was really told (- really, + there):"
    for seat, lines in compared.differing.items():
        yield from (f"  {seat}:", *(f"    {line}" for line in lines))
    if compared.same:
        yield f"  {', '.join(compared.same)}: told the same"


def _touched_lines(touched: Touched) -> Iterator[str]:
    kind = f"corrected report, edition {touched.edition}" if touched.edition > 1 else "a report, where there was none"
    sheet = {"none": "", "kept": "; the sheet sent since is kept", "dropped": "; the sheet sent since no longer fits"}
    yield f"  {touched.seat}: {kind}{sheet[touched.sheet]}"
    yield from (f"    {line}" for line in touched.differences)
