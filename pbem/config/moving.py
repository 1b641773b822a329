"""Settings on their way to another place: the text of `pbem.toml` with other values, and what it reaches from there.

The settings of a restored home may be a stranger's: nothing that they name outside the home is written to, and what
they would run, read or speak to is told, before the operator lets them.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pbem.config.file import FILE_NAME
from pbem.config.secret import Secret
from pbem.config.settings import SECRETS, Settings, read_values
from pbem.config.urls import masked_url
from pbem.config.values import DEFAULTS, READERS
from pbem.errors import ConfigError

LACKING = ("dkim", "tls_ca")
"""Settings that name files, without which a home cannot be opened."""

_OWN_FILES = re.compile(r"pbem\.(?:toml|inactive|sqlite.*)$")
"""Files of a home that nothing which settings name may take the place of."""


def with_values(text: str, changes: Mapping[str, str | None]) -> str:
    """The text of a settings file in which some settings have other values; the lines that had them become comments.

    A value of None is that of a setting left out. Raises ConfigError where that cannot be done line by line.
    """
    before, lines = tomllib.loads(text), text.split("\n")
    for key, value in changes.items():
        if before.get(key) == value:
            continue
        new = [] if value is None else [f"{key} = {json.dumps(value, ensure_ascii=False)}"]
        at = next((number for number, each in enumerate(_top(lines)) if each.partition("=")[0].strip() == key), None)
        if at is None:
            lines[:0] = new
        else:
            lines[at : at + 1] = [f"# before it was moved: {lines[at]}", *new]
    moved = "\n".join(lines).rstrip("\n") + "\n"
    wanted = {key: value for key, value in {**before, **changes}.items() if value is not None}
    try:
        done = tomllib.loads(moved) == wanted
    except (tomllib.TOMLDecodeError, RecursionError):
        done = False
    if not done:
        raise ConfigError(f"{FILE_NAME} cannot be changed by itself: write {', '.join(changes)} on lines of their own")
    return moved


def _top(lines: list[str]) -> Iterator[str]:
    """The lines before the first table."""
    for line in lines:
        if line.lstrip().startswith("["):
            return
        yield line


def rehomed(settings: Settings, text: str) -> dict[str, str]:
    """What has to be otherwise in the settings of a copy, so that nothing of it lies in the home it is a copy of."""
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


def confined(data: Mapping[str, Any]) -> dict[str, str | None]:
    """Return what has to be otherwise in settings that came along, so that pbem writes in the home alone."""
    told = {**DEFAULTS, **data}
    changes: dict[str, str | None] = {
        key: str(DEFAULTS[key]) for key in ("archive", "templates", "log") if not _is_own(told[key])
    }
    if "site" in data and not _is_own(data["site"]):
        changes["site"] = None
    for key in ("inbox", "carrier"):
        scheme, _, path = told[key].partition(":")
        if scheme == "maildir" and not _is_own(path):
            changes[key] = str(DEFAULTS[key])
    return changes


def _is_own(path: str) -> bool:
    """Return True for a place below a home that is none of pbem's own files there."""
    parts = Path(path).parts
    return _is_inside(path) and bool(parts) and not _OWN_FILES.match(parts[0].casefold())


def may_come_along(data: Mapping[str, Any], name: str) -> bool:
    """Return True for the name of a file of the home that settings name: a key, a certificate, what a command needs."""
    named = [str(data.get("tls_ca", "")), str(data.get("dkim", {}).get("key_file", ""))]
    for key in SECRETS:
        named += shlex.split(data.get(key, {}).get("command", ""))
    parts = Path(name).parts
    return _is_own(name) and any(Path(each).parts[-len(parts) :] == parts for each in named)


def reaches(home: Path) -> list[str]:
    """Tell what the settings of a home run, and what they reach outside it; a clause each. Raise ConfigError."""
    data = {**DEFAULTS, **read_values(home)}
    return [
        f"address: mail is sent as {data['address']}",
        *_servers(home, data),
        *_sources(data),
        *_paths(home, data),
        *_own_words(home, data),
    ]


def _servers(home: Path, data: Mapping[str, Any]) -> Iterator[str]:
    for key, said in (("inbox", "mail is read from"), ("carrier", "mail is sent through")):
        scheme, _, path = data[key].partition(":")
        if scheme != "maildir":
            yield f"{key}: {said} the server {masked_url(data[key])}"
        elif not _lies_in(home, path):
            yield f"{key}: {said} the folder {path}, outside the home"
    if not data["database"].startswith("sqlite:///"):
        yield f"database: the server {masked_url(data['database'])}"
    elif not _lies_in(home, data["database"].removeprefix("sqlite:///")):
        yield f"database: the file {data['database'].removeprefix('sqlite:///')}, outside the home"
    if "authserv_id" in data:
        yield f"authserv_id: {data['authserv_id']} is believed in what it says of senders"


def _sources(data: Mapping[str, Any]) -> Iterator[str]:
    for key in SECRETS:
        source = data.get(key, {})
        if "command" in source:
            yield f"{key}: the command is run: {source['command']}"
        elif "env" in source:
            yield f"{key}: the environment variable {source['env']} is read, and sent to the server"


def _paths(home: Path, data: Mapping[str, Any]) -> Iterator[str]:
    written = {key: data.get(key) for key in ("archive", "log", "site")}
    read = {"templates": data["templates"], "tls_ca": data.get("tls_ca"), "dkim": data.get("dkim", {}).get("key_file")}
    for said, named in (("written to", written), ("read", read)):
        for key, path in named.items():
            if path and path != "-" and not _lies_in(home, path):
                yield f"{key}: {path}, outside the home, is {said}"


def _lies_in(home: Path, path: str) -> bool:
    return (home / path).resolve().is_relative_to(home.resolve())


def _own_words(home: Path, data: Mapping[str, Any]) -> Iterator[str]:
    folder = home / data["templates"]
    count = sum(path.is_file() for path in folder.rglob("*")) if folder.is_dir() else 0
    if count:
        yield f"templates: mails and pages are written with {count} of its own, in {data['templates']}"


def files_named(settings: Settings) -> tuple[list[Path], list[Path]]:
    """Files of the home that its settings name: such as everybody may have, and such as hold secrets."""
    public = [] if settings.tls_ca is None else [settings.tls_ca]
    secret = [] if settings.dkim is None else [settings.dkim.key_file]
    for key in SECRETS:
        source: Secret | None = getattr(settings, key)
        secret += [] if source is None else source.files(settings.home)
    return _inside(settings.home, public), _inside(settings.home, secret)


def _inside(home: Path, files: list[Path]) -> list[Path]:
    return [path for path in dict.fromkeys(files) if path.is_relative_to(home) and path.is_file()]


def checked_database(url: str) -> str:
    """The URL of a database on a server, as settings have it. Raises ConfigError for any other."""
    read = str(READERS["database"]("database", url))
    if read.startswith("sqlite"):
        raise ConfigError("--database is for PostgreSQL: without it the database is a file in the home")
    return read


def checked_address(address: str) -> str:
    """The order address of another home. Raises ConfigError."""
    return str(READERS["address"]("address", address))


def lacks(home: Path) -> list[str]:
    """What the settings of a home name that is not there, or cannot be seen from here; a clause each."""
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
