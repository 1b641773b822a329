"""Tests of text maps: a canvas of characters, and lists that flow within a width."""

from __future__ import annotations

from pbem_rules.common.textgrid import TextGrid, flow


def test_what_is_put_stands_where_it_was_put() -> None:
    """Later text replaces earlier text; blanks at line ends go."""
    grid = TextGrid(6, 2)
    grid.put(0, 0, "abcdef")
    grid.put(2, 0, "XY")
    grid.put(1, 1, "z  ")

    assert grid.lines() == ["abXYef", " z"]


def test_what_falls_outside_is_cut_off() -> None:
    """Text outside of the canvas is cut off."""
    grid = TextGrid(4, 1)
    for x, y in ((2, 0), (-3, 0), (9, 0), (-9, 0), (0, 1), (0, -1)):
        grid.put(x, y, "12345")

    assert grid.lines() == ["4512"]


def test_items_flow_below_the_first() -> None:
    """A list is wrapped between items, under its first one."""
    assert flow("ships ", ["J1+9", "J4+6", "M4+0"], width=17) == ["ships J1+9  J4+6", "      M4+0"]


def test_no_items_make_no_lines() -> None:
    """An empty list has no heading either."""
    assert flow("ships ", [], width=17) == []


def test_an_item_too_wide_is_cut() -> None:
    """An item wider than the line is cut."""
    assert flow("x ", ["123456789"], width=6) == ["x 1234"]


def test_a_copy_is_drawn_on_by_itself() -> None:
    """Drawing on a copy does not change the original."""
    background = TextGrid(3, 1)
    background.put(0, 0, "abc")

    other = background.copy()
    other.put(1, 0, "X")

    assert (background.lines(), other.lines()) == (["abc"], ["aXc"])
