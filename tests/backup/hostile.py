"""Backups made by a stranger: a real one with other parts in it, and a manifest that fits."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pbem.backup.container import MANIFEST

Facts = dict[str, Any]


def tree(files: Mapping[str, bytes]) -> bytes:
    """Return a part that holds files."""
    return archive([(tarfile.TarInfo(name), content) for name, content in files.items()])


def archive(members: list[tuple[tarfile.TarInfo, bytes]], format_: int = tarfile.PAX_FORMAT) -> bytes:
    """Return a part with these members, whatever their headers say."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format_) as tar:
        for told, content in members:
            told.size = told.size or len(content)
            tar.addfile(told, io.BytesIO(content))
    return stream.getvalue()


def forged(
    source: Path,
    target: Path,
    parts: Mapping[str, bytes] | None = None,
    *,
    change: Callable[[Facts], object] = lambda _: None,
    method: int = zipfile.ZIP_DEFLATED,
) -> Path:
    """Write a copy of a backup with other or further parts, and a manifest with their hashes, altered by `change`."""
    with zipfile.ZipFile(source) as old:
        contents = {name: old.read(name) for name in old.namelist()}
    contents.update(parts or {})
    facts = json.loads(contents.pop(MANIFEST))
    facts["parts"] = {
        name: {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)} for name, raw in contents.items()
    }
    change(facts)
    with zipfile.ZipFile(target, "w", method) as new:
        for name, raw in contents.items():
            new.writestr(name, raw)
        new.writestr(MANIFEST, json.dumps(facts))
    return target


def with_settings(source: Path, target: Path, lines: str, parts: Mapping[str, bytes] | None = None) -> Path:
    """Write a copy of a backup with other settings; a line replaces the one of the same name."""
    with zipfile.ZipFile(source) as old:
        text = old.read("pbem.toml").decode()
    names = {line.partition("=")[0].strip() for line in lines.splitlines()}
    kept = [line for line in text.splitlines() if line.partition("=")[0].strip() not in names]
    return forged(source, target, {"pbem.toml": "\n".join([*kept, lines, ""]).encode(), **(parts or {})})
