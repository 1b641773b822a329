"""A game begun elsewhere and played on here: the state it is begun with, looked at before anything is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.archive.json_patch import differences, make_patch
from pbem.archive.record import turn_dice
from pbem.errors import MISREAD, CampaignError, RulesetError
from pbem.ruleset.protocol import AnyRuleset, TakenOver, TurnInput, WrittenDown, all_views
from pbem.ruleset.serialization import canonical
from pbem.ruleset.validation import Fault
from pbem.ruleset.values import Json, Seat

MOST_FAULTS = 20
"""Faults that are told at once; a wrong file may have thousands."""

LAST_TURN = 9999
"""The highest number that a first turn may have."""

MOST_TEXT = 1_000_000
"""Bytes of a text that is read; a longer file is none that a GM has written."""

_COUNTED = re.compile(r"turn ([0-9]{1,9})")
_TRIED = b"only to see whether the game goes on"
"""The seed of a turn that is tried and thrown away."""


@dataclass(frozen=True, slots=True)
class Middle:
    """What a campaign begins with that is taken over: the dumped state, and the number of its first turn."""

    state: Json
    turn: int


def read_texts(folder: Path) -> dict[str, str]:
    """The texts of a folder by their names. Raises CampaignError naming what cannot be read."""
    if not folder.is_dir():
        raise CampaignError(f"{folder} is no folder: give the one with the texts that players are told first")
    return {path.name: _text(path) for path in sorted(folder.iterdir()) if not path.name.startswith(".")}


def _text(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > MOST_TEXT:
            raise CampaignError(f"{path} is no text of at most {MOST_TEXT:,} bytes: take it out of the folder")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise CampaignError(f"{path} cannot be read ({error.strerror or type(error).__name__})") from None
    except ValueError:
        raise CampaignError(f"{path} is not text in UTF-8: save it as such, or take it out of the folder") from None


def from_state(ruleset: AnyRuleset, data: Json, seats: Sequence[Seat], turn: int | None) -> Middle:
    """What a campaign begins with that goes on from a state. Raises CampaignError naming every fault."""
    if not isinstance(ruleset, TakenOver):
        raise CampaignError(
            f"{ruleset.title} cannot be begun in the middle from a state: it does not know how to look at one"
            + ("; write texts, and give their folder with --from" if isinstance(ruleset, WrittenDown) else "")
        )
    _refuse(ruleset, ruleset.check_state(data, seats))
    return _played_on(ruleset, data, seats, turn)


def from_texts(
    ruleset: AnyRuleset, options: Mapping[str, Any], texts: Mapping[str, str], seats: Sequence[Seat], turn: int | None
) -> Middle:
    """What a campaign begins with that goes on from a GM's texts. Raises CampaignError naming what is wrong in which.

    SetupError as `setup` does.
    """
    if not isinstance(ruleset, WrittenDown):
        raise CampaignError(f"{ruleset.title} cannot be begun from texts: give a state of it with --state")
    data, found = ruleset.state_from(options, seats, texts, turn or 1)
    errors = [
        f"{name}{f', line {finding.line}' if finding.line else ''}: {finding.text}"
        + (f"; {finding.hint}" if finding.hint else "")
        for name, findings in found.items()
        for finding in findings
        if finding.severity == "error"
    ]
    if errors:
        raise CampaignError(_listed(f"{ruleset.title} cannot be begun from these texts", errors))
    return _played_on(ruleset, data, seats, turn or 1)


def _played_on(ruleset: AnyRuleset, data: Json, seats: Sequence[Seat], turn: int | None) -> Middle:
    """Tries to load a state, to show it to each seat, and to run its turn."""
    try:
        state = ruleset.load(data, ruleset.version)
        dumped = json.loads(canonical(ruleset.dump(state)))
        _refuse(ruleset, list(_otherwise(data, dumped)))
        standing = ruleset.standing(state)
        if standing.over:
            raise CampaignError(f"this game of {ruleset.title} is over: there is nothing to play on from")
        _refuse(ruleset, [_stranger(seat) for seat in sorted(standing.awaiting - set(seats))])
        labels = [str(view["label"]) for _, view in all_views(ruleset, state, seats, ())]
        empty = {seat: () for seat in seats if seat in standing.awaiting}
        ruleset.resolve(state, TurnInput(empty, standing.awaiting), turn_dice(_TRIED, turn or 1))
    except (*MISREAD, RulesetError) as error:
        raise CampaignError(
            f"{ruleset.title} cannot be played on from this state ({type(error).__name__}: {error})"
        ) from None
    return Middle(dumped, _number(ruleset, labels[0], turn))


def _stranger(seat: Seat) -> Fault:
    return Fault("", f"the game waits for {seat}, whom the campaign does not have", f"give it: --seat {seat}=ADDRESS")


def _otherwise(data: Json, dumped: Json) -> Iterator[Fault]:
    """Where data differ from what the game makes of them: it would play on from something else."""
    for each in () if canonical(data) == canonical(dumped) else differences(data, make_patch(data, dumped)):
        yield Fault(each.path, f"the game reads it otherwise: {each.text}")


def _number(ruleset: AnyRuleset, label: str, turn: int | None) -> int:
    """The number of the first turn: as the game counts, if it counts turns at all, and it must not be another."""
    counted = _COUNTED.fullmatch(label)
    if counted is None or turn == int(counted[1]):
        return turn or 1
    if turn is None and int(counted[1]) <= LAST_TURN:
        return int(counted[1])
    raise CampaignError(
        f"the state is of {label} of {ruleset.title}, not of turn {turn}: say --turn {counted[1]}, or change the state"
    )


def refuse(what: str, faults: Sequence[Fault]) -> None:
    """Raises CampaignError if there are faults: what they are of, and each on a line of its own."""
    if faults:
        raise CampaignError(_listed(what, list(map(str, faults))))


def _refuse(ruleset: AnyRuleset, faults: Sequence[Fault]) -> None:
    refuse(f"this is no state of {ruleset.title} to play on from", faults)


def _listed(what: str, wrong: Sequence[str]) -> str:
    more = [f"and {len(wrong) - MOST_FAULTS} more"] if len(wrong) > MOST_FAULTS else []
    return "\n  ".join([f"{what}:", *wrong[:MOST_FAULTS], *more])
