"""The list of actions that can be requested by mail, in the order of their help."""

from __future__ import annotations

from pbem.actions.arguments import GmCommand, SeatCommand, forms_of
from pbem.actions.claims import ClaimTurn, LetWait
from pbem.actions.deadlines import VoteForExtension
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
from pbem.actions.press import Mute, SendPress, Unmute, WriteDiary, WriteNews, WriteUnsigned
from pbem.actions.questions import AskGm
from pbem.ruleset.orders import OrderParser
from pbem.verbs import VERBS

GM_FORMS: tuple[type[GmCommand], ...] = tuple(form for verb in VERBS.values() for form in forms_of(verb))
"""The commands that a GM may mail. Of several with one word, the first one that a line fits is meant."""

GM_COMMANDS = OrderParser(GM_FORMS, loosely=False)
"""The parser of a GM's mail commands."""

SEAT_ACTIONS: tuple[type[SeatCommand], ...] = (
    *(LeaveSeat, SetDiceWord, NoteAbsence, EndAbsences, AppointDeputy, DismissDeputy),
)
"""The actions of players on their seats."""

PLAY_ACTIONS: tuple[type[SeatCommand], ...] = (
    *(Pause, Resume, VoteForExtension, ClaimTurn, LetWait, Mute, Unmute),
    *(SendPress, WriteUnsigned, AskGm, WriteNews, WriteDiary),
)
"""The actions of players while the game is played."""
