"""Gives, vacates, pauses and removes seats, and notifies everyone concerned.

A player who loses a seat loses all access to it: the token, and the codes and
Message-IDs of its reports. The campaign of the context is locked; the context and
`place` are as they were before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from pbem.actions.arguments import ADDRESS, ADDRESS_OR_BOT, BOT, NUMBER, SEAT, SURE, GmCommand, TextBlock, Wish
from pbem.actions.base import TICK, Change, PreviewedChange, TextResult
from pbem.actions.weight import Confirmed, Harmless, Reversible
from pbem.actions.welcome import (
    RENEWED,
    mail_dice_notice,
    renew_codes,
    resend_report,
    send_welcomes,
    tell_deputies,
    withdraw_deputy_copies,
)
from pbem.campaign.bot_sheets import find_bot
from pbem.campaign.history import removal_turns
from pbem.campaign.invitations import offer_seat, with_board
from pbem.campaign.notices import GM, others, post
from pbem.campaign.people import (
    A_DAY,
    DAYS,
    add_standby,
    create_request,
    deputies_of,
    dismiss,
    find_person,
    get_or_create_person,
    list_standbys,
    mark_seated,
    replace_token,
    seats_deputised,
    standby_position,
)
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    Context,
    SeatView,
    add_entry,
    counting_versions,
    current_turn,
    find_seat_view,
    is_valid_seat_name,
    require_running,
)
from pbem.errors import CampaignError
from pbem.mail.headers import require_address
from pbem.mail.outbox import redirect_press
from pbem.report.notices import Notice
from pbem.ruleset.values import SeatName
from pbem.store.models import Absence, Campaign, Deputy, DeputyReport, LaterSheet, Person, Report, Seat
from pbem.store.types import CampaignState, RequestKind, SeatState

_PLAY_ON = "You play on as before, and what you had sent for the turn counts again."

# The most characters of an applicant's words that are passed on to the GM.
_MOST_WORDS = 1_000


def free_places(snapshot: CampaignSnapshot) -> list[SeatView]:
    """Return the seats in the game that have no player, and no bot until their player is back."""
    return [place for place in snapshot.playing if not place.address and not place.bot]


def seat_of(session: Session, snapshot: CampaignSnapshot, person: Person) -> SeatView | None:
    rows = session.scalars(select(Seat.id).where(Seat.campaign_id == snapshot.id, Seat.person_id == person.id))
    ids = set(rows)
    return next((place for place in snapshot.playing if place.id in ids), None)


def _next_standby(context: Context) -> Person | None:
    """Return the first standby without a seat: the former player of a removed one may stand by, and have it back."""
    session, snapshot = context.session, context.snapshot
    waiting = (person for person, _ in list_standbys(session, snapshot.id))
    return next((person for person in waiting if seat_of(session, snapshot, person) is None), None)


def vacate_seat(context: Context, place: SeatView, why: str, *, actor: str = "pbem", told: bool = False) -> str:
    """Take a seat from its player, and give it to the first standby.

    Args:
        why: Completes "seat red is open: …".
        told: True if the player knows already.

    Returns:
        What was done, in sentences that begin with the seat.

    Raises:
        CampaignError: If the seat is open already, or can no longer change.
    """
    session, snapshot = context.session, context.snapshot
    check_playing(snapshot, place)
    if not place.address and not place.bot:
        raise CampaignError(f"{place.seat} is open already")
    _seat(context, place, None)
    act = add_entry(session, snapshot.id, context.now, actor=actor, text=f"seat {place.seat} is open: {why}")
    if not told:
        _tell_former(context, place, why)
    heir = _next_standby(context)
    if heir is not None:
        taken = f"{why}, and the first standby takes it over"
        # Without its address: the player who has just lost the seat is not notified twice.
        give_seat(context, replace(place, address=""), heir, taken, actor=actor)
        return f"seat {place.seat} is given to {heir.address}, the first standby."
    said = f"Seat {place.seat} of {snapshot.name} has no player now: {why}."
    _tell_others(context, (place,), act, f"{place.seat} is open", said, everyone=place.bot)
    _tell_gm(context, actor, f"{place.seat} is open", said, _give_hint(snapshot, place))
    return f"seat {place.seat} is open. No standbys."


def give_seat(
    context: Context, place: SeatView, person: Person, why: str, *, actor: str = "pbem", wish: SeatName = ""
) -> None:
    """Give a seat to a person, whoever had it before, and notify all concerned.

    In a running campaign the new player is mailed a new token and the newest report,
    with a new code; before the start, the seal of the dice.

    Args:
        why: Completes "seat red has a new player: …".
        wish: Another seat that they had asked for.

    Raises:
        CampaignError: If the seat can no longer change.
    """
    snapshot = context.snapshot
    check_playing(snapshot, place)
    renewed = _seat(context, place, person)
    mark_seated(context.session, snapshot.id, person)
    text = f"seat {place.seat} has a new player: {why}"
    act = add_entry(context.session, snapshot.id, context.now, actor=actor, text=text)
    if place.address and place.address.lower() != person.key:
        _tell_former(context, place, why)
    _welcome(context, replace(place, address=person.address, paused=False, bot=False), renewed, wish)
    said = f"The seat {place.seat} of {snapshot.name} has a new player: {why}."
    _tell_others(context, (place,), act, f"{place.seat} has a new player", said, everyone=place.bot)
    full = snapshot.status == CampaignState.FORMING and not [each for each in free_places(snapshot) if each != place]
    start = f"All seats are taken. To start: pbem start {snapshot.name} (by mail: START)"
    subject = f"{place.seat} has a new player{', and all seats are taken' if full else ''}"
    _tell_gm(context, actor, subject, said, f"It is {person.address}.", start if full else "")


def seat_bot(context: Context, place: SeatView) -> None:
    """Let the game's bot play a seat, whoever had it before, until it has a player again, and notify all players."""
    snapshot = context.snapshot
    _seat(context, place, None, without=SeatState.BOT)
    text = f"seat {place.seat} is played by a bot: seated by the GM"
    act = add_entry(context.session, snapshot.id, context.now, actor="gm", text=text)
    why = "a bot plays it until your GM gives it to a player"
    if place.address:
        _tell_former(context, place, why)
    said = f"The seat {place.seat} of {snapshot.name} has no player now: {why}."
    _tell_others(context, (place,), act, f"a bot plays {place.seat} now", said, everyone=True)


