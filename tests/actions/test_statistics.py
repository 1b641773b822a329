"""Statistics of a campaign: punctuality of sheets, length of turns, and fading players."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem.actions.base import CLI, run_action, run_query
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.actions.statistics import MOST_ROWS, SheetTiming, ShowStatistics, Statistics, statistics_chart
from pbem.cli import main
from pbem.report.pictures import check_svg
from pbem_rules.singularity_trap import RULESET
from tests.toy.home import ADDRESSES, GAMES, Desk, open_desk

EVENING = dt.datetime(2026, 11, 3, 20, 0, tzinfo=dt.UTC)
"""The deadline of the first turn; the others follow a day after each other."""

HOURS = {
    "red": (6, 3, -2, 8),
    "blue": (1, None, None, None),
    "green": (5, 5, 5, None),
}
"""Hours before the deadline at which each seat sends its sheet, by turn; None for no sheet."""


def send(desk: Desk, seat: str, at: dt.datetime) -> None:
    """Send a sheet of a seat at this time."""
    desk.now = at
    desk.post(f"ORDERS toy1 {seat}\nBID 1\nEND", sender=ADDRESSES[seat])
    desk.tick()


def evening(number: int) -> dt.datetime:
    """Return the deadline of a turn."""
    return EVENING + dt.timedelta(days=number)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Yield a campaign with three turns played; the fourth is open, an hour before its deadline."""
    with open_desk(tmp_path_factory.mktemp("statistics") / "home") as desk:
        rules = {"grace": "4h"}
        desk.begin(seats=("red", "blue", "green"), rounds="9", deadline="DAILY 20:00 UTC", rules=rules)
        for number in range(4):
            sent = [(hours[number], seat) for seat, hours in HOURS.items()]
            for hours, seat in sorted(((hours, seat) for hours, seat in sent if hours is not None), reverse=True):
                send(desk, seat, evening(number) - dt.timedelta(hours=hours))
            if number < 3:
                desk.now = evening(number) + dt.timedelta(hours=5)
                desk.tick()
        desk.now = evening(3) - dt.timedelta(hours=1)
        yield desk


@pytest.fixture(scope="module")
def found(played: Desk) -> Statistics:
    """Return its statistics."""
    return run_query(played.app, "toy1", ShowStatistics(), played.now)


