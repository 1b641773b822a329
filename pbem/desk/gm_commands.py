"""What a GM may ask of the desk by mail: the commands, and the frame that holds them.

    GM trap7 TOKEN
    EXTEND 24h
    TEXT TO ALL
    The harbour master is away until Monday.
    END

A command with a text has all that stands below it, so it comes last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pbem.campaign.reading import Lines
from pbem.desk.commands import ADDRESS, SEAT, TURN, Free
from pbem.desk.sheet import without_keys_in
from pbem.post.attached import Attached
from pbem.post.cleaning import is_end
from pbem.ruleset import Kind, Order, OrderBook, Parsed, Refused, Word, split_words

_SURE = Word(("YES",))
_REAL = Word(("REAL",))
_BACK = Word(("BACK",))
_RULING = Word(("OFF", "BACK"))
_SPAN = Free("span", "a span of time like 24h or 3d, or a moment like 2026-12-24T20:00", "24h")
_NAME = Free("rule", "the name of a house rule", "grace")
_VALUE = Free("value", "its value", "12h")
_SCHEDULE = Free("schedule", "a schedule", "FRI 20:00 Europe/Berlin")
_TEXT = Free("text", "the number of a text", "3")
_DICE = Free("dice", "dice such as 3d6+2, d20, d%, 4dF, 4d6k3 or 2d20kl1", "3d6+2")
_LABEL = Free("words", "what the roll is for", "ann storms the gate")
_REASON = Free("reason", "words", "I am on a train")


class _Number(Kind):
    """A number; kept as it is typed."""

    shown, expected = "number", "a number"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """The number. Raises Refused."""
        if not (word.isascii() and word.isdigit() and len(word) < 10):
            raise Refused("not-a-number", f"expected {self.expected}, got {word!r}")
        return word

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return ("2",)


_NUMBER = _Number()


class GmCommand(Order):
    """Base of all commands of a GM.

    With `takes_text`, all that stands below is its text, and with `takes_files`
    the files of the mail are its own. Whether it needs confirmation says the
    `weight` of the act that it wishes; such a command has the field `sure`, the
    word YES, without which the act is only looked at. Where it depends on the
    turn what the act comes to, `asked` is the turn that was open at that look.
    """

    takes_text = False
    takes_files = False
    sure: str | None = None
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class ShowStatus(GmCommand):
    """See how the campaign stands: sheets, deadlines, mail not delivered."""

    usage = "STATUS"


@dataclass(frozen=True, slots=True)
class ShowStatistics(GmCommand):
    """See whose sheets came when, how long turns took, scores, and who may drop out; with a picture."""

    usage = "STATS"


@dataclass(frozen=True, slots=True)
class ShowSeats(GmCommand):
    """See who sits where, and who waits for a seat."""

    usage = "SEATS"


@dataclass(frozen=True, slots=True)
class ShowPolicy(GmCommand):
    """See the house rules of the campaign."""

    usage = "POLICY"


@dataclass(frozen=True, slots=True)
class ShowJournal(GmCommand):
    """See all that was done to the campaign, when, and by whom."""

    usage = "JOURNAL"


@dataclass(frozen=True, slots=True)
class ShowTexts(GmCommand):
    """See your texts for reports."""

    usage = "TEXTS"


@dataclass(frozen=True, slots=True)
class ShowPress(GmCommand):
    """See what people wrote each other, by whom it truly is."""

    usage = "PRESS"


@dataclass(frozen=True, slots=True)
class ShowState(GmCommand):
    """Get the state of the open turn as JSON."""

    usage = "STATE"


@dataclass(frozen=True, slots=True)
class StartCampaign(GmCommand):
    """Start the campaign with those who are seated. Without YES you are told first whose seats would be left out."""

    usage = "START [sure]"
    sure: Annotated[str | None, _SURE] = None


@dataclass(frozen=True, slots=True)
class NewToken(GmCommand):
    """Get a new token; this one is void then."""

    usage = "TOKEN"


@dataclass(frozen=True, slots=True)
class ShowPreview(GmCommand):
    """Get all reports as they would be if the turn were run now, with other dice. Nothing is sent to players.

    REAL rolls the dice that the turn will have; the next reports tell that you looked.
    """

    usage = "PREVIEW [real]"
    real: Annotated[str | None, _REAL] = None


@dataclass(frozen=True, slots=True)
class HoldTurns(GmCommand):
    """Let no turn run until you say RELEASE."""

    usage = "HOLD [reason...]"
    reason: Annotated[tuple[str, ...], _REASON] = ()


@dataclass(frozen=True, slots=True)
class ReleaseTurns(GmCommand):
    """Let turns run again."""

    usage = "RELEASE"


@dataclass(frozen=True, slots=True)
class ExtendTurn(GmCommand):
    """Give more time for the open turn, or set its deadline; without a span, as much as the house rules say."""

    usage = "EXTEND [span] [sure] [asked]"
    span: Annotated[str | None, _SPAN] = None
    sure: Annotated[str | None, _SURE] = None
    asked: Annotated[str | None, _NUMBER] = None


@dataclass(frozen=True, slots=True)
class Deadline(GmCommand):
    """See when turns are due, or set another schedule for the turns to come."""

    usage = "DEADLINE [schedule...]"
    schedule: Annotated[tuple[str, ...], _SCHEDULE] = ()


@dataclass(frozen=True, slots=True)
class RunTurn(GmCommand):
    """Run the open turn now."""

    usage = "RUN"


@dataclass(frozen=True, slots=True)
class PauseSeat(GmCommand):
    """Let turns no longer wait for a seat."""

    usage = "PAUSE seat"
    seat: Annotated[str, SEAT]


@dataclass(frozen=True, slots=True)
class ResumeSeat(GmCommand):
    """Let turns wait for a seat again."""

    usage = "RESUME seat"
    seat: Annotated[str, SEAT]


@dataclass(frozen=True, slots=True)
class GiveSeat(GmCommand):
    """Hand a seat over to the person of this address. Without YES you are told first who would lose it."""

    usage = "SEAT seat TO address [sure]"
    seat: Annotated[str, SEAT]
    address: Annotated[str, ADDRESS]
    sure: Annotated[str | None, _SURE] = None


@dataclass(frozen=True, slots=True)
class OpenSeat(GmCommand):
    """Take a seat from its player, and offer it to the standbys. Without YES you are told what that would do."""

    usage = "OPEN seat [sure]"
    seat: Annotated[str, SEAT]
    sure: Annotated[str | None, _SURE] = None


@dataclass(frozen=True, slots=True)
class RemoveSeat(GmCommand):
    """Take a seat out of the game, for good, when the turn is run."""

    usage = "REMOVE seat [sure] [asked]"
    seat: Annotated[str, SEAT]
    sure: Annotated[str | None, _SURE] = None
    asked: Annotated[str | None, _NUMBER] = None


@dataclass(frozen=True, slots=True)
class Invite(GmCommand):
    """Invite somebody to the campaign, for a seat if you name one."""

    usage = "INVITE address [AS seat]"
    address: Annotated[str, ADDRESS]
    seat: Annotated[str | None, SEAT] = None


@dataclass(frozen=True, slots=True)
class SetRule(GmCommand):
    """Change a house rule of the campaign."""

    usage = "RULE rule value"
    rule: Annotated[str, _NAME]
    value: Annotated[str, _VALUE]


@dataclass(frozen=True, slots=True)
class AddText(GmCommand):
    """Put the text below into the next report of a seat, or of ALL."""

    usage = "TEXT TO seat"
    takes_text = True
    seat: Annotated[str, SEAT]


@dataclass(frozen=True, slots=True)
class DropText(GmCommand):
    """Take a text out again, before its reports are sent; TEXTS has its number."""

    usage = "DROP text"
    text: Annotated[str, _TEXT]


@dataclass(frozen=True, slots=True)
class Announce(GmCommand):
    """Mail the text below to all players at once, or to some."""

    usage = "ANNOUNCE [TO seats...]"
    takes_text = True
    seats: Annotated[tuple[str, ...], SEAT] = ()


@dataclass(frozen=True, slots=True)
class GiveSheet(GmCommand):
    """Enter the order lines below as a seat's sheet for the open turn; without lines, see its sheets.

    BACK enters an earlier sheet again. Without YES you see first what is replaced.
    """

    usage = "SHEET seat [what] [number] [sure] [asked]"
    takes_text = True
    seat: Annotated[str, SEAT]
    what: Annotated[str | None, _BACK] = None
    number: Annotated[str | None, _NUMBER] = None
    sure: Annotated[str | None, _SURE] = None
    asked: Annotated[str | None, _NUMBER] = None


@dataclass(frozen=True, slots=True)
class ShowSheets(GmCommand):
    """See the sheets of the open turn, of a seat or of all."""

    usage = "SHEETS [seat]"
    seat: Annotated[str | None, SEAT] = None


@dataclass(frozen=True, slots=True)
class Rule(GmCommand):
    """Rule on the open turn, in a game that you adjudicate, with the filled-in form below.

    What it does not name stays of an earlier ruling. Alone it shows the form, and
    what you have ruled. OFF drops the ruling, BACK brings an earlier one back.
    """

    usage = "RULING [what] [number] [sure] [asked]"
    takes_text = True
    takes_files = True
    what: Annotated[str | None, _RULING] = None
    number: Annotated[str | None, _NUMBER] = None
    sure: Annotated[str | None, _SURE] = None
    asked: Annotated[str | None, _NUMBER] = None


@dataclass(frozen=True, slots=True)
class RollDice(GmCommand):
    """Roll the campaign's dice for something, in the open turn. It stands: the same words again are a second roll."""

    usage = "ROLL dice label..."
    dice: Annotated[str, _DICE]
    label: Annotated[tuple[str, ...], _LABEL]


