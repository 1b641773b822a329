"""Processing of incoming mail: authentication, commands, order sheets and answers."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass


@dataclass(slots=True)
class ProcessResult:
    """Counts of processed messages; `unanswered` had an answer due, which limits forbade.

    `left` are those for which there was no room; then all that came before `read_until` were processed.
    """

    messages: int = 0
    sheets: int = 0
    quarantined: int = 0
    unanswered: int = 0
    left: int = 0
    read_until: dt.datetime | None = None
