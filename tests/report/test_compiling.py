"""Templates are run as Jinja runs them, quicker: whatever is asked of them, the answer is Jinja's."""

from __future__ import annotations

from typing import Any

import pytest
from jinja2 import Environment, StrictUndefined, select_autoescape

from pbem.report.compiling import Templates
from pbem.report.wording import CSS

OPTIONS: dict[str, Any] = {
    "undefined": StrictUndefined,
    "autoescape": select_autoescape(default_for_string=True),
}
ROWS = [
    {"space": "J1", "owner": "red", "worth": 2, "units": ["a", "b"], "at": {"q": 1}},
    {"space": "b9", "owner": None, "worth": 0, "units": [], "at": {"q": 2}},
    {"space": "B9", "owner": "<i>", "worth": 2, "units": ["c"], "at": {"q": 1}},
    {"space": "j1", "owner": "red", "worth": True, "units": ["d"], "at": {"q": 0}},
]
PAIRS = [["x", 3], ["y", 1], ["X", 3]]
DATA: dict[str, Any] = {"rows": ROWS, "pairs": PAIRS, "text": "<b>&'\"", "none": None, "items": {"items": 1, "own": 2}}


@pytest.mark.parametrize(
    "source",
    [
        "{% for space, found in rows | groupby('space') %}{{ space }}{{ found }}{% endfor %}",
        "{% for group in rows | groupby('worth') %}{{ group.grouper }}{{ group.list }}{% endfor %}",
        "{{ rows | selectattr('owner') | list | groupby('owner', case_sensitive=true) }}",
        "{{ rows | groupby('at.q') }}",
        "{{ rows | groupby('held', default=7) }}",
        "{{ rows | groupby('owner') }}",
        "{{ rows | groupby('held') }}",
        "{{ [] | groupby('held') }}",
        "{{ pairs | groupby(1) | reverse | list }}{{ pairs | groupby('1') }}",
        "{{ rows | map(attribute='units') | sum(start=[]) }}",
        "{{ rows | map(attribute='at.q') | list }}{{ pairs | map(attribute=0) | join }}",
        "{{ rows | map(attribute='held', default='-') | list }}{{ rows | map('length') | list }}",
        "{{ rows | map(attribute='held') | list }}",
        "{{ rows | map | list }}",
        "{{ rows | selectattr('owner') | list }}{{ rows | rejectattr('owner') | list }}",
        "{{ rows | selectattr('owner', 'equalto', 'red') | list }}{{ rows | rejectattr('worth', 'ge', 1) | list }}",
        "{{ rows | selectattr('owner', 'in', ['red', none]) | list }}{{ pairs | selectattr(1, 'lt', 2) | list }}",
        "{{ rows | selectattr('at.q', 'odd') | list }}{{ rows | selectattr('owner', 'none') | list }}",
        "{{ rows | selectattr('owner', 'filter') | list }}",
        "{{ rows | selectattr('owner', 'no-such-test') | list }}",
        "{{ rows | selectattr('held', 'defined') | list }}",
        "{{ rows | selectattr | list }}",
        "{{ nothing | selectattr('x') | list }}",
        "{{ none | selectattr('x') | list }}{{ none | map(attribute='x') | list }}",
        "{{ text }}{{ text | safe }}{{ 3 }}{{ none }}{{ true }}{{ rows[0].units }}{{ rows[2].owner }}",
        "{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(text) }}{% set s %}{{ text }}{% endset %}{{ s }}",
        "{% autoescape false %}{{ text }}{% endautoescape %}{% filter upper %}{{ text }}{% endfilter %}",
        "{{ items.own }}{{ items.items() | list }}{{ items['items'] }}{{ rows.0.space }}{{ text.upper() }}",
        "{{ items.nothing }}",
        "{{ text.nothing }}",
        "{{ nothing.at_all }}",
        "{{ css.h2 }}{{ css.items() | list | length }}{% macro m() %}{{ css.th }}{% endmacro %}{{ m() }}",
        "{% set css = {'h2': '<mine>'} %}{{ css.h2 }}{% for css in rows %}{{ css.space }}{% endfor %}",
        "{{ css.no_such_style }}",
        "{% macro m(x, y=2) %}{{ x }}{{ y }}{{ varargs, kwargs }}{% endmacro %}{{ m(text) }}{{ m(1, 3, 4, z=none) }}",
        "{% macro m() %}{{ caller(3) }}{% endmacro %}{% call(x) m() %}{{ x }}{% endcall %}",
        "{% macro m(x) %}{% endmacro %}{{ m(1, 2) }}",
        "{{ text.replace('b', 'i') }}{{ none() }}",
    ],
)
def test_a_template_gives_what_jinja_gives(source: str) -> None:
    """Text, or the same complaint."""
    jinja = Environment(**OPTIONS)
    jinja.globals["css"] = CSS

    assert _outcome(Templates(**OPTIONS), source) == _outcome(jinja, source)


def _outcome(environment: Environment, source: str) -> str:
    try:
        return environment.from_string(source).render(DATA)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is to be the same
        return f"{type(error).__name__}: {error}"


def test_styles_stand_in_the_compiled_template() -> None:
    """They are written into it once, instead of looked up for each cell of a table."""
    compiled = Templates(**OPTIONS).compile("{{ css.td }}", raw=True)

    assert CSS["td"] in compiled
