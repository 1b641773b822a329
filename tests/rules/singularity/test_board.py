"""The board, the groups on it, and the two ways to win."""

from __future__ import annotations

import itertools
import random

import pytest

from pbem_rules.singularity.board import BLUE, NOBODY, RED, Board
from pbem_rules.singularity.field import Grid, field_of
from tests.rules.singularity import literal

FIGURE_2 = "a6 b5 c4 d4 e3 f3 g3"
FIGURE_2_PATH = "g2 g1 f1 e1 d1 c2 b3 a4 a5"
FIGURE_3 = "f1 e2 d3 d4 e4 e5 e6 c4 b5 a5"
FIGURE_4 = "a6 b5 c4 d4 e3 f2 g2"


def stones(field: Grid, names: str) -> Board:
    """Return a board with red stones alone."""
    board = Board(field)
    for name in names.split():
        board.place(RED, field.cells[name])
    return board


def ways(names: str, size: int = 4) -> list[str]:
    """Return the ways in which the group of the first stone has won."""
    field = field_of(size)
    return field.ways(stones(field, names).rim_of(RED, field.cells[names.split()[0]]))


@pytest.mark.parametrize("size", [3, 4, 6, 13, 26])
def test_all_sides_of_the_board_are_equally_long(size: int) -> None:
    """A board with n cells a side has 3n(n − 1) + 1 cells, 6(n − 1) of them on its perimeter."""
    field = field_of(size)

    assert len(field.axial) == len(set(field.names)) == 3 * size * (size - 1) + 1
    assert len(field.ring) == len(set(field.ring)) == 6 * (size - 1)


@pytest.mark.parametrize("size", [3, 4, 6, 13])
def test_cells_touch_as_the_coordinates_say(size: int) -> None:
    """Neighbours share a column, a line, or lie one column on and one line up."""
    field = field_of(size)

    touching = {name: {field.names[side] for side in field.near[cell]} for name, cell in field.cells.items()}

    assert touching == literal.neighbours(size)


def test_the_black_stone_lies_in_a_corner() -> None:
    """A corner cell has three neighbours; the black stone's is the top of the middle column."""
    field = field_of(6)

    assert field.names[field.black] == "f1"
    assert len(field.near[field.black]) == 3


def test_the_perimeter_is_one_ring() -> None:
    """Each perimeter cell touches the next, and the last touches the black stone's again."""
    ring, near = field_of(5).ring, field_of(5).near

    assert all(two in near[one] for one, two in itertools.pairwise([*ring, ring[0]]))
    assert {cell for cell, sides in enumerate(near) if len(sides) < 6} == set(ring)


def test_columns_after_z_have_two_letters() -> None:
    """On the largest board the columns go on with aa, ab, … up to ay."""
    names = field_of(26).names

    assert (names[0], names[-1], field_of(26).names[field_of(26).black]) == ("a26", "ay26", "z1")


def test_stones_that_touch_are_one_group() -> None:
    """A group is a connected set of one player's stones; a stone between two groups joins them."""
    field = field_of(4)
    board = stones(field, "b4 d4")
    apart = board.group(RED, field.cells["b4"])

    board.place(RED, field.cells["c4"])

    assert [field.names[cell] for cell in apart] == ["b4"]
    assert [field.names[cell] for cell in board.group(RED, field.cells["d4"])] == ["b4", "c4", "d4"]


def test_the_black_stone_joins_nothing() -> None:
    """Red stones on both sides of the black stone are two groups."""
    field = field_of(4)

    board = stones(field, "c2 e1")

    assert board.group(RED, field.cells["c2"]) == [field.cells["c2"]]


def test_stones_of_the_opponent_join_nothing() -> None:
    """Stones of two colours that touch are two groups."""
    field = field_of(4)
    board = stones(field, "c4 e4")

    board.place(BLUE, field.cells["d4"])

    assert board.group(RED, field.cells["c4"]) == [field.cells["c4"]]
    assert (board.colour(field.cells["d4"]), board.colour(field.cells["d5"])) == (BLUE, NOBODY)


def test_figure_2_the_black_stone_is_surrounded() -> None:
    """A path of nine perimeter cells, half of eighteen, with the black stone in it lies between two red stones."""
    field = field_of(4)
    board = stones(field, FIGURE_2)

    ends, path = field.proof(board.rim_of(RED, field.cells["a6"]))

    assert ways(FIGURE_2) == ["surround"]
    assert [field.names[cell] for cell in ends] == ["g3", "a6"]
    assert {field.names[cell] for cell in path} == set(FIGURE_2_PATH.split())


