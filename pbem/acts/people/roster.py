"""A GM's acts about people and house rules, and what he may ask of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

from sqlalchemy.orm import Session

from pbem.acts.act import Act, Confirmed, Deed, Harmless, Question, Reversible, Scene, Weighty
from pbem.acts.arguments import ADDRESS, NUMBER, SEAT, SURE, Free, GmCommand, TextBlock
from pbem.acts.channel import Channel
from pbem.acts.people.seating import (
    back_hint,
    bring_back,
    check_playing,
    free_places,
    hand_over,
    open_seat,
    pause_seat,
    place_of,
    remove_seat,
)
from pbem.app import House
from pbem.campaign.history import removed_in
from pbem.campaign.journal import note
from pbem.campaign.notices import send_page
from pbem.campaign.people.confirming import DAYS, put_request
from pbem.campaign.people.identity import enrol, find_person
from pbem.campaign.people.standby import standbys
from pbem.campaign.policy import RULES, Policy, read_policy
from pbem.campaign.snapshot import CampaignSnapshot, Place, counting_versions, find_place, live_turn
from pbem.errors import CampaignError
from pbem.mail.headers import check_address
from pbem.report.answers import Confirmation
from pbem.ruleset.values import Seat
from pbem.store.models import Campaign
from pbem.store.types import Phase
from pbem.text import columns, wrapped


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyLine:
    """A house rule of a campaign: its value in words, what it may be, and what it does."""

    name: str
    value: str
    allowed: str
    help: str
    default: bool


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The house rules of a campaign."""

    campaign: str
    rules: tuple[PolicyLine, ...]


@dataclass(frozen=True, slots=True)
class Roster:
    """Who sits where in a campaign ("" for nobody), how the seat stands, and who waits for one, the first first."""

    campaign: str
    seats: tuple[tuple[Seat, str, str], ...]
    standbys: tuple[tuple[str, Seat], ...]


@dataclass(frozen=True, slots=True)
class GiveSeat(GmCommand, Weighty[Deed]):
    """Hand a seat over to the person of this address. Without YES you are told first who would lose it."""

    usage = "SEAT seat TO address [sure]"
    command = "seat"
    weight = Confirmed("the seat, to its player", "pbem seat NAME SEAT --to ADDRESS")
    seat: Annotated[Seat, SEAT]
    address: Annotated[str, ADDRESS]
    sure: Annotated[str | None, SURE] = None

    def asks(self, scene: Scene, facts: Deed) -> bool:
        """Return whether a player would lose the seat."""
        return bool(find_place(scene.snapshot, self.seat).address)

    def look(self, scene: Scene) -> Deed:
        """Return who would lose the seat, and who would get it. Raises CampaignError."""
        place = _playing_place(scene.snapshot, self.seat)
        address = check_address(self.address, f"seat {place.seat}", scene.house.settings.address)
        _check_another(scene.snapshot, place, address)
        return Deed(f"{_would_be_taken(scene.snapshot, place)}, and played by {address} from then on.")

    def do(self, scene: Scene) -> Deed:
        """Hands the seat over."""
        session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
        place = find_place(snapshot, self.seat)
        person = enrol(session, check_address(self.address, f"seat {place.seat}", house.settings.address), now)
        _check_another(snapshot, place, person.address)
        hand_over(scene, place, person, "seated by the GM", actor="gm")
        mailed = ", who is mailed a new token and its newest report" if snapshot.status == Phase.RUNNING else ""
        return Deed(f"Seat {place.seat} of {snapshot.name} is played by {person.address} now{mailed}.")


