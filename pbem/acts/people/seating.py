"""Who sits where: seats that come free, are taken over, or leave the game, and all who hear of it.

Whoever loses a seat loses all that opened it: his token, and the codes and
Message-IDs of its reports. The campaign of a scene is locked; it and `place`
are as they were before.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from pbem.acts.act import Scene
from pbem.acts.creation import is_seat_name
from pbem.acts.people.remailing import RENEWED, mail_again, recall_copies, renew_codes
from pbem.acts.people.welcoming import welcome
from pbem.campaign.journal import note
from pbem.campaign.notices import send_words, tell_players
from pbem.campaign.people.deputies import dismiss, stands_in_for
from pbem.campaign.people.dicewords import tell_of_dice
from pbem.campaign.people.standby import enlist, mark_seated, place_number, standbys
from pbem.campaign.snapshot import CampaignSnapshot, Place
from pbem.campaign.tokens import new_token
from pbem.errors import CampaignError
from pbem.mail.outbox import pass_on
from pbem.report.notices import Notice
from pbem.ruleset.values import Seat
from pbem.store.models import Absence, Campaign, Deputy, Person, Report, ReportCopy, SeatRow
from pbem.store.types import Phase, Seating

_PLAY_ON = "You play on as before, and what you had sent for the turn counts again."

_MOST_WORDS = 1_000
"""Characters of an applicant's words that are passed on to the GM."""


def free_places(snapshot: CampaignSnapshot) -> list[Place]:
    """The seats where nobody sits and somebody may."""
    return [place for place in snapshot.playing if not place.address]


def place_of(session: Session, snapshot: CampaignSnapshot, person: Person) -> Place | None:
    """Where somebody sits already, if he does."""
    rows = session.scalars(select(SeatRow.id).where(SeatRow.campaign_id == snapshot.id, SeatRow.person_id == person.id))
    ids = set(rows)
    return next((place for place in snapshot.playing if place.id in ids), None)


def open_seat(scene: Scene, place: Place, why: str, *, actor: str = "pbem", told: bool = False) -> str:
    """Takes a seat from its player and gives it to the first standby; returns what came of it, in a sentence.

    `why` completes "seat red is open: …". With `told`, the player knows already. Raises CampaignError.
    """
    session, snapshot = scene.session, scene.snapshot
    check_playing(snapshot, place)
    if not place.address:
        raise CampaignError(f"seat {place.seat} of {snapshot.name} is open already")
    _empty(scene, place, status=Seating.OPEN)
    act = note(session, snapshot.id, scene.now, actor=actor, text=f"seat {place.seat} is open: {why}")
    if not told:
        _tell_former(scene, place, why)
    heirs = standbys(session, snapshot.id)
    if heirs:
        heir = heirs[0][0]
        taken = f"{why}, and the first standby takes it over"
        # Without its address: whoever has just lost the seat is not told twice.
        hand_over(scene, replace(place, address=""), heir, taken, actor=actor)
        return f"Seat {place.seat} was given up ({why}) and goes to {heir.address}, the first on the standby list."
    pass_on(session, snapshot.name, place.seat, None)
    said = f"Nobody plays the seat {place.seat} of {snapshot.name} now: {why}."
    _tell_others(scene, place, act, "A seat is open", said)
    _tell_gm(scene, actor, f"Seat {place.seat} is open", said, _hint(snapshot, place))
    return f"Seat {place.seat} is open: {why}. Nobody is on the standby list."


def hand_over(scene: Scene, place: Place, person: Person, why: str, *, actor: str = "pbem") -> None:
    """Seats somebody at a place, whoever sat there before, and tells all whom it concerns.

    In a running campaign the newcomer is mailed a new token and the newest
    report, with a new code; before the start, the seal of the dice. `why`
    completes "seat red has a new player: …". Raises CampaignError.
    """
    session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
    check_playing(snapshot, place)
    renewed = _empty(scene, place, status=Seating.PLAYING)
    afresh = {"person_id": person.id, "nmr_in_a_row": 0, "nmr_total": 0, "since": now, "muted": []}
    session.execute(update(SeatRow).where(SeatRow.id == place.id).values(afresh))
    mark_seated(session, snapshot.id, person)
    pass_on(session, snapshot.name, place.seat, person)
    _end_standing_in(scene, person)
    act = note(session, snapshot.id, now, actor=actor, text=f"seat {place.seat} has a new player: {why}")
    if place.address and place.address.lower() != person.key:
        _tell_former(scene, place, why)
    taken = replace(place, address=person.address, paused=False)
    said = f"The seat {place.seat} of {snapshot.name} has a new player: {why}."
    if snapshot.status == Phase.FORMING:
        tell_of_dice(session, house, snapshot, [taken], now)
    if snapshot.status == Phase.RUNNING:
        token = new_token(session, place.id)
        welcome(session, house, snapshot, {taken: token}, now, heir=True)
        if renewed is not None:
            mail_again(session, house, snapshot, taken, renewed, now, to=person.address, key=RENEWED)
        _tell_others(scene, place, act, "A seat has a new player", said)
    _tell_gm(scene, actor, f"Seat {place.seat} has a new player", said, f"It is {person.address}.")


