"""A turn that is still open: what it would come to, sheets entered, a GM's ruling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.acts.past.impact import differing_lines
from pbem.acts.past.patching import State
from pbem.acts.past.preview import Preview
from pbem.acts.past.sheets import SheetShown, SheetsShown
from pbem.acts.ruling.adjudicating import Replaced, Taken
from pbem.acts.ruling.rolling import RollBook, Rolled
from pbem.acts.ruling.rulingform import write_form
from pbem.acts.ruling.withdrawing import Dropped, Restored, RulingShown
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
    yield from _replaced_orders(receipt, door)
    yield ""
    yield door.undone or door.queued("The player's receipt is queued")


def _replaced_orders(receipt: Receipt, door: Door) -> Iterator[str]:
    """Yield the differences of a sheet from the one that counted before."""
    before = receipt.replaces
    if before is None or before.same:
        return
    yield ""
    yield f"{'Replaced' if door.done else 'Would replace'} sheet {before.version}:"
    yield from (f"  - {wrapped(line, '    ')}" for line in before.dropped)
    yield from (f"  + {wrapped(line, '    ')}" for line in before.added)
    if before.reordered:
        yield "  the same orders stand in another order"
    if door.done:
        yield f"To have it back: {_sheet_back(receipt.campaign, receipt.seat, before.version, door)}"


def _sheet_back(campaign: str, seat: str, version: int, door: Door) -> str:
    return door.either(f"pbem sheet {campaign} {seat} --restore {version}", f"SHEET {seat} BACK {version}")


def sheets_lines(shown: SheetsShown, door: Door) -> Iterator[str]:
    """The sheets of the open turn: those that count, and others, which can be entered again."""
    yield f"{shown.campaign}, turn {shown.turn}"
    for each in shown.seats:
        if each.counts is None:
            yield f"{each.seat}: no sheet counts"
        else:
            yield f"{each.seat}: {_named(each.counts, shown.zone)}, counts" + (
                "" if each.counts.lines else "; no orders"
            )
            yield from (f"    {wrapped(line, '      ')}" for line in each.counts.lines)
        for other in each.others:
            back = _sheet_back(shown.campaign, each.seat, other.version, door)
            then = f"to have it back: {back}" if other.accepted else "not taken"
            yield wrapped(f"  {_named(other, shown.zone)}; {then}", "    ")
            if shown.whole:
                yield from (f"    {wrapped(line, '      ')}" for line in other.lines)


def _named(sheet: SheetShown, zone: str) -> str:
    by = {"player": "by its player", "deputy": "by a deputy", "gm": "entered by the GM"}[sheet.author]
    return f"sheet {sheet.version}, {by}, {when(sheet.at, zone)}"


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
    if taken.kept and taken.same:
        yield f"Nothing to do: this is your ruling on turn {taken.turn} of {taken.campaign} as it stands."
    elif taken.kept:
        yield from replaced_lines(taken.turn, taken.campaign, taken.replaced, door)
        yield from (wrapped(f"Rolled: {roll.told(roll.number)}", "    ") for roll in taken.rolled)
        release = door.either(f"pbem release {taken.campaign}", "RELEASE")
        done = f"The ruling on turn {taken.turn} of {taken.campaign} is taken. Run it with: {release}"
        yield door.undone or done
    else:
        yield "The ruling is not taken: mend the errors and take it again."


def replaced_lines(turn: int, campaign: str, replaced: Iterable[Replaced], door: Door) -> Iterator[str]:
    """The parts of a ruling that another replaces, line by line, and how to have them back."""
    parts = tuple(replaced)
    if not parts:
        return
    yield f"{'Replaced' if door.done else 'Would replace'} in your ruling on turn {turn} of {campaign}:"
    for each in parts:
        yield f"  {each.part}" + ("" if each.now else ", which is taken out")
        yield from (f"    {wrapped(line, '      ')}" for line in differing_lines(each.before, each.now))
    if door.done:
        back = door.either(f"pbem adjudicate {campaign} --restore", "RULING BACK")
        yield f"The ruling before is kept. To have it back: {back}"


def shown_ruling_lines(shown: RulingShown, door: Door) -> Iterator[str]:
    """A ruling as it stands; by mail in the form that changes it."""
    turn, name = shown.turn, shown.campaign
    if shown.parts:
        yield f"Your ruling on turn {turn} of {name}, which runs when you release it:"
    else:
        yield f"You have not ruled on turn {turn} of {name}."
    if door.by_mail:
        yield wrapped("To rule, or to change the ruling, send this form with your token in it:")
        yield ""
        yield from (f"GM {name} TOKEN", "RULING", *write_form(shown.form.files).rstrip().splitlines(), "END")
        yield ""
    else:
        for part, text in shown.parts.items():
            yield f"{part}:"
            yield from (f"    {line}" for line in text.splitlines())
    if shown.parts:
        yield f"To drop it: {door.either(f'pbem adjudicate {name} --drop', 'RULING OFF')}"
    elif not door.by_mail:
        yield f"To rule: pbem adjudicate {name} --edit"
    for number, at in shown.earlier:
        back = door.either(f"pbem adjudicate {name} --restore {number}", f"RULING BACK {number}")
        yield f"Earlier ruling {number}, replaced or dropped {when(at, shown.zone)}. To have it back: {back}"


def dropped_lines(dropped: Dropped, door: Door) -> Iterator[str]:
    """A ruling that counts no more."""
    back = door.either(f"pbem adjudicate {dropped.campaign} --restore", "RULING BACK")
    yield f"The ruling on turn {dropped.turn} of {dropped.campaign} is dropped: the turn waits for another."
    yield f"To have it back: {back}"


def restored_lines(restored: Restored, door: Door) -> Iterator[str]:
    """An earlier ruling that counts again."""
    turn, name = restored.turn, restored.campaign
    yield from replaced_lines(turn, name, restored.replaced, door)
    release = door.either(f"pbem release {name}", "RELEASE")
    done = f"The earlier ruling {restored.number} on turn {turn} of {name} counts again. Run it with: {release}"
    yield door.undone or done


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
