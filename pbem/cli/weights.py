"""The weight of each command: that of the actions it performs, or one of its own.

Commands perform actions by `act_and_print` or `perform` of `pbem.cli.output`, which
ask where an action needs confirmation; such a command has the option --yes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.actions.base import Change, Harmless, Reversible, Weight
from pbem.actions.registry import ACTIONS

Acts = tuple[type[Change[Any]], ...]

_SHOWS = Harmless("it only shows")
_NEW = Harmless("it writes only where nothing is")
_DUE = Harmless("it does what is due, which others have asked for")

_ACTS = [action for action in ACTIONS if issubclass(action, Change)]

WEIGHTS: Mapping[str, Acts | Weight] = {
    **{done.command: tuple(act for act in _ACTS if act.command == done.command) for done in _ACTS if done.command},
    "demo": _NEW,
    "games": _SHOWS,
    "rules": _SHOWS,
    "check": _SHOWS,
    "desk": _SHOWS,
    "init": _NEW,
    "migrate": Harmless("it is all done or not at all, and loses nothing"),
    "doctor": _SHOWS,
    "backup": Harmless("it overwrites nothing, and --keep removes backups older than those that it asks for"),
    "check-backup": _SHOWS,
    "restore": _NEW,
    "reopen": Harmless("it lets a home go on, and overwrites nothing"),
    "export": Reversible("pbem export NAME --back"),
    "import": _NEW,
    "new": _NEW,
    "journal": _SHOWS,
    "tick": _DUE,
    "serve": _DUE,
    "worker": _DUE,
    "status": _SHOWS,
    "stats": _SHOWS,
    "letters": Harmless("a quarantined letter is tried again, and stays if it fails"),
    "outbox": Harmless("mail that is due is tried again"),
    "state": _SHOWS,
    "rolls": _SHOWS,
    "site": Harmless("what it writes follows from the campaigns"),
    "replay": _SHOWS,
    "verify": _SHOWS,
    "ruleset": _NEW,
    "schema": _SHOWS,
}
"""The weight of every command of the command line, or the actions that it performs, each with its own."""
