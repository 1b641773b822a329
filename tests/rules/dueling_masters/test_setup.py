"""Set-up: placing the pieces by mail."""

from __future__ import annotations

import re

import pytest

from pbem.app import TEMPLATE_DIR
from pbem.campaign.order_sheets import parse_sheet
from pbem.report.facts import ReportFacts
from pbem.report.renderer import Renderer
from pbem.ruleset import Dice, Event, SeatName, SetupError
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.board import territory
from pbem_rules.dueling_masters.kinds import ALONE, numbers
from pbem_rules.dueling_masters.placement import arranged
from pbem_rules.dueling_masters.state import SEATS, Result, State
from tests.rules.dueling_masters.table import SETUPS, begun, codes, new_game, read, told, turn, view


def squares(state: State, seat: str, kind: str) -> list[str]:
    """Return the squares of a seat's pieces of a kind."""
    return [piece.square for piece in state.players[seat].pieces if piece.kind == kind]


@pytest.mark.parametrize("seats", [(), ("one",), ("two", "one"), ("one", "three")])
def test_the_game_is_for_one_and_two(seats: tuple[str, ...]) -> None:
    """The game is for exactly two, player one first."""
    with pytest.raises(SetupError, match="one and two"):
        RULESET.setup({}, seats, Dice(b"test"))


def test_every_player_has_18_pieces() -> None:
    """A player has seven asteroids, one W, one B, two X, two Y, four Z and a home planet."""
    assert numbers(1) == {"HOME": 1, "ASTEROID": 7, "W": 1, "B": 1, "X": 2, "Y": 2, "Z": 4}
    assert sum(numbers(1).values()) == 18


def test_each_player_owns_half_of_the_board() -> None:
    """Player one owns rows A to E, player two rows F to J."""
    assert {square[0] for square in territory("one")} == set("ABCDE")
    assert {square[0] for square in territory("two")} == set("FGHIJ")
    assert len(territory("one")) == len(territory("two")) == 50


@pytest.mark.parametrize(
    "line", ["rest random", "SETUP RANDOM", "SETUP W D2, the rest anywhere", "roll dice for the rest"]
)
def test_no_order_places_pieces_by_dice(line: str) -> None:
    """A player who leaves the rest to chance learns when dice place it, and nothing is placed."""
    parsed = read(new_game(), "one", line)

    assert parsed.orders == ()
    assert "at its second deadline" in parsed.errors[0].text


@pytest.mark.parametrize("name", ["Queen", "queens", "my queen"])
def test_a_queen_is_one_of_two_kinds(name: str) -> None:
    """A name of chess that two kinds have is refused with a line for each, and none is taken for meant."""
    reading = parse_sheet(RULESET, view(new_game(), "one"), [(1, f"{name} on D4")])

    (error,) = (each for each in reading.remarks if each.severity == "error")
    assert error.text.endswith("could be B or Z")
    assert (error.hint, error.corrected) == ("write: SETUP B D4; or: SETUP Z D4", "")


def test_both_set_up_first() -> None:
    """Before the set-up both players are awaited, and no move is possible."""
    assert RULESET.standing(new_game()).awaiting == {"one", "two"}
    assert read(new_game(), "one", "MOVE Z1 C4").orders == ()


def test_complete_set_ups_begin_the_game() -> None:
    """As soon as both set-ups are complete, player one is to move."""
    state = begun()

    assert (state.move, state.mover) == (1, "one")
    assert squares(state, "one", "ASTEROID") == ["A7", "B7", "C7", "C9", "E2", "E5", "D4"]
    assert [piece.name for piece in state.players["two"].pieces if piece.kind == "Z"] == ["Z1", "Z2", "Z3", "Z4"]


@pytest.mark.parametrize("seat", SEATS)
def test_the_rulebooks_set_up_is_complete(seat: SeatName) -> None:
    """The examples of the rulebook can be sent as they stand, and are those of the first form."""
    half = len(numbers(1))
    lines = re.findall(r"^    (SETUP .*)$", RULESET.rulebook.partition("## A move")[0], re.MULTILINE)
    lines = lines[:half] if seat == "one" else lines[half:]
    parsed = read(new_game(), seat, *lines)

    assert (len(parsed.orders), parsed.errors, parsed.complete) == (half, (), True)
    assert RULESET.template(view(new_game(), seat)) == [f"; {line}" for line in lines]


@pytest.mark.parametrize("homes", [1, 3])
def test_the_first_form_is_a_whole_set_up(homes: int) -> None:
    """Without its semicolons the form of the first report places all pieces, and the game begins."""
    state = new_game(homes=homes)
    forms = {seat: [line.removeprefix("; ") for line in RULESET.template(view(state, seat))] for seat in SEATS}
    played, _ = turn(state, **forms)

    assert (played.move, [len(each.pieces) for each in played.players.values()]) == (1, [17 + homes] * 2)


