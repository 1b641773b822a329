"""Places in HTML stay on one line, also in what macros have written."""

from __future__ import annotations

from pathlib import Path

from pbem.report.templates import template_environment

NAMES = '{% macro at(who) %}{{ who }} at {{ [[-5, 1]] | filled("{0},{1}") | join(", ") }}{% endmacro %}'


def written(folder: Path, body: str) -> str:
    """Return what a template writes in HTML."""
    (folder / "some.html.j2").write_text(NAMES + body)
    return template_environment([folder]).get_template("some.html.j2").render(who="<b>")


def test_a_place_in_the_text_of_a_macro_is_kept_on_its_line(tmp_path: Path) -> None:
    """The text of a macro is escaped already; its places are kept on one line, and nothing is escaped twice."""
    said = written(tmp_path, "{{ at(who) | place }}")

    assert said == '&lt;b&gt; at <span style="white-space:nowrap">-5,1</span>'


def test_html_with_tags_stays_as_it_is(tmp_path: Path) -> None:
    """What has tags is ready: a place in it may be part of an attribute."""
    ready = '<i title="-5,1">x</i>'

    assert written(tmp_path, f"{{{{ '{ready}' | safe | place }}}}") == ready
