"""DKIM signatures are valid for another library's verifier."""

from __future__ import annotations

import base64
import datetime as dt
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from pbem.config import Settings, load_settings
from pbem.config_values import FILE_NAME, Dkim
from pbem.errors import ConfigError
from pbem.mail.compose import MailPart, NewMail, compose
from pbem.mail.delivery import deliver_due
from pbem.mail.outbox import enqueue
from pbem.mail.transport import DkimSigner, open_transport, verify_signature
from pbem.store.session import Store

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
MAIL = NewMail(
    recipient="ann@example.org",
    subject="[trap7 abcdefghijklmnop] Größe",
    text="Your ships:\n.\nzwölf  \n",
    message_id="<abc@example.org>",
    reply_to="orders@example.org",
    html="<p>Your ships",
    references=("<root@example.org>",),
    parts=(MailPart("map.png", "image/png", b"png", content_id="map"),),
)
RAW = compose(MAIL, sender="orders@example.org", sender_name="Play by Email", at=NOON)
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(form: serialization.PrivateFormat) -> bytes:
    """Return the private key as a file holds it."""
    return KEY.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def published(name: bytes, **_how: object) -> bytes:
    """Return the DNS record for the selector `pbem` of example.org; None for any other name."""
    if name != b"pbem._domainkey.example.org.":
        return b""
    public = KEY.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)


@pytest.fixture
def dkim(tmp_path: Path) -> Dkim:
    """Return the settings of a signature, with a key."""
    (tmp_path / "dkim.pem").write_bytes(pem(serialization.PrivateFormat.TraditionalOpenSSL))
    return Dkim("example.org", "pbem", tmp_path / "dkim.pem")


@pytest.fixture
def signed_house(dkim: Dkim, tmp_path: Path) -> Settings:
    """Return the settings of a home whose mail is signed."""
    lines = [
        'address = "orders@example.org"',
        'dkim = { domain = "example.org", selector = "pbem", key_file = "dkim.pem" }',
    ]
    (tmp_path / FILE_NAME).write_text("\n".join(lines))
    return load_settings(tmp_path)


def test_a_signature_is_valid(dkim: Dkim) -> None:
    """A signature is put before the mail, which is otherwise unchanged, and fits the key in DNS."""
    signed = DkimSigner(dkim).sign(RAW)

    assert signed.startswith(b"DKIM-Signature: ")
    assert signed.endswith(RAW)
    assert verify_signature(signed, published)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Your ships", b"Our ships"),
        (b"To: ann@", b"To: eve@"),
        (b"References: <root@", b"References: <toor@"),
        (b"To: ann@", b"From: eve@example.org\r\nTo: ann@"),
    ],
)
def test_what_is_changed_shows(dkim: Dkim, old: bytes, new: bytes) -> None:
    """A changed text or header field, or a second sender, makes the signature invalid."""
    assert not verify_signature(DkimSigner(dkim).sign(RAW).replace(old, new, 1), published)


def test_a_key_that_is_not_published(dkim: Dkim) -> None:
    """A signature under a name that DNS does not know is invalid."""
    other = Dkim(dkim.domain, "other", dkim.key_file)

    assert not verify_signature(DkimSigner(other).sign(RAW), published)


def test_keys_as_openssl_makes_them_now(dkim: Dkim) -> None:
    """A key in the newer form, PKCS #8, can be used as well."""
    dkim.key_file.write_bytes(pem(serialization.PrivateFormat.PKCS8))

    assert verify_signature(DkimSigner(dkim).sign(RAW), published)


@pytest.mark.parametrize(
    "content", [b"", b"no key", b"-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"]
)
def test_a_key_that_is_none(dkim: Dkim, content: bytes) -> None:
    """A file without a key is reported by name."""
    dkim.key_file.write_bytes(content)

    with pytest.raises(ConfigError, match=r"key_file in dkim, .*dkim.pem, cannot be used to sign: it must hold an RSA"):
        DkimSigner(dkim)


def test_without_the_library(dkim: Dkim, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the optional library, the error says how to install it."""
    monkeypatch.setitem(sys.modules, "dkim", None)

    with pytest.raises(ConfigError, match=r"needs the package dkimpy; install it with: pip install 'pbem\[dkim\]'"):
        DkimSigner(dkim)


def test_mail_is_signed_on_its_way_out(signed_house: Settings, store: Store) -> None:
    """Mail in the outbox has no signature; mail that arrives has one."""
    with store.writing() as session:
        enqueue(session, [MAIL], signed_house, campaign=None, now=NOON)
    deliver_due(store, open_transport(signed_house), NOON)

    (path,) = (signed_house.home / "post" / "sent" / "new").iterdir()
    assert verify_signature(path.read_bytes().replace(b"\n", b"\r\n"), published)
