"""The installation's settings: `pbem.toml` in the home folder, read and checked.

Secrets never stand in the file; it names the environment variable that holds
one, or the command that prints it:

    inbox_password = { env = "PBEM_INBOX_PASSWORD" }
    carrier_password = { command = "pass show mail/orders" }
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from pbem.errors import ConfigError

FILE_NAME = "pbem.toml"
COMMAND_SECONDS = 60

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*/=?^_`{|}~+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_PORTS = {"imap": 143, "imap+starttls": 143, "imaps": 993, "smtp": 25, "smtp+starttls": 587, "smtps": 465}
_INBOXES = ("maildir", "imap", "imap+starttls", "imaps")
_CARRIERS = ("maildir", "smtp", "smtp+starttls", "smtps")
_POSTGRESQL = re.compile(r"postgresql(\+psycopg)?://")

_FILE = """\
# Settings of this play-by-email house. `address` is the only one without a default.

address = "{address}"                # players write to it; reports and receipts come from it
sender_name = "Play by Email"

inbox = "maildir:post/inbox"         # or "imaps://user@mail.example.org/INBOX", "imap+starttls://…"
carrier = "maildir:post/sent"        # or "smtps://user@mail.example.org", "smtp+starttls://…"
# inbox_password = {{ env = "PBEM_INBOX_PASSWORD" }}
# carrier_password = {{ command = "pass show mail/orders" }}
# tls_ca = "private-ca.pem"          # instead of the system's certificate authorities

database = "sqlite:///pbem.sqlite"   # or "postgresql://user@host/name"
archive = "turns"
# templates = "templates"            # your own versions of mail texts; looked at first
pictures = true                      # maps as pictures in reports
poll_seconds = 60                    # how often `pbem serve` looks for mail
"""


@dataclass(frozen=True)
class Secret:
    """Where a password is kept: an environment variable, or a command that prints it."""

    env: str = ""
    command: str = ""

    def read(self, setting: str) -> str:
        """The password itself. Raises ConfigError, naming the setting, when it cannot be had."""
        if self.env:
            value = os.environ.get(self.env, "")
            if not value:
                raise ConfigError(
                    f"{setting} in {FILE_NAME} names the environment variable {self.env}, which is not set"
                )
            return value
        return self._printed(setting)

    def _printed(self, setting: str) -> str:
        words = shlex.split(self.command)
        try:
            run = subprocess.run(words, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=True)  # noqa: S603 - the GM's own command
        except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
            raise ConfigError(f"the command of {setting} in {FILE_NAME} failed: {_why(error)}") from None
        first = run.stdout.partition("\n")[0].rstrip("\r")
        if not first:
            raise ConfigError(f"the command of {setting} in {FILE_NAME} printed no password")
        return first


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with status {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took longer than {COMMAND_SECONDS} seconds"
    if isinstance(error, OSError):
        return f"{error.strerror or error}"
    return "it printed what is not text"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class PostUrl:
    """An inbox or carrier URL, taken apart. A Maildir has a `path`, a server the rest."""

    scheme: str
    path: str = ""
    user: str = ""
    host: str = ""
    port: int = 0
    folder: str = ""

    @property
    def tls(self) -> bool:
        """Whether TLS begins with the connection (RFC 8314)."""
        return self.scheme in ("imaps", "smtps")

    @property
    def starttls(self) -> bool:
        """Whether the connection must be raised to TLS before anything else."""
        return self.scheme.endswith("+starttls")

    @property
    def private(self) -> bool:
        """Whether a password may be sent: over TLS, or inside this machine."""
        return self.tls or self.starttls or self.host == "localhost" or _is_loopback(self.host)

    @property
    def server(self) -> str:
        """Host and port in words."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Settings:
    """What `pbem.toml` says, with paths made absolute. See `write_default_settings` for a commented example."""

    home: Path
    address: str
    sender_name: str
    inbox: str
    carrier: str
    database: str
    archive: Path
    templates: Path | None
    pictures: bool
    tls_ca: Path | None
    poll_seconds: int
    inbox_password: Secret | None
    carrier_password: Secret | None

    @property
    def domain(self) -> str:
        """The domain of the order address; Message-IDs are made in it."""
        return self.address.rpartition("@")[2]

    @property
    def inbox_url(self) -> PostUrl:
        """The inbox, taken apart."""
        return read_post_url(self.inbox, "inbox", _INBOXES)

    @property
    def carrier_url(self) -> PostUrl:
        """The carrier, taken apart."""
        return read_post_url(self.carrier, "carrier", _CARRIERS)