def test_figure_3_three_arms_form_a_y() -> None:
    """Perimeter stones and the shortest paths between them are the entire perimeter."""
    field = field_of(4)

    ends, path = field.proof(stones(field, FIGURE_3).rim_of(RED, field.cells["f1"]))

    assert ways(FIGURE_3) == ["y"]
    assert [field.names[cell] for cell in ends] == ["f1", "e6", "a5"]
    assert {*ends, *path} == set(field.ring)


def test_figure_4_opposite_cells_form_a_y() -> None:
    """A chain between two opposite perimeter cells is a Y, wherever the black stone lies."""
    assert ways(FIGURE_4) == ["y"]


@pytest.mark.parametrize("figure", [FIGURE_2, FIGURE_3, FIGURE_4])
def test_a_broken_group_wins_nothing(figure: str) -> None:
    """All the perimeter stones of a condition belong to one group: without the middle, nothing is won."""
    field = field_of(4)
    broken = stones(field, figure.replace("d4 ", ""))

    assert not any(field.wins(rim) for rim in map(broken.rims.__getitem__, _roots(broken)))
    assert broken.wins_at(RED, field.cells["d4"])


def _roots(board: Board) -> list[int]:
    return [cell for cell, link in enumerate(board.links[RED]) if cell == link]


def test_a_path_longer_than_half_surrounds_nothing() -> None:
    """A path of ten cells around the black stone is not half the perimeter."""
    assert ways("a7 b6 c5 d4 e3 f3 g3") == []


def test_a_path_shorter_than_half_is_a_y() -> None:
    """If eight cells lie between two stones on the black side, they are opposite or nearer on that side."""
    assert ways("a5 b4 c4 d4 e3 f3 g3") == ["y"]


def test_half_the_perimeter_without_the_black_stone_surrounds_nothing() -> None:
    """Nine perimeter cells between two stones do not count if the black stone lies on the other side."""
    field = field_of(4)
    one, other = field.ring[14], field.ring[4]
    assert len(literal.between(4, field.names[one], field.names[other])[0]) == 9

    assert field.ways(field.rim[one] | field.rim[other]) == []


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
def test_two_ways_to_win_judged_word_by_word(size: int) -> None:
    """On random boards, a group has won exactly if the conditions, taken word by word, hold for it."""
    field, rnd = field_of(size), random.Random(size)
    for _ in range(60):
        names = rnd.sample(field.names, rnd.randrange(len(field.names)))
        board = stones(field, " ".join(name for name in names if field.cells[name] != field.black))

        won = any(field.wins(board.rims[root]) for root in _roots(board))

        assert won == literal.has_won(size, set(names) - {field.names[field.black]})


@pytest.mark.parametrize("size", [3, 4, 6])
def test_each_condition_judged_word_by_word(size: int) -> None:
    """For random sets of perimeter stones, each condition holds exactly if it does word by word."""
    field, rnd = field_of(size), random.Random(size)
    for _ in range(300):
        names = frozenset(field.names[cell] for cell in rnd.sample(field.ring[1:], rnd.randrange(6)))
        mask = sum(field.rim[field.cells[name]] for name in names)

        found = (field.surrounds(mask), field.forms_y(mask))

        assert found == (literal.surrounds(size, names), literal.forms_y(size, names))


def test_a_stone_wins_at_the_moment_it_completes_a_condition() -> None:
    """In random games the board tells of a win with the very stone by which the words of the rules are met."""
    field, rnd = field_of(4), random.Random(4)
    for _ in range(40):
        board, placed = Board(field), ([], [])  # type: tuple[Board, tuple[list[str], list[str]]]
        for number, cell in enumerate(rnd.sample(board.free(), len(board.free()))):
            foreseen = board.wins_at(number % 2, cell)
            won = board.place(number % 2, cell)
            placed[number % 2].append(field.names[cell])
            assert won == foreseen == literal.has_won(4, placed[number % 2])
            if won:
                break


def test_a_copy_is_played_on_alone() -> None:
    """A stone on a copy of a board leaves the board as it was."""
    field = field_of(4)
    board = stones(field, FIGURE_4)
    before = board.free()

    board.copy().place(BLUE, field.cells["d5"])

    assert board.free() == before
