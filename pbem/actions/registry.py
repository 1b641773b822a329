"""The list of actions that can be requested by mail, in the order of their help."""

from __future__ import annotations

from typing import Any

from pbem.actions.arguments import GmCommand, SeatCommand
from pbem.actions.base import Action
from pbem.actions.deadlines import ExtendDeadline, HoldCampaign, ReleaseCampaign, SetSchedule, VoteForExtension
from pbem.actions.fork import ForkCampaign, TryTurn
from pbem.actions.gm_forms import (
    AnnounceCommand,
    DeadlineCommand,
    ExtendByRule,
    GmHelp,
    JournalCommand,
    RollsCommand,
    SetCommand,
    StateCommand,
    StatusCommand,
    TurnsCommand,
)
from pbem.actions.open_turn import EnterSheet, PreviewRealDice, PreviewTurn, RollDice, ShowRolls
from pbem.actions.players import (
    AppointDeputy,
    DismissDeputy,
    EndAbsences,
    LeaveSeat,
    NoteAbsence,
    Pause,
    Resume,
    SetDiceWord,
)
from pbem.actions.press import (
    AddAnnouncement,
    Announce,
    AnnounceInReport,
    Mute,
    RemoveAnnouncement,
    SendPress,
    ShowPress,
    ShowTexts,
    Unmute,
    WriteDiary,
    WriteNews,
    WriteUnsigned,
)
from pbem.actions.questions import AnswerCommand, AnswerQuestion, AskGm
from pbem.actions.rerun import EditState, RerunTurn, RunAgain
from pbem.actions.rollback import RepairHistory, RollBack, UndoRollback
from pbem.actions.ruling import SubmitRuling
from pbem.actions.run_turn import RequestRun
from pbem.actions.seats import GiveSeat, Invite, OpenSeat, PauseSeat, RemoveSeat, ResumeSeat, ShowSeats
from pbem.actions.settings import ChangeGm, MailToken, NameGm, SetHouseRule
from pbem.actions.sheets import RestoreSheet, SheetCommand, ShowSheets
from pbem.actions.start import StartCampaign
from pbem.actions.statistics import ShowStatistics
from pbem.actions.undo import UndoChange
from pbem.actions.withdraw_ruling import DropRuling, RestoreRuling, RulingCommand
from pbem.ruleset.orders import OrderParser

GM_FORMS: tuple[type[GmCommand], ...] = (
    *(GmHelp, MailToken, StatusCommand, JournalCommand, SetCommand, DeadlineCommand, ExtendDeadline, SetSchedule),
    *(HoldCampaign, ReleaseCampaign, StartCampaign, RequestRun, PreviewTurn, Invite, GiveSeat, OpenSeat),
    *(PauseSeat, ResumeSeat, RemoveSeat, AnnounceCommand, AnswerCommand, RulingCommand, RollsCommand),
    *(
        RollDice,
        SheetCommand,
        ShowSheets,
        UndoChange,
        TurnsCommand,
        RepairHistory,
        RollBack,
        StateCommand,
        RunAgain,
        TryTurn,
    ),
)
"""The commands that a GM may mail. Of several with one word, the first one that a line fits is meant."""

GM_ACTIONS: tuple[type[GmCommand], ...] = (
    *GM_FORMS,
    *(ShowStatistics, ShowSeats, ShowTexts, ShowPress, AddAnnouncement, RemoveAnnouncement, ExtendByRule, ShowRolls),
    UndoRollback,
)
"""The same, with those of earlier versions, which are understood for good."""

GM_COMMANDS = OrderParser(GM_ACTIONS, loosely=False)
"""The parser of a GM's mail commands."""

SEAT_ACTIONS: tuple[type[SeatCommand], ...] = (
    *(LeaveSeat, SetDiceWord, NoteAbsence, EndAbsences, AppointDeputy, DismissDeputy),
)
"""The actions of players on their seats."""

PLAY_ACTIONS: tuple[type[SeatCommand], ...] = (
    *(Pause, Resume, VoteForExtension, Mute, Unmute),
    *(SendPress, WriteUnsigned, AskGm, WriteNews, WriteDiary),
)
"""The actions of players while the game is played."""

ACTIONS: tuple[type[Action[Any] | GmCommand], ...] = (
    *GM_ACTIONS,
    *SEAT_ACTIONS,
    *PLAY_ACTIONS,
    *(
        ChangeGm,
        NameGm,
        SetHouseRule,
        Announce,
        AnnounceInReport,
        EditState,
        AnswerQuestion,
        EnterSheet,
        PreviewRealDice,
        RestoreSheet,
        SubmitRuling,
        DropRuling,
        RestoreRuling,
        RerunTurn,
        ForkCampaign,
    ),
)
"""All actions: those by mail, and those that are done by the command line or on behalf of a mail command."""
