"""A chart as unlike the standard one as can be: small, flat, with ships of other kinds and the longest names."""

from __future__ import annotations

from typing import Any

from pbem_rules.singularity_trap.chart import COLOURS

HOMES = (("D1+2", "gray"), ("G1-2", "red"), ("G4+0", "blue"), ("D7+1", "green"), ("A7-1", "cyan"), ("A4+0", "red"))

CHART: dict[str, Any] = {
    "name": "other",
    "radius": 3,
    "levels": 2,
    "worth": [9, 6, 3, 0],
    "gray_worth": 1,
    "types": [
        {"name": "Superdreadnough", "letter": "D", "class": "capital ships of the line",
         "units": {"drive": 4, "weapons": 9, "armor": 12, "sensor": 2, "slip": 2, "jump": 2, "multifire": 1,
                   "terraform": 2, "system": 1}},
        {"name": "Mine", "letter": "M", "class": "fixed", "units": {"weapons": 1, "system": 1}},
        {"name": "Raider", "letter": "R", "class": "civil", "units": {"drive": 2, "weapons": 1, "system": 1}},
        {"name": "Tug", "letter": "T", "class": "civil", "units": {"drive": 1, "terraform": 1, "system": 1}},
    ],
    "planets": [
        *({"name": f"{home}-one", "space": space, "colour": colour, "home": home}
          for home, (space, colour) in zip(COLOURS, HOMES, strict=True)),
        {"name": "hub", "space": "D4+0", "colour": "magenta"},
        {"name": "above-the-hub-of-all", "space": "D4+1", "colour": "gray"},
        {"name": "x3", "space": "E4-2", "colour": "gray"},
    ],
}  # fmt: skip
