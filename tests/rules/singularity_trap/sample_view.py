"""Views made by hand: a full middle game, a fight in it and a bare first turn, for any of the six seats.

The middle game is written down for red. The board looks the same from every
home (ruling 4), so another seat's view is red's, turned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pbem_rules.singularity_trap.chart import COLOURS, GRAY, UNITS, letter_of, standard_chart

CHART = standard_chart()
RADIUS = CHART.board.radius
HELD = {
    "red": "red-home red-gate red-left red-right red-inner red-rim magenta-rim yellow-left",
    "yellow": "yellow-home yellow-gate yellow-inner",
    "green": "green-home green-gate green-inner green-right green-rim yellow-rim",
    "cyan": "cyan-home cyan-gate cyan-inner cyan-rim centre",
    "blue": "blue-home blue-gate blue-inner",
    "magenta": "",
}
HOMES = {colour: f"{colour}-home" for colour in COLOURS}
TERRAFORMED = {"red-gate": "blue"}

_SPACE = re.compile(r"\b([A-S])(\d+)([+-]\d+)")
_SHIP = re.compile(r"\b([RYGCBM])(\d{3})\b")
_COLOUR = re.compile(r"\b(" + "|".join(COLOURS) + r")\b")


def sample_view(seat: str = "red") -> dict[str, Any]:
    """Return a rich middle game: twenty ships, contacts, a battle, charts, a faction and every kind of event."""
    return _seated(_middle_game(), seat)


def fight_view(seat: str = "red") -> dict[str, Any]:
    """Return the middle game in the midst of its combat section: the reader is asked to fire."""
    asked = {"label": "turn 7, combat round 2", "section": "combat", "round": 2, "combats": [FIGHT]}
    return _seated(_middle_game() | asked, seat)


def empty_view(seat: str = "red") -> dict[str, Any]:
    """Return the first turn: one planet, no ships, nothing seen, nothing happened."""
    return _seated(_first_turn(), seat)


def turn(value: Any, steps: int) -> Any:
    """Return the same data seen from the home `steps` places clockwise: spaces, colours and ships turned along."""
    if isinstance(value, dict):
        return {turn(key, steps): turn(inner, steps) for key, inner in value.items()}
    if isinstance(value, list):
        return [turn(inner, steps) for inner in value]
    return _turn_text(value, steps) if isinstance(value, str) else value


def _seated(view: dict[str, Any], seat: str) -> dict[str, Any]:
    turned: dict[str, Any] = turn(view, COLOURS.index(seat))
    players = [player | {"letter": letter_of(player["colour"])} for player in turned["players"]]
    players.sort(key=lambda player: COLOURS.index(player["colour"]))
    planets = sorted(turned["planets"], key=lambda planet: str(planet["space"]))
    return turned | {"players": players, "planets": planets}


def _turn_text(text: str, steps: int) -> str:
    text = _SPACE.sub(lambda match: _turn_space(match, steps), text)
    text = _SHIP.sub(lambda match: letter_of(_after(_owner(match[1]), steps)) + match[2], text)
    return _COLOUR.sub(lambda match: _after(match[1], steps), text)


def _turn_space(match: re.Match[str], steps: int) -> str:
    space = CHART.board.read(match[0])
    assert space is not None, match[0]
    q, r, level = space
    for _ in range(steps):
        q, r, level = -r, q + r, -level
    return CHART.board.name((q, r, level))


def _after(colour: str, steps: int) -> str:
    return COLOURS[(COLOURS.index(colour) + steps) % len(COLOURS)]


def _owner(letter: str) -> str:
    return next(colour for colour in COLOURS if letter_of(colour) == letter)


def _middle_game() -> dict[str, Any]:
    faction = {"kind": "faction", "members": ["green", "cyan"], "dominant": None, "held": 1}
    return {
        "seat": "red",
        "label": "turn 7",
        "over": False,
        "awaited": True,
        "turn": 7,
        "section": "turn",
        "round": 0,
        "points": 14,
        "income": 28,
        "upkeep": 20,
        "players": _players(HELD, ally="cyan"),
        "planets": _planets(HELD, TERRAFORMED),
        "ships": _ships(),
        "sensors": SENSORS,
        "charts": [
            {"entry": "J1+9", "exit": "D13-4"},
            {"entry": "J4+6", "exit": "P8+2"},
            {"entry": "M4+0", "exit": "J10+0"},
        ],
        "faction": None,
        "factions": [faction],
        "combats": [],
        "rules": _rules(),
        "events": EVENTS,
        "result": None,
        "memory": MEMORY,
    }


def _first_turn() -> dict[str, Any]:
    return _middle_game() | {
        "label": "turn 1",
        "turn": 1,
        "points": 5,
        "income": 5,
        "upkeep": 0,
        "players": _players(HOMES),
        "planets": _planets(HOMES, {}),
        "ships": [],
        "sensors": {"contacts": [], "unknown": [], "allied": []},
        "charts": [],
        "factions": [],
        "events": [],
        "memory": {"scores": _scores([1]), "last_known": [], "shown": [], "stood": {}, "stand": {}},
    }


def _scores(planets: Sequence[int]) -> dict[str, Any]:
    return {"of": "planets", "by": "turn", "turns": [[number, held] for number, held in enumerate(planets, 1)]}


def _players(held: Mapping[str, str], ally: str | None = None) -> list[dict[str, Any]]:
    return [
        {
            "colour": colour,
            "letter": letter_of(colour),
            "playing": bool(planets),
            "planets": len(planets.split()),
            "ally": colour == ally,
            "wish": ally is not None and colour in (ally, "green"),
            "held": 0,
        }
        for colour, planets in held.items()
    ]


def _planets(held: Mapping[str, str], changed: Mapping[str, str]) -> list[dict[str, Any]]:
    owners = {name: owner for owner, names in held.items() for name in names.split()}
    colours = {site.name: changed.get(site.name, site.colour) for site in CHART.sites}
    return [
        {
            "space": CHART.board.name(site.space),
            "name": site.name,
            "colour": colours[site.name],
            "owner": owners.get(site.name),
            "worth": CHART.worth_to("red", colours[site.name]),
        }
        for site in CHART.sites
    ]


def _rules() -> dict[str, Any]:
    return {
        "planets_to_win": 25,
        "turns_to_hold": 3,
        "faction_sizes": {"2": 0, "3": 0, "4": 2, "5": 2, "6": 3},
        "largest_faction": 3,
        "empire_planets": 13,
        "alliances": True,
        "pace": "turn",
        "radius": RADIUS,
        "levels": CHART.board.levels,
        "colours": list(COLOURS),
        "gray": GRAY,
        "types": [
            {
                "name": kind.name,
                "letter": kind.letter,
                "ship_class": kind.ship_class,
                "units": {unit: count for unit, count in zip(UNITS, kind.units, strict=True) if count},
                "cost": kind.cost,
            }
            for kind in CHART.types
        ],
    }


def ship(name: str, type_: str, space: str, **state: Any) -> dict[str, Any]:
    """Return an own ship. `lost` are its damaged units; `moved` and `encounter` as in the view."""
    lost: Mapping[str, int] = state.get("lost", {})
    full = dict(zip(UNITS, CHART.type_by_name[type_].units, strict=True))
    return {
        "id": name,
        "type": type_,
        "space": space,
        "dark": lost.get("system", 0) > 0,
        "moved": state.get("moved", False),
        "encounter": state.get("encounter", False),
        "damage": sum(lost.values()),
        "units": [
            {"unit": unit, "left": count - lost.get(unit, 0), "full": count} for unit, count in full.items() if count
        ],
    }


def _ships() -> list[dict[str, Any]]:
    return [
        ship("R118", "Cruiser", "J4+6", moved=True),
        ship("R251", "Scout", "J1+9", lost={"system": 1}),
        ship("R274", "Cruiser", "M4+0", lost={"armor": 2, "weapons": 1}, encounter=True),
        ship("R310", "Cruiser", "M4+0", encounter=True),
        ship("R333", "Scout", "J7-2", moved=True),
        ship("R377", "Cruiser", "M4+0", moved=True, encounter=True),
        ship("R402", "Scout", "J7+0", moved=True, encounter=True),
        ship("R472", "Terraformer", "J4+6"),
        ship("R505", "Cruiser", "J7+3"),
        ship("R519", "Cruiser", "J7+3"),
        ship("R566", "Scout", "J10+0", moved=True),
        ship("R588", "Terraformer", "G7+0"),
        ship("R604", "Scout", "G7+0"),
        ship("R647", "Cruiser", "J4+6", moved=True),
        ship("R690", "Scout", "M1+6"),
        ship("R731", "Terraformer", "G4+6"),
        ship("R790", "Scout", "D13-4", moved=True),
        ship("R815", "Cruiser", "M4+0", lost={"armor": 2, "weapons": 2, "drive": 1, "multifire": 1, "system": 1}),
        ship("R903", "Basestar", "J1+9"),
        ship("R977", "Terraformer", "M1+6", lost={"terraform": 1}),
    ]


def _seen(name: str, type_: str, damage: int = 0) -> dict[str, Any]:
    return {"id": name, "owner": _owner(name[0]), "type": type_, "damage": damage}


SENSORS: dict[str, Any] = {
    "contacts": [
        {"space": "J10+0", "ships": [_seen("C220", "Cruiser"), _seen("G101", "Scout")]},
        {"space": "J7+0", "ships": [_seen("M860", "Basestar", 4)]},
        {"space": "M4+0", "ships": [_seen("Y512", "Cruiser", 3), _seen("Y640", "Scout")]},
    ],
    "unknown": ["D12-4", "J8+1", "K10-1", "M1+5", "M3+1", "M4+1", "N4-1"],
    "allied": [
        {"owner": "cyan", "space": "J10+0"},
        {"owner": "cyan", "space": "J13-3"},
        {"owner": "cyan", "space": "J16-6"},
        {"owner": "cyan", "space": "J19-9"},
    ],
}


def sighting(space: str, number: int, when: str = "", **facts: Any) -> dict[str, Any]:
    """Return a sighting of a turn: of a ship with id, owner, type and damage, of an ally's fleet with its owner."""
    return {"space": space, "turn": number, "when": when, **facts}


