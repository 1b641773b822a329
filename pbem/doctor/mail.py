"""Inbox, carrier, their passwords, and the order address: tried for real, without moving or sending a mail."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

from pbem.config import PostUrl, Secret, Settings
from pbem.doctor.advice import advice_for
from pbem.doctor.verdict import Examined, bad, doubtful, fine
from pbem.errors import ConfigError, PostError
from pbem.post.probing import greet_carrier, mails_waiting


def mail(settings: Settings) -> Iterator[Examined]:
    """Passwords first; where one cannot be had, its server is not tried."""
    yield from _inbox(settings)
    yield from _carrier(settings)
    yield _address(settings.domain)


def _inbox(settings: Settings) -> Iterator[Examined]:
    url = settings.inbox_url
    password = _password("inbox_password", settings.inbox_password)
    yield from password
    if all(check.result != "problem" for check in password):
        yield _tried("inbox", url, lambda: f"{_count(mails_waiting(settings))} there", settings.inbox_password)


def _carrier(settings: Settings) -> Iterator[Examined]:
    url = settings.carrier_url
    password = _password("carrier_password", settings.carrier_password)
    yield from password
    if url.scheme != "maildir" and all(check.result != "problem" for check in password):
        yield _tried("carrier", url, lambda: _greeted(settings, url), settings.carrier_password)


def _greeted(settings: Settings, url: PostUrl) -> str:
    greet_carrier(settings)
    return f"it takes the login of {url.user}" if url.user else "it answers, and asks for no login"


def _password(setting: str, secret: Secret | None) -> list[Examined]:
    """Whether a password can be had; not whether it is right."""
    if secret is None:
        return []
    try:
        value = secret.read(setting)
    except ConfigError as error:
        what = "set the variable where pbem runs, in cron or systemd too" if secret.env else "run the command by hand"
        return [bad(setting, str(error), what)]
    if value != value.strip():
        return [doubtful(setting, "it begins or ends with a blank", "take the blank away, unless it is meant")]
    return [fine(setting, "it can be had")]


def _tried(name: str, url: PostUrl, attempt: Callable[[], str], secret: Secret | None) -> Examined:
    where = url.path or url.server
    try:
        return fine(name, f"{where}: {attempt()}")
    except (ConfigError, PostError) as error:
        said = _without(str(error), name, secret)
        return bad(name, said, advice_for(said, name))


def _without(text: str, name: str, secret: Secret | None) -> str:
    """A server's words, even if it was so careless as to repeat the password."""
    try:
        password = secret.read(f"{name}_password") if secret else ""
    except ConfigError:
        return text
    return text.replace(password, "…") if password else text


def _address(domain: str) -> Examined:
    """Only a doubt: a domain may take mail (MX) without having an address itself."""
    try:
        socket.getaddrinfo(domain, None)
    except (OSError, UnicodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is no name"
        mend = "if players' mail comes back, correct `address` in pbem.toml, or this machine's name service (DNS)"
        return doubtful("address", f"the domain {domain} is not found: {said}", mend)
    return fine("address", f"the domain {domain} is found")


def _count(number: int) -> str:
    return f"{number} mail waits" if number == 1 else f"{number} mails wait"
