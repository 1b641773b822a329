"""Secrets: never in the file, which names the environment variable or the command that has them."""

from __future__ import annotations

import os
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from pbem.config.file import FILE_NAME
from pbem.errors import ConfigError
from pbem.masking import remember

COMMAND_SECONDS = 60


@dataclass(frozen=True)
class Secret:
    """Where a password or access token is kept: an environment variable, or a command that prints it."""

    env: str = ""
    command: str = field(default="", repr=False)  # it may hold what it prints
    inactive: bool = False

    def read(self, setting: str) -> str:
        """The secret itself. Raises ConfigError, naming the setting, when it cannot be had."""
        if self.inactive:
            raise ConfigError(f"{setting} in {FILE_NAME} is not used before this home is opened, with: pbem reopen")
        if self.env:
            value = os.environ.get(self.env, "")
            if not value:
                raise ConfigError(
                    f"{setting} in {FILE_NAME} names the environment variable {self.env}, which is not set"
                )
            return remember(value)
        return remember(self._printed(setting))

    def files(self, home: Path) -> list[Path]:
        """The files of a home that its command names."""
        return [home / word for word in shlex.split(self.command) if (home / word).is_file()]

    def _printed(self, setting: str) -> str:
        words = shlex.split(self.command)
        try:
            run = subprocess.run(words, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=True)  # noqa: S603 - the GM's own command
        except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
            raise ConfigError(f"the command of {setting} in {FILE_NAME} failed: {_why(error)}") from None
        first = run.stdout.partition("\n")[0].rstrip("\r")
        if not first:
            raise ConfigError(f"the command of {setting} in {FILE_NAME} printed nothing")
        return first


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with status {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took longer than {COMMAND_SECONDS} seconds"
    if isinstance(error, OSError):
        return f"{error.strerror or error}"
    return "it printed what is not text"