def find_home(start: Path) -> Path:
    """The nearest folder with a `pbem.toml`, from `start` upwards. Raises ConfigError."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise ConfigError(f"there is no {FILE_NAME} in {start} or above it; make one with: pbem init {start}")


def write_default_settings(home: Path, address: str) -> Path:
    """Writes a commented `pbem.toml` that needs no server; returns its path. Raises ConfigError if there is one."""
    path = home / FILE_NAME
    _address("address", address)
    try:
        home.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(_FILE.format(address=address))
    except FileExistsError:
        raise ConfigError(f"{path} is there already") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None
    return path


def load_settings(home: Path) -> Settings:
    """The settings of a home folder. Raises ConfigError with the first thing to mend."""
    home = home.resolve()
    data = _read_file(home / FILE_NAME)
    for key in data:
        _reader(key)
    if "address" not in data:
        raise ConfigError(
            f'{FILE_NAME} has no address; write the one players shall mail: address = "orders@example.org"'
        )
    values = {**_DEFAULTS, **data}
    read = {key: reader(key, values[key]) for key, reader in _READERS.items() if key in values}
    return _settled(home, read, explicit=data.keys())


def settings_problems(home: Path) -> list[str]:
    """Everything in a home's `pbem.toml` that must be mended, a sentence each; nothing if it can be loaded."""
    try:
        data = _read_file(home.resolve() / FILE_NAME)
    except ConfigError as error:
        return [str(error)]
    problems = []
    for key, value in data.items():
        try:
            _reader(key)(key, value)
        except ConfigError as error:
            problems.append(str(error))
    if not problems:
        try:
            load_settings(home)
        except ConfigError as error:
            problems.append(str(error))
    return problems


