"""The sheet mailed with a report, ready to be filled in and returned.

Nothing in it is an order before its player makes it one: each line is behind a
semicolon, and is accepted as it is, or with other values, once that is gone.
What it needs to know stands in the report, so there are no remarks; no line is
wider than one of mail.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from pbem_rules.singularity_trap.chart import closer
from pbem_rules.singularity_trap.choices import view_with
from pbem_rules.singularity_trap.courses import Powers, reach
from pbem_rules.singularity_trap.factions import certain
from pbem_rules.singularity_trap.orders import BOOK, View, others
from pbem_rules.singularity_trap.outlook import Outlook
from pbem_rules.singularity_trap.shorthand import powers_of
from pbem_rules.singularity_trap.space import board_of, distance, free_planets

WIDTH = 78

MANY = 12
"""Ships of which each has a line of its own; of more those of a type that are alike in a space share one."""

MOST_JOINED = 5
"""Ships on one line: a phone shows no more in a row, and no mail program breaks it."""


def template(view: View) -> list[str]:
    """Return the lines of the sheet: for each section asked for, the ships it concerns and orders to be completed."""
    if not view["awaited"]:
        return []
    parts = (part for section, part in _PARTS.items() if view["section"] in ("turn", section))
    return [f"; {line}" for part in parts for line in part(view)]


def _economic(view: View) -> Iterator[str]:
    left = view["points"] + view["income"] - view["upkeep"]
    # Others may lack an alliance of which the reader does not know; a headline speaks of those.
    yield from map(BOOK.line, certain(view))
    hurt = [ship["id"] for ship in _ships_with_upkeep(view) if ship["damage"] and left > 0]
    yield from (f"REPAIR {names}" for names in _joined(hurt, MOST_JOINED if len(view["ships"]) > MANY else 1))
    home = next((planet["space"] for planet in view["planets"] if planet["owner"] == view["seat"]), None)
    payable = [kind for kind in view["rules"]["types"] if kind["cost"] <= left]
    if home and payable:
        yield f"BUILD {max(payable, key=lambda kind: kind['cost'])['name']} AT {home}"


def _ships_with_upkeep(view: View) -> list[View]:
    """Return the own ships except those that will be scrapped for want of upkeep."""
    ships = Outlook(view, ()).ships
    return [ship for ship in view["ships"] if not ships[ship["id"]].gone]


def _movement(view: View) -> Iterator[str]:
    board, goals, fleet = board_of(view), set(free_planets(view).values()), Outlook(view, ()).ships
    exits = tuple((board.at(each["entry"]), board.at(each["exit"])) for each in view["charts"])
    many = len(view["ships"]) > MANY
    fleets: dict[tuple[str, Powers, str], list[str]] = {}
    for ship in _ships_with_upkeep(view):
        # Encounters are judged as movement begins (ruling 13): on the sheet of a whole turn one may still end before.
        if not (ship["encounter"] and view["section"] == "movement"):
            alike = (ship["space"], powers_of(fleet[ship["id"]]), ship["type" if many else "id"])
            fleets.setdefault(alike, []).append(ship["id"])
    for (space, powers, _), ships in fleets.items():
        start = board.at(space)
        if reached := reach(board, start, powers, exits):
            # The nearest planet to be taken, or the way there.
            _, goal = min(((distance(start, goal), goal) for goal in goals - {start}), default=(0, start))
            end = goal if goal in reached else min(reached, key=lambda space: (distance(space, goal), space))
            yield from (f"MOVE {names} TO {board.name(end)}" for names in _joined(ships, MOST_JOINED))


def move_of_built(view: View) -> str:
    """Return a MOVE of the ship that the BUILD of the sheet would make; "" without one."""
    build = next((line for line in _economic(view) if line.startswith("BUILD ")), "")
    kind, _, space = build.removeprefix("BUILD ").partition(" AT ")
    made = view_with(view, ("BUILD", kind, "AT", space, "AS", "NEW1")) if build else view
    return next(_movement({**made, "ships": made["ships"][:1]}), "") if build else ""


def _joined(names: Sequence[str], most: int) -> Iterator[str]:
    """Yield ships as a line names them, so many at the most on each."""
    return ("/".join(names[at : at + most]) for at in range(0, len(names), most))


def _combat(view: View) -> Iterator[str]:
    for combat in view["combats"]:
        yield from (f"FIRE {ship} AT {combat['enemies'][0]['id']}" for ship in combat["own"])
    types = list(reversed(view["rules"]["types"]))
    # Unarmed types come last in any case.
    names = " ".join(kind["name"] for kind in [kind for kind in types if kind["units"].get("weapons")] or types)
    yield "TARGET " + textwrap.shorten(names, WIDTH - len("; TARGET "), placeholder="")


def _ecopolitical(view: View) -> Iterator[str]:
    yield from _terraforming(view)
    for player in view["players"]:
        if view["rules"]["alliances"] and player["colour"] in others(view):
            yield f"ALLY {player['colour']} {'YES' if player['wish'] else 'NO'}"


def _terraforming(view: View) -> Iterator[str]:
    """Yield for each terraformer at an own planet what it would not do by itself (ruling 20)."""
    own = {planet["space"]: planet for planet in view["planets"] if planet["owner"] == view["seat"]}
    for ship in view["ships"]:
        able = any(unit["unit"] == "terraform" and unit["left"] for unit in ship["units"])
        if able and not ship["dark"] and not ship["moved"] and ship["space"] in own:
            options = closer(view["seat"], own[ship["space"]]["colour"])
            if len(options) > 1:
                yield f"TERRAFORM {ship['id']} TO {options[1]}"
            elif options and len(view["ships"]) <= MANY:
                yield f"TERRAFORM {ship['id']} NO"


_PARTS = {"economic": _economic, "movement": _movement, "combat": _combat, "ecopolitical": _ecopolitical}
