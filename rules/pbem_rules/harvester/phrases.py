"""Lenient reading of order lines, rewritten in the form of the order parser.

A phrase is read by the meaning of its words (`pbem_rules.harvester.lexicon`): a line
may order several units, name them in full, give a hex to go to, or have no
verb at all. A line that is no phrase goes to the order parser as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pbem.ruleset import FieldError, Order, without_comment
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.lexicon import Lexeme, tokens
from pbem_rules.harvester.marches import March, marches
from pbem_rules.harvester.orders import ORDERS, Build, Destroy, DestroyHarvester, Drop, Move, Target, unit_words
from pbem_rules.harvester.planet import NAMES as DIRECTIONS
from pbem_rules.harvester.routes import ShortestWay, route_to, written
from pbem_rules.harvester.units import HARVESTER, KIND_NAMES
from pbem_rules.harvester.units import NAMES as UNITS

SHORTEST_ABBREVIATION = 3
H = UNITS[HARVESTER]
_NO_ORDER = "no order is needed for what stays where it is: a unit without one does"

_WAYS = frozenset(DIRECTIONS)
_NUMBER = re.compile(r"-?[0-9]{1,5}")


@dataclass
class Phrase:
    """The result of a line: orders, or lines for the order parser, and remarks as severity and words."""

    lines: list[str | Order] = field(default_factory=list)
    told: list[tuple[str, FieldError]] = field(default_factory=list)

    def order(self, order: Order) -> None:
        self.lines.append(ORDERS.line(order))

    def tell(self, severity: str, code: str, text: str, hint: str = "") -> None:
        """Add a remark on the line."""
        self.told.append((severity, FieldError(code, text, hint)))


def read_phrase(atlas: Atlas, line: str) -> Phrase:
    """Return the reading of a line.

    Raises:
        FieldError: the meaning is plain, and the order is impossible.
    """
    if order := _by_the_book(atlas, line):
        return Phrase([order])
    body = without_comment(line)
    phrase = _read(atlas, body)
    return phrase if phrase.lines or phrase.told else Phrase([body])


def _by_the_book(atlas: Atlas, line: str) -> Order | None:
    """Return the order of a line that is one word for word, as most lines of a large campaign are."""
    match line.split(" "):
        case ["MOVE", unit, *steps] if steps and unit in atlas.units and _WAYS.issuperset(steps):
            return Move(unit, tuple(steps))
        case ["TARGET", q, r] if _NUMBER.fullmatch(q) and _NUMBER.fullmatch(r):
            return Target(int(q), int(r))
        case ["BUILD", unit] if unit in atlas.view["lost"]:
            return Build(unit)
    return None


def _read(atlas: Atlas, body: str) -> Phrase:
    """Return the reading of a line without remarks; an empty one if it is no phrase."""
    phrase = Phrase()
    if atlas.view["over"] or atlas.view["harvester"] is None:
        return phrase
    if ORDERS.ends_seat(body):
        phrase.order(DestroyHarvester())
        return phrase
    for words in _clauses(_with_verb(tokens(body))):
        reader = _ClauseReader(atlas, words)
        reader.read()
        if not reader.phrase.lines and not reader.phrase.told:
            return Phrase()
        phrase.lines += reader.phrase.lines
        phrase.told += reader.phrase.told
    return phrase


def _clauses(words: Sequence[Lexeme]) -> Iterator[list[Lexeme]]:
    """Split the words of a line before each verb but the first."""
    clause: list[Lexeme] = []
    for token in words:
        begun = any(before.sort == "verb" for before in clause)
        if token.sort == "verb" and begun and any(before.sort not in ("verb", "filler", "comma") for before in clause):
            yield clause
            clause = []
        clause.append(token)
    if clause:
        yield clause


def _with_verb(words: list[Lexeme]) -> list[Lexeme]:
    """Expand the first word if it abbreviates one verb."""
    at = next((at for at, token in enumerate(words) if token.sort not in ("filler", "comma")), None)
    if at is None:
        return words
    first = words[at]
    typed = first.typed.strip(".:").upper()
    starts = {verb.word for verb in ORDERS.verbs if verb.word.startswith(typed)}
    if first.sort == "word" and len(typed) >= SHORTEST_ABBREVIATION and len(starts) == 1:
        words[at] = replace(first, sort="verb", value=starts.pop())
    elif first.sort == "times" and first.typed.startswith("step"):
        words[at] = replace(first, sort="verb", value="MOVE")
    return words


class _ClauseReader:
    """Reader of the words of one clause."""

    def __init__(self, atlas: Atlas, words: Sequence[Lexeme]) -> None:
        self.view, self.words, self.phrase = atlas.view, words, Phrase()
        self.atlas, self.spots = atlas, atlas.units

    def read(self) -> None:
        """Find the order that the clause means, and write it. Raise FieldError if it cannot be given."""
        readers = {
            "MOVE": self._move,
            "TARGET": self._target,
            "BUILD": self._build,
            "DROP": self._drop,
            "DESTROY": self._destroy,
            "SELF-DESTRUCT": self._self_destruct,
            "FIGHT": self._fight,
            "SCAN": self._scan,
            "STAY": self._stay,
        }
        wanted = self._wanted()
        if wanted in readers:
            readers[wanted]()

    def _wanted(self) -> str:
        """Return the verb of the clause; one that begins with a unit moves it, or lets it stay."""
        first = next((token for token in self.words if token.sort not in ("filler", "comma")), None)
        if first is None or first.sort not in ("verb", "unit", "kind", "all", "stay"):
            return ""
        verb = next((token.value for token in self.words if token.sort == "verb"), "MOVE")
        idle = bool(self._of("stay")) and not self._of("way", "hex", "half", "count")
        return "STAY" if idle and verb == "MOVE" else "" if first.sort == "stay" else verb

    def _of(self, *sorts: str) -> list[Lexeme]:
        return [token for token in self.words if token.sort in sorts]

    # -- moving

    def _move(self) -> None:
        for march in marches(self.words, self.spots, (self.view["harvester"]["q"], self.view["harvester"]["r"])):
            self._order(march)
        for token in self._of("way"):
            if token.turned:
                self.phrase.tell("note", "read-as", f"{token.typed} was read as {' '.join(token.ways)}")

    def _order(self, march: March) -> None:
        """Order each unit of a march, with a remark on those that cannot go. Raise FieldError if none can."""
        if not march.goes:
            self._require_units(march.units)
        units = self._known(march.units)
        faults = []
        for unit in units:
            try:
                self._send(march) if unit == H else self._go(unit, march)
            except FieldError as refused:
                faults.append(refused)
        # Of units named together those that can go do.
        if len(faults) == len(units):
            raise faults[0]
        self._leave_out(faults)

    def _require_units(self, named: Sequence[str]) -> None:
        """Raise FieldError on a name of no unit in a line that says of no goal: it may be meant as one, such as A13."""
        for unit in named:
            if unit not in self.spots and unit not in (H, *self.view["lost"]):
                text = f"{unit} is neither a unit of yours nor a hex, which has two numbers such as 3,-2"
                raise FieldError("unknown-name", text, "write: MOVE <unit> <direction>... or MOVE <unit> TO <q>,<r>")

    def _leave_out(self, faults: Sequence[FieldError]) -> None:
        for fault in faults:
            self.phrase.tell("warning", fault.code, f"left out: {fault.text}", fault.hint)

    def _known(self, named: Sequence[str]) -> list[str]:
        """Return the named units that can be ordered, with remarks on the others. Raise FieldError if none can."""
        known = [unit for unit in dict.fromkeys(named) if unit in self.spots or unit == H]
        faults = [self._stranger(unit) for unit in dict.fromkeys(named) if unit not in known]
        if not known:
            raise faults[0]
        self._leave_out(faults)
        return known

    def _stranger(self, unit: str) -> FieldError:
        """Return the reason why a unit cannot be ordered."""
        if unit in self.view["lost"]:
            return FieldError("lost-unit", f"your {unit_words(unit)} is lost", "lost units can be rebuilt, with BUILD")
        alike = [name for name in self.spots if name[0] == unit[0]] or list(self.spots)
        return FieldError("unknown-name", f"you have no unit {unit}", "possible: " + ", ".join(alike) if alike else "")

    def _go(self, unit: str, march: March) -> None:
        if march.hexes and march.ways:
            raise FieldError("two-ways", "the line names directions and a hex to go to", "write one of them")
        if len(march.hexes) > 1 and self.atlas.named(march.hexes[0]) != self.spots[unit]:
            text = f"{unit_words(unit)} is at {written(self.spots[unit])}, not at {written(march.hexes[0])}"
            raise FieldError("not-there", text)
        if not march.hexes:
            self.phrase.lines.append(" ".join(["MOVE", unit, *march.ways]))
            return
        route = route_to(self.atlas, unit, self.spots[unit], march.hexes[-1])
        self.phrase.order(Move(unit, route.way))
        self.phrase.told.append(("note", told_route(unit, route)))

    def _send(self, march: March) -> None:
        """Set the Harvester's target."""
        if not march.hexes:
            text = "your Harvester takes no steps by order: it goes to a target by itself, a step a turn"
            raise FieldError("harvester", text, "write: TARGET <q>,<r>, a hex with resources")
        self.phrase.order(Target(*march.hexes[-1]))

    # -- other orders

    def _target(self) -> None:
        spots = [token.hex for token in self._of("hex")]
        numbers = [token.number for token in self._of("count")]
        if len(numbers) == len("qr"):
            spots.append((numbers[0], numbers[1]))
        if not spots:
            known = [written(spot) for spot in self._fields()]
            hint = f"your scanners tell of {'; '.join(known[:5])}" if known else "write: TARGET <q>,<r>"
            raise FieldError("no-hex", "the line names no hex with resources, by two whole numbers such as 3,-2", hint)
        more = [token.value for token in self._of("unit") if token.value != H]
        if more:
            raise FieldError("extra-words", f"{more[0]} is more than TARGET takes", "write: TARGET <q>,<r>")
        # A unit and its way beside it are an order of their own.
        if len(spots) == 1 and not self._of("word", "way"):
            self.phrase.order(Target(*spots[0]))

    def _fields(self) -> list[Hex]:
        """Return the hexes that may hold a resource, the nearest first."""
        home = self.atlas.home
        return sorted(set(self.atlas.marked) - {home}, key=lambda spot: (self.atlas.distance(home, spot), spot))

    def _build(self) -> None:
        named = self._to_build()
        if not named or self._of("word", "way"):
            return
        lost = [unit for unit in named if unit in self.view["lost"]]
        if not lost:
            raise self._not_lost(named[0])
        self.phrase.order(Build(lost[0]))
        count = next((token.number for token in self._of("count")), 1)
        if len(named) > 1 or (count > 1 and not self._numbered()):
            others = f"; {', '.join(lost[1:])} must wait" if lost[1:] else ""
            self.phrase.tell("warning", "one-at-a-time", f"a Harvester rebuilds one unit at a time: {lost[0]}{others}")

    def _to_build(self) -> list[str]:
        """Return the units that a BUILD line names; a kind in the singular means the first of it that is lost."""
        named = [token.value for token in self._of("unit")] or self._numbered()
        if named:
            return named
        lost: list[str] = self.view["lost"]
        kinds = [token for token in self._of("kind", "half") if token.value in "HGLSC"]
        if not kinds:
            return list(lost) if self._of("all") else []
        found = [unit for kind in kinds for unit in lost if unit[0] == kind.value]
        return (found if kinds[0].many or len(kinds) > 1 else found[:1]) or [kinds[0].value]

    def _numbered(self) -> list[str]:
        """Return the units written as a kind with a number after it."""
        pairs = zip(self.words, self.words[1:], strict=False)
        return [f"{a.value}{b.number}" for a, b in pairs if a.sort in ("kind", "half") and b.sort == "count"]

    def _not_lost(self, unit: str) -> FieldError:
        """Return the reason why a unit, or any of a kind given as its letter, cannot be rebuilt."""
        lost = self.view["lost"]
        possible = f"possible: {', '.join(lost)}" if lost else "none of your units is lost"
        if unit in self.spots or unit == H:
            return FieldError("not-lost", f"your {unit_words(unit)} is not lost", possible)
        if unit in KIND_NAMES:
            return FieldError("not-lost", f"no {KIND_NAMES[unit]} of yours is lost", possible)
        return FieldError("unknown-name", f"there is no unit {unit}", possible)

    def _drop(self) -> None:
        if self._of("word", "way", "unit", "hex") or any(token.value != H for token in self._of("kind")):
            return
        counts = [token.number for token in self._of("count")]
        held = self.view["harvester"]["held"]
        if self._of("all") and not counts and held:
            self.phrase.order(Drop(held))
        elif len(counts) == 1 or counts[1:] == [held]:
            self.phrase.lines.append(f"DROP {counts[0]}")

    def _destroy(self) -> None:
        named = [token.value for token in self._of("unit", "kind")]
        numbered = self._numbered()
        if self._of("word", "way") or not (named or self._of("all")):
            return
        if H in named or self._of("all"):
            self._destroy_harvester()
            return
        for unit in self._known(numbered or [unit for unit in named if unit not in KIND_NAMES or unit == "G"]):
            self.phrase.order(Destroy(unit))

    def _destroy_harvester(self) -> None:
        text = "your Harvester destroys itself, with all your units, when you resign"
        raise FieldError(
            "unconfirmed", text, f"to leave the game, write on a line of its own: {DestroyHarvester.usage}"
        )

    def _self_destruct(self) -> None:
        hint = "write: DESTROY <unit>, or for all you have: RESIGN CONFIRM"
        raise FieldError("missing-word", "the line does not say what is to destroy itself", hint)

    # -- no orders of the game

    def _fight(self) -> None:
        text = "units fight by themselves where they meet enemies; there is no order for it"
        raise FieldError("no-such-order", text, "write: MOVE <unit> <direction>..., to where the enemy is")

    def _scan(self) -> None:
        text = "scanners look around by themselves, at the end of each turn; there is no order to scan"
        raise FieldError("no-such-order", text, "the nearer a unit is, the more it tells: MOVE one there")

    def _stay(self) -> None:
        if not self._of("word"):
            self.phrase.tell("note", "stays", _NO_ORDER)


def told_route(unit: str, route: ShortestWay) -> FieldError:
    """Return the remark on a route found for a unit, with others that are as short."""
    around = ", around the crags" if route.around else ""
    others = "; as short: " + ", or ".join(" ".join(way) for way in route.others[:3]) if route.others else ""
    return FieldError("route", f"{unit} goes {' '.join(route.way)}{around}{others}")
