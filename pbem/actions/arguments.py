"""Types of the arguments of mail commands, and base classes of the commands.

An action that can be requested by mail is also a typed order
(`pbem.ruleset.order_types`): its docstring is the help, its `usage` the command,
and its fields have the types of their arguments behind them. It is declared
nowhere else but in `pbem.verbs`, if it is one of a GM, or in the lists of
`pbem.actions.registry`. Where a command stands for one of several actions, or its
arguments are not those of the action, a class of its own is the command, and `wish`
makes the action.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from importlib import import_module
from typing import Annotated, Any, ClassVar, Self

from pbem.actions.base import Change, Query, TextResult
from pbem.actions.weight import Weight
from pbem.campaign.order_sheets import Lines, redact_lines
from pbem.campaign.snapshot import Context
from pbem.errors import CampaignError
from pbem.mail.headers import parse_address
from pbem.mail.message import AttachedFile
from pbem.ruleset.fields import Field, FieldError, KeywordField
from pbem.ruleset.order_types import FILLED_IN, Order, OrderType
from pbem.ruleset.values import SeatName
from pbem.verbs import Verb

Wish = Query[Any] | Change[Any]
"""The action that a command asks for."""


class Valued:
    """Mixin of field types that keep the word as typed, for the answer, and have another value for the action."""

    def value(self, typed: Any) -> Any:
        """Return the value of the typed word. Raises CampaignError if it has none."""
        raise NotImplementedError


@dataclass(frozen=True)
class FreeText(Field):
    """Field for any word, such as a name that is looked up later."""

    shown: str
    expected: str
    example: str

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """Return the word as typed."""
        return word

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return (self.example,)


class SeatOrNone(FreeText):
    """Field for the name of a seat that may be left out before YES, which confirms the command."""

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """Return the name as typed. Raises FieldError for YES."""
        if word.upper() == "YES":
            raise FieldError("not-a-seat", f"expected {self.expected}, got {word!r}")
        return word


class Words(FreeText, Valued):
    """Field of words that are one text together."""

    def value(self, typed: Sequence[str]) -> str:
        """Return the words, joined by blanks."""
        return " ".join(typed)


@dataclass(frozen=True)
class Numeral(FreeText, Valued):
    """Field for a number, such as that of a turn; on the command line it is at least `least`."""

    least: int = 1

    def value(self, typed: str | None) -> int | None:
        """Return the number, None if nothing was typed. Raises CampaignError if it is not one."""
        return None if typed is None else read_number(typed)


class Flag(KeywordField, Valued):
    """Field for an optional keyword; its value is a boolean."""

    def value(self, typed: Any) -> bool:
        """Return True if the keyword was typed."""
        return bool(typed)


TODAY, TOMORROW = "TODAY", "TOMORROW"
"""Words for days that are known once it is known when the message is processed."""

_YEARLESS = re.compile(r"--[0-9]{2}-[0-9]{2}")
_TWO_DAYS = re.compile(r"([0-9]{1,2})/([0-9]{1,2})(?:/[0-9]{2,4})?")
_MONTHS = 12
_DAY_NAMES = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
_SHORTEST_DAY = 3


def is_yearless(word: str) -> bool:
    """Return True for a day without a year, such as "--12-24"."""
    return _YEARLESS.fullmatch(word) is not None


def weekday_of(word: str) -> int | None:
    """Return the day of the week that a word names, cut to three letters or more, from Monday as 0; None if none."""
    days = (at for at, name in enumerate(_DAY_NAMES) if len(word) >= _SHORTEST_DAY and name.startswith(word.upper()))
    return next(days, None)


def is_two_days(word: str) -> bool:
    """Return True for a day such as 3/4, which may be in April or in March."""
    found = _TWO_DAYS.fullmatch(word)
    return found is not None and found[1] != found[2] and 0 < int(found[1]) <= _MONTHS and 0 < int(found[2]) <= _MONTHS


class Day(Field):
    """Field for a day of the calendar, kept as ISO 8601 text.

    A day without a year, such as "--12-24", one of the week, and TODAY and TOMORROW are kept as they are, for
    `pbem.actions.days` to fill in.
    """

    shown, expected, example = "day", "a day like 24 Dec, 24.12. or 2026-12-24", "24 Dec"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """Return the day as ISO 8601 text. Raises FieldError if it is not one, or may be two."""
        if is_yearless(word) or weekday_of(word) is not None or word.upper() in (TODAY, TOMORROW):
            return word.upper()
        if is_two_days(word):
            day, month = (dt.date(2000, int(part), 1).strftime("%b") for part in word.split("/")[1::-1])
            one, two = word.split("/")[:2]
            raise FieldError(
                "two-days", f"{word} may be {one} {day} or {two} {month}", f"write {one} {day} or {two} {month}"
            )
        try:
            return dt.date.fromisoformat(word).isoformat()
        except ValueError:
            raise FieldError("not-a-day", f"expected {self.expected}, got {word!r}") from None

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return ("2026-12-24",)


class Address(Field):
    """Field for a mail address."""

    shown, expected, example = "address", "an address like ann@example.org", "ann@example.org"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """Return the address, its domain in lower case. Raises FieldError if it is not one."""
        address = parse_address(word)
        if address is None:
            raise FieldError("not-an-address", f"expected {self.expected}, got {word!r}")
        return address

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return (self.example,)


OFF, BOT = "OFF", "BOT"
"""The word that ends what a command began, and the one for the game's bot in the place of a player."""


