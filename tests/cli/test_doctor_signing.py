"""`pbem doctor` in a home whose mail is signed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from pbem.admin.checks import CheckResult
from pbem.admin.mail_checks import check_mail
from pbem.config import Settings, load_settings
from tests.cli.conftest import Run


@pytest.fixture
def signed(home: Path) -> Settings:
    """Return the settings of a home with a key that is not published: its domain can have no address."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (home / "dkim.pem").write_bytes(pem)
    with (home / "pbem.toml").open("a") as file:
        file.write('dkim = { domain = "pbem.invalid", selector = "pbem", key_file = "dkim.pem" }\n')
    return load_settings(home)


NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)


def said(settings: Settings) -> CheckResult:
    """Return the doctor's result on the signature."""
    (check,) = (check for check in check_mail(settings, NOON) if check.name == "dkim")
    return check


def test_a_key_that_is_not_published(signed: Settings) -> None:
    """Mail can be signed, but not verified: the GM is told what to publish, and where."""
    check = said(signed)

    assert check.result == "warning"
    assert check.mend == "publish the public half of the key as a TXT record of pbem._domainkey.pbem.invalid"


def test_a_file_that_is_no_key(signed: Settings) -> None:
    """An invalid key is a problem, as no mail can be sent."""
    (signed.home / "dkim.pem").write_text("no key")

    assert said(signed).result == "problem"
    assert "it must hold an RSA key in PEM form" in said(signed).text


def test_a_tick_without_the_key(pbem: Run, signed: Settings) -> None:
    """A tick says in a sentence why no mail is sent."""
    (signed.home / "dkim.pem").write_text("no key")
    result = pbem("tick")

    assert result.exit_code == 1
    assert "mail cannot be sent now: key_file in dkim, " in result.output
