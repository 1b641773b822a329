"""Authentication-Results count from the configured server alone, and are parsed from any bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.authentication import authentication_verdict

SERVER = "mx.example.org"
ANN = "ann@example.org"


def verdict(*fields: str, sender: str | None = ANN, server: str = SERVER) -> str:
    """Return the verdict on a mail with these Authentication-Results, topmost first."""
    lines = [f"Authentication-Results: {field}\r\n" for field in fields]
    raw = "Received: from somewhere\r\n" + "".join(lines) + f"From: {ANN}\r\n\r\nBID 3\r\n"
    return authentication_verdict(raw.encode(), server, sender)


GMAIL = """\
mx.example.org;\r
       dkim=pass header.i=@example.org header.s=sel header.b=AbC1+/x=;\r
       spf=pass (google.com: domain of ann@example.org designates 192.0.2.1) smtp.mailfrom=ann@example.org;\r
       dmarc=pass (p=NONE sp=QUARANTINE dis=NONE) header.from=example.org"""
REAL = {
    "all pass, as Gmail writes it": (GMAIL, "pass"),
    "DMARC alone": ("mx.example.org; dmarc=pass header.from=example.org", "pass"),
    "DMARC fails": ("mx.example.org; dkim=pass header.d=list.example.net; dmarc=fail header.from=example.org", "fail"),
    "DMARC fails beside a pass": ("mx.example.org; spf=pass smtp.mailfrom=example.org; dmarc=fail", "fail"),
    "DMARC of somebody else": ("mx.example.org; dmarc=pass header.from=example.net", "none"),
    "DMARC knows nothing, DKIM does": ("mx.example.org; dmarc=none; dkim=pass header.d=example.org", "pass"),
    "a version after the name": ("mx.example.org 1; dkim/1=pass header.d=example.org", "pass"),
    "the name in capitals": ("MX.Example.ORG; dkim=pass header.d=EXAMPLE.org", "pass"),
    "the name in quotes": ('"mx.example.org"; dkim=pass header.d="example.org"', "pass"),
    "a signature of the domain above": ("mx.example.org; dkim=pass header.d=org", "none"),
    "a signature of another": ("mx.example.org; dkim=pass header.d=example.net", "none"),
    "a signature of a name that ends alike": ("mx.example.org; dkim=pass header.d=ample.org", "none"),
    "a signature of a domain below": ("mx.example.org; dkim=pass header.d=guest.example.org", "none"),
    "one of two signatures": ("mx.example.org; dkim=fail header.d=a.net; dkim=pass header.d=example.org", "pass"),
    "a broken signature": ("mx.example.org; dkim=fail header.d=example.org", "none"),
    "SPF passes": ("mx.example.org; spf=pass smtp.mailfrom=ann@example.org", "pass"),
    "SPF passes for a tagged sender": ("mx.example.org; spf=pass smtp.mailfrom=prvs=1f=ann@example.org", "pass"),
    "SPF passes for another": ("mx.example.org; spf=pass smtp.mailfrom=eve@example.net", "none"),
    "SPF passes for a greeting": ("mx.example.org; spf=pass smtp.helo=example.org", "none"),
    "SPF fails": ("mx.example.org; spf=fail smtp.mailfrom=ann@example.org", "fail"),
    "SPF fails softly": ("mx.example.org; spf=softfail smtp.mailfrom=ann@example.org", "none"),
    "SPF fails on a forwarded mail": (
        "mx.example.org; spf=fail smtp.mailfrom=ann@example.org; dkim=pass header.d=example.org",
        "pass",
    ),
    "no result": ("mx.example.org; none", "none"),
    "no result and no name": ("none", "none"),
    "as Microsoft writes it, without a name": (
        "spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=example.org; dmarc=pass action=none header.from=example.org",
        "none",
    ),
    "as Amazon writes it, with properties between semicolons": (
        "mx.example.org; spf=pass client-ip=192.0.2.1; envelope-from=ann@example.org; dkim=pass header.i=@example.org;",
        "pass",
    ),
    "an address of IPv6 without quotes": (
        "mx.example.org; iprev=pass smtp.remote-ip=2001:db8::1 (mail.example.org); dmarc=pass header.from=example.org",
        "pass",
    ),
    "an address in angle brackets": (
        "mx.example.org; spf=pass smtp.mailfrom=<ann@example.org>; dmarc=pass header.from=example.org",
        "pass",
    ),
    "a name between results": ("mx.example.org; dkim=none; mx.example.org; dmarc=fail header.from=example.org", "fail"),
    "a comment that is not ASCII": ("mx.example.org; spf=none (für alle); dmarc=pass header.from=example.org", "pass"),
    "another server": ("mx.example.net; dmarc=pass header.from=example.org", "none"),
    "a name that begins alike": ("mx.example.org.example.net; dmarc=pass header.from=example.org", "none"),
    "a pass in a comment": (
        "mx.example.org; spf=none (x; dmarc=pass header.from=example.org) smtp.mailfrom=x.y",
        "none",
    ),
    "a pass in a comment inside a comment": ("mx.example.org; spf=none (a (b) ; dmarc=pass (c)) smtp.helo=x", "none"),
    "a pass in quotes": ('mx.example.org; spf=none reason="; dmarc=pass" smtp.mailfrom="; dmarc=pass "@x.y', "none"),
    "a quote in a comment": ('mx.example.org; spf=none (") smtp.helo=x; dmarc=fail (")', "fail"),
    "a comment that does not end": ("mx.example.org; dmarc=pass (", "none"),
    "a comment that does not begin": ("mx.example.org; dmarc=pass )", "none"),
    "quotes that do not end": ('mx.example.org; dmarc=pass reason="x', "none"),
}


@pytest.mark.parametrize(("field", "expected"), REAL.values(), ids=REAL.keys())
def test_a_field_is_read(field: str, expected: str) -> None:
    """Each field is read as its server meant it; one that is doubtful vouches for no sender."""
    assert verdict(field) == expected


def test_only_the_topmost_is_looked_at() -> None:
    """A field that came with the mail stands below the server's own, and does not count."""
    forged = f"{SERVER}; dmarc=pass header.from=example.org"

    assert verdict(f"{SERVER}; dmarc=fail", forged) == "fail"
    assert verdict("mx.example.net; none", forged) == "none"


