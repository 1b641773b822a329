"""The generator of lines with which the suite tries the order forms of games."""

from __future__ import annotations

from pbem.ruleset import Dice
from pbem.testing.form_rules import FormLine, generate_lines, misread, missing
from pbem.testing.play import standard_game
from tests.ruleset.fleet import BOOK, EMPTY_VIEW, VIEW
from tests.testing.toy import TOY, Fire

FIRE = TOY.orders.verbs[1]


def test_every_verb_is_written_short_and_long() -> None:
    """Lines are generated with all optional parts, with none, and with some."""
    written = [line.text for line in generate_lines(BOOK.desk(VIEW), Dice(b"seed")) if line.order == "load"]

    assert len(written) == 4
    assert len(written[0].split()) == 2
    assert "AT" in written[1]
    assert "FOR" in written[1]


def test_what_cannot_be_filled_in_is_not_written() -> None:
    """Orders that need a ship are not generated without one; those that need no name are."""
    assert {line.order for line in generate_lines(BOOK.desk(EMPTY_VIEW), Dice(b"seed"))} == {"scratch", "load", "hold"}


def test_a_field_read_as_something_else_is_found() -> None:
    """The order must hold what was chosen for each of its fields."""
    view = standard_game(TOY).steps[0].views["red"]
    line = FormLine("fire", "FIRE R1 AT A1", {"boat": ["R1"], "square": ["B2"]})

    assert misread(FIRE, Fire("R1", "A1"), line, view) == ["square: A1, not ('B2',)"]
    assert misread(FIRE, Fire("R1", "B2"), line, view) == []


def test_a_word_that_no_form_lets_through_is_found() -> None:
    """A boat that has sunk is offered by no form, and its name is reported."""
    view = {**standard_game(TOY).steps[0].views["red"], "boats": []}

    assert missing(FIRE, Fire("R1", "A1"), view) == ["boat: R1"]
