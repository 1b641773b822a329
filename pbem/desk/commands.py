"""What a player may ask of the desk by mail besides orders: the commands, declared as typed orders are.

A letter asks when its first line that says anything is a command, or when its
commands are framed as a sheet is:

    PLAYER trap7 red TOKEN
    ABSENT 2026-12-20 TO 2027-01-03
    END
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pbem.acts.act import Confirmed, Harmless, Reversible, Weight
from pbem.post.addresses import one_address
from pbem.ruleset import Kind, Order, OrderBook, Refused, Word


@dataclass(frozen=True)
class Free(Kind):
    """Any word, such as a name that is looked up later."""

    shown: str
    expected: str
    example: str

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """The word as typed."""
        return word

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return (self.example,)


class Day(Kind):
    """A day of the calendar, ISO 8601; kept as text."""

    shown, expected, example = "day", "a day like 2026-12-24 or 24 Dec 2026", "2026-12-24"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """The day in its ISO form. Raises Refused."""
        try:
            return dt.date.fromisoformat(word).isoformat()
        except ValueError:
            raise Refused("not-a-day", f"expected {self.expected}, got {word!r}") from None

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return (self.example,)


class Address(Kind):
    """A mail address."""

    shown, expected, example = "address", "an address like ann@example.org", "ann@example.org"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """The address, its domain in lower case. Raises Refused."""
        address = one_address(word)
        if address is None:
            raise Refused("not-an-address", f"expected {self.expected}, got {word!r}")
        return address

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return (self.example,)


_SHOWS = Harmless("it only shows")

CAMPAIGN = Free("campaign", "the name of a campaign", "trap7")
SEAT = Free("seat", "the name of a seat", "blue")
CODE = Free("code", "the code you were mailed", "k3v7mq2xw5n4tzpa")
WORDS = Free("words", "words", "hello")
TURN = Free("turn", "a turn as your reports call it, or its number", "4")
ABOUT = Free("word", "a word", "combat")
DAY, ADDRESS = Day(), Address()


class Command(Order):
    """Base of all commands.

    `needs_seat`: it is about one seat, which the letter must show to be its
    writer's. `takes_text`: all that stands below it is its text. `weight` is
    that of an action which no act does; others have that of their act.
    """

    weight: ClassVar[Weight]
    needs_seat = True
    takes_text = False


@dataclass(frozen=True, slots=True)
class Status(Command):
    """See how your campaigns stand: deadlines, and the sheet of yours that counts."""

    weight = _SHOWS
    usage = "STATUS"
    needs_seat = False


@dataclass(frozen=True, slots=True)
class Resend(Command):
    """Get a report of yours again: that of a turn as your reports call it, or by its number alone, or the newest."""

    weight = _SHOWS
    usage = "RESEND [turn...]"
    turn: Annotated[tuple[str, ...], TURN] = ()


@dataclass(frozen=True, slots=True)
class History(Command):
    """See what was done in your campaign, turn by turn, as far as players may read it."""

    weight = _SHOWS
    usage = "HISTORY"


@dataclass(frozen=True, slots=True)
class Rules(Command):
    """Get the rulebook of your game; of its sections only those with these words in their headings, or else in their
    text. If you play several games, name the campaign first: RULES trap7 combat."""

    weight = _SHOWS
    usage = "RULES [about...]"
    needs_seat = False
    about: Annotated[tuple[str, ...], ABOUT] = ()


@dataclass(frozen=True, slots=True)
class Join(Command):
    """Ask for a seat in a campaign, or for a place on its standby list."""

    weight = Reversible("", "WITHDRAW campaign")
    usage = "JOIN campaign [AS seat]"
    needs_seat, takes_text = False, True
    campaign: Annotated[str, CAMPAIGN]
    seat: Annotated[str | None, SEAT] = None


@dataclass(frozen=True, slots=True)
class Withdraw(Command):
    """Take back that you asked for a seat."""

    weight = Reversible("", "JOIN campaign")
    usage = "WITHDRAW campaign"
    needs_seat = False
    campaign: Annotated[str, CAMPAIGN]


@dataclass(frozen=True, slots=True)
class Confirm(Command):
    """Confirm what a mail with this code asks of you."""

    weight = Harmless("it is itself the confirmation of what a mail has shown")
    usage = "CONFIRM code"
    needs_seat = False
    code: Annotated[str, CODE]


@dataclass(frozen=True, slots=True)
class Leave(Command):
    """Give your seat up. You are asked whether you mean it; then somebody else may take it over."""

    usage = "LEAVE"


@dataclass(frozen=True, slots=True)
class ChooseWord(Command):
    """Choose your word for the dice, until the campaign begins; it is mixed with their sealed seed."""

    usage = "DICE said..."
    said: Annotated[tuple[str, ...], WORDS]


@dataclass(frozen=True, slots=True)
class Absent(Command):
    """Tell that you cannot send orders from one day to another, such as 2026-12-24 or 24 Dec 2026; deadlines yet to be
    set keep out of that time."""

    usage = "ABSENT first [TO last]"
    first: Annotated[str, DAY]
    last: Annotated[str | None, DAY] = None


@dataclass(frozen=True, slots=True)
class Present(Command):
    """Take back all your absences."""

    usage = "PRESENT"


@dataclass(frozen=True, slots=True)
class AppointDeputy(Command):
    """Let somebody else send sheets for your seat until the end of a day, from the address you name."""

    usage = "DEPUTY address UNTIL last"
    address: Annotated[str, ADDRESS]
    last: Annotated[str, DAY]


@dataclass(frozen=True, slots=True)
class NoDeputy(Command):
    """Dismiss your deputy."""

    usage = "UNDEPUTE"


@dataclass(frozen=True, slots=True)
class ChangeAddress(Command):
    """Play from another address. Your old address is asked to confirm it,
    then the new one."""

    weight = Confirmed("the address from which all seats are played", "ADDRESS address")
    usage = "ADDRESS address"
    needs_seat = False
    address: Annotated[str, ADDRESS]


@dataclass(frozen=True, slots=True)
class Fallback(Command):
    """Name a second address, for mail that your own does not take; your own name for none."""

    weight = Confirmed("the second address", "FALLBACK address")
    usage = "FALLBACK address"
    needs_seat = False
    address: Annotated[str, ADDRESS]


@dataclass(frozen=True, slots=True)
class MailAs(Command):
    """Choose how reports come: as text alone, or with HTML and pictures; with the deadline as a file for your calendar,
    or without; also as a page for your browser, with a desk for orders, or as a link to one, or without."""

    weight = Reversible("", "FORMAT form")
    usage = "FORMAT form"
    needs_seat = False
    form: Annotated[str, Word(("PLAIN", "WHOLE", "CALENDAR", "NOCALENDAR", "PAGE", "LINK", "NOPAGE"))]


@dataclass(frozen=True, slots=True)
class Pause(Command):
    """Pause: turns no longer wait for you, and the game's defaults are used, until you say RESUME."""

    usage = "PAUSE"


