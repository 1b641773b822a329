"""Tests that the benchmark of a night counts all of its mails, and refuses a night that did less."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.night import FLOOR, HOUSE, PLAYER, STAGES, Miscount, Night, measure, rows
from bench.parts.clock import Spent, Stages, medians
from bench.parts.club import Club
from pbem.games import installed_games
from tests.servers.mail import MailServer

SEATS = 2


class ForgetfulClub(Club):
    """A club with a player who has written orders and not sent them."""

    def sheets(self) -> list[bytes]:
        """Return all order mails but the first."""
        return super().sheets()[1:]


def played(kind: type[Club], server: MailServer, home: Path) -> Club:
    """Return a club after its first turn."""
    club = kind(home, installed_games()["singularity_trap"], SEATS, server.address(HOUSE), server.address(PLAYER))
    club.play(1)
    return club


def test_a_night_and_its_floor_carry_the_same_mails(mail_server: MailServer, tmp_path: Path) -> None:
    """Each sheet brings a receipt and each seat gets a report, once by the night and once by the floor."""
    club = played(Club, mail_server, tmp_path / "home")

    night = measure(mail_server, club)
    assert night.came >= len(club.players) >= SEATS
    assert night.sent == night.came + len(club.players)
    assert len(mail_server.mails(PLAYER, at_least=2 * night.sent)) == 2 * night.sent
    assert len(mail_server.mails(HOUSE, folder="Processed")) == night.came
    assert (tuple(night.stages.spent), tuple(night.floor.spent)) == (STAGES, FLOOR)


def test_a_night_that_left_work_undone_is_refused(mail_server: MailServer, tmp_path: Path) -> None:
    """A night is refused if a turn was not resolved because a sheet is missing."""
    club = played(ForgetfulClub, mail_server, tmp_path / "home")

    with pytest.raises(Miscount, match="turns resolved: 0 instead of 1"):
        measure(mail_server, club)


def test_the_median_of_each_stage_is_taken() -> None:
    """Medians are taken by stage, of wall-clock and processor time separately, so that one slow night does not show."""
    runs = [Stages({"send": Spent(wall, cpu)}) for wall, cpu in ((9, 1), (2, 7), (3, 2))]

    assert medians(runs).spent == {"send": Spent(3, 2)}


def test_the_table_tells_the_ratio() -> None:
    """Rows show wall-clock and processor time, and the ratio of night and floor."""
    stages = Stages(dict.fromkeys(STAGES, Spent(3.0, 1.0)))
    night = Night(came=6, sent=12, size=300_000, stages=stages, floor=Stages(dict.fromkeys(FLOOR, Spent(2.0, 1.0))))

    wall, cpu = rows(6, [night], pictures=False)
    assert wall.split()[:6] == ["6", "no", "1.00", "2.00", "50", "wall"]
    assert (wall.split()[-1], cpu.split()[-1]) == ("3.00", "2.00")
