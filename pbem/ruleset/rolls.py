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
_ALMOST = re.compile(rf"([0-9]{{1,6}})?[DWT]{_BEHIND}")
"""As it is written in other languages, or with more around it than is read."""
_DROPPED = re.compile(r"([0-9]{1,6})D([0-9]{1,6})D(H|L)?([0-9]{1,6})")

_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))
_MINUS = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))


@dataclass(frozen=True, slots=True)
class DiceNotation:
    """So many dice of so many sides; with 0 sides they are fate dice, of -1, 0 and 1.

    Of all dice the `keep` highest or `lowest` count (all, if it is 0), and `plus` is added.
    """

    count: int
    sides: int
    keep: int = 0
    lowest: bool = False
    plus: int = 0

    @property
    def text(self) -> str:
        """The notation, in one spelling: "3d6+2", "d20", "d%", "4dF", "4d6k3", "2d20kl1"."""
        sides = {0: _FATE, 100: "%"}.get(self.sides, str(self.sides))
        keep = f"k{'l' if self.lowest else ''}{self.keep}" if self.keep else ""
        return f"{self.count if self.count > 1 else ''}d{sides}{keep}{f'{self.plus:+d}' if self.plus else ''}"

    def faces(self, dice: Dice, *key: str | int) -> tuple[int, ...]:
        """What the dice show."""
        if not self.sides:
            return tuple(dice.below(3, *key, at) - 1 for at in range(self.count))
        return tuple(dice.roll(self.sides, *key, at) for at in range(self.count))

    def kept(self, faces: Sequence[int]) -> frozenset[int]:
        """The places of the dice that count."""
        ranked = sorted(range(len(faces)), key=lambda at: (faces[at] if self.lowest else -faces[at], at))
        return frozenset(ranked[: self.keep or None])

    def told(self, faces: Sequence[int]) -> str:
        """Each die in words, those that do not count in brackets, and what it comes to: "4, 5, 1 + 2 = 12"."""
        kept = self.kept(faces)
        shown = [self._face(face) if at in kept else f"({self._face(face)})" for at, face in enumerate(faces)]
        added = f" {'+' if self.plus > 0 else '-'} {abs(self.plus)}" if self.plus else ""
        alone = len(faces) == 1 and not added and self.sides
        return shown[0] if alone else f"{', '.join(shown)}{added} = {self.total(faces)}"

    def total(self, faces: Sequence[int]) -> int:
        """The sum of the dice that count, and of what is added."""
        return sum(faces[at] for at in self.kept(faces)) + self.plus

    def _face(self, face: int) -> str:
        return str(face) if self.sides else {-1: "-", 0: "0", 1: "+"}[face]


def parse_notation(text: str) -> DiceNotation:
    """The throw of a notation, whatever its case and blanks. Raises FieldError with the nearest that is one."""
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
    """The nearest throw within the bounds."""
    count = min(max(throw.count, 1), MOST_DICE)
    sides = throw.sides and min(max(throw.sides, 2), MOST_SIDES)
    keep = throw.keep and min(max(throw.keep, 1), count)
    return DiceNotation(count, sides, keep, throw.lowest, min(max(throw.plus, -MOST_ADDED), MOST_ADDED))


def _suggest_notation(word: str) -> str:
    """The nearest throw to what is none, as a hint."""
    dropped = _DROPPED.fullmatch(word)
    if dropped is not None:
        count, drop = int(dropped[1]), int(dropped[4])
        kept = DiceNotation(count, int(dropped[2]) or 2, max(count - drop, 1), dropped[3] == "H")
        return f"did you mean {_clamp(kept).text}?"
    found = _ALMOST.search(word)
    return f"did you mean {_clamp(_parse_match(found)).text}?" if found else "write it like 3d6+2"


def parse_label(text: str) -> str:
    """The words that a roll is for, on one line and without the quotes around them. Raises FieldError."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text.translate(_QUOTES))
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
    """Dice that were rolled: for which words, in which notation, how often with these words, and what they show."""

    label: str
    dice: str
    number: int
    faces: tuple[int, ...]
    total: int

    @property
    def key(self) -> str:
        """What its words are known by: case does not count."""
        return self.label.casefold()

    def told(self, count: int) -> str:
        """The roll in words, of so many with its label: `3d6+2 "the gate": 4, 5, 1 + 2 = 12 (roll 1 of 1)`."""
        return (
            f'{self.dice} "{self.label}": {parse_notation(self.dice).told(self.faces)} (roll {self.number} of {count})'
        )

    def to_json(self) -> dict[str, Any]:
        """The roll as records have it."""
        return asdict(self) | {"faces": list(self.faces)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Roll:
        """The roll of `to_json` data. Raises TypeError or KeyError on other data."""
        return cls(**{**data, "faces": tuple(data["faces"])})


def roll_notation(dice: Dice, notation: str, label: str, number: int) -> Roll:
    """The roll of this number for a label, whatever others were rolled. Raises FieldError."""
    throw, label = parse_notation(notation), parse_label(label)
    faces = throw.faces(dice, label.casefold(), number)
    return Roll(label, throw.text, number, faces, throw.total(faces))


def count_rolls(rolls: Iterable[Roll], label: str) -> int:
    """How many of some rolls are for a label."""
    return sum(roll.key == label.casefold() for roll in rolls)


class Rolls:
    """The rolls of one turn: those that were made, in their order, and those that come now, which are `fresh`."""

    def __init__(self, dice: Dice, made: Iterable[Roll] = ()) -> None:
        self._dice, self._made = dice, list(made)
        self.fresh: list[Roll] = []

    def roll(self, notation: str, label: str) -> Roll:
        """Rolls once more for a label. Raises FieldError."""
        label = parse_label(label)
        roll = roll_notation(self._dice, notation, label, 1 + count_rolls(self._made, label))
        self._made.append(roll)
        self.fresh.append(roll)
        return roll

    def named(self, notation: str, label: str, number: int = 0) -> Roll:
        """The newest roll for a label, or that of a number; the first one is made now.

        Raises FieldError, also if it was of other dice, or there are not so many.
        """
        key, dice = parse_label(label).casefold(), parse_notation(notation).text
        made = [roll for roll in self._made if roll.key == key]
        if number > max(len(made), 1):
            raise FieldError("no-such-roll", f"there are {len(made)} rolls for {label!r}, and no #{number}")
        if not made:
            return self.roll(notation, label)
        found = made[number - 1]
        if found.dice != dice:
            said = f"{found.dice} was rolled for {found.label!r}, not {dice}"
            raise FieldError("other-dice", said, f"write {found.dice}, or other words for another roll")
        return found
