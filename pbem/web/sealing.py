"""Pages that only a link opens: sealed for a public place, where nobody can tell one from another.

A page is encrypted with AES-256-GCM under a key of its own, which stands in the
fragment of its link: no browser sends that to a server. Its name is drawn by
chance, and its size is a power of two of what it packs to, mostly the least
one; so names and sizes tell nothing. What is at the address is a small page
that has the sealed one in it and opens it in the browser (WebCrypto).
"""

from __future__ import annotations

import base64
import re
import secrets
import zlib
from dataclasses import dataclass, replace
from string import Template

from pbem.web.shell import Dress, dress, island

LEAST = 128 * 1024
"""Bytes that a sealed page has at least; a usual report packs to fewer."""

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
class Sealed:
    """A sealed page: the name of its file, the file, and the key that opens it, as it stands in a link."""

    name: str
    content: bytes
    key: str

    @property
    def place(self) -> str:
        """The address of its file, from the root of a site."""
        return f"p/{self.name}.html"


def seal_page(page: bytes) -> Sealed:
    """A page of `dress` sealed, under a key that nobody has but whoever gets the link."""
    # Here, since it takes a while to load, and few commands seal anything.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key, nonce = secrets.token_bytes(_KEY), secrets.token_bytes(_NONCE)
    box = nonce + AESGCM(key).encrypt(nonce, _padded(zlib.compress(page, 9)), None)
    clothes = _opening(page)
    shell = _SHELL.substitute(head=clothes.head, data=island("box", base64.b64encode(box).decode()), foot=clothes.foot)
    return Sealed(secrets.token_hex(_NAME), shell.encode(), base64.urlsafe_b64encode(key).decode().rstrip("="))


def _padded(packed: bytes) -> bytes:
    """Packed bytes with their length before them, filled up so that the whole is sealed to a power of two."""
    framed = len(packed).to_bytes(_LENGTH, "big") + packed
    size = LEAST
    while size < len(framed) + _NONCE + _TAG:
        size *= 2
    return framed.ljust(size - _NONCE - _TAG, b"\0")


def _opening(page: bytes) -> Dress:
    """What the small page wears. It lets the scripts run that the sealed one says are its own, and no others.

    Those are the program's, the same for all reports. The sealed page brings a
    policy of its own, which holds besides this one.
    """
    found = _SCRIPTS.search(page.decode())
    return replace(dress("base.css", "sealed.css", script="sealed.js"), files=found[1] if found else "", any_style=True)
