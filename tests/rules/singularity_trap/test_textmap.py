"""The text map of The Singularity Trap, written from a view."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

from pbem_rules.common.hexes import disc
from pbem_rules.singularity_trap.chart import COLOURS
from pbem_rules.singularity_trap.textmap import text_map
from tests.rules.singularity_trap.sample_view import empty_view, fight_view, sample_view, sighting

Make = Callable[[str], dict[str, Any]]
VIEWS: tuple[Make, ...] = (sample_view, fight_view, empty_view)


def at(view: dict[str, Any], space: str, *, below: int = 0) -> str:
    """Return the characters of a hex on the map: the planet's row, or with `below` the ships' row."""
    lines = text_map(view).splitlines()
    q, r = ord(space[0]) - ord("J"), int(space[1:]) - 10
    x, y = lines[0].index(space[0]) - 1, 1 + 2 * r + q + 18 + below
    return lines[y].ljust(80)[x : x + 4].rstrip()


@pytest.mark.parametrize("make", VIEWS)
@pytest.mark.parametrize("seat", COLOURS)
def test_the_map_suits_a_mail(seat: str, make: Make) -> None:
    """At most 80 columns of ASCII, without blanks at line ends."""
    lines = text_map(make(seat)).splitlines()

    assert all(len(line) <= 80 and line.isascii() and line == line.rstrip() for line in lines)


@pytest.mark.parametrize(
    ("hexagon", "shown"), [("J1", "Rr+9"), ("S1", "Yy-9"), ("J10", ".n+0"), ("G7", ".g+0"), ("B12", " 12")]
)
def test_planets_stand_in_their_hexes(hexagon: str, shown: str) -> None:
    """A planet has owner, colour and level under its column's letter and in its row; gray is n."""
    assert at(empty_view(), hexagon) == shown


def read_back(shown: str) -> dict[tuple[int, int], str]:
    """Return the hexes of a map as its reader finds them: by line and column of text, with the names they seem to have.

    A column is all that is under its letter; in it the lines are paired from the
    first that is not empty. The row of a pair is the number alone in one of its
    lines, else that of the pair above or below, one more or less.
    """
    ruler, *lines = itertools.takewhile(bool, shown.splitlines())
    assert lines.pop() == ruler
    found = {}
    for x, letter in ((x, letter) for x, letter in enumerate(ruler) if letter != " "):
        cells = [line.ljust(80)[x - 1 : x + 3].strip() for line in lines]
        top = next(y for y, cell in enumerate(cells) if cell)
        bottom = max(y for y, cell in enumerate(cells) if cell)
        pairs = [(y, cells[y : y + 2]) for y in range(top, bottom + 1, 2)]
        rows = [next((int(cell) for cell in pair if cell.isdecimal()), None) for _, pair in pairs]
        known = [at for at, row in enumerate(rows) if row is not None]
        for at, (y, _) in enumerate(pairs):
            near = min(known, key=lambda other: (abs(other - at), other))
            found[y, x] = f"{letter}{(rows[near] or 0) + at - near}"
    return found


@pytest.mark.parametrize("make", VIEWS)
@pytest.mark.parametrize("seat", COLOURS)
def test_no_reader_mistakes_a_hex(seat: str, make: Make) -> None:
    """Each hex of the board is found under its letter with its row's number, and nothing else looks like one."""
    found = read_back(text_map(make(seat)))
    board = {f"{chr(ord('J') + q)}{r + 10}": (2 * r + q + 18, 4 * (q + 9) + 1) for q, r in disc(9)}

    assert {name: place for place, name in found.items()} == board
    assert len(found) == len(board)


def test_a_planet_is_found_where_the_map_says() -> None:
    """The home of yellow is read as S1, with its planet at level -9."""
    shown = text_map(empty_view())
    ((y, x),) = (place for place, name in read_back(shown).items() if name == "S1")

    assert shown.splitlines()[1 + y].ljust(80)[x - 1 : x + 3] == "Yy-9"
    assert "S1-9" in {planet["space"] for planet in empty_view()["planets"]}


