"""Looking things up by their keys: one by one, or for many at once, before they are needed one by one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from sqlalchemy.orm import Session

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Lookup(Generic[K, V]):
    """What a session finds by keys: `ask` is given them and leaves out those it does not find.

    What a session was made to `foresee` it is not asked for again as long as it
    lives, so nothing is foreseen that the session itself may change.
    """

    def __init__(self, ask: Callable[[Session, Sequence[K]], Mapping[K, V]]) -> None:
        self._ask = ask

    def foresee(self, session: Session, keys: Iterable[K]) -> dict[K, V]:
        """Looks up all of these, and keeps what was found for the session."""
        wanted = list(dict.fromkeys(keys))
        found = self.find(session, wanted)
        session.info.setdefault(self, {}).update(dict.fromkeys(wanted) | found)
        return found

    def find(self, session: Session, keys: Iterable[K]) -> dict[K, V]:
        """Those of these things that there are, in the order of the keys."""
        wanted, known = list(keys), session.info.get(self, {})
        found = known | self._asked(session, [key for key in wanted if key not in known])
        return {key: found[key] for key in wanted if found.get(key) is not None}

    def one(self, session: Session, key: K) -> V | None:
        """The thing of this key; None if there is none."""
        return self.find(session, (key,)).get(key)

    def _asked(self, session: Session, keys: Sequence[K]) -> dict[K, V | None]:
        return dict(self._ask(session, keys)) if keys else {}