def _seat(
    context: Context, place: SeatView, person: Person | None, *, without: SeatState = SeatState.OPEN
) -> Report | None:
    """Put a person in a seat, and end all rights of others to it; return the newest report, recoded.

    A seat that gets no person is `without` one: open, or played by a bot.
    """
    session, status = context.session, SeatState.PLAYING if person else without
    deputies = deputies_of(session, [place.id], context.now).get(place.id, [])
    renewed = _vacate(context, place, status=status)
    tell_deputies(context, place, [each for each in deputies if each is not person])
    if person is not None:
        # A new player does not inherit the misses of the former one.
        afresh = {"person_id": person.id, "nmr_in_a_row": 0, "nmr_total": 0, "since": context.now, "muted": []}
        session.execute(update(Seat).where(Seat.id == place.id).values(afresh))
        _end_deputising(context, person)
    # Press is for a seat, not for a person: without a player it goes to no one (decision 14).
    redirect_press(session, context.snapshot.name, place.seat, person)
    return renewed


def _welcome(context: Context, place: SeatView, renewed: Report | None, wish: SeatName = "") -> None:
    """Mail the new player of a seat what its former one had, and that their `wish` was not free."""
    session, status = context.session, context.snapshot.status
    if status == CampaignState.FORMING:
        mail_dice_notice(context, [place], wish)
    if status == CampaignState.RUNNING:
        send_welcomes(context, {place: replace_token(session, place.id)}, heir=True, wish=wish)
        # After the welcome, with which the thread of the new player begins.
        if renewed is not None:
            resend_report(context, place, renewed, to=place.address, key=RENEWED)


