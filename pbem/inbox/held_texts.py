"""Texts of commands that are held back, because a line in them may not be meant for their readers.

A text goes to other people, so a line in it that is a command, or an order of the
writer's game, holds the whole message: its pieces are shown to the writer, and go
out only by a YES. Orders at the foot of a text, and below its END, are read as
orders. Lines are read strictly, since ordinary talk is not to be held back: a line
that reads as an order without a remark, or that has the look of a typed one; a
command in its own words. In a game that accepts free text every line would be an
order, so there only commands hold a text, and orders need a line ORDERS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from pbem.actions.arguments import PlayerCommand, SeatCommand
from pbem.actions.players import LeaveSeat
from pbem.actions.press import SendPress, WriteDiary
from pbem.actions.press_delivery import is_everybody
from pbem.actions.questions import AskGm
from pbem.campaign.courtesies import find_courtesies, sender_names
from pbem.campaign.order_sheets import earlier_sheets
from pbem.campaign.snapshot import load_campaign
from pbem.inbox.command_parser import (
    COMMANDS,
    MOST_COMMANDS,
    CommandList,
    Confirm,
    Join,
    Resend,
    Rules,
    Withdraw,
    as_parsed,
    begins_text,
    is_in_own_words,
    split_text,
    unread_note,
)
from pbem.inbox.context import MessageContext
from pbem.inbox.frames import SheetHeader, SheetText, find_sheet, header_of, plain_sheet
from pbem.inbox.seat_lookup import SeatContext
from pbem.mail.reply_parser import ends_text
from pbem.ruleset.fields import nearest
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import join_lines, split_words
from pbem.ruleset.values import SeatName, View
from pbem.store.types import CampaignState
from pbem.text import quote_lines

_MOST_TYPED = 8
"""Words up to which a line with an error may still be an order that was typed, and no sentence."""

_FREE = (Confirm, Join, LeaveSeat, Resend, Rules, Withdraw)
"""Commands that take any words, so that a sentence may read as one: "Rules are made to be broken"."""

_ID = re.compile(r"\A(?:(?=[^\W\d]*+\d)(?=[\d_]*+[^\W\d_])\w++|[\d+-]++,[\d+-]++)")
_FEW_SEATS = 3
_WAITING = frozenset(("WAIT", "FINAL"))


@dataclass(frozen=True)
class LineReader:
    """Reads the lines of a text of a seat. `playing`: it may give orders now; `view` is that of its newest report."""

    game: AnyRuleset
    view: View
    campaign: str
    seat: SeatName
    seats: Sequence[SeatName]
    playing: bool = True

    def orders(self, lines: Sequence[str]) -> Iterator[tuple[int, bool]]:
        """Yield the number of each line, and whether it is an order of the seat, from 0 on."""
        joined = list(join_lines(enumerate(lines, start=1)))
        for (number, line), (end, _) in pairwise((*joined, (len(lines) + 1, ""))):
            order = self.is_order(line)
            yield from ((at - 1, order) for at in range(number, end))

    def is_order(self, line: str) -> bool:
        """Return True if a line is an order of the seat; one that ends the seat is never looked for in a text."""
        if not self.playing or self.game.free_text or not split_words(line) or self.game.orders.ends_seat(line):
            return False
        if line.strip() in _WAITING:
            return True
        parsed = self.game.parse(self.view, [(1, line)])
        # Findings without a line are on the sheet as a whole; notes on a line say what it does, or what was left out.
        remarks = [finding for finding in parsed.findings if finding.line]
        clear = not remarks or (len(split_words(line)) <= _MOST_TYPED and all(it.severity == "note" for it in remarks))
        return bool(parsed.entries and clear) or self._is_typed(line)

    def _is_typed(self, line: str) -> bool:
        """Return True if a line looks typed as an order, though it has an error, or more than it needs."""
        words = split_words(line)
        if not 2 <= len(words) <= _MOST_TYPED or words[0].upper() not in self.game.orders.words:
            return False
        return words[0].isupper() or any(_ID.fullmatch(word.rstrip(".,!")) for word in words[1:])

    def is_own_header(self, line: str) -> bool:
        """Return True if a line begins a sheet of the seat."""
        header = header_of(line)
        return header is not None and (header.campaign, header.seat) == (self.campaign, self.seat)

    def is_command(self, line: str) -> bool:
        """Return True if a line is a command in its own words, the first line of a frame, or gives up the seat."""
        if self.game.orders.ends_seat(line):
            return True
        header = header_of(line)
        if header is not None and (header.campaign == self.campaign or header.seat in self.seats):
            return True
        words = split_words(line)
        if not is_in_own_words(line) or not words:
            return False
        if words[0].upper() == "PLAYER":
            framed = header_of(line, "PLAYER")
            return framed is not None and framed.campaign == self.campaign
        if words[0].isupper() and len(words) <= _MOST_TYPED:
            return True
        parsed = COMMANDS.parse({}, [(1, as_parsed(line))])
        if not parsed.entries or parsed.findings or begins_text(line):
            return False
        return not isinstance(parsed.orders[0], _FREE) or all(map(self._is_name, words[1:]))

    def heads_text(self, line: str) -> bool:
        """Return True if a line is meant as a command that has its text below it."""
        if not line.strip() or not begins_text(line):
            return False
        parsed = COMMANDS.parse({}, [(1, as_parsed(line))])
        order = parsed.orders[0] if parsed.orders else None
        if not isinstance(order, PlayerCommand) or isinstance(order, Join):
            return False
        if isinstance(order, AskGm):
            return _names_gm(line)
        if line.split()[0].isupper() or isinstance(order, WriteDiary):
            return True
        if not isinstance(order, SendPress):
            return not split_text(line)[1]  # "News: none." is talk
        # "Press to the south with all you have" begins like one, too.
        named = order.to if len(order.to) <= _FEW_SEATS else order.to[:1]
        return any(is_everybody(word) or nearest(word, self.seats) is not None for word in named)

    def _is_name(self, word: str) -> bool:
        said = word.lower().rstrip(".,:;!")
        return said in (*self.seats, self.campaign) or "@" in said or any(sign.isdigit() for sign in said)


def _names_gm(line: str) -> bool:
    """Return False for words that may be for anyone: "Question: are you with me?", "Ask the GM whether it is so"."""
    begins, colon, _ = line.partition(":")
    words = [word.lower().strip(".,!") for word in begins.split()]
    return words[:2] == ["ask", "gm"] or ("gm" in words and bool(colon or not split_text(line)[1]))


@dataclass(frozen=True, slots=True)
class AddressedText:
    """A text, and the line of the command that says who gets it."""

    command: str
    text: str


@dataclass(frozen=True, slots=True)
class Screened:
    """Content of the texts of a message.

    `because` are the lines for which the texts are held back, none if they are not; then `pieces` is what would go.
    `sheet` are the orders in and below the texts. `notes` are sentences on lines that were left alone.
    """

    because: tuple[str, ...] = ()
    pieces: tuple[AddressedText, ...] = ()
    sheet: SheetText | None = None
    notes: tuple[str, ...] = ()


def screen_texts(context: MessageContext, place: SeatContext, request: CommandList) -> Screened:
    """Return what stands in the texts of a message for a seat, and below them."""
    reader = _Reader(context, place)
    commands = {at: line for at, line in request.lines if at in request.texts and _is_for_seat(line)}
    split = [each for at, line in commands.items() for each in reader.split(line, request.texts[at])]
    unread = [each.command for each in split[MOST_COMMANDS:]]
    split = split[:MOST_COMMANDS]
    for part in split:
        reader.take_orders(part, goes_on=part is split[-1] and reader.goes_on(request.below))
    because = tuple(line for each in split for line in each.because)
    inside, pieces = [line for each in split for line in each.orders], tuple(each.piece for each in split)
    sheet, notes = reader.below(request.below, inside)
    left = [line for each in split for line in each.left]
    if left:
        notes = (*notes, f"Not read as orders, since your orders before still count: {quote_lines(left)}.")
    if sheet is not None and inside:
        told = f"Read as orders, as they stand in a text of yours that was not sent: {quote_lines(inside)}."
        sheet = replace(sheet, notes=(*sheet.notes, told))
    if sheet is not None and sheet.header is None:
        sheet = replace(sheet, header=next((each.header for each in split if each.header), request.header))
    if unread:
        notes = (*notes, f"Never sent, as only {MOST_COMMANDS} texts of a mail are read: {quote_lines(unread)}.")
    return Screened(because, pieces, sheet, notes)


def _is_for_seat(line: str) -> bool:
    """Return True for a command whose text a seat sends; JOIN has words to the GM, of one who may have no seat."""
    orders = COMMANDS.parse({}, [(1, line)]).orders
    return bool(orders) and isinstance(orders[0], SeatCommand)


@dataclass(slots=True)
class _Part:
    """A piece as it was typed: the lines of its text, with what holds it, and the orders that were taken out."""

    command: str
    lines: list[str] = field(default_factory=list)
    because: list[str] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    header: SheetHeader | None = None

    @property
    def piece(self) -> AddressedText:
        """The piece as it would go out."""
        return AddressedText(self.command, "\n".join(self.lines).strip("\n"))


@dataclass
class _Reader:
    """Reads the lines of a text as the seat's player may have meant them."""

    context: MessageContext
    place: SeatContext

    @cached_property
    def game(self) -> AnyRuleset:
        return self.context.app.game(self.place.game)

    @cached_property
    def _lines(self) -> LineReader:
        place = self.place
        seats = load_campaign(self.context.session, place.campaign).seats
        playing = place.status == CampaignState.RUNNING and place.playing
        return LineReader(self.game, self.place.view, place.campaign, place.seat, seats, playing=playing)

    @cached_property
    def _has_orders(self) -> bool:
        """True if orders of the seat count already."""
        which = {"turn_id": self.place.turn_id, "seat_id": self.place.seat_id}
        return earlier_sheets(self.context.session, self.game.orders, **which).counted is not None

    def split(self, command: str, text: str) -> list[_Part]:
        """Return a text in the parts into which the commands in it divide it."""
        parts = [_Part(command)]
        for line in text.split("\n"):
            if self._lines.heads_text(line):
                parts.append(_Part(as_parsed(line), [split_text(line)[1]], [line]))
            else:
                parts[-1].lines.append(line)
        return parts

    def below(self, lines: Sequence[str], inside: Sequence[str]) -> tuple[SheetText | None, tuple[str, ...]]:
        """Return the orders below the END of a text, with those `inside` texts, and a note on lines that are none."""
        found = find_sheet(lines, {self.place.campaign})
        if found.header is not None:
            return (_with_above(found, inside) if inside else found), ()
        typed = [line for line in lines if not ends_text(line)]
        if any(order for _, order in self._lines.orders(typed)):
            return plain_sheet([*inside, *typed]), ()
        return (plain_sheet(inside) if inside else None), tuple(unread_note(lines, {self.place.campaign}))

    def goes_on(self, lines: Sequence[str]) -> bool:
        """Return True if there are words below the END of a text, and no orders."""
        typed = [line for line in lines if line.strip() and not ends_text(line)]
        return bool(typed) and not any(order for _, order in self._lines.orders(typed))

    def take_orders(self, part: _Part, *, goes_on: bool) -> None:
        """Take the orders out of a part, if they may count; record what holds it.

        Orders amid words may be quoted, so there they replace none that count.
        """
        framed = next((at for at, line in enumerate(part.lines) if self._lines.is_own_header(line)), None)
        orders = {at for at, order in self._lines.orders(part.lines) if order}
        part.because += [line for at, line in enumerate(part.lines) if at in orders or self._lines.is_command(line)]
        if framed is not None:
            orders |= set(range(framed, len(part.lines)))
        if not orders:
            return
        foot = len(part.lines) if goes_on else self._foot(part.lines, orders)
        if self._has_orders and min(orders) < foot:
            part.left += [part.lines[at] for at in sorted(orders) if part.lines[at].strip()]
            return
        taken = orders | set(range(foot, len(part.lines)))
        part.header = header_of(part.lines[framed]) if framed is not None else None
        part.orders += [part.lines[at] for at in sorted(taken) if not self._lines.is_own_header(part.lines[at])]
        part.lines[:] = [line for at, line in enumerate(part.lines) if at not in taken]

    def _foot(self, lines: Sequence[str], orders: Iterable[int]) -> int:
        """Return the line from which on there is nothing but orders, and a closing."""
        names = sender_names(self.context.message.sender_name, self.context.sender, self.place.address, self.place.seat)
        kind = find_courtesies(self.game, self.place.view, tuple(enumerate(lines)), names)
        foot, first = len(lines), min(orders)
        while foot > first and (foot - 1 in orders or foot - 1 in kind or not lines[foot - 1].strip()):
            foot -= 1
        return next((at for at in range(foot, len(lines)) if at in orders), len(lines))


def _with_above(sheet: SheetText, lines: Sequence[str]) -> SheetText:
    """Return a framed sheet with more lines at its beginning."""
    whole = plain_sheet([*lines, *sheet.written])
    wait = sheet.wait if whole.wait is None else whole.wait
    return replace(whole, header=sheet.header, wait=wait, notes=sheet.notes, closed=sheet.closed)