def _reader(key: str) -> Callable[[str, Any], Any]:
    if key not in _READERS:
        raise ConfigError(f"{FILE_NAME}: {key!r} is not a setting; {_nearest(key)}")
    return _READERS[key]


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def _nearest(key: str) -> str:
    near = difflib.get_close_matches(key, _READERS, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else "settings are " + ", ".join(_READERS)


def _settled(home: Path, read: Mapping[str, Any], *, explicit: Any) -> Settings:
    templates, tls_ca = home / read["templates"], read.get("tls_ca")
    if "templates" in explicit and not templates.is_dir():
        raise ConfigError(f"{FILE_NAME}: templates names {templates}, which is not a folder")
    if tls_ca is not None and not (home / tls_ca).is_file():
        raise ConfigError(f"{FILE_NAME}: tls_ca names {home / tls_ca}, which is not a file")
    return Settings(
        home=home,
        address=read["address"],
        sender_name=read["sender_name"],
        inbox=read["inbox"],
        carrier=read["carrier"],
        database=_absolute_database(home, read["database"]),
        archive=home / read["archive"],
        templates=templates if templates.is_dir() else None,
        pictures=read["pictures"],
        tls_ca=home / tls_ca if tls_ca else None,
        poll_seconds=read["poll_seconds"],
        inbox_password=read.get("inbox_password"),
        carrier_password=read.get("carrier_password"),
    )


def _absolute_database(home: Path, url: str) -> str:
    scheme, colon, path = url.partition(":///")
    return f"{scheme}{colon}{home / path}" if scheme == "sqlite" else url


def read_post_url(text: str, setting: str, schemes: tuple[str, ...]) -> PostUrl:
    """An inbox or carrier URL, taken apart. Raises ConfigError naming the setting and what is allowed."""
    if text.startswith("maildir:") and "maildir" in schemes:
        path = text.removeprefix("maildir:")
        if not path:
            raise ConfigError(f'{FILE_NAME}: {setting} names no folder; write "maildir:post/{setting}"')
        return PostUrl("maildir", path=path)
    parts = _split(text, setting)
    if parts.scheme not in schemes or parts.scheme == "maildir" or not parts.hostname:
        allowed = ", ".join("maildir:folder" if name == "maildir" else f"{name}://user@host" for name in schemes)
        raise ConfigError(f"{FILE_NAME}: {setting} is {_masked(text)!r}; possible are {allowed}")
    if parts.password is not None:
        raise ConfigError(f"{FILE_NAME}: {setting} must not hold a password; use {setting}_password")
    folder = unquote(parts.path.strip("/")) or "INBOX"
    return PostUrl(
        parts.scheme,
        user=unquote(parts.username or ""),
        host=parts.hostname,
        port=parts.port or _PORTS[parts.scheme],
        folder=folder if parts.scheme.startswith("imap") else "",
    )


def _split(text: str, setting: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        _ = parts.port  # read here because a bad number shows only then
    except ValueError as error:
        raise ConfigError(f"{FILE_NAME}: {setting} is not a URL: {error}") from None
    return parts


def _masked(url: str) -> str:
    return re.sub(r"(://[^/@:]*):[^/]*@", r"\1:…@", url)


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ConfigError(f"{FILE_NAME}: {key} must be one line of text in quotes")
    return value


def _address(key: str, value: Any) -> str:
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        raise ConfigError(f'{FILE_NAME}: {key} must be a mail address such as "orders@example.org", not {value!r}')
    return value


def _bool(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{FILE_NAME}: {key} must be true or false, not {value!r}")
    return value


def _seconds(key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 5 <= value <= 86_400:
        raise ConfigError(f"{FILE_NAME}: {key} must be a whole number from 5 to 86400, not {value!r}")
    return value


def _inbox(key: str, value: Any) -> str:
    read_post_url(_text(key, value), key, _INBOXES)
    return str(value)


def _carrier(key: str, value: Any) -> str:
    read_post_url(_text(key, value), key, _CARRIERS)
    return str(value)


def _database(key: str, value: Any) -> str:
    url = _text(key, value)
    if url.startswith("sqlite:///") and len(url) > len("sqlite:///"):
        return url
    if not _POSTGRESQL.match(url):
        known = '"sqlite:///pbem.sqlite" or "postgresql://user@host/name"'
        raise ConfigError(f"{FILE_NAME}: {key} is {_masked(url)!r}; write {known}")
    if _split(url, key).password is not None:
        raise ConfigError(f"{FILE_NAME}: {key} must not hold a password; PostgreSQL reads PGPASSWORD or ~/.pgpass")
    return _POSTGRESQL.sub("postgresql+psycopg://", url)


def _secret(key: str, value: Any) -> Secret:
    form = '{ env = "NAME" } or { command = "…" }'
    if isinstance(value, str):
        raise ConfigError(f"{FILE_NAME}: {key} must not stand in the file; write {key} = {form}")
    if not isinstance(value, dict) or len(value) != 1 or not value.keys() <= {"env", "command"}:
        raise ConfigError(f"{FILE_NAME}: {key} must be {form}")
    ((kind, source),) = value.items()
    return Secret(**{kind: _command(key, source) if kind == "command" else _text(key, source)})


def _command(key: str, value: Any) -> str:
    try:
        shlex.split(_text(key, value))
    except ValueError as error:
        raise ConfigError(f"{FILE_NAME}: the command of {key} cannot be read: {error}") from None
    return str(value)


_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "address": _address,
    "sender_name": _text,
    "inbox": _inbox,
    "carrier": _carrier,
    "database": _database,
    "archive": _text,
    "templates": _text,
    "pictures": _bool,
    "tls_ca": _text,
    "poll_seconds": _seconds,
    "inbox_password": _secret,
    "carrier_password": _secret,
}

_DEFAULTS: Mapping[str, Any] = {
    "sender_name": "Play by Email",
    "inbox": "maildir:post/inbox",
    "carrier": "maildir:post/sent",
    "database": "sqlite:///pbem.sqlite",
    "archive": "turns",
    "templates": "templates",
    "pictures": True,
    "poll_seconds": 60,
}
