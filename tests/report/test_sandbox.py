"""Tests of the template sandbox: a stranger's template reads its data, and runs, changes and exhausts nothing."""

from __future__ import annotations

import datetime as dt
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pbem.errors import ConfigError, UnusableTemplateError
from pbem.report.renderer import TEMPLATE as SEAT_PAGE
from pbem.report.renderer import Renderer
from pbem.report.template_check import check_rendering, check_syntax, run_in_child
from pbem.report.templates import template_environment
from tests.report.toy import TEMPLATES, Fair, Greeting, facts, seen

PROGRAM = Path(__file__).parents[2] / "templates"

ESCAPES = [
    "{{ cycler.__init__.__globals__.os.popen(COMMAND).read() }}",
    "{{ cycler['__init__']['__globals__']['os'].popen(COMMAND).read() }}",
    "{{ joiner|attr('__init__')|attr('__globals__') }}",
    "{{ joiner|attr('\\x5f\\x5finit\\x5f\\x5f') }}",
    "{{ (cycler | attr('__in' ~ 'it__')).__globals__ }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''.__class__.mro() }}",
    "{{ [].__class__.__base__.__subclasses__() }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self._TemplateReference__context.environment }}",
    "{{ range.__globals__ }}",
    "{{ range.__call__.__self__.__globals__ }}",
    "{{ dict.__base__.__subclasses__() }}",
    "{{ '{0.__class__.__mro__}'.format(3) }}",
    "{{ '{x.__class__}'.format_map({'x': 3}) }}",
    "{{ ('{0.__class__}' | attr('format'))(3) }}",
    "{{ '{0.__class__}'['format'](3) }}",
    "{{ (['{0.__class__}'] | map(attribute='format') | first)(3) }}",
    "{{ ['{0.__class__}'] | map('attr', 'format') | map('list') | list }}",
    "{{ ('{0.__class__}' | safe).format(3) }}",
    "{% set f = '{0.__class__}'.format %}{{ f(3) }}",
    "{{ '{.__class__}'.format(3) }}",
    "{{ [3] | map(attribute='__class__') | list }}",
    "{{ [3] | join(attribute='__class__') }}",
    "{{ [3] | sum(attribute='__class__', start=[]) }}",
    "{{ [3] | sort(attribute='__class__') }}",
    "{{ [3] | groupby('__class__') }}",
    "{{ [3] | selectattr('__class__') | list }}",
    "{{ [3] | rejectattr('__class__.__name__', 'none') | list }}",
    "{{ [3] | unique(attribute='__class__') | list }}",
    "{{ [3] | max(attribute='__class__') }}",
    "{{ {'a': 3} | xmlattr('__class__') }}{{ none.__class__ }}",
    "{{ [{'x': 3}] | filled('{x:{.__class__}}') | first }}",
    "{% macro m() %}{% endmacro %}{{ m.__init__.__globals__ }}",
    "{% macro m() %}{{ caller.__globals__ }}{% endmacro %}{% call m() %}{% endcall %}",
    "{% for x in [1] %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "{% for x in [1] recursive %}{{ loop._recurse }}{% endfor %}",
    "{% set n = namespace() %}{{ n.__class__ }}",
    "{% include '/etc/passwd' %}",
    "{% include '../../../../../../etc/passwd' %}",
    "{% import 'host/lines.txt.j2' as m %}{{ m.__loader__ }}{{ m._body_stream }}",
    "{{ nothing.__class__ }}",
    "{{ lipsum.__globals__ }}",
]


@dataclass(frozen=True)
class Given:
    """Objects that a template may be given by mistake."""

    file: Path
    rows: list[int] = field(default_factory=lambda: [1, 2])
    at: dt.datetime = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)

    def said(self) -> str:
        """Return a word."""
        return "word"


def overriding(folder: Path, name: str, source: str) -> Renderer:
    """Return a renderer with one template of a GM's own."""
    path = folder / "templates" / name
    path.parent.mkdir(parents=True)
    path.write_text(source)
    return Renderer([folder / "templates", *TEMPLATES], {"fair": Fair()}, pictures=False)


@pytest.mark.parametrize("escape", ESCAPES)
def test_no_escape_leads_out_of_a_template(tmp_path: Path, escape: str) -> None:
    """Each known escape ends in an error with the template's name, or in nothing; no command is run."""
    trap = tmp_path / "trap"
    reporter = overriding(tmp_path, "host/greeting.txt.j2", escape.replace("COMMAND", f"'touch {trap}'"))

    text = ""
    with suppress(ConfigError):
        text = reporter.write(Greeting()).text
    assert not re.search(r"class '|function|method|module|object at|root:", text)
    assert not trap.exists()


