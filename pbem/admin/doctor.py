"""The doctor: checks of settings, folders, games, templates and time zones, and all others."""

from __future__ import annotations

import datetime as dt
import shlex
import shutil
import stat
import tempfile
import zoneinfo
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pbem.admin.checks import CheckResult, Diagnosis, check_database, failure, ok, warning
from pbem.admin.mail_checks import check_mail, check_stored_mail
from pbem.app import TEMPLATE_DIR
from pbem.config import Settings, find_settings_problems, load_settings
from pbem.config_values import FILE_NAME
from pbem.errors import reason_of
from pbem.games import InstalledGames
from pbem.report.template_check import (
    TemplateFault,
    check_rendering,
    check_syntax,
    list_custom_templates,
    run_in_child,
)
from pbem.ruleset.protocol import AnyRuleset
from pbem.site.publish import sample_pages
from pbem.util import Progress, no_progress, use_newest_zones

LEAST_FREE = 200_000_000
"""The free bytes below which there is a warning."""


def check_settings(home: Path) -> Iterator[CheckResult]:
    """Check that pbem.toml can be used; yield each faulty key by itself."""
    problems = find_settings_problems(home)
    for problem in problems:
        yield failure(FILE_NAME, problem, f"correct it in {home / FILE_NAME}; docs/hosting.md shows the forms")
    if not problems:
        yield ok(FILE_NAME, "every setting can be read")


def check_folders(settings: Settings) -> Iterator[CheckResult]:
    """Check that home, archive and Maildirs can be written to, by writing an unnamed temporary file."""
    yield _check_writable("home", settings.home)
    yield _check_writable("archive", settings.archive)
    for name, url in (("inbox", settings.inbox_url), ("carrier", settings.carrier_url)):
        if url.scheme == "maildir":
            parts = [_check_writable(name, settings.home / url.path / part) for part in ("", "tmp", "new", "cur")]
            yield next((part for part in parts if part.result != "ok"), parts[0])


def _check_writable(name: str, folder: Path) -> CheckResult:
    # A folder that is not there yet is made when it is needed, so the first one above it counts.
    there = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there, buffering=0) as file:
            file.write(b"\0")  # on a full disk it can be made, and stays empty
    except NotADirectoryError:
        return failure(f"{name} folder", f"{there} is a file where a folder must be", f"move {there} away")
    except OSError as error:
        mend = "give the user that pbem runs as the right to write there (chown, chmod), or free space on the disk"
        return failure(f"{name} folder", f"nothing can be written in {there}: {reason_of(error)}", mend)
    will = "" if there == folder else "; it is made when it is needed"
    return ok(f"{name} folder", f"{folder} can be written to{will}")


def check_free_space(settings: Settings) -> CheckResult:
    """Check that there is room for another night's mail."""
    free = shutil.disk_usage(settings.home).free
    text = f"{free // 1_000_000:,} MB are free where the home is"
    if free < LEAST_FREE:
        return warning("disk", text, "free some space: without it no message can be stored")
    return ok("disk", text)


def check_games(games: InstalledGames) -> Iterator[CheckResult]:
    """Check that every installed game can be played."""
    faults = games.faults()
    for fault in faults.values():
        mend = "install a version of the package that goes with this one of pbem, or uninstall it"
        yield failure("games", fault, mend)
    if not faults:
        yield ok("games", f"all {len(games)} that are installed can be played")


def check_templates(settings: Settings, games: Mapping[str, AnyRuleset]) -> Iterator[CheckResult]:
    """Check that templates of GM and games compile and render, and that the GM's have names that are used."""
    own = settings.own_templates
    faults = run_in_child(partial(_find_template_faults, own, games))
    for fault in faults:
        where = own / fault.name if own else Path(fault.name)
        if fault.fatal:
            correct = f"correct {where}; to have the usual text, remove it"
            mend = correct if where.exists() else "the game brings it: ask its author, or reword it yourself"
            mend = mend if fault.name else "take out those that were changed last"
            yield failure("templates", ", ".join(filter(None, (fault.name, fault.text))), mend)
        else:
            yield warning("templates", f"{fault.name}: {fault.text}", f"rename {where}, or remove it")
    if not faults and own:
        written = "mails, reports and pages were written with them, from samples"
        yield ok("templates", f"{len(list_custom_templates(own))} of your own; {written}")
    elif not faults:
        yield ok("templates", "the program's own are used")


