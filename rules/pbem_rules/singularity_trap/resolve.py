"""How a turn is resolved: the steps of the rulebook, in order, for both paces (ruling 24).

With pace "turn" all sections run at once; with pace "section" each waits for
its own sheets, and each round of combat for those who have a choice in it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.ruleset import Dice, Event, SeatName, TurnInput
from pbem_rules.singularity_trap import combat, economy, movement, ownership, politics
from pbem_rules.singularity_trap.draft import Draft, Step
from pbem_rules.singularity_trap.state import State


def _sense(after: str) -> Step:
    def sense(draft: Draft) -> None:
        draft.sense(after)

    return sense


STEPS: Mapping[str, tuple[Step, ...]] = {
    "economic": (
        politics.declare,
        economy.income,
        economy.scrap,
        economy.maintain,
        economy.repair,
        economy.hide,
        economy.build,
        economy.close,
        _sense("economic"),
    ),
    "movement": (movement.move, _sense("movement")),
    "combat": (combat.fight_round,),
    "ownership": (combat.cease, ownership.capture, _sense("combat")),
    "ecopolitical": (ownership.terraform, politics.ally, politics.begin_turn),
}
"""The sections of a turn and the steps of each. "combat" is one round; "ownership" is its end and asks nobody."""


def resolve(state: State, turn: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Plays on from the section asked for to the next at which a player must be asked."""
    draft = Draft(state, turn.orders, dice)
    _leave(draft, turn)
    while draft.result is None:
        _play(draft)
        if draft.result is None:
            draft.section = _following(draft)
        if asked(draft):
            break
    awaited = frozenset() if draft.result else asked(draft)
    return draft.finished(awaited=awaited, told=_told(state, draft, awaited)), tuple(draft.events)


def _leave(draft: Draft, turn: TurnInput) -> None:
    """Who sent no sheet is told so; who resigned or was removed is gone before all else."""
    for seat in draft.playing:
        if seat in turn.removed:
            politics.leave(draft, seat, "removed")
        elif seat in turn.missing:
            draft.tell("no-sheet", seat)
    politics.resign(draft)
    politics.last_left(draft)


def _play(draft: Draft) -> None:
    for step in STEPS[draft.section]:
        step(draft)
        if draft.result is not None:
            return


def _following(draft: Draft) -> str:
    """The section after the one just played."""
    if draft.section in ("movement", "combat"):
        return "combat" if combat.contested(draft) else "ownership"
    return {"economic": "movement", "ownership": "ecopolitical", "ecopolitical": "economic"}[draft.section]


def asked(draft: Draft) -> frozenset[SeatName]:
    """The players who must send a sheet before the section can be played."""
    if draft.section == "ownership" or (draft.house.pace == "turn" and draft.section != "economic"):
        return frozenset()
    if draft.section == "combat":
        fights = combat.contested(draft).values()
        return frozenset(seat for ships in fights for seat in combat.choosers(draft, ships))
    return frozenset(draft.playing)


def _told(before: State, draft: Draft, awaited: frozenset[SeatName]) -> frozenset[SeatName]:
    """Who gets a report: all, but between rounds of combat only who was there, is asked, or left (ruling 19)."""
    if draft.result is not None:
        return frozenset(draft.seats)
    playing = frozenset(seat for seat in draft.seats if before.players[seat].playing)
    if before.section == draft.section == "combat":
        there = (event.audience for event in draft.events if event.kind == "combat")
        return awaited.union(playing.difference(draft.playing), *there)
    return playing
