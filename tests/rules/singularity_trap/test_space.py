"""The board (rulings 1 and 2)."""

from __future__ import annotations

import pytest

from pbem_rules.singularity_trap.space import VECTORS, StarMap, distance, plus, within
from tests.rules.singularity_trap.builders import BOARD, at


def test_the_board_has_5149_spaces() -> None:
    """A hexagon of radius 9 in 19 levels: 271 times 19 spaces."""
    assert len(set(BOARD.spaces())) == 271 * 19 == 5_149


@pytest.mark.parametrize(
    ("written", "space"),
    [("J10+0", (0, 0, 0)), ("J1+9", (0, -9, 9)), ("A19+9", (-9, 9, 9)), ("S1-9", (9, -9, -9)), ("M7-3", (3, -3, -3))],
)
def test_a_space_is_column_row_and_level(written: str, space: tuple[int, int, int]) -> None:
    """Columns A to S stand for q from -9, rows 1 to 19 for r from -9, and the level has its sign."""
    assert BOARD.read(written) == space
    assert BOARD.name(space) == written


@pytest.mark.parametrize("written", ["j10", "J10", "j10+0", "J10-0", "J10+00"])
def test_case_and_a_missing_level_do_not_matter(written: str) -> None:
    """The centre may be written J10."""
    assert BOARD.read(written) == (0, 0, 0)


def test_dashes_of_typesetting_are_read_as_minus() -> None:
    """A mail program that turns the hyphen into a minus or a dash does no harm."""
    assert BOARD.read("J13−3") == BOARD.read("J13–3") == BOARD.read("J13-3") == (0, 3, -3)


@pytest.mark.parametrize("written", ["", "J", "J0", "J20", "A1", "T10", "J10+10", "J10-", "10J", "J10+0x", "é10"])
def test_what_is_no_space_is_none(written: str) -> None:
    """Spaces beyond the edge, and words that are no spaces, are not read."""
    assert BOARD.read(written) is None


def test_every_space_is_read_as_it_is_written() -> None:
    """No two spaces share a name."""
    assert all(BOARD.read(BOARD.name(space)) == space for space in BOARD.spaces())


def test_there_are_twenty_vectors() -> None:
    """A direction level, rising or falling, or straight up or down."""
    assert len(set(VECTORS.values())) == len(VECTORS) == 20
    assert VECTORS["NE-"] == (1, -1, -1)
    assert plus((0, 0, 0), VECTORS["SW+"], 3) == (-3, 3, 3)


@pytest.mark.parametrize(
    ("a", "b", "apart"), [("J10", "J10", 0), ("J10", "J7+3", 3), ("J10", "J10-5", 5), ("J1+9", "J19-9", 18)]
)
def test_distance_is_the_greater_of_board_and_levels(a: str, b: str, apart: int) -> None:
    """A step may cross the board and the levels at once."""
    assert distance(at(a), at(b)) == apart


def test_neighbours_are_what_vectors_reach() -> None:
    """A space has the twenty neighbours that its vectors lead to, and 94 spaces within two."""
    assert set(within(1)) == set(VECTORS.values())
    assert len(within(2)) == 19 * 5 - 1


def test_a_smaller_board_names_its_own_spaces() -> None:
    """A chart with radius 2 has its centre at C3."""
    assert StarMap(2, 1).name((0, 0, 0)) == "C3+0"
