"""Settings on their way to another place: the text of `pbem.toml` with other values, and what it cannot take along."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pbem.config.file import FILE_NAME
from pbem.config.secret import Secret
from pbem.config.settings import Settings
from pbem.config.values import DEFAULTS, READERS
from pbem.errors import ConfigError

SECRETS = ("inbox_password", "carrier_password", "inbox_oauth", "carrier_oauth")
LACKING = ("dkim", "tls_ca")
"""Settings that name files, without which a home cannot be opened."""


def with_values(text: str, changes: Mapping[str, str]) -> str:
    """The text of a settings file in which some settings have other values; the lines that had them become comments.

    Raises ConfigError where that cannot be done line by line.
    """
    before, lines = tomllib.loads(text), text.splitlines()
    for key, value in changes.items():
        if before.get(key) == value:
            continue
        line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
        at = next((number for number, each in enumerate(_top(lines)) if each.partition("=")[0].strip() == key), None)
        if at is None:
            lines.insert(0, line)
        else:
            lines[at : at + 1] = [f"# before it was moved: {lines[at]}", line]
    moved = "\n".join(lines) + "\n"
    try:
        done = tomllib.loads(moved) == {**before, **changes}
    except tomllib.TOMLDecodeError:
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
    data = tomllib.loads((home / FILE_NAME).read_text(encoding="utf-8"))
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
