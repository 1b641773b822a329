"""The proof of a campaign's archive, against the seed and the last record that the database holds."""

from __future__ import annotations

from sqlalchemy import select

from pbem.archive import ReplayProof, file_hash, replay
from pbem.campaign.archiving import untidy
from pbem.campaign.history import all_withdrawn
from pbem.campaign.snapshot import live, load_campaign
from pbem.errors import CampaignError
from pbem.house import House
from pbem.progress import Progress, silent
from pbem.store.models import Turn


def prove(house: House, name: str, *, progress: Progress = silent) -> ReplayProof:
    """Resolves every archived turn again. Raises ReplayError naming the first difference.

    Raises CampaignError when there is nothing to prove yet.
    """
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
