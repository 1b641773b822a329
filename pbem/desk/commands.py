"""What a player may ask of the desk by mail besides orders: the commands, declared as typed orders are.

A letter asks when its first line that says anything is a command, or when its
commands are framed as a sheet is:

    PLAYER trap7 red TOKEN
    ABSENT 2026-12-20 TO 2027-01-03
    END
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pbem.actions.arguments import ABOUT, ADDRESS, CAMPAIGN, CODE, SEAT, TURN, PlayerCommand, Proof
from pbem.actions.base import Confirmed, Harmless, Reversible
from pbem.actions.registry import PLAY_ACTIONS, SEAT_ACTIONS
from pbem.ruleset.fields import Word
from pbem.ruleset.orders import OrderBook

_SHOWS = Harmless("it only shows")


@dataclass(frozen=True, slots=True)
class Status(PlayerCommand):
    """See how your campaigns stand: deadlines, and the sheet of yours that counts."""

    weight = _SHOWS
    proof = Proof.NONE
    usage = "STATUS"
    needs_seat = False


@dataclass(frozen=True, slots=True)
class Resend(PlayerCommand):
    """Get a report of yours again: that of a turn as your reports call it, or by its number alone, or the newest."""

    weight = _SHOWS
    proof = Proof.NONE
    usage = "RESEND [turn...]"
    turn: Annotated[tuple[str, ...], TURN] = ()


@dataclass(frozen=True, slots=True)
class History(PlayerCommand):
    """See what was done in your campaign, turn by turn, as far as players may read it."""

    weight = _SHOWS
    proof = Proof.NONE
    usage = "HISTORY"


@dataclass(frozen=True, slots=True)
class Rules(PlayerCommand):
    """Get the rulebook of your game; of its sections only those with these words in their headings, or else in their
    text. If you play several games, name the campaign first: RULES trap7 combat."""

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
    """Take back that you asked for a seat."""

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
    """Play from another address. Your old address is asked to confirm it,
    then the new one."""

    weight = Confirmed("the address from which all seats are played", "ADDRESS address")
    proof = Proof.ASKED
    usage = "ADDRESS address"
    needs_seat = False
    address: Annotated[str, ADDRESS]


@dataclass(frozen=True, slots=True)
class Fallback(PlayerCommand):
    """Name a second address, for mail that your own does not take; your own name for none."""

    weight = Confirmed("the second address", "FALLBACK address")
    proof = Proof.ASKED
    usage = "FALLBACK address"
    needs_seat = False
    address: Annotated[str, ADDRESS]


@dataclass(frozen=True, slots=True)
class MailAs(PlayerCommand):
    """Choose how reports come: as text alone, or with HTML and pictures; with the deadline as a file for your calendar,
    or without; also as a page for your browser, with a desk for orders, or as a link to one, or without."""

    weight = Reversible("", "FORMAT form")
    usage = "FORMAT form"
    needs_seat = False
    form: Annotated[str, Word(("PLAIN", "WHOLE", "CALENDAR", "NOCALENDAR", "PAGE", "LINK", "NOPAGE"))]


COMMANDS = OrderBook(
    (
        *(Status, Resend, History, Rules, Join, Withdraw, Confirm),
        *SEAT_ACTIONS,
        *(ChangeAddress, Fallback, MailAs),
        *PLAY_ACTIONS,
    ),
    loosely=False,
)
"""All commands a player may mail; HELP is understood before any of them."""

VERBS = frozenset(verb.word for verb in COMMANDS.verbs)
"""The first words of all commands; no game may have an order that begins with one."""

WITH_TEXT = frozenset(
    verb.word for verb in COMMANDS.verbs if issubclass(verb.order, PlayerCommand) and verb.order.takes_text
)
"""The first words of those whose text stands below them."""

REFERENCE = tuple((verb.usage, verb.help) for verb in COMMANDS.verbs)
"""Every command and what it does, for the player guide."""
