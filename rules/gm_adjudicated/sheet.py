"""The sheet a report brings along."""

from __future__ import annotations

from pbem.ruleset import View

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
