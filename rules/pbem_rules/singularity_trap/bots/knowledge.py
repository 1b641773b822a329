"""A bot's view, in forms that are easy to plan with."""

from __future__ import annotations

from dataclasses import dataclass

from pbem_rules.singularity_trap.chart import COLOURS, GRAY, wheel_distance
from pbem_rules.singularity_trap.orders import View
from pbem_rules.singularity_trap.space import Space, StarMap, board_of

UNKNOWN_STRENGTH = 3
"""Weapons supposed behind a mark of unknown ships."""


@dataclass(frozen=True, slots=True)
class Craft:
    """An own ship, or one just ordered built. `pinned` ships are in an encounter."""

    name: str
    type: str
    space: Space
    drive: int
    weapons: int
    slips: bool
    jumps: bool
    terraforms: bool
    dark: bool
    pinned: bool
    damage: int

    @property
    def mobile(self) -> bool:
        """True if it can be given a move."""
        return self.drive > 0 and not self.dark and not self.pinned


@dataclass(frozen=True, slots=True)
class World:
    """A planet as the bot sees it.

    `worth` is what it pays the bot, `lure` what it would pay the enemy that it pays
    most; `foe` is true if it is to be taken, and `spoils` what that is worth: the pay
    to the bot, and the loss to its owner.
    """

    space: Space
    written: str
    owner: str | None
    worth: int
    lure: int
    spoils: int
    mine: bool
    foe: bool


class Knowledge:
    """A view, arranged for planning.

    `strength` has the hostile weapons, seen or supposed, by space; `alarms` are all
    spaces where enemies are seen, or took a planet just now.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.me: str = view["seat"]
        self.board: StarMap = board_of(view)
        self.allies = {player["colour"] for player in view["players"] if player["ally"]}
        self.standing = {player["colour"]: player["planets"] for player in view["players"] if player["playing"]}
        self.enemies = sorted(self.standing.keys() - self.allies - {self.me})
        self.types = {kind["name"]: kind for kind in view["rules"]["types"]}
        self.exits = {self.board.at(chart["entry"]): self.board.at(chart["exit"]) for chart in view["charts"]}
        self.crafts = [self._craft(ship) for ship in view["ships"]]
        # A view tells what planets pay its reader; others are paid the same by their distance on the wheel.
        self._pays: dict[int, int] = {
            self._steps(self.me, planet["colour"]): planet["worth"] for planet in view["planets"]
        }
        self.worlds = [self._world(planet) for planet in view["planets"]]
        self.strength = self._strength()
        self.alarms = sorted({*self.strength, *self._raided()})

    def new_craft(self, name: str, kind: str, space: Space) -> Craft:
        """Return a ship as it will be when built."""
        units = self.types[kind]["units"]
        return self._make_craft(name, kind, space, units)

    def mine(self) -> list[World]:
        """Return the own planets."""
        return [world for world in self.worlds if world.mine]

    def foes(self) -> list[World]:
        """Return the planets to take: unowned, or of a player who is not an ally."""
        return [world for world in self.worlds if world.foe]

    def _steps(self, player: str, colour: str) -> int:
        # Gray has a number that no distance on the wheel has.
        return len(COLOURS) if colour == GRAY else wheel_distance(player, colour)

    def _pay(self, player: str, colour: str) -> int:
        """Return the pay of a planet of a colour to another player, as far as the pay of planets to the bot tells."""
        return self._pays.get(self._steps(player, colour), 1)

    def _world(self, planet: View) -> World:
        owner, colour = planet["owner"], planet["colour"]
        mine = owner == self.me
        foe = not mine and owner not in self.allies
        return World(
            space=self.board.at(planet["space"]),
            written=planet["space"],
            owner=owner,
            worth=planet["worth"],
            lure=max((self._pay(enemy, colour) for enemy in self.enemies), default=0),
            spoils=planet["worth"] + (self._pay(owner, colour) if owner and foe else 0),
            mine=mine,
            foe=foe,
        )

    def _craft(self, ship: View) -> Craft:
        left = {unit["unit"]: unit["left"] for unit in ship["units"]}
        return self._make_craft(ship["id"], ship["type"], self.board.at(ship["space"]), left, ship)

    def _make_craft(self, name: str, kind: str, space: Space, units: View, ship: View | None = None) -> Craft:
        return Craft(
            name=name,
            type=kind,
            space=space,
            drive=units.get("drive", 0),
            weapons=units.get("weapons", 0),
            slips=units.get("slip", 0) > 0,
            jumps=units.get("jump", 0) > 0,
            terraforms=units.get("terraform", 0) > 0,
            dark=bool(ship and ship["dark"]),
            pinned=bool(ship and ship["encounter"]),
            damage=ship["damage"] if ship else 0,
        )

    def _strength(self) -> dict[Space, int]:
        strength: dict[Space, int] = {}
        for contact in self.view["sensors"]["contacts"]:
            foes = [ship for ship in contact["ships"] if ship["owner"] not in self.allies]
            guess = sum(self.types[ship["type"]]["units"].get("weapons", 0) for ship in foes)
            if guess:
                strength[self.board.at(contact["space"])] = guess
        for written in self.view["sensors"]["unknown"]:
            strength[self.board.at(written)] = UNKNOWN_STRENGTH
        return strength

    def _raided(self) -> list[Space]:
        """Return where enemies took planets since the last report: each has a ship there, or had."""
        taken = (event for event in self.view["events"] if event["kind"] == "captured")
        return [self.board.at(event["space"]) for event in taken if event["now"] in self.enemies]
