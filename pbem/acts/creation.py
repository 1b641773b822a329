"""A new campaign: everything a GM typed is checked before anything is written."""

from __future__ import annotations

import datetime as dt
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from pbem.acts.datafiles import read_data
from pbem.acts.takeover import Middle, from_state, from_texts
from pbem.app import House
from pbem.archive.record import setup_dice
from pbem.calendar.schedule import Schedule
from pbem.campaign.journal import note
from pbem.campaign.people.dicewords import tell_gm_of_dice, tell_of_dice
from pbem.campaign.people.identity import enrol
from pbem.campaign.policy import read_policy
from pbem.campaign.snapshot import load_campaign
from pbem.campaign.values import is_campaign_name, is_plain_seat
from pbem.errors import CampaignError
from pbem.mail.headers import check_address
from pbem.ruleset.dice import seal
from pbem.ruleset.fields import suggest
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical
from pbem.ruleset.values import Json, Option, Seat, Seats
from pbem.store.models import Campaign, SeatRow
from pbem.store.types import Seating
from pbem.text import counted

LONGEST_SETTLING = 7 * 24 * 60

_NOT_IN_NAMES = re.compile(r"[^a-z0-9-]++")
RESERVED_SEATS = frozenset({"all", "gm", "pbem", "players", "unsigned"})
"""They have a meaning of their own in press, the GM's commands, and the journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCampaign:
    """A campaign as a GM typed it: `seats` are (seat, address), `options` and `policy` name → text.

    `open` seats more are nobody's yet: those who sign up or are invited get them.
    A game begun elsewhere is played on from its `state`, or from `texts` by
    name; its first turn here has the number `turn`, or the one that the game counts.
    """

    name: str
    game: str
    gm: str
    seats: Sequence[tuple[str, str]]
    deadline: str
    options: Mapping[str, str]
    settle_minutes: int = 30
    policy: Mapping[str, str] = field(default_factory=dict)
    open: int = 0
    state: Json = None
    texts: Mapping[str, str] | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """A campaign that awaits its start: the seal of its dice, how many are mailed it, and what its first turn is."""

    seal: str
    mails: int
    first: int = 1


def render_created(name: str, created: Created) -> Iterator[str]:
    """Yield what the creation of a campaign did, and how to go on."""
    yield f"Campaign {name} is made."
    if created.first > 1:
        yield f"It goes on from where the game stood: its first turn here is turn {created.first}."
    yield f"Dice seal: {created.seal}"
    yield f"{counted(created.mails, 'mail')} queued: the seal, and how to add a word to the dice. Send: pbem tick"
    yield f"When the players have had time for that: pbem start {name}"


def create(house: House, wanted: NewCampaign, now: dt.datetime, *, seed: bytes = b"") -> Created:
    """Writes a campaign that awaits its start, and mails the seal of its dice to its GM and all who have a seat.

    `seed` is for the dice; without one it is drawn from the system. Raises
    CampaignError or SetupError, naming the nearest valid thing.
    """
    ruleset = house.game(wanted.game)
    _check_name(wanted.name)
    address = check_address(wanted.gm, "the GM", house.settings.address)
    schedule = Schedule.read(wanted.deadline)
    if not 0 <= wanted.settle_minutes <= LONGEST_SETTLING:
        raise CampaignError(f"settling minutes cannot be {wanted.settle_minutes}: 0 to {LONGEST_SETTLING}")
    policy = read_policy(wanted.policy)
    seats = check_seats(ruleset, wanted.seats, house.settings.address, more=_open(ruleset, wanted, policy))
    options = read_options(ruleset, wanted.options)
    seed = seed or secrets.token_bytes(32)
    middle = _middle(ruleset, wanted, options, tuple(seats))
    if middle is None:
        # Only tried: options that do not go together are to be refused now, and not at the start.
        ruleset.setup(options, list(seats), setup_dice(seed))
    campaign = Campaign(
        name=wanted.name,
        game=ruleset.key,
        version=ruleset.version,
        options=options if wanted.state is None else {},
        gm=address,
        schedule=schedule.text,
        settle_minutes=wanted.settle_minutes,
        seed=seed,
        policy=policy,
        mail_key=secrets.token_bytes(32),
        created_at=now,
        turn=middle.turn - 1 if middle else 0,
        origin=middle.turn - 1 if middle else 0,
        given=canonical(middle.state) if middle else None,
    )
    try:
        return _keep(house, campaign, seats, now)
    except IntegrityError:
        # PostgreSQL lets two write at once: the other has made a campaign of this name, or enrolled one of its people.
        raise CampaignError(
            f"somebody else has made a campaign at this very moment: make {wanted.name} again"
        ) from None


def _keep(house: House, campaign: Campaign, seats: Mapping[str, str], now: dt.datetime) -> Created:
    with house.store.writing() as session:
        if session.scalar(select(Campaign.id).where(Campaign.name == campaign.name)) is not None:
            raise CampaignError(f"there is a campaign {campaign.name!r} already: choose another name")
        campaign.seats = [_seat(session, seat, address, now) for seat, address in seats.items()]
        session.add(campaign)
        session.flush()
        sealed = seal(campaign.seed)
        where = f"; taken over, its first turn is turn {campaign.origin + 1}" if campaign.given else ""
        said = f"created: {house.game(campaign.game).title}, seats {', '.join(seats)}{where}; dice seal {sealed}"
        note(session, campaign.id, now, actor="gm", text=said)
        snapshot = load_campaign(session, campaign.name)
        tell_gm_of_dice(session, house, snapshot, now)
        return Created(sealed, 1 + tell_of_dice(session, house, snapshot, snapshot.places, now), first=snapshot.first)


def _middle(
    ruleset: AnyRuleset, wanted: NewCampaign, options: Mapping[str, Any], seats: Sequence[Seat]
) -> Middle | None:
    """What a game that was begun elsewhere is played on from; None for a new one. Raises CampaignError."""
    if wanted.state is not None and wanted.options:
        name = next(iter(wanted.options))
        raise CampaignError(f"option {name} cannot be given with a state: the state holds what the game is played by")
    if wanted.state is not None:
        return from_state(ruleset, wanted.state, seats, wanted.turn)
    if wanted.texts is not None:
        return from_texts(ruleset, options, wanted.texts, seats, wanted.turn)
    if wanted.turn is not None:
        raise CampaignError(f"without a state a game begins with turn 1, not {wanted.turn}: give one with --state")
    return None


def _open(ruleset: AnyRuleset, wanted: NewCampaign, policy: Mapping[str, Any]) -> int:
    """How many seats are nobody's yet; where anyone may sign up, as many as the game needs."""
    lacking = ruleset.seats.least - len(wanted.seats) if policy.get("signup", False) else 0
    return max(wanted.open, lacking, 0)


