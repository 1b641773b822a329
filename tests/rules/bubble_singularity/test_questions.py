"""Questions between turns: cards of nodes, full categories, bubbles of the research station."""

from __future__ import annotations

import dataclasses

import pytest

from pbem.ruleset import Dice, TurnInput
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.state import PendingChoice, State
from tests.rules.bubble_singularity.table import Played, codes, lay, miss, play, read, refused, view

NODE_POP = {"C3": "rr", "C2": "g"}


def stacked(state: State, **decks: str) -> State:
    """Put cards on top of the decks."""
    return dataclasses.replace(
        state,
        decks={
            category: (
                *decks.get(category, "").split(),
                *(card for card in cards if card not in decks.get(category, "").split()),
            )
            for category, cards in state.decks.items()
        },
    )


def asked(held: list[str], *, draw: str = "DRAW movement reactions", pops: int = 1, line: str = "") -> Played:
    """Pop a node of blue, with drift and fusion on top of the decks, explorer and harvest below."""
    nodes = ["C3", "D3"][:pops]
    lying = NODE_POP | ({"D3": "rr"} if pops > 1 else {})
    state = lay(hand="", nodes=nodes, held=held, lying=lying, cards={"C3": "NES", "D3": "NSW"})
    state = stacked(state, movement="drift explorer", reactions="fusion harvest")
    return play(state, "PULL N", *filter(None, [draw, line]))


def test_a_pop_on_a_node_draws_two_cards() -> None:
    """Two cards are drawn from the decks, and the same player is asked before the next one moves."""
    after = asked([])

    assert after.told("drawn") == [{"who": "blue", "cards": ["drift", "fusion"]}]
    assert RULESET.standing(after.state).awaiting == {"blue"}
    assert view(after.state, "red")["question"] == {"kind": "card", "seat": "blue", "choices": ["drift", "fusion"]}


@pytest.mark.parametrize(
    ("kept", "category", "other"), [("fusion", "movement", "drift"), ("drift", "reactions", "fusion")]
)
def test_one_card_is_kept_and_the_other_goes_below_its_deck(kept: str, category: str, other: str) -> None:
    """KEEP chooses; the card not chosen is returned to the bottom of its deck, and the next player moves."""
    after = play(asked([]).state, f"KEEP {kept}")

    assert after.player().cards == (kept,)
    assert after.state.decks[category][-1] == other
    assert RULESET.standing(after.state).awaiting == {"red"}


def test_by_default_the_first_drawn_is_kept() -> None:
    """Without an answer, or with an empty sheet, the first card drawn is kept."""
    assert miss(asked([]).state).player().cards == ("drift",)
    assert play(asked([]).state).player().cards == ("drift",)
    assert codes(read(asked([]).state)) == [(0, "no-answer")]


def test_without_wishes_the_lot_decides_the_decks() -> None:
    """Without DRAW the two cards come from decks by lot."""
    drawn = {tuple(asked([], draw="").told("drawn")[0]["cards"])} | {
        tuple(play(lay(hand="", nodes=["C3"], lying=NODE_POP), "PULL N", seed=bytes([seed])).told("drawn")[0]["cards"])
        for seed in range(12)
    }

    assert len(drawn) > 2


@pytest.mark.parametrize(("kept", "returned"), [("drift", "wormhole"), ("wormhole", "drift")])
def test_the_card_held_stays_or_is_replaced(kept: str, returned: str) -> None:
    """Of two cards of a category either may be kept; the other goes below its deck."""
    after = play(asked(["wormhole"]).state, f"KEEP {kept}")

    assert after.player().cards == (kept,)
    assert after.state.decks["movement"][-1] == returned
    assert RULESET.standing(after.state).awaiting == {"red"}


def test_by_default_a_new_card_replaces_the_one_held() -> None:
    """At the deadline the new card of a full category stays, without a further mail."""
    after = miss(asked(["wormhole"]).state)

    assert after.player().cards == ("drift",)
    assert RULESET.standing(after.state).awaiting == {"red"}


