"""Colours, sizes and inline styles of mails in HTML.

Mail programs drop style sheets: Gmail's apps keep none for accounts of other providers. So every style is inline,
and the style sheet has the dark colours alone. Text and ground have their colours set together, so that no program
shows grey on grey. Sizes are in pixels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class ColourPair(NamedTuple):
    """A colour on light and on dark ground."""

    light: str
    dark: str


TOKENS: Mapping[str, ColourPair] = {
    "ground": ColourPair("#ffffff", "#16191c"),
    "raised": ColourPair("#f4f5f6", "#22272b"),
    "text": ColourPair("#1d2125", "#e6e9ec"),
    "quiet": ColourPair("#50585f", "#a9b1b8"),
    "link": ColourPair("#0b5394", "#8ec1f5"),
    "good": ColourPair("#14662c", "#7fd399"),
    "bad": ColourPair("#a31515", "#ff9c94"),
    "due": ColourPair("#8a4b00", "#f0b866"),
    "line": ColourPair("#b9c0c6", "#444c53"),
    "edge": ColourPair("#6d757c", "#89929a"),
}
"""The colours; those of text have a contrast of at least 4.5 to ground and raised (WCAG 1.4.3)."""

FONT = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
MONO = "ui-monospace,Menlo,Consolas,'Liberation Mono',monospace"

_LIGHT = {name: token.light for name, token in TOKENS.items()}
_DARK = {name: token.dark for name, token in TOKENS.items()}
_QUIET = f"color:{_LIGHT['quiet']}"
_RAISED = f"background-color:{_LIGHT['raised']};color:{_LIGHT['text']}"
_BREAKS = "word-wrap:break-word"
_FORM = f"padding:8px;{_RAISED};border:1px solid {_LIGHT['line']};font:13px/1.3 {MONO}"
_PANEL = f"margin:0 0 10px;padding:8px 12px;{_RAISED};border-left:4px solid"
_QUOTED = f"padding:0 0 0 12px;border-left:3px solid {_LIGHT['edge']};{_BREAKS}"

CSS: Mapping[str, str] = {
    "body": f"margin:0;padding:0;background-color:{_LIGHT['ground']};color:{_LIGHT['text']}",
    "main": f"max-width:600px;margin:0 auto;padding:12px;font:16px/1.35 {FONT};text-align:left;{_BREAKS}",
    "preheader": "display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden",
    "kicker": f"margin:0;font-size:14px;{_QUIET}",
    "h1": "margin:2px 0 10px;font-size:22px;line-height:1.2;font-weight:bold",
    "h2": "margin:14px 0 5px;padding:0 0 3px;font-size:18px;line-height:1.2;font-weight:bold;"
    f"border-bottom:1px solid {_LIGHT['line']}",
    "h3": "margin:10px 0 4px;font-size:16px;line-height:1.25;font-weight:bold",
    "h4": "margin:12px 0 4px;font-size:16px;line-height:1.25;font-weight:bold",
    "p": "margin:0 0 6px",
    "data": "margin:0 0 6px;font-size:15px;line-height:1.4",
    "note": f"margin:0 0 5px;font-size:14px;line-height:1.35;{_QUIET}",
    "fine": "margin:0 0 5px;font-size:14px;line-height:1.35",
    "long": f"margin:0 0 8px;font-size:14px;line-height:1.4;{_BREAKS}",
    "due": f"{_PANEL} {_LIGHT['due']}",
    "ok": f"{_PANEL} {_LIGHT['good']}",
    "no": f"{_PANEL} {_LIGHT['bad']}",
    "panel_head": "font-size:17px;line-height:1.3;font-weight:bold",
    "panel_more": f"font-size:15px;{_QUIET}",
    "bad": f"color:{_LIGHT['bad']}",
    "link": f"color:{_LIGHT['link']};text-decoration:underline",
    "links": "margin:0 0 8px;font-size:16px;line-height:1.9",
    "button_table": "margin:10px 0 6px",
    "button_cell": f"background-color:{_LIGHT['link']};color:#ffffff;border-radius:6px;text-align:center;"
    "mso-padding-alt:13px 20px",
    "button": f"display:block;padding:13px 20px;font:bold 17px/1.2 {FONT};background-color:{_LIGHT['link']};"
    "color:#ffffff;text-decoration:none;border-radius:6px",
    "mono": f"font-family:{MONO};font-size:14px",
    "place": "white-space:nowrap",
    "list": "margin:0 0 8px;padding:0 0 0 20px",
    "entry": "margin:0 0 2px",
    "fine_list": "margin:0 0 8px;padding:0 0 0 16px;font-size:14px;line-height:1.35",
    "fine_entry": "margin:0",
    "table": "border-collapse:collapse;margin:0 0 8px;font-size:15px;line-height:1.4",
    "caption": "text-align:left;padding:2px 0",
    "th": f"text-align:left;padding:2px 8px 2px 0;vertical-align:bottom;border-bottom:1px solid {_LIGHT['edge']}",
    "thnum": f"text-align:right;padding:2px 8px 2px 0;vertical-align:bottom;border-bottom:1px solid {_LIGHT['edge']}",
    "row": f"padding:2px 8px 2px 0;vertical-align:top;text-align:left;font-weight:normal;{_BREAKS}",
    "td": "padding:2px 8px 2px 0;vertical-align:top",
    "num": "padding:2px 8px 2px 0;vertical-align:top;text-align:right",
    "wrap": f"margin:0 0 8px;{_FORM};white-space:pre-wrap;{_BREAKS}",
    "pre": f"margin:0 0 8px;{_FORM};overflow-x:auto",
    "img": "display:block;width:100%;height:auto;border:0;margin:0 0 6px;font-size:14px;line-height:1.35",
    "figure": "margin:0 0 8px",
    "words": f"margin:0 0 8px;white-space:pre-wrap;{_BREAKS}",
    "said": f"margin:0 0 8px;{_QUOTED}",
    "told": f"margin:0 0 8px;{_BREAKS}",
    "footer": f"margin:14px 0 0;padding:6px 0 0;border-top:1px solid {_LIGHT['line']};font-size:14px;line-height:1.35;"
    + _QUIET,
    "line": "margin:0 0 8px;white-space:pre-wrap",
    "items": "margin:0 0 8px;padding:0;list-style:none",
    "item": "margin:0 0 3px;padding-left:1.2em;text-indent:-1.2em;white-space:pre-wrap",
    "drawn": f"margin:0 0 8px;overflow-x:auto;font:13px/1.35 {MONO}",
    "loose": f"margin:0 0 8px;white-space:pre-wrap;{_BREAKS};font:13px/1.35 {MONO}",
}
"""Inline styles by name, as templates see them: `css.note`. Those with a colour need the class of `DARK` for it too."""

# The blank before `!important` keeps classic Outlook from dropping the value.
_RULES = {
    ".g": f"background-color:{_DARK['ground']} !important;color:{_DARK['text']} !important",
    ".q": f"color:{_DARK['quiet']} !important",
    ".r": f"background-color:{_DARK['raised']} !important;color:{_DARK['text']} !important",
    ".k": f"border-color:{_DARK['line']} !important",
    "a.a": f"color:{_DARK['link']} !important",
    ".ok": f"border-color:{_DARK['good']} !important",
    ".no": f"border-color:{_DARK['bad']} !important",
    ".du": f"border-color:{_DARK['due']} !important",
    "b.no": f"color:{_DARK['bad']} !important",
    ".b": f"background-color:{_DARK['link']} !important;color:{_DARK['ground']} !important",
}


def with_dark_colours(rules: str) -> str:
    """Return rules of a style sheet for a page, with the same in dark colours for who prefers those."""
    dark = _IN_LIGHT.sub(lambda found: _DARK_OF[found[0]], rules)
    return f"{rules}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"


_DARK_OF = {token.light: token.dark for token in TOKENS.values()}
_IN_LIGHT = re.compile("|".join(_DARK_OF))

DARK = "".join(
    [
        ":root{color-scheme:light dark;supported-color-schemes:light dark}",
        "@media (prefers-color-scheme:dark){",
        *(f"{classes}{{{values}}}" for classes, values in _RULES.items()),
        "}",
    ]
)
"""The style sheet of a mail. Classes: g ground, q quiet, r raised, k line, a link, b button; ok, no, du edges."""
