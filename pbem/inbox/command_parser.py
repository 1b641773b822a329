"""Mail commands of players besides orders, and the parser that finds them in a message.

A message is a request when the first line that says anything begins with a
command written in full, so that no abbreviated order is taken for one; or when its
commands are framed as a sheet is, and then they may be cut to three letters:

    PLAYER trap7 red TOKEN
    ABSENT 2026-12-20 TO 2027-01-03
    END

A command that takes a text has everything below it, to END (or what else ends a
text) or to the end of the typed text. Below an END may stand another such command,
or orders; `pbem.inbox.held_texts` tells what of all that goes to whom.

Commands are typed orders; `pbem.inbox.run_commands` has the table of their
handlers. A handler does the request, in the transaction of the message, and
returns the answer: sentences, each line of them a paragraph, or "" if the answer
is mailed separately. What is not done it raises as a CampaignError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pbem.actions.arguments import (
    ABOUT,
    ADDRESS,
    ADDRESS_OR_OFF,
    CAMPAIGN,
    CITY,
    CODE,
    OFF,
    SEAT,
    TURN,
    PlayerCommand,
    Proof,
)
from pbem.actions.days import find_span, write_days, write_span
from pbem.actions.players import LeaveSeat
from pbem.actions.registry import PLAY_ACTIONS, SEAT_ACTIONS
from pbem.actions.weight import Confirmed, Harmless, Reversible
from pbem.campaign.courtesies import Manners
from pbem.campaign.order_sheets import Lines, ignore_courtesies
from pbem.games import rulebook
from pbem.inbox.authenticate import authenticate, reads_as_order
from pbem.inbox.context import Accepted, MessageContext
from pbem.inbox.frames import Names, SheetHeader, SheetText, find_header, find_sheet, header_of, plain_sheet
from pbem.inbox.replies import bare_subject
from pbem.inbox.seat_lookup import SeatContext, seats_of
from pbem.inbox.synonyms import as_command, without_courtesies, without_list_mark
from pbem.mail.message import Message
from pbem.mail.reply_parser import ends_text, is_end
from pbem.report.markdown import find_sections, headed_sections
from pbem.ruleset.fields import KeywordField
from pbem.ruleset.order_types import Finding, Order, ParsedSheet
from pbem.ruleset.orders import SHORTEST_ABBREVIATION, OrderParser
from pbem.ruleset.tokenizer import split_words
from pbem.store.models import Person
from pbem.text import quote_lines
from pbem.util import redact_credentials

_SHOWS = Harmless("it only shows")


@dataclass(frozen=True, slots=True)
class Status(PlayerCommand):
    """See how your campaigns stand: deadlines, and the sheet of yours that counts."""

    weight = _SHOWS
    proof = Proof.NONE
    usage = "STATUS"
    needs_seat = False


@dataclass(frozen=True, slots=True)
class ShowStandings(PlayerCommand):
    """See the points of players over all finished games here, and their ratings."""

    weight = _SHOWS
    proof = Proof.NONE
    usage = "STANDINGS"
    needs_seat = False


@dataclass(frozen=True, slots=True)
class Resend(PlayerCommand):
    """Get a report of yours again: that of a turn as your reports call it, or by its number alone, or the newest.

    RESEND FULL brings it with all that you know, also what later reports leave out.
    """

    weight = _SHOWS
    proof = Proof.NONE
    usage = "RESEND [turn...]"
    turn: Annotated[tuple[str, ...], TURN] = ()


@dataclass(frozen=True, slots=True)
class History(PlayerCommand):
    """See what was done in your campaign, turn by turn, as far as players may read it."""

    weight = _SHOWS
    proof = Proof.NONE
    usage = "JOURNAL"
    also = ("HISTORY",)


@dataclass(frozen=True, slots=True)
class Rules(PlayerCommand):
    """Get the rulebook of your game; with words, only its sections with these in their headings, or else in their text.

    If you play several games, name the campaign first: RULES trap7 combat.
    """

    weight = _SHOWS
    proof = Proof.NONE
    usage = "RULES [about...]"
    needs_seat, for_strangers = False, True
    about: Annotated[tuple[str, ...], ABOUT] = ()


@dataclass(frozen=True, slots=True)
class Join(PlayerCommand):
    """Ask for a seat in a campaign, or for a place on its standby list."""

    weight = Reversible("", "WITHDRAW campaign")
    proof = Proof.ASKED
    usage = "JOIN campaign [AS seat]"
    needs_seat, takes_text, for_strangers = False, True, True
    campaign: Annotated[str, CAMPAIGN]
    seat: Annotated[str | None, SEAT] = None


@dataclass(frozen=True, slots=True)
class Withdraw(PlayerCommand):
    """Take back that you asked for a seat; LEAVE campaign does the same."""

    weight = Reversible("", "JOIN campaign")
    usage = "WITHDRAW campaign"
    needs_seat = False
    campaign: Annotated[str, CAMPAIGN]


@dataclass(frozen=True, slots=True)
class Confirm(PlayerCommand):
    """Confirm what a mail with this code asks of you."""

    weight = Harmless("it is itself the confirmation of what a mail has shown")
    proof = Proof.ASKED
    usage = "CONFIRM code"
    needs_seat, for_strangers = False, True
    code: Annotated[str, CODE]


@dataclass(frozen=True, slots=True)
class ChangeAddress(PlayerCommand):
    """Play from another address.

    Your old address is asked to confirm it, then the new one.
    """

    weight = Confirmed("the address from which all seats are played", "ADDRESS address")
    proof = Proof.ASKED
    usage = "ADDRESS address"
    needs_seat = False
    address: Annotated[str, ADDRESS]


@dataclass(frozen=True, slots=True)
class Fallback(PlayerCommand):
    """Name a second address, for mail that your own does not take; OFF for none."""

    weight = Confirmed("the second address", "FALLBACK address")
    proof = Proof.ASKED
    usage = "FALLBACK address"
    needs_seat = False
    address: Annotated[str, ADDRESS_OR_OFF]


@dataclass(frozen=True, slots=True)
class AlsoWriteFrom(PlayerCommand):
    """Write from a further address as from your own; with OFF no longer, and alone it lists them.

    Your own address is asked to confirm it, then the new one. All mail still goes to your own.
    """

    weight = Confirmed("who may write in your name", "ALSO address OFF")
    proof = Proof.ASKED
    usage = "ALSO [address] [off]"
    needs_seat = False
    address: Annotated[str | None, ADDRESS] = None
    off: Annotated[str | None, KeywordField((OFF,))] = None


@dataclass(frozen=True, slots=True)
class MailAs(PlayerCommand):
    """Choose how reports come: as text alone, or with HTML and pictures.

    Also with the deadline as a file for your calendar, or without; as a page for your browser, with an order form, or
    as a link to one, or without.
    """

    weight = Reversible("", "FORMAT form")
    usage = "FORMAT form"
    needs_seat = False
    form: Annotated[str, KeywordField(("TEXT", "HTML", "CALENDAR", "NOCALENDAR", "PAGE", "LINK", "NOPAGE"))]


@dataclass(frozen=True, slots=True)
class TellTimesIn(PlayerCommand):
    """Choose the time zone in which your mails tell times and read days, by its city; OFF for that of each campaign."""

    weight = Reversible("", "ZONE OFF")
    usage = "ZONE [city...]"
    needs_seat = False
    city: Annotated[tuple[str, ...], CITY] = ()


@dataclass(frozen=True, slots=True)
class NoOrders(PlayerCommand):
    """Send a sheet without orders for this turn, so that no one waits for yours."""

    weight = Reversible("", "CLEAR ORDERS")
    usage = "NO ORDERS"


@dataclass(frozen=True, slots=True)
class ClearOrders(PlayerCommand):
    """Withdraw your orders for this turn; the answer has them, ready to be sent again."""

    weight = Harmless("the answer has the sheet, to be sent again")
    usage = "CLEAR ORDERS"


ORDER_COMMANDS = (NoOrders, ClearOrders)
"""The commands that stand for a sheet, and go its way."""

COMMANDS = OrderParser(
    (
        *(Status, ShowStandings, Resend, History, Rules, Join, Withdraw, Confirm, *ORDER_COMMANDS),
        *SEAT_ACTIONS,
        *(ChangeAddress, Fallback, AlsoWriteFrom, MailAs, TellTimesIn),
        *PLAY_ACTIONS,
    ),
    loosely=False,
)
"""All commands a player may mail; HELP is understood before any of them."""

TWO_WORDS = {"NO": "ORDERS", "CLEAR": "ORDERS", "ASK": "GM"}
"""Second words of commands whose first words begin orders in games of free words."""

VERBS = frozenset(COMMANDS.words) - TWO_WORDS.keys()
"""The first words of all other commands; no game may have an order that begins with one."""

WITH_TEXT = frozenset(
    verb.word for verb in COMMANDS.verbs if issubclass(verb.order, PlayerCommand) and verb.order.takes_text
)
"""The first words of commands that take the text below them."""

REFERENCE = tuple((verb.usage, verb.help) for verb in COMMANDS.verbs)
"""The usage and the help of every command, for the player guide."""

MOST_COMMANDS = 20
"""Commands of a message that are read."""

BELOW = (
    "What stands below the first blank line was left alone: commands that go on there belong between PLAYER and END."
)

_NO_END = "There is no END line: everything after PLAYER was read."
_FIRST = re.compile(r"\A\s*+([A-Za-z]++)\b")
_COLON = re.compile(r"\A(\s*+[A-Za-z]++):(?=\s)")
_ASKS_GM = re.compile(r"\A\s*+ask\s++(?:(?:the|my)\s++)?gm\s++(?=.*[^\s.!:,])(.++)", re.IGNORECASE)
_WITH_DAYS = ("ABSENT", "DEPUTY")
_ALSO = re.compile(r"\A\s*+also\s*+(?:\Z|[.?!]\s*+\Z|[^\s@]++@)", re.IGNORECASE)
"""With other words behind it it begins a sentence."""


@dataclass(frozen=True, slots=True)
class Requester:
    """Person who asks for a command: the address they write from, the one to answer, and their seat, if proved.

    `person` is None for an unknown sender. `proven`: no other person can have written the message, so that every
    command is allowed. `deputy` is the address of the deputy who asks, "" if the player does. `text` is what follows
    the command, up to END, a signature or a quotation: plain, and cleaned as order sheets are.
    """

    context: MessageContext
    person: Person | None
    sender: str
    to: str
    place: SeatContext | None = None
    proven: bool = False
    deputy: str = ""
    text: str = ""


Handlers = Mapping[type[PlayerCommand], Callable[[Requester, Any], str]]
"""Handlers of commands."""


@dataclass(frozen=True, slots=True)
class CommandList:
    """Commands as found: the numbered lines that hold them, and the texts below some, by the numbers of their lines.

    `below` are the lines below the END of the last text. `header` is that of the frame,
    if there is one. `pressed`: a button of a mail program has sent it, which may have
    been pressed by accident. `at` is the line of the message on which the commands begin.
    """

    header: SheetHeader | None
    lines: tuple[tuple[int, str], ...]
    texts: Mapping[int, str] = field(default_factory=dict)
    below: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    pressed: bool = False
    at: int = 0

    def parse(self) -> ParsedSheet:
        """Parse the commands in the order written, with findings on all other lines. Never raises."""
        parsed = ignore_courtesies(COMMANDS.parse({}, self.lines), self.lines, COMMANDS.is_like_order)
        return replace(parsed, findings=tuple(map(as_command_finding, parsed.findings)))

    def as_sheet(self) -> SheetText | None:
        """Return the commands as a sheet if they stand for one, maybe with WAIT or FINAL; else None."""
        parsed = self.parse()
        if not parsed.orders or not all(isinstance(order, ORDER_COMMANDS) for order in parsed.orders):
            return None
        found = plain_sheet([line for _, line in self.lines])
        return replace(found, header=self.header, notes=self.notes)


def as_command_finding(finding: Finding) -> Finding:
    """Return a finding on a verb that does not exist in the words for commands, with a hint in any case."""
    if finding.code != "unknown-verb":
        return finding
    text = finding.text.replace("there is no order ", "there is no command ")
    return replace(finding, text=text, hint=finding.hint or "HELP lists the commands")


def find_commands(lines: Sequence[str], known: Names) -> CommandList | None:
    """Return the commands in a text that has been cleaned of quotations; None if there are none."""
    if (at := find_header(lines, known, "PLAYER")) is not None:
        return replace(_read_commands(header_of(lines[at], "PLAYER"), lines[at + 1 :], known), at=at)
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    # Without a frame a command must be in full, so that no abbreviated order is taken for one.
    if first is None or not command_of(lines[first]):
        return None
    return _read_commands(None, lines[first:], known)


def _read_commands(header: SheetHeader | None, lines: Sequence[str], known: Names) -> CommandList:
    """Return the commands of a frame, or those of the first paragraph, with the texts of those that take one."""
    end = next((at for at, line in enumerate(lines) if is_end(line)), None)
    inside = lines[:end]
    if any(begins_text(line, framed=True) for line in (inside if header else lines[: _find_blank(lines)])):
        found = _with_texts(header, lines)
        return found if not header or any(map(ends_text, lines)) else replace(found, notes=(_NO_END, *found.notes))
    last = len(inside) if header else _find_blank(inside)
    notes = (_NO_END,) if header and end is None else ()
    if any(map(command_of, inside[last:])):
        notes = (BELOW,)
    found = _numbered_commands(header, tuple(enumerate(inside[:last], start=1)), notes)
    return replace(found, notes=(*found.notes, *unread_note(lines[end + 1 :] if end is not None else (), known)))


def find_press(lines: Sequence[str], sheet: SheetText, known: Names) -> CommandList | None:
    """Return the commands of a message that begins with a text to pass on, above any sheet; None if it does not.

    Words such as "Press on! My orders:" are no command, so that a sheet below them is still read.
    """
    # The command must be above the sheet: then the sheet is in its text, or below that (docs/decisions/0011).
    above = find_commands(lines[: sheet.at] if sheet.header else lines, known)
    if above is None or (whole := find_commands(lines, known)) is None:
        return None
    if sheet.header and not any(map(is_in_own_words, lines[: sheet.at])):
        return None
    asked = [each for each in above.parse().orders if isinstance(each, PlayerCommand) and each.takes_text]
    return None if all(_names_no_campaign(each, known) for each in asked) else whole


def command_of(line: str, *, cut: bool = False) -> str:
    """Return the command with which a line begins, written in full or in other words; "" if there is none.

    Args:
        line: The line.
        cut: The command may be cut to three letters, or miss its second word, as in a frame the parser reads it.
    """
    said = as_command(split_text(line)[0])
    match = _FIRST.match(said)
    verb = match[1].upper() if match else ""
    if verb == "ALSO" and not _ALSO.match(said):
        return ""
    if verb in TWO_WORDS:
        second = "".join(said.upper().split()[1:2]).rstrip(".:!,")
        return verb if cut or second == TWO_WORDS[verb] else ""
    meant = [each for each in VERBS if each.startswith(verb)] if cut and len(verb) >= SHORTEST_ABBREVIATION else []
    return verb if verb in VERBS else meant[0] if len(meant) == 1 else ""


def is_in_own_words(line: str) -> bool:
    """Return True if a line begins with a command, not with other words for one."""
    words = [word.upper().rstrip(".:!,") for word in line.split(None, 2)[:2]]
    return words[:1] == ["PLAYER"] or (bool(words) and (words[0] in VERBS or TWO_WORDS.get(words[0]) in words[1:]))


def command_in_full(verb: str) -> str:
    """Return a command with its second word, if it has one."""
    return f"{verb} {TWO_WORDS[verb]}" if verb in TWO_WORDS else verb


def _find_blank(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(lines) if not line.strip()), len(lines))


def _numbered_commands(
    header: SheetHeader | None, lines: Sequence[tuple[int, str]], notes: tuple[str, ...]
) -> CommandList:
    asking = [(number, as_parsed(line)) for number, line in lines if split_words(line)]
    if len(asking) > MOST_COMMANDS:
        notes = (*notes, f"Only the first {MOST_COMMANDS} commands were read.")
    return CommandList(header, tuple(asking[:MOST_COMMANDS]), notes=notes)


def _with_texts(header: SheetHeader | None, lines: Sequence[str]) -> CommandList:
    """Return the commands with their texts: those above the first that takes one, and such commands below its END."""
    at = next(at for at, line in enumerate(lines) if begins_text(line, framed=True))
    numbered = tuple(enumerate(lines, start=1))
    split = split_texts(
        numbered,
        at,
        lambda at: begins_text(lines[at], framed=header is not None),
        lambda at: next((end for end in range(at + 1, len(lines)) if _ends_text_of(lines[at], lines[end])), len(lines)),
    )
    texts = {
        number: "\n".join([split_text(lines[number - 1])[1], *(line for _, line in text)]).strip("\n")
        for number, text in split.texts.items()
    }
    found = _numbered_commands(header, split.commands, ())
    return replace(found, texts=texts, below=tuple(line for _, line in split.below))


_JOIN_IN_FULL = (2, 4)
"""Words of JOIN and a campaign, without or with AS and a seat."""


def _ends_text_of(command: str, line: str) -> bool:
    """Return True for a line that ends the text of a command; that of JOIN ends at another JOIN too."""
    joins = command_of(line) == command_of(command) == Join.usage.split()[0]
    return ends_text(line) or (joins and len(split_words(split_text(line)[0])) in _JOIN_IN_FULL)


@dataclass(frozen=True, slots=True)
class SplitLines:
    """Lines of commands, the texts below some by the numbers of their lines, and the lines below the last text."""

    commands: Lines
    texts: Mapping[int, Lines]
    below: Lines


def split_texts(lines: Lines, at: int, takes: Callable[[int], bool], end_of: Callable[[int], int]) -> SplitLines:
    """Split the lines of commands, from the first that takes a text on, by such commands and the ends of their texts.

    Args:
        lines: The numbered lines.
        at: The place of the first command that takes a text.
        takes: Returns whether the line at a place takes a text.
        end_of: Returns the place of the end of that text.
    """
    commands, texts = list(lines[:at]), dict[int, Lines]()
    while at < len(lines) and takes(at):
        end = end_of(at)
        commands.append(lines[at])
        texts[lines[at][0]] = lines[at + 1 : end]
        rest = (below for below in range(end, len(lines)) if lines[below][1].strip() and not ends_text(lines[below][1]))
        at = next(rest, len(lines))
    return SplitLines(tuple(commands), texts, lines[at:])


def split_at_colon(line: str, is_whole: Callable[[str], bool]) -> tuple[str, str]:
    """Return a command and the words behind its colon, if what stands before that is a whole one; else the line, ""."""
    begins, colon, words = line.partition(":")
    return (begins, words.strip()) if colon and is_whole(begins) else (line, "")


def split_text(line: str) -> tuple[str, str]:
    """Return a command that takes a text, and the words of it on the same line; the line and "" for any other."""
    command, words = split_at_colon(line, _is_whole_with_text)
    asked = None if words else _ASKS_GM.match(line)
    return ("ASK GM", asked[1].strip()) if asked else (command, words)


def _is_whole_with_text(line: str) -> bool:
    # In other words, as in "Tell Rome: we come", it may be an order of a game of free words.
    if (said := as_command(line)) != "ASK GM" and not is_in_own_words(without_list_mark(line)):
        return False
    parsed = COMMANDS.parse({}, [(1, said)])
    return not parsed.findings and any(isinstance(it, PlayerCommand) and it.takes_text for it in parsed.orders)


def begins_text(line: str, *, framed: bool = False) -> bool:
    """Return True if a line is a command that takes a text: written in full, or in a frame."""
    return command_of(line, cut=framed) in WITH_TEXT


def as_parsed(line: str) -> str:
    """Return a line as it is parsed: without keys and courtesies, a command in its own words, days as tokens."""
    line = split_text(redact_credentials(line))[0]
    verb, line = command_of(line, cut=True), _COLON.sub(r"\1", as_command(line))
    # A dice word counts as it is written, with all its signs.
    if verb in ("", "DICE"):
        return line
    if verb == "ABSENT" and (days := write_span(without_courtesies(line.partition(" ")[2]), named=True)):
        return f"{verb} {days}"
    return without_courtesies(write_days(line) if verb in _WITH_DAYS else line)


def absence_in(line: str) -> str:
    """Return the ABSENT with days that a line begins with, whatever stands behind; "" for any other line."""
    word, _, rest = line.strip().partition(" ")
    days = find_span(rest) if word.upper().rstrip(":,") == "ABSENT" else ""
    return f"ABSENT {days}" if days else ""


def unread_note(lines: Sequence[str], known: Names) -> Iterator[str]:
    """Yield a note on the lines below END that are no courtesies; of a whole sheet there another note tells."""
    below = tuple(enumerate(lines, start=1))
    if any(line.strip() for line in lines) and find_sheet(lines, known).header is None:
        left = Manners(is_order=COMMANDS.is_like_order).courtesies(below)
        unread = [line for number, line in below if line.strip() and number not in left]
        if unread:
            yield f"Not read, as it stands below END: {quote_lines(unread)}. Send orders in a mail of their own."


_BUTTON = re.compile(r"(?:leave\s++(?P<campaign>\S++)(?:\s++(?P<seat>\S++))?|unsubscribe)", re.IGNORECASE)
"""Subject of a mail sent by the button that List-Unsubscribe makes (RFC 2369, 3.2), with or without a seat.

