"""Folders as streams: files are written below one folder, and are no larger than declared."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from pbem.backup.container import extract_tar
from pbem.errors import BackupError

HOLES = {"GNU.sparse.map": "1000000,1", "GNU.sparse.size": "1000001"}


def member(
    name: str, kind: bytes = tarfile.REGTYPE, *, to: str = "", holes: Mapping[str, str] | None = None
) -> tarfile.TarInfo:
    """Return a file of one byte, or another member that a stream may have."""
    told = tarfile.TarInfo(name)
    told.type, told.size, told.linkname = kind, 1 if kind == tarfile.REGTYPE else 0, to
    told.pax_headers = dict(holes or {})
    return told


@pytest.mark.parametrize(
    "told",
    [
        member("/etc/x"),
        member("../x"),
        member("a/../../x"),
        member("x", tarfile.SYMTYPE, to="/etc"),
        member("x", tarfile.LNKTYPE, to="/etc/passwd"),
        member("x", tarfile.FIFOTYPE),
        member("x", tarfile.DIRTYPE),
        member("x", holes=HOLES),
    ],
    ids=["absolute", "above", "above, by a way round", "symlink", "link", "pipe", "folder", "a file with holes"],
)
def test_nothing_but_plain_files_below_the_folder(told: tarfile.TarInfo, tmp_path: Path) -> None:
    """Any other member is refused by name, and no file is written."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(told, io.BytesIO(b"x"))
    stream.seek(0)

    with pytest.raises(BackupError, match="no plain file of a home"):
        extract_tar(stream, tmp_path / "here")
    assert list(tmp_path.rglob("*")) == []
