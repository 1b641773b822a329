"""The files of reports hold pictures as bytes, which were base64 in JSON before."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_REPORT = sa.table("report", sa.column("id", sa.Integer), sa.column("files", sa.LargeBinary))
_AT_ONCE = 50
"""Rows that are in memory at a time."""

_PICTURE = ".png"


def upgrade() -> None:
    """Write all of them again as bundles."""
    _each(_bundled)


def downgrade() -> None:
    """Write all of them again as JSON."""
    _each(_as_json)


def _each(rewritten: Callable[[bytes], bytes]) -> None:
    connection, last = op.get_bind(), 0
    some = sa.select(_REPORT.c.id, _REPORT.c.files).order_by(_REPORT.c.id).limit(_AT_ONCE)
    while rows := connection.execute(some.where(_REPORT.c.id > last)).all():
        for id_, files in rows:
            connection.execute(sa.update(_REPORT).where(_REPORT.c.id == id_).values(files=rewritten(files)))
        last = rows[-1].id


def _bundled(value: bytes) -> bytes:
    told = json.loads(zlib.decompress(value))
    files = {name: base64.b64decode(text) if name.endswith(_PICTURE) else text.encode() for name, text in told.items()}
    head = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    texts = b"".join(content for name, content in files.items() if not name.endswith(_PICTURE))
    pictures = b"".join(content for name, content in files.items() if name.endswith(_PICTURE))
    packed = zlib.compress(head + b"\n" + texts, 6)
    return len(packed).to_bytes(4, "big") + packed + pictures


def _as_json(value: bytes) -> bytes:
    start = 4 + int.from_bytes(value[:4], "big")
    head, _, texts = zlib.decompress(value[4:start]).partition(b"\n")
    pictures, told = value[start:], {}
    for name, length in json.loads(head):
        if name.endswith(_PICTURE):
            told[name], pictures = base64.b64encode(pictures[:length]).decode(), pictures[length:]
        else:
            told[name], texts = texts[:length].decode(), texts[length:]
    return zlib.compress(json.dumps(told, ensure_ascii=False).encode(), 1)