@dataclass(frozen=True, slots=True)
class VacateSeat(GmCommand, Weighty[Deed]):
    """Take a seat from its player, and offer it to the standbys. Without YES you are told what that would do."""

    usage = "OPEN seat [sure]"
    command = "seat"
    weight = Confirmed("the seat, to its player", "pbem seat NAME SEAT --to ADDRESS")
    seat: Annotated[Seat, SEAT]
    sure: Annotated[str | None, SURE] = None

    def look(self, scene: Scene) -> Deed:
        """Return who would lose the seat, and who would get it. Raises CampaignError."""
        place = _playing_place(scene.snapshot, self.seat)
        if not place.address:
            raise CampaignError(f"seat {place.seat} of {scene.snapshot.name} is open already")
        heirs = standbys(scene.session, scene.snapshot.id)
        then = f"go to {heirs[0][0].address}, the first standby" if heirs else "be open; there is no standby"
        return Deed(f"{_would_be_taken(scene.snapshot, place)}, and {then}.")

    def do(self, scene: Scene) -> Deed:
        """Opens the seat."""
        place = find_place(scene.snapshot, self.seat)
        return Deed(open_seat(scene, place, "opened by the GM", actor="gm"))


def _playing_place(snapshot: CampaignSnapshot, seat: Seat) -> Place:
    place = find_place(snapshot, seat)
    check_playing(snapshot, place)
    return place


def _check_another(snapshot: CampaignSnapshot, place: Place, address: str) -> None:
    if place.address.lower() == address.lower():
        raise CampaignError(f"seat {place.seat} of {snapshot.name} is played by {address} already")


def _would_be_taken(snapshot: CampaignSnapshot, place: Place) -> str:
    return f"Seat {place.seat} of {snapshot.name} would be taken from {place.address}"


@dataclass(frozen=True, slots=True)
class ExpelSeat(GmCommand, Weighty[Deed]):
    """Take a seat out of the game, for good, when the turn is run."""

    usage = "REMOVE seat [sure] [asked]"
    command = "seat"
    weight = Confirmed("the seat, to its player and the game", "pbem seat NAME SEAT --resume")
    seat: Annotated[Seat, SEAT]
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def look(self, scene: Scene) -> Deed:
        """Return what would be lost, until when. Raises CampaignError."""
        snapshot, place = scene.snapshot, _playing_place(scene.snapshot, self.seat)
        version = _counting_version(scene, place)
        sheet = f"its sheet (version {version}) would not be used" if version else "no sheet of it would be taken"
        said = f"Seat {place.seat} of {snapshot.name} would leave the game when {_next_turn(snapshot)} is run; {sheet}."
        return Deed(f"{said} Its player and the others would be told. {_until_then(snapshot, place)}")

    def do(self, scene: Scene) -> Deed:
        """Removes it."""
        snapshot, place = scene.snapshot, _playing_place(scene.snapshot, self.seat)
        remove_seat(scene, place, "removed by the GM", actor="gm")
        said = f"Seat {place.seat} of {snapshot.name} is out of the game"
        return Deed(f"{said}; the rules hear of it when {_next_turn(snapshot)} is run. {_until_then(snapshot, place)}")


def _next_turn(snapshot: CampaignSnapshot) -> str:
    return f"turn {snapshot.turn}" if snapshot.status == Phase.RUNNING else "the first turn"


def _until_then(snapshot: CampaignSnapshot, place: Place) -> str:
    return f"Until then it is brought back by: {back_hint(snapshot.name, place.seat)}"


def _counting_version(scene: Scene, place: Place) -> int | None:
    """Return the version of the sheet that counts for a seat in the open turn, if there is one."""
    snapshot = scene.snapshot
    if snapshot.status != Phase.RUNNING:
        return None
    turn = live_turn(scene.session, snapshot, snapshot.turn)
    return counting_versions(scene.session, snapshot, turn).get(place.seat)


@dataclass(frozen=True, slots=True)
class PauseSeat(GmCommand, Act[Deed]):
    """Let turns no longer wait for a seat."""

    usage = "PAUSE seat"
    command = "seat"
    weight = Reversible("pbem seat NAME SEAT --resume", "RESUME seat")
    seat: Annotated[Seat, SEAT]

    def do(self, scene: Scene) -> Deed:
        """Pause the seat."""
        snapshot, place = scene.snapshot, find_place(scene.snapshot, self.seat)
        changed = pause_seat(scene, place, paused=True)
        already = "" if changed else " already"
        return Deed(f"Seat {place.seat} of {snapshot.name} is paused{already}: turns do not wait for it.")