def swap_seats(context: Context, one: SeatView, other: SeatView) -> None:
    """Let the players of two seats change places, of which one may be open, and notify all concerned.

    Sheets stay with the seats, as do reports; tokens, dice words, deputies and absences end.
    """
    session, snapshot = context.session, context.snapshot
    person, another = (session.get_one(Seat, place.id).person for place in (one, other))
    to_one, to_other = (SeatState.BOT if place.bot else SeatState.OPEN for place in (other, one))
    renewed = {
        one: _seat(context, one, another, without=to_one),
        other: _seat(context, other, person, without=to_other),
    }
    text = f"the players of {one.seat} and {other.seat} have changed places"
    act = add_entry(session, snapshot.id, context.now, actor="gm", text=text)
    for place, former in ((one, other), (other, one)):
        if former.address:
            said = f"You play {place.seat} in {snapshot.name} now, and no longer {former.seat}: your GM has changed it."
            again = "Deputies and absences of before have ended: if you had any, please send them again."
            taken = replace(place, address=former.address, paused=False, bot=False)
            subject = f"you play {place.seat} now, no longer {former.seat}"
            post(context, taken, Notice(subject=subject, blocks=(said, again)))
            _welcome(context, taken, renewed[place])
    said = f"The players of {one.seat} and {other.seat} of {snapshot.name} have changed places."
    subject = f"{one.seat} and {other.seat} have changed places"
    _tell_others(context, (one, other), act, subject, said, everyone=one.bot or other.bot)


def remove_seat(context: Context, place: SeatView, why: str, *, actor: str = "pbem") -> None:
    """Take a seat out of the game; the rules hear of it when the next turn is run.

    No sheet of its player is accepted any more, but all else stays, so that `bring_back` lets the seat play on.
    """
    session, snapshot = context.session, context.snapshot
    # Token, deputy and absences stay, so that the removal can be undone.
    session.execute(update(Seat).where(Seat.id == place.id).values(status=SeatState.REMOVED))
    act = add_entry(session, snapshot.id, context.now, actor=actor, text=f"seat {place.seat} has left the game: {why}")
    said = f"The seat {place.seat} of {snapshot.name} has left the game: {why}."
    if place.address:
        post(context, place, Notice(subject=f"your seat {place.seat} has left the game", blocks=(said,)))
    _tell_others(context, (place,), act, f"{place.seat} has left the game", said)
    _tell_gm(context, actor, f"{place.seat} has left the game", said)


def bring_back(context: Context, place: SeatView, why: str, *, actor: str = "gm") -> str:
    """Let a removed seat play on as it was; it is open if its player has another seat by now.

    Args:
        why: Completes "seat red is back in the game: …".

    Returns:
        What was done, in sentences that begin with the seat.
    """
    session, snapshot = context.session, context.snapshot
    row = session.get_one(Seat, place.id)
    # A person has one seat in a campaign.
    if row.person is not None and seat_of(session, snapshot, row.person) is not None:
        _vacate(context, place, status=SeatState.OPEN)
        place = replace(place, address="")
    row.status = SeatState.PLAYING if place.address else SeatState.OPEN
    session.flush()
    act = add_entry(
        session, snapshot.id, context.now, actor=actor, text=f"seat {place.seat} is back in the game: {why}"
    )
    said = f"The seat {place.seat} of {snapshot.name} is back in the game: {why}."
    if place.address:
        post(context, place, Notice(subject=f"your seat {place.seat} is back in the game", blocks=(said, _PLAY_ON)))
    _tell_others(context, (place,), act, f"{place.seat} is back in the game", said)
    back = f"seat {place.seat} is back in the game"
    return f"{back}." if place.address else f"{back}, and open. {_give_hint(snapshot, place)}"


def pause_seat(context: Context, place: SeatView, *, paused: bool, actor: str = "gm") -> bool:
    """Let turns wait for a seat no longer, or again; return False if it was so already.

    Raises:
        CampaignError: If the seat can no longer change.
    """
    session, snapshot = context.session, context.snapshot
    check_playing(snapshot, place)
    # Only if it changes anything: the answer says what is so now, and the journal has no entry for nothing.
    ours = update(Seat).where(Seat.id == place.id, Seat.paused != paused).returning(Seat.id)
    if session.scalar(ours.values(paused=paused)) is None:
        return False
    said = "is paused: turns do not wait for it" if paused else "is no longer paused"
    add_entry(session, snapshot.id, context.now, actor=actor, text=f"seat {place.seat} {said}")
    return True


