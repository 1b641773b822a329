"""Tests of templates that games bring in their packages, and that GMs override."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pbem.app import TEMPLATE_DIR
from pbem.errors import ConfigError
from pbem.report.renderer import Renderer
from pbem.report.template_check import check_rendering, check_syntax
from pbem.ruleset import SetupError
from tests.report.toy import Fair, facts, seen

EVENTS = "{% macro event(e, view) %}Something: {{ e.kind }}.{% endmacro %}"
REPORT = '{% extends "host/report.txt.j2" %}{% block knowledge %}Your purse: {{ view.purse }}.{% endblock %}'

Packaged = Callable[..., Fair]


@pytest.fixture
def packaged(tmp_path: Path) -> Packaged:
    """Return a function that makes a game with its own templates, given by the names of their files."""

    def make(**texts: str) -> Fair:
        folder = tmp_path / "package"
        folder.mkdir()
        for name, text in texts.items():
            (folder / f"{name.replace('_', '.')}.j2").write_text(text)

        class Packed(Fair):
            templates = folder

        return Packed()

    return make


def text_of(game: Fair, *folders: Path) -> str:
    """Return the text of a report of the game."""
    reporter = Renderer([*folders, TEMPLATE_DIR], {game.key: game}, pictures=False)
    return reporter.text(game, seen(), facts())


def test_a_game_brings_its_own_templates(packaged: Packaged) -> None:
    """Report and events are rendered by the templates in the game's package."""
    text = text_of(packaged(events=EVENTS, report_txt=REPORT))

    assert "- Something: prize." in text
    assert "Your purse: " in text


def test_a_gm_rewords_what_a_game_brings(packaged: Packaged, tmp_path: Path) -> None:
    """A template in the GM's folder takes precedence over the game's of the same name."""
    (tmp_path / "fair").mkdir()
    (tmp_path / "fair" / "events.j2").write_text(EVENTS.replace("Something", "Hear"))

    assert "- Hear: prize." in text_of(packaged(events=EVENTS, report_txt=REPORT), tmp_path)


def test_a_fault_in_a_games_template_is_placed(packaged: Packaged) -> None:
    """An error gives the line and the name of the template, by which the GM may override it."""
    game = packaged(events=EVENTS, report_txt=REPORT.replace("view.purse", "\nview.no_such"))

    with pytest.raises(ConfigError, match=r"the template fair/report\.txt\.j2, line 2 cannot be used: .*no_such"):
        text_of(game)


def test_a_missing_template_is_named(packaged: Packaged) -> None:
    """An error names the report template that a game does not bring."""
    with pytest.raises(ConfigError, match=r"the template fair/report\.txt\.j2 is missing"):
        text_of(packaged(events=EVENTS))


def test_the_doctor_knows_what_games_bring(packaged: Packaged, tmp_path: Path) -> None:
    """A GM's copy of a game's template counts as used; a misspelt one does not."""
    game = packaged(events=EVENTS, report_txt=REPORT)
    own = tmp_path / "own" / "fair"
    own.mkdir(parents=True)
    for name in ("events.j2", "reports.txt.j2"):
        (own / name).write_text(EVENTS)

    (fault,) = check_syntax(tmp_path / "own", TEMPLATE_DIR, {"fair": game})

    assert (fault.name, fault.fatal) == ("fair/reports.txt.j2", False)
    assert fault.text.endswith("did you mean fair/report.txt.j2?")


def test_a_slip_in_what_a_game_brings_is_found_before_a_turn_needs_it(packaged: Packaged) -> None:
    """The check renders a game's templates, and reports name, line and error."""
    slip, html = REPORT.replace("{{ view.purse }}", "\n{{ view.purses }}"), REPORT.replace(".txt", ".html")
    (fault,) = check_rendering(None, TEMPLATE_DIR, {"fair": packaged(events=EVENTS, report_txt=slip, report_html=html)})

    assert (fault.name, fault.text) == ("fair/report.txt.j2", "line 2: 'dict object' has no attribute 'purses'")


def test_each_mail_of_the_host_is_filled_in(tmp_path: Path) -> None:
    """Mails are also rendered with rare values; the program's own templates count as right."""
    (tmp_path / "host").mkdir()
    refusal = "{% if page.reason == 'not-deputy-now' %}\n{{ page.sinse }}{% endif %}"
    (tmp_path / "host" / "refusal.txt.j2").write_text(refusal)
    (fault,) = check_rendering(tmp_path, TEMPLATE_DIR, {})

    assert (fault.name, fault.text.partition(":")[0]) == ("host/refusal.txt.j2", "line 2")


def test_a_game_that_cannot_begin_keeps_no_other_from_being_looked_at(packaged: Packaged) -> None:
    """A game that cannot be set up is not a fault of its templates."""

    class Broken(Fair):
        templates = packaged(events=EVENTS).templates

        def setup(self, *_: object) -> Any:
            raise SetupError("no table is large enough")

    assert list(check_rendering(None, TEMPLATE_DIR, {"fair": Broken()})) == []
