"""The tables of `docs/mail-programs.md`, as made of the results of the last runs.

    python -m tests.programs.tables

writes them again.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"
PAGE = Path(__file__).parents[2] / "docs" / "mail-programs.md"
LINES = Path(__file__).parents[2] / "pbem" / "campaign" / "mail_programs.toml"
"""The lines on answering a report in each program, which HELP brings."""

TOPICS = {
    "shown": "shows",
    "quotes": "quotes in a reply",
    "lines": "long lines",
    "to": "answers go to",
    "thread": "thread",
    "forward": "forwards",
    "button": "the button",
}
"""Traits by their names in results, as the table has them."""


def tables() -> dict[str, str]:
    """Return the tables by their names, as Markdown."""
    results = json.loads(RESULTS.read_text())
    newest = {it["program"]: it for it in results}.values()
    return {
        "replies": _table(("program", "version", "driven by", "as meant", "otherwise"), map(_replies, results)),
        "traits": _table(("program", *TOPICS.values()), _traits(results)),
        "guesses": _table(("program", "about", "guessed", "seen"), (row for it in newest for row in _guesses(it))),
        "lines": _table(("program", "to answer"), ((it["program"], it["tip"]) for it in newest)),
    }


def write(page: str) -> str:
    """Return a page with its tables, each between its name in a remark and a blank line, as they are now."""
    for name, table in tables().items():
        above, mark, below = page.partition(f"<!-- {name} -->\n\n")
        page = above + mark + table + re.sub(r"\A(?:\|.*\n)*", "", below)
    return page


def lines() -> str:
    """Return the file of HELP."""
    tips = {it["program"]: it["tip"].replace("`", "").rstrip(".") for it in json.loads(RESULTS.read_text())}
    return "".join(f"{name} = {json.dumps(tip, ensure_ascii=False)}\n" for name, tip in sorted(tips.items()))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    columns = list(head)
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _replies(result: Mapping[str, Any]) -> tuple[str, ...]:
    cases = result["cases"]
    wrong = [f"{name}: {case['answer']}" for name, case in cases.items() if not case["right"]]
    wrong += [
        f"{name} is taken: {case['answer']}" for name, case in cases.items() if case["right"] and _complains(case)
    ]
    right = f"{sum(case['right'] for case in cases.values())} of {len(cases)}"
    return result["program"], f"{result['version']} ({result['suite']})", result["driven"], right, "; ".join(wrong)


def _complains(case: Mapping[str, Any]) -> bool:
    return " NOT " in case["answer"]


def _traits(results: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    suites: dict[tuple[str, ...], list[str]] = {}
    for it in results:
        suites.setdefault((it["program"], *(it["seen"].get(name, "") for name in TOPICS)), []).append(it["suite"])
    rows = Counter(program for program, *_ in suites)
    for (program, *seen), same in suites.items():
        yield f"{program} ({', '.join(same)})" if rows[program] > 1 else program, *seen


def _guesses(result: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, guess in result["guessed"].items():
        seen = result["seen"].get(name, "not seen")
        yield result["program"], TOPICS[name], guess, seen


if __name__ == "__main__":
    PAGE.write_text(write(PAGE.read_text()))
    LINES.write_text(lines())