@dataclass(frozen=True, slots=True)
class ShowRolls(GmCommand):
    """See what you rolled in a turn; without its number, in the open one."""

    usage = "ROLLS [turn]"
    turn: Annotated[str | None, TURN] = None


@dataclass(frozen=True, slots=True)
class RollBack(GmCommand):
    """Go back to when a turn was open. Without YES you are told what that would do."""

    usage = "ROLLBACK turn [sure] [asked]"
    turn: Annotated[str, TURN]
    sure: Annotated[str | None, _SURE] = None
    asked: Annotated[str | None, _NUMBER] = None


@dataclass(frozen=True, slots=True)
class GoForward(GmCommand):
    """Take the last rollback back."""

    usage = "FORWARD"


@dataclass(frozen=True, slots=True)
class MendTurns(GmCommand):
    """Mend a campaign whose turns do not hang together. Without YES you are told what that would do."""

    usage = "MEND [sure]"
    sure: Annotated[str | None, _SURE] = None


@dataclass(frozen=True, slots=True)
class RunAgain(GmCommand):
    """Run the last turn again, with the order lines below as a seat's sheet. Without YES you see whom it touches."""

    usage = "RERUN seat [sure] [asked]"
    takes_text = True
    seat: Annotated[str, SEAT]
    sure: Annotated[str | None, _SURE] = None
    asked: Annotated[str | None, _NUMBER] = None


