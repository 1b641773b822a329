"""The views by which lines of `words.txt` are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pbem.ruleset import SeatName, View
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.state import PendingChoice, State
from tests.rules.bubble_singularity.table import lay, new_game, view
from tests.rules.wordlist import Reader

CARDS = ("drift", "cascade", "resonance", "folder", "attractor", "director")


def turning() -> State:
    """Build blue's turn on C3 with four bubbles, red and green ones north of it, and no abilities."""
    return lay(hand="rgbb", lying={"C2": "rg"}, nodes=["B1", "D2"])


def holding() -> State:
    """Build the same with more ability cards than a player can hold, and blue bubbles to use them on."""
    return lay(red="A2", hand="rgbb", held=CARDS, lying={"C1": "b", "C2": "rg", "D3": "b"}, nodes=["B1", "D2"])


def at_station(kind: str) -> State:
    """Build blue's turn one step south of a station that blue controls."""
    lying = {"C1": "rb", "C2": "r", "B2": "g"}
    return lay(hand="rgbb", cards={"C2": f"NESW {kind}"}, control={kind: "blue"}, lying=lying, stations=True)


def asked(kind: str, *choices: str) -> State:
    """Build a question to blue."""
    return replace(turning(), question=PendingChoice(kind, "blue", choices))


def setting_up() -> State:
    """Build red's choice of a start and of one of two cards."""
    state = new_game(2)
    return replace(state, players={**state.players, "red": replace(state.players["red"], offer=("drift", "folder"))})


def _of(state: State, seat: SeatName = "blue") -> Callable[[], View]:
    return lambda: view(state, seat)


VIEWS: Mapping[str, Callable[[], View]] = {
    "turn": _of(turning()),
    "cards": _of(holding()),
    **{kind: _of(at_station(kind)) for kind in ("research", "transit", "energy", "defense")},
    "card": _of(asked("card", "fusion", "drift")),
    "replace": _of(asked("replace", "explorer", "drift")),
    "bubbles": _of(asked("bubbles", "red", "blue", "green")),
    "set-up": _of(setting_up(), "red"),
    "waiting": _of(turning(), "red"),
}

READER = Reader(RULESET, VIEWS)
