"""The weight of an action, or of a command: how it is undone, what is lost by it, or why it is harmless.

Apart from the actions, since a command is declared with it before the database's package is needed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reversible:
    """Weight of an action that a command undoes.

    `typed` is that command on the command line, `mailed` by mail, "" where a mail cannot undo it.
    """

    typed: str
    mailed: str = ""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """Weight of an action that needs confirmation, since `lost` would be lost.

    `restored` says how that is shown or brought back, "" where it cannot be.
    """

    lost: str
    restored: str = ""


@dataclass(frozen=True, slots=True)
class Harmless:
    """Weight of an action that no command undoes and that needs no confirmation; `because` says why, in a clause."""

    because: str


Weight = Reversible | Confirmed | Harmless
"""The weight of an action, or of a command."""