@dataclass(frozen=True, slots=True)
class ResumeSeat(GmCommand, Act[Deed]):
    """Let turns wait for a seat again."""

    usage = "RESUME seat"
    command = "seat"
    weight = Reversible("pbem seat NAME SEAT --pause", "PAUSE seat")
    seat: Annotated[Seat, SEAT]

    def do(self, scene: Scene) -> Deed:
        """End the pause of the seat, or its removal."""
        snapshot, place = scene.snapshot, find_place(scene.snapshot, self.seat)
        if not place.playing:
            _check_back(scene, place)
            return Deed(bring_back(scene, place, "its removal was taken back by the GM"))
        changed = pause_seat(scene, place, paused=False)
        state = "is no longer paused: turns wait for it again" if changed else "was not paused: turns wait for it"
        return Deed(
            f"Seat {place.seat} of {snapshot.name} {state}{'' if place.address else ' once somebody plays it'}."
        )


def _check_back(scene: Scene, place: Place) -> None:
    """Raise CampaignError for a seat that cannot be brought back, since a turn was run without it."""
    snapshot = scene.snapshot
    if snapshot.status == Phase.OVER:
        check_playing(snapshot, place)
    run = removed_in(scene.session, snapshot.id).get(place.seat)
    if run is not None:
        back = f"pbem rollback {snapshot.name} {run} (by mail: ROLLBACK {run})"
        raise CampaignError(
            f"seat {place.seat} of {snapshot.name} has left the game: turn {run} was run without it; "
            f"to open that turn again, with the seat: {back}"
        )


@dataclass(frozen=True, slots=True)
class Invite(GmCommand, Act[Deed]):
    """Invite somebody to the campaign, for a seat if you name one."""

    usage = "INVITE address [AS seat]"
    command = "invite"
    weight = Harmless("an invitation takes nothing from anybody")
    address: Annotated[str, ADDRESS]
    seat: Annotated[Seat | None, SEAT] = None

    def do(self, scene: Scene) -> Deed:
        """Invites him."""
        session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
        if snapshot.status == Phase.OVER:
            raise CampaignError(f"campaign {snapshot.name} is over: nobody can be invited")
        address = check_address(self.address, "a player", house.settings.address)
        wish = find_place(snapshot, self.seat).seat if self.seat else ""
        free = [place.seat for place in free_places(snapshot)]
        if wish and wish not in free:
            raise CampaignError(f"seat {wish} of {snapshot.name} is taken; free: {', '.join(free) or 'none'}")
        person = find_person(session, address)
        if person and (place := place_of(session, snapshot, person)):
            raise CampaignError(f"{address} plays in {snapshot.name} already, as {place.seat}")
        data = {"address": address, "wish": wish, "words": ""}
        code = put_request(session, "invite", now, to=address, data=data, campaign_id=snapshot.id)
        if code is None:
            raise CampaignError(f"{address} was mailed so many codes today that it gets no more before tomorrow")
        _mail_invitation(session, house, snapshot, address, now, wish=wish, code=code)
        note(session, snapshot.id, now, actor="gm", text=f"invited {address}", secret=True)
        which = f"seat {wish}" if wish else "a seat" if free else "the standby list, since no seat is free"
        return Deed(f"{address} is invited to {which}; the code in the mail holds for {DAYS} days.")


def _mail_invitation(
    session: Session, house: House, snapshot: CampaignSnapshot, address: str, now: dt.datetime, *, wish: Seat, code: str
) -> None:
    ruleset = house.game(snapshot.game)
    page = Confirmation(
        kind="invite",
        code=code,
        address=house.settings.address,
        days=DAYS,
        campaign=snapshot.name,
        seat=wish,
        game=ruleset.title,
        summary=ruleset.summary,
        schedule=snapshot.schedule.text,
        gm=snapshot.gm,
    )
    subject = f"You are invited to {ruleset.title}"
    send_page(session, house, snapshot, now, to=address, subject=subject, page=page, code=code)


