"""The actions that can be asked for: the mail commands follow from this list, and the help on them in its order."""

from __future__ import annotations

from typing import Any

from pbem.actions.arguments import GmCommand, SeatCommand
from pbem.actions.base import Action
from pbem.actions.deadlines import AskForTime, Extend, Hold, Release, Reschedule
from pbem.actions.fork import CopyTo, TryOut
from pbem.actions.open_turn import GiveSheet, RollDice, ShowPreview, ShowRolls
from pbem.actions.players import (
    AppointDeputy,
    ChooseWord,
    DismissDeputy,
    EndAbsences,
    Leave,
    NoteAbsence,
    Pause,
    Resume,
)
from pbem.actions.press import (
    AddText,
    Broadcast,
    DropText,
    Mute,
    ShowPress,
    ShowTexts,
    Unmute,
    WriteDiary,
    WriteLetter,
    WriteNews,
    WriteUnsigned,
)
from pbem.actions.rerun import Amend, Patch, RunAgain, ShowState
from pbem.actions.rollback import GoForward, Mend, RollBack
from pbem.actions.ruling import TakeRuling
from pbem.actions.run_turn import AskForRun
from pbem.actions.seats import ExpelSeat, GiveSeat, Invite, PauseSeat, ResumeSeat, SetRule, ShowRoster, VacateSeat
from pbem.actions.settings import ChangeGm, MailToken, SetPolicy, ShowJournal, ShowPolicy
from pbem.actions.sheets import RestoreSheet, SheetCommand, ShowSheets
from pbem.actions.start import Start
from pbem.actions.statistics import ShowStatistics
from pbem.actions.status import ShowStatus
from pbem.actions.withdraw_ruling import DropRuling, RestoreRuling, RulingCommand

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