def test_signs_of_neighbours_do_not_run_into_numbers() -> None:
    """A number has a blank before it: ships at a level beside a hex are not read as at another."""
    numbers = [match.start() for match in re.finditer(r"(?<=[+-][0-9])[0-9]", text_map(sample_view()).split("\n\n")[0])]

    assert numbers == []


@pytest.mark.parametrize("space", ["F9-7", "F9+0", "F9+8"])
def test_ships_show_their_level(space: str) -> None:
    """A hex with ships at one level names it with its sign."""
    view = empty_view()
    view["sensors"]["unknown"] = [space]

    assert at(view, "F9", below=1) == f"?{space[2:]}"


def test_ships_at_several_levels_are_starred_and_listed() -> None:
    """A star stands for several levels; the list below the map has every space."""
    view = empty_view()
    view["sensors"]["unknown"] = ["F9-7", "F9+8"]

    assert at(view, "F9", below=1) == "?*"
    assert "? unknown    F9+8  F9-7" in text_map(view)


def test_own_and_foreign_ships_in_a_hex_both_show() -> None:
    """Own ships and ships seen in one space have both their signs."""
    assert at(sample_view(), "J10", below=1) == "@!+0"


def test_lists_name_owners_and_numbers() -> None:
    """Ships seen are listed with their owner, and how many if there are several."""
    shown = text_map(sample_view())

    assert "J10+0 cyan  J10+0 green  M4+0 yellow x2" in shown
    assert "J4+6 x3" in shown
    assert "% your dark  J1+9  M4+0" in shown


def test_what_is_out_of_sight_gives_way_to_what_is_seen() -> None:
    """Its sign stands behind others, whose level is told; by itself its own level. The list tells its age."""
    assert at(sample_view(), "N4", below=1) == "?~-1"
    assert at(sample_view(), "K2", below=1) == "~+8"
    assert "M13+0 magenta x2 (4 turns ago)" in text_map(sample_view())


def test_what_was_seen_in_this_very_turn_is_so_marked() -> None:
    """Between the sections of a turn, ships that the section before showed are marked as seen this turn."""
    view = empty_view()
    view["memory"]["last_known"] = [sighting("F9+1", 1, "before movement")]

    assert "~ last seen  F9+1 (this turn)" in text_map(view)


def test_an_allys_fleet_stands_for_what_was_seen_of_it() -> None:
    """If an ally's fleet is shown now, its ships seen before are not marked besides."""
    view = empty_view()
    view["memory"]["last_known"] = [sighting("F9+1", 1, id="C101", owner="cyan", type="Scout", damage=0)]
    view["sensors"]["allied"] = [{"owner": "cyan", "space": "F9+1"}]

    assert at(view, "F9", below=1) == "&+1"


def test_without_ships_there_is_nothing_to_list() -> None:
    """On the first turn the map ends with the key to the planets."""
    assert text_map(empty_view()).splitlines()[-1].startswith("Planets: owner")


def test_a_board_too_wide_for_a_mail_is_left_out() -> None:
    """A chart of radius 12 gives the lists alone, and nothing where there is nothing to list."""
    view = empty_view()
    view["planets"], view["rules"]["radius"] = [], 12
    assert text_map(view) == ""

    view["sensors"]["unknown"] = ["Y1+0"]
    assert text_map(view).splitlines()[0].startswith("Ships: @ yours")


def test_levels_of_two_digits_have_room() -> None:
    """On a chart with levels beyond 9, hexes are wide enough for them."""
    view = empty_view()
    view["rules"] |= {"radius": 4, "levels": 12}
    view["planets"] = [{"space": "A5-12", "name": "deep", "colour": "gray", "owner": "red", "worth": 3}]
    view["sensors"]["unknown"] = ["B4+11"]

    assert any("Rn-12?+11" in line for line in text_map(view).splitlines())


def test_two_planets_of_one_hex_are_starred() -> None:
    """Of planets above each other the highest is shown, with a star for their levels."""
    view = empty_view()
    view["planets"].append({"space": "J1-5", "name": "deep", "colour": "gray", "owner": "cyan", "worth": 3})

    assert at(view, "J1") == "Rr*"
