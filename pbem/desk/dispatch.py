"""Does what the commands of a letter ask, and answers them in one mail to the address that is registered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import select

from pbem.campaign.people.confirming import known_code
from pbem.campaign.people.identity import find_person
from pbem.desk import changes, joining, lookups, press, times
from pbem.desk.claims import Claim, Declined, Impostor, Seated, Stranger
from pbem.desk.commands import (
    COMMANDS,
    AppointDeputy,
    ChooseWord,
    Command,
    Confirm,
    History,
    Join,
    Leave,
    Resend,
    Status,
)
from pbem.desk.judging import judge, judge_request
from pbem.desk.replies import Case, answer, bare_subject
from pbem.desk.requests import Asked, AskedByPerson, Handlers, PersonHandlers, Request, find_request
from pbem.desk.seats import Spot, has_shared, load_spot, seats_of
from pbem.desk.sheet import Header
from pbem.errors import CampaignError
from pbem.post.codes import find_codes
from pbem.report import tell
from pbem.report.people_pages import Answer, Done, WhichSeat
from pbem.report.wording import sentence
from pbem.ruleset import Order, Parsed
from pbem.store.models import Person, SeatRow

HANDLERS: Handlers = {**changes.HANDLERS, **lookups.HANDLERS, **press.HANDLERS, **times.HANDLERS}
"""What is done for each command about a seat."""

PERSON_HANDLERS: PersonHandlers = {**joining.HANDLERS, **changes.PERSON_HANDLERS, **lookups.PERSON_HANDLERS}
"""What is done for each command about no seat in particular."""

_LOOKUPS = (Status, Resend, History)
"""They change nothing, and what they bring goes to the registered address alone, so that even an old code will do."""

_WEIGHTY = (Leave, AppointDeputy, ChooseWord)
"""They give a seat or its secrets away, or cannot be told from a forger's: a sender's address does not do alone."""

_EASY = (*_LOOKUPS, ChooseWord)
"""What is answered whatever the letter shows: a word for the dice with how to send it, or that it is too late."""

_FOR_STRANGERS = (Join, Confirm)

_YES = re.compile(r"\A\s*+(?:yes|ok|okay|confirm(?:ed)?)\b\W*+(?:please|thanks|thank you)?\W*+", re.IGNORECASE)

_ALONE = "Not done: LEAVE must stand alone in a mail without errors, so that nobody leaves by a slip."
_UNPROVEN = (
    "Not done yet, since anybody could have written it in your name: to do it, reply to this mail with that line."
)
_SHARED = (
    "Not done: whoever stands in for you could have written it. Write it with the token of your welcome mail: a line "
    "PLAYER, your campaign, your seat and that token, then this line, then END."
)
_BY_SUBJECT = "Not done: nobody leaves by a subject alone. Write LEAVE as the first line of the mail itself."


@dataclass(frozen=True, slots=True)
class _Asker:
    """Who asks: from which address, to be answered at which, and for which seat, if he has shown one to be his.

    `proven`: by more than a From that anybody can write.
    """

    person: Person | None
    sender: str
    to: str
    spot: Spot | None = None
    proven: bool = False


def find_asked(case: Case, known: Callable[[str], bool]) -> Request | None:
    """The commands of a letter: in its text, or in the subject of one without text; a YES confirms what it answers."""
    letter = case.letter
    first = next((line for line in letter.lines if line.strip()), "")
    if _YES.fullmatch(first) and (code := known_code(case.session, find_codes(letter, case.address))):
        return Request(None, ((1, f"CONFIRM {code}"),))
    found = find_request(letter.lines if first else [bare_subject(letter.subject)], known)
    return None if found is None or _is_order(case, found) else found


def _is_order(case: Case, found: Request) -> bool:
    """Whether a reply only begins like a command, and is an order of its seat's game: there are games of free words."""
    if found.header is not None or found.parse().entries:
        return False
    claim = judge(case, None)
    if not isinstance(claim, Seated):
        return False
    read = case.house.game(claim.spot.game).parse(json.loads(claim.spot.view), found.lines[:1])
    return bool(read.entries) and not read.errors


def serve(case: Case, request: Request, declined: Callable[[Case, Claim], str]) -> str:
    """Does what a letter asks and queues the answer; returns what to note of it.

    `declined` answers whoever has not shown to be the player he writes for.
    """
    parsed = request.parse()
    asker = _asker(case, request, parsed)
    if isinstance(asker, _Asker) and asker.spot is None and _is_forged(case, parsed):
        return f"asked for {_verbs(parsed)}; not from its sender, by the receiving server's word; not answered"
    if isinstance(asker, _Asker):
        done = [_done(case, asker, request, parsed, order) for order in parsed.orders]
        return f"asked for {_verbs(parsed)}; {_answered(case, asker, request, parsed, done)}"
    seats = seats_of(case.session, case.letter.sender)
    if request.header is None and isinstance(asker, Declined) and asker.reason == "no-orders" and len(seats) > 1:
        page = WhichSeat(
            address=case.address,
            commands=tuple(line for _, line in request.lines),
            seats=tuple((seat.campaign, seat.seat) for seat in seats),
        )
        return "for which seat?; " + answer(case, to=asker.to, text=case.house.reporter.write(page))
    return declined(case, asker)