@dataclass(frozen=True)
class AddressOr(Address):
    """Field for a mail address, or a word in its place."""

    other: str

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """Return the address, or the other word. Raises FieldError if it is neither."""
        return self.other if word.upper() == self.other else super().read(word, view)


class Number(Field):
    """Field for a number, kept as it was typed."""

    shown, expected, example = "number", "a number", "2"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """Return the number as typed. Raises FieldError if it is not one."""
        if not _is_number(word):
            raise FieldError("not-a-number", f"expected {self.expected}, got {word!r}")
        return word

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return (self.example,)


def read_number(word: str) -> int:
    """Return the number that a word stands for. Raises CampaignError if it is not one."""
    if not _is_number(word):
        raise CampaignError(f"{word!r} is not a number such as 4")
    return int(word)


def _is_number(word: str) -> bool:
    # "²".isdigit() is true, but int("²") fails.
    return word.isascii() and word.isdigit() and len(word) < 10


SEAT = FreeText("seat", "the name of a seat", "blue")
SEAT_OR_NONE = SeatOrNone("seat", "the name of a seat", "blue")
TURN = Numeral("turn", "a turn as your reports call it, or its number", "4")
DAY, ADDRESS, NUMBER = Day(), Address(), Number()
ADDRESS_OR_OFF, ADDRESS_OR_BOT = AddressOr(OFF), AddressOr(BOT)
SURE = KeywordField(("YES",))
"""The confirmation of a command whose effect is shown first."""


class Proof(Enum):
    """The proof that a command comes from the player."""

    NONE = "none"
    """It changes nothing, and the answer goes to the registered address alone, so that even an old code will do."""
    ASKED = "asked"
    """Nothing comes of it before the address concerned has answered, whoever wrote."""
    USUAL = "usual"
    """The proof that an order sheet needs is enough."""
    STRONG = "strong"
    """It gives a seat away or speaks for its player.

    Neither a sender's address, which can be forged, nor the code of a report, which
    may have been forwarded, is enough: the registered address is asked.
    """