def test_there_is_never_more_than_one_card_of_a_category() -> None:
    """A player with a card of each category still holds three after any choice."""
    after = play(asked(["wormhole", "amplifier", "folder"]).state, "KEEP fusion amplifier")

    assert after.player().cards == ("wormhole", "fusion", "folder")


@pytest.mark.parametrize(("line", "card"), [("KEEP drift wormhole", "drift"), ("KEEP wormhole drift", "wormhole")])
def test_one_line_answers_both_questions(line: str, card: str) -> None:
    """A KEEP that names both cards of the category, best first, spares a further mail."""
    after = play(asked(["wormhole"]).state, line)

    assert after.player().cards == (card,)
    assert after.state.question is None


@pytest.mark.parametrize(
    ("line", "cards"), [("KEEP drift harvest", ("drift", "harvest")), ("KEEP fusion explorer", ("explorer", "fusion"))]
)
def test_all_choices_of_a_turn_are_one_question(line: str, cards: tuple[str, ...]) -> None:
    """Two pops on nodes draw two pairs at once, and one line answers for both (ruling 26)."""
    state = asked([], pops=2).state
    after = play(state, line)

    assert [question.choices for question in state.questions] == [("drift", "fusion"), ("explorer", "harvest")]
    assert after.player().cards == cards
    assert RULESET.standing(after.state).awaiting == {"red"}


def test_bubbles_and_cards_are_one_question() -> None:
    """Bubbles of the research station and cards of a node are asked for together, and answered in one line."""
    bubbles, cards = (
        PendingChoice("bubbles", "blue", ("red", "blue", "green")),
        PendingChoice("card", "blue", ("drift", "fusion")),
    )
    state = dataclasses.replace(asked([]).state, question=bubbles, further=(cards,))
    after = play(state, "KEEP green blue fusion")

    assert (after.hand(), after.player().cards) == ("gb", ("fusion",))
    assert codes(read(state, "KEEP green blue")) == [(0, "no-answer")]
    assert (miss(state).hand(), miss(state).player().cards) == ("rb", ("drift",))


def test_of_what_an_answer_leaves_to_choose_the_new_card_is_kept() -> None:
    """A card named replaces the one held in its category, unless the line names that one first (ruling 26)."""
    state = asked(["wormhole"], pops=2).state

    assert play(state, "KEEP drift harvest").player().cards == ("drift", "harvest")
    assert play(state, "KEEP wormhole drift harvest").player().cards == ("wormhole", "harvest")
    assert play(state, "KEEP drift explorer").player().cards == ("drift",)
    assert [found.code for found in read(state, "KEEP drift harvest").findings] == ["replaces"]


@pytest.mark.parametrize(("line", "cards"), [("", ("explorer",)), ("KEEP wormhole", ("wormhole",))])
def test_at_the_deadline_a_new_card_replaces_the_one_held(line: str, cards: tuple[str, ...]) -> None:
    """A new card replaces the one held, also one of the pair before, unless the standing list names the one held.

    An empty sheet does the same.
    """
    state = asked(["wormhole"], pops=2, line=line).state

    assert [question.choices[0] for question in state.questions] == ["drift", "explorer"]
    assert (miss(state).player().cards, play(state).player().cards) == (cards, cards)


def test_a_turns_sheet_may_answer_beforehand() -> None:
    """With a MOVE or PULL, a KEEP line that names all the choices answers at once."""
    after = asked([], line="KEEP harvest fusion drift")

    assert after.player().cards == ("fusion",)
    assert RULESET.standing(after.state).awaiting == {"red"}


def test_a_turns_sheet_that_names_too_little_is_asked() -> None:
    """A list that does not name all the choices leaves the question open."""
    assert asked([], line="KEEP fusion explorer").state.question is not None


def test_a_keep_stands_until_another_is_sent() -> None:
    """A KEEP written with a turn answers in its player's later turns too; a list of one card asks again (ruling 26)."""
    kept = {"blue": ("harvest", "fusion", "drift")}
    listed = stacked(lay(hand="", nodes=["C3"], lying=NODE_POP), movement="drift", reactions="fusion")
    state = dataclasses.replace(listed, lists=kept)

    assert play(listed, "ROTATE CW", "KEEP harvest fusion drift").state.lists == kept
    assert play(state, "PULL N", "DRAW movement reactions").player().cards == ("fusion",)
    assert play(state, "PULL N", "DRAW movement reactions", "KEEP fusion").state.question is not None


