"""What templates may use besides Jinja's own: times, wrapped lines, text tables, and inline styles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import itemgetter
from string import Formatter
from typing import Any

from jinja2 import pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup, escape

from pbem.text import barred, columns, continued, counted, heading, joined, sentence, when, wrapped

CSS: Mapping[str, str] = {
    "body": "margin:0 auto;padding:8px;max-width:52em;font:16px/1.45 sans-serif",
    "preheader": "display:none;max-height:0;overflow:hidden",
    "h1": "margin:0;font-size:1.4em",
    "h2": "margin:1.3em 0 .4em;font-size:1.15em;border-bottom:2px solid #888",
    "h3": "margin:1em 0 .3em;font-size:1em",
    "due": "margin:.8em 0;padding:.4em .7em;border-left:4px solid #c60",
    "long": "overflow-wrap:anywhere;font-size:.85em",
    "list": "margin:.3em 0;padding-left:1.2em",
    "table": "border-collapse:collapse;margin:.3em 0",
    "th": "text-align:left;padding:2px 8px 2px 0;border-bottom:1px solid #888",
    "caption": "text-align:left;padding:2px 0",
    "row": "padding:2px 8px 2px 0;vertical-align:top;text-align:left;font-weight:normal;overflow-wrap:anywhere",
    "td": "padding:2px 8px 2px 0;vertical-align:top",
    "num": "padding:2px 8px 2px 0;text-align:right",
    "note": "margin:.3em 0;font-size:.9em",
    "wrap": "white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.3 monospace;padding:.5em;border:1px solid #888",
    "pre": "overflow-x:auto;font:13px/1.3 monospace;padding:.5em;border:1px solid #888",
    "img": "max-width:100%;height:auto",
    "figure": "margin:.5em 0",
    "words": "margin:.3em 0;white-space:pre-wrap;overflow-wrap:anywhere",
    "said": "margin:.3em 0 .8em;padding:0 0 0 .8em;border-left:3px solid #888;overflow-wrap:anywhere",
    "told": "margin:.3em 0;overflow-wrap:anywhere",
    "h4": "margin:.8em 0 .3em;font-size:1em",
    "line": "margin:.5em 0;white-space:pre-wrap",
    "items": "margin:.5em 0;padding:0;list-style:none",
    "item": "margin:.15em 0;padding-left:1.2em;text-indent:-1.2em;white-space:pre-wrap",
    "drawn": "margin:.5em 0;overflow-x:auto;font:13px/1.3 monospace",
    "loose": "margin:.5em 0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.3 monospace",
}
"""Inline styles for HTML reports, by name. Mail programs drop style sheets, seldom these."""


def paragraph(text: str) -> str:
    """A block of a template as a wrapped paragraph with its line end; nothing, if the block came out empty."""
    return f"{wrapped(text)}\n" if text.strip() else ""


@pass_eval_context
def filled(context: EvalContext, rows: Iterable[Any], pattern: str) -> list[str]:
    """Each row written into a pattern with its keys or places in braces: "{q},{r}" or "{0},{1}".

    In HTML what a row has is escaped, and the pattern, which stands in the template, is not.
    """
    fill, values = _filling(pattern)
    if context.autoescape:
        return [Markup(fill(*map(escape, values(row)))) for row in rows]  # noqa: S704 - all of it is escaped
    return [fill(*values(row)) for row in rows]


@lru_cache(maxsize=256)
def _filling(pattern: str) -> tuple[Callable[..., str], Callable[[Any], tuple[Any, ...]]]:
    """A pattern that is filled by position, and how a row's values for it are taken, in their order."""
    pieces = list(Formatter().parse(pattern))
    if any("{" in (spec or "") for _, _, spec, _ in pieces):
        raise ValueError(f"in the pattern {pattern!r} a field stands within another")
    plain = "".join(
        text.replace("{", "{{").replace("}", "}}") + ("" if field is None else f"{{:{spec}}}")
        for text, field, spec, _ in pieces
    )
    keys = [int(field) if field.isdigit() else field for _, field, _, _ in pieces if field is not None]
    return plain.format, itemgetter(*keys) if len(keys) > 1 else lambda row: tuple(row[key] for key in keys)


TEXT_FILTERS = {
    "when": when,
    "wrapped": wrapped,
    "continued": continued,
    "paragraph": paragraph,
    "columns": columns,
    "counted": counted,
    "filled": filled,
    "heading": heading,
    "sentence": sentence,
    "barred": barred,
    "joined": joined,
}
