"""Values of settings: their types, and functions that parse and check them."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from pbem.errors import ConfigError
from pbem.text import cut_at_word
from pbem.util import LEAST_SECRET, MASK, redact_all, register_secret

FILE_NAME = "pbem.toml"

MOST = 1_000_000

_SPANS = {
    "per_minute": dt.timedelta(minutes=1),
    "per_hour": dt.timedelta(hours=1),
    "per_day": dt.timedelta(days=1),
}


@dataclass(frozen=True, slots=True)
class RateLimit:
    """The most mails in any minute, hour and day; 0 for no limit."""

    per_minute: int = 0
    per_hour: int = 0
    per_day: int = 0

    def __bool__(self) -> bool:
        return self != RateLimit()

    def spans(self) -> Iterator[tuple[int, dt.timedelta]]:
        """Return each limit that is set, as number of mails and time span."""
        return ((count, span) for name, span in _SPANS.items() if (count := getattr(self, name)))


@dataclass(frozen=True, slots=True)
class SendingLimits:
    """The limits for all mail, and those for mail to single domains, by lower-case name."""

    overall: RateLimit = RateLimit()
    domains: Mapping[str, RateLimit] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self != SendingLimits()

    def spans(self, domain: str) -> Iterator[tuple[str, int, dt.timedelta]]:
        """Yield the limits for mail to this domain; each with "" for all mail, or with the domain."""
        yield from (("", *span) for span in self.overall.spans())
        yield from ((domain, *span) for span in self.domains.get(domain, _NONE).spans())


_NONE = RateLimit()


def parse_sending_limits(key: str, value: Any) -> SendingLimits:
    """Parse the table `[pace]`. Raise ConfigError."""
    if not isinstance(value, dict):
        raise ConfigError(f"{FILE_NAME}: {key} must be a table: [{key}], and below it lines such as per_minute = 20")
    domains = {name.lower(): limits for name, limits in value.items() if isinstance(limits, dict)}
    own = {name: limit for name, limit in value.items() if name.lower() not in domains}
    return SendingLimits(
        _limits(key, own), {name: _limits(f'{key}."{name}"', limits) for name, limits in sorted(domains.items())}
    )


def _limits(key: str, value: Mapping[str, Any]) -> RateLimit:
    for name, limit in value.items():
        if name not in _SPANS:
            raise ConfigError(f"{FILE_NAME}: {name!r} is not a limit of [{key}]; expected one of {', '.join(_SPANS)}")
        # true in TOML is a bool, which Python counts among the integers.
        if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST:
            raise ConfigError(
                f"{FILE_NAME}: {name} in [{key}] must be a whole number from 1 to {MOST}, not {limit!r};"
                " leave it out for no limit"
            )
    return RateLimit(**value)


COMMAND_SECONDS = 60


@dataclass(frozen=True)
class Secret:
    """Source of a password or access token: an environment variable, or a command that prints it."""

    env: str = ""
    command: str = field(default="", repr=False)  # it may contain the secret
    inactive: bool = False

    def read(self, setting: str) -> str:
        """Return the secret.

        Raises:
            ConfigError: It cannot be read; the message names the setting.
        """
        if self.inactive:
            raise ConfigError(
                f"{setting} in {FILE_NAME} is not used in an inactive home; activate it: pbem restore --activate"
            )
        if self.env:
            value = os.environ.get(self.env, "")
            if not value:
                raise ConfigError(
                    f"{setting} in {FILE_NAME} names the environment variable {self.env}, which is not set"
                )
            return register_secret(value)
        return register_secret(self._run_command(setting))

    def files(self, home: Path) -> list[Path]:
        """Return the files of a home that its command names."""
        return [home / word for word in shlex.split(self.command) if (home / word).is_file()]

    def _run_command(self, setting: str) -> str:
        words = shlex.split(self.command)
        try:
            run = subprocess.run(words, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=True)  # noqa: S603 - the GM's own command
        except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
            failure = _describe_failure(error, self.command)
            raise ConfigError(f"the command of {setting} in {FILE_NAME} failed: {failure}") from None
        # The first line alone: password stores such as pass(1) keep notes below it.
        first = run.stdout.partition("\n")[0].rstrip("\r")
        if not first:
            raise ConfigError(f"the command of {setting} in {FILE_NAME} printed nothing")
        return first


_LONGEST_MESSAGE = 200
# A file, or the name of an entry in a password store.
_PLACE = re.compile(r"(?<![\w.~@-])[\w.~@-]*+/[\w./~@-]*+")
_PARTING = re.compile(r"[\s'\"=;|&()]++")


def _describe_failure(error: Exception, command: str) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        # Not str(error), which quotes the command, and that may contain the secret.
        said = cut_at_word(" ".join(_without_secret(error, command).split()), _LONGEST_MESSAGE)
        return f"it ended with status {error.returncode}" + (f": {said}" if said else "")
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took longer than {COMMAND_SECONDS} seconds"
    if isinstance(error, OSError):
        return f"{error.strerror or error}"
    return "it printed what is not text"


def _without_secret(failed: subprocess.CalledProcessError, command: str) -> str:
    """Return the message of a command without what it printed, which may be the secret, and words of the command."""
    text = redact_all(failed.stderr)
    # A shell names the words that it does not know, and one of them may be the secret.
    words = [word for word in _PARTING.split(command)[1:] if not _PLACE.fullmatch(word)]
    for word in sorted({*words, *failed.stdout.split("\n")}, key=len, reverse=True):
        if len(word) >= LEAST_SECRET:
            text = text.replace(word, MASK)
    return text


INBOX_SCHEMES = ("maildir", "imap", "imap+starttls", "imaps")
TRANSPORT_SCHEMES = ("maildir", "smtp", "smtp+starttls", "smtps")

# Masked in errors: a password that was written into a URL is not printed.
_PASSWORD = re.compile(r"(://[^/@:]*+):[^/]*@")
# 465 and 993 are those of implicit TLS (RFC 8314), 587 is that of submission (RFC 6409).
_PORTS = {"imap": 143, "imap+starttls": 143, "imaps": 993, "smtp": 25, "smtp+starttls": 587, "smtps": 465}


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class MailUrl:
    """An inbox or carrier URL, parsed. A Maildir has a `path`, a server the rest."""

    scheme: str
    path: str = ""
    user: str = ""
    host: str = ""
    port: int = 0
    folder: str = ""

    @property
    def tls(self) -> bool:
        """True if TLS begins with the connection (RFC 8314)."""
        return self.scheme in ("imaps", "smtps")

    @property
    def starttls(self) -> bool:
        """True if the connection must be upgraded to TLS before anything else."""
        return self.scheme.endswith("+starttls")

    @property
    def private(self) -> bool:
        """True if a password may be sent: over TLS, or inside this machine."""
        return self.tls or self.starttls or self.host == "localhost" or _is_loopback(self.host)

    @property
    def server(self) -> str:
        """Host and port for messages."""
        return f"{self.host}:{self.port}"


def parse_mail_url(text: str, setting: str, schemes: tuple[str, ...]) -> MailUrl:
    """Parse an inbox or carrier URL.

    Raises:
        ConfigError: Names the setting and the allowed forms.
    """
    if text.startswith("maildir:") and "maildir" in schemes:
        path = text.removeprefix("maildir:")
        if not path:
            raise ConfigError(f'{FILE_NAME}: {setting} names no folder; write "maildir:post/{setting}"')
        return MailUrl("maildir", path=path)
    parts = split_url(text, setting)
    if parts.scheme not in schemes or parts.scheme == "maildir" or not parts.hostname:
        allowed = ", ".join("maildir:folder" if name == "maildir" else f"{name}://user@host" for name in schemes)
        raise ConfigError(f"{FILE_NAME}: {setting} is {masked_url(text)!r}; possible are {allowed}")
    if parts.password is not None:
        raise ConfigError(f"{FILE_NAME}: {setting} must not hold a password; use {setting}_password")
    folder = unquote(parts.path.strip("/")) or "INBOX"
    return MailUrl(
        parts.scheme,
        user=unquote(parts.username or ""),
        host=parts.hostname,
        port=parts.port or _PORTS[parts.scheme],
        folder=folder if parts.scheme.startswith("imap") else "",
    )


def split_url(text: str, setting: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        _ = parts.port  # a bad number raises only when it is read
    except ValueError as error:
        raise ConfigError(f"{FILE_NAME}: {setting} is not a URL: {error}") from None
    return parts


def masked_url(url: str) -> str:
    return _PASSWORD.sub(r"\1:…@", url)


# 64 characters before the @ and 253 behind it: RFC 5321, 4.5.3.1.1, and the longest name in DNS (RFC 1035, 2.3.4).
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*/=?^_`{|}~+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
_SITE_URL = re.compile(r"(?:https?|file)://[!-;=?-~]{1,400}")
# All servers of a provider; with "*.com" any sender's server would be trusted.
_NAMES_BELOW = re.compile(r"\*(?:\.[A-Za-z0-9-]+){2,}")
_POSTGRESQL = re.compile(r"postgresql(\+psycopg)?://")


@dataclass(frozen=True, slots=True)
class Dkim:
    """DKIM signature of mail: the domain, the selector of its public key, and the file of the private key."""

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


def is_server_name(value: str) -> bool:
    """Return True for the name of a mail server, or for that of all servers of a provider."""
    return bool(_NAME.fullmatch(value) or _NAMES_BELOW.fullmatch(value))


def _server_name(what: str) -> Callable[[str, Any], str]:
    def read(key: str, value: Any) -> str:
        if not isinstance(value, str) or not is_server_name(value):
            raise ConfigError(f'{FILE_NAME}: {key} must be {what}, such as "mx.example.org", not {value!r}')
        return value

    return read


def _bool(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{FILE_NAME}: {key} must be true or false, not {value!r}")
    return value


def _whole_number(least: int, most: int) -> Callable[[str, Any], int]:
    def read(key: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ConfigError(f"{FILE_NAME}: {key} must be a whole number from {least} to {most}, not {value!r}")
        return value

    return read


def _mail_url(schemes: tuple[str, ...]) -> Callable[[str, Any], str]:
    def read(key: str, value: Any) -> str:
        parse_mail_url(_text(key, value), key, schemes)
        return str(value)

    return read


def _site_url(key: str, value: Any) -> str:
    if not isinstance(value, str) or not _SITE_URL.fullmatch(value):
        known = 'the address of the folder `site` on the web, such as "https://club.example.org/pbem/"'
        raise ConfigError(f"{FILE_NAME}: {key} must be {known}, not {value!r}")
    return value.rstrip("/") + "/"


def _dashboard(key: str, value: Any) -> str:
    # By its ending, so that no setting or slip overwrites the database or a key.
    if not _text(key, value).endswith(".html"):
        raise ConfigError(f'{FILE_NAME}: {key} must be a file that ends in .html, such as "status.html", not {value!r}')
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


def cpu_count() -> int:
    """Return the number of processors that this process may use."""
    # os.cpu_count has all processors of the machine, of which taskset or a container's cpuset may leave fewer.
    # macOS has no sched_getaffinity.
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def _token(key: str, value: Any) -> Secret:
    # No variable: access tokens expire after about an hour, so each log-in needs a new one.
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
        raise ConfigError(f"{FILE_NAME}: {key} must not be written in the file; use {key} = {form}")
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


def _public_names(key: str, value: Any) -> Mapping[str, str]:
    """Return the names of players by their addresses in lower case."""
    example = f'[{key}], and below it lines such as "ann@example.org" = "Ann"'
    if not isinstance(value, dict):
        raise ConfigError(f"{FILE_NAME}: {key} must be a table: {example}")
    for address, name in value.items():
        if not _ADDRESS.fullmatch(address):
            raise ConfigError(f"{FILE_NAME}: {key} names {address!r}, which is not an address; expected: {example}")
        if not isinstance(name, str) or not name.strip() or not name.isprintable() or "@" in name:
            raise ConfigError(
                f"{FILE_NAME}: {key}: {name!r} is not a name on one line, without an address; give {example}"
            )
    return {address.lower(): name for address, name in value.items()}


_SETTINGS: Mapping[str, tuple[Callable[[str, Any], Any], Any]] = {
    "address": (_address, None),
    "sender_name": (_text, "Play by Email"),
    "inbox": (_mail_url(INBOX_SCHEMES), "maildir:post/inbox"),
    "carrier": (_mail_url(TRANSPORT_SCHEMES), "maildir:post/sent"),
    "database": (_database, "sqlite:///pbem.sqlite"),
    "archive": (_text, "turns"),
    "authserv_id": (_server_name("the first word of the Authentication-Results that your mail server writes"), None),
    "received_by": (_server_name('the word behind "by" in the Received field that your mail server writes'), None),
    "fetch_junk": (_bool, False),
    "templates": (_text, "templates"),
    "pictures": (_bool, True),
    "jobs": (_whole_number(1, 64), None),
    "tls_ca": (_text, None),
    "poll_seconds": (_whole_number(5, 86_400), 60),
    "outage_hours": (_whole_number(0, 168), 24),
    "letter_seconds": (_whole_number(1, 600), 10),
    "keep_processed": (_whole_number(1, 3_650), None),
    "log": (_text, "log/pbem.log"),
    "site": (_text, None),
    "site_url": (_site_url, None),
    "dashboard": (_dashboard, None),
    "inbox_password": (_secret, None),
    "carrier_password": (_secret, None),
    "inbox_oauth": (_token, None),
    "carrier_oauth": (_token, None),
    "connections": (_whole_number(1, 10), 1),
    "dkim": (_dkim, None),
    "pace": (parse_sending_limits, {}),
    "players": (_public_names, {}),
}
"""The reader of each setting, and its default; None where it has none."""

READERS = {key: reader for key, (reader, _) in _SETTINGS.items()}
DEFAULTS = {key: default for key, (_, default) in _SETTINGS.items() if default is not None}
