"""The weight of each command: that of the acts it does, or one of its own.

Commands that do acts do them by `pbem.commands.common.act` or `perform`, which ask
where an act needs confirmation; such a command has the option --yes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.acts.act import Act, Harmless, Reversible, Weight
from pbem.acts.gm import ChangeGm, MailToken
from pbem.acts.opening import Start
from pbem.acts.past.amending import Amend
from pbem.acts.past.entering import GiveSheet
from pbem.acts.past.forking import CopyTo
from pbem.acts.past.mending import Mend
from pbem.acts.past.patching import Patch
from pbem.acts.past.rolling import GoForward, RollBack
from pbem.acts.past.sheets import RestoreSheet
from pbem.acts.people.roster import ExpelSeat, GiveSeat, Invite, PauseSeat, ResumeSeat, SetPolicy, VacateSeat
from pbem.acts.press.from_gm import AddText, Broadcast, DropText
from pbem.acts.ruling.adjudicating import TakeRuling
from pbem.acts.ruling.rolling import RollDice
from pbem.acts.ruling.withdrawing import DropRuling, RestoreRuling
from pbem.acts.time.extending import Extend
from pbem.acts.time.holding import Hold, Release
from pbem.acts.time.scheduling import Reschedule
from pbem.acts.turns.run_requests import AskForRun

Acts = tuple[type[Act[Any]], ...]

_SHOWS = Harmless("it only shows")
_NEW = Harmless("it writes only where nothing is")
_DUE = Harmless("it does what is due, which others have asked for")

WEIGHTS: Mapping[str, Acts | Weight] = {
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
    "start": (Start,),
    "gm": (ChangeGm, MailToken),
    "policy": (SetPolicy,),
    "journal": _SHOWS,
    "invite": (Invite,),
    "seat": (GiveSeat, VacateSeat, ExpelSeat, PauseSeat, ResumeSeat),
    "tick": _DUE,
    "serve": _DUE,
    "worker": _DUE,
    "run": (AskForRun,),
    "status": _SHOWS,
    "stats": _SHOWS,
    "letters": Harmless("a quarantined letter is tried again, and stays if it fails"),
    "outbox": Harmless("mail that is due is tried again"),
    "deadline": (Reschedule,),
    "extend": (Extend,),
    "hold": (Hold,),
    "release": (Release,),
    "text": (AddText, DropText),
    "press": (Broadcast,),
    "preview": _SHOWS,
    "sheet": (GiveSheet, RestoreSheet),
    "adjudicate": (TakeRuling, DropRuling, RestoreRuling),
    "state": _SHOWS,
    "patch": (Patch,),
    "roll": (RollDice,),
    "rolls": _SHOWS,
    "rollback": (RollBack,),
    "forward": (GoForward,),
    "rerun": (Amend,),
    "mend": (Mend,),
    "fork": (CopyTo,),
    "site": Harmless("what it writes follows from the campaigns"),
    "replay": _SHOWS,
    "verify": _SHOWS,
    "ruleset": _NEW,
    "schema": _SHOWS,
}
"""The weight of every command of the command line, or the acts that it does, each with its own."""