def _find_template_faults(own: Path | None, games: Mapping[str, AnyRuleset]) -> list[TemplateFault]:
    faults = list(check_syntax(own, TEMPLATE_DIR, games)) if own else []
    # A template that does not compile cannot be rendered either, and is reported once.
    if not any(fault.fatal for fault in faults):
        faults += check_rendering(own, TEMPLATE_DIR, games, sample_pages)
    return faults


def check_time_zones() -> CheckResult:
    """Check that this machine has time zone data, and name the release in use."""
    releases = use_newest_zones()
    try:
        ZoneInfo("Europe/Berlin")
    except (ZoneInfoNotFoundError, OSError, ValueError):
        mend = "install them: apt-get install tzdata, or pip install tzdata beside pbem"
        return failure("time zones", "this machine has no time zone data", mend)
    system, package = releases
    if zoneinfo.TZPATH:
        return ok("time zones", f"release {system} of the system" if system else "the data of the system")
    older = f"; the system's is {system}" if releases.newer == "package" else ""
    return ok("time zones", f"release {package} of the package tzdata{older}")


_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_permissions(settings: Settings) -> CheckResult:
    """Check that other users cannot read private files, and name the command that keeps them out."""
    found = [str(place) for place in _private_places(settings) if _is_open(place)]
    if not found:
        return ok("privacy", "no other user of this machine can read database, archive, log or mail")
    close = f"run: chmod -R go= {shlex.join(found)}"
    return warning("privacy", f"other users of this machine can read {', '.join(found)}", close)


def _private_places(settings: Settings) -> Iterator[Path]:
    """Yield the files and folders with secrets in them."""
    scheme, _, path = settings.database.partition(":///")
    if scheme == "sqlite":
        # SQLite's journal has the newest rows, so it is as private as the file.
        yield from (Path(path + ending) for ending in ("", "-wal", "-shm"))
    yield settings.archive
    yield from settings.log.parent.glob(f"{settings.log.name}*")
    for url in (settings.inbox_url, settings.carrier_url):
        if url.scheme == "maildir":
            yield settings.home / url.path
    if settings.dkim is not None:
        yield settings.dkim.key_file


def _is_open(place: Path) -> bool:
    """Return True if other users can read a file or enter a folder: neither it nor a folder above keeps them out."""
    with suppress(OSError):  # what is not there is not open
        # One folder that is closed to others closes all that is in it, whatever the files' own modes are.
        return all(path.stat().st_mode & _OTHERS for path in (place, *place.parents))
    return False


def run_checks(home: Path, now: dt.datetime, games: InstalledGames, *, progress: Progress = no_progress) -> Diagnosis:
    """Run all checks of a home. Nothing is changed, moved or sent, and no password is shown."""
    checks = []
    for number, check in enumerate(_iter_checks(home, now, games, progress), start=1):
        checks.append(check)
        progress("examining", number, 0)
    results = [check.result for check in checks]
    return Diagnosis(results.count("problem"), results.count("warning"), tuple(checks))


def _iter_checks(home: Path, now: dt.datetime, games: InstalledGames, progress: Progress) -> Iterator[CheckResult]:
    file = list(check_settings(home))
    yield from file
    yield check_time_zones()
    yield from check_games(games)
    if any(check.result == "problem" for check in file):
        return  # without settings there is nothing else to check
    settings = load_settings(home)
    yield from check_folders(settings)
    yield check_permissions(settings)
    yield check_free_space(settings)
    database = list(check_database(settings, now, games.usable(), progress=progress))
    yield from database
    yield from check_templates(settings, games.usable())
    usable = all((each.name, each.result) != ("database", "problem") for each in database)
    yield from check_mail(settings, now, database=usable)
    if usable:
        yield from check_stored_mail(settings)
