"""Marches: which units of a line go where, as in "soldier 2 to 3,-1" or "C2 NE twice, C4 W"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pbem.ruleset import FieldError, show_word, suggest
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester.lexicon import MOST_STEPS, Lexeme
from pbem_rules.harvester.planet import NAMES as DIRECTIONS
from pbem_rules.harvester.units import HARVESTER, KIND_NAMES
from pbem_rules.harvester.units import NAMES as UNITS

H = UNITS[HARVESTER]
_QUIET = ("filler", "times", "comma", "verb", "all", "stay")


@dataclass
class March:
    """Units and their goal: directions, or the last of some hexes; a hex before it is the place where they start."""

    units: list[str] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)
    hexes: list[Hex] = field(default_factory=list)

    @property
    def goes(self) -> bool:
        """True if it has a goal."""
        return bool(self.ways or self.hexes)


def marches(words: Sequence[Lexeme], spots: Mapping[str, Hex], home: Hex) -> list[March]:
    """Return the marches that the words of a line order; `spots` are the places of the living units.

    Raises:
        FieldError: a word is unknown or ambiguous, or the line names no unit.
    """
    reader = _Marches(_with_hex(words), spots, home)
    for at, token in enumerate(reader.words):
        if token.sort not in _QUIET:
            reader.readers[token.sort](at, token)
        elif token.sort == "all" and not reader.behind(at, "kind"):
            reader.add(list(spots))
    for march in reader.found:
        if not march.units:
            possible = f"possible: {', '.join(spots)}" if spots else "you have none left"
            raise FieldError("missing-word", "the line names none of your units", possible)
    return reader.found


def _with_hex(words: Sequence[Lexeme]) -> list[Lexeme]:
    """Return the words with the last two numbers as a hex, if no other word gives a goal."""
    counts = [at for at, token in enumerate(words) if token.sort == "count"]
    if len(counts) < len("qr") or any(token.sort in ("way", "half", "hex") for token in words):
        return list(words)
    q, r = counts[-2:]
    spot = Lexeme("hex", f"{words[q].typed},{words[r].typed}", hex=(words[q].number, words[r].number))
    return [*words[:q], spot, *words[r + 1 :]]


class _Marches:
    """Parser of words into marches; a unit named after a way begins another march."""

    def __init__(self, words: Sequence[Lexeme], spots: Mapping[str, Hex], home: Hex) -> None:
        self.words, self.spots, self.home = words, spots, home
        self.found = [March()]
        self.last: tuple[str, ...] = ()
        self.times, self.leads = 1, False
        self.used = -1
        self.readers: Mapping[str, Callable[[int, Lexeme], None]] = {
            "unit": self._unit,
            "kind": self._kind,
            "way": self._way,
            "half": self._half,
            "count": self._count,
            "hex": self._hex,
            "to": self._to,
            "word": self._word,
        }

    @property
    def march(self) -> March:
        """The march that is being read."""
        return self.found[-1]

    def add(self, units: Sequence[str]) -> None:
        """Add units to this march, or to a new one if this has units and a goal already."""
        if self.march.units and self.march.goes:
            self.found.append(March())
            self.last, self.leads = (), False
        self.march.units += units

    def behind(self, at: int, *sorts: str) -> Lexeme | None:
        """Return the next significant word, if it is of one of these sorts."""
        token = next((token for token in self.words[at + 1 :] if token.sort not in ("filler", "times")), None)
        return token if token is not None and token.sort in sorts else None

    def _unit(self, at: int, token: Lexeme) -> None:
        if self._is_goal(at, token.value):
            self.march.hexes.append(self.home if token.value == H else self.spots[token.value])
        else:
            self.add([token.value])

    def _is_goal(self, at: int, unit: str) -> bool:
        """Return True if a unit is named as the goal of others."""
        bound = at > 0 and any(token.sort == "to" for token in self._before(at))
        away = bool(self.march.units) and not self.march.goes
        # A Harvester takes no steps by order, so its name after a unit is a goal even without TO.
        return away and (unit == H or (bound and unit in self.spots)) and self.march.units != [unit]

    def _before(self, at: int) -> Iterator[Lexeme]:
        """Yield the significant word before, if any."""
        for token in reversed(self.words[:at]):
            if token.sort != "filler":
                yield token
                return

    def _kind(self, at: int, token: Lexeme) -> None:
        number, unit = self.behind(at, "count"), self.behind(at, "unit")
        if len(token.typed) == 1 and unit is not None and at > 0 and self.words[at - 1].sort == "unit":
            named = f"{self.words[at - 1].typed} {token.typed} {unit.typed}"
            raise FieldError("ambiguous", f"{named!r} could be a convoy, which there is not", "name each unit once")
        if token.value == H:
            self._unit(at, Lexeme("unit", token.typed, value=H))
        elif number is not None and not token.many:
            self.used = self.words.index(number, at)
            self.add([f"{token.value}{number.number}"])
        elif unit is None or unit.value[0] != token.value:
            self.add(self._all_of(at, token))

    def _all_of(self, at: int, token: Lexeme) -> list[str]:
        """Return the units that a kind alone stands for. Raise FieldError if it may be one of several."""
        units = [name for name in self.spots if name[0] == token.value]
        every = token.many or any(before.sort == "all" for before in self._before(at))
        if not units:
            raise FieldError(
                "lost-unit", f"you have no {KIND_NAMES[token.value]} now", "possible: " + ", ".join(self.spots)
            )
        if len(units) > 1 and not every:
            text = f"{token.typed!r} could be {', '.join(units[:-1])} or {units[-1]}"
            raise FieldError("ambiguous", text, "write it in full")
        return units

    def _way(self, at: int, token: Lexeme) -> None:
        self.last = token.ways * self.times
        self.times = 1
        self._walk(self.last)

    def _walk(self, ways: Sequence[str]) -> None:
        self.march.ways += ways[: MOST_STEPS - len(self.march.ways)]

    def _half(self, at: int, token: Lexeme) -> None:
        number = self.behind(at, "count")
        if token.value == "S" and number is not None and not self.march.units:
            self.used = self.words.index(number, at)
            self.add([f"S{number.number}"])
            return
        # "S" is short for Soldier where no unit is named yet, for south after one.
        if token.typed == "s" and not self.march.units:
            self.add(self._all_of(at, token))
            return
        ways = [name for name in DIRECTIONS if name[0] == token.value]
        raise FieldError("ambiguous", f"{token.typed!r} could be {' or '.join(ways)}", "write it in full")

    def _count(self, at: int, token: Lexeme) -> None:
        if at == self.used:
            return
        number = min(token.number, MOST_STEPS)
        if number < 1:
            raise FieldError("out-of-bounds", f"{token.typed} times is no number of steps: the least is 1")
        if self._leads(at, token):
            self.times, self.leads = number, True
        elif self.last:
            self._walk(self.last * (number - 1))
        else:
            self._word(at, token)

    def _leads(self, at: int, token: Lexeme) -> bool:
        """Return True if a number belongs to the direction after it, not to the one before."""
        if self.behind(at, "way") is None:
            return False
        parted = at > 0 and self.words[at - 1].sort == "comma"
        return not self.last or parted or (self.leads and not token.value)

    def _hex(self, at: int, token: Lexeme) -> None:
        self.march.hexes.append(token.hex)

    def _to(self, at: int, token: Lexeme) -> None:
        """Do nothing: TO leads on to a hex, a unit or a direction."""

    def _word(self, at: int, token: Lexeme) -> None:
        named = token.typed.strip(".!?:()")[:40]
        if not self.march.units:
            possible = "possible: " + ", ".join(self.spots) if self.spots else "you have none left"
            raise FieldError("unknown-name", f"you have no unit {show_word(named)}", possible, named)
        raise FieldError("unknown-name", f"{show_word(named)} is not a direction", suggest(named, DIRECTIONS), named)
