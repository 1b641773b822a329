"""What was done with backups, and what is to be done next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from pbem.backup.create import Made
from pbem.backup.restore import Checked, Restored
from pbem.backup.transfer import Exported, Imported
from pbem.text import counted, sentence, when, wrapped


def made_lines(made: Made) -> Iterator[str]:
    """What was written, and what is not in it."""
    yield f"{made.path}: {made.bytes:,} bytes, {counted(len(made.campaigns), 'campaign')}."
    if made.lacking:
        yield wrapped(
            f"In the archive {counted(made.lacking, 'turn')} not whole or not written yet; the database in the backup "
            "has what is missing."
        )
    yield from _left_out(made.left_out)
    if made.removed:
        yield f"Removed: {', '.join(made.removed)}"
    yield f"Prove it with: pbem check-backup {shlex.quote(str(made.path))}"


def checked_lines(checked: Checked) -> Iterator[str]:
    """What was proved, and what is wrong."""
    yield f"{checked.path}: made {when(checked.made, 'UTC')} by pbem {checked.pbem}."
    for each in checked.campaigns:
        proved = "not all proved" if each.unproved else "proved to the last result"
        yield f"{each.campaign}: {counted(each.turns, 'turn')}, {proved}."
        yield from (wrapped(f"  {reason}", "  ") for reason in each.unproved)
    yield from _unknown(checked.unknown)
    yield from _left_out(checked.left_out)
    yield from (wrapped(f"Problem: {sentence(problem)}") for problem in checked.problems)
    if not checked.problems:
        yield "All parts are as they were written, and the database is sound."


def restored_lines(restored: Restored) -> Iterator[str]:
    """What was made, what is missing, and what to do next."""
    yield f"{restored.home} is as the backup of {when(restored.made, 'UTC')} has it, and at rest."
    if restored.held:
        yield wrapped(
            f"Held, each until its GM releases it: {', '.join(restored.held)}. "
            "Players and GMs are told once the home is open."
        )
    if restored.mails:
        yield wrapped(
            f"{counted(restored.mails, 'mail')} had not gone when the backup was made, and may have gone since: "
            "pbem outbox lists what is held back, and pbem outbox --retry all sends it."
        )
    yield from (wrapped(f"Missing: {each}.") for each in restored.lacks)
    yield from (wrapped(f"Changed in pbem.toml, to keep to the home: {each}.") for each in restored.moved)
    yield from reaching_lines(restored.reaches)
    yield from _unknown(restored.unknown)
    yield from _left_out(restored.left_out)
    yield from (wrapped(f"Problem: {sentence(problem)}") for problem in restored.problems)
    yield ""
    yield "Next, in the new home:"
    came = f"Letters that came after {when(restored.made, 'UTC')} and were read by the old home lie in its mailbox's"
    first = (
        "Make sure that the old home is at work no more, and put in place what is missing. If the backup is another "
        "person's, look through pbem.toml: what it names may be theirs."
    )
    steps = (
        first,
        "pbem doctor",
        f"{came} folder Processed: move them back to the inbox. What is known already is not taken twice.",
        "pbem reopen, which asks whether that is right, and then pbem tick: it reads the mail.",
        "pbem status; for each campaign that is held: pbem extend, if its deadline is near, and pbem release.",
    )
    yield from (wrapped(f"{number}. {step}", "   ") for number, step in enumerate(steps, start=1))


def reaching_lines(reaches: Sequence[str]) -> Iterator[str]:
    """Tell what a home will run and reach."""
    yield "Once it is open, by its pbem.toml:"
    yield from (wrapped(f"- {each}", "  ") for each in reaches)


def exported_lines(exported: Exported) -> Iterator[str]:
    """What was written, and what to do with it."""
    name = exported.campaign
    yield f"{exported.path}: {exported.bytes:,} bytes. {name} is played at {exported.to} now, and here no more."
    yield wrapped(
        "Whoever writes here for it is told so. In the file are its seeds, sheets and reports: take it to the other "
        "home yourself, and take it in there with:"
    )
    yield f"  pbem import {shlex.quote(exported.path.name)}"
    yield f"If it cannot be played there, take it back with: pbem export {name} --back"


def imported_lines(imported: Imported) -> Iterator[str]:
    """What was taken in, and what to do next."""
    name = imported.campaign
    yield f"{name} is played here from now on; it came from {imported.came_from}, and turn {imported.turn} is open."
    yield wrapped(f"Asked to confirm it: {', '.join(imported.asked) or 'nobody'}. The GM was mailed a token.")
    yield from (wrapped(f"Not proved here: {reason}") for reason in imported.unproved)
    yield f"It is paused. Once its players have confirmed: pbem release {name}"


def _left_out(left_out: tuple[str, ...]) -> Iterator[str]:
    yield from (wrapped(f"Not in the backup: {each}.") for each in left_out)


def _unknown(unknown: tuple[str, ...]) -> Iterator[str]:
    yield from (f"Not installed here: {game}." for game in unknown)