WRITERS = {
    "fair/report.txt.j2": lambda reporter: reporter.report(Fair(), seen(), facts()),
    "fair/report.html.j2": lambda reporter: reporter.report(Fair(), seen(), facts()),
    "fair/events.j2": lambda reporter: reporter.describe_events(Fair(), seen()),
    SEAT_PAGE: lambda reporter: reporter.seat_page(Fair(), seen(), facts(), "<p>"),
    "host/greeting.txt.j2": lambda reporter: reporter.write(Greeting()).text,
    "site/index.html.j2": lambda reporter: reporter.site("index"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_templates_of_all_kinds_are_confined(tmp_path: Path, name: str) -> None:
    """Templates of reports, events, pages of seats, mails and the site run in the sandbox."""
    trap = tmp_path / "trap"
    reporter = overriding(tmp_path, name, f"{{{{ cycler.__init__.__globals__.os.popen('touch {trap}').read() }}}}")

    with pytest.raises(UnusableTemplateError, match="unsafe"):
        WRITERS[name](reporter)
    assert not trap.exists()


@pytest.mark.parametrize(
    "change",
    [
        "{{ given.rows.append(3) }}",
        "{{ given.rows | map(attribute='append') | list }}{{ given.rows['append'](3) }}",
        "{{ given.rows.sort(reverse=true) }}",
        "{{ view.update(a=1) }}",
        "{{ view.pop('b') }}",
        "{{ css.clear() }}",
        "{% set view.b = 3 %}",
        "{% set given.file = 3 %}",
    ],
)
def test_what_a_template_is_given_stays_as_it_is(tmp_path: Path, change: str) -> None:
    """A template cannot change a list, dict or record for the template after it."""
    given, view = Given(tmp_path), {"b": 2}
    templates = template_environment([PROGRAM])

    with pytest.raises(Exception, match=r"unsafe|non-namespace"):
        templates.from_string(change).render(given=given, view=view)
    assert (given.rows, view) == ([1, 2], {"b": 2})
    assert templates.globals["css"]


@pytest.mark.parametrize("reading", ["given.file.read_text()", "given.file.parent", "given.file | attr('unlink')()"])
def test_files_are_no_values(tmp_path: Path, reading: str) -> None:
    """A path that a template is given by mistake is neither read nor removed."""
    file = tmp_path / "secret"
    file.write_text("word")

    with pytest.raises(Exception, match="unsafe"):
        template_environment([PROGRAM]).from_string(f"{{{{ {reading} }}}}").render(given=Given(file))
    assert file.read_text() == "word"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ given.said() }} {{ given.at.year }} {{ given.rows.index(2) }}", "word 2026 1"),
        ("{{ '{0}-{x:>3}'.format(1, x=2) }} {{ '{x}'.format_map({'x': 3}) }}", "1-  2 3"),
        ("{{ '%s %3d' | format('a', 2) }} {{ '%-3s|' % 'b' }} {{ '-' * 3 }} {{ 2 ** 10 }}", "a   2 b  | --- 1024"),
        ("{% for k, v in {'items': 1}.items() %}{{ k }}{{ v }}{{ loop.last }}{% else %}no{% endfor %}", "items1True"),
        (
            "{% for x in [1, [2]] recursive %}{{ loop(x) if x is iterable else x }}{{ loop.length }}{% endfor %}",
            "12212",
        ),
        ("{{ {'a': {'items': 3}}.a['items'] }}{{ 2.345 | round(2) }}{{ 'b' | upper }}", "32.35B"),
        ("{% for x in range(100000) if x > 99998 %}{{ x }}{% endfor %}", "99999"),
        ("{% macro m(n) %}{{ n }}{{ m(n - 1) if n }}{% endmacro %}{{ m(3) }}", "3210"),
    ],
)
def test_what_templates_are_made_of_works(source: str, text: str, tmp_path: Path) -> None:
    """Methods of values, formats, loops and macros work as in Jinja."""
    assert template_environment([PROGRAM]).from_string(source).render(given=Given(tmp_path)) == text


@pytest.mark.parametrize(
    "source",
    [
        "{% set n = (n | default(64)) - 1 %}{% include 'host/greeting.txt.j2' %}",
        "{% block b %}{{ self.b() }}{% endblock %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% extends 'host/greeting.txt.j2' %}",
        "{{ range(1000000) | list }}",
        "{{ 'x' * 10**15 }}",
    ],
)
def test_a_template_without_end_is_a_fault_of_its_own(tmp_path: Path, source: str) -> None:
    """A template without end, or that asks for more memory than there is, ends in a sentence with its name."""
    reporter = overriding(tmp_path, "host/greeting.txt.j2", source)

    with pytest.raises(ConfigError, match="host/greeting"):
        reporter.write(Greeting())


def test_a_template_that_exhausts_its_compiler_is_a_fault(tmp_path: Path) -> None:
    """The check reports a template that exhausts the compiler, and continues with the others."""
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "receipt.txt.j2").write_text("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}")

    assert [fault.name for fault in check_syntax(tmp_path, PROGRAM, {})] == ["host/receipt.txt.j2"]


def test_an_endless_template_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check, which renders templates for each kind of mail and report, ends with the first that takes too long."""
    monkeypatch.setattr("pbem.report.template_check.SECONDS", 0.5)
    endless = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"
    for name in ("host/receipt.txt.j2", "host/report.txt.j2", "host/welcome.txt.j2"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(endless)

    (fault,) = run_in_child(lambda: check_rendering(tmp_path, PROGRAM, {"fair": Fair()}))
    assert fault.name.startswith("host/")
    assert "it takes longer than 0.5 seconds" in fault.text


def test_a_template_busy_in_one_filter_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that hangs where it cannot be interrupted ends with a fault."""
    monkeypatch.setattr("pbem.report.template_check.PATIENCE", 0.5)
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "receipt.txt.j2").write_text("{{ 5 | round(-1000000000) }}")

    (fault,) = run_in_child(lambda: check_rendering(tmp_path, PROGRAM, {}))
    assert "one of them does not end" in fault.text
