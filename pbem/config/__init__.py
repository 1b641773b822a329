"""The installation's settings: `pbem.toml` in the home folder, read and checked.

Secrets never stand in the file; it names the environment variable that holds
one, or the command that prints it:

    inbox_password = { env = "PBEM_INBOX_PASSWORD" }
    carrier_password = { command = "pass show mail/orders" }
"""

from __future__ import annotations

from pbem.config.file import FILE_NAME
from pbem.config.moving import LACKING, checked_address, checked_database, files_named, lacks, rehomed, with_values
from pbem.config.pace import Limits, Pace
from pbem.config.secret import Secret
from pbem.config.settings import Settings, find_home, load_settings, settings_problems, write_default_settings
from pbem.config.urls import PostUrl
from pbem.config.values import Dkim

__all__ = [
    "FILE_NAME",
    "LACKING",
    "Dkim",
    "Limits",
    "Pace",
    "PostUrl",
    "Secret",
    "Settings",
    "checked_address",
    "checked_database",
    "files_named",
    "find_home",
    "lacks",
    "load_settings",
    "rehomed",
    "settings_problems",
    "with_values",
    "write_default_settings",
]