MEMORY: dict[str, Any] = {
    "scores": _scores([1, 2, 4, 5, 7, 7, 8]),
    "last_known": [
        sighting("M13+0", 3, **_seen("M219", "Basestar")),
        sighting("M13+0", 3, **_seen("M220", "Basestar", 2)),
        sighting("H12-3", 5),
        sighting("K2+8", 6, "before movement"),
        sighting("G16+0", 6, "before movement", owner="green"),
        sighting("N4-2", 6, "after movement", **_seen("Y655", "Cruiser", 1)),
        sighting("D7-6", 6, "combat round 2", **_seen("G101", "Scout")),
        sighting("D13-4", 6, "after combat", **_seen("B333", "Cruiser")),
    ],
    "shown": [],
    "stood": {"R118": "J2+9", "R566": "M4+0", "R647": "J4+6"},
    "stand": {},
}
"""Red's knowledge from former reports; `shown` and `stand` are of use to the report after alone."""


def _shot(by: str, at: str, die: int, unit: str | None = None) -> dict[str, Any]:
    need, of = (4, 9) if by[0] == "R" else (5, 9)
    return {"by": by, "at": at, "need": need, "of": of, "die": die, "hit": die <= need, "unit": unit}


def _fighter(name: str, type_: str, weapons: int, armor: int, damage: int = 0) -> dict[str, Any]:
    own = {"weapons": weapons, "armor": armor} if name[0] == "R" else {}
    return _seen(name, type_, damage) | own