def run(desk: Desk, *words: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(
        main,
        ["--home", str(desk.home), "status", words[0], "--stats", *words[1:], "--now", desk.now.isoformat()],
        obj=GAMES,
    )


def test_sheets_are_told_by_seat_and_turn(found: Statistics) -> None:
    """Each sheet is in time or late, with its hours before the deadline, or missed, or awaited."""
    assert [turn.turn for turn in found.turns if turn.resolved is None] == [4]
    told = [{seat: (str(sheet.came), sheet.hours) for seat, sheet in turn.sheets.items()} for turn in found.turns]

    assert told[0] == {"red": ("on_time", 6), "blue": ("on_time", 1), "green": ("on_time", 5)}
    assert told[1] == {"red": ("on_time", 3), "blue": ("missed", None), "green": ("on_time", 5)}
    assert told[2] == {"red": ("late", -2), "blue": ("missed", None), "green": ("on_time", 5)}
    assert told[3] == {"red": ("on_time", 8), "blue": ("pending", None), "green": ("pending", None)}


def test_seats_are_told_in_all(found: Statistics) -> None:
    """Each seat has its counts of sheets, their usual time, and the time of its player's last message."""
    seats = {each.seat: (each.in_time, each.late, each.missed, each.hours) for each in found.seats}

    assert seats == {"red": (3, 1, 0, 4.5), "blue": (1, 0, 2, 1.0), "green": (3, 0, 0, 5.0)}
    assert [each.last_word for each in found.seats] == [
        evening(3) - dt.timedelta(hours=8),
        evening(0) - dt.timedelta(hours=1),
        evening(2) - dt.timedelta(hours=5),
    ]


def test_turns_have_their_length_and_scores(found: Statistics) -> None:
    """A turn's length is from its opening to its run; its scores are those with which it opened."""
    assert [turn.hours for turn in found.turns[1:]] == [24.0, 24.0, None]
    assert found.turns[0].scores == dict.fromkeys(HOURS, 0)
    assert sum(found.turns[3].scores.values()) == 3


def test_who_may_drop_out_is_told_with_the_reasons(played: Desk, found: Statistics) -> None:
    """Reasons are missed sheets, silence, and consequences by the house rules; other players have none."""
    fading = {each.seat: each.fading for each in found.seats if each.fading}
    assert fading == {"blue": ("missed 2 of the last 3",)}

    later = run_query(played.app, "toy1", ShowStatistics(), played.now + dt.timedelta(days=9))
    assert {each.seat: each.fading for each in later.seats} == {
        "red": ("last word 9 days ago",),
        "blue": ("missed 2 of the last 3", "last word 12 days ago"),
        "green": ("last word 10 days ago",),
    }


def test_the_command_shows_tables(played: Desk) -> None:
    """The command line shows all numbers in tables."""
    assert run(played, "toy1").output == (
        """\
toy1: Toy Auction, 3 turns played, usually 24 h each
  seat   on time  late  missed  usually comes  last word
  blue         1     0       2  1 h before     3.0 days ago
  red          3     1       0  4 h before     7 h ago
  green        3     0       0  5 h before     28 h ago

Hours before the deadline that the first sheet came; late ones have a minus:
  turn  opened               took  red  blue     green
     1  Mon 2 Nov 09:00 UTC  40 h  6    1        5
     2  Wed 4 Nov 01:00 UTC  24 h  3    missed   5
     3  Thu 5 Nov 01:00 UTC  24 h  -2   missed   5
     4  Fri 6 Nov 01:00 UTC  open  8    pending  pending

Scores as each turn opened, which players may not know:
  turn  blue  red  green
     1     0    0      0
     2     1    0      0
     3     1    1      0
     4     2    1      0

May drop out:
  blue (bob@example.org): missed 2 of the last 3
"""
    )


def test_scripts_get_all_of_it(played: Desk) -> None:
    """The JSON has the same names as the facts."""
    told = json.loads(run(played, "toy1", "--json").output)

    assert told["turns"][2]["sheets"]["red"] == {"came": "late", "at": "2026-11-05T22:00:00+00:00", "hours": -2.0}
    assert told["seats"][1]["fading"] == ["missed 2 of the last 3"]


def test_a_picture_is_drawn(played: Desk, found: Statistics, tmp_path: Path) -> None:
    """The chart is SVG or PNG, by the ending; the painter accepts it, and it has a box for each sheet."""
    for name, begins in (("stats.svg", b"<svg "), ("stats.PNG", b"\x89PNG")):
        assert run(played, "toy1", "--picture", str(tmp_path / name)).exit_code == 0
        assert (tmp_path / name).read_bytes().startswith(begins)
    check_svg(statistics_chart(found))
    assert statistics_chart(found).svg.count('fill="#c8443c"/>') == 2 + 1  # missed twice, and the key
    refused = run(played, "toy1", "--picture", str(tmp_path / "stats.gif"))
    assert (refused.exit_code, "Call it like" in refused.output) == (1, True)


def test_a_picture_of_many_seats_has_the_worst(found: Statistics) -> None:
    """The chart has a limited height, with the fading players first."""
    many = [each for each in found.seats if not each.fading] * MOST_ROWS
    worst = next(each for each in found.seats if each.fading)
    crowd = Statistics(**{name: getattr(found, name) for name in found.__slots__} | {"seats": (*many, worst)})

    assert statistics_chart(crowd).height < 1300
    assert f"({MOST_ROWS} of {len(many) + 1} seats)" in statistics_chart(crowd).svg
    assert ">blue</text>" in statistics_chart(crowd).svg


def test_before_the_start_there_is_nothing_yet(tmp_path: Path) -> None:
    """A campaign without played turns has statistics and a chart, too."""
    with open_desk(tmp_path / "home") as desk:
        desk.begin(seats=("red", "blue"))
        found = run_query(desk.app, "toy1", ShowStatistics(), desk.now)

    assert [sheet.came for turn in found.turns for sheet in turn.sheets.values()] == [
        SheetTiming.PENDING,
        SheetTiming.PENDING,
    ]
    assert [each.fading for each in found.seats] == [(), ()]
    check_svg(statistics_chart(found))


def test_scores_that_all_players_know_are_not_called_secret(tmp_path: Path) -> None:
    """The Trap lists the planets of all players in each report."""
    trap = {RULESET.key: RULESET}
    wanted = NewCampaign(
        name="trap",
        game="singularity_trap",
        gm="gm@example.org",
        seats=[(seat, f"{seat}@example.org") for seat in ("red", "blue")],
        deadline="DAILY 20:00 UTC",
        options={},
    )
    with open_desk(tmp_path / "home", games=trap) as desk:
        create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")
        run_action(desk.app, "trap", StartCampaign(), desk.now)
        desk.tick()
        told = ShowStatistics().render(run_query(desk.app, "trap", ShowStatistics(), desk.now), CLI)
        assert "Scores as each turn opened:" in list(told)