def seat_or_standby(context: Context, person: Person, *, wish: SeatName, words: str, why: str) -> tuple[str, bool]:
    """Give a person a free seat, the wished one if possible, else a place on the standby list.

    Returns:
        The answer in sentences, and whether a welcome to the person says the same.
    """
    session, snapshot = context.session, context.snapshot
    applicant = add_standby(session, snapshot.id, person, context.now, wish=wish, words=words)
    free = free_places(snapshot)
    if not free:
        number = standby_position(session, applicant)
        # One paragraph, so that nothing in it passes for the application's own words.
        words = " ".join(applicant.words.split())[:_MOST_WORDS]
        wrote = f"They wrote: {words}" if words else ""
        said = f"{person.address} wishes to play in {snapshot.name}, and is number {number} on the standby list."
        _tell_gm(context, "pbem", f"{person.address} would like to join", said, wrote)
        waits = (
            f"No seat is free in {snapshot.name} now. You are number {number} on its standby list, and get the first "
            f"seat that comes free when it is your turn. To take that back, mail the line WITHDRAW {snapshot.name}."
        )
        return waits, False
    place = next((each for each in free if each.seat == wish), None) or _rename_seat(context, free[0], wish)
    give_seat(context, place, person, why, wish="" if wish == place.seat else wish)
    return f"The seat {place.seat} of {snapshot.name} goes to the person who was asked, with a welcome by mail.", True


def _rename_seat(context: Context, place: SeatView, wish: SeatName) -> SeatView:
    """Return the seat, renamed to the wish if the game has not started, and has neither names for seats nor a state."""
    session, snapshot = context.session, context.snapshot
    # The state of an imported game knows its seats by name (decision 36).
    names = context.app.game(snapshot.game).seats.names or session.scalar(
        select(Campaign.id).where(Campaign.id == snapshot.id, Campaign.given.is_not(None))
    )
    if names or snapshot.status != CampaignState.FORMING or wish in snapshot.seats or not is_valid_seat_name(wish):
        return place
    session.execute(update(Seat).where(Seat.id == place.id).values(name=wish))
    return replace(place, seat=wish)


def check_playing(snapshot: CampaignSnapshot, place: SeatView) -> None:
    """Raise CampaignError if a seat can no longer change hands."""
    if snapshot.status == CampaignState.OVER:
        raise CampaignError(f"{snapshot.name} is over: its seats stay as they are")
    if not place.playing:
        raise CampaignError(f"{place.seat} is removed. Bring it back: {back_hint(snapshot.name, place.seat)}")


def _vacate(context: Context, place: SeatView, *, status: SeatState) -> Report | None:
    """Remove player, token and rights from a seat, and renew the codes of its reports; return the newest report."""
    nobody = {"person_id": None, "token_hash": "", "status": status, "paused": False}
    # A dice word is its player's own; the next player adds another, or one is drawn (decision 16).
    nobody |= {"dice_word": "", "dice_code": ""}
    context.session.execute(update(Seat).where(Seat.id == place.id).values(nobody))
    _end_rights(context.session, place)
    return renew_codes(context, place)


def _end_rights(session: Session, place: SeatView) -> None:
    """Delete the deputies and absences of a seat, the codes of its deputies, and what is kept for later turns."""
    withdraw_deputy_copies(session, place)
    # Their copies of reports first: these rows refer to the deputies.
    theirs = select(Deputy.id).where(Deputy.seat_id == place.id)
    session.execute(delete(DeputyReport).where(DeputyReport.deputy_id.in_(theirs)))
    for rights in (Deputy, Absence, LaterSheet):
        session.execute(delete(rights).where(rights.seat_id == place.id))


def _end_deputising(context: Context, person: Person) -> None:
    """End a new player's rights as deputy of other seats; their players are not told that the person plays now."""
    # As a player they must not read the reports of another seat.
    for place in seats_deputised(context.session, context.snapshot, person, context.now):
        dismiss(context.session, place, context.now)
        if place.address and place.playing:
            withdraw_deputy_copies(context.session, place)
            said = f"{person.address} no longer stands in for your seat {place.seat} in {context.snapshot.name}."
            post(context, place, Notice(subject=f"{person.address} is no longer your deputy", blocks=(said,)))