_COMBATS: list[dict[str, Any]] = [
    {
        "kind": "combat",
        "space": "M4+0",
        "round": 1,
        "ships": [
            _fighter("R274", "Cruiser", 2, 1, 1),
            _fighter("R815", "Cruiser", 2, 0, 2),
            _fighter("Y512", "Cruiser", 2, 2),
            _fighter("Y640", "Scout", 1, 0),
            _fighter("Y655", "Cruiser", 2, 2),
        ],
        "shots": [
            _shot("R274", "Y512", 1),
            _shot("R274", "Y512", 4),
            _shot("R815", "Y655", 9),
            _shot("R815", "Y655", 2),
            _shot("Y512", "R274", 5, "armor"),
            _shot("Y512", "R274", 3, "weapons"),
            _shot("Y640", "R815", 2, "weapons"),
            _shot("Y655", "R815", 1, "system"),
            _shot("Y655", "R815", 2, "drive"),
        ],
        "lost": [{"ship": "R815", "how": "dark"}],
    },
    {
        "kind": "combat",
        "space": "M4+0",
        "round": 2,
        "ships": [
            _fighter("R274", "Cruiser", 1, 0, 3),
            _fighter("Y512", "Cruiser", 2, 0, 2),
            _fighter("Y640", "Scout", 1, 0),
            _fighter("Y655", "Cruiser", 2, 1, 1),
        ],
        "shots": [
            _shot("R274", "Y655", 3),
            _shot("Y512", "R274", 8),
            _shot("Y512", "R274", 7),
            _shot("Y640", "R274", 6),
            _shot("Y655", "R274", 9),
        ],
        "lost": [{"ship": "Y655", "how": "vanished"}],
    },
]

