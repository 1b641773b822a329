"""Strict reading of lines as orders."""

from __future__ import annotations

import pytest

from pbem.ruleset import Order, join_lines, split_words
from pbem.ruleset.orders import MAX_ERRORS, MAX_LINE, MAX_LINES
from tests.ruleset.fleet import BOOK, VIEW, DeclarePeace, DeclareWar, Hold, Load, Sail, Scrap, Scratch, order, read

GOOD = {
    "SAIL Kite VIA Ayr": Sail("Kite", ("Ayr",)),
    "sail kite via ayr": Sail("Kite", ("Ayr",)),
    "  SAIL\tKite  VIA   Ayr  ": Sail("Kite", ("Ayr",)),
    "SAIL Kite VIA Ayr, Bath,Ayr": Sail("Kite", ("Ayr", "Bath", "Ayr")),
    "SAIL Kite VIA Ayr Bath WITH corn": Sail("Kite", ("Ayr", "Bath"), "corn"),
    "SAIL Kite VIA Ayr WITH corn TIMES 12": Sail("Kite", ("Ayr",), "corn", 12),
    "SAIL Kite VIA Ayr NOW fast": Sail("Kite", ("Ayr",), pace="fast"),
    "SAIL Kite VIA Ayr WITH corn NOW fast": Sail("Kite", ("Ayr",), "corn", pace="fast"),
    "SAIL Kite VIA Ayr WITH iron TIMES -5 NOW slow": Sail("Kite", ("Ayr",), "iron", -5, "slow"),
    'SAIL "Red Star" VIA "San Remo"': Sail("Red Star", ("San Remo",)),
    'SAIL "red star" VIA "A,B" "C;D" "#9"': Sail("Red Star", ("A,B", "C;D", "#9")),
    'SAIL "kite" VIA "Ayr': Sail("Kite", ("Ayr",)),
    "SAIL KESTREL VIA Ayr": Sail("kestrel", ("Ayr",)),
    "SAIL Kes VIA San": Sail("kestrel", ("San Remo",)),
    "SAIL f1 VIA Ayr": Sail("F1", ("Ayr",)),
    "SAIL f10 VIA Ayr": Sail("F10", ("Ayr",)),
    "SAI Kite VIA Ayr": Sail("Kite", ("Ayr",)),
    "SCRAP Kite F1": Scrap(("Kite", "F1")),
    "SCRA": None,
    "SCRAT": Scratch(),
    "SCRATCH Kite F1": Scratch(("Kite", "F1")),
    "SCRATCH AT Bath": Scratch((), "Bath"),
    "SCRATCH Kite AT Bath": Scratch(("Kite",), "Bath"),
    "DECLARE WAR ON Ayr": DeclareWar("Ayr"),
    "DEC PEACE WITH Ayr": DeclarePeace("Ayr"),
    "DECLARE PEACE WITH Ayr 3": DeclarePeace("Ayr", 3),
    "SAIL Kite TO Ayr": Sail("Kite", ("Ayr",)),
    "DECLARE PEACE ON Ayr": DeclarePeace("Ayr"),
    "LOAD corn": Load("corn"),
    "LOAD cor": None,
    "LOAD coral AT Ayr Bath FOR San": Load("Coral", ("Ayr", "Bath"), "San Remo"),
    "LOAD iron FOR Ayr": Load("iron", (), "Ayr"),
    "HOLD": Hold(),
    "hol ; as long as it takes": Hold(),
    "HOLD # likewise": Hold(),
}


@pytest.mark.parametrize(("line", "meant"), [(line, meant) for line, meant in GOOD.items() if meant is not None])
def test_a_line_is_read_as_its_order(line: str, meant: Order) -> None:
    """Case, blanks, commas, quotes, comments and clear abbreviations do not change the meaning."""
    assert order(line) == meant


@pytest.mark.parametrize("line", [line for line, meant in GOOD.items() if meant is None])
def test_a_line_that_could_mean_two_things_is_not_guessed(line: str) -> None:
    """An ambiguous abbreviation is refused."""
    assert read(line).orders == ()
    assert len(read(line).errors) == 1


