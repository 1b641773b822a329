"""The newer of two releases of time zone data decides."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
import tzdata

from pbem.admin.doctor import check_time_zones
from pbem.util import ZoneReleases, find_zone_releases, use_newest_zones

PACIFIC = "America/Vancouver"
WINTER = dt.datetime(2026, 12, 5, 4, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def _zones(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("PYTHONTZPATH", raising=False)
    before = zoneinfo.TZPATH
    yield
    zoneinfo.reset_tzpath(before)
    zoneinfo.ZoneInfo.clear_cache()


def make_system(folder: Path, head: str) -> str:
    """Make the data of a system in which Vancouver has winter time, and have Python use it."""
    (folder / "America").mkdir()
    (folder / PACIFIC).write_bytes(files("tzdata.zoneinfo.America").joinpath("Los_Angeles").read_bytes())
    (folder / "tzdata.zi").write_text(head)
    zoneinfo.reset_tzpath([str(folder)])
    zoneinfo.ZoneInfo.clear_cache()
    return str(folder)


def hour() -> int:
    """Return the hour in Vancouver at 4:00 UTC of a day in December 2026."""
    return WINTER.astimezone(zoneinfo.ZoneInfo(PACIFIC)).hour


@pytest.mark.parametrize(
    ("head", "used", "said"),
    [
        ("# version 2025b\nR x\n", 21, f"release {tzdata.IANA_VERSION} of the package tzdata; the system's is 2025b"),
        ("# version 2999a\nR x\n", 20, "release 2999a of the system"),
        ("# some comment\n", 20, "the data of the system"),
        ("", 20, "the data of the system"),
    ],
)
def test_the_newer_data_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: str, used: int, said: str
) -> None:
    """Since 2026 Vancouver has no winter time: a system with older data would have its deadlines an hour late."""
    folder = make_system(tmp_path, head)
    assert hour() == 20
    monkeypatch.setattr("pbem.util._SYSTEM_ZONES", (folder,))
    use_newest_zones()

    assert hour() == used
    assert check_time_zones().text == said


def test_a_path_that_is_set_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PYTHONTZPATH decides where it is set."""
    folder = make_system(tmp_path, "# version 2025b\n")
    monkeypatch.setattr("pbem.util._SYSTEM_ZONES", (folder,))
    monkeypatch.setenv("PYTHONTZPATH", folder)
    use_newest_zones()

    assert hour() == 20


def test_a_system_without_data(tmp_path: Path) -> None:
    """The first folder that has any counts; without one the package is used."""
    (tmp_path / "tzdata.zi").write_text("# version 2025b\n")

    assert find_zone_releases(("/nowhere", str(tmp_path))) == ZoneReleases("2025b", tzdata.IANA_VERSION)
    assert find_zone_releases(("/nowhere",)).system == ""
