"""Rolls of a GM: the usual notations, labels and numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.ruleset import Dice, FieldError, Rolls, roll_notation
from pbem.ruleset.rolls import DiceNotation, parse_notation

DICE = Dice(b"seed").within("rolls", 1)


@pytest.mark.parametrize(
    ("typed", "text", "faces", "told"),
    [
        ("3d6+2", "3d6+2", (4, 5, 1), "4, 5, 1 + 2 = 12"),
        (" 2 D6 – 1", "2d6-1", (3, 3), "3, 3 - 1 = 5"),
        ("d20", "d20", (17,), "17"),
        ("1d6+3", "d6+3", (2,), "2 + 3 = 5"),
        ("d%", "d%", (88,), "88"),
        ("d100", "d%", (88,), "88"),
        ("4dF", "4dF", (1, -1, 0, 1), "+, -, 0, + = 1"),
        ("dF", "dF", (-1,), "- = -1"),
        ("4d6k3", "4d6k3", (2, 6, 2, 5), "2, 6, (2), 5 = 13"),
        ("2d20kh1", "2d20k1", (3, 18), "(3), 18 = 18"),
        ("2d20kl1", "2d20kl1", (3, 18), "3, (18) = 3"),
    ],
)
def test_the_usual_notations_are_read(typed: str, text: str, faces: tuple[int, ...], told: str) -> None:
    """Each throw has one spelling, and each die is told; those that do not count are in brackets."""
    throw = parse_notation(typed)

    assert (throw.text, throw.words(faces)) == (text, told)
    assert parse_notation(throw.text) == throw


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("3w6", "did you mean 3d6?"),
        ("3d6*2", "did you mean 3d6?"),
        ("4d6dl1", "did you mean 4d6k3?"),
        ("2d20dh1", "did you mean 2d20kl1?"),
        ("500d6", "the nearest is 100d6"),
        ("0d6", "the nearest is d6"),
        ("2d1", "the nearest is 2d2"),
        ("4d6k9", "the nearest is 4d6k4"),
        ("4d6k0", "the nearest is 4d6k1"),
        ("2d6+9999999", "the nearest is 2d6+1000000"),
        ("a die", "write it like 3d6+2"),
        ("", "write it like 3d6+2"),
    ],
)
def test_what_is_no_dice_is_named_with_the_nearest(typed: str, hint: str) -> None:
    """The suggested notation is valid."""
    with pytest.raises(FieldError) as refused:
        parse_notation(typed)

    assert refused.value.hint == hint
    assert parse_notation(hint.rstrip("?").split()[-1]).count >= 1


@given(st.text(max_size=30))
def test_no_text_is_too_odd(text: str) -> None:
    """Any text is a throw within its bounds, or refused."""
    try:
        throw = parse_notation(text)
    except FieldError:
        return
    assert 1 <= throw.count <= 100


@pytest.mark.parametrize("throw", [DiceNotation(60, 6), DiceNotation(60, 0), DiceNotation(60, 100)])
def test_dice_show_no_more_than_they_have_sides(throw: DiceNotation) -> None:
    """Every side comes up in some throws, and nothing else."""
    faces = {face for number in range(30) for face in throw.faces(DICE, "x", number)}

    assert faces == (set(range(1, throw.sides + 1)) if throw.sides else {-1, 0, 1})


def test_the_same_words_again_are_a_second_roll() -> None:
    """Labels are equal regardless of case, quotes and blanks; the second roll is another, and each tells its number."""
    rolls = Rolls(DICE)
    first, second = rolls.roll("3d6", "the gate"), rolls.roll("3d6", " “The  gate” ")

    assert (first.number, second.number) == (1, 2)
    assert first.faces != second.faces
    assert second.describe(2).endswith("(roll 2 of 2)")
    assert rolls.fresh == [first, second]


def test_a_roll_depends_on_nothing_but_its_words_and_number() -> None:
    """Earlier rolls do not change a roll, so anyone who has the seed can repeat it."""
    alone, later = Rolls(DICE), Rolls(DICE)
    later.roll("d20", "a spy")

    assert alone.roll("3d6", "the gate") == later.roll("3d6", "the gate") == roll_notation(DICE, "3d6", "the gate", 1)
    assert alone.roll("3d6", "THE GATE").faces == roll_notation(DICE, "3d6", "the gate", 2).faces


def test_a_roll_that_is_named_is_not_rolled_anew() -> None:
    """A label means its newest roll, or that of a number; it is rolled only if it never was."""
    made = (roll_notation(DICE, "3d6", "the gate", 1), roll_notation(DICE, "3d6", "the gate", 2))
    rolls = Rolls(DICE, made)

    assert rolls.named("3d6", "THE gate") == made[1]
    assert rolls.named("3d6", "the gate", 1) == made[0]
    assert rolls.fresh == []
    assert rolls.named("d6", "a spy").number == 1
    assert [roll.label for roll in rolls.fresh] == ["a spy"]


@pytest.mark.parametrize(("notation", "number", "code"), [("d20", 0, "other-dice"), ("3d6", 2, "no-such-roll")])
def test_a_roll_that_was_never_made_is_refused(notation: str, number: int, code: str) -> None:
    """Other dice, or more rolls than were made, are an error."""
    rolls = Rolls(DICE, [roll_notation(DICE, "3d6", "the gate", 1)])

    with pytest.raises(FieldError) as refused:
        rolls.named(notation, "the gate", number)
    assert (refused.value.code, rolls.fresh) == (code, [])


@pytest.mark.parametrize(
    ("label", "code"), [(' "" ', "missing-word"), ("x" * 81, "too-long"), ("+ 2 the gate", "extra-words")]
)
def test_a_roll_is_for_something(label: str, code: str) -> None:
    """A label is some words on one line."""
    with pytest.raises(FieldError) as refused:
        Rolls(DICE).roll("3d6", label)
    assert refused.value.code == code
