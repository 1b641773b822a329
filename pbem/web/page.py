"""Bundles of scripts and styles: a page in one file, with a strict policy or encrypted.

ES modules are written one behind the other, imported ones first, in one scope. So
all names at the top of modules must differ, imports name what they need without
renaming it, and exports stand before what they export.

A page requests nothing. Its Content-Security-Policy has the hashes of the
program's script and styles: other content of a page, such as text of players,
cannot run and cannot load anything.

A page is encrypted with AES-256-GCM under a key of its own, which is the fragment
of its link: no browser sends that to a server. Its name is random, and its size is
a power of two of its compressed size, mostly the least one; so names and sizes
disclose nothing. At the address is a small page that has the encrypted one in it
and opens it in the browser (WebCrypto).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from markupsafe import Markup

from pbem.errors import PbemError

ASSETS = Path(__file__).parent / "assets"
"""The folder of scripts and styles."""

_IMPORT = re.compile(r'^import \{(?>(?:(?! as )[^{}])*)\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
_TOP = re.compile(r"^(?:async )?(?:function\*?|class|const|let) ([\w$]+)", re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n|^ *//[^\n]*\n", re.MULTILINE | re.DOTALL)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
# Inside of a script element HTML gives both a meaning, even in strings and comments of the script.
_ENDS_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)


class BundleError(PbemError):
    """Raised when a module cannot be put into one file with others."""


@cache
def bundle_modules(entry: str, folder: Path = ASSETS) -> str:
    """Return the script of a module in a folder and all that it imports.

    Raises:
        BundleError: a module has another form than the bundler reads, or a name of another one.
    """
    script = "".join(_modules(folder, entry, {}))
    # All modules share one scope, where a name declared twice is a syntax error: no part of the script would run.
    names = _TOP.findall(script)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BundleError(f"{entry}: {', '.join(twice)} stands at the top of two modules; give one another name")
    if _ENDS_SCRIPT.search(script):
        raise BundleError(f"{entry}: a script inside a page cannot have </script or <!-- in it")
    return script


def _modules(folder: Path, name: str, seen: dict[str, bool]) -> Iterator[str]:
    """Yield the code of all modules that one needs, its own last; `seen` maps names to whether they are done."""
    if name in seen:
        if not seen[name]:
            raise BundleError(f"{name} imports itself by way of others")
        return
    seen[name] = False
    source = (folder / name).read_text(encoding="utf-8")
    for imported in _IMPORT.findall(source):
        yield from _modules(folder, imported, seen)
    code = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))
    if left := _LEFT.search(code):
        raise BundleError(f'{name}: "{left[0]}" is not of a form that can be put into one file')
    seen[name] = True
    yield code


_NOT_IN_SCRIPTS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_ESCAPES = str.maketrans(_NOT_IN_SCRIPTS)


@dataclass(frozen=True, slots=True)
class PageAssets:
    """Styles and script of a page, which may request nothing.

    `files` is where scripts may lie that it loads: "" for nowhere, or "'self' file:" for data beside it on a site.
    `images` is the same for pictures, besides those in the page itself.
    With `any_style`, styles need not be known: for a page that has another in it, which brings a policy of its own.
    """

    styles: tuple[str, ...]
    script: str
    files: str = ""
    any_style: bool = False
    images: str = ""

    @property
    def policy(self) -> str:
        """The Content-Security-Policy, for a <meta> in the head."""
        styles = "'unsafe-inline'" if self.any_style else " ".join(map(_csp_hash, self.styles)) or "'none'"
        script = f"{_csp_hash(self.script)} {self.files}".strip() if self.script else "'none'"
        return (
            f"default-src 'none'; img-src {f'data: {self.images}'.strip()}; style-src {styles}; script-src {script}; "
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

    def with_style(self, style: str) -> PageAssets:
        """Return the assets with one style more, which must not hold a "<"."""
        assert "<" not in style
        return replace(self, styles=(*self.styles, style))


@cache
def page_assets(*styles: str, script: str = "", files: str = "", images: str = "") -> PageAssets:
    """Return the assets made of files in the folder, such as `page_assets("base.css", "map.css", script="seat.js")`."""
    return PageAssets(
        tuple((ASSETS / style).read_text(encoding="utf-8") for style in styles),
        bundle_modules(script) if script else "",
        files,
        images=images,
    )


def json_script(name: str, data: Any) -> Markup:
    """Return data for the script of a page, which reads them by `json_script(name)` of `data.js`."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)
    return Markup(f'<script type="application/json" id="{name}">{text}</script>')  # noqa: S704 - no "<" is left in it


def _csp_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


LEAST = 128 * 1024
"""Least size of an encrypted page in bytes; a usual report packs to fewer."""

_KEY, _NONCE, _NAME, _LENGTH, _TAG = 32, 12, 16, 4, 16
_SCRIPTS = re.compile(r'<meta http-equiv="Content-Security-Policy" content="[^"]*?script-src ([^;"]*)')
_SHELL = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
$head
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>A report</title>
</head>
<body>
<main>
<h1>A report</h1>
<p id="said" role="status">This page is sealed. It opens by the whole link in your mail, where scripts may run.</p>
</main>
$data
$foot
</body>
</html>
""")


@dataclass(frozen=True, slots=True)
class EncryptedPage:
    """An encrypted page: the name of its file, the file, and the key in its link."""

    name: str
    content: bytes
    key: str

    @property
    def place(self) -> str:
        """The address of its file, from the root of a site."""
        return f"p/{self.name}.html"


def encrypt_page(page: bytes) -> EncryptedPage:
    """Encrypt a page of `page_assets` under a new key, which only its link has."""
    # Imported here, since it takes a while to load, and few commands encrypt pages.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    # Random and not derived, so that no key of the installation opens pages (docs/decisions/0028).
    key, nonce = secrets.token_bytes(_KEY), secrets.token_bytes(_NONCE)
    # Padded after it was compressed: zlib would shrink the padding to nothing.
    box = nonce + AESGCM(key).encrypt(nonce, _pad(zlib.compress(page, 9)), None)
    clothes = _shell_assets(page)
    shell = _SHELL.substitute(
        head=clothes.head, data=json_script("box", base64.b64encode(box).decode()), foot=clothes.foot
    )
    return EncryptedPage(secrets.token_hex(_NAME), shell.encode(), base64.urlsafe_b64encode(key).decode().rstrip("="))


def _pad(packed: bytes) -> bytes:
    """Return packed bytes with their length before them, padded so that the encrypted page is a power of two."""
    framed = len(packed).to_bytes(_LENGTH, "big") + packed
    size = LEAST
    while size < len(framed) + _NONCE + _TAG:
        size *= 2
    return framed.ljust(size - _NONCE - _TAG, b"\0")


def _shell_assets(page: bytes) -> PageAssets:
    """Return the assets of the small page, which lets only those scripts run that the encrypted one names."""
    # The script writes the page into this document, whose policy stays in force besides the one that the page brings.
    # So this one names both scripts; they are the program's, the same for all reports.
    found = _SCRIPTS.search(page.decode())
    return replace(
        page_assets("base.css", "sealed.css", script="sealed.js"), files=found[1] if found else "", any_style=True
    )
