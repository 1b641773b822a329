"""The sheet a report brings along, and what a page offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.ruleset import Json, View
from rules.gm_adjudicated.orders import ORDERS

WIDTH = 76
"""Columns of the longest line."""


def template(view: View) -> list[str]:
    """The verbs to take the semicolon from, each below its help, or for free text a reminder alone."""
    if view["over"]:
        return []
    if not view["verbs"]:
        return ["# Write in your own words what you want done, one thing a line."]
    lines = ["# Take a semicolon away and write in your own words, or write lines of your own."]
    for verb in view["verbs"]:
        lines += [f"# {verb['help']}"[:WIDTH]] if verb["help"] else []
        lines.append(f"; {verb['verb']} <your words>")
    return lines


def desk(view: View) -> dict[str, Any]:
    """The campaign's verbs, each with words of the player's own behind it, and SAY for words alone."""
    if view["over"]:
        return ORDERS.desk(view, [])
    data = ORDERS.desk(view)
    return {**data, "verbs": [*_verbs(view, data["verbs"][0]), *data["verbs"]]}


def _verbs(view: View, say: Json) -> Iterator[Json]:
    """The data of each verb of the GM: those of SAY with another word."""
    for entry in view["verbs"]:
        word, _, rest = say["usage"].partition(" ")
        yield {
            **say,
            "word": entry["verb"],
            "usage": f"{entry['verb']} {rest}",
            "help": entry["help"],
            "examples": [line.replace(word, entry["verb"], 1) for line in say["examples"]],
            "parts": [{"word": entry["verb"]}, *say["parts"][1:]],
        }