def _tell_former(context: Context, place: SeatView, why: str) -> None:
    said = f"You no longer play the seat {place.seat} of {context.snapshot.name}: {why}. Thank you for playing!"
    post(context, place, Notice(subject=f"you no longer play {place.seat}", blocks=(said,)))


def _tell_others(
    context: Context, places: Sequence[SeatView], act: int, subject: str, said: str, *, everyone: bool = False
) -> None:
    """Notify the players of other seats, where they may read the journal; of a bot `everyone` hears."""
    snapshot = context.snapshot
    if snapshot.status == CampaignState.RUNNING and (everyone or snapshot.policy.journal == "players"):
        but = [place.seat for place in places]
        post(context, others(snapshot, but), Notice(subject=subject, blocks=(said,)), id_=("act", act))


def _tell_gm(context: Context, actor: str, subject: str, *said: str) -> None:
    """Notify the GM, unless the GM did it."""
    if actor != "gm":
        post(context, GM, Notice(subject=subject, blocks=tuple(filter(None, said))))


def back_hint(name: str, seat: SeatName) -> str:
    """Return the commands by which a GM brings a removed seat back."""
    return f"pbem resume {name} {seat} (by mail: RESUME {seat})"


def _give_hint(snapshot: CampaignSnapshot, place: SeatView) -> str:
    typed, mailed = f"pbem give {snapshot.name} {place.seat} to ADDRESS", f"GIVE {place.seat} TO ADDRESS"
    return f"To give it to a player: {typed} (by mail: {mailed})"


@dataclass(frozen=True, slots=True)
class GiveSeat(GmCommand, PreviewedChange[TextResult]):
    """Hand a seat over to the person of this address. Without YES you are told first who would lose it, or have two."""

    usage = "GIVE seat TO address [sure]"
    weight = Confirmed("the seat, to its player", "pbem give NAME SEAT to ADDRESS")
    kind = "give"
    seat: Annotated[SeatName, SEAT]
    address: Annotated[str, ADDRESS]
    sure: Annotated[str | None, SURE] = None

    def asks(self, context: Context, facts: TextResult) -> bool:
        """Return True if a player would lose the seat, or have two."""
        place = find_seat_view(context.snapshot, self.seat)
        return bool(place.address or self._other_seat(context, self._player(context, place)))

    def look(self, context: Context) -> TextResult:
        """Return a sentence on who would lose the seat, and who would get it."""
        place = _playing_place(context.snapshot, self.seat)
        address = self._player(context, place)
        _check_other_player(place, address)
        was = f", in place of {place.address}" if place.address else ""
        other = self._other_seat(context, address)
        twice = f" {address} plays {other} already, and would have two seats." if other else ""
        return TextResult(f"give seat {place.seat} to {address}{was}.{twice}{_tells_former(place)}")

    def _player(self, context: Context, place: SeatView) -> str:
        return require_address(self.address, f"seat {place.seat}", context.app.settings.address)

    def _other_seat(self, context: Context, address: str) -> SeatName:
        """Return the seat that the person plays already, "" if they play none."""
        person = find_person(context.session, address)
        other = seat_of(context.session, context.snapshot, person) if person is not None else None
        return other.seat if other is not None else ""

    def do(self, context: Context) -> TextResult:
        snapshot, place = context.snapshot, find_seat_view(context.snapshot, self.seat)
        person = get_or_create_person(context.session, self._player(context, place), context.now)
        _check_other_player(place, person.address)
        give_seat(context, place, person, "seated by the GM", actor="gm")
        mailed = " A new token and the newest report are queued for them."
        mailed = mailed if snapshot.status == CampaignState.RUNNING else ""
        return TextResult(f"{person.address} plays {place.seat}.{mailed}", undo=snapshot.name)


