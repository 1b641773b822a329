"""Encrypted pages: the key opens them, and nothing can be seen without it."""

from __future__ import annotations

import base64
import json
import re
import secrets
import zlib

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pbem.web.page import LEAST, encrypt_page, page_assets

PAGE = f"<!DOCTYPE html><html><head>{page_assets(script='dom.js').head}</head><body>Ships at J7</body></html>".encode()


def box(content: bytes) -> bytes:
    """Return the encrypted bytes in a file."""
    found = re.search(rb'<script type="application/json" id="box">(.*?)</script>', content)
    assert found
    return base64.b64decode(json.loads(found[1]))


def opened(sealed: bytes, key: str) -> bytes:
    """Decrypt a page by a key."""
    plain = AESGCM(base64.urlsafe_b64decode(key + "=")).decrypt(sealed[:12], sealed[12:], None)
    return zlib.decompress(plain[4 : 4 + int.from_bytes(plain[:4], "big")])


def test_its_own_key_opens_a_page() -> None:
    """A page's own key brings it back to the byte."""
    sealed = encrypt_page(PAGE)

    assert opened(box(sealed.content), sealed.key) == PAGE


def test_no_other_key_does() -> None:
    """The key of another page opens nothing."""
    one, other = encrypt_page(PAGE), encrypt_page(PAGE)

    with pytest.raises(InvalidTag):
        opened(box(one.content), other.key)


def test_names_and_sizes_tell_nothing() -> None:
    """Pages of different lengths look alike, and the same page is another one each time."""
    pages = [encrypt_page(PAGE + b"x" * length) for length in (0, 5_000, 60_000)] + [encrypt_page(PAGE)]

    assert {len(box(page.content)) for page in pages} == {LEAST}
    assert len({len(page.content) for page in pages}) == 1
    assert len({page.name for page in pages}) == len({page.key for page in pages}) == 4


def test_a_long_page_is_padded_to_the_next_power_of_two() -> None:
    """The length of a long page is disclosed only as a power of two."""
    sealed = encrypt_page(PAGE + secrets.token_hex(150_000).encode())

    assert len(box(sealed.content)) == 2 * LEAST


def test_the_small_page_lets_run_what_the_sealed_one_brings() -> None:
    """The policy of the small page allows the encrypted page's script and its own, and no other."""
    policy = re.search(r"script-src ([^;]*)", encrypt_page(PAGE).content.decode())
    own = re.search(r"script-src ([^;]*)", PAGE.decode())

    assert policy
    assert own
    assert own[1] in policy[1]
    assert len(policy[1].split()) == 2
