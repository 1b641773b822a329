"""The SMTP transport with a real server."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections.abc import Iterator
from contextlib import closing

import pytest

from pbem.errors import ConfigError, MailError, PermanentMailError, TemporaryMailError, TransportUnavailable
from pbem.mail.compose import MailPart, NewMail
from pbem.mail.delivery import deliver_due
from pbem.mail.outbox import DeliveryResult, enqueue
from pbem.mail.transport import Transport, open_transport
from pbem.store.session import Store
from tests.mail.letters import mail
from tests.mail_servers.conftest import MakeSettings
from tests.servers.mail import MailServer
from tests.servers.relay import relaying

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
RAW = mail("turn 3\n.\n..two dots\n", "Subject: turn 3", sender="orders@pbem.test")


@pytest.fixture
def carrier(make_settings: MakeSettings) -> Iterator[Transport]:
    """Yield the transport of the account `orders`."""
    with closing(open_transport(make_settings())) as carrier:
        yield carrier


@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls", "smtp"])
def test_mail_arrives_whole(mail_server: MailServer, make_settings: MakeSettings, scheme: str) -> None:
    """Over TLS, STARTTLS, or without a login where none is required, mail arrives unchanged."""
    with closing(open_transport(make_settings(carrier=mail_server.carrier("orders", scheme)))) as carrier:
        reply = carrier.send("ann@pbem.test", RAW)

    assert reply.startswith("250 2.0.0 Ok: queued as")
    assert mail_server.mails("ann", at_least=1)[0].endswith(RAW.partition(b"\r\n\r\n")[2])


def refusal(carrier: Transport, recipient: str) -> MailError:
    """Return the error with which mail to a recipient is refused."""
    with pytest.raises(MailError) as error:
        carrier.send(recipient, RAW)
    return error.value


@pytest.mark.parametrize(
    ("recipient", "kind", "said"),
    [
        ("nobody@pbem.test", PermanentMailError, "refuses nobody@pbem.test: 550 5.1.1"),
        ("ann@example.org", PermanentMailError, "refuses ann@example.org: 550 5.1.2"),
        ("two words@pbem.test", PermanentMailError, "not a plain address"),
        ("ann@pbem.test\r\nRCPT TO:<bob@pbem.test>", PermanentMailError, "not a plain address"),
        ("policy@pbem.test", TemporaryMailError, "550 5.7.1"),
        ("busy@pbem.test", TemporaryMailError, "450 4.2.0"),
        ("quota@pbem.test", TransportUnavailable, "550 5.4.5"),
        ("closing@pbem.test", TransportUnavailable, "421 4.3.2"),
    ],
)
def test_refusals(
    mail_server: MailServer, carrier: Transport, recipient: str, kind: type[MailError], said: str
) -> None:
    """A refusal is permanent, for now, or for all mail; and the next mail is sent over the same connection."""
    error = refusal(carrier, recipient)

    assert type(error) is kind
    assert said in str(error)
    assert carrier.send("ann@pbem.test", RAW).startswith("250")


def test_a_server_that_takes_one_command_at_a_time(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """Without PIPELINING a refusal does as little harm to the next mail."""
    with closing(open_transport(make_settings(carrier=mail_server.carrier("orders", "smtp")))) as carrier:
        assert "refuses nobody@pbem.test: 550 5.1.1" in str(refusal(carrier, "nobody@pbem.test"))
        carrier.send("ann@pbem.test", RAW)

    assert len(mail_server.mails("ann", at_least=1)) == 1


def test_an_address_with_letters_beyond_ascii(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """A server with SMTPUTF8 gets the address as it is, and any mail after it; for another a sentence refuses it."""
    with closing(open_transport(make_settings())) as carrier:
        assert "550 5.1.1 <jürgen@pbem.test>" in str(refusal(carrier, "jürgen@pbem.test"))
        assert carrier.send("ann+jürgen@pbem.test", RAW).startswith("250")
        assert carrier.send("ann@pbem.test", RAW).startswith("250")

    with closing(open_transport(make_settings(carrier=mail_server.carrier("orders", "smtp")))) as carrier:
        error = refusal(carrier, "ann+jürgen@pbem.test")
        assert type(error) is PermanentMailError
        assert "does not offer SMTPUTF8" in str(error)
        assert carrier.send("ann@pbem.test", RAW).startswith("250")


def test_one_connection_for_many_mails(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """The connection is kept from mail to mail."""
    with relaying(mail_server.ports["smtps"]) as relay:
        settings = make_settings(carrier=f"smtps://orders@127.0.0.1:{relay.port}")
        with closing(open_transport(settings)) as carrier:
            for _ in range(3):
                carrier.send("ann@pbem.test", RAW)

        assert relay.connections == 1


def test_a_connection_that_was_closed_meanwhile(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """If the server closed the kept connection, the next mail is sent over a new one."""
    with relaying(mail_server.ports["smtps"]) as relay:
        settings = make_settings(carrier=f"smtps://orders@127.0.0.1:{relay.port}")
        with closing(open_transport(settings)) as carrier:
            carrier.send("ann@pbem.test", RAW)
            relay.cut()
            carrier.send("bob@pbem.test", RAW)

        assert relay.connections == 2
    assert len(mail_server.mails("bob", at_least=1)) == 1


def test_a_forged_sender(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """If the address in the settings is not the account's own, the server's refusal says so."""
    settings = make_settings(address=mail_server.address("gm"))
    with closing(open_transport(settings)) as carrier:
        assert "Sender address rejected: not owned by user orders" in str(refusal(carrier, "ann@pbem.test"))


def test_a_wrong_password(make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused login pauses all mail, and names server, user and the setting to check."""
    settings = make_settings()
    monkeypatch.setenv("TEST_PASSWORD", "wrong")
    with closing(open_transport(settings)) as carrier:
        error = refusal(carrier, "ann@pbem.test")

    assert isinstance(error, TransportUnavailable)
    assert "refuses the login of orders: 535 5.7.8" in str(error)
    assert str(error).endswith("look at carrier_password")


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"tls_ca": ""}, "certificate verify failed"),
        ({"carrier": "smtps://orders@127.0.0.1:9"}, "127.0.0.1:9 cannot be used: "),
        ({"carrier": "smtp://orders@mail.example.org"}, "unencrypted; use smtp+starttls:// or smtps://"),
    ],
)
def test_servers_that_cannot_be_used(make_settings: MakeSettings, others: dict[str, str], said: str) -> None:
    """A server that is unreachable or not trusted is reported in a sentence."""
    with (
        closing(open_transport(make_settings(**others))) as carrier,
        pytest.raises((TransportUnavailable, ConfigError)) as error,
    ):
        carrier.send("ann@pbem.test", RAW)

    assert said in str(error.value)