@dataclass(frozen=True, slots=True)
class PatchState(GmCommand):
    """Change the state by the JSON Patch below (RFC 6902). Without YES you see the difference."""

    usage = "PATCH [sure] [asked]"
    takes_text = True
    sure: Annotated[str | None, _SURE] = None
    asked: Annotated[str | None, _NUMBER] = None


@dataclass(frozen=True, slots=True)
class Fork(GmCommand):
    """Try a turn in a copy, with the order lines below as a seat's sheet: you get all reports; players hear of it."""

    usage = "FORK turn [seat]"
    takes_text = True
    turn: Annotated[str, TURN]
    seat: Annotated[str | None, SEAT] = None


GM_COMMANDS = OrderBook(
    (
        *(ShowStatus, ShowStatistics, ShowSeats, ShowPolicy, ShowJournal, ShowTexts, ShowPress, ShowState, ShowPreview),
        *(StartCampaign, HoldTurns, ReleaseTurns, ExtendTurn, Deadline, RunTurn, PauseSeat, ResumeSeat),
        *(GiveSeat, OpenSeat, RemoveSeat, Invite, SetRule, NewToken),
        *(AddText, DropText, Announce, GiveSheet, ShowSheets, Rule, RollDice, ShowRolls),
        *(RollBack, GoForward, MendTurns, RunAgain, PatchState, Fork),
    ),
    loosely=False,
)
"""All commands a GM may mail."""