def test_a_form_beside_what_is_placed_names_no_squares() -> None:
    """Squares of the example may be taken by then, so those who placed a part are shown blanks for the rest."""
    state, _ = turn(new_game(), one=["SETUP ASTEROID B8 A7 B7 C7 C9 E2 E5"], two=[])

    assert "; SETUP HOME <where>" in RULESET.template(view(state, "one"))


def test_nothing_is_known_of_the_enemys_set_up() -> None:
    """After the set-up the enemy's half of the board is blank."""
    blank = view(begun(), "two")

    assert (blank["enemy"], blank["enemy_lost"], blank["scouted"]) == ([], [], {})
    assert {left["kind"]: left["number"] for left in blank["enemy_left"]} == numbers(1)


@pytest.mark.parametrize("line", ["SETUP HOME F1", "SETUP Z A1 A2 A3 J10", "SETUP ASTEROID A1 A2 A3 A4 A5 A6 G7"])
def test_pieces_are_placed_in_the_own_half(line: str) -> None:
    """A square of the other half is refused."""
    assert codes(read(new_game(), "one", line))[-1] == (1, "not-your-half")


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (["SETUP HOME A1", "SETUP Z A1 A2 A3 A4"], 2),
        (["SETUP Z A1 A2 A3 A4", "SETUP HOME A1"], 2),
        (["SETUP HOME A1", "SETUP ASTEROID A1 A2 A3 A4 A5 A6 A7"], 2),
        (["SETUP ASTEROID A1 A2 A3 A4 A5 A6 A6"], 1),
        (["SETUP ASTEROID A1 A2 A3 A4 A5 A6 A7", "SETUP X B1 A7"], 2),
    ],
)
def test_home_planets_and_asteroids_stand_alone(lines: list[str], where: int) -> None:
    """A home planet or an asteroid shares its square with nothing."""
    assert (where, "not-alone") in codes(read(new_game(), "one", *lines))


def test_fighters_may_share_squares() -> None:
    """Any number of fighters may stand on one square."""
    lines = ["SETUP Z A1 A1 A1 A1", "SETUP W A1", "SETUP B A1", "SETUP X A1 A1", "SETUP Y A1 A1"]

    assert read(new_game(), "one", *lines).errors == ()


@pytest.mark.parametrize("line", ["SETUP Z A1 A2 A3", "SETUP HOME A1 A2", "SETUP X A1 A2 A3", "SETUP ASTEROID A1"])
def test_a_line_places_all_pieces_of_its_kind(line: str) -> None:
    """Too many or too few squares are refused, with the right number."""
    assert codes(read(new_game(), "one", line))[-1] == (1, "wrong-number")


def test_what_is_missing_is_said() -> None:
    """A sheet that leaves kinds unplaced is accepted, with a warning that lists them."""
    (finding, note) = read(new_game(), "one", *SETUPS["one"][:4]).findings

    assert (note.code, note.severity) == ("asked-again", "note")
    assert (finding.code, finding.severity) == ("incomplete", "warning")
    assert finding.text.endswith("2 X fighters, 2 Y fighters, 4 Z fighters")


def test_an_incomplete_set_up_is_asked_for_again() -> None:
    """Placed pieces stay, and only a player without a complete set-up is awaited."""
    state, events = turn(new_game(), one=SETUPS["one"][:4], two=SETUPS["two"])

    assert state.move == 0
    assert RULESET.standing(state).awaiting == {"one"}
    assert told(events, "one", "placed")[0]["lacking"] == ["X", "Y", "Z"]
    assert told(events, "two", "waiting") == [{"kind": "waiting", "who": ["one"]}]

    state, _ = turn(state, one=SETUPS["one"][4:])
    assert state.move == 1


def delayed(state: State, turns: int) -> tuple[State, tuple[Event, ...]]:
    """Play a set-up for which player one sends one line of the seven each time, player two all at once."""
    state, events = turn(state, one=SETUPS["one"][:1], two=SETUPS["two"])
    for number in range(1, turns):
        state, events = turn(state, one=[SETUPS["one"][number]])
    return state, events


def test_dice_complete_a_set_up_at_its_second_deadline() -> None:
    """Placed pieces stay, the rest is drawn, and it counts as a missed deadline (rulings 1 and 12)."""
    state, events = delayed(new_game(), 2)

    assert (state.move, state.players["one"].misses, state.players["two"].misses) == (1, 1, 0)
    assert (squares(state, "one", "HOME"), squares(state, "one", "ASTEROID")[0]) == (["B8"], "A7")
    assert [event["stage"] for event in told(events, "two", "missed")] == ["incomplete"]
    assert [line.split()[1] for line in told(events, "one", "arranged")[0]["lines"]] == ["W", "B", "X", "Y", "Z"]


