"""Dice rolls that a GM asks for, in the usual notation and with a label.

A roll follows from the dice of the campaign, its label and its number alone. So
it can be repeated by anyone who has the seed, and cannot be replaced by another:
the same label rolled again is a second roll, and each roll says its number and
how many there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pbem.ruleset.dice import Dice
from pbem.ruleset.fields import FieldError

MOST_DICE = 100
MOST_SIDES = 10_000
MOST_ADDED = 1_000_000
LONGEST_LABEL = 80

_FATE = "F"
_BEHIND = r"([0-9]{1,6}|%|F)(?:K(H|L)?([0-9]{1,6}))?(?:([+-])([0-9]{1,7}))?"
_NOTATION = re.compile(rf"([0-9]{{1,6}})?D{_BEHIND}")
# Notations as other languages have them (W, T), or with other text around them.
_ALMOST = re.compile(rf"([0-9]{{1,6}})?[DWT]{_BEHIND}")
_DROPPED = re.compile(r"([0-9]{1,6})D([0-9]{1,6})D(H|L)?([0-9]{1,6})")

# Typographic quotes and dashes of mail programs.
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))
_MINUS = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))


@dataclass(frozen=True, slots=True)
class DiceNotation:
    """A throw of `count` dice with `sides` sides; 0 sides stand for fate dice, of -1, 0 and 1.

    The `keep` highest dice count, or the `lowest` ones; all count if it is 0. `plus` is added.
    """

    count: int
    sides: int
    keep: int = 0
    lowest: bool = False
    plus: int = 0

    @property
    def text(self) -> str:
        """The notation, in its only spelling: "3d6+2", "d20", "d%", "4dF", "4d6k3", "2d20kl1"."""
        sides = {0: _FATE, 100: "%"}.get(self.sides, str(self.sides))
        keep = f"k{'l' if self.lowest else ''}{self.keep}" if self.keep else ""
        return f"{self.count if self.count > 1 else ''}d{sides}{keep}{f'{self.plus:+d}' if self.plus else ''}"

    def faces(self, dice: Dice, *key: str | int) -> tuple[int, ...]:
        if not self.sides:
            return tuple(dice.below(3, *key, at) - 1 for at in range(self.count))
        return tuple(dice.roll(self.sides, *key, at) for at in range(self.count))

    def counted_indexes(self, faces: Sequence[int]) -> frozenset[int]:
        """Return the indexes of the dice that count."""
        # Of equal faces the first: a roll is shown again from its faces, with the same dice in brackets.
        ranked = sorted(range(len(faces)), key=lambda at: (faces[at] if self.lowest else -faces[at], at))
        return frozenset(ranked[: self.keep or None])

    def words(self, faces: Sequence[int]) -> str:
        """Return each die in words, those that do not count in brackets, and the total: "4, 5, 1 + 2 = 12"."""
        kept = self.counted_indexes(faces)
        shown = [self._face(face) if at in kept else f"({self._face(face)})" for at, face in enumerate(faces)]
        added = f" {'+' if self.plus > 0 else '-'} {abs(self.plus)}" if self.plus else ""
        alone = len(faces) == 1 and not added and self.sides
        return shown[0] if alone else f"{', '.join(shown)}{added} = {self.total(faces)}"

    def total(self, faces: Sequence[int]) -> int:
        """Return the sum of the dice that count, plus `plus`."""
        return sum(faces[at] for at in self.counted_indexes(faces)) + self.plus

    def _face(self, face: int) -> str:
        return str(face) if self.sides else {-1: "-", 0: "0", 1: "+"}[face]


def parse_notation(text: str) -> DiceNotation:
    """Return the throw of a notation; case and blanks do not matter.

    >>> parse_notation("4d6 K3").text
    '4d6k3'

    Raises:
        FieldError: It is not a notation, or is out of bounds; the hint has the nearest valid one.
    """
    word = "".join(text.split()).translate(_MINUS).upper()
    found = _NOTATION.fullmatch(word)
    if found is None:
        raise FieldError(
            "not-dice",
            f"{text[:40]!r} is no dice such as 3d6+2, d20, d%, 4dF, 4d6k3 or 2d20kl1",
            _suggest_notation(word),
        )
    throw = _parse_match(found)
    nearest = _clamp(throw)
    if nearest != throw:
        raise FieldError(
            "out-of-bounds", f"{text[:40]!r} cannot be rolled: {_BOUNDS}", f"the nearest is {nearest.text}"
        )
    return throw


_BOUNDS = f"it is 1 to {MOST_DICE} dice of 2 to {MOST_SIDES} sides, of which one or more are kept, and all at most"


def _parse_match(found: re.Match[str]) -> DiceNotation:
    count, sides, end, keep, sign, plus = found.groups()
    many = {"%": 100, _FATE: 0}.get(sides)
    number = int(sides) or 1 if many is None else many
    kept = 0 if keep is None else int(keep) or -1  # "k0" is out of bounds, where no "k" at all is 0
    added = int(f"{sign}{plus}") if plus else 0
    return DiceNotation(1 if count is None else int(count), number, kept, end == "L", added)


def _clamp(throw: DiceNotation) -> DiceNotation:
    """Return the nearest throw within the bounds."""
    count = min(max(throw.count, 1), MOST_DICE)
    sides = throw.sides and min(max(throw.sides, 2), MOST_SIDES)
    keep = throw.keep and min(max(throw.keep, 1), count)
    return DiceNotation(count, sides, keep, throw.lowest, min(max(throw.plus, -MOST_ADDED), MOST_ADDED))


def _suggest_notation(word: str) -> str:
    dropped = _DROPPED.fullmatch(word)
    if dropped is not None:
        count, drop = int(dropped[1]), int(dropped[4])
        kept = DiceNotation(count, int(dropped[2]) or 2, max(count - drop, 1), dropped[3] == "H")
        return f"did you mean {_clamp(kept).text}?"
    found = _ALMOST.search(word)
    return f"did you mean {_clamp(_parse_match(found)).text}?" if found else "write it like 3d6+2"


def parse_label(text: str) -> str:
    """Return the words that a roll is for, on one line and without quotes around them. Raises FieldError."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text.translate(_QUOTES))
    # Labels are shown in double quotes, so there are none in them.
    label = " ".join(plain.split()).strip('"').strip().replace('"', "'")
    if not label:
        raise FieldError("missing-word", "expected what the roll is for", 'write it like 3d6+2 "ann storms the gate"')
    if label[0] in "+-":
        raise FieldError("extra-words", f"{label[:40]!r} stands behind the dice", "write these without blanks: 3d6+2")
    if len(label) > LONGEST_LABEL:
        raise FieldError("too-long", f"what a roll is for has {LONGEST_LABEL} characters at most, not {len(label)}")
    return label


