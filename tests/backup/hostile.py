"""Backups made by a stranger: a real one with other files in it, or with another list of them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pbem.backup.files import CONTENT, LINES, MANIFEST

Facts = dict[str, Any]


def forged(
    source: Path,
    target: Path,
    files: Mapping[str, bytes] | None = None,
    *,
    change: Callable[[Facts], object] = lambda _: None,
    without: str = "\0",
    method: int = zipfile.ZIP_DEFLATED,
) -> Path:
    """Write a copy of a backup with other or further files, `without` a folder, its manifest altered by `change`."""
    with zipfile.ZipFile(source) as old:
        contents = {name: old.read(name) for name in old.namelist() if not name.startswith(without)}
    contents.update(files or {})
    facts = json.loads(contents.pop(MANIFEST))
    change(facts)
    with zipfile.ZipFile(target, "w", method) as new:
        for name, raw in contents.items():
            new.writestr(name, raw)
        new.writestr(MANIFEST, json.dumps(facts))
    return target


def with_member(source: Path, target: Path, member: zipfile.ZipInfo, content: bytes = b"x") -> Path:
    """Write a copy of a backup with another file, whatever the list says of it."""
    target.write_bytes(source.read_bytes())
    said = {name: getattr(member, name) for name in ("file_size", "flag_bits", "compress_type", "comment")}
    member.compress_type = zipfile.ZIP_STORED
    with zipfile.ZipFile(target, "a") as file:
        file.writestr(member, content)
        for name, value in said.items():
            if value:
                setattr(member, name, value)
    return target


def with_settings(source: Path, target: Path, lines: str, files: Mapping[str, bytes] | None = None) -> Path:
    """Write a copy of a backup with other settings; a line replaces the one of the same name."""
    with zipfile.ZipFile(source) as old:
        text = old.read("pbem.toml").decode()
    names = {line.partition("=")[0].strip() for line in lines.splitlines()}
    kept = [line for line in text.splitlines() if line.partition("=")[0].strip() not in names]
    return forged(source, target, {"pbem.toml": "\n".join([*kept, lines, ""]).encode(), **(files or {})})


def with_other_rows(source: Path, target: Path, statements: str) -> Path:
    """Write a copy of a backup with its database changed, and all else as it was."""
    with closing(sqlite3.connect(":memory:")) as database, zipfile.ZipFile(source) as old:
        database.deserialize(old.read("database.sqlite"))
        database.executescript(statements)
        return forged(source, target, {"database.sqlite": database.serialize()})


def lines_of(source: Path) -> list[Facts]:
    """Return the lines of an exported campaign."""
    with zipfile.ZipFile(source) as old:
        return [json.loads(line) for line in old.read(LINES).splitlines()]


def with_lines(source: Path, target: Path, lines: Sequence[object], *content: bytes) -> Path:
    """Write a copy of an exported campaign with other lines, and further content."""
    raw = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    files = {CONTENT + hashlib.sha256(each).hexdigest(): each for each in content}
    return forged(source, target, {LINES: raw, **files})
