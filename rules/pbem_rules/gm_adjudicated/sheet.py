"""The order sheet of a report, and the order form of its page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from pbem.ruleset import Json, View
from pbem_rules.gm_adjudicated.orders import ORDERS
from pbem_rules.gm_adjudicated.usages import usages_of
from pbem_rules.gm_adjudicated.verbs import SAY

WIDTH = 76
"""Columns of the longest line."""

# The name of the one order type, whatever the verb of a line.
_NAME = ORDERS.verbs[0].name


def template(view: View) -> list[str]:
    """Return the verbs as lines to be uncommented, each below its help; without verbs, a reminder."""
    if view["over"]:
        return []
    if not view["verbs"]:
        return ["# Write in your own words what you want done, one thing a line."]
    lines = ["# Take a semicolon away and write in your own words, or write lines of your own."]
    forms = {verb.word: verb.form for verb in usages_of(view).everything.verbs}
    for verb in view["verbs"]:
        lines += [f"# {verb['help']}"[:WIDTH]] if verb["help"] else []
        lines.append(f"; {forms.get(verb['verb'], verb['verb'] + ' <your words>')}")
    return [*lines, *_lists(view)]


def _lists(view: View) -> Iterator[str]:
    """Yield the names in each list, as remarks."""
    for name, names in view.get("lists", {}).items():
        told = f"{name}: {', '.join(names)}"
        yield from textwrap.wrap(told, WIDTH, initial_indent="# ", subsequent_indent="#     ", break_on_hyphens=False)


def desk(view: View) -> dict[str, Any]:
    """Return the order form: the campaign's verbs, those without arguments with free words, and SAY."""
    if view["over"]:
        return ORDERS.desk(view, [])
    data = usages_of(view).everything.desk(view)
    helps = {entry["verb"]: entry["help"] for entry in view["verbs"]}
    offered = {
        verb["word"]: {**verb, "name": _NAME, "help": helps.get(verb["word"], verb["help"])} for verb in data["verbs"]
    }
    free = (offered.get(entry["verb"]) or _free(entry, offered[SAY]) for entry in view["verbs"])
    return {**data, "verbs": [*free, offered[SAY]]}


def _free(entry: Mapping[str, str], say: Mapping[str, Any]) -> Json:
    """Return the form of a verb with free words: that of SAY with another word."""
    word, _, rest = say["usage"].partition(" ")
    return {
        **say,
        "word": entry["verb"],
        "usage": f"{entry['verb']} {rest}",
        "help": entry["help"],
        "examples": [line.replace(word, entry["verb"], 1) for line in say["examples"]],
        "parts": [{"word": entry["verb"]}, *say["parts"][1:]],
    }