FASTMAIL = (
    "mx6.messagingengine.com; x-csa=none; x-me-sender=none; x-ptr=pass smtp.helo=mail.example.org",
    "mx6.messagingengine.com; dkim=pass header.d=example.org; dmarc={} header.from=example.org; spf=pass",
)
ICLOUD = (
    "bimi.icloud.com; bimi=skipped",
    "dmarc.icloud.com; dmarc={} header.from=example.org",
    "dkim-verifier.icloud.com; dkim=none",
    "spf.icloud.com; spf=none smtp.mailfrom=ann@example.org",
)
YAHOO = ("atlas-production.v2.omega.yahoo.com; dkim=unknown; spf=none; dmarc={}(p=NONE) header.from=example.org",)
YANDEX = ("mail-nwsmtp-mxfront-61.iva.yp-c.yandex.net; spf={} (mail.example.org) smtp.mail=ann@example.org",)
MICROSOFT = (
    "spf=none (sender IP is 192.0.2.1) smtp.mailfrom=example.org; dmarc={} action=none header.from=example.org",
)
PROVIDERS = {
    "*.messagingengine.com": FASTMAIL,
    "*.icloud.com": ICLOUD,
    "*.yahoo.com": YAHOO,
    "*.yandex.net": YANDEX,
    "unnamed": MICROSOFT,
}


