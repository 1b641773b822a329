"""A match in memory is the campaign that is played by mail."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from pbem.archive.record import load_dice_words, mixed_seed, setup_dice
from pbem.bots.match import Match
from pbem.cli.demo import run_demo
from pbem.errors import SetupError
from pbem.games import installed_games
from pbem.ruleset import Dice, Order
from pbem.testing.play import default_options
from tests.toy.ruleset import Auction

SEATS = ("red", "blue", "green")


def auction(**options: object) -> Match:
    """Return a match of the toy."""
    return Match(Auction(), {**default_options(Auction()), **options}, SEATS, b"seed")


def orders(match: Match, *lines: str) -> dict[str, tuple[Order, ...]]:
    """Return the same orders for each awaited seat."""
    parse = match.ruleset.parse
    return {seat: parse(match.view(seat), list(enumerate(lines, 1))).orders for seat in match.standing.awaiting}


def read_record(folder: Path) -> dict[str, Any]:
    """Return the record of an archived turn."""
    record: dict[str, Any] = json.loads((folder / "turn.json").read_text())
    return record


@pytest.mark.sampled(1)
@pytest.mark.parametrize("key", ["singularity", "harvester", "bubble_singularity"])
def test_a_match_is_the_campaign(key: str, tmp_path: Path) -> None:
    """With the seed and the orders of a campaign played by mail, every view is the one that was mailed."""
    game = installed_games()[key]
    played = run_demo(tmp_path, installed_games(), game=key, turns=6)
    setup, *turns = sorted(played.archive.glob("0*"))
    first = read_record(setup)
    seed = mixed_seed(hashlib.sha256(b"demo").digest(), load_dice_words(first))
    match = Match(game, first["options"], first["seats"], seed)

    compared = 0
    for number, folder in enumerate([setup, *turns]):
        if number:
            match.run(
                {
                    seat: tuple(map(game.orders.from_json, listed))
                    for seat, listed in read_record(folder)["orders"].items()
                }
            )
        for report in sorted((folder / "reports").glob("*.json")):
            view = json.loads(report.read_text())["view"]
            assert match.view(view["seat"]) == view
            compared += 1
    assert compared > 6


def test_a_seat_without_a_sheet_gets_its_defaults() -> None:
    """A match runs with the sheets there are."""
    match = auction()
    match.run({})

    assert match.turns == 1
    assert {"kind": "missed"} in match.view("red")["events"]


def test_a_seat_hears_of_all_that_happened_since_its_last_report() -> None:
    """A seat that gets no report when others move is told of their turns in its next one."""
    match = auction(pace="in_turn", rounds=9)
    before = match.view("red")
    match.run(orders(match, "BID 1", "WHISPER green deal"))
    assert match.view("red") == before
    for _ in range(2):
        match.run(orders(match, "BID 1"))

    kinds = [event["kind"] for event in match.view("red")["events"]]
    assert kinds.count("prize") == 3


def test_all_seats_are_told_of_the_set_up() -> None:
    """The first report goes to all, also where later ones go to those who move."""
    match = auction(pace="in_turn")

    assert [match.view(seat)["label"] for seat in SEATS] == ["round 1"] * 3


def test_a_view_is_a_copy() -> None:
    """A bot that changes its view changes nothing else."""
    match = auction()
    view = dict(match.view("red"))
    view["purse"] = 10**6
    match.view("red")["others"].clear()

    assert match.view("red")["others"] == ["blue", "green"]
    assert match.view("red")["purse"] < 100


def test_a_game_that_cannot_be_set_up_is_refused() -> None:
    """Seats that the game does not have are refused as by the host."""
    with pytest.raises(SetupError, match="is played by"):
        Match(Auction(), default_options(Auction()), ("mauve",), b"seed")


def test_the_dice_are_those_of_a_campaign() -> None:
    """The set-up draws from the dice of a campaign with the same seed."""
    assert auction().view("red")["purse"] == 10 + setup_dice(b"seed").roll(6, "purse", "red")
    assert Dice(b"seed") != Dice(b"other")
