"""The actions that can be asked for: the mail commands follow from this list, and the help on them in its order."""

from __future__ import annotations

from typing import Any

from pbem.acts.act import Action
from pbem.acts.arguments import GmCommand, SeatCommand
from pbem.acts.gm import ChangeGm, MailToken
from pbem.acts.journal import ShowJournal
from pbem.acts.opening import Start
from pbem.acts.past.amending import Amend, RunAgain
from pbem.acts.past.entering import GiveSheet
from pbem.acts.past.forking import CopyTo, TryOut
from pbem.acts.past.mending import Mend
from pbem.acts.past.patching import Patch, ShowState
from pbem.acts.past.preview import ShowPreview
from pbem.acts.past.rolling import GoForward, RollBack
from pbem.acts.past.sheets import RestoreSheet, SheetCommand, ShowSheets
from pbem.acts.people.playing import AppointDeputy, ChooseWord, DismissDeputy, Leave, Pause, Resume
from pbem.acts.people.roster import (
    ExpelSeat,
    GiveSeat,
    Invite,
    PauseSeat,
    ResumeSeat,
    SetPolicy,
    SetRule,
    ShowPolicy,
    ShowRoster,
    VacateSeat,
)
from pbem.acts.press.from_gm import AddText, Broadcast, DropText, ShowPress, ShowTexts
from pbem.acts.press.from_players import Mute, Unmute, WriteDiary, WriteLetter, WriteNews, WriteUnsigned
from pbem.acts.ruling.adjudicating import TakeRuling
from pbem.acts.ruling.rolling import RollDice, ShowRolls
from pbem.acts.ruling.withdrawing import DropRuling, RestoreRuling, RulingCommand
from pbem.acts.time.absence import EndAbsences, NoteAbsence
from pbem.acts.time.extending import AskForTime, Extend
from pbem.acts.time.holding import Hold, Release
from pbem.acts.time.scheduling import Reschedule
from pbem.acts.turns.run_requests import AskForRun
from pbem.housekeeping.statistics import ShowStatistics
from pbem.housekeeping.status import ShowStatus

GM_ACTIONS: tuple[type[GmCommand], ...] = (
    *(ShowStatus, ShowStatistics, ShowRoster, ShowPolicy, ShowJournal, ShowTexts, ShowPress, ShowState, ShowPreview),
    *(Start, Hold, Release, Extend, Reschedule, AskForRun, PauseSeat, ResumeSeat),
    *(GiveSeat, VacateSeat, ExpelSeat, Invite, SetRule, MailToken),
    *(AddText, DropText, Broadcast, SheetCommand, ShowSheets, RulingCommand, RollDice, ShowRolls),
    *(RollBack, GoForward, Mend, RunAgain, Patch, TryOut),
)
"""All that a GM may ask for by mail."""

SEAT_ACTIONS: tuple[type[SeatCommand], ...] = (
    *(Leave, ChooseWord, NoteAbsence, EndAbsences, AppointDeputy, DismissDeputy),
)
"""What a player may ask for about their seat."""

PLAY_ACTIONS: tuple[type[SeatCommand], ...] = (
    *(Pause, Resume, AskForTime, Mute, Unmute),
    *(WriteLetter, WriteUnsigned, WriteNews, WriteDiary),
)
"""What a player may ask for while the game is played."""

ACTIONS: tuple[type[Action[Any] | GmCommand], ...] = (
    *GM_ACTIONS,
    *SEAT_ACTIONS,
    *PLAY_ACTIONS,
    *(ChangeGm, SetPolicy, GiveSheet, RestoreSheet, TakeRuling, DropRuling, RestoreRuling, Amend, CopyTo),
)
"""All actions: those by mail, and those that are done by the command line or on behalf of a mail command."""