@dataclass(frozen=True, slots=True)
class SeatBot(PreviewedChange[TextResult]):
    """Let the game's bot play a seat of a running campaign until its player is back."""

    weight = Confirmed("the seat, to its player", "pbem give NAME SEAT to ADDRESS")
    kind = "seat"
    seat: SeatName

    def asks(self, context: Context, facts: TextResult) -> bool:
        """Return True if a player would lose the seat."""
        return bool(find_seat_view(context.snapshot, self.seat).address)

    def look(self, context: Context) -> TextResult:
        """Return a sentence on who would lose the seat, and which sheet would count first."""
        place = self._place(context)
        was = f", in place of {place.address}" if place.address else ""
        version = _counting_version(context, place)
        first = f" Sheet {version}, which it has sent, still counts for this turn." if version else ""
        return TextResult(f"let the bot play seat {place.seat}{was}.{first} All players are notified.")

    def do(self, context: Context) -> TextResult:
        name, place = context.snapshot.name, self._place(context)
        seat_bot(context, place)
        back = f"Its player is back? pbem give {name} {place.seat} to ADDRESS (by mail: GIVE {place.seat} TO ADDRESS)"
        return TextResult(f"the bot plays {place.seat}, from its reports alone. {back}", undo=name)

    def _place(self, context: Context) -> SeatView:
        snapshot = context.snapshot
        require_running(snapshot)
        find_bot(context.app.game(snapshot.game))
        place = _playing_place(snapshot, self.seat)
        if place.bot:
            raise CampaignError(f"the bot plays {place.seat} already")
        return place


@dataclass(frozen=True, slots=True)
class SeatPlayer(GmCommand):
    """Let the game's bot play a seat until its player is back, or hand it over to the person of an address.

    Without YES you are told first who would lose it.
    """

    usage = "SEAT seat [TO] player [sure]"
    acts = (SeatBot, GiveSeat)
    seat: Annotated[SeatName, SEAT]
    player: Annotated[str, ADDRESS_OR_BOT]
    sure: Annotated[str | None, SURE] = None

    def wish(self, text: TextBlock) -> Wish:
        return SeatBot(self.seat) if self.player == BOT else GiveSeat(self.seat, self.player)


@dataclass(frozen=True, slots=True)
class SwapSeats(GmCommand, PreviewedChange[TextResult]):
    """Let the players of two seats change places; one may be open. Without YES you are told first what that does."""

    usage = "SWAP seat other [sure]"
    weight = Confirmed("the seats, to their players", "pbem swap NAME SEAT SEAT")
    kind = "swap"
    seat: Annotated[SeatName, SEAT]
    other: Annotated[SeatName, SEAT]
    sure: Annotated[str | None, SURE] = None

    def look(self, context: Context) -> TextResult:
        """Return sentences on who would play which seat, and what each would get. Raises CampaignError."""
        one, other = self._places(context)
        # What both have read of the game is for the GM to think of.
        running = "Each gets a new token, and the newest report of the seat; a sheet stays with its seat. "
        said = running if context.snapshot.status == CampaignState.RUNNING else ""
        who = " and ".join(filter(None, (one.address, other.address)))
        seated = f"{_seated(one, other)}, {_seated(other, one)}"
        return TextResult(f"swap seats {one.seat} and {other.seat}: {seated}. {said}{who} are notified.")

    def do(self, context: Context) -> TextResult:
        one, other = self._places(context)
        swap_seats(context, one, other)
        return TextResult(f"seats swapped: {_seated(one, other)}, {_seated(other, one)}.", undo=context.snapshot.name)

    def _places(self, context: Context) -> tuple[SeatView, SeatView]:
        one, other = (_playing_place(context.snapshot, seat) for seat in (self.seat, self.other))
        if one == other:
            raise CampaignError(f"{one.seat} is one seat: name another to swap it with")
        if not (one.address or other.address):
            raise CampaignError(f"{one.seat} and {other.seat} have no players: there is none to change places")
        return one, other


def _seated(place: SeatView, former: SeatView) -> str:
    """Return who plays a seat once the player of the `former` one has come to it."""
    if former.address:
        return f"{former.address} plays {place.seat}"
    return f"a bot plays {place.seat}" if former.bot else f"{place.seat} is open"


