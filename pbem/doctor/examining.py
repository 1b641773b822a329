"""The whole examination, in the order in which things depend on one another."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

from pbem.config import load_settings
from pbem.doctor.database import database
from pbem.doctor.mail import mail
from pbem.doctor.places import disk, folders, games, settings_file, templates, zones
from pbem.doctor.privacy import privacy
from pbem.doctor.verdict import Diagnosis, Examined
from pbem.games import Catalogue
from pbem.util import Progress, silent


def examine(home: Path, now: dt.datetime, catalogue: Catalogue, *, progress: Progress = silent) -> Diagnosis:
    """Looks at all of a home. Nothing is changed, moved or sent, and no password is told."""
    checks = []
    for number, check in enumerate(_checks(home, now, catalogue, progress), start=1):
        checks.append(check)
        progress("examining", number, 0)
    results = [check.result for check in checks]
    return Diagnosis(results.count("problem"), results.count("warning"), tuple(checks))


def _checks(home: Path, now: dt.datetime, catalogue: Catalogue, progress: Progress) -> Iterator[Examined]:
    file = list(settings_file(home))
    yield from file
    yield zones()
    yield from games(catalogue)
    if any(check.result == "problem" for check in file):
        return  # without settings nobody knows what else to look at
    settings = load_settings(home)
    yield from folders(settings)
    yield privacy(settings)
    yield disk(settings)
    yield from database(settings, now, catalogue.usable(), progress=progress)
    yield from templates(settings, catalogue.usable())
    yield from mail(settings)
