"""The twelve ability cards of the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CATEGORIES = ("movement", "reactions", "special")


@dataclass(frozen=True, slots=True)
class AbilityCard:
    """An ability card: the word that players type, its title, its category and its effect."""

    key: str
    title: str
    category: str
    text: str


_ALL = (
    AbilityCard("drift", "Quantum Drift", "movement", "your Mari may move diagonally too"),
    AbilityCard("wormhole", "Wormhole Travel", "movement", "your Mari may step from an edge to the opposite edge"),
    AbilityCard(
        "resonance",
        "Bubble Resonance",
        "movement",
        "placing beside a space with a bubble of yours, you may add one of your colour",
    ),
    AbilityCard(
        "explorer", "Efficient Explorer", "movement", "you may move one space more and leave one without a bubble"
    ),
    AbilityCard("fusion", "Bubble Fusion", "reactions", "two bubbles of your colour are enough for a pop"),
    AbilityCard(
        "cascade",
        "Cascade Control",
        "reactions",
        "bubbles of your colour that a pop sends may go one space further",
    ),
    AbilityCard("harvest", "Energy Harvest", "reactions", "a chain of length 2 or more brings a bubble from the bag"),
    AbilityCard("amplifier", "Reaction Amplifier", "reactions", "your chains score as one longer"),
    AbilityCard("folder", "Space Folder", "special", "once a turn, rotate any card"),
    AbilityCard("attractor", "Singularity Attractor", "special", "once a turn, a node comes two spaces towards you"),
    AbilityCard("affinity", "Node Affinity", "special", "your chains beside nodes score 2 points more"),
    AbilityCard(
        "director", "Bubble Director", "special", "once a turn, move a bubble of your colour to the next space"
    ),
)

ABILITIES: Mapping[str, AbilityCard] = {ability.key: ability for ability in _ALL}
"""All ability cards by key."""


def deck(category: str) -> tuple[str, ...]:
    """Return the keys of a category's four cards."""
    return tuple(ability.key for ability in _ALL if ability.category == category)


def title(key: str) -> str:
    """Return a card's title with the word for it, such as "Quantum Drift (drift)"."""
    return f"{ABILITIES[key].title} ({key})"