@dataclass(frozen=True, slots=True)
class SetPolicy(Act[Deed]):
    """Changes house rules of a campaign, each by its name, as typed."""

    command = "policy"
    weight = Reversible("pbem policy NAME RULE=VALUE", "RULE rule value")
    given: Mapping[str, str]

    def do(self, scene: Scene) -> Deed:
        """Changes them for the time to come."""
        changed = read_policy(self.given)
        campaign = scene.session.get_one(Campaign, scene.snapshot.id)
        campaign.policy = {**campaign.policy, **changed}
        said = ", ".join(f"{name} {in_words(name, value)}" for name, value in changed.items())
        note(scene.session, scene.snapshot.id, scene.now, actor="gm", text=f"house rules: {said}")
        return Deed(f"House rules of {scene.snapshot.name} from now on: {said}.")


@dataclass(frozen=True, slots=True)
class SetRule(GmCommand):
    """Change a house rule of the campaign."""

    usage = "RULE rule value"
    rule: Annotated[str, Free("rule", "the name of a house rule", "grace")]
    value: Annotated[str, Free("value", "its value", "12h")]

    def wish(self, text: TextBlock) -> SetPolicy:
        """Return the change of that rule alone."""
        return SetPolicy({self.rule: self.value})


@dataclass(frozen=True, slots=True)
class ShowPolicy(GmCommand, Question[HouseRules]):
    """See the house rules of the campaign."""

    usage = "POLICY"

    def look(self, scene: Scene) -> HouseRules:
        """Every one."""
        return HouseRules(scene.snapshot.name, tuple(policy_lines(scene.snapshot.policy)))

    def render(self, facts: HouseRules, channel: Channel) -> Iterator[str]:
        for rule in facts.rules:
            yield f"{rule.name}={rule.value}" + ("" if rule.default else "  (changed)")
            yield f"    {wrapped(f'{rule.help}: {rule.allowed}', '    ')}"


def policy_lines(policy: Policy) -> Iterator[PolicyLine]:
    """Every house rule, one after the other."""
    usual = Policy()
    for name, rule in RULES.items():
        value = getattr(policy, name)
        yield PolicyLine(
            name=name,
            value=in_words(name, value),
            allowed=rule.allowed,
            help=rule.help,
            default=value == getattr(usual, name),
        )


def in_words(name: str, value: object) -> str:
    """The value of a house rule as a GM types it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and RULES[name].allowed.startswith("a span"):
        unit, minutes = next(each for each in (("d", 1440), ("h", 60), ("m", 1)) if value % each[1] == 0)
        return f"{value // minutes}{unit}"
    return ",".join(value) or "none" if isinstance(value, tuple | list) else str(value)


@dataclass(frozen=True, slots=True)
class ShowRoster(GmCommand, Question[Roster]):
    """See who sits where, and who waits for a seat."""

    usage = "SEATS"

    def look(self, scene: Scene) -> Roster:
        """All seats, and the standby list."""
        places = scene.snapshot.places
        seats = [(place.seat, place.address, _standing(place)) for place in places]
        waiting = [(person.address, wish) for person, wish in standbys(scene.session, scene.snapshot.id)]
        return Roster(scene.snapshot.name, tuple(seats), tuple(waiting))

    def render(self, facts: Roster, channel: Channel) -> Iterator[str]:
        yield from columns(facts.seats, "seat", "player", "state").splitlines()
        for number, (address, wish) in enumerate(facts.standbys, start=1):
            yield f"standby {number}: {address}" + (f", who would like {wish}" if wish else "")


def _standing(place: Place) -> str:
    if not place.playing:
        return "removed"
    return "open" if not place.address else "paused" if place.paused else "playing"