def _seat(session: Session, seat: str, address: str, now: dt.datetime) -> SeatRow:
    if not address:
        return SeatRow(name=seat, token_hash="", status=Seating.OPEN)
    return SeatRow(name=seat, person=enrol(session, address, now), token_hash="")


def check_seats(
    ruleset: AnyRuleset, seats: Sequence[tuple[str, str]], own_address: str, *, more: int = 0
) -> dict[str, str]:
    """Seat → address, in the order of the game; `more` seats have no address. Raises CampaignError."""
    known = ruleset.seats
    placed: dict[str, str] = {}
    for typed, address in seats:
        seat = typed.strip().lower()
        if known.names and seat not in known.names:
            given = {each.strip().lower() for each, _ in seats}
            free = [name for name in known.names if name not in given]
            raise CampaignError(f"{ruleset.title} has no seat {typed!r}: {suggest(seat, free)}")
        if not is_seat_name(seat):
            but = f", but none of {', '.join(sorted(RESERVED_SEATS))}" if seat in RESERVED_SEATS else ""
            raise CampaignError(f"a seat cannot be called {typed!r}: use 1 to 20 of a-z, 0-9 and -{but}")
        if seat in placed:
            raise CampaignError(f"seat {seat} is given twice: {placed[seat]} and {address}")
        placed[seat] = check_address(address, f"seat {seat}", own_address)
    # Behind those that were named: the third seat of a table is no seat1.
    names = known.names or [f"seat{number}" for number in range(len(placed) + 1, len(placed) + known.most + 1)]
    placed |= dict.fromkeys([name for name in names if name not in placed][:more], "")
    if not known.least <= len(placed) <= known.most:
        number = players_allowed(known)
        raise CampaignError(f"{ruleset.title} is for {number} players, not {len(placed)}: give each a --seat")
    return {name: placed[name] for name in known.names if name in placed} if known.names else placed


def is_seat_name(text: str) -> bool:
    """Whether a seat may be called so, where its game has no names of its own."""
    return is_plain_seat(text) and text not in RESERVED_SEATS


def players_allowed(seats: Seats) -> str:
    """How many may play, in words: "2 to 6"."""
    return str(seats.least) if seats.least == seats.most else f"{seats.least} to {seats.most}"


def read_options(ruleset: AnyRuleset, given: Mapping[str, str]) -> dict[str, Any]:
    """Every option of the game, as given or by default. Raises CampaignError or SetupError."""
    options = {option.name: option for option in ruleset.options}
    for name in given:
        if name not in options:
            raise CampaignError(f"{ruleset.title} has no option {name!r}: {suggest(name, sorted(options))}")
    return {name: _value(option, given[name]) if name in given else option.default for name, option in options.items()}


def _check_name(name: str) -> None:
    if not is_campaign_name(name):
        nearest = _NOT_IN_NAMES.sub("-", name.lower()).strip("-")[:40]
        hint = f", such as {nearest}" if nearest else ""
        raise CampaignError(f"a campaign cannot be called {name!r}: use 1 to 40 of a-z, 0-9 and -{hint}")


def _value(option: Option, text: str) -> Any:
    value = option.read(text)
    if option.kind != "file":
        return value
    try:
        return read_data(Path(value))
    except CampaignError as error:
        raise CampaignError(f"option {option.name}: {error}") from None