_FRAME = re.compile(r"\A\s*+gm\s++(\S{1,40}+)\s++(\S{1,64}+)\s*+", re.IGNORECASE)
_TOKENLIKE = re.compile(r"[0-9a-f]{15,25}", re.IGNORECASE)
"""A token, or one with a slip of the pen in it."""


@dataclass(frozen=True, slots=True)
class GmSheet:
    """A GM's commands as found: of which campaign, with what token, and the numbered lines between GM and END."""

    campaign: str
    key: str
    lines: tuple[tuple[int, str], ...]

    @property
    def shown(self) -> Lines:
        """The lines as they may be told again."""
        return without_keys_in(self.lines)


@dataclass(frozen=True, slots=True)
class GmText:
    """The numbered lines below a command that takes a text, and the files of its mail; of one that was `cut`, few."""

    lines: tuple[tuple[int, str], ...] = ()
    attached: tuple[Attached, ...] = ()
    cut: bool = False

    @property
    def words(self) -> str:
        """The text as it was written."""
        return "\n".join(line for _, line in self.lines).strip()

    @property
    def orders(self) -> Lines:
        """The text as the lines of a sheet, which is kept."""
        return without_keys_in(self.lines)


@dataclass(frozen=True, slots=True)
class GmOrders:
    """What a GM asks for: his commands, with what is wrong with them, and the text below the last."""

    parsed: Parsed
    text: GmText = GmText()


def find_gm_sheet(lines: Sequence[str]) -> GmSheet | None:
    """The first GM frame in a text; it ends at the last END, so that a text in it may hold one too."""
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    for at, line in enumerate(lines):
        match = _FRAME.fullmatch(line)
        # "GM is away" may stand in a player's letter or comment, which is not to be lost for it.
        if match and (at == first or _TOKENLIKE.fullmatch(match[2])):
            ends = [end for end in range(at + 1, len(lines)) if is_end(lines[end])]
            inside = lines[at + 1 : ends[-1] if ends else None]
            return GmSheet(match[1].lower(), match[2], tuple(enumerate(inside, start=1)))
    return None


def read_gm_sheet(sheet: GmSheet) -> GmOrders:
    """Its commands, down to the first that takes a text, and that text. Never raises."""
    texted = next((at for at, (_, line) in enumerate(sheet.lines) if _takes_text(line)), len(sheet.lines))
    return GmOrders(GM_COMMANDS.parse({}, sheet.shown[: texted + 1]), GmText(sheet.lines[texted + 1 :]))


def _takes_text(line: str) -> bool:
    words = split_words(line)
    return bool(words) and words[0].upper() in _WITH_TEXT


_WITH_TEXT = frozenset(
    verb.word for verb in GM_COMMANDS.verbs if issubclass(verb.order, GmCommand) and verb.order.takes_text
)
