"""`pbem.toml`, found, read as a whole and checked."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pbem.config.file import DEFAULT_FILE, FILE_NAME, INACTIVE
from pbem.config.pace import Pace
from pbem.config.secret import Secret
from pbem.config.urls import CARRIERS, INBOXES, PostUrl, read_post_url
from pbem.config.values import DEFAULTS, READERS, Dkim, cores
from pbem.durable import write_whole
from pbem.errors import ConfigError, reason_of

SECRETS = ("inbox_password", "carrier_password", "inbox_oauth", "carrier_oauth")


@dataclass(frozen=True)
class Settings:
    """What `pbem.toml` says, with paths made absolute. See `write_default_settings` for a commented example.

    A home that was restored is not `active` before its operator says so: its templates and secrets are not used.
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
    log: Path
    inbox_password: Secret | None
    carrier_password: Secret | None
    inbox_oauth: Secret | None
    carrier_oauth: Secret | None
    connections: int
    dkim: Dkim | None
    pace: Pace
    authserv_id: str
    site: Path | None
    site_url: str
    active: bool = True

    @property
    def own_templates(self) -> Path | None:
        """The folder of templates that are used before the program's own."""
        return self.templates if self.active else None

    @property
    def has_site(self) -> bool:
        """Whether mails can have links to the site: it is written here, and known to be seen on the web."""
        return self.site is not None and bool(self.site_url)

    @property
    def domain(self) -> str:
        """The domain of the order address; Message-IDs are made in it."""
        return self.address.rpartition("@")[2]

    @property
    def inbox_url(self) -> PostUrl:
        """The inbox, taken apart."""
        return read_post_url(self.inbox, "inbox", INBOXES)

    @property
    def carrier_url(self) -> PostUrl:
        """The carrier, taken apart."""
        return read_post_url(self.carrier, "carrier", CARRIERS)


def find_home(start: Path) -> Path:
    """The nearest folder with a `pbem.toml`, from `start` upwards. Raises ConfigError."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise ConfigError(f"there is no {FILE_NAME} in {start} or above it; make one with: pbem init {start}")


def write_default_settings(home: Path, address: str) -> Path:
    """Writes a commented `pbem.toml` that needs no server; returns its path. Raises ConfigError if there is one."""
    path = home / FILE_NAME
    READERS["address"]("address", address)
    try:
        home.mkdir(parents=True, exist_ok=True)
        if path.exists():
            raise ConfigError(f"{path} is there already")
        write_whole(path, DEFAULT_FILE.format(address=address).encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {reason_of(error)}") from None
    return path


def load_settings(home: Path, *, without: Collection[str] = ()) -> Settings:
    """The settings of a home folder, if need be without some. Raises ConfigError with the first thing to mend."""
    home = home.resolve()
    data = {key: value for key, value in read_values(home).items() if key not in without}
    for key in data:
        _reader(key)
    if "address" not in data:
        raise ConfigError(
            f'{FILE_NAME} has no address; write the one players shall mail: address = "orders@example.org"'
        )
    values = {**DEFAULTS, **data}
    read = {key: reader(key, values[key]) for key, reader in READERS.items() if key in values}
    settings = _settled(home, read, explicit=data.keys())
    return _inactive(settings) if (home / INACTIVE).exists() else settings


def read_values(home: Path) -> dict[str, Any]:
    """Return what a home's `pbem.toml` says, as it stands there. Raise ConfigError if it is not TOML."""
    return _read_file(home / FILE_NAME)


def check_values(data: Mapping[str, Any]) -> None:
    """Raise ConfigError for the first setting that cannot be read."""
    for key, value in data.items():
        _reader(key)(key, value)


def _inactive(settings: Settings) -> Settings:
    found = {key: getattr(settings, key) for key in SECRETS}
    secrets = {key: replace(secret, inactive=True) for key, secret in found.items() if secret is not None}
    return replace(settings, active=False, **secrets)


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
    if key not in READERS:
        raise ConfigError(f"{FILE_NAME}: {key!r} is not a setting; {_nearest(key)}")
    return READERS[key]


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def _nearest(key: str) -> str:
    near = difflib.get_close_matches(key, READERS, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else "settings are " + ", ".join(READERS)


def _settled(home: Path, read: Mapping[str, Any], *, explicit: Any) -> Settings:
    templates, tls_ca = home / read["templates"], read.get("tls_ca")
    if "templates" in explicit and not templates.is_dir():
        raise ConfigError(f"{FILE_NAME}: templates names {templates}, which is not a folder")
    if tls_ca is not None and not (home / tls_ca).is_file():
        raise ConfigError(f"{FILE_NAME}: tls_ca names {home / tls_ca}, which is not a file")
    for name in ("inbox", "carrier"):
        if f"{name}_password" in read and f"{name}_oauth" in read:
            raise ConfigError(f"{FILE_NAME}: {name} needs {name}_password or {name}_oauth, not both; leave one out")
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
        jobs=read.get("jobs") or cores(),
        tls_ca=home / tls_ca if tls_ca else None,
        poll_seconds=read["poll_seconds"],
        outage_hours=read["outage_hours"],
        letter_seconds=read["letter_seconds"],
        log=home / read["log"],
        inbox_password=read.get("inbox_password"),
        carrier_password=read.get("carrier_password"),
        inbox_oauth=read.get("inbox_oauth"),
        carrier_oauth=read.get("carrier_oauth"),
        connections=read["connections"],
        dkim=_dkim_found(home, read.get("dkim")),
        pace=read["pace"],
        authserv_id=read.get("authserv_id", ""),
        site=home / read["site"] if "site" in read else None,
        site_url=read.get("site_url", ""),
    )


def _dkim_found(home: Path, dkim: Dkim | None) -> Dkim | None:
    if dkim is None:
        return None
    key_file = home / dkim.key_file
    if not key_file.is_file():
        raise ConfigError(f"{FILE_NAME}: key_file in dkim names {key_file}, which is not a file")
    return replace(dkim, key_file=key_file)


def _absolute_database(home: Path, url: str) -> str:
    scheme, colon, path = url.partition(":///")
    return f"{scheme}{colon}{home / path}" if scheme == "sqlite" else url
