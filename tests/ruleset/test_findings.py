"""Findings on lines that cannot be read. Codes are stable; texts and hints help."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType

import pytest

from pbem.ruleset import FieldError, IntegerField, NameField, match_name, parse_bounded, suggest
from tests.ruleset.fleet import EMPTY_VIEW, VIEW, finding, read

BAD = {
    "FLY Kite": ("unknown-verb", "there is no order FLY", ""),
    "SIAL Kite VIA Ayr": ("unknown-verb", "there is no order SIAL", "did you mean SAIL?"),
    "SA Kite VIA Ayr": ("unknown-verb", "there is no order SA", "did you mean SAIL?"),
    '"" Kite': ("unknown-verb", "there is no order ''", ""),
    "SCR Kite": ("ambiguous-verb", "SCR could be SCRAP or SCRATCH", "write it in full"),
    "SAIL": ("missing-word", "the line ends where one of your ships belongs", "write: SAIL"),
    "SAIL Kite": ("missing-word", "the line ends where VIA belongs", "write: SAIL"),
    "SAIL Kite NEAR Ayr": ("missing-word", "NEAR stands where VIA belongs", "write: SAIL"),
    "SAIL Kite VIA": ("missing-word", "the line ends where a port belongs", "write: SAIL"),
    "SAIL Kite VIA WITH corn": ("missing-word", "WITH stands where a port belongs", "write: SAIL"),
    "SAIL Kite VIA Ayr WITH": ("missing-word", "the line ends where one of iron, corn, Coral belongs", "write: SAIL"),
    "SAIL Kiet VIA Ayr": ("unknown-name", "Kiet is not one of your ships", "did you mean Kite?"),
    'SAIL "" VIA Ayr': ("unknown-name", "'' is not one of your ships", "possible: Red Star"),
    "SAIL Red VIA Ayr": ("ambiguous", "Red could be Red Star or Red Dawn", "write it in full"),
    "SAIL K VIA Ayr": ("ambiguous", "K could be Kite or kestrel", "write it in full"),
    "SAIL Kite VIA Ayr WITH gold": ("unknown-name", "gold is not one of iron, corn, Coral", "possible: iron"),
    "SAIL Kite VIA Ayr WITH corn TIMES x": (
        "not-a-number",
        "x is not a whole number from -5 to 300",
        "write:",
    ),
    "SAIL Kite VIA Ayr WITH corn TIMES 1.5": ("not-a-number", "1.5 is not a whole number", "write: SAIL"),
    "SAIL Kite VIA Ayr WITH corn TIMES 301": (
        "out-of-bounds",
        "301 is not a whole number from -5 to 300",
        "the nearest is 300",
    ),
    "SAIL Kite VIA Ayr WITH corn TIMES -6": (
        "out-of-bounds",
        "-6 is not a whole number from -5 to 300",
        "the nearest is -5",
    ),
    "SAIL Kite VIA Ayr WITH corn TIMES 3 4": ("extra-words", "4 is more than SAIL takes", "write: SAIL"),
    "SAIL Kite VIA Ayr TIMES 3": ("unknown-name", "TIMES is not a port", ""),
    "SCRATCH Kiet": ("extra-words", "Kiet is more than SCRATCH takes", "write: SCRATCH [<ship>...] [AT <port>]"),
    "DECLARE": ("missing-word", "the line ends where WAR belongs", "write: DECLARE WAR ON <port>"),
    "DECLARE PEACE UNDER Ayr": ("missing-word", "UNDER stands where WITH belongs", "write: DECLARE PEACE WITH"),
    "DECLARE PEACE WITH Ayr often": ("not-a-number", "often is not a whole number", "write: DECLARE PEACE"),
    "HOLD Kite F1": ("extra-words", "'Kite F1' is more than HOLD takes", "write: HOLD"),
}


@pytest.mark.parametrize(("line", "told"), BAD.items(), ids=BAD)
def test_a_bad_line_is_explained(line: str, told: tuple[str, str, str]) -> None:
    """A finding says what is wrong as a fact, with the nearest valid word or the usage."""
    code, text, hint = finding(line)

    assert code == told[0]
    assert told[1] in text
    assert hint.startswith(told[2])


def test_every_code_has_a_case() -> None:
    """All codes of findings are tested; the limits have tests of their own."""
    codes = {"unknown-verb", "ambiguous-verb", "missing-word", "extra-words", "unknown-name", "ambiguous"}

    assert {told[0] for told in BAD.values()} == codes | {"not-a-number", "out-of-bounds"}


def test_the_verb_that_was_read_furthest_explains_the_line() -> None:
    """Of two orders with the same first word, the error is of the one whose words fit longest."""
    assert finding("DECLARE PEACE WITH Bahth")[1:] == ("Bahth is not a port", "did you mean Bath?")


def test_where_there_is_nothing_to_name_the_player_is_told_so() -> None:
    """An order for a ship of a player without ships is answered clearly."""
    assert finding("SCRAP Kite", view=EMPTY_VIEW)[2] == "there is none now"


@pytest.mark.parametrize("word", ["\x00\x1b[2J", "🚀", "\u202e", "x" * 400, "\ud800", "'"])
def test_a_strange_word_is_shown_safely(word: str) -> None:
    """Control characters are escaped in findings."""
    (found,) = read(f"SCRAP {word}").findings

    assert found.code == "unknown-name"
    assert found.text.isprintable()


def test_a_name_is_found_by_case_then_by_its_only_beginning() -> None:
    """The full name takes precedence over longer ones that begin with it."""
    names = ("F1", "F10", "G2")

    assert match_name("f1", names, "a ship") == "F1"
    assert match_name("g", names, "a ship") == "G2"
    with pytest.raises(FieldError) as refused:
        match_name("f", names, "a ship")
    assert refused.value.code == "ambiguous"


def test_an_empty_name_is_no_beginning() -> None:
    """An empty pair of quotes does not mean the only ship."""
    with pytest.raises(FieldError) as refused:
        match_name("", ("Kite",), "a ship")

    assert refused.value.code == "unknown-name"


def test_many_choices_are_not_all_listed() -> None:
    """Hints and findings stay short however many names there are."""
    names = [f"Ship{number}" for number in range(100)]

    assert suggest("zzz", names) == ""
    assert suggest("zzz", names[:3]) == "possible: Ship0, Ship1, Ship2"
    with pytest.raises(FieldError, match=r"Ship0, Ship1, Ship2, Ship3, Ship4, Ship5 or others"):
        match_name("Ship", names, "a ship")


def test_a_hint_among_thousands_of_names() -> None:
    """The nearest name is found without comparing the word with most of the others."""
    names = [f"unit-{number}" for number in range(10_000)]
    compared = Counter[str]()

    def called(frame: FrameType, event: str, _argument: object) -> None:
        compared[frame.f_code.co_name] += event == "call"

    sys.setprofile(called)
    try:
        hint = suggest("unt-1234", names)
    finally:
        sys.setprofile(None)

    assert hint == "did you mean unit-1234?"
    assert 0 < compared["_count_slips"] <= 200


OTHER_WORDS = [
    ("STAY", ["DESTROY", "ALLY"]),
    ("MAYBE", ["YES", "NO", "PERHAPS"]),
    ("clockwise", ["CCW", "CW"]),
    ("CW", ["CCW", "WC"]),
    ("fix", ["FIRE", "MIX"]),
    ("R427", ["R472", "R42", "B427"]),
    ("E", ["N", "NE", "SE"]),
    ("northeast", ["northwest", "southeast"]),
    ("J6+3", ["J6-3", "J5+3"]),
    ("UNLOAD", ["LOAD"]),
    ("d4", ["d5", "e4"]),
]


@pytest.mark.parametrize(("word", "names"), OTHER_WORDS, ids=[word for word, _ in OTHER_WORDS])
def test_another_meaning_is_no_hint(word: str, names: list[str]) -> None:
    """A similar id, direction or word with another meaning is not suggested."""
    assert "did you mean" not in suggest(word, names)


SLIPS = {
    "Kiet": "Kite",
    "SIAL": "SAIL",
    "crusier": "Cruiser",
    "bassestarr": "Basestar",
    "destory": "DESTROY",
    "SA": "SAIL",
}


@pytest.mark.parametrize(("word", "name"), SLIPS.items(), ids=SLIPS)
def test_a_slip_of_the_pen_is_a_hint(word: str, name: str) -> None:
    """A character swapped, left out, changed or doubled, or a word cut short, is recognised."""
    assert suggest(word, ["Harbour", name, "Zebra", *"abcdefgh"]) == f"did you mean {name}?"


def test_bounds_that_leave_nothing_are_told_as_such() -> None:
    """No error asks for a number from 0 to 0."""
    for high in (0, -1):
        with pytest.raises(FieldError) as refused:
            parse_bounded("2", 0, high, "a number", none="you can buy none")
        assert (refused.value.text, refused.value.hint) == ("2 is too high: you can buy none", "leave this line out")


@pytest.mark.parametrize(("word", "number"), [("2x", 2), ("x3", 3), ("×4", 4), ("five", 5), ("Twelve", 12)])
def test_a_count_as_people_write_it(word: str, number: int) -> None:
    """Repetitions and small numbers in words are numbers."""
    assert IntegerField(1, 20).read(word, VIEW) == number


@pytest.mark.parametrize("word", ["", "+", "-", "1e3", "٣", "1 ", "1000000000000", "0x1", "1_0"])
def test_only_plain_digits_are_a_number(word: str) -> None:
    """Numbers in other scripts, with decimal points, exponents or too many digits are refused, not converted."""
    with pytest.raises(FieldError) as refused:
        IntegerField(0, 10**12).read(word, VIEW)

    assert refused.value.code == "not-a-number"


def test_a_kind_names_what_it_expects() -> None:
    """Bounds and examples of a field follow from its declaration, unless it has texts of its own."""
    assert IntegerField(1, 6).expected == "a whole number from 1 to 6"
    assert IntegerField(1, 6, expected="a face of the die").expected == "a face of the die"
    assert IntegerField(1, 6).samples(VIEW) == ["1", "3", "6"]
    assert NameField("ship", "a ship", "Kite", lambda view: view["ships"]).samples(VIEW) == VIEW["ships"]