def test_several_connections(mail_server: MailServer, make_settings: MakeSettings, store: Store) -> None:
    """Each thread that sends has a connection of its own; every mail arrives once."""
    names = ["ann", "bob", "cyn", "dee"] * 30
    mails = [
        NewMail(f"{name}@pbem.test", "turn 3", "text", f"<{number}@pbem.test>", "orders@pbem.test")
        for number, name in enumerate(names)
    ]
    with relaying(mail_server.ports["smtps"]) as relay:
        settings = dataclasses.replace(make_settings(carrier=f"smtps://orders@127.0.0.1:{relay.port}"), connections=3)
        with store.writing() as session:
            enqueue(session, mails, settings, campaign=None, now=NOON)
        with closing(open_transport(settings)) as carrier:
            assert deliver_due(store, carrier, NOON, connections=3) == DeliveryResult(sent=len(names))

        assert 1 <= relay.connections <= 3
    arrived = [raw for name in ("ann", "bob", "cyn", "dee") for raw in mail_server.mails(name, at_least=30)]
    assert len(set(re.findall(rb"Message-ID: (.*)\r", b"".join(arrived)))) == len(arrived) == len(names)


def test_a_server_that_repeats_the_password(make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """No server's reply makes a message show the password; one that SMTP cannot send is refused in a sentence."""
    settings = make_settings()
    monkeypatch.setenv("TEST_PASSWORD", "größer")
    with closing(open_transport(settings)) as carrier:
        said = str(refusal(carrier, "ann@pbem.test"))

    assert "refuses the login of orders: user or password has a letter that SMTP does not know" in said
    assert "größer" not in said


def test_the_outbox_over_smtp(
    mail_server: MailServer, make_settings: MakeSettings, carrier: Transport, store: Store
) -> None:
    """Reports with pictures are sent over one connection to each player; dead addresses fail, busy ones wait."""
    picture = MailPart("map.png", "image/png", bytes(range(256)) * 100, "map")
    names = [*["ann", "bob"] * 20, "nobody", "busy"]
    mails = [
        NewMail(
            f"{name}@pbem.test",
            "turn 3",
            "Größe\n" * 100,
            f"<{number}@pbem.test>",
            "orders@pbem.test",
            "<p>x",
            parts=(picture,),
        )
        for number, name in enumerate(names)
    ]
    with store.writing() as session:
        enqueue(session, mails, make_settings(), campaign=None, now=NOON)

    assert deliver_due(store, carrier, NOON) == DeliveryResult(sent=40, failed=1, deferred=1)
    assert len(mail_server.mails("ann", at_least=20)) == len(mail_server.mails("bob", at_least=20)) == 20
