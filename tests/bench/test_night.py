"""The benchmark of a night counts all of its mails, and takes no time of a night that did less."""

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
    """A club with a player who has written his orders, and left them lying."""

    def sheets(self) -> list[bytes]:
        """All order mails but the first."""
        return super().sheets()[1:]


def played(kind: type[Club], server: MailServer, home: Path) -> Club:
    """A club after its first turn."""
    club = kind(home, installed_games()["singularity_trap"], SEATS, server.address(HOUSE), server.address(PLAYER))
    club.play(1)
    return club


def test_a_night_and_its_floor_carry_the_same_mails(mail_server: MailServer, tmp_path: Path) -> None:
    """Each sheet brings a receipt and each seat gets a report, by the night and by the floor once more."""
    club = played(Club, mail_server, tmp_path / "home")

    night = measure(mail_server, club)
    assert night.came >= len(club.players) >= SEATS
    assert night.sent == night.came + len(club.players)
    assert len(mail_server.mails(PLAYER, at_least=2 * night.sent)) == 2 * night.sent
    assert len(mail_server.mails(HOUSE, folder="Processed")) == night.came
    assert (tuple(night.stages.spent), tuple(night.floor.spent)) == (STAGES, FLOOR)


def test_a_night_that_left_work_undone_is_refused(mail_server: MailServer, tmp_path: Path) -> None:
    """If a turn was not resolved, since a sheet did not come, there is no figure at all."""
    club = played(ForgetfulClub, mail_server, tmp_path / "home")

    with pytest.raises(Miscount, match="turns resolved: 0 instead of 1"):
        measure(mail_server, club)


def test_the_median_of_each_stage_is_taken() -> None:
    """Stages are taken one by one, and wall and processor time apart, so that one slow night does not show."""
    runs = [Stages({"send": Spent(wall, cpu)}) for wall, cpu in ((9, 1), (2, 7), (3, 2))]

    assert medians(runs).spent == {"send": Spent(3, 2)}


def test_the_table_tells_the_ratio() -> None:
    """Of each number of seats a row tells wall and one processor time, and how many times the floor the night took."""
    stages = Stages(dict.fromkeys(STAGES, Spent(3.0, 1.0)))
    night = Night(came=6, sent=12, size=300_000, stages=stages, floor=Stages(dict.fromkeys(FLOOR, Spent(2.0, 1.0))))

    wall, cpu = rows(6, [night], pictures=False)
    assert wall.split()[:6] == ["6", "no", "1.00", "2.00", "50", "wall"]
    assert (wall.split()[-1], cpu.split()[-1]) == ("3.00", "2.00")
