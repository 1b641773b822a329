"""Actions that a GM asks for, on the command line and by mail: what HELP says of each, and the words that mean it.

A row is all that is said of an action outside of its class (`pbem.actions`). The
summary stands in `pbem --help`, in the command's own help and in HELP by mail; the
words behind the campaign are the same on the command line and in a mail. No other
module of pbem is imported, since `pbem --help` and the shell's completion read this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Verb(NamedTuple):
    """The description of an action, and other words for it.

    `args` stand behind the word in its usage. `example` has the lines of a mail that can be sent as they are, but for
    names. `undo` is the command that reverses it, or the reason why there is none. `does` names the classes of
    `pbem.actions`, of which the first that a line fits is meant; `below` is what they take below the line in a mail,
    and from a file on the command line.

    Other words, which commas part, are in small letters: `alone` as whole lines, `before` before arguments, `also` as
    both. One with "= word" means the command with that word behind it. `takes` is what stands behind the words of
    `before`, as `pbem.inbox.synonyms` reads it.
    """

    word: str
    args: str
    summary: str
    example: str
    undo: str
    does: str
    below: str = ""
    more: str = ""
    also: str = ""
    alone: str = ""
    before: str = ""
    takes: str = ""

    @property
    def usage(self) -> str:
        """The command with its arguments, as HELP shows it."""
        return f"{self.word.upper()} {self.args}".rstrip()


BY_TOPIC: Mapping[str, tuple[Verb, ...]] = {
    "To see how things stand": (
        Verb(
            "help",
            "[word]",
            "List the commands, or explain one",
            "HELP RULING",
            "it only shows",
            "gm_forms:GmHelp",
            also="?, commands, what can i do",
        ),
        Verb(
            "status",
            "[STATS]",
            "Show turn, deadline, sheets, and mail that is stuck",
            "STATUS STATS",
            "it only shows",
            "gm_forms:StatusCommand",
            more="STATS has sheets and when they came, how long turns took, and who may drop out; with a picture.",
            also="who, seats",
            alone="stats = stats, statistics = stats",
        ),
        Verb(
            "journal",
            "[turn] [PRESS]",
            "Show what was done, when and by whom",
            "JOURNAL 1\nJOURNAL PRESS",
            "it only shows",
            "gm_forms:JournalCommand",
            more="With the number of a turn it shows what was done while that was open; with PRESS, what people wrote.",
            also="history, log",
            alone="press = press, show press = press",
        ),
    ),
    "Time and turns": (
        Verb(
            "deadline",
            "[time]",
            "Show or change the deadline of the open turn",
            "DEADLINE 24h",
            "UNDO, until the turn is run",
            "deadlines:ExtendDeadline deadlines:ShowDeadlines",
            more="A span such as 24h or 3d is added; a moment is written 24 Dec 20:00, tomorrow 8pm, Fri 20:00 or "
            "2026-12-24T20:00, by the campaign's clocks. Players are notified. You are asked if it would be "
            "earlier, or later by more than two usual turns.",
            alone="extend, more time, delay",
            before="deadline, extend, extend by, extend for, extend to, more time, delay",
            takes="time",
        ),
        Verb(
            "set",
            "[rule=value ..]",
            "Show or change house rules, such as the schedule",
            "SET grace=12h late-list=players",
            "UNDO",
            "gm_forms:SetCommand",
            more='Several may be given; one with blanks stands in quotes: schedule="FRI 20:00 Europe/Berlin".',
            also="house rules, house rule",
        ),
        Verb(
            "hold",
            "[reason]",
            "Run no turn until the campaign is released",
            "HOLD back on Monday",
            "RELEASE",
            "deadlines:HoldCampaign",
            more="Players are notified, with your reason.",
            also="pause game, stop",
        ),
        Verb(
            "release",
            "",
            "Let turns run again",
            "HOLD\nRELEASE",
            "HOLD",
            "deadlines:ReleaseCampaign",
            also="continue, go on, unhold",
        ),
        Verb(
            "start",
            "",
            "Start the campaign and send the first reports",
            "START",
            "it cannot be undone, since the first reports are sent",
            "start:StartCampaign",
            more="You are asked if a seat is open, which would be left out.",
            also="begin, activate",
        ),
        Verb(
            "run",
            "",
            "Run the open turn now",
            "RUN",
            "ROLLBACK turn",
            "run_turn:RequestRun",
            also="process, resolve, run now",
        ),
        Verb(
            "preview",
            "[REAL]",
            "Compute the open turn; keep and send nothing",
            "PREVIEW",
            "it only shows",
            "open_turn:PreviewTurn",
            more="You get all reports, with other dice than the turn will have. REAL rolls those; players read of it.",
            also="test",
        ),
    ),
    "Seats": (
        Verb(
            "invite",
            "address [AS seat]",
            "Invite a person to play",
            "INVITE eve@example.org",
            "UNDO, until it is accepted",
            "seats:Invite",
            more="They are mailed a code that brings a seat, the first that is free if none is named.",
            also="add",
        ),
        Verb(
            "give",
            "seat TO address",
            "Give a seat to a person",
            "GIVE red TO eve@example.org",
            "GIVE seat TO the former player",
            "seats:GiveSeat",
            more="You are asked if it is occupied.",
            before="replace",
            takes="given",
        ),
        Verb(
            "seat",
            "seat BOT | address",
            "Let the game's bot play a seat until its player is back",
            "SEAT red BOT",
            "SEAT seat address of the former player",
            "seats:SeatPlayer",
            more="All players are told. It orders from the seat's reports alone; a sheet that the player has sent for "
            "the open turn counts first.",
        ),
        Verb(
            "swap",
            "seat seat",
            "Let the players of two seats change places",
            "SWAP red blue",
            "SWAP with the same seats",
            "seats:SwapSeats",
            more="One of them may be open. Sheets stay with the seats. You are asked, since reports have been read.",
            before="swap, swap seats, seat swap, exchange",
            takes="seats",
        ),
        Verb(
            "open",
            "seat",
            "Take a seat from its player, and offer it",
            "OPEN red",
            "GIVE seat TO the former player",
            "seats:OpenSeat",
            more="The first standby gets it.",
            before="vacate, open seat",
        ),
        Verb(
            "pause",
            "seat",
            "Stop waiting for a seat's orders",
            "PAUSE red",
            "RESUME seat",
            "seats:PauseSeat",
            before="pause seat",
        ),
        Verb(
            "resume",
            "seat",
            "Wait for a seat's orders again",
            "RESUME red",
            "PAUSE seat",
            "seats:ResumeSeat",
            before="resume seat",
        ),
        Verb(
            "remove",
            "seat",
            "Take a seat out of the game when the turn is run",
            "REMOVE red",
            "UNDO, until the turn is run",
            "seats:RemoveSeat",
            before="eject, kick, remove seat",
        ),
    ),
    "Words to players": (
        Verb(
            "announce",
            "[TO seats] [IN REPORT]",
            "Write to players, at once or with the next report",
            "ANNOUNCE TO red IN REPORT\nThe harbour master is away until Monday.",
            "UNDO, for a text that waits for a report; what was mailed cannot be undone",
            "gm_forms:AnnounceCommand",
            below="the text",
            more="Without TO it is for all; without a text you see what waits for the reports.",
            also="broadcast, official",
            before="press to = to, announcement to = to",
        ),
        Verb(
            "answer",
            "[number [TO ALL | ALLIES]]",
            "List questions of players, or answer one",
            "ANSWER",
            "what was mailed cannot be undone",
            "questions:AnswerCommand",
            below="the answer",
            more="A plain reply to the mail of a question does the same.",
            alone="questions",
        ),
    ),
    "Deciding a turn": (
        Verb(
            "ruling",
            "",
            "Show, write or submit the ruling on the open turn",
            "RULING\nFILE all.txt\nIt snowed.",
            "UNDO, until the turn is run",
            "withdraw_ruling:RulingCommand",
            more="The form stands below it; files of the mail go with it. Alone it shows the form, with the "
            "ruling that counts. What the form does not name stays of an earlier ruling. OFF drops the "
            "ruling, BACK has an earlier one again.",
            also="adjudicate, judge",
        ),
        Verb(
            "roll",
            "[dice words]",
            "Roll the campaign's dice, or list rolls",
            "ROLL 3d6+2 ann storms the gate",
            "a roll is final, so that it is not rolled again until it suits",
            "gm_forms:RollsCommand open_turn:RollDice",
            more="Anyone can check a roll at the end. Alone, or with the number of a turn, it lists what was rolled.",
            also="dice, rolls",
        ),
    ),
    "Correcting mistakes": (
        Verb(
            "sheet",
            "[seat]",
            "Show a seat's order sheet, or enter one",
            "SHEET red",
            "UNDO, until the turn is run",
            "sheets:SheetCommand sheets:ShowSheets",
            below="order lines",
            more="Lines are entered as the seat's sheet, and its player gets the receipt; you are asked if they "
            "replace others. Those below TURN 7 or NEXT TURN are kept for that turn. SHEET seat BACK enters again what "
            "it had before.",
            also="orders",
            alone="sheets",
        ),
        Verb(
            "rerun",
            "[seat [message]]",
            "Run the last turn again with another sheet",
            "RERUN",
            "RERUN with the former sheet",
            "rerun:RunAgain",
            more="The order lines below count as the seat's sheet, or those of a late message, by its number. "
            "You are shown first whose report changes.",
            also="redo, run again",
        ),
        Verb(
            "undo",
            "[entry]",
            "Undo the last change that can be undone",
            "PAUSE red\nUNDO",
            "send the command again",
            "undo:UndoChange",
            more="JOURNAL has the numbers of entries that can be undone. You are asked if players were mailed.",
            also="take back, revert, take it back",
        ),
        Verb(
            "rollback",
            "[turn]",
            "Reopen an earlier turn; alone, list turns",
            "ROLLBACK",
            "UNDO, until the turn is run",
            "rollback:ShowTurns rollback:RollBack",
            also="reopen, go back to, go back",
        ),
        Verb(
            "state",
            "",
            "Show the game state, or change it",
            "STATE",
            "UNDO, until the next run",
            "gm_forms:StateCommand",
            more="With a JSON Patch (RFC 6902) or the whole state below, it changes it; you are shown every "
            "difference.",
        ),
        Verb(
            "fork",
            "turn [seat]",
            "Copy a campaign as of an earlier turn, to try it",
            "FORK 1",
            "the campaign stays as it is",
            "fork:TryTurn",
            more="You get all reports, with the order lines below as the seat's sheet.",
            also="try, what if",
        ),
    ),
    "Your token": (
        Verb(
            "token",
            "",
            "Get a new token; the old one is void then",
            "TOKEN",
            "another token replaces it",
            "settings:MailToken",
            also="new token",
        ),
    ),
}
"""All actions by topics, in the order of HELP by mail."""

VERBS: Mapping[str, Verb] = {verb.word: verb for verbs in BY_TOPIC.values() for verb in verbs}
"""The same by their words, in small letters."""
