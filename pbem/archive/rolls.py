"""What a GM rolled, checked: each follows from the dice, none is left out, and none was undone by a rollback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.archive.reading import Folder
from pbem.archive.record import recorded_rolls, roll_dice
from pbem.errors import ReplayError
from pbem.ruleset.fields import Refused
from pbem.ruleset.rolls import Roll, throw_dice


def check_rolls(folder: Folder, seed: bytes) -> None:
    """The rolls of a turn are those of its dice; `seed` is the mixed one. Raises ReplayError."""
    for roll in recorded_rolls(folder.record):
        try:
            true = throw_dice(roll_dice(seed, folder.number), roll.dice, roll.label, roll.number)
        except Refused as refused:
            raise ReplayError(f"turn {folder.number}: {refused.text}") from None
        if roll != true:
            raise ReplayError(
                f"turn {folder.number}: {roll.dice} for {roll.label!r} came to {true.total}, not to {roll.total}"
            )


def check_numbers(folder: Folder) -> None:
    """The rolls for each label are numbered without a gap. Raises ReplayError."""
    known: Counter[str] = Counter()
    for roll in recorded_rolls(folder.record):
        known[roll.key] += 1
        if roll.number != known[roll.key]:
            raise ReplayError(f"turn {folder.number}: roll {known[roll.key]} for {roll.label!r} is missing")


def check_none_undone(folders: Sequence[Folder], aside: Sequence[Folder]) -> None:
    """What was rolled in a turn that was taken back was rolled in the one in its place. Raises ReplayError."""
    stand: dict[int, frozenset[Roll]] = {folder.number: frozenset(recorded_rolls(folder.record)) for folder in folders}
    for folder in aside:
        lost = [roll for roll in recorded_rolls(folder.record) if roll not in stand.get(folder.number, (roll,))]
        if lost:
            raise ReplayError(f"turn {folder.number}: the roll {lost[0].number} for {lost[0].label!r} was undone")
