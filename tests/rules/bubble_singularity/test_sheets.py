"""Receipts of sheets."""

from __future__ import annotations

import pytest

from pbem_rules.bubble_singularity import RULESET
from tests.rules.bubble_singularity.table import codes, lay, new_game, play, read, refused, view


@pytest.mark.parametrize(
    "lines",
    [
        ["MOVE E N", "BUBBLES blue red", "ROTATE CW"],
        ["move e, n", "bubbles b r", "rotate cw"],
        ["Mov east NORTH ; to the corner", "BUB Blue Red", 'ROT "CW"'],
    ],
)
def test_orders_may_be_written_in_many_ways(lines: list[str]) -> None:
    """Case, commas, comments, short verbs, full names of directions and initials of colours make no difference."""
    parsed = read(lay(hand="rb"), *lines)

    assert [RULESET.orders.line(order) for order in parsed.orders] == ["MOVE E N", "BUBBLES blue red", "ROTATE CW"]


def test_a_list_of_orders_may_be_numbered() -> None:
    """The numbers of its entries are left out."""
    parsed = read(lay(hand="rb"), "1. MOVE E N", "2) Bubbles blue red", "(3) ROTATE CW")

    assert [RULESET.orders.line(order) for order in parsed.orders] == ["MOVE E N", "BUBBLES blue red", "ROTATE CW"]


@pytest.mark.parametrize("line", ["MOVE N or E", "E or N", "BUBBLES red, else blue", "ROTATE CW or CCW", "PULL N or E"])
def test_a_choice_is_no_order(line: str) -> None:
    """Neither of two words with OR between them is taken; KEEP may say what comes next."""
    assert refused(lay(hand="rb"), line)[0] == "either-or"
    assert read(lay(hand="rb"), "KEEP folder or drift").errors == ()


def test_a_whole_turn_fits_one_sheet() -> None:
    """Every choice of a turn can be written at once, and all lines are accepted."""
    state = lay(hand="rbb", held=["folder"], nodes=["C2"], lying={"C2": "rg"})
    lines = [
        "USE FOLDER A4 CW",
        "MOVE N",
        "BUBBLES red",
        "PULL S",
        "POP C2 green N, red E",
        "DRAW movement reactions",
        "KEEP fusion drift",
    ]

    assert read(state, *lines).errors == ()


def test_unknown_directions_are_named() -> None:
    """A word that is no direction is refused with a list of those that are."""
    assert refused(lay(), "MOVE AWAY", "ROTATE CW")[1].startswith("AWAY is not a direction, N, E, S or W")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("MOVE TO A13", "columns go A to D, rows 1 to 4"),
        ("MOVE TO A1", "A1 is not beside C3; beside it are B3, C2, C4, D3"),
        ("POP A13 red N", "columns go A to D, rows 1 to 4"),
    ],
)
def test_a_space_out_of_reach_is_answered_with_those_there_are(line: str, told: str) -> None:
    """A space off the board, or not beside the Mari, is refused with the bounds, or with the spaces beside it."""
    assert told in refused(lay(), line)[1]


@pytest.mark.parametrize("line", ["START A13", "START E5", "START A1"])
def test_a_space_to_start_on_is_one_of_eight(line: str) -> None:
    """Any other space, on the board or off it, is answered with those; MOVE names none before a Mari has one."""
    (slip,) = read(new_game(), line, seat="red").errors
    (early,) = read(new_game(), "MOVE TO B2", seat="red").errors

    assert slip.hint == "possible: C1, B1, D3, D2, B4, C4, A2, A3"
    assert "None" not in early.text


def test_an_unknown_use_is_answered_with_all() -> None:
    """USE with an unknown word is answered with the nearest use, or with all."""
    assert refused(lay(), "USE FODLER A1 CW")[1] == "FODLER is nothing that can be used; did you mean FOLDER?"
    assert refused(lay(), "USE")[1].startswith(
        "the line ends where a card or a station's use belongs; possible: FOLDER, ATTRACTOR"
    )


