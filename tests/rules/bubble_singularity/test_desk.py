"""The order form of a page, and the targets for taps on the board."""

from __future__ import annotations

from dataclasses import replace

from pbem.ruleset import Json, View
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.state import PendingChoice
from tests.rules.bubble_singularity.table import lay, new_game, view


def offered(seen: View) -> set[str]:
    """Return the orders of a form."""
    return {verb["name"] for verb in RULESET.desk(seen)["verbs"]}


def form(seen: View, order: str, at: int = 1) -> Json:
    """Return the pattern of a part of an order."""
    desk = RULESET.desk(seen)
    (part,) = (verb["parts"][at] for verb in desk["verbs"] if verb["name"] == order)
    return desk["kinds"][part["kind"]]["form"]


def test_a_start_is_offered_first() -> None:
    """During the set-up only a start, and which of two cards is kept, can be chosen."""
    seen = view(new_game(), "red")

    assert offered(seen) == {"start", "keep", "resign"}
    assert form(seen, "keep")["values"] == seen["players"]["red"]["offer"]


def test_a_turn_offers_what_the_cards_allow() -> None:
    """Uses of abilities are offered to holders of the cards; diagonal ways need Quantum Drift."""
    bare, holding = (view(lay(hand="rgbb", held=held), "blue") for held in ((), ("drift", "folder", "resonance")))

    assert not {"use-folder", "use-attractor", "use-director", "use-research", "start"} & offered(bare)
    assert "use-folder" in offered(holding)
    assert [("NE" in form(seen, "move")["values"]) for seen in (bare, holding)] == [False, True]
    assert form(bare, "bubbles")["values"] == ["red", "green", "blue", "none"]
    assert "blue+" in form(holding, "bubbles")["values"]


def test_pairs_are_offered_in_turn() -> None:
    """SEND takes colours and ways in turn."""
    assert [each["values"][0] for each in form(view(lay(hand="r"), "blue"), "send")["of"]] == ["red", "N"]
    assert form(view(lay(hand="r"), "blue"), "send")["type"] == "in-turn"


def test_a_station_is_offered_where_there_is_one() -> None:
    """A station's action is offered to all, its bonus to the controller alone."""
    state = lay(hand="rgbb", cards={"C2": "NESW transit"}, control={"transit": "blue"}, stations=True)

    assert {"use-teleport", "use-transfer"} <= offered(view(state, "blue"))
    assert "use-block" not in offered(view(state, "blue"))


def test_a_question_offers_its_answers() -> None:
    """Each answer is offered once, also if two bubbles are alike."""
    state = replace(lay(hand="r"), question=PendingChoice("bubbles", "blue", ("red", "red", "green")))

    assert offered(view(state, "blue")) == {"keep", "resign"}
    assert form(view(state, "blue"), "keep")["values"] == ["red", "green"]


def test_who_waits_may_leave() -> None:
    """A player who is not awaited is offered nothing but RESIGN."""
    assert offered(view(lay(hand="r"), "red")) == {"resign"}


def test_a_space_tells_what_lies_on_it() -> None:
    """The title of a space names its card, Mari, node and bubbles."""
    (picture,) = RULESET.pictures(view(lay(red="A2", hand="r", lying={"C2": "rrg"}, nodes=["C2"]), "blue"))
    told = {spot.names[0]: spot.title for spot in picture.spots}

    assert len(told) == 16
    assert told["C2"].endswith("a node, 1 green bubble, 2 red bubbles")
    assert "red's Mari" in told["A2"]
