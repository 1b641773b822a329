"""The single settings: how each is read, what it may be, and its default. A refusal names the setting."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.config.file import FILE_NAME
from pbem.config.pace import read_pace
from pbem.config.secret import Secret
from pbem.config.urls import CARRIERS, INBOXES, masked_url, read_post_url, split_url
from pbem.errors import ConfigError

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*/=?^_`{|}~+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
_SITE_URL = re.compile(r"(?:https?|file)://[!-;=?-~]{1,400}")
_NAMES_BELOW = re.compile(r"\*(?:\.[A-Za-z0-9-]+){2,}")
"""All servers of a provider; of all that end in "com" none could be believed."""
_POSTGRESQL = re.compile(r"postgresql(\+psycopg)?://")


@dataclass(frozen=True, slots=True)
class Dkim:
    """How mail is signed: for a domain, with the key in a file, whose public half is published under a selector."""

    domain: str
    selector: str
    key_file: Path


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ConfigError(f"{FILE_NAME}: {key} must be one line of text in quotes")
    return value


def _address(key: str, value: Any) -> str:
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        raise ConfigError(f'{FILE_NAME}: {key} must be a mail address such as "orders@example.org", not {value!r}')
    return value


def _authserv_id(key: str, value: Any) -> str:
    if not isinstance(value, str) or not (_NAME.fullmatch(value) or _NAMES_BELOW.fullmatch(value)):
        known = 'the first word of the Authentication-Results that your mail server writes, such as "mx.example.org"'
        raise ConfigError(f"{FILE_NAME}: {key} must be {known}, not {value!r}")
    return value


def _bool(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{FILE_NAME}: {key} must be true or false, not {value!r}")
    return value


def _whole(key: str, value: Any, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ConfigError(f"{FILE_NAME}: {key} must be a whole number from {least} to {most}, not {value!r}")
    return value


def _seconds(key: str, value: Any) -> int:
    return _whole(key, value, 5, 86_400)


def _hours(key: str, value: Any) -> int:
    return _whole(key, value, 0, 168)


def _site_url(key: str, value: Any) -> str:
    if not isinstance(value, str) or not _SITE_URL.fullmatch(value):
        known = 'the address of the folder `site` on the web, such as "https://club.example.org/pbem/"'
        raise ConfigError(f"{FILE_NAME}: {key} must be {known}, not {value!r}")
    return value.rstrip("/") + "/"


def _letter_seconds(key: str, value: Any) -> int:
    return _whole(key, value, 1, 600)


def _inbox(key: str, value: Any) -> str:
    read_post_url(_text(key, value), key, INBOXES)
    return str(value)


def _carrier(key: str, value: Any) -> str:
    read_post_url(_text(key, value), key, CARRIERS)
    return str(value)


def _database(key: str, value: Any) -> str:
    url = _text(key, value)
    if url.startswith("sqlite:///") and len(url) > len("sqlite:///"):
        return url
    if not _POSTGRESQL.match(url):
        known = '"sqlite:///pbem.sqlite" or "postgresql://user@host/name"'
        raise ConfigError(f"{FILE_NAME}: {key} is {masked_url(url)!r}; write {known}")
    if split_url(url, key).password is not None:
        raise ConfigError(f"{FILE_NAME}: {key} must not hold a password; PostgreSQL reads PGPASSWORD or ~/.pgpass")
    return _POSTGRESQL.sub("postgresql+psycopg://", url)


def cores() -> int:
    """How many of the machine's processors this process may use."""
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def _jobs(key: str, value: Any) -> int:
    return _whole(key, value, 1, 64)


def _connections(key: str, value: Any) -> int:
    return _whole(key, value, 1, 10)


def _token(key: str, value: Any) -> Secret:
    if not isinstance(value, dict) or value.keys() != {"command"}:
        raise ConfigError(f'{FILE_NAME}: {key} must be {{ command = "…" }}, a command that prints an access token')
    return _secret(key, value)


def _dkim(key: str, value: Any) -> Dkim:
    names = ("domain", "selector", "key_file")
    if not isinstance(value, dict) or value.keys() != set(names):
        form = ", ".join(f'{name} = "…"' for name in names)
        raise ConfigError(f"{FILE_NAME}: {key} must be {{ {form} }}")
    for name in ("domain", "selector"):
        if not _NAME.fullmatch(_text(f"{name} in {key}", value[name])):
            raise ConfigError(f"{FILE_NAME}: {name} in {key} must be a name as in DNS, not {value[name]!r}")
    return Dkim(value["domain"].lower(), value["selector"], Path(_text(f"key_file in {key}", value["key_file"])))


def _secret(key: str, value: Any) -> Secret:
    form = '{ env = "NAME" } or { command = "…" }'
    if isinstance(value, str):
        raise ConfigError(f"{FILE_NAME}: {key} must not stand in the file; write {key} = {form}")
    if not isinstance(value, dict) or len(value) != 1 or not value.keys() <= {"env", "command"}:
        raise ConfigError(f"{FILE_NAME}: {key} must be {form}")
    ((kind, source),) = value.items()
    return Secret(command=_command(key, source)) if kind == "command" else Secret(env=_text(key, source))


def _command(key: str, value: Any) -> str:
    try:
        shlex.split(_text(key, value))
    except ValueError as error:
        raise ConfigError(f"{FILE_NAME}: the command of {key} cannot be read: {error}") from None
    return str(value)


READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "address": _address,
    "sender_name": _text,
    "inbox": _inbox,
    "carrier": _carrier,
    "database": _database,
    "archive": _text,
    "authserv_id": _authserv_id,
    "templates": _text,
    "pictures": _bool,
    "jobs": _jobs,
    "tls_ca": _text,
    "poll_seconds": _seconds,
    "outage_hours": _hours,
    "letter_seconds": _letter_seconds,
    "log": _text,
    "site": _text,
    "site_url": _site_url,
    "inbox_password": _secret,
    "carrier_password": _secret,
    "inbox_oauth": _token,
    "carrier_oauth": _token,
    "connections": _connections,
    "dkim": _dkim,
    "pace": read_pace,
}

DEFAULTS: Mapping[str, Any] = {
    "sender_name": "Play by Email",
    "inbox": "maildir:post/inbox",
    "carrier": "maildir:post/sent",
    "database": "sqlite:///pbem.sqlite",
    "archive": "turns",
    "templates": "templates",
    "pictures": True,
    "poll_seconds": 60,
    "outage_hours": 24,
    "letter_seconds": 10,
    "log": "log/pbem.log",
    "connections": 1,
    "pace": {},
}