def test_an_incomplete_set_up_may_lose_the_game() -> None:
    """If one missed deadline is enough, the second deadline of a set-up is one."""
    state, _ = delayed(new_game(forfeit_after=1), 2)

    assert state.result == Result(("two",), "forfeit")


def test_what_comes_of_an_incomplete_set_up_is_said_before() -> None:
    """Report and receipt of the second deadline say that dice will place the rest, and that it is a miss."""
    first, (second, _) = new_game(), delayed(new_game(), 1)

    assert "dice place what is not placed then, and it counts as a missed deadline" in written(second, "one")
    assert "dice" not in written(second, "two")
    assert "once more" in written(first, "one")
    assert "At this deadline dice place what it lacks, and you have missed it." in RULESET.turn_summary(
        view(second, "one")
    )
    assert codes(read(second, "one", SETUPS["one"][1])) == [(0, "incomplete"), (0, "dice")]
    assert codes(read(second, "one", *SETUPS["one"][1:])) == []


def written(state: State, seat: SeatName) -> str:
    """Return a seat's report as text."""
    facts = ReportFacts(
        campaign="duel", seat=seat, seats=SEATS, deadline=None, zone="UTC", code="k2", address="orders@example.org"
    )
    with Renderer([TEMPLATE_DIR], pictures=False) as reporter:
        return reporter.text(RULESET, view(state, seat), facts)


def test_a_set_up_may_be_corrected() -> None:
    """A new line for a kind replaces the old one, also in a complete set-up while the game waits."""
    state, _ = turn(new_game(), one=SETUPS["one"], two=[])

    state, _ = turn(state, one=["SETUP HOME A5", "SETUP W B8"], two=SETUPS["two"])

    assert (squares(state, "one", "HOME"), squares(state, "one", "W")) == (["A5"], ["B8"])
    assert state.move == 1


def test_a_correction_is_checked_against_what_stays() -> None:
    """A new line must agree with earlier lines that it does not replace."""
    state, _ = turn(new_game(), one=SETUPS["one"], two=[])

    assert codes(read(state, "one", "SETUP HOME A1")) == [(1, "not-alone")]
    assert codes(read(state, "one", "SETUP HOME A1", "SETUP B B8")) == []


def test_a_line_refused_leaves_what_it_would_have_replaced() -> None:
    """Placed pieces stay if a new line for their kind is refused (ruling 11); other lines must agree with them."""
    state, _ = turn(new_game(), one=SETUPS["one"][:4], two=[])
    slip = "SETUP W J1"

    refused = [(0, "incomplete"), (0, "dice"), (1, "not-your-half"), (2, "not-alone")]
    assert codes(read(state, "one", slip, "SETUP HOME C1")) == refused
    rest = read(state, "one", slip, *SETUPS["one"][4:])
    assert (codes(rest), rest.complete) == ([(1, "not-your-half")], True)


def test_the_game_has_begun_for_good() -> None:
    """No piece is placed after the set-up."""
    assert codes(read(begun(), "one", "SETUP HOME A5")) == [(0, "no-move"), (1, "set-up-over")]


def test_dice_complete_a_set_up_that_does_not_come() -> None:
    """Without a sheet placed pieces stay, and dice place the rest; both players are told."""
    state, _ = turn(new_game(), one=["SETUP HOME C3"], two=SETUPS["two"])

    state, events = turn(state)

    assert (state.move, squares(state, "one", "HOME")) == (1, ["C3"])
    assert state.is_placed("one")
    assert len(told(events, "one", "arranged")[0]["lines"]) == 6
    assert [event["kind"] for event in told(events, "two")] == ["missed", "begun"]


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("homes", [1, 3])
def test_set_ups_of_dice_are_valid(seat: str, homes: int) -> None:
    """A set-up drawn by dice obeys the rules, and differs from seed to seed."""
    drawn = [arranged({}, seat=seat, homes=homes, dice=Dice(b"%d" % number)) for number in range(20)]

    for placed in drawn:
        lines = [f"SETUP {kind} {' '.join(where)}" for kind, where in placed.items()]
        assert codes(read(new_game(homes=str(homes)), seat, *lines)) == []
    assert len({str(placed) for placed in drawn}) == len(drawn)


def test_three_home_planets_each_stand_alone() -> None:
    """In the variant with three home planets each needs a square of its own."""
    state = new_game(homes="3")

    assert codes(read(state, "one", "SETUP HOME A1 A1 A2"))[-1] == (1, "not-alone")
    assert codes(read(state, "one", "SETUP HOME A1"))[-1] == (1, "wrong-number")
    assert set(ALONE) == {"HOME", "ASTEROID"}
