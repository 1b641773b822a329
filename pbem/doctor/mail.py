"""Inbox, carrier, their secrets, signatures, and the order address: tried for real; no mail is moved or sent."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

from pbem.config import Settings, reaches
from pbem.config_values import Dkim, PostUrl, Secret
from pbem.doctor.advice import advice_for
from pbem.doctor.verdict import Examined, bad, doubtful, fine
from pbem.errors import ConfigError, PostError
from pbem.mail.fetch import greet_carrier, mails_waiting
from pbem.mail.transport import Signer, is_valid
from pbem.text import counted

_PROBE = b"From: orders@example.org\r\nSubject: probe\r\n\r\nprobe\r\n"


def mail(settings: Settings) -> Iterator[Examined]:
    """Secrets first; where one cannot be had, its server is not tried. Nor is any of a home that is not active."""
    if not settings.active:
        mend = "see that all of it is right, correct it in pbem.toml, and then open the home: pbem reopen"
        yield doubtful("inactive", "this home was restored, and uses none of the following before it is opened", mend)
        yield from (doubtful("inactive", each, "") for each in reaches(settings.home))
        return
    yield from _inbox(settings)
    yield from _carrier(settings)
    if settings.dkim is not None:
        yield _signature(settings.dkim, settings.domain)
    yield _address(settings.domain)


def _inbox(settings: Settings) -> Iterator[Examined]:
    url = settings.inbox_url
    secrets = _secrets(inbox_password=settings.inbox_password, inbox_oauth=settings.inbox_oauth)
    yield from secrets
    if all(check.result != "problem" for check in secrets):
        yield _tried("inbox", url, lambda: f"{counted(mails_waiting(settings), 'mail waits', 'mails wait')} there")


def _carrier(settings: Settings) -> Iterator[Examined]:
    url = settings.carrier_url
    secrets = _secrets(carrier_password=settings.carrier_password, carrier_oauth=settings.carrier_oauth)
    yield from secrets
    if url.scheme != "maildir" and all(check.result != "problem" for check in secrets):
        yield _tried("carrier", url, lambda: _greeted(settings, url))


def _greeted(settings: Settings, url: PostUrl) -> str:
    greet_carrier(settings)
    return f"it takes the login of {url.user}" if url.user else "it answers, and asks for no login"


def _secrets(**secrets: Secret | None) -> list[Examined]:
    """Whether those that are set can be had; not whether they are right."""
    return [_secret(setting, secret) for setting, secret in secrets.items() if secret is not None]


def _secret(setting: str, secret: Secret) -> Examined:
    try:
        value = secret.read(setting)
    except ConfigError as error:
        what = "set the variable where pbem runs, in cron or systemd too" if secret.env else "run the command by hand"
        return bad(setting, str(error), what)
    if value != value.strip():
        return doubtful(setting, "it begins or ends with a blank", "take the blank away, unless it is meant")
    return fine(setting, "it can be had")


def _tried(name: str, url: PostUrl, attempt: Callable[[], str]) -> Examined:
    where = url.path or url.server
    try:
        return fine(name, f"{where}: {attempt()}")
    except (ConfigError, PostError) as error:
        return bad(name, str(error), advice_for(str(error), name))


def _signature(dkim: Dkim, domain: str) -> Examined:
    """Signs a mail as it would be sent, and has the signature proved by what DNS says."""
    try:
        signed = Signer(dkim).sign(_PROBE)
    except ConfigError as error:
        return bad("dkim", str(error), "make a key, or take dkim out of pbem.toml")
    where = f"{dkim.selector}._domainkey.{dkim.domain}"
    if not is_valid(signed):
        mend = f"publish the public half of the key as a TXT record of {where}"
        return doubtful("dkim", f"the key published at {where} is not found, or is another one", mend)
    if domain != dkim.domain and not domain.endswith(f".{dkim.domain}"):
        mend = "sign with the domain of `address`; else the signature does not speak for the sender (DMARC)"
        return doubtful("dkim", f"mail from {domain} is signed for {dkim.domain}", mend)
    return fine("dkim", f"mail is signed for {dkim.domain}, and the published key proves it")


def _address(domain: str) -> Examined:
    """Only a doubt: a domain may take mail (MX) without having an address itself."""
    try:
        socket.getaddrinfo(domain, None)
    except (OSError, UnicodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is no name"
        mend = "if players' mail comes back, correct `address` in pbem.toml, or this machine's name service (DNS)"
        return doubtful("address", f"the domain {domain} is not found: {said}", mend)
    return fine("address", f"the domain {domain} is found")