@dataclass(frozen=True, slots=True)
class OpenSeat(GmCommand, PreviewedChange[TextResult]):
    """Take a seat from its player, and offer it to the standbys. Without YES you are told what that would do."""

    usage = "OPEN seat [sure]"
    weight = Confirmed("the seat, to its player", "pbem give NAME SEAT to ADDRESS")
    kind = "open"
    seat: Annotated[SeatName, SEAT]
    sure: Annotated[str | None, SURE] = None

    def look(self, context: Context) -> TextResult:
        """Return a sentence on who would lose the seat, and who would get it."""
        place = _playing_place(context.snapshot, self.seat)
        if not place.address and not place.bot:
            raise CampaignError(f"{place.seat} is open already")
        heir = _next_standby(context)
        then = f"It goes to {heir.address}, the first standby." if heir is not None else "No standbys."
        return TextResult(f"take seat {place.seat} from {place.address or 'its bot'}. {then}{_tells_former(place)}")

    def do(self, context: Context) -> TextResult:
        name, place = context.snapshot.name, find_seat_view(context.snapshot, self.seat)
        taken = _next_standby(context) is not None
        said = vacate_seat(context, place, "opened by the GM", actor="gm")
        if taken:
            return TextResult(said, undo=name)
        return TextResult(said, next=f"pbem invite {name} ADDRESS as {place.seat}")


def _playing_place(snapshot: CampaignSnapshot, seat: SeatName) -> SeatView:
    place = find_seat_view(snapshot, seat)
    check_playing(snapshot, place)
    return place


def _check_other_player(place: SeatView, address: str) -> None:
    if place.address.lower() == address.lower():
        raise CampaignError(f"{address} already plays {place.seat}")


def _tells_former(place: SeatView) -> str:
    return f" {place.address} is notified." if place.address else ""


@dataclass(frozen=True, slots=True)
class RemoveSeat(GmCommand, PreviewedChange[TextResult]):
    """Take a seat out of the game, for good, when the turn is run."""

    usage = "REMOVE seat [sure [asked]]"
    weight = Confirmed("the seat, to its player and the game", "pbem resume NAME SEAT")
    kind = "remove"
    seat: Annotated[SeatName, SEAT]
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def look(self, context: Context) -> TextResult:
        """Return sentences on what would be lost, and until when it can be undone."""
        snapshot, place = context.snapshot, _playing_place(context.snapshot, self.seat)
        version = _counting_version(context, place)
        sheet = f"its sheet {version} is not used" if version else "no sheet of it is accepted"
        said = f"remove seat {place.seat}: it leaves the game when {_next_turn(snapshot)} is run; {sheet}."
        back = f"Until then, bring it back with: {back_hint(snapshot.name, place.seat)}"
        return TextResult(f"{said} Players are notified. {back}")

    def do(self, context: Context) -> TextResult:
        snapshot, place = context.snapshot, _playing_place(context.snapshot, self.seat)
        remove_seat(context, place, "removed by the GM", actor="gm")
        said = f"seat {place.seat} removed; it leaves the game when {_next_turn(snapshot)} is run."
        return TextResult(said, undo=snapshot.name)


def _next_turn(snapshot: CampaignSnapshot) -> str:
    return f"turn {snapshot.turn}" if snapshot.status == CampaignState.RUNNING else "the first turn"


def _counting_version(context: Context, place: SeatView) -> int | None:
    """Return the version of the sheet that counts for a seat in the open turn, if there is one."""
    snapshot = context.snapshot
    if snapshot.status != CampaignState.RUNNING:
        return None
    turn = current_turn(context.session, snapshot, snapshot.turn)
    return counting_versions(context.session, snapshot, turn).get(place.seat)


@dataclass(frozen=True, slots=True)
class PauseSeat(GmCommand, Change[TextResult]):
    """Let turns no longer wait for a seat."""

    usage = "PAUSE seat"
    weight = Reversible("pbem resume NAME SEAT", "RESUME seat")
    kind = "pause"
    seat: Annotated[SeatName, SEAT]

    def do(self, context: Context) -> TextResult:
        snapshot, place = context.snapshot, find_seat_view(context.snapshot, self.seat)
        changed = pause_seat(context, place, paused=True)
        already = "" if changed else " already"
        said = f"seat {place.seat} is paused{already}: turns do not wait for it."
        return TextResult(said, undo=snapshot.name if changed else "")


