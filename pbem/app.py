"""The application: settings, database, games and renderer of a home, and how a home is made."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.archive.writer import campaigns_there
from pbem.config import Settings, load_settings, write_default_settings
from pbem.config_values import FILE_NAME
from pbem.errors import ConfigError
from pbem.games import find_game
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.migrate import has_tables, migrate, require_current_schema
from pbem.store.queue import create_queue_tables, enqueue
from pbem.store.session import Store, restoring
from pbem.util import gc_paused, package_data, use_newest_zones

if TYPE_CHECKING:
    from pbem.report.renderer import Renderer

TEMPLATE_DIR = package_data("templates")
"""The program's own templates; a GM's folder is searched before them."""


@dataclass(frozen=True, slots=True)
class App:
    """Settings, database, games by key, and the renderer, which is made on first use by `open_reporter`.

    `archives` is True if the archive's folder is on this machine, and is written here.
    """

    settings: Settings
    store: Store
    games: Mapping[str, AnyRuleset]
    open_reporter: Callable[[], Renderer]
    archives: bool = True

    @property
    def reporter(self) -> Renderer:
        """The renderer, which keeps templates and workers in memory."""
        return self.open_reporter()

    def game(self, key: str) -> AnyRuleset:
        """Return the ruleset of this key. Raise CampaignError naming the most similar key if there is none."""
        return find_game(self.games, key)


@contextmanager
def open_app(home: Path, games: Mapping[str, AnyRuleset]) -> Iterator[App]:
    """Open the application of a home; close it at the end.

    Raises:
        ConfigError: The settings or the database cannot be used.
    """
    with app_of(load_settings(home), games) as app:
        yield app


@contextmanager
def app_of(settings: Settings, games: Mapping[str, AnyRuleset]) -> Iterator[App]:
    """Open the application of these settings; close it at the end.

    Raises:
        ConfigError: The database cannot be used, or has another version.
    """
    use_newest_zones()
    require_current_schema(settings.database)
    folders = [folder for folder in (settings.own_templates, TEMPLATE_DIR) if folder is not None]
    store = Store(settings.database, enqueue)
    gc.freeze()  # all that is loaded stays; traversing it in each collection takes a tenth of a turn's time
    try:
        with ExitStack() as opened:

            @cache
            def open_reporter() -> Renderer:
                # Imported here, as an idle tick and most commands render nothing.
                with gc_paused(for_good=True):
                    from pbem.report.renderer import Renderer

                made = Renderer(
                    folders,
                    games,
                    pictures=settings.pictures,
                    backgrounds=settings.home / "backgrounds",
                    jobs=settings.jobs,
                )
                return opened.enter_context(made)

            yield App(settings, store, games, open_reporter)
    finally:
        gc.unfreeze()
        store.close()


def init_home(home: Path, address: str) -> Settings:
    """Create what a home lacks, and migrate its database; an existing `pbem.toml` is kept.

    A missing database is not created if the archive shows that there was one.

    Raises:
        ConfigError: The settings or the database cannot be used.
    """
    if not (home / FILE_NAME).is_file():
        write_default_settings(home, address)
    settings = load_settings(home)
    # Before the database is created: afterwards nothing would show that one was lost.
    _refuse_over_archive(settings)
    upgrade_home(settings, create=True)
    make_directories(settings)
    return settings


def make_directories(settings: Settings) -> None:
    """Create the folders of the archive and of local mailboxes. Raise OSError if that fails."""
    settings.archive.mkdir(parents=True, exist_ok=True)
    # Here alone: an inbox that is missing later is an outage, and made anew it would look like one without mail.
    for url in (settings.inbox_url, settings.carrier_url):
        if url.scheme == "maildir":
            for name in ("tmp", "new", "cur"):
                (settings.home / url.path / name).mkdir(parents=True, exist_ok=True)


def _refuse_over_archive(settings: Settings) -> None:
    # An empty database beside a full archive would look like a home in good order.
    names = campaigns_there(settings.archive)
    if names and not has_tables(settings.database):
        raise ConfigError(
            f"the archive {settings.archive} has {', '.join(names)}, but the database is missing or empty: "
            f"{restoring(settings.database)}; to begin without them, move the archive away"
        )


def upgrade_home(settings: Settings, *, create: bool = False) -> None:
    """Migrate the database, and its job queues if it has any. Raise ConfigError if it cannot be used."""
    migrate(settings.database, create=create)
    # Not by a migration: these tables follow the version of procrastinate, which may change without ours (decision 22).
    create_queue_tables(settings.database)