FIGHT: dict[str, Any] = {
    "space": "M4+0",
    "round": 2,
    "own": ["R274", "R310", "R377"],
    "enemies": [_seen("Y512", "Cruiser", 3), _seen("Y640", "Scout")],
    "shots": 6,
}

_EARLIER: dict[str, Any] = {
    "contacts": [{"space": "M4-1", "ships": [_seen("Y512", "Cruiser", 0)]}],
    "unknown": ["M4+2"],
    "allied": [{"owner": "cyan", "space": "J19-8"}],
}

EVENTS: list[dict[str, Any]] = [
    {"kind": "no-sheet"},
    {"kind": "income", "points": 28, "planets": 8, "saved": 9},
    {"kind": "scrapped", "ship": "R140", "type": "Scout", "space": "J1+9", "why": "order"},
    {"kind": "scrapped", "ship": "R141", "type": "Scout", "space": "J1+9", "why": "unpaid"},
    {"kind": "maintained", "ships": 20, "cost": 20},
    {"kind": "repaired", "ship": "R274", "units": ["weapons", "armor"], "cost": 2},
    {"kind": "hidden", "ship": "R251"},
    {"kind": "built", "ship": "R690", "type": "Scout", "space": "M1+6", "cost": 6},
    {"kind": "saved", "points": 14},
    {"kind": "refused", "line": "BUILD Basestar AT J4+6", "why": "a Basestar costs 15 and 2 points were left"},
    {
        "kind": "moved",
        "ship": "R118",
        "legs": [{"how": "slip", "space": "J3+8"}, {"how": "warp", "space": "J3+7"}, {"how": "warp", "space": "J4+6"}],
        "end": "J4+6",
    },
    {"kind": "moved", "ship": "R566", "legs": [{"how": "jump", "space": "J10+0"}], "end": "J10+0"},
    {"kind": "moved", "ship": "R647", "legs": [{"how": "stay", "space": "J4+6"}], "end": "J4+6"},
    {"kind": "stopped", "ship": "R377", "space": "M4+0", "why": "static"},
    {"kind": "stopped", "ship": "R790", "space": "D13-4", "why": "invalid"},
    {"kind": "charted", "entry": "M4+0", "exit": "J10+0"},
    {"kind": "sensed", "after": "economic", **_EARLIER},
    {"kind": "sensed", "after": "movement", **SENSORS},
    {"kind": "sensed", "after": "combat", **SENSORS},
    *_COMBATS,
    {"kind": "captured", "space": "M4+0", "name": "red-rim", "was": "yellow", "now": "red"},
    {"kind": "captured", "space": "J10+0", "name": "centre", "was": None, "now": "cyan"},
    {"kind": "captured", "space": "P1-6", "name": "yellow-right", "was": "green", "now": None},
    {"kind": "terraformed", "space": "J4+6", "name": "red-gate", "was": "cyan", "now": "blue"},
    {"kind": "alliance", "who": "cyan", "on": True},
    {"kind": "alliance", "who": "green", "on": False},
    {"kind": "declared", "kind_of": "faction", "members": ["green", "cyan"], "dominant": None},
    {"kind": "declared", "kind_of": "empire", "members": ["green", "cyan", "blue"], "dominant": "green"},
    {"kind": "faction-held", "members": ["green", "cyan"], "held": 2, "needed": 3},
    {"kind": "dissolved", "members": ["green", "cyan", "blue"], "why": "green and blue are no longer allied"},
    {"kind": "holding", "who": "yellow", "held": 1, "needed": 3},
    {"kind": "resigned", "who": "magenta", "how": "eliminated"},
    {"kind": "victory", "winners": ["green", "cyan"], "reason": "their faction held 25 planets for 3 turns"},
]
"""One event of every kind at least, in the order in which a turn tells them."""
