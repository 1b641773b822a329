"""Read and write the settings of a home, `pbem.toml`.

The settings of a restored home may come from a stranger: nothing that they name outside the home is written to, and
everything they would run, read or connect to is shown before the operator permits it.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pbem.config_values import (
    DEFAULTS,
    FILE_NAME,
    INBOX_SCHEMES,
    READERS,
    TRANSPORT_SCHEMES,
    Dkim,
    MailUrl,
    Secret,
    SendingLimits,
    cpu_count,
    masked_url,
    parse_mail_url,
)
from pbem.errors import ConfigError, reason_of
from pbem.util import lies_in, write_atomically

INACTIVE = "pbem.inactive"
"""Marks a restored home that is not activated yet: no template or secret of the backup is used while it exists."""

DEFAULT_FILE = """\
# Settings of this play-by-email home. `address` is the only one without a default.

address = "{address}"                # players write to it; reports and receipts come from it
sender_name = "Play by Email"

inbox = "maildir:post/inbox"         # or "imaps://user@mail.example.org/INBOX", "imap+starttls://…"
carrier = "maildir:post/sent"        # or "smtps://user@mail.example.org", "smtp+starttls://…"
# inbox_password = {{ env = "PBEM_INBOX_PASSWORD" }}
# carrier_password = {{ command = "pass show mail/orders" }}
# inbox_oauth = {{ command = "…" }}     # instead of a password: prints an access token (Gmail, Microsoft 365)
# carrier_oauth = {{ command = "…" }}
# authserv_id = "mx.example.org"     # your mail server's name in the Authentication-Results that it stamps;
                                     # "*.icloud.com" for all of a provider's, "unnamed" for Microsoft's
# received_by = "mx.example.org"     # its name behind "by" in its Received fields, which tell when a mail came;
                                     # see: pbem doctor --send you@example.org
# fetch_junk = true                  # read mail with a valid code in the mailbox's Junk folder too
# tls_ca = "private-ca.pem"          # instead of the system's certificate authorities

database = "sqlite:///pbem.sqlite"   # or "postgresql://user@host/name"
archive = "turns"
# templates = "templates"            # your own versions of mail texts; looked at first
pictures = true                      # maps as pictures in reports
# jobs = 2                           # processes that make the reports of a turn; else one for each processor
poll_seconds = 60                    # how often `pbem serve` looks for mail
outage_hours = 24                    # deadlines wait as long as an outage was, at most so long; 0: not at all
letter_seconds = 10                  # of the processor's time, for one message; what takes longer is quarantined
# keep_processed = 90                # days, after which mail in the folder Processed is deleted; else it stays
log = "log/pbem.log"                 # a line of JSON for each thing that happens; "-" is standard error
# site = "site"                      # a folder where the club's pages are written after every turn
# site_url = "https://…"             # its address on the web
# dashboard = "status.html"          # a private page with all campaigns at a glance, written by every tick
# connections = 1                    # to the carrier at once
# dkim = {{ domain = "example.org", selector = "pbem", key_file = "dkim.pem" }}   # signs mail; pip install 'pbem[dkim]'

# [pace]                             # what the carrier lets you send; mail beyond it waits for its time
# per_minute = 20
# per_day = 400
# [pace."gmail.com"]                 # and to the addresses of one domain
# per_hour = 100

# [players]                          # names by which the standings of the site show players who agreed
# "ann@example.org" = "Ann"
"""

SECRETS = ("inbox_password", "carrier_password", "inbox_oauth", "carrier_oauth")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The values of `pbem.toml`, with absolute paths. See `write_default_settings` for a commented example.

    A restored home is not `active` before its operator activates it: its templates and secrets are not used.
    """

    home: Path
    address: str
    sender_name: str
    inbox: str
    carrier: str
    database: str
    archive: Path
    templates: Path | None
    pictures: bool
    jobs: int
    tls_ca: Path | None
    poll_seconds: int
    outage_hours: int
    letter_seconds: float
    keep_processed: int | None = None
    log: Path
    inbox_password: Secret | None = None
    carrier_password: Secret | None = None
    inbox_oauth: Secret | None = None
    carrier_oauth: Secret | None = None
    connections: int
    dkim: Dkim | None
    pace: SendingLimits
    authserv_id: str = ""
    received_by: str = ""
    fetch_junk: bool
    site: Path | None
    site_url: str = ""
    dashboard: Path | None
    players: Mapping[str, str]
    active: bool = True

    @property
    def own_templates(self) -> Path | None:
        """The folder of templates that are used before the program's own."""
        # A restored home may be a stranger's: its operator sees first what it brings (decision 37).
        return self.templates if self.active else None

    @property
    def has_site(self) -> bool:
        """True if mails can have links to the site: it is written here, and its address on the web is known."""
        return self.site is not None and bool(self.site_url)

    @property
    def domain(self) -> str:
        """The domain of the order address, used in Message-IDs."""
        return self.address.rpartition("@")[2]

    @property
    def inbox_url(self) -> MailUrl:
        return parse_mail_url(self.inbox, "inbox", INBOX_SCHEMES)

    @property
    def carrier_url(self) -> MailUrl:
        return parse_mail_url(self.carrier, "carrier", TRANSPORT_SCHEMES)


