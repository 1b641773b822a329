"""What a page wears: its styles, its script, and the policy by which nothing else can be either.

A page is one file that asks for nothing. Its Content-Security-Policy knows the
script and the styles of the program by their hashes: whatever else a page comes
to hold, such as the words of players, cannot run and cannot load anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from markupsafe import Markup

from pbem.web.bundle import ASSETS, bundle

_NOT_IN_SCRIPTS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_ESCAPES = str.maketrans(_NOT_IN_SCRIPTS)


@dataclass(frozen=True, slots=True)
class Dress:
    """Styles and script of a page, which may ask for nothing.

    `files` is where scripts may lie that it loads: "" for nowhere, or "'self' file:" for data beside it on a site.
    With `any_style`, styles need not be known: for a page that has another in it, which brings a policy of its own.
    """

    styles: tuple[str, ...]
    script: str
    files: str = ""
    any_style: bool = False

    @property
    def policy(self) -> str:
        """The Content-Security-Policy, for a <meta> in the head."""
        styles = "'unsafe-inline'" if self.any_style else " ".join(map(_hash, self.styles)) or "'none'"
        script = f"{_hash(self.script)} {self.files}".strip() if self.script else "'none'"
        return (
            f"default-src 'none'; img-src data:; style-src {styles}; script-src {script}; "
            "connect-src 'none'; base-uri 'none'; form-action 'none'"
        )

    @property
    def head(self) -> Markup:
        """The elements for the head of the page: the policy, and then the styles."""
        policy = f'<meta http-equiv="Content-Security-Policy" content="{self.policy}">'
        return Markup("\n".join([policy, *(f"<style>{style}</style>" for style in self.styles)]))  # noqa: S704

    @property
    def foot(self) -> Markup:
        """The element for the end of the body: the script."""
        return Markup(f'<script type="module">{self.script}</script>' if self.script else "")  # noqa: S704

    def with_style(self, style: str) -> Dress:
        """The same with one style more, which must not hold a "<"."""
        assert "<" not in style
        return replace(self, styles=(*self.styles, style))


@cache
def dress(*styles: str, script: str = "", files: str = "") -> Dress:
    """The dress made of files in the folder of assets, such as `dress("base.css", "map.css", script="seat.js")`."""
    return Dress(
        tuple((ASSETS / style).read_text(encoding="utf-8") for style in styles),
        bundle(script) if script else "",
        files,
    )


def island(name: str, data: Any) -> Markup:
    """Data for the script of a page, which reads them by `island(name)` of `data.js`."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)
    return Markup(f'<script type="application/json" id="{name}">{text}</script>')  # noqa: S704 - no "<" is left in it


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