The text below it is the mail program's: none, or that it was sent on its user's behalf.
"""


def first_line(message: Message) -> str:
    """Return the first line of a message that is not blank; "" if there is none."""
    return next((line.strip() for line in message.lines if line.strip()), "")


def find_request(context: MessageContext, known: Names) -> CommandList | None:
    """Return the commands of a message: in its text, or in the subject of one without text."""
    message = context.message
    first = first_line(message)
    found = find_commands(message.lines, known) or _find_button_request(context)
    typed = first or bare_subject(message.subject)
    if found is None and not first:
        found = find_commands([typed], known)
    return None if found is None or _is_game_order(context, found, typed, known) else found


def _find_button_request(context: MessageContext) -> CommandList | None:
    """Return the LEAVE of a mail program's unsubscribe button; None for another subject, or if its seat is unclear."""
    if (match := _BUTTON.fullmatch(context.message.subject.strip())) is None:
        return None
    request = CommandList(None, ((1, COMMANDS.line(LeaveSeat())),), pressed=True)
    if not match["campaign"]:
        return request
    own = [
        seat for seat in seats_of(context.session, context.message.sender) if seat.campaign == match["campaign"].lower()
    ]
    seat = match["seat"] or (own[0].seat if own else "")
    return replace(request, header=SheetHeader(match["campaign"].lower(), seat.lower())) if seat else None


