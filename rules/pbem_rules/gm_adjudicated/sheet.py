"""The order sheet of a report, and the order form of its page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.ruleset import Json, View
from pbem_rules.gm_adjudicated.orders import ORDERS
from pbem_rules.gm_adjudicated.usages import usages_of
from pbem_rules.gm_adjudicated.verbs import SAY

# The name of the one order type, whatever the verb of a line.
_NAME = ORDERS.verbs[0].name


def template(view: View) -> list[str]:
    """Return the verbs as lines to be uncommented and gone on with, in the form of their usage if they have one."""
    if view["over"]:
        return []
    forms = {verb.word: verb.form for verb in usages_of(view).everything.verbs}
    if not view["verbs"]:
        return [f"; {forms[SAY]}"]
    return [f"; {forms.get(verb['verb'], verb['verb'])}" for verb in view["verbs"]]


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