def test_a_list_of_colours_leaves_the_cards() -> None:
    """A KEEP of colours alone replaces the colours of the standing list and leaves its cards (ruling 26)."""
    state = dataclasses.replace(lay(), lists={"blue": ("fusion", "red", "drift")})

    assert play(state, "ROTATE CW", "KEEP green blue").state.lists == {"blue": ("green", "blue", "fusion", "drift")}


@pytest.mark.parametrize(("words", "kept"), [("green red blue", "gg"), ("green red", "rg"), ("red green", "rg")])
def test_colours_are_two_bubbles_or_a_ranking(words: str, kept: str) -> None:
    """Two colours are the two bubbles kept; more are a ranking, of which the best may be kept twice (ruling 26)."""
    state = lay(blue="B1", red="C2", hand="b", bag="rgg", stations=True)
    listed = play(dataclasses.replace(state, lists={"blue": tuple(words.split())}), "MOVE W", "USE RESEARCH")
    mailed = play(play(state, "MOVE W", "USE RESEARCH").state, f"KEEP {words}")

    assert (listed.state.question, listed.hand(), mailed.hand()) == (None, kept, kept)


def test_a_card_held_may_be_kept_by_mail() -> None:
    """An answer that names only the card held keeps it, as a list with that card does (ruling 26)."""
    after = play(asked(["wormhole"]).state, "KEEP wormhole")

    assert after.player().cards == ("wormhole",)


def test_only_what_is_offered_can_be_kept() -> None:
    """A KEEP of other cards is refused with those offered."""
    assert refused(asked([]).state, "KEEP folder") == (
        "not-offered",
        "none of these cards is offered; KEEP drift or fusion",
    )


def test_a_question_comes_before_the_next_turn() -> None:
    """While a question is open, its player can do nothing else and no other player can move."""
    state = asked([]).state

    assert codes(read(state, "MOVE N", "KEEP drift")) == [(1, "not-now")]
    assert codes(read(state, "ROTATE CW", seat="red")) == [(1, "not-your-turn")]


def test_a_new_card_works_from_the_next_turn() -> None:
    """A card drawn by a chain does not change that chain."""
    lying = NODE_POP | {"A4": "bb"}
    state = stacked(lay(hand="", nodes=["C3"], lying=lying), reactions="fusion amplifier")
    after = play(state, "PULL N", "DRAW reactions reactions", "KEEP fusion amplifier")

    assert after.player().cards == ("fusion",)
    assert after.pops == ["C3"]


def test_no_cards_are_drawn_from_empty_decks() -> None:
    """Empty decks bring no question."""
    state = dataclasses.replace(
        lay(hand="", nodes=["C3"], lying=NODE_POP), decks=dict.fromkeys(["movement", "reactions", "special"], ())
    )
    after = play(state, "PULL N")

    assert RULESET.standing(after.state).awaiting == {"red"}


def test_a_deck_wished_for_may_be_empty() -> None:
    """If a deck named by DRAW is empty, another is drawn by lot."""
    state = lay(hand="", nodes=["C3"], lying=NODE_POP)
    state = dataclasses.replace(state, decks={**state.decks, "movement": ()})

    drawn = play(state, "PULL N", "DRAW movement movement").told("drawn")[0]["cards"]

    assert len(drawn) == 2


def test_a_seat_that_leaves_is_asked_no_more() -> None:
    """When the player with a question is removed, play goes on with the next."""
    state = asked([]).state
    others = dict(lay(hand="").players) | {"green": dataclasses.replace(state.players["red"], at="D1")}
    state = dataclasses.replace(state, players=others, seats=("red", "green", "blue"), order=("blue", "red", "green"))

    after, _ = RULESET.resolve(state, TurnInput({}, removed=frozenset({"blue"})), Dice(b"test"))

    assert (after.mover, after.question) == ("red", None)
    assert sum(map(len, after.decks.values())) == 12