def _is_game_order(context: MessageContext, found: CommandList, typed: str, known: Names) -> bool:
    """Return True if a reply only begins like a command, and is an order of its seat's game."""
    asked = found.parse().orders
    if found.pressed or found.header is not None or absence_in(typed):
        return False
    if asked and not _may_be_order(asked[0], typed, known):
        return False
    if asked and not isinstance(asked[0], Rules):
        return reads_as_order(context, (1, typed))
    alone = len(found.lines) == len(asked) == 1
    return not (alone and _is_section_request(context, asked[0])) and reads_as_order(context, found.lines[0])


def _may_be_order(order: Order, typed: str, known: Names) -> bool:
    """Return True for a line that is a command and, in a game of free words, an order too.

    RULES alone takes whatever words there are, so that a sentence may begin like it.
    """
    if isinstance(order, Rules):
        return bool(order.about)
    if isinstance(order, LeaveSeat | Join):
        return _names_no_campaign(order, known)
    words = split_words(typed)
    return len(words) == 1 and words[0].upper().rstrip(".!?") not in VERBS


def _names_no_campaign(order: Order, known: Names) -> bool:
    """Return True for "Join the siege", where JOIN or LEAVE has a word behind it that is no campaign."""
    return isinstance(order, LeaveSeat | Join) and order.campaign is not None and order.campaign.lower() not in known


def _is_section_request(context: MessageContext, order: Order) -> bool:
    """Return True if an order asks for a rulebook, or for a section that it has.

    Several words must be of a heading. One word may stand anywhere in the rulebook: no sentence is that short.
    """
    result = authenticate(context, None)
    if not (isinstance(order, Rules) and isinstance(result, Accepted)):
        return False
    words = order.about[1:] if order.about and order.about[0].lower() == result.place.campaign else order.about
    find = find_sections if len(words) == 1 else headed_sections
    return not words or bool(find(rulebook(context.app.game(result.place.game)), words))
