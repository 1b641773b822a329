"""A new home: its settings, database, post folders and archive; or an old one brought up to this version."""

from __future__ import annotations

from pathlib import Path

from pbem.config import FILE_NAME, Settings, load_settings, write_default_settings
from pbem.store import migrate


def found(home: Path, address: str) -> Settings:
    """Makes what a home lacks, and migrates its database; a `pbem.toml` there already is kept. Raises ConfigError."""
    if not (home / FILE_NAME).is_file():
        write_default_settings(home, address)
    settings = load_settings(home)
    migrate(settings.database)
    settings.archive.mkdir(parents=True, exist_ok=True)
    for url in (settings.inbox_url, settings.carrier_url):
        if url.scheme == "maildir":
            for name in ("tmp", "new", "cur"):
                (settings.home / url.path / name).mkdir(parents=True, exist_ok=True)
    return settings
