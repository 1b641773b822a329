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
from tests.report.toy import Fair, Greeting, facts, seen

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


def test_a_link_that_leads_out_of_the_folder_is_not_followed(packaged: Packaged, tmp_path: Path) -> None:
    """A file elsewhere on the machine is in no mail; a link within the folder is used."""
    own, elsewhere = tmp_path / "own", tmp_path / "elsewhere"
    (own / "fair").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "events.j2").write_text(EVENTS.replace("Something", "Secret"))
    (own / "mine.j2").write_text(EVENTS.replace("Something", "Mine"))
    game, link = packaged(events=EVENTS, report_txt=REPORT), own / "fair" / "events.j2"

    link.symlink_to(elsewhere / "events.j2")
    assert "- Something: prize." in text_of(game, own)
    said = "it is a link that leads out of the folder, so it is not used"
    assert said in [fault.text for fault in check_syntax(own, TEMPLATE_DIR, {game.key: game})]
    link.unlink()
    link.symlink_to("../mine.j2")
    assert "- Mine: prize." in text_of(game, own)


def test_a_folder_that_is_a_link_leads_nowhere(packaged: Packaged, tmp_path: Path) -> None:
    """Nor is a linked folder of templates followed, unless it is the one that the settings name."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "fair").mkdir(parents=True)
    (elsewhere / "fair" / "events.j2").write_text(EVENTS.replace("Something", "Secret"))
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "fair").symlink_to(elsewhere / "fair")
    (tmp_path / "named").symlink_to(elsewhere)
    game = packaged(events=EVENTS, report_txt=REPORT)

    assert "- Something: prize." in text_of(game, tmp_path / "own")
    assert "- Secret: prize." in text_of(game, tmp_path / "named")


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


BOTH = """{% extends base %}
{% import parts as m %}
{% block knowledge %}
{{ m.p("Your purse: " ~ view.purse ~ ".") }}
{% endblock %}
"""


def rendering_fault(game: Fair) -> tuple[str, str]:
    """Return the template and the text of the one fault that the check finds, the same in both forms."""
    (fault,) = check_rendering(None, TEMPLATE_DIR, {"fair": game})
    return fault.name, fault.text


def test_one_template_writes_both_forms(packaged: Packaged) -> None:
    """A report.j2 of macros alone is the report in HTML and as text."""
    game = packaged(events=EVENTS, report=BOTH)
    parts = Renderer([TEMPLATE_DIR], {"fair": game}, pictures=False).report(game, seen(), facts())

    assert "\nYour purse: 11.\n" in parts.text
    assert ">Your purse: 11.</p>" in parts.html
    assert list(check_rendering(None, TEMPLATE_DIR, {"fair": game})) == []


def test_a_report_without_what_a_seat_knows_is_told_of(packaged: Packaged) -> None:
    """The error names the author's own file, not the base that asks for the block."""
    game = packaged(events=EVENTS, report=BOTH.replace("knowledge", "knowlege"))

    assert rendering_fault(game) == ("fair/report.j2", "line 2: it has no block knowledge, which is needed")


def test_a_macro_that_there_is_not_is_told_with_its_line(packaged: Packaged) -> None:
    """The error says where the macros are listed."""
    game = packaged(events=EVENTS, report=BOTH.replace("m.p(", "m.paragraph("))

    name, text = rendering_fault(game)

    assert (name, text) == (
        "fair/report.j2",
        "line 4: there is no macro paragraph; host/parts.html.j2 lists those there are",
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("m.p(view.pruse)", "line 4: 'dict object' has no attribute 'pruse'"),
        ("m.table(['One'], 5)", "line 4: int object has no element 0"),
        ("m.p(colour='red')", "line 4: macro 'p' takes no keyword argument 'colour'"),
        ("m.p('a'", "line 4: unexpected '}', expected ')'"),
    ],
)
def test_a_slip_in_a_template_of_both_forms_is_told_with_its_line(packaged: Packaged, call: str, words: str) -> None:
    """What a macro cannot use stands in the template that calls it; the same fault of both forms is told once."""
    game = packaged(events=EVENTS, report=BOTH.replace('m.p("Your purse: " ~ view.purse ~ ".")', call))

    name, text = rendering_fault(game)

    assert name == "fair/report.j2"
    assert text.startswith(words)


def test_forms_may_be_replaced_by_each_other(packaged: Packaged, tmp_path: Path) -> None:
    """A GM's text for a mail that one template writes is known to the doctor, as is one template for a pair."""
    program, own = tmp_path / "program", tmp_path / "own"
    for folder, names in ((program, ("a.j2", "b.txt.j2")), (own, ("a.txt.j2", "b.j2", "c.j2"))):
        (folder / "host").mkdir(parents=True)
        for name in names:
            (folder / "host" / name).write_text("Hello")
    (own / "fair").mkdir()
    (own / "fair" / "report.j2").write_text(BOTH)

    faults = check_syntax(own, program, {"fair": packaged(events=EVENTS, report_txt=REPORT)})

    assert [(fault.name, fault.fatal) for fault in faults] == [("host/c.j2", False)]


def test_a_gms_text_alone_has_no_html(tmp_path: Path) -> None:
    """A mail whose text a GM has written anew goes without the HTML of the program, which would say something else."""
    program, own = tmp_path / "program", tmp_path / "own"
    for folder in (program, own):
        (folder / "host").mkdir(parents=True)
    (program / "host" / "greeting.j2").write_text("Hello from the program")
    usual = Renderer([program], pictures=False).write(Greeting())
    (own / "host" / "greeting.txt.j2").write_text("Hello from your GM")

    mail = Renderer([own, program], pictures=False).write(Greeting())

    assert usual.html == "Hello from the program"
    assert (mail.text, mail.html) == ("Hello from your GM", "")