def remove_seat(scene: Scene, place: Place, why: str, *, actor: str = "pbem") -> None:
    """Take a seat out of the game; the rules hear of it when the next turn is run.

    No sheet of its player is taken any more, but all else stays as it is: `bring_back` lets the seat play on.
    """
    session, snapshot = scene.session, scene.snapshot
    session.execute(update(SeatRow).where(SeatRow.id == place.id).values(status=Seating.REMOVED))
    act = note(session, snapshot.id, scene.now, actor=actor, text=f"seat {place.seat} is out of the game: {why}")
    said = f"The seat {place.seat} of {snapshot.name} is out of the game: {why}."
    if place.address:
        _send(scene, place.address, "Your seat is out of the game", said)
    _tell_others(scene, place, act, "A seat is out of the game", said)
    _tell_gm(scene, actor, f"Seat {place.seat} is out of the game", said)


def bring_back(scene: Scene, place: Place, why: str, *, actor: str = "gm") -> str:
    """Let a removed seat play on as it was; it is open if its player has another seat by now.

    `why` completes "seat red is back in the game: …". Returns what was done, in a sentence.
    """
    session, snapshot = scene.session, scene.snapshot
    row = session.get_one(SeatRow, place.id)
    if row.person is not None and place_of(session, snapshot, row.person) is not None:
        _empty(scene, place, status=Seating.OPEN)
        place = replace(place, address="")
    row.status = Seating.PLAYING if place.address else Seating.OPEN
    session.flush()
    act = note(session, snapshot.id, scene.now, actor=actor, text=f"seat {place.seat} is back in the game: {why}")
    said = f"The seat {place.seat} of {snapshot.name} is back in the game: {why}."
    if place.address:
        _send(scene, place.address, "Your seat is back in the game", said, _PLAY_ON)
    _tell_others(scene, place, act, "A seat is back in the game", said)
    back = f"Seat {place.seat} of {snapshot.name} is back in the game"
    return f"{back}." if place.address else f"{back}, and open. {_hint(snapshot, place)}"


def pause_seat(scene: Scene, place: Place, *, paused: bool, actor: str = "gm") -> bool:
    """Lets turns no longer wait for a seat, or wait again; False if they did so already. Raises CampaignError."""
    session, snapshot = scene.session, scene.snapshot
    check_playing(snapshot, place)
    ours = update(SeatRow).where(SeatRow.id == place.id, SeatRow.paused != paused).returning(SeatRow.id)
    if session.scalar(ours.values(paused=paused)) is None:
        return False
    said = "is paused: turns do not wait for it" if paused else "is no longer paused"
    note(session, snapshot.id, scene.now, actor=actor, text=f"seat {place.seat} {said}")
    return True


def seat_or_list(scene: Scene, person: Person, *, wish: Seat, words: str, why: str) -> str:
    """Gives somebody a free seat, the one he wishes for if it may be, else a place on the standby list.

    Returns what came of it, in sentences to him.
    """
    session, snapshot = scene.session, scene.snapshot
    applicant = enlist(session, snapshot.id, person, scene.now, wish=wish, words=words)
    free = free_places(snapshot)
    if not free:
        number = place_number(session, applicant)
        # One paragraph, so that nothing in it passes for the house's own words.
        words = " ".join(applicant.words.split())[:_MOST_WORDS]
        wrote = f"They wrote: {words}" if words else ""
        said = f"{person.address} wishes to play in {snapshot.name}, and is number {number} on the standby list."
        _tell_gm(scene, "pbem", "Somebody wishes to play", said, wrote)
        return (
            f"No seat is free in {snapshot.name} now. You are number {number} on its standby list, and get the first "
            f"seat that comes free when it is your turn. To take that back, mail the line WITHDRAW {snapshot.name}."
        )
    place = next((each for each in free if each.seat == wish), None) or _named(scene, free[0], wish)
    hand_over(scene, place, person, why)
    return _seated(snapshot, place, wish)


