"""Sessions shown in documents: commands, and what they print, where … stands for what differs from day to day."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

Step = tuple[str, str]


def session(document: str) -> list[Step]:
    """The commands of a document's console blocks in order, each with the output it shows."""
    steps: list[Step] = []
    for block in re.findall(r"^```console\n(.*?)^```", document, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command = re.match(r".*\n(?:>.*\n)*", part)
            assert command is not None
            typed = re.sub(r"^> ?", "", command[0], flags=re.MULTILINE)
            steps.append((typed, part[command.end() :]))
    return steps


def check(steps: list[Step], folder: Path, environment: Mapping[str, str], preamble: str = "") -> None:
    """Runs all commands in one shell, and compares what each prints with what is shown."""
    script = preamble + "\n".join(f"{typed}\nprintf '\\036'" for typed, _ in steps)

    done = subprocess.run(["bash", "-euc", script], cwd=folder, env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr
    for (typed, shown), printed in zip(steps, done.stdout.split("\036"), strict=False):
        pattern = ".*".join(map(re.escape, shown.strip().split("…")))
        assert re.fullmatch(pattern, printed.strip(), re.DOTALL), (typed, printed)
