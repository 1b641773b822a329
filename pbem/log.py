"""The log for the operator: a JSON object a line, for each event.

    {"at": "2026-11-06T19:00:02.114Z", "level": "info", "event": "turn resolved", "campaign": "trap7", "turn": 3, …}

No line contains a token, a reply code or a password, not even in a traceback. A
log that cannot be written, as on a full disk, stops nothing.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Literal

from pbem.errors import reason_of
from pbem.util import redact_all

STANDARD_ERROR = "-"
"""The name of a log that is no file, but goes to standard error."""

MOST_BYTES = 5_000_000
KEPT = 5
"""A log that has grown to so many bytes is put aside, and so many of those are kept."""

Level = Literal["info", "warning", "error"]

_LEVELS: dict[Level, int] = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
LOG = logging.getLogger("pbem.log")
LOG.setLevel(logging.INFO)
LOG.propagate = False
LOG.addHandler(logging.NullHandler())  # without any, logging writes to standard error by itself


def event(event: str, /, *, level: Level = "info", fault: BaseException | None = None, **facts: Any) -> None:
    """Enters an event: a fixed phrase such as "mail sent", its facts by name, and the traceback of a fault."""
    LOG.log(_LEVELS[level], event, extra={"facts": facts, "fault": fault})


@contextmanager
def open_log(path: Path) -> Iterator[None]:
    """Has events written to a file while the block runs; never raises."""
    handler = _Stream(sys.stderr) if path.name == STANDARD_ERROR else _LogFile(path)
    handler.setFormatter(_Lines())
    LOG.addHandler(handler)
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        with suppress(OSError):  # the last lines find no room
            handler.close()


class _Lines(logging.Formatter):
    """An event as a line of JSON, everything in it masked."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        facts = {name: _to_json(value) for name, value in vars(record)["facts"].items()}
        line = {"at": at, "level": record.levelname.lower(), "event": record.msg, **facts}
        fault: BaseException | None = vars(record)["fault"]
        if fault is not None:
            line["traceback"] = redact_all("".join(traceback.format_exception(fault)))
        return json.dumps(line, ensure_ascii=False)


def _to_json(value: Any) -> Any:
    if isinstance(value, bool | int | float | None):
        return value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return [_to_json(each) for each in value] if isinstance(value, list | tuple) else redact_all(str(value))


class _Quiet(logging.Handler):
    """A handler that gives up without a word."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        """What cannot be logged is not worth a night's turns."""


class _Stream(_Quiet, logging.StreamHandler[Any]):
    """Writes to a stream."""


class _LogFile(_Quiet, RotatingFileHandler):
    """Writes to a file that is opened, and its folder made, with the first event.

    A file that takes nothing is told of on standard error, once.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
        self._has_warned = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        """Name what keeps the log from being written; a night's turns go on all the same."""
        error = sys.exception()
        if isinstance(error, OSError) and not self._has_warned:
            self._has_warned = True
            with suppress(OSError):
                print(f"Warning: the log {self.baseFilename} cannot be written: {reason_of(error)}", file=sys.stderr)

    def _open(self) -> Any:
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        return super()._open()