def find_home(start: Path) -> Path:
    """Return the nearest folder with a `pbem.toml`, from `start` upwards. Raise ConfigError if there is none."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise ConfigError(f"there is no {FILE_NAME} in {start} or above it; make one with: pbem init {start}")


def write_default_settings(home: Path, address: str) -> Path:
    """Write a commented `pbem.toml` that needs no server; return its path. Raise ConfigError if there is one."""
    path = home / FILE_NAME
    # Before the folder is made, so that a refusal leaves nothing behind.
    READERS["address"]("address", address)
    try:
        home.mkdir(parents=True, exist_ok=True)
        if path.exists():
            raise ConfigError(f"{path} exists already")
        write_atomically(path, DEFAULT_FILE.format(address=address).encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {reason_of(error)}") from None
    return path


def load_settings(home: Path, *, without: Collection[str] = ()) -> Settings:
    """Return the settings of a home, leaving out some if need be.

    Raises:
        ConfigError: Names the first fault.
    """
    home = home.resolve()
    data = {key: value for key, value in read_values(home).items() if key not in without}
    # Unknown names first: an address that seems to be missing may be misspelt.
    for key in data:
        _reader(key)
    if "address" not in data:
        raise ConfigError(
            f'{FILE_NAME} has no address; add the one that players write to: address = "orders@example.org"'
        )
    values = {**DEFAULTS, **data}
    read = {key: reader(key, values[key]) for key, reader in READERS.items() if key in values}
    settings = _build_settings(home, read, explicit=data.keys())
    return _deactivate(settings) if (home / INACTIVE).exists() else settings


def read_values(home: Path) -> dict[str, Any]:
    """Return the values of a home's `pbem.toml`, unchecked. Raise ConfigError if it is not TOML."""
    return _read_file(home / FILE_NAME)


def check_values(data: Mapping[str, Any]) -> None:
    """Raise ConfigError for the first setting that cannot be read."""
    for key, value in data.items():
        _reader(key)(key, value)


def _deactivate(settings: Settings) -> Settings:
    found = {key: getattr(settings, key) for key in SECRETS}
    secrets = {key: replace(secret, inactive=True) for key, secret in found.items() if secret is not None}
    return replace(settings, active=False, **secrets)


def find_settings_problems(home: Path) -> list[str]:
    """Return a sentence for each fault in a home's `pbem.toml`; [] if it can be loaded."""
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
            load_settings(home)  # finds files that are missing, and settings that exclude each other
        except ConfigError as error:
            problems.append(str(error))
    return problems


