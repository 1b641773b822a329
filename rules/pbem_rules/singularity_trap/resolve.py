"""Resolution of a turn: the steps of the rulebook, in order, for both paces (ruling 24).

With pace "turn" all sections run at once; with pace "section" each waits for
its own sheets, and each round of combat for the players who have a choice in it.
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
        # Declarations are judged before the section, and that start of turn counts (ruling 22).
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
"""The sections of a turn and the steps of each. "combat" is one round; "ownership" is its end, without orders."""


def resolve(state: State, turn: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Play on from the open section to the next at which a player must be asked."""
    draft = Draft(state, turn.orders, dice)
    _leave(draft, turn)
    while draft.result is None:
        _play(draft)
        if draft.result is None:
            draft.section = _following(draft)
        if required_seats(draft):
            break
    awaited = frozenset() if draft.result else required_seats(draft)
    return draft.finished(awaited=awaited, told=_report_readers(state, draft, awaited)), tuple(draft.events)


def _leave(draft: Draft, turn: TurnInput) -> None:
    """Tell players that no sheet of theirs came, and take out those who resigned or were removed."""
    for seat in draft.playing:
        if seat in turn.removed:
            politics.leave(draft, seat, "removed")
        elif seat in turn.missing:
            draft.tell("no-sheet", seat)
    # Resignations go before everything else (ruling 35).
    politics.resign(draft)
    politics.last_left(draft)


def _play(draft: Draft) -> None:
    for step in STEPS[draft.section]:
        step(draft)
        if draft.result is not None:
            return


def _following(draft: Draft) -> str:
    """Return the section after the one just played."""
    # Rounds are fought until no ship there can fire at another (ruling 16).
    if draft.section in ("movement", "combat"):
        return "combat" if combat.contested(draft) else "ownership"
    return {"economic": "movement", "ownership": "ecopolitical", "ecopolitical": "economic"}[draft.section]


def required_seats(draft: Draft) -> frozenset[SeatName]:
    """Return the players who must send a sheet before the section can be played."""
    # At pace "turn" one sheet covers all sections (ruling 24).
    if draft.section == "ownership" or (draft.house.pace == "turn" and draft.section != "economic"):
        return frozenset()
    if draft.section == "combat":
        # A round is asked for only of players with a choice of targets (ruling 24).
        fights = combat.contested(draft).values()
        return frozenset(seat for ships in fights for seat in combat.choosers(draft, ships))
    # All players are asked, so that being asked, or not, tells nothing of what others have (ruling 37).
    return frozenset(draft.playing)


def _report_readers(before: State, draft: Draft, awaited: frozenset[SeatName]) -> frozenset[SeatName]:
    """Return the players who get a report now."""
    if draft.result is not None:
        return frozenset(draft.seats)
    playing = frozenset(seat for seat in draft.seats if before.players[seat].playing)
    # Between rounds reports go to those who were there, are asked, or have left (ruling 19).
    if before.section == draft.section == "combat":
        there = (event.audience for event in draft.events if event.kind == "combat")
        return awaited.union(playing.difference(draft.playing), *there)
    return playing
