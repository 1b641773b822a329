"""What a campaign's GM has enclosed with his rulings: each content once, by its hash."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Enclosure, View
from pbem.store.models import Enclosed


@dataclass(slots=True)
class Shelf:
    """The contents that views name, looked up when they are first asked for."""

    session: Session
    campaign_id: int
    _known: dict[str, bytes] = field(default_factory=dict)

    def of(self, ruleset: AnyRuleset, view: View) -> dict[str, bytes]:
        """The contents of all that a view names, by hash; what is not there is left out."""
        return self.find({each.sha256 for each in named(ruleset, view)})

    def find(self, hashes: Collection[str]) -> dict[str, bytes]:
        """The contents of these hashes, as far as they are there."""
        missing = [each for each in hashes if each not in self._known]
        if missing:
            here = (Enclosed.campaign_id == self.campaign_id, Enclosed.sha256.in_(missing))
            rows = self.session.execute(select(Enclosed.sha256, Enclosed.content).where(*here))
            self._known |= {row.sha256: row.content for row in rows}
        return {each: self._known[each] for each in sorted(hashes) if each in self._known}


def named(ruleset: AnyRuleset, view: View) -> list[Enclosure]:
    """All that a view names, in its order."""
    return [each for enclosed in ruleset.enclosures(view).values() for each in enclosed]


def shelve(session: Session, campaign_id: int, turn_id: int, contents: Mapping[str, bytes]) -> None:
    """Keeps what came with a ruling on an open turn: all of it, since earlier rulings stay in part, or come back."""
    here = Enclosed.campaign_id == campaign_id
    kept = set(session.scalars(select(Enclosed.sha256).where(here, Enclosed.sha256.in_(contents))))
    for hash_, content in contents.items():
        if hash_ not in kept:
            session.add(Enclosed(campaign_id=campaign_id, turn_id=turn_id, sha256=hash_, content=content))
    session.flush()
