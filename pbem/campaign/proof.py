"""The proof of a campaign's archive, against the seed and the last record that the database holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.archive.record import file_hash, state_hash
from pbem.archive.replay import ReplayProof, replay
from pbem.campaign.archiving import untidy
from pbem.campaign.history import all_withdrawn
from pbem.campaign.snapshot import CampaignSnapshot, live, load_campaign
from pbem.errors import CampaignError, ReplayError, SaveError
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.models import Campaign, Turn
from pbem.store.types import Phase
from pbem.util import Progress, silent

CODE_REPAIR = "install the code that ran it, or give the new code a new version with an upgrade of its saves"
"""Advice where the code of a game has changed under the same version."""

_NEWEST_STATE = (
    select(Turn.state, Turn.state_hash).where(live(bindparam("campaign"))).order_by(Turn.number.desc()).limit(1)
)
_TURN = select(Turn.state, Turn.state_hash, Turn.record).where(
    live(bindparam("campaign")), Turn.number == bindparam("number")
)


def prove(house: House, name: str, *, progress: Progress = silent) -> ReplayProof:
    """Resolves every archived turn again. Raises ReplayError naming the first difference.

    Raises CampaignError when there is nothing to prove yet.
    """
    try:
        return _replay(house, name, progress)
    except ReplayError as error:
        with house.store.reading() as session:
            changed = code_change(session, house.games, load_campaign(session, name))
        if not changed:
            raise
        raise ReplayError(f"{error}. {changed[0].upper()}{changed[1:]}: {CODE_REPAIR}") from None


def begun(house: House) -> list[str]:
    """Return the names of the campaigns that have begun, so that there is an archive. Raises CampaignError if none."""
    with house.store.reading() as session:
        has_begun = Campaign.status != Phase.FORMING
        names = list(session.scalars(select(Campaign.name).where(has_begun).order_by(Campaign.name)))
    if not names:
        raise CampaignError("no campaign has begun: there is no archive to prove")
    return names


def code_change(session: Session, games: Mapping[str, AnyRuleset], snapshot: CampaignSnapshot) -> str:
    """Return a sentence if the code of a campaign's game has changed under the same version, "" if it has not.

    The states of the newest turn and of the first one are read and written again: a field that was added with a
    default, or renamed, makes another state of them, with another hash. The first one tells of a change also
    after turns were run with it. A state of another version says nothing.
    """
    ruleset = games.get(snapshot.game)
    if ruleset is None:
        return ""
    for opened, version, kept in _kept_states(session, snapshot):
        if version == ruleset.version and not _is_written_alike(ruleset, *kept):
            game = f"{ruleset.title} version {version}"
            return f"the code of {game} has changed since {opened} was opened, but not its version"
    return ""


def _kept_states(session: Session, snapshot: CampaignSnapshot) -> Iterator[tuple[str, int, tuple[bytes, str]]]:
    """Yield the newest and the first turn, the version that wrote their states, and these with their hashes."""
    newest = session.execute(_NEWEST_STATE, {"campaign": snapshot.id}).first()
    if newest is not None:
        yield "the newest turn", snapshot.version, (newest.state, newest.state_hash)
    first = session.execute(_TURN, {"campaign": snapshot.id, "number": snapshot.first}).first()
    set_up = session.execute(_TURN, {"campaign": snapshot.id, "number": snapshot.origin}).first()
    if first is not None and set_up is not None and set_up.record:
        yield f"turn {snapshot.first}", json.loads(set_up.record)["version"], (first.state, first.state_hash)


def _is_written_alike(ruleset: AnyRuleset, state: bytes, expected: str) -> bool:
    try:
        return state_hash(ruleset, ruleset.load(json.loads(state), ruleset.version)) == expected
    except SaveError:
        return False


def _replay(house: House, name: str, progress: Progress) -> ReplayProof:
    with house.store.reading() as session:
        snapshot = load_campaign(session, name)
        resolved = session.execute(
            select(Turn.number, Turn.record, Turn.archived_at)
            .where(live(snapshot.id), Turn.resolved_at.is_not(None))
            .order_by(Turn.number)
        ).all()
        left = untidy(session, snapshot.id)
        withdrawn = [(each.turn, each.hash) for each in all_withdrawn(session, snapshot.id)]
    if not resolved:
        raise CampaignError(f"campaign {name} has not begun: there is no archive to prove")
    late = [turn.number for turn in resolved if turn.archived_at is None]
    if late:
        raise CampaignError(f"campaign {name}: turn {late[0]} is not archived yet; run: pbem tick")
    if left:
        raise CampaignError(f"campaign {name}: turn {left[0]}, withdrawn, is not set aside yet; run: pbem tick")
    return replay(
        house.settings.archive,
        name,
        ruleset=house.game(snapshot.game),
        seed=snapshot.seed,
        head=file_hash(resolved[-1].record or b""),
        withdrawn=withdrawn,
        on_turn=lambda number: progress("replaying", number, len(resolved) - 1),
    )
