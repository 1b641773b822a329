"""Sessions shown in documents: blocks of commands, and below each its output.

… stands for parts that differ from day to day. The blocks are pasted into a terminal, as by a reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tests.docs.terminal import terminal

Step = tuple[str, str]

_STEP = re.compile(r"^```sh\n(.*?)^```\n(?:\n+```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)


def session(document: str) -> list[Step]:
    """Return the blocks of commands of a document in order, each with the output shown below it, "" for none."""
    return _STEP.findall(document)


def check(steps: list[Step], folder: Path, environment: Mapping[str, str], preamble: str = "true") -> None:
    """Paste all blocks into one shell, and compare the output of each with the one shown."""
    errors = folder / "errors.txt"
    with terminal(folder, {**environment, "NO_COLOR": "1", "TERM": "dumb"}) as shell:
        shell.paste(f"exec 2>{errors}")
        for block, shown in [(preamble, ""), *steps]:
            printed, status = shell.paste(block)
            assert status == 0, (block, printed[-2_000:], errors.read_text()[-2_000:])
            pattern = ".*".join(map(re.escape, shown.strip().split("…")))
            assert re.fullmatch(pattern, printed.strip(), re.DOTALL), (block, printed)