def test_a_use_with_wrong_arguments_is_explained() -> None:
    """A known use with a wrong word keeps its own explanation."""
    assert "Z9" in refused(lay(), "USE FOLDER Z9 CW")[1]


def test_a_bubble_none_cannot_have_an_extra() -> None:
    """`none+` cannot be placed."""
    assert refused(lay(), "MOVE N", "BUBBLES none+")[0] == "no-bubble"


def test_start_has_no_place_in_a_turn() -> None:
    """START is for the set-up, MOVE is not."""
    assert (1, "not-now") in codes(read(lay(), "START C1"))
    assert (1, "not-now") in codes(read(new_game(), "MOVE N", seat="red"))


def test_the_set_up_takes_one_of_each() -> None:
    """A second START or KEEP is refused, as is a card that was not dealt."""
    state = new_game()
    other = next(card for card in ("drift", "fusion", "folder") if card not in state.players["red"].offer)

    found = codes(read(state, "START C1", "START D3", f"KEEP {other}", seat="red"))

    assert found == [(0, "no-card"), (2, "only-one"), (3, "not-offered")]


def test_an_empty_sheet_is_remarked() -> None:
    """The receipt of an empty sheet says what will be done by default."""
    assert codes(read(lay())) == [(0, "no-move"), (0, "no-action")]
    assert codes(read(new_game(), seat="red")) == [(0, "no-start"), (0, "no-card")]


@pytest.mark.parametrize(
    ("mari", "move", "advanced", "action"),
    [
        ("C2", "MOVE N", False, "PULL E"),
        ("C2", "MOVE S", True, "ROTATE CW"),
        ("C3", "MOVE N", True, "PULL N"),
        ("B4", "MOVE W", False, "PULL N"),
    ],
)
def test_the_default_action_named_is_that_of_the_moves_end(mari: str, move: str, advanced: bool, action: str) -> None:
    """If ROTATE is blocked, a neighbour of the space moved to is pulled; on the Universe nothing is blocked."""
    state = lay(blue=mari, blocked="ROTATE", advanced=advanced)

    (said,) = [found.text for found in read(state, move).findings if found.code == "no-action"]
    (done,) = [event for event in play(state, move).events if event.kind in ("rotated", "pulled")]
    assert said == f"by default your action is {action}"
    assert {"rotated": "ROTATE CW", "pulled": f"PULL {done.data.get('way')}"}[done.kind] == action


def test_nobody_plays_out_of_turn() -> None:
    """A player who is not on move is told whose turn it is."""
    (error,) = read(lay(), "MOVE N", seat="red").errors

    assert (error.code, error.text) == ("not-your-turn", "it is blue's turn")


def test_orders_are_restated_in_words() -> None:
    """A receipt repeats every order in plain words."""
    lines = {
        "START C1 D3": "your Mari starts on C1, else on D3",
        "KEEP drift": "you keep Quantum Drift (drift)",
        'KEEP "Space Folder" red blue': "you keep Space Folder (folder); of bubbles red and blue",
        "KEEP red blue green": "you keep red, else blue, else green",
        "MOVE E E N": "your Mari moves E, E, N",
        "BUBBLES blue+ none": "on the spaces entered you place blue and one more of your own, nothing",
        "ROTATE CCW": "you rotate your card counter-clockwise and push its bubbles",
        "PULL N": "you pull the bubbles of the space N of you",
        "SEND blue N, red E": "the push sends blue N, red E",
        "POP B2 red N, blue EE": "a pop on B2 sends red N, blue EE",
        "SWAP B2 W": "after a pop the unstable card on B2 changes places with the one W of it",
        "DRAW movement special": "ability cards come from the decks movement and special",
        "USE FOLDER C3 CW": "Space Folder turns C3 clockwise",
        "USE ATTRACTOR D2 W S": "Singularity Attractor draws the node on D2 towards you by W, S",
        "USE DIRECTOR B2 E": "Bubble Director moves a bubble of yours from B2 E",
        "USE RESEARCH": "at the research station you draw 3 bubbles and keep 2",
        "USE SELECT red blue": "you take red, blue from the bag",
        "USE TELEPORT A3": "your Mari teleports to A3",
        "USE TRANSFER red FROM A1 TO B2": "a red bubble goes from A1 to B2",
        "USE CONVERT B1 red": "you convert red on B1",
        "USE IGNITE D4": "you ignite D4",
        "USE DEPLOY red B2, blue C3": "you place red on B2, blue on C3",
        "USE BLOCK red PULL": "you block PULL for red",
        "RESIGN CONFIRM": "you leave the game",
    }

    parsed = RULESET.orders.parse(view(lay(nodes=["D2"]), "blue"), list(enumerate(lines, 1)))

    assert [order.words() for order in parsed.orders] == list(lines.values())