class PlayerCommand(Order):
    """Base of all commands of players.

    `needs_seat`: the command is about one seat, which the mail must prove to be the
    sender's. `takes_text`: the lines below the command are its text. `for_strangers`:
    an unknown address may send it, `for_deputies`: the seat's deputy too,
    `after_end`: the player of a game that is over.
    """

    weight: ClassVar[Weight]
    proof: ClassVar[Proof] = Proof.USUAL
    needs_seat: ClassVar[bool] = True
    takes_text: ClassVar[bool] = False
    for_strangers: ClassVar[bool] = False
    for_deputies: ClassVar[bool] = False
    after_end: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatCommand(PlayerCommand, Change[TextResult]):
    """Base of the commands that are actions of a player on their seat.

    `seat`, the `text` below the command, the `account` to which the mails that it
    causes are counted, and the address of the `deputy` who sent it, "" if the player
    did, are filled in when the sender is known.
    """

    seat: Annotated[SeatName, FILLED_IN] = ""
    text: Annotated[str, FILLED_IN] = ""
    account: Annotated[str, FILLED_IN] = ""
    deputy: Annotated[str, FILLED_IN] = ""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """The numbered lines below a command that takes a text, and the files of its mail.

    `cut` is set for a mail that was too big: then only its beginning is here.
    """

    lines: tuple[tuple[int, str], ...] = ()
    attached: tuple[AttachedFile, ...] = ()
    cut: bool = False

    @property
    def words(self) -> str:
        """The text as it was written."""
        return "\n".join(line for _, line in self.lines).strip()

    @property
    def needed(self) -> str:
        """The text as it was written. Raises CampaignError if there is none."""
        if not self.words:
            raise CampaignError("there is no text below the command")
        return self.words

    @property
    def orders(self) -> Lines:
        """The text as lines of a sheet, with secrets redacted."""
        return redact_lines(self.lines)


def unknown_owner(context: Context, command: str) -> CampaignError:
    """Return the error of a command with orders below it and no seat, with one of the campaign's as an example."""
    return CampaignError(f"whose sheet is it that stands below? Write: {command} {context.snapshot.seats[0]}")


class GmCommand(Order):
    """Base of all commands of a GM.

    With `takes_text` the lines below the command are its text, with `takes_files` the
    files of the mail belong to it. The `weight` of the action says whether it needs
    confirmation; then the command has the field `sure`, the word YES, without which the
    effect is only shown. If that effect depends on the turn, `asked` is the turn that
    was open when it was shown. `acts` are the changes that it may stand for; by default it is one itself, or none.
    """

    acts: ClassVar[tuple[type[Change[Any]], ...]] = ()
    takes_text = False
    takes_files = False
    sure: str | None = None
    asked: str | None = None

    @property
    def has_yes(self) -> bool:
        """True if the command has the word YES."""
        return self.sure is not None

    def with_yes(self, turn: int) -> Self:
        """Return the command with YES, and with the open turn if its effect depends on that; itself if it needs none.

        Args:
            turn: The open turn.
        """
        names = {field.name for field in fields(self)}
        given: dict[str, Any] = {"sure": "YES"} if "sure" in names else {}
        return replace(self, **given | ({"asked": str(turn)} if "asked" in names else {}))

    def wish(self, text: TextBlock) -> Wish:
        """Return the action that is asked for, with the text below the command. Raises CampaignError."""
        action = self.with_values()
        assert isinstance(action, Query | Change)
        return action

    def confirmed(self, facts: Any) -> Any:
        """Return the command that does what was shown by these facts."""
        return self

    def with_values(self) -> Self:
        """Return the command with the values of its arguments instead of the words. Raises CampaignError."""
        kinds = OrderType.of(type(self)).kinds
        valued = {name: kind for name, kind in kinds.items() if isinstance(kind, Valued)}
        return replace(self, **{name: kind.value(getattr(self, name)) for name, kind in valued.items()})


def forms_of(verb: Verb) -> tuple[type[GmCommand], ...]:
    """Import the classes of an action of a GM."""
    named = (each.split(":") for each in verb.does.split())
    return tuple(getattr(import_module(f"pbem.actions.{module}"), name) for module, name in named)


CAMPAIGN = FreeText("campaign", "the name of a campaign", "trap7")
CODE = FreeText("code", "the code you were mailed", "k3v7mq2xw5n4tzpa")
ABOUT = FreeText("word", "a word", "combat")
CITY = FreeText("city", "a city, or a time zone", "Athens")
