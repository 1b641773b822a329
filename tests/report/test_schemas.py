"""Tests that mailed and stored data conform to the schemas published for clients."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from pbem.cli import main
from pbem.report.data import report_data
from pbem.report.facts import DiceDisclosure, PressSection, ReportFacts
from pbem.report.schemas import WHAT, json_schema
from pbem.ruleset import AnyRuleset, Json, View
from pbem.ruleset.order_tree import order_form
from pbem.ruleset.serialization import through_json
from pbem.testing.play import Game, play, standard, standard_game
from tests.games import RULESETS
from tests.testing.toy import TOY

DOCS = Path(__file__).parents[2] / "docs"
FOLDER, FORMATS = DOCS / "schemas", DOCS / "formats.md"
FEW = 20
"""Views of a game that are checked."""

GAMES = (*RULESETS, TOY)
SEAL = "5e" * 32


def facts(view: View, **more: Any) -> ReportFacts:
    """Return the facts of a report in the middle of a game."""
    told: dict[str, Any] = {"deadline": dt.datetime(2026, 11, 27, 20, tzinfo=dt.UTC), "zone": "UTC", **more}
    return ReportFacts(
        campaign="duel", seat=view["seat"], seats=(view["seat"],), code="k3v7", address="orders@example.org", **told
    )


def views(game: Game) -> list[View]:
    """Return views from the beginning, the middle and the end of a game."""
    found = list(game.views())
    return found[:: max(1, len(found) // FEW)] + found[-len(game.seats) :]


def wrong(what: str, game: AnyRuleset | None, data: Json) -> list[str]:
    """Return the errors of data by the schema of all games and by that of one."""
    return [
        error.message
        for each in dict.fromkeys((None, game))
        for error in validator(what, each).iter_errors(through_json(data))
    ]


def validator(what: str, game: AnyRuleset | None) -> Any:
    """Return a validator of data, and of the formats of texts in it."""
    return Draft202012Validator(json_schema(what, game), format_checker=Draft202012Validator.FORMAT_CHECKER)


def documents() -> Iterator[tuple[str, AnyRuleset | None]]:
    """Return all schemas."""
    return ((what, game) for what in WHAT for game in (None, *GAMES))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_what_a_game_mails_keeps_to_the_schemas(game: AnyRuleset) -> None:
    """Reports and order forms of every stage, and the orders of every sheet, conform to the schemas."""
    played = standard_game(game)

    for view in views(played):
        assert wrong("report", game, report_data(game, view, facts(view), game.turn_summary(view))) == []
        assert wrong("desk", game, order_form(game, view)) == []
    for step in played.steps:
        for parsed in step.parsed.values():
            assert wrong("sheet", game, [game.orders.to_json(order) for order in parsed.orders]) == []


def test_a_first_and_a_last_report_keep_to_the_schema() -> None:
    """Reports with a disclosure of the dice, or without a deadline, conform to the schema."""
    view = next(play(TOY, standard, 1).views())
    dice = DiceDisclosure(words=(), digest=SEAL, seats=2)

    for more in ({"dice": dice, "seal": SEAL}, {"deadline": None}, {"words": PressSection(looks=("by hand",))}):
        assert wrong("report", TOY, report_data(TOY, view, facts(view, **more), TOY.turn_summary(view))) == []


@pytest.mark.parametrize(
    ("what", "data", "said"),
    [
        ("report", {"format": 2}, "1 was expected"),
        ("sheet", [{"order": "move", "boat": "R1"}], "not valid under any"),
        ("sheet", [{"order": "move", "boat": 1, "direction": "N"}], "not valid under any"),
        ("desk", {"format": 2, "verbs": [{"name": "fly"}], "kinds": {}}, "is a required property"),
        ("desk", {"format": 2, "verbs": [], "kinds": {}, "tree": [{"next": 0}]}, "not valid under any"),
        ("desk", {"format": 2, "verbs": [], "kinds": {"a": {"form": {"type": "dream"}}}}, "not valid under any"),
    ],
)
def test_what_does_not_keep_to_a_schema_is_found(what: str, data: Json, said: str) -> None:
    """A schema refuses wrong data: one that accepts everything would be no contract."""
    assert any(said in each for each in wrong(what, TOY, data))


def test_schemas_are_sound() -> None:
    """Each schema conforms to the dialect that it names, and has an id of its own."""
    for what, game in documents():
        Draft202012Validator.check_schema(json_schema(what, game))
    assert len({json_schema(what, game)["$id"] for what, game in documents()}) == len(list(documents()))


@pytest.mark.parametrize("what", WHAT)
def test_the_schemas_of_the_documentation_are_those_printed(what: str) -> None:
    """docs/schemas has, byte for byte, the output of `pbem dev schema`."""
    printed = CliRunner().invoke(main, ["dev", "schema", {"desk": "choices"}.get(what, what)])

    assert printed.exit_code == 0
    assert (FOLDER / f"{what}.json").read_text() == printed.output


def test_the_schema_of_a_game_names_its_orders() -> None:
    """With --game the schema has the orders of that game and no others."""
    printed = CliRunner().invoke(main, ["dev", "schema", "sheet", "--game", "singularity"])

    orders = json.loads(printed.output)["items"]["oneOf"]
    assert [order["properties"]["order"]["const"] for order in orders][:2] == ["place", "if"]


def test_an_unknown_game_is_named() -> None:
    """An unknown game is refused with the list of games."""
    printed = CliRunner().invoke(main, ["dev", "schema", "choices", "--game", "chess"])

    assert printed.exit_code != 0
    assert "singularity_trap" in printed.output


def test_the_examples_of_the_documentation_keep_to_the_schemas() -> None:
    """The data in docs/formats.md conform to the schemas."""
    examples = re.findall(r"^```json (\w+)\n(.*?)^```", FORMATS.read_text(), re.MULTILINE | re.DOTALL)

    assert [what for what, _ in examples] == ["sheet", "desk"]
    assert [wrong(what, None, json.loads(text)) for what, text in examples] == [[], []]


def test_every_form_is_explained() -> None:
    """docs/formats.md has a row for each type of form that the schema knows."""
    forms = json_schema("desk")["$defs"]["form"]["oneOf"]

    types = [form["properties"]["type"]["const"] for form in forms]
    assert [kind for kind in types if f"| `{kind}` |" not in FORMATS.read_text()] == []
