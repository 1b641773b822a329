"""The log for the operator: one JSON object per line and event.

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
"""Size at which the log is rotated, and the number of old files kept."""


def log_name(path: Path) -> str:
    """Return where the log of these settings is, for messages."""
    return "standard error" if path.name == STANDARD_ERROR else str(path)


Level = Literal["info", "warning", "error"]

_LEVELS: dict[Level, int] = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
LOG = logging.getLogger("pbem.log")
LOG.setLevel(logging.INFO)
LOG.propagate = False
LOG.addHandler(logging.NullHandler())  # without any handler, logging writes warnings to standard error


def event(event: str, /, *, level: Level = "info", fault: BaseException | None = None, **facts: Any) -> None:
    """Log an event: a fixed phrase such as "mail sent", facts by name, and the traceback of a fault."""
    LOG.log(_LEVELS[level], event, extra={"facts": facts, "fault": fault})


@contextmanager
def open_log(path: Path) -> Iterator[None]:
    """Write events to a file while the block runs; never raise."""
    handler = _Stream(sys.stderr) if path.name == STANDARD_ERROR else _LogFile(path)
    handler.setFormatter(_Lines())
    LOG.addHandler(handler)
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        with suppress(OSError):  # the disk may be full
            handler.close()


class _Lines(logging.Formatter):
    """Formatter of events as lines of JSON, with all secrets masked."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        facts = {name: _to_json(value) for name, value in vars(record)["facts"].items()}
        line = {"at": at, "level": record.levelname.lower(), "event": record.msg, **facts}
        fault: BaseException | None = vars(record)["fault"]
        if fault is not None:
            line["traceback"] = redact_all("".join(traceback.format_exception(fault)))
        # JSON escapes line ends: no fact, such as a subject, can begin a line of its own.
        return json.dumps(line, ensure_ascii=False)


def _to_json(value: Any) -> Any:
    if isinstance(value, bool | int | float | None):
        return value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return [_to_json(each) for each in value] if isinstance(value, list | tuple) else redact_all(str(value))


class _Quiet(logging.Handler):
    """Handler that ignores its own errors."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        """Do nothing: an event that cannot be logged must not stop a turn."""


class _Stream(_Quiet, logging.StreamHandler[Any]):
    """Handler that writes to a stream."""


class _LogFile(_Quiet, RotatingFileHandler):
    """Handler that writes to a file, which is opened, and its folder created, with the first event.

    If the file cannot be written, one warning goes to standard error.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
        self._has_warned = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        """Warn once that the log cannot be written; the program continues."""
        error = sys.exception()
        if isinstance(error, OSError) and not self._has_warned:
            self._has_warned = True
            # Standard error may be a file on the full disk, too.
            with suppress(OSError):
                print(f"Warning: the log {self.baseFilename} cannot be written: {reason_of(error)}", file=sys.stderr)

    def _open(self) -> Any:
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        return super()._open()