@dataclass(frozen=True, slots=True)
class Roll:
    """Dice rolled by a GM.

    `label` says what the roll is for, `dice` is the notation, `number` counts the
    rolls of this turn with the same label from 1, `faces` are the dice, and `total` is
    the result.
    """

    label: str
    dice: str
    number: int
    faces: tuple[int, ...]
    total: int

    @property
    def key(self) -> str:
        """The label in one case, by which rolls are compared."""
        return self.label.casefold()

    def describe(self, count: int) -> str:
        """Return the roll in words; `count` is the number of rolls with its label.

        Example: `3d6+2 "the gate": 4, 5, 1 + 2 = 12 (roll 1 of 1)`.
        """
        return (
            f'{self.dice} "{self.label}": {parse_notation(self.dice).words(self.faces)} (roll {self.number} of {count})'
        )

    def to_json(self) -> dict[str, Any]:
        """Return the roll as JSON data, as records have it."""
        return asdict(self) | {"faces": list(self.faces)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Roll:
        """Return the roll from the data of `to_json`. Raises TypeError or KeyError for other data."""
        return cls(**{**data, "faces": tuple(data["faces"])})


def roll_notation(dice: Dice, notation: str, label: str, number: int) -> Roll:
    """Return the roll of this number for a label; it does not depend on other rolls.

    Raises:
        FieldError: The notation or the label cannot be read.
    """
    throw, label = parse_notation(notation), parse_label(label)
    # The key must not depend on other rolls, or their order would change the dice.
    faces = throw.faces(dice, label.casefold(), number)
    return Roll(label, throw.text, number, faces, throw.total(faces))


def count_rolls(rolls: Iterable[Roll], label: str) -> int:
    """Return the number of rolls for a label, regardless of case."""
    return sum(roll.key == label.casefold() for roll in rolls)


class Rolls:
    """The rolls of one turn: those made earlier, and the `fresh` ones."""

    def __init__(self, dice: Dice, made: Iterable[Roll] = ()) -> None:
        self._dice, self._made = dice, list(made)
        self.fresh: list[Roll] = []

    def roll(self, notation: str, label: str) -> Roll:
        """Make one more roll for a label.

        Raises:
            FieldError: The notation or the label cannot be read.
        """
        label = parse_label(label)
        roll = roll_notation(self._dice, notation, label, 1 + count_rolls(self._made, label))
        self._made.append(roll)
        self.fresh.append(roll)
        return roll

    def named(self, notation: str, label: str, number: int = 0) -> Roll:
        """Return the newest roll for a label, or the one of a number; the first roll for a label is made now.

        Args:
            notation: The dice: "3d6+2".
            label: The words that the roll is for.
            number: The number of the roll among those of its label, or 0 for the newest.

        Raises:
            FieldError: The roll was made with other dice, there are not so many, or notation or label cannot be read.
        """
        key, dice = parse_label(label).casefold(), parse_notation(notation).text
        made = [roll for roll in self._made if roll.key == key]
        if number > max(len(made), 1):
            raise FieldError("no-such-roll", f"there are {len(made)} rolls for {label!r}, and no #{number}")
        # Rolled only if it never was: a ruling that is submitted again has the same rolls (decision 33).
        if not made:
            return self.roll(notation, label)
        found = made[number - 1]
        if found.dice != dice:
            said = f"{found.dice} was rolled for {found.label!r}, not {dice}"
            raise FieldError("other-dice", said, f"write {found.dice}, or other words for another roll")
        return found