@dataclass(frozen=True, slots=True)
class ResumeSeat(GmCommand, Change[TextResult]):
    """Let turns wait for a seat again."""

    usage = "RESUME seat"
    weight = Reversible("pbem pause NAME SEAT", "PAUSE seat")
    kind = "resume"
    seat: Annotated[SeatName, SEAT]

    def do(self, context: Context) -> TextResult:
        """End the pause of the seat, or its removal."""
        snapshot, place = context.snapshot, find_seat_view(context.snapshot, self.seat)
        if not place.playing:
            _check_can_return(context, place)
            return TextResult(bring_back(context, place, "its removal was undone by the GM"), undo=snapshot.name)
        changed = pause_seat(context, place, paused=False)
        state = "is no longer paused: turns wait for it again" if changed else "was not paused: turns wait for it"
        said = f"seat {place.seat} {state}{'' if place.address else ' once it has a player'}."
        return TextResult(said, undo=snapshot.name if changed else "")


def _check_can_return(context: Context, place: SeatView) -> None:
    """Raise CampaignError for a seat that cannot be brought back, since a turn was run without it."""
    snapshot = context.snapshot
    if snapshot.status == CampaignState.OVER:
        check_playing(snapshot, place)
    run = removal_turns(context.session, snapshot.id).get(place.seat)
    if run is not None:
        back = f"pbem rollback {snapshot.name} {run} (by mail: ROLLBACK {run})"
        raise CampaignError(
            f"{place.seat} has left the game: turn {run} was run without it. Reopen that turn, with the seat: {back}"
        )


@dataclass(frozen=True, slots=True)
class Invite(GmCommand, Change[TextResult]):
    """Invite somebody to the campaign, for a seat if you name one."""

    usage = "INVITE address [AS seat]"
    weight = Harmless("an invitation takes nothing from anybody")
    kind = "invite"
    address: Annotated[str, ADDRESS]
    seat: Annotated[SeatName | None, SEAT] = None

    def do(self, context: Context) -> TextResult:
        """Mail the person an invitation. Raises CampaignError if they play already, or the seat is taken."""
        session, app, snapshot, now = context.session, context.app, context.snapshot, context.now
        if snapshot.status == CampaignState.OVER:
            raise CampaignError(f"{snapshot.name} is over: no one can join it")
        address = require_address(self.address, "a player", app.settings.address)
        wish = find_seat_view(snapshot, self.seat).seat if self.seat else ""
        free = [place.seat for place in free_places(snapshot)]
        if wish and wish not in free:
            raise CampaignError(f"seat {wish} of {snapshot.name} is not open. Open seats: {', '.join(free) or 'none'}")
        person = find_person(session, address)
        if person and (place := seat_of(session, snapshot, person)):
            raise CampaignError(f"{address} already plays {place.seat}")
        data = {"address": address, "wish": wish, "words": ""}
        code = create_request(session, RequestKind.INVITE, now, to=address, data=data, campaign_id=snapshot.id)
        if code is None:
            raise CampaignError(f"{address} was mailed {A_DAY} codes today, and gets no more before tomorrow")
        _mail_invitation(context, address, wish=wish, code=code)
        # Secret: players may read the journal, and must not learn addresses from it.
        add_entry(session, snapshot.id, now, actor="gm", text=f"invited {address}", secret=True)
        which = f"seat {wish}" if wish else "a seat" if free else "the standby list (no open seat)"
        said = f"invited {address} to {which}. Valid for {DAYS} days."
        return TextResult(said, next=TICK)


def _mail_invitation(context: Context, address: str, *, wish: SeatName, code: str) -> None:
    app, snapshot = context.app, context.snapshot
    ruleset = app.game(snapshot.game)
    page, files = with_board(app, offer_seat(app, snapshot, "invite", code=code, wish=wish, now=context.now), ruleset)
    # The name of the campaign says nothing yet to the reader.
    post(context, address, page, id_=(page.page, code), kind="confirmation", code=code, files=files, named=False)
