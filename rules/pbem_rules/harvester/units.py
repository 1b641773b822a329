"""The eleven units of a player and their ratings.

A unit is known by its slot: 0 is the Harvester, 1 to 10 its defence units. The
arrays here are indexed by slot.
"""

from __future__ import annotations

import numpy as np

SLOTS = 11
HARVESTER = 0
NAMES: tuple[str, ...] = ("H", "G", "L1", "L2", "S1", "S2", "S3", "C1", "C2", "C3", "C4")
"""The names of the units."""

KINDS = "HGLLSSSCCCC"
"""The kind of each slot, as one letter."""

KIND_NAMES: dict[str, str] = {"H": "Harvester", "G": "General", "L": "Lieutenant", "S": "Soldier", "C": "Scout"}

SCANNER = np.array([5, 4, 3, 3, 2, 2, 2, 1, 1, 1, 1], np.int64)
"""Scanner rating: hexes that a unit perceives; also the resources it leaves when destroyed and costs to rebuild."""

COMBAT = np.array([0, 4, 3, 3, 2, 2, 2, 1, 1, 1, 1], np.int64)
"""Combat ability; also the turns that a unit takes to rebuild."""

MOVE = np.array([1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4], np.int64)
"""Steps in a turn."""

NIMBLE = np.array([kind in "SC" for kind in KINDS])
"""True for units that may enter crags (ruling 10)."""

FARTHEST = 5
"""The best scanner rating."""

MOST_HELD = 20
"""Most resources that a Harvester holds, and most points for resources and for combat ability each."""

HARVESTER_WRECK = 5
"""Resources that a self-destroyed Harvester leaves."""

SLOT: dict[str, int] = {name: slot for slot, name in enumerate(NAMES)}
"""The slot of each name."""
