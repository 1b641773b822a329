"""A new home: its settings, database, post folders and archive; or an old one brought up to this version."""

from __future__ import annotations

from pathlib import Path

from pbem.config import FILE_NAME, Settings, load_settings, write_default_settings
from pbem.jobs import prepare_queues
from pbem.store import migrate


def found(home: Path, address: str) -> Settings:
    """Makes what a home lacks, and migrates its database; a `pbem.toml` there already is kept. Raises ConfigError."""
    if not (home / FILE_NAME).is_file():
        write_default_settings(home, address)
    settings = load_settings(home)
    bring_up(settings)
    make_folders(settings)
    return settings


def make_folders(settings: Settings) -> None:
    """Makes the folder of the archive, and those of a local post office. Raises OSError."""
    settings.archive.mkdir(parents=True, exist_ok=True)
    for url in (settings.inbox_url, settings.carrier_url):
        if url.scheme == "maildir":
            for name in ("tmp", "new", "cur"):
                (settings.home / url.path / name).mkdir(parents=True, exist_ok=True)


def bring_up(settings: Settings) -> None:
    """Brings the database to this version, and the queues in it where it has them. Raises ConfigError."""
    migrate(settings.database)
    prepare_queues(settings.database)
