"""The events of Harvester: every kind, its data, and the players who see it.

A view's `events` list holds `{"kind": …, **data}`. Units have the names that their player
uses ("S2"), `who` and `by` are seats, and `q`, `r` are coordinates of the reader's own chart,
so that every reader has an event of their own.

| kind | data | heard by |
|---|---|---|
| missed | turns (in a row), limit | its player |
| out | who, why ("order", "silence", "removed") | its player, and all who ruled it |
| scrapped | unit, q, r, left (resources) | its player |
| dropped | amount, q, r | its player |
| refused | line (the order as a line), why (one sentence) | its player |
| built | unit, q, r | its player |
| blocked | unit, q, r (where it stays), why ("crags", "ruler", "harvester") | its player |
| arrived | q, r | the Harvester's player |
| nothing-there | q, r (the target, where nothing is) | the Harvester's player |
| fought | impulse, q, r (the hex, or the border's hex on the hearer's side), border (bool), outcome ("won", "lost", "tied"), strength (of the hearer's side), best (the highest strength of a side), winners (the players on the winning side; none if tied), enemies (seats and the kinds of their units, "bob HGSS, cyd C"), lost (units, "L1 S2") | each player with units in it |
| conquered | by | the player whose Harvester it is |
| won-over | who, by | all who now rule it and did not |
| lost-hold | who | all who no longer rule it, but are still in play |
| freed | – | a player whose rulers are all gone |
| passed | to | a player whose direct ruler is gone, but not the one above |
| gathered | amount, held | the Harvester's player |
| ended | winner (null: nobody is left) | all |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pbem.ruleset import Event, SeatName

SILENCE_LIMIT = 7
"""Turns in a row without a sheet after which a player is out (ruling 11)."""


def by_seat(events: Iterable[Event], seats: Iterable[SeatName]) -> Mapping[SeatName, list[Event]]:
    """Return the events that each of the seats may see, from one pass over all events."""
    told: dict[SeatName, list[Event]] = {seat: [] for seat in seats}
    for event in events:
        for seat in event.audience:
            if seat in told:
                told[seat].append(event)
    return told
