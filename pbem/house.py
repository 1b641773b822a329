"""The house: what every room needs for one run, opened once."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pbem.config import Settings, load_settings
from pbem.errors import CampaignError
from pbem.jobs import open_waker
from pbem.package_data import package_data
from pbem.report import Reporter
from pbem.ruleset import AnyRuleset, suggest
from pbem.store import Store, require_current

TEMPLATES = package_data("templates")
"""The program's own templates; a GM's folder is searched before them."""


@dataclass(frozen=True, slots=True)
class House:
    """Settings, database, games by key, and the reporter that keeps its templates and workers warm.

    `archives`: the archive's folder lies here, and is written to. Else that is
    left to others.
    """

    settings: Settings
    store: Store
    games: Mapping[str, AnyRuleset]
    reporter: Reporter
    archives: bool = True

    def game(self, key: str) -> AnyRuleset:
        """The ruleset of this key. Raises CampaignError with the nearest one there is."""
        return choose_game(self.games, key)


def choose_game(games: Mapping[str, AnyRuleset], key: str) -> AnyRuleset:
    """The ruleset of this key. Raises CampaignError with the nearest one there is, or GameError."""
    if key not in games:
        raise CampaignError(f"there is no game {key!r} here: {suggest(key, sorted(games))}")
    return games[key]


@contextmanager
def open_house(home: Path, games: Mapping[str, AnyRuleset]) -> Iterator[House]:
    """The house in this folder, closed at the end. Raises ConfigError."""
    with house_of(load_settings(home), games) as house:
        yield house


@contextmanager
def house_of(settings: Settings, games: Mapping[str, AnyRuleset]) -> Iterator[House]:
    """The house of these settings, closed at the end. Raises ConfigError."""
    require_current(settings.database)
    folders = [folder for folder in (settings.own_templates, TEMPLATES) if folder is not None]
    store = Store(settings.database, open_waker(settings))
    gc.freeze()  # what is loaded by now stays: looking through it for garbage takes a tenth of a turn's time
    try:
        with Reporter(folders, games, pictures=settings.pictures, jobs=settings.jobs) as reporter:
            yield House(settings, store, games, reporter)
    finally:
        gc.unfreeze()
        store.close()
