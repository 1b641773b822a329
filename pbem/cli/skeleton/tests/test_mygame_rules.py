"""The rules of My Game itself, a test for each."""

from pbem.ruleset import Dice, Event, TurnInput

from mygame import RULESET
from mygame.orders import Hide, Search
from mygame.state import Player, State

DICE = Dice(b"test")
"""With these, red finds blue."""


def played(*caves: int, **orders: tuple[Hide | Search, ...]) -> tuple[State, tuple[Event, ...]]:
    """Resolve a turn with the lanterns of red and blue in these caves."""
    red, blue = caves
    state = State(turn=1, turns=8, caves=12, players={"red": Player(red), "blue": Player(blue)})
    return RULESET.resolve(state, TurnInput(orders), DICE)


def test_a_lantern_found_is_a_point() -> None:
    """Rule 4: a seat that searches the right cave scores, and the owner is told which seat it was."""
    state, events = played(3, 4, red=(Search("4"),))

    assert state.players["red"].score == 1
    assert [(event.kind, event.data["by"]) for event in events if event.audience == {"blue"}] == [("found", "red")]


def test_lanterns_are_carried_before_anyone_searches() -> None:
    """Rule 3: a lantern that leaves in time is not found."""
    state, _ = played(3, 4, red=(Search("4"),), blue=(Hide("5"),))

    assert state.players["red"].score == 0


def test_a_second_order_of_a_kind_is_refused() -> None:
    """A second order of a kind is refused, and the receipt names its line."""
    state = RULESET.setup({}, ("red", "blue"), DICE)
    view = RULESET.view(state, "red", ())
    near = view["near"]

    parsed = RULESET.parse(view, [(1, f"HIDE IN {near[0]}"), (2, f"hide in {near[1]}")])

    assert [(finding.line, finding.code) for finding in parsed.errors] == [(2, "only-one")]
    assert parsed.orders == (Hide(near[0]),)