def test_the_form_of_a_turn_shows_what_can_be_written() -> None:
    """The order sheet shows MOVE, BUBBLES, the action, and the uses of the player's abilities that are possible now."""
    plain = RULESET.template(view(lay(), "blue"))
    rich = RULESET.template(view(lay(held=["folder"], stations=True, control={"energy": "blue"}), "blue"))

    assert [line.split()[1] for line in plain] == ["MOVE", "BUBBLES", "ROTATE", "KEEP", "SEND"]
    assert [line.split()[2] for line in rich if line.split()[1] == "USE"] == ["FOLDER"]


@pytest.mark.parametrize("lying", [{}, {"D4": "b"}, {"C2": "rg"}])
def test_every_line_of_the_form_of_a_turn_is_taken_alone(lying: dict[str, str]) -> None:
    """A line without its semicolon is that order and no error."""
    cards = ["folder", "attractor", "director"]
    state = lay(hand="rb", held=cards, nodes=["B1"], lying=lying, stations=True, control={"energy": "blue"})

    for line in RULESET.template(view(state, "blue")):
        assert len(line) <= 78
        assert line.startswith("; ")
        assert read(state, line.removeprefix("; ")).errors == ()


@pytest.mark.parametrize("blocked", ["", "ROTATE", "PULL", "STATION"])
def test_the_first_lines_of_the_form_are_taken(blocked: str) -> None:
    """Without their semicolons MOVE, BUBBLES and the action are no errors, also where an action is blocked."""
    form = RULESET.template(view(lay(stations=True, blocked=blocked), "blue"))

    assert codes(read(lay(stations=True, blocked=blocked), *(line.removeprefix("; ") for line in form[:3]))) == []
    assert max(map(len, form)) <= 80


def test_the_form_can_be_returned_untouched() -> None:
    """All its lines are comments."""
    assert read(lay(), *RULESET.template(view(lay(), "blue"))).orders == ()


def test_the_form_of_a_question_has_the_answer_that_is_played_without_one() -> None:
    """The order sheet of a question is one line, which names one of the choices."""
    state = play(lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"}), "PULL N").state
    assert state.question is not None

    (line,) = RULESET.template(view(state, "blue"))

    assert line in {f"; KEEP {card}" for card in state.question.choices}
    assert RULESET.template(view(state, "red")) == []


def test_a_sheet_that_resigns_needs_no_more() -> None:
    """RESIGN alone is a whole sheet."""
    assert codes(read(lay(), "RESIGN CONFIRM")) == []


def test_an_unplayable_line_is_refused_alone() -> None:
    """A line that cannot be followed leaves the others valid."""
    parsed = read(lay(), "MOVE S S", "PULL E")

    assert codes(parsed) == [(0, "no-move"), (1, "off-board")]
    assert [RULESET.orders.line(order) for order in parsed.orders] == ["PULL E"]