@pytest.mark.parametrize("line", ["", "   ", "; HOLD", "# HOLD", "  ;", ",", " , ,"])
def test_an_empty_line_is_no_order_and_no_error(line: str) -> None:
    """Blank lines and comments are allowed everywhere."""
    assert read(line) == read()


def test_orders_keep_their_line_numbers() -> None:
    """A receipt names the line of the sheet that each order came from, counting blanks."""
    parsed = read("HOLD", "", "; remark", "HOLD")

    assert [entry.line for entry in parsed.entries] == [1, 4]


def test_a_backslash_continues_a_line() -> None:
    """An order may run over several lines; it has the number of the first."""
    parsed = read("HOLD", "SAIL Kite \\", "  VIA Ayr\\", "Bath", "HOLD")

    assert parsed.orders == (Hold(), Sail("Kite", ("Ayr", "Bath")), Hold())
    assert [entry.line for entry in parsed.entries] == [1, 2, 5]


def test_a_backslash_at_the_end_of_a_sheet_joins_nothing() -> None:
    """The last line is read even if it ends in a backslash."""
    assert read("HOLD \\").orders == (Hold(),)
    assert list(join_lines([(7, "\\")])) == [(7, " ")]


def test_a_comment_does_not_swallow_the_next_line() -> None:
    """A backslash within a comment is part of the comment, so no order is lost by it."""
    assert read("; kept in C:\\mail\\", "HOLD").orders == (Hold(),)
    assert read("HOLD # or not \\", "HOLD").orders == (Hold(), Hold())


def test_an_error_spoils_its_own_line_alone() -> None:
    """The lines around a bad one are accepted."""
    parsed = read("HOLD", "HODL", "HOLD")

    assert parsed.orders == (Hold(), Hold())
    assert [error.line for error in parsed.errors] == [2]


def test_words_are_parted_by_blanks_and_commas() -> None:
    """Quotes hold words together and may be left open; comments end a line."""
    assert split_words('A, B  "c d" e"f g"h ; "i"') == ["A", "B", "c d", "e", "f g", "h"]
    assert split_words('"open ; to the end') == ["open ; to the end"]
    assert split_words("J10#9 # J11") == ["J10#9"]
    assert split_words("J10/9 // J11") == split_words("J10/9//J11") == split_words("J10/9 % J11") == ["J10/9"]
    assert split_words("J10 /* J11 */ J12 /* J13") == ["J10", "J12"]
    assert split_words("https://example.org/x 50%") == ["https://example.org/x", "50%"]


def test_a_sheet_is_read_up_to_a_number_of_lines() -> None:
    """A sheet that is too long is cut, and its player told where."""
    parsed = read(*["HOLD"] * (MAX_LINES + 10))

    assert len(parsed.orders) == MAX_LINES
    assert [(error.line, error.code) for error in parsed.errors] == [(MAX_LINES + 1, "too-much")]


def test_a_sheet_is_read_up_to_a_number_of_errors() -> None:
    """A mail that is not a sheet is not answered line by line."""
    parsed = read(*["nonsense"] * (MAX_ERRORS + 10), "HOLD")

    assert len(parsed.errors) == MAX_ERRORS + 1
    assert parsed.errors[-1].code == "too-much"
    assert parsed.orders == ()


def test_a_line_is_read_up_to_a_length() -> None:
    """The longest line allowed is read, a longer one refused."""
    longest = "HOLD ;" + "x" * (MAX_LINE - 6)

    assert read(longest).orders == (Hold(),)
    assert [error.code for error in read(longest + "x").errors] == ["too-long"]


def test_joined_lines_are_measured_together() -> None:
    """A continued line may not be longer than others."""
    assert [error.code for error in read(*["SCRAP Kite \\"] * 100).errors] == ["too-long"]


def test_a_game_may_read_some_lines_itself() -> None:
    """Orders among the lines are accepted in their places, and count as lines."""
    read_before = [(number, Hold()) for number in range(1, MAX_LINES)]
    parsed = BOOK.read(VIEW, [*read_before, (MAX_LINES, "SCRATCH"), (MAX_LINES + 1, Hold())])

    assert parsed.orders == (*(Hold(),) * (MAX_LINES - 1), Scratch())
    assert [(each.line, each.code) for each in parsed.findings] == [(MAX_LINES + 1, "too-much")]
