"""The list of actions that can be requested by mail, in the order of their help."""

from __future__ import annotations

from pbem.actions.arguments import GmCommand, SeatCommand
from pbem.actions.deadlines import (
    ExtendDeadline,
    HoldCampaign,
    ReleaseCampaign,
    ShowDeadlines,
    VoteForExtension,
)
from pbem.actions.fork import TryTurn
from pbem.actions.gm_forms import (
    AnnounceCommand,
    GmHelp,
    JournalCommand,
    RollsCommand,
    SetCommand,
    StateCommand,
    StatusCommand,
)
from pbem.actions.open_turn import PreviewTurn, RollDice
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
    Mute,
    SendPress,
    Unmute,
    WriteDiary,
    WriteNews,
    WriteUnsigned,
)
from pbem.actions.questions import AnswerCommand, AskGm
from pbem.actions.rerun import RunAgain
from pbem.actions.rollback import RollBack, ShowTurns
from pbem.actions.run_turn import RequestRun
from pbem.actions.seats import GiveSeat, Invite, OpenSeat, PauseSeat, RemoveSeat, ResumeSeat
from pbem.actions.settings import MailToken
from pbem.actions.sheets import SheetCommand, ShowSheets
from pbem.actions.start import StartCampaign
from pbem.actions.undo import UndoChange
from pbem.actions.withdraw_ruling import RulingCommand
from pbem.ruleset.orders import OrderParser

GM_FORMS: tuple[type[GmCommand], ...] = (
    *(GmHelp, MailToken, StatusCommand, JournalCommand, SetCommand, ExtendDeadline, ShowDeadlines),
    *(HoldCampaign, ReleaseCampaign, StartCampaign, RequestRun, PreviewTurn, Invite, GiveSeat, OpenSeat),
    *(PauseSeat, ResumeSeat, RemoveSeat, AnnounceCommand, AnswerCommand, RulingCommand, RollsCommand),
    *(RollDice, SheetCommand, ShowSheets, UndoChange, ShowTurns, RollBack, StateCommand),
    *(RunAgain, TryTurn),
)
"""The commands that a GM may mail. Of several with one word, the first one that a line fits is meant."""

GM_COMMANDS = OrderParser(GM_FORMS, loosely=False)
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
