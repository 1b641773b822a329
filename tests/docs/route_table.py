"""The table of routes in `docs/architecture.md`, as read from the code.

    python -m tests.docs.route_table

writes it again.
"""

from __future__ import annotations

import re
from pathlib import Path

from pbem.inbox.routes import FACTS, ROUTES, Row

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
_TABLE = re.compile(r"(?m)^\| # \| what it is .*\n(?:\|.*\n)+")


def table() -> str:
    """Return the table of routes as Markdown."""
    rows = (f"| {number} | {row.what} | {_asks_for(row)} | {row.route} |" for number, row in enumerate(ROUTES, start=1))
    return "\n".join(("| # | what it is | asks for | route |", "|---|---|---|---|", *rows, ""))


def _asks_for(row: Row) -> str:
    asked = {name: getattr(row, name) for name in FACTS}
    return "; ".join(f"{name} {', '.join(map(_word, values))}" for name, values in asked.items() if _says(name, values))


def _says(name: str, values: tuple[object, ...]) -> bool:
    return bool(values) and (name, values) != ("machine", ("",))


def _word(value: object) -> str:
    return {True: "yes", False: "no", "": "none"}.get(value, str(value))


if __name__ == "__main__":
    PAGE.write_text(_TABLE.sub(lambda _: table(), PAGE.read_text(), count=1))
