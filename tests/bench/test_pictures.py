"""Tests that the benchmark of pictures paints each picture in both ways."""

from __future__ import annotations

from bench.pictures import BYTES_AIM, rows
from pbem.games import installed_games


def test_each_picture_of_a_report_has_a_row() -> None:
    """A game's chart and region are measured, each painted both ways, and meet the aim of size."""
    region, chart = rows(installed_games()["singularity_trap"], turns=2, count=2)

    assert (chart.name, region.name) == ("singularity_trap chart", "singularity_trap region")
    assert (chart.count, region.count) == (2, 2)
    assert 0 < region.most < chart.most <= BYTES_AIM
    assert chart.whole_size > chart.size


def test_a_game_without_pictures_has_no_rows() -> None:
    """A game without pictures is left out."""
    assert list(rows(installed_games()["gm_adjudicated"], turns=1, count=1)) == []
