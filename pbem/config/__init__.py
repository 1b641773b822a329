"""The installation's settings: `pbem.toml` in the home folder, read and checked.

Secrets never stand in the file; it names the environment variable that holds
one, or the command that prints it:

    inbox_password = { env = "PBEM_INBOX_PASSWORD" }
    carrier_password = { command = "pass show mail/orders" }
"""

from __future__ import annotations

from pbem.config.file import FILE_NAME, INACTIVE
from pbem.config.moving import (
    LACKING,
    checked_address,
    checked_database,
    confined,
    files_named,
    lacks,
    may_come_along,
    reaches,
    rehomed,
    with_values,
)
from pbem.config.pace import Limits, Pace
from pbem.config.secret import Secret
from pbem.config.settings import (
    Settings,
    check_values,
    find_home,
    load_settings,
    read_values,
    settings_problems,
    write_default_settings,
)
from pbem.config.urls import PostUrl
from pbem.config.values import Dkim

__all__ = [
    "FILE_NAME",
    "INACTIVE",
    "LACKING",
    "Dkim",
    "Limits",
    "Pace",
    "PostUrl",
    "Secret",
    "Settings",
    "check_values",
    "checked_address",
    "checked_database",
    "confined",
    "files_named",
    "find_home",
    "lacks",
    "load_settings",
    "may_come_along",
    "reaches",
    "read_values",
    "rehomed",
    "settings_problems",
    "with_values",
    "write_default_settings",
]
