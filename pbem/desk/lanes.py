"""Which letters must be answered in the order in which they came, and which need not, where workers share the work.

A letter is in the lane of a campaign if all that can come of it is kept there:
what it shows and names is of that campaign alone, by a frame, a reply code or
the mail that it answers, and it asks for nothing that is kept for a person, such
as another address. Letters of a lane are answered in their order. All others
are in the lane "" (`ALONE`): strangers', those that show nothing, those that
concern several campaigns, those that cannot be read. Of a letter there and one
of a campaign's lane, whichever came first is answered first, whatever they say.

So no two letters that can bear on each other change places: either they are in
one lane, or one of them is alone. Letters are sorted in the order in which they
came, and each only after all that were fetched before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.actions.arguments import PlayerCommand
from pbem.app import House
from pbem.desk.attempts import ALONE, MOST_ATTEMPTS, Waiting, attempted, in_groups, raw_letter, unsorted_letters
from pbem.desk.bounces import returned_mail
from pbem.desk.commands import Rules, Status
from pbem.desk.gm_commands import find_gm_sheet
from pbem.desk.quotations import unquoted
from pbem.desk.replies import bare_subject
from pbem.desk.requests import CommandList, find_request
from pbem.desk.seats import Shown, shown_by_code, shown_by_reference
from pbem.desk.sheet import find_sheet
from pbem.errors import StoreError
from pbem.log import tell
from pbem.mail.bounces import read_bounce
from pbem.mail.message import Message, find_codes, read_letter
from pbem.store.models import Campaign, Outgoing, Request, SeatRow
from pbem.store.models import InboxMessage as LetterRow
from pbem.store.session import Queue, Work, wake
from pbem.util import Overrun, within

_NAME = re.compile(r"[a-z0-9-]+")

_KEEPING_NOTHING = (Status, Rules)
"""Commands about no seat that change nothing."""


def sort_letters(house: House) -> int:
    """Gives each letter that was fetched its lane, oldest first, and wakes who answers it; returns how many.

    None takes more than a letter's budget. One that kills the reader, or cannot be read, is left alone.
    """
    with house.store.reading() as session:
        waiting = unsorted_letters(session)
        known = frozenset(session.scalars(select(Campaign.name))) if waiting else frozenset()
    for _, group in in_groups(waiting):
        if group[0].attempts >= MOST_ATTEMPTS:
            _keep(house, group, [ALONE])
            continue
        with attempted(house.store, group):
            _keep(house, group, [_lane_in_time(house, letter, known) for letter in group])
    return len(waiting)


def _keep(house: House, letters: Sequence[Waiting], lanes: Sequence[str]) -> None:
    """Keeps the lanes of some letters, and that reading them has killed nobody this time."""
    with house.store.writing(durable=False) as session:
        for letter, lane in zip(letters, lanes, strict=True):
            row = update(LetterRow).where(LetterRow.id == letter.id)
            session.connection().execute(row.values(lane=lane, attempts=letter.attempts))
        wake(session, *(Work(Queue.CAMPAIGNS, lane) for lane in set(lanes)))


def _lane_in_time(house: House, letter: Waiting, known: frozenset[str]) -> str:
    try:
        return within(house.settings.letter_seconds, lambda: _lane(house, letter.id, known))
    except StoreError:
        raise
    except (Exception, Overrun) as error:  # noqa: BLE001 - what is wrong with it is told when it is answered
        tell("letter not sorted", level="warning", fault=error, letter=letter.id)
        return ALONE


def _lane(house: House, letter_id: int, known: frozenset[str]) -> str:
    with house.store.reading() as session:
        raw = raw_letter(session, letter_id)
        letter = read_letter(raw)
        if letter.automatic and (returned := read_bounce(raw)) is not None:
            return _lane_of_mail(session, returned_mail(session, returned))
        return _Sorter(session, letter, house.settings.address, known).lane()


def _lane_of_mail(session: Session, mail: Outgoing | None) -> str:
    """The campaign of a mail of ours that came back."""
    if mail is None or mail.campaign_id is None:
        return ALONE
    return session.scalar(select(Campaign.name).where(Campaign.id == mail.campaign_id)) or ALONE


@dataclass(frozen=True, slots=True)
class _Sorter:
    """A letter whose lane is looked for; `known` are the names of all campaigns."""

    session: Session
    letter: Message
    address: str
    known: frozenset[str]

    def lane(self) -> str:
        """The one campaign that the letter concerns and shows to be meant; else `ALONE`."""
        asked = self._asked()
        shown = {*self._framed(), *self._answered(), *(each.campaign for each in asked)}
        concerned = shown | self._named()
        # Some of what confirms, or is asked without a seat, is kept for a person and not in a campaign.
        personal = not all(each.is_sheet for each in asked) or any(map(_is_personal, self._requests()))
        return shown.pop() if shown and len(concerned) == 1 and not personal else ALONE

    def _framed(self) -> Iterator[str]:
        """The campaigns that a frame is for, and those whose keys stand in it."""
        lines, known = self.letter.lines, self.known
        sheet, gm_sheet, request = find_sheet(lines, known), find_gm_sheet(lines), find_request(lines, known)
        headers = [each.header for each in (sheet, request) if each is not None and each.header is not None]
        yield from ({each.campaign for each in headers} | ({gm_sheet.campaign} if gm_sheet else set())) & self.known
        yield from self._by_codes([each.key.lower() for each in headers if each.key])

    def _answered(self) -> Iterator[str]:
        """The campaigns whose reports the letter answers."""
        yield from self._by_codes(find_codes(self.letter, self.address))
        yield from self._by_seats(shown_by_reference(self.session, self.letter.references))

    def _by_codes(self, codes: Sequence[str]) -> Iterator[str]:
        return self._by_seats(shown_by_code(self.session, codes).values())

    def _by_seats(self, shown: Iterable[Shown]) -> Iterator[str]:
        if seats := {each.seat_id for each in shown}:
            names = select(Campaign.name).join(SeatRow, SeatRow.campaign_id == Campaign.id)
            yield from self.session.scalars(names.where(SeatRow.id.in_(seats)))

    def _asked(self) -> list[_Asked]:
        """The requests and questions that the letter may confirm, by their codes or the mails that it answers."""
        codes, mails = find_codes(self.letter, self.address), self.letter.references
        if not (codes or mails):
            return []
        rows = self.session.execute(
            select(Request.kind, Request.data, Campaign.name)
            .outerjoin(Campaign, Campaign.id == Request.campaign_id)
            .where(Request.code.in_(codes) | Request.message_id.in_(mails))
        )
        return [_Asked(kind == "message" and data["orders"], name or ALONE) for kind, data, name in rows]

    def _named(self) -> frozenset[str]:
        """The campaigns whose names stand anywhere in the letter, as words."""
        text = "\n".join([self.letter.subject, *self.letter.lines]).lower()
        return self.known & set(_NAME.findall(text))

    def _requests(self) -> Iterator[CommandList]:
        """The commands of the letter, with what it quotes and without; in its subject too."""
        texts = [self.letter.lines, unquoted(self.session, self.letter).lines, [bare_subject(self.letter.subject)]]
        for lines in texts:
            if (found := find_request(lines, self.known)) is not None:
                yield found


@dataclass(frozen=True, slots=True)
class _Asked:
    """Something that waits to be confirmed; `is_sheet`: whether it is a sheet, which concerns its campaign alone."""

    is_sheet: bool
    campaign: str


def _is_personal(request: CommandList) -> bool:
    orders = request.parse().orders
    return any(
        isinstance(order, PlayerCommand) and not order.needs_seat and not isinstance(order, _KEEPING_NOTHING)
        for order in orders
    )
