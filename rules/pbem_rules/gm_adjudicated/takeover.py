"""A game taken over from elsewhere: its GM's words for each reader, in files like those of a ruling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pbem.ruleset import Dice, Finding, Rolls, TurnInput
from pbem_rules.gm_adjudicated.forms import GAME
from pbem_rules.gm_adjudicated.reading import Findings, read_ruling
from pbem_rules.gm_adjudicated.ruling import Ruling, Told
from pbem_rules.gm_adjudicated.state import State
from pbem_rules.gm_adjudicated.turn import resolve


def taken_over(new: State, files: Mapping[str, str], turn: int) -> tuple[State, Findings]:
    """Return the state of a `new` game at a turn, with the words of the files, and all findings by file.

    The files are read as the ruling on the turn before. Nothing has happened yet, so
    that a [RESULT] is a briefing: it is put above the text of [FILE].
    """
    rolls = Rolls(Dice(b""))  # the campaign has no seed yet, so that each roll becomes an error
    ruling, findings = read_ruling(replace(new, turn=turn), files, rolls)
    wrong = [*_rolled(rolls), *_out_of_place(new, ruling, turn)]
    if wrong:
        findings = {**findings, GAME: (*findings.get(GAME, ()), *wrong)}
    begun = replace(
        ruling, all=_briefed(ruling.all), seats={seat: _briefed(each) for seat, each in ruling.seats.items()}
    )
    state, _ = resolve(replace(new, turn=turn - 1), TurnInput({}, ruling=begun.dump()))
    return state, findings


def _briefed(told: Told) -> Told:
    if not told.result:
        return told
    return replace(told, result="", file=f"{told.result}\n\n{told.file}" if told.file else told.result)


def _rolled(rolls: Rolls) -> Iterator[Finding]:
    """Yield an error for each roll: the campaign has no dice yet."""
    for roll in rolls.fresh:
        text = f"{roll.dice} for {roll.label!r} cannot be rolled before the campaign has begun"
        yield Finding(0, "error", "no-dice", text, "write what was rolled, without brackets")


def _out_of_place(new: State, ruling: Ruling, turn: int) -> Iterator[Finding]:
    """Yield an error for each command that ends the game before it is played on."""
    if ruling.over:
        yield Finding(0, "error", "over", "OVER ends the game, so there is nothing to play on from", "take it out")
    last = new.turns if ruling.turns is None else ruling.turns
    if 0 < last < turn:
        text = f"turn {last} would be the last, so turn {turn} cannot be played"
        yield Finding(0, "error", "out-of-bounds", text, "say TURNS and the last turn, or TURNS 0 for none")
    if not set(new.playing) - set(ruling.out):
        yield Finding(0, "error", "nobody-left", "OUT leaves nobody in the game", "take it out for those who play")