@pytest.mark.parametrize("said", ["pass", "fail"])
@pytest.mark.parametrize(("server", "fields"), PROVIDERS.items(), ids=PROVIDERS)
def test_fields_of_the_great_providers(server: str, fields: tuple[str, ...], said: str) -> None:
    """Several fields, changing names, and missing names are read if the settings say so, and not otherwise."""
    told = [field.format(said) for field in fields]

    assert verdict(*told, server=server) == said
    assert verdict(*told) == "none"


@pytest.mark.parametrize(("server", "fields"), PROVIDERS.items(), ids=PROVIDERS)
def test_fields_that_came_with_the_mail(server: str, fields: tuple[str, ...]) -> None:
    """A field that a forger writes below the provider's own does not count, whatever its name."""
    own = [field.format("fail") for field in fields]
    forged = [field.format("pass") for field in fields]
    alien = "mx.example.net; dmarc=pass header.from=example.org"

    assert verdict(*own, *forged, server=server) == "fail"
    assert verdict(alien, *forged, server=server) == "none"
    assert verdict("none", *forged, server=server) == "none"


def test_what_stands_below_the_border_came_with_the_mail() -> None:
    """Below the Received field of the receiving server no field is the provider's own."""
    raw = (
        "Received: from inner\r\nAuthentication-Results: bimi.icloud.com; bimi=skipped\r\nX-Other: x\r\n"
        "{}Authentication-Results: dmarc.icloud.com; dmarc=pass header.from=example.org\r\n\r\n"
    )

    assert authentication_verdict(raw.format("").encode(), "*.icloud.com", ANN) == "pass"
    assert authentication_verdict(raw.format("Received: from outside\r\n").encode(), "*.icloud.com", ANN) == "none"


@pytest.mark.parametrize("name", ["icloud.com", "dmarc.icloud.com.example.net", "xicloud.com", ""])
def test_names_that_are_not_below(name: str) -> None:
    """A name for all servers of a provider matches no server of another."""
    assert verdict(f"{name}; dmarc=pass header.from=example.org", server="*.icloud.com") == "none"


def test_a_topmost_field_that_is_too_long_hides_what_is_below() -> None:
    """A topmost field of more than 8 kB is not read, and none below it is read in its place."""
    assert verdict(f"{SERVER}; none ({'x' * 9_000})", f"{SERVER}; dmarc=pass") == "none"


def test_a_field_in_the_text_is_text() -> None:
    """A line in the body is not a field of the mail."""
    raw = f"From: {ANN}\n\nAuthentication-Results: {SERVER}; dmarc=pass\n".encode()

    assert authentication_verdict(raw, SERVER, ANN) == "none"


def test_without_a_configured_server_nobody_is_believed() -> None:
    """Without a configured server, or a readable sender, there is no verdict."""
    assert verdict(f"{SERVER}; dmarc=pass", server="") == "none"
    assert verdict(f"{SERVER}; dmarc=pass", sender=None) == "none"


PIECES = st.sampled_from([*'();="\\/ .@', "\r\n ", SERVER, "dmarc", "pass", "header.from", "example.org", "é", "\x00"])


@given(st.lists(PIECES, max_size=200).map("".join))
def test_any_field_gives_a_verdict(field: str) -> None:
    """No content of the field raises an error."""
    assert verdict(f"{SERVER};{field}") in ("pass", "fail", "none")


@given(st.binary(max_size=400))
def test_any_bytes_give_a_verdict(raw: bytes) -> None:
    """No bytes of a mail raise an error."""
    assert authentication_verdict(b"Authentication-Results: " + raw, SERVER, ANN) in ("pass", "fail", "none")


@pytest.mark.parametrize("piece", ["(", '"', "a=", "a=b ", ";", '"\\', "(\\", "a/", "a . "])
def test_a_hostile_field_is_read_in_short(piece: str) -> None:
    """The longest field of the worst pieces is read quickly: no pattern backtracks."""
    field = (piece * 8_000)[:7_900]

    assert verdict(f"{SERVER}; {field}") == "none"