def _reader(key: str) -> Callable[[str, Any], Any]:
    if key not in READERS:
        near = difflib.get_close_matches(key, READERS, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else "settings are " + ", ".join(READERS)
        raise ConfigError(f"{FILE_NAME}: {key!r} is not a setting; {hint}")
    return READERS[key]


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def _build_settings(home: Path, read: Mapping[str, Any], *, explicit: Any) -> Settings:
    templates, tls_ca = home / read["templates"], read.get("tls_ca")
    # The default folder is used if it is there; one that was named must be.
    if "templates" in explicit and not templates.is_dir():
        raise ConfigError(f"{FILE_NAME}: templates names {templates}, which is not a folder")
    if tls_ca is not None and not (home / tls_ca).is_file():
        raise ConfigError(f"{FILE_NAME}: tls_ca names {home / tls_ca}, which is not a file")
    for name in ("inbox", "carrier"):
        if f"{name}_password" in read and f"{name}_oauth" in read:
            raise ConfigError(f"{FILE_NAME}: {name} needs {name}_password or {name}_oauth, not both; leave one out")
    made = {
        "database": _absolute_database(home, read["database"]),
        "archive": home / read["archive"],
        "templates": templates if templates.is_dir() else None,
        "jobs": read.get("jobs") or cpu_count(),
        "tls_ca": home / tls_ca if tls_ca else None,
        "log": home / read["log"],
        "dkim": _resolve_dkim(home, read.get("dkim")),
        "site": home / read["site"] if "site" in read else None,
        "dashboard": _private_page(home, read),
    }
    return Settings(home=home, **{**read, **made})


def _private_page(home: Path, read: Mapping[str, Any]) -> Path | None:
    if "dashboard" not in read:
        return None
    page = home / str(read["dashboard"])
    if "site" in read and page.resolve().is_relative_to((home / read["site"]).resolve()):
        raise ConfigError(
            f"{FILE_NAME}: dashboard is private, so it cannot lie in the folder of the site; name another file"
        )
    return page


def _resolve_dkim(home: Path, dkim: Dkim | None) -> Dkim | None:
    if dkim is None:
        return None
    key_file = home / dkim.key_file
    if not key_file.is_file():
        raise ConfigError(f"{FILE_NAME}: key_file in dkim names {key_file}, which is not a file")
    return replace(dkim, key_file=key_file)


def _absolute_database(home: Path, url: str) -> str:
    scheme, colon, path = url.partition(":///")
    return f"{scheme}{colon}{home / path}" if scheme == "sqlite" else url


LACKING = ("dkim", "tls_ca")
"""Settings that name files which a backup may lack, and without which a home cannot be opened."""

# pbem's own files in a home, which no path in the settings may name: SQLite would trust a file in the place of its
# journal (decision 37).
_OWN_FILES = re.compile(r"pbem\.(?:toml|inactive|sqlite.*)$")


def rewrite_settings(text: str, changes: Mapping[str, str | None]) -> str:
    """Return the text of a settings file with some settings changed; their old lines become comments.

    A setting whose new value is None is left out.

    Raises:
        ConfigError: The file cannot be changed line by line.
    """
    before, lines = tomllib.loads(text), text.split("\n")
    for key, value in changes.items():
        if before.get(key) == value:
            continue
        new = [] if value is None else [f"{key} = {json.dumps(value, ensure_ascii=False)}"]
        at = next(
            (number for number, each in enumerate(_top_level_lines(lines)) if each.partition("=")[0].strip() == key),
            None,
        )
        if at is None:
            # At the top: below the header of a table it would be a key of that table (TOML 1.0).
            lines[:0] = new
        else:
            lines[at : at + 1] = [f"# before it was moved: {lines[at]}", *new]
    moved = "\n".join(lines).rstrip("\n") + "\n"
    wanted = {key: value for key, value in {**before, **changes}.items() if value is not None}
    # Compared, as lines were found by their looks alone: a value on several lines would be torn.
    try:
        done = tomllib.loads(moved) == wanted
    except (tomllib.TOMLDecodeError, RecursionError):
        done = False
    if not done:
        raise ConfigError(
            f"{FILE_NAME} cannot be changed automatically: write {', '.join(changes)} on lines of their own"
        )
    return moved


def _top_level_lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines before the first table."""
    for line in lines:
        if line.lstrip().startswith("["):
            return
        yield line


def relocated_settings(settings: Settings, text: str) -> dict[str, str]:
    """Return the settings to change in a copy, so that it uses no path in the original home."""
    told: Mapping[str, Any] = {**DEFAULTS, **tomllib.loads(text)}
    changes = {
        key: DEFAULTS[key] for key in ("archive", "templates", "log") if key in told and not _is_inside(told[key])
    }
    if settings.templates is None:
        changes.pop("templates", None)
    for key in ("inbox", "carrier"):
        scheme, _, path = told[key].partition(":")
        if scheme == "maildir" and Path(path).is_absolute() and Path(path).is_relative_to(settings.home):
            changes[key] = f"maildir:{Path(path).relative_to(settings.home)}"
    if told["database"].startswith("sqlite:///") and not _is_inside(told["database"].removeprefix("sqlite:///")):
        changes["database"] = DEFAULTS["database"]
    return {key: str(value) for key, value in changes.items()}


def _is_inside(path: str) -> bool:
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def confine_settings(data: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the settings to change in those of a stranger, so that pbem writes inside the home alone."""
    told = {**DEFAULTS, **data}
    changes: dict[str, str | None] = {
        key: str(DEFAULTS[key]) for key in ("archive", "templates", "log") if not _is_own(told[key])
    }
    for key in ("site", "dashboard"):
        if key in data and not _is_own(data[key]):
            # Left out, as it has no default: without it nothing is written.
            changes[key] = None
    for key in ("inbox", "carrier"):
        scheme, _, path = told[key].partition(":")
        if scheme == "maildir" and not _is_own(path):
            changes[key] = str(DEFAULTS[key])
    return changes


def _is_own(path: str) -> bool:
    """Return True for a path below a home that is none of pbem's own files there."""
    parts = Path(path).parts
    return _is_inside(path) and bool(parts) and not _OWN_FILES.match(parts[0].casefold())


def may_come_along(data: Mapping[str, Any], name: str) -> bool:
    """Return True if settings name this file of the home: as a key, a certificate, or in a command."""
    named = [str(data.get("tls_ca", "")), str(data.get("dkim", {}).get("key_file", ""))]
    for key in SECRETS:
        named += shlex.split(data.get(key, {}).get("command", ""))
    parts = Path(name).parts
    return _is_own(name) and any(Path(each).parts[-len(parts) :] == parts for each in named)


def reaches(home: Path) -> list[str]:
    """Return a clause for each thing that the settings of a home run, or reach outside it. Raise ConfigError."""
    data = {**DEFAULTS, **read_values(home)}
    return [
        f"address: mail is sent as {data['address']}",
        *_servers(home, data),
        *_sources(data),
        *_paths(home, data),
        *_own_template_files(home, data),
    ]


def _servers(home: Path, data: Mapping[str, Any]) -> Iterator[str]:
    for key, said in (("inbox", "mail is read from"), ("carrier", "mail is sent through")):
        scheme, _, path = data[key].partition(":")
        if scheme != "maildir":
            yield f"{key}: {said} the server {masked_url(data[key])}"
        elif not lies_in(home, home / path):
            yield f"{key}: {said} the folder {path}, outside the home"
    if not data["database"].startswith("sqlite:///"):
        yield f"database: the server {masked_url(data['database'])}"
    elif not lies_in(home, home / data["database"].removeprefix("sqlite:///")):
        yield f"database: the file {data['database'].removeprefix('sqlite:///')}, outside the home"
    if "authserv_id" in data:
        yield f"authserv_id: {data['authserv_id']} is believed in what it says of senders"
    if "received_by" in data:
        yield f"received_by: {data['received_by']} is believed in when it took a mail"


def _sources(data: Mapping[str, Any]) -> Iterator[str]:
    for key in SECRETS:
        source = data.get(key, {})
        if "command" in source:
            yield f"{key}: the command is run: {source['command']}"
        # Any variable may be named, beside a server that belongs to the author of the settings.
        elif "env" in source:
            yield f"{key}: the environment variable {source['env']} is read, and sent to the server"


def _paths(home: Path, data: Mapping[str, Any]) -> Iterator[str]:
    written = {key: data.get(key) for key in ("archive", "log", "site", "dashboard")}
    read = {"templates": data["templates"], "tls_ca": data.get("tls_ca"), "dkim": data.get("dkim", {}).get("key_file")}
    for said, named in (("written to", written), ("read", read)):
        for key, path in named.items():
            if path and path != "-" and not lies_in(home, home / path):
                yield f"{key}: {path}, outside the home, is {said}"


def _own_template_files(home: Path, data: Mapping[str, Any]) -> Iterator[str]:
    folder = home / data["templates"]
    count = sum(path.is_file() for path in folder.rglob("*")) if folder.is_dir() else 0
    if count:
        yield f"templates: mails and pages are written with {count} of its own, in {data['templates']}"


def referenced_files(settings: Settings) -> tuple[list[Path], list[Path]]:
    """Return the files of the home that its settings name: public ones, and those that hold secrets."""
    public = [] if settings.tls_ca is None else [settings.tls_ca]
    secret = [] if settings.dkim is None else [settings.dkim.key_file]
    for key in SECRETS:
        source: Secret | None = getattr(settings, key)
        secret += [] if source is None else source.files(settings.home)
    return _files_in_home(settings.home, public), _files_in_home(settings.home, secret)


def _files_in_home(home: Path, files: list[Path]) -> list[Path]:
    return [path for path in dict.fromkeys(files) if path.is_relative_to(home) and path.is_file()]


def checked_database(url: str) -> str:
    """Return the URL of a database on a server. Raise ConfigError for any other."""
    read = str(READERS["database"]("database", url))
    if read.startswith("sqlite"):
        raise ConfigError("--database is for PostgreSQL: without it the database is a file in the home")
    return read


def checked_address(address: str) -> str:
    """Return a valid order address of another home. Raise ConfigError if it is none."""
    return str(READERS["address"]("address", address))


def missing_references(home: Path) -> list[str]:
    """Return a clause for each thing that the settings name and that is missing, or cannot be checked from here."""
    data = read_values(home)
    named = {"the DKIM key": data.get("dkim", {}).get("key_file"), "tls_ca": data.get("tls_ca")}
    missing = [
        f"{what}, the file {home / path}" for what, path in named.items() if path and not (home / path).is_file()
    ]
    for key in SECRETS:
        source = data.get(key, {})
        if (name := source.get("env")) and not os.environ.get(name):
            missing.append(f"{key}, the environment variable {name}")
        if "command" in source:
            missing.append(f"{key}: its command in {FILE_NAME} has to work here")
    if data.get("database", "").startswith("postgresql"):
        missing.append("the password of the database, if it has one: PGPASSWORD or ~/.pgpass")
    return missing
