"""A new home: its settings, database, post folders and archive; or an old one brought up to this version."""

from __future__ import annotations

from pathlib import Path

from pbem.archive import campaigns_there
from pbem.config import FILE_NAME, Settings, load_settings, write_default_settings
from pbem.errors import ConfigError
from pbem.jobs import prepare_queues
from pbem.store import has_tables, migrate, restoring


def found(home: Path, address: str) -> Settings:
    """Make what a home lacks, and migrate its database; a `pbem.toml` there already is kept. Raises ConfigError.

    A database that an archive shows to have been there is never made anew.
    """
    if not (home / FILE_NAME).is_file():
        write_default_settings(home, address)
    settings = load_settings(home)
    _refuse_over_archive(settings)
    bring_up(settings, create=True)
    make_folders(settings)
    return settings


def make_folders(settings: Settings) -> None:
    """Makes the folder of the archive, and those of a local post office. Raises OSError."""
    settings.archive.mkdir(parents=True, exist_ok=True)
    for url in (settings.inbox_url, settings.carrier_url):
        if url.scheme == "maildir":
            for name in ("tmp", "new", "cur"):
                (settings.home / url.path / name).mkdir(parents=True, exist_ok=True)


def _refuse_over_archive(settings: Settings) -> None:
    names = campaigns_there(settings.archive)
    if names and not has_tables(settings.database):
        raise ConfigError(
            f"the archive {settings.archive} has {', '.join(names)}, but the database is missing or empty: "
            f"{restoring(settings.database)}; to begin without them, move the archive away"
        )


def bring_up(settings: Settings, *, create: bool = False) -> None:
    """Bring the database to this version, and the queues in it where it has them. Raises ConfigError."""
    migrate(settings.database, create=create)
    prepare_queues(settings.database)
