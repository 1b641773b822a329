"""A parser of invented orders that uses every feature of a declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pbem.ruleset import IntegerField, KeywordField, NameField, Order, OrderParser, ParsedSheet

VIEW: Mapping[str, Any] = {
    "ships": ["Red Star", "Red Dawn", "Kite", "kestrel", "F1", "F10"],
    "ports": ["Ayr", "Bath", "San Remo", "A,B", "C;D", "#9"],
}
EMPTY_VIEW: Mapping[str, Any] = {"ships": [], "ports": []}

SHIP = NameField("ship", "one of your ships", "Kite", lambda view: view["ships"])
PORT = NameField("port", "a port", "Ayr", lambda view: view["ports"])
COUNT = IntegerField(-5, 300, shown="count")
CARGO = KeywordField(("iron", "corn", "Coral"))


@dataclass(frozen=True, slots=True)
class Sail(Order):
    """Sail a ship through ports.

    A cargo is optional.
    """

    usage = "SAIL ship VIA ports... [WITH cargo [TIMES count]] [NOW pace]"
    ship: Annotated[str, SHIP]
    ports: Annotated[tuple[str, ...], PORT]
    cargo: Annotated[str | None, CARGO] = None
    count: Annotated[int | None, COUNT] = None
    pace: Annotated[str | None, KeywordField(("slow", "fast"))] = None

    def words(self) -> str:
        return f"{self.ship} sails"


@dataclass(frozen=True, slots=True)
class Scrap(Order):
    """Scrap ships."""

    usage = "SCRAP ships..."
    ships: Annotated[tuple[str, ...], SHIP]

    def words(self) -> str:
        return "scrapped: " + ", ".join(self.ships)


@dataclass(frozen=True, slots=True)
class Scratch(Order):
    """Scratch the paint of some ships, with the first port's name to follow."""

    usage = "SCRATCH [ships...] [AT port]"
    ships: Annotated[tuple[str, ...], SHIP] = ()
    port: Annotated[str | None, PORT] = None

    def words(self) -> str:
        return "scratched"


@dataclass(frozen=True, slots=True)
class DeclareWar(Order):
    """Declare war on a port."""

    usage = "DECLARE WAR ON port"
    port: Annotated[str, PORT]

    def words(self) -> str:
        return f"war on {self.port}"


@dataclass(frozen=True, slots=True)
class DeclarePeace(Order):
    """Declare peace with a port, for a number of turns."""

    usage = "DECLARE PEACE WITH port [turns]"
    port: Annotated[str, PORT]
    turns: Annotated[int | None, COUNT] = None

    def words(self) -> str:
        return f"peace with {self.port}"


@dataclass(frozen=True, slots=True)
class Load(Order):
    """Load a cargo at some ports, for delivery elsewhere."""

    usage = "LOAD cargo [AT ports...] [FOR owner]"
    cargo: Annotated[str, CARGO]
    ports: Annotated[tuple[str, ...], PORT] = ()
    owner: Annotated[str | None, PORT] = None

    def words(self) -> str:
        return f"loads {self.cargo}"


@dataclass(frozen=True, slots=True)
class Hold(Order):
    """Do nothing."""

    usage = "HOLD"

    def words(self) -> str:
        return "holds"


BOOK = OrderParser((Sail, Scrap, Scratch, DeclareWar, DeclarePeace, Load, Hold))


def read(*lines: str, view: Mapping[str, Any] = VIEW) -> ParsedSheet:
    """Return the sheet of these lines."""
    return BOOK.parse(view, enumerate(lines, 1))


def order(line: str) -> Order:
    """Return the only order of a valid line."""
    parsed = read(line)
    assert parsed.findings == ()
    return parsed.orders[0]


def finding(line: str, view: Mapping[str, Any] = VIEW) -> tuple[str, str, str]:
    """Return code, text and hint of the only finding of a bad line."""
    parsed = read(line, view=view)
    assert parsed.orders == ()
    (found,) = parsed.findings
    assert (found.line, found.severity) == (1, "error")
    return found.code, found.text, found.hint