@dataclass(frozen=True, slots=True)
class Resume(Command):
    """End your pause."""

    usage = "RESUME"


@dataclass(frozen=True, slots=True)
class Extend(Command):
    """Ask for more time for this turn; it is given when enough players ask."""

    usage = "EXTEND"


@dataclass(frozen=True, slots=True)
class Mute(Command):
    """Get no more press from a seat."""

    usage = "MUTE seat"
    seat: Annotated[str, SEAT]


@dataclass(frozen=True, slots=True)
class Unmute(Command):
    """Get press from a seat again."""

    usage = "UNMUTE seat"
    seat: Annotated[str, SEAT]


@dataclass(frozen=True, slots=True)
class WritePress(Command):
    """Write to other seats, or ALL; what stands below, up to END or a signature, is passed on."""

    takes_text = True
    usage = "PRESS TO seats..."
    seats: Annotated[tuple[str, ...], SEAT]


@dataclass(frozen=True, slots=True)
class WriteUnsigned(Command):
    """The same, without your name, where the campaign allows it."""

    takes_text = True
    usage = "UNSIGNED TO seats..."
    seats: Annotated[tuple[str, ...], SEAT]


@dataclass(frozen=True, slots=True)
class WriteNews(Command):
    """Put what stands below into the newspaper that goes with the next reports."""

    takes_text = True
    usage = "NEWS"


@dataclass(frozen=True, slots=True)
class WriteDiary(Command):
    """Enter what stands below into your diary, which is opened when the game is over."""

    takes_text = True
    usage = "DIARY"


COMMANDS = OrderBook(
    (
        *(
            Status,
            Resend,
            History,
            Rules,
            Join,
            Withdraw,
            Confirm,
            Leave,
            ChooseWord,
            Absent,
            Present,
            AppointDeputy,
            NoDeputy,
        ),
        *(ChangeAddress, Fallback, MailAs, Pause, Resume, Extend, Mute, Unmute),
        *(WritePress, WriteUnsigned, WriteNews, WriteDiary),
    ),
    loosely=False,
)
"""All commands a player may mail; HELP is understood before any of them."""

VERBS = frozenset(verb.word for verb in COMMANDS.verbs)
"""The first words of all commands; no game may have an order that begins with one."""

WITH_TEXT = frozenset(verb.word for verb in COMMANDS.verbs if issubclass(verb.order, Command) and verb.order.takes_text)
"""The first words of those whose text stands below them."""

REFERENCE = tuple((verb.usage, verb.help) for verb in COMMANDS.verbs)
"""Every command and what it does, for the player guide."""