def _asker(case: Case, request: Request, parsed: Parsed) -> _Asker | Claim:
    """Who asks; a claim that is not good enough for what is asked."""
    claim, sender = _claim(case, request), case.letter.sender
    if isinstance(claim, Seated):
        return _at(case, claim.spot, proven=_is_proven(case, claim))
    commands = parsed.orders
    if isinstance(claim, Declined) and _is_players_own(claim) and commands and _all(commands, _EASY):
        assert claim.spot is not None
        return _at(case, claim.spot, proven=False)
    if isinstance(claim, Impostor) and claim.forged and _is_forged(case, parsed):
        return claim
    if sender is None or request.header is not None or any(_needs_seat(order) for order in commands):
        return claim
    person = find_person(case.session, sender)
    if person is None and not (commands and _all(commands, _FOR_STRANGERS)):
        return Stranger()
    return _Asker(person, sender, person.address if person else sender)


def _is_proven(case: Case, claim: Seated) -> bool:
    """Whether more than a From shows the player; not by a code that somebody who stood in for him has as well."""
    if claim.proof == "token":
        return True
    own = (case.letter.sender or "").lower() == claim.spot.address.lower()
    vouched = own and case.verdict == "pass"
    return vouched or (claim.proof in ("code", "reply") and not has_shared(case.session, claim.spot))


def _is_forged(case: Case, parsed: Parsed) -> bool:
    """Whether the receiving server says that the sender did not write it; a code, though, is good from anywhere."""
    return case.verdict == "fail" and not (parsed.orders and _all(parsed.orders, (Confirm,)))


def _claim(case: Case, request: Request) -> Claim:
    """The seat a letter writes for: as it says, as the mail shows that it answers, or its sender's only one."""
    claim = judge_request(case, request.header)
    if request.header is None and isinstance(claim, Declined) and claim.reason == "no-orders":
        seats = seats_of(case.session, case.letter.sender)
        if len(seats) == 1:
            return judge_request(case, Header(seats[0].campaign, seats[0].seat))
    return claim


def _is_players_own(claim: Declined) -> bool:
    """Whether what was declined is told to the seat's own address."""
    return claim.spot is not None and bool(claim.to) and claim.to == claim.spot.address


def _at(case: Case, spot: Spot, *, proven: bool) -> _Asker:
    player = select(Person).join(SeatRow, SeatRow.person_id == Person.id).where(SeatRow.id == spot.seat_id)
    return _Asker(case.session.scalar(player), case.letter.sender or spot.address, spot.address, spot, proven)


def _done(case: Case, asker: _Asker, request: Request, parsed: Parsed, order: Order) -> Done:
    shown = "CONFIRM" if isinstance(order, Confirm) else COMMANDS.line(order)
    if isinstance(order, Leave) and (parsed.errors or len(parsed.orders) > 1):
        return Done(shown, _ALONE)
    if isinstance(order, Leave) and not case.letter.text.strip():
        return Done(shown, _BY_SUBJECT)
    if isinstance(order, _WEIGHTY) and not asker.proven and not _is_late(asker, order):
        assert asker.spot is not None
        return Done(shown, _SHARED if has_shared(case.session, asker.spot) else _UNPROVEN)
    assert isinstance(order, Command)
    text = request.text if order.takes_text else ""
    try:
        if order.needs_seat:
            assert asker.spot is not None
            return Done(shown, HANDLERS[type(order)](Asked(case, asker.spot, text), order))
        by_person = AskedByPerson(case, asker.person, asker.sender, text)
        return Done(shown, PERSON_HANDLERS[type(order)](by_person, order))
    except CampaignError as error:
        return Done(shown, sentence(f"Not done: {error}"))


def _is_late(asker: _Asker, order: Order) -> bool:
    """Whether a word comes after the start: that is told at once, since a reply would not mend it."""
    return isinstance(order, ChooseWord) and asker.spot is not None and asker.spot.status != "forming"


def _answered(case: Case, asker: _Asker, request: Request, parsed: Parsed, done: list[Done]) -> str:
    told = tuple(each for each in done if each.result)
    if not (told or parsed.findings):
        return "answered by what it brought about"
    page = Answer(
        address=case.address,
        done=told,
        findings=tell(parsed.findings, request.lines),
        notes=(*case.letter.notes, *request.notes),
    )
    left = asker.proven and any(isinstance(order, Leave) for order in parsed.orders)
    # Anew, since a command may have given its report another code.
    spot = None if left or asker.spot is None else load_spot(case.session, asker.spot.seat_id)
    return answer(
        case, to=asker.to, text=case.house.reporter.write(page), spot=spot, code=spot.code if spot is not None else ""
    )


def _all(orders: tuple[Order, ...], kinds: tuple[type[Command], ...]) -> bool:
    return all(isinstance(order, kinds) for order in orders)


def _needs_seat(order: Order) -> bool:
    return isinstance(order, Command) and order.needs_seat


def _verbs(parsed: Parsed) -> str:
    return ", ".join(COMMANDS.line(order).split()[0] for order in parsed.orders) or "nothing that is understood"