def _named(scene: Scene, place: Place, wish: Seat) -> Place:
    """A seat as its player names it, before the start of a game without names of its own, or of a state."""
    session, snapshot = scene.session, scene.snapshot
    names = scene.house.game(snapshot.game).seats.names or session.scalar(
        select(Campaign.id).where(Campaign.id == snapshot.id, Campaign.given.is_not(None))
    )
    if names or snapshot.status != Phase.FORMING or wish in snapshot.seats or not is_seat_name(wish):
        return place
    session.execute(update(SeatRow).where(SeatRow.id == place.id).values(name=wish))
    return replace(place, seat=wish)


def _seated(snapshot: CampaignSnapshot, place: Place, wish: Seat) -> str:
    other = "" if wish in ("", place.seat) else f" The seat {wish}, which you asked for, is not free."
    coming = (
        "first report come when it begins" if snapshot.status == Phase.FORMING else "its newest report follow by mail"
    )
    return f"You have the seat {place.seat} in {snapshot.name}.{other} Your token and {coming}."


def check_playing(snapshot: CampaignSnapshot, place: Place) -> None:
    """Raise CampaignError if a seat can no longer change hands."""
    if snapshot.status == Phase.OVER:
        raise CampaignError(f"campaign {snapshot.name} is over: its seats stay as they are")
    if not place.playing:
        back = f"as long as no turn was run without it, it is brought back by {back_hint(snapshot.name, place.seat)}"
        raise CampaignError(f"seat {place.seat} is out of the game in {snapshot.name}; {back}")


def _empty(scene: Scene, place: Place, *, status: Seating) -> Report | None:
    """Makes a place nobody's, and all that opened it useless; returns its newest report, with another code."""
    nobody = {"person_id": None, "token_hash": "", "status": status, "paused": False}
    nobody |= {"dice_word": "", "dice_code": ""}
    scene.session.execute(update(SeatRow).where(SeatRow.id == place.id).values(nobody))
    _end_rights(scene.session, place)
    return renew_codes(scene.session, scene.house, scene.snapshot, place)


def _end_rights(session: Session, place: Place) -> None:
    """Ends what a player arranged for himself, and the codes of who stood in for him."""
    recall_copies(session, place)
    theirs = select(Deputy.id).where(Deputy.seat_id == place.id)
    session.execute(delete(ReportCopy).where(ReportCopy.deputy_id.in_(theirs)))
    for rights in (Deputy, Absence):
        session.execute(delete(rights).where(rights.seat_id == place.id))


def _end_standing_in(scene: Scene, person: Person) -> None:
    """Lets somebody who gets a seat see the reports of no other; the players are not told that he plays now."""
    for place in stands_in_for(scene.session, scene.snapshot, person, scene.now):
        dismiss(scene.session, place, scene.now)
        if place.address and place.playing:
            recall_copies(scene.session, place)
            said = f"{person.address} no longer stands in for your seat {place.seat} in {scene.snapshot.name}."
            _send(scene, place.address, "Your deputy", said)


def _tell_former(scene: Scene, place: Place, why: str) -> None:
    said = f"You no longer play the seat {place.seat} of {scene.snapshot.name}: {why}. Thank you for playing!"
    _send(scene, place.address, "You no longer play", said)


def _tell_others(scene: Scene, place: Place, act: int, subject: str, said: str) -> None:
    """Tells the other players, where they may read the journal."""
    snapshot = scene.snapshot
    if snapshot.status == Phase.RUNNING and snapshot.policy.journal == "players":
        page = Notice(paragraphs=(said,), campaign=snapshot.name, gm=snapshot.gm)
        but = (place.seat,)
        tell_players(scene.session, scene.house, snapshot, scene.now, act=act, subject=subject, page=page, but=but)


def _tell_gm(scene: Scene, actor: str, subject: str, *said: str) -> None:
    """Tells the GM, unless it was his own act."""
    if actor != "gm":
        _send(scene, scene.snapshot.gm, subject, *filter(None, said))


def _send(scene: Scene, to: str, subject: str, *said: str) -> None:
    send_words(scene.session, scene.house, scene.snapshot, scene.now, *said, to=to, subject=subject)


def back_hint(name: str, seat: Seat) -> str:
    """Return how a GM brings a removed seat back."""
    return f"pbem seat {name} {seat} --resume (by mail: RESUME {seat})"


def _hint(snapshot: CampaignSnapshot, place: Place) -> str:
    screen, mail = f"pbem seat {snapshot.name} {place.seat} --to ADDRESS", f"SEAT {place.seat} TO ADDRESS"
    return f"To give it to somebody: {screen} (by mail: {mail})"
