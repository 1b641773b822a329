"""Creation of campaigns: stored rows, and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pbem.actions.create import NewCampaign, check_seats, create_campaign, render_created
from pbem.errors import CampaignError
from pbem.ruleset import SetupError, seed_hash
from pbem.store.models import Campaign, JournalEntry
from pbem_rules import harvester
from tests.toy.home import MONDAY, Desk


def wanted(**changes: Any) -> NewCampaign:
    """Return a valid campaign, but for the changes."""
    facts: dict[str, Any] = {
        "name": "toy1",
        "game": "toy",
        "gm": "gm@example.org",
        "seats": [("blue", "bob@example.org"), ("red", "ann@Example.ORG")],
        "deadline": "FRI  20:00  Europe/Berlin",
        "options": {},
    }
    return NewCampaign(**facts | changes)


def test_a_campaign_is_written_with_all_its_options(desk: Desk) -> None:
    """Missing options get their defaults; seats are in the order of the game; a journal begins."""
    create_campaign(desk.app, wanted(options={"rounds": "5", "rich": "yes"}), MONDAY)

    with desk.app.store.reading() as session:
        campaign = session.scalars(select(Campaign)).one()
        assert campaign.options == {"pace": "together", "purses": None, "rich": True, "rounds": 5}
        assert [(seat.name, seat.address) for seat in campaign.seats] == [
            ("red", "ann@example.org"),
            ("blue", "bob@example.org"),
        ]
        assert (campaign.status, campaign.schedule) == ("forming", "FRI 20:00 Europe/Berlin")
        said = session.scalars(select(JournalEntry.text)).one()
        assert said == f"created: Toy Auction, seats red, blue; dice seal {seed_hash(campaign.seed)}"


def test_a_file_option_is_read_as_json(desk: Desk, tmp_path: Path) -> None:
    """The content of the file is stored with the campaign, so the file may change or go afterwards."""
    path = tmp_path / "purses.json"
    path.write_text(json.dumps({"red": 7, "blue": 9}))
    create_campaign(desk.app, wanted(options={"purses": str(path)}), MONDAY)

    with desk.app.store.reading() as session:
        assert session.scalars(select(Campaign)).one().options["purses"] == {"red": 7, "blue": 9}


def test_open_seats_are_numbered_behind_those_that_have_names() -> None:
    """In a game without seat names, open seats are numbered after the named ones, and no name is given twice."""
    seats = [("ann", "a@example.org"), ("seat4", "b@example.org"), ("cyd", "c@example.org")]

    assert list(check_seats(harvester.RULESET, seats, "orders@example.org", more=2)) == [
        *("ann", "seat4", "cyd", "seat5", "seat6"),
    ]


def test_an_address_with_two_seats_is_told(desk: Desk) -> None:
    """One may play alone to try a game; what may be a slip is told, with the command that gives a seat to another."""
    seats = [("red", "a@example.org"), ("blue", "b@example.org"), ("green", "A@example.org")]
    lines = list(render_created("toy1", create_campaign(desk.app, wanted(seats=seats), MONDAY)))

    said = "a@example.org plays red and green. To give a seat to another: pbem give toy1 green to ADDRESS"
    assert said in lines
    assert not any("b@example.org" in line for line in lines)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "Toy One"}, "a campaign cannot be called 'Toy One': use 1 to 40 of a-z, 0-9 and -, such as toy-one"),
        ({"name": "x" * 41}, "use 1 to 40 of a-z, 0-9 and -"),
        ({"game": "tyo"}, "there is no game 'tyo' here: did you mean toy?"),
        ({"gm": "the boss"}, "'the boss' cannot be the address of the GM: write it like ann@example.org"),
        ({"seats": [("rde", "a@example.org")]}, 'Toy Auction has no seat "rde". Did you mean red?'),
        ({"seats": [("rde", "a@example.org"), ("red", "b@example.org")]}, '"rde". Seats: blue, green, '),
        ({"seats": [("red", "a@example.org")]}, "Toy Auction is for 2 to 4 players, not 1: give each a --seat"),
        ({"seats": [("red", "a@example.org"), ("RED", "b@example.org")]}, "seat red is given twice"),
        ({"seats": [("red", "ann"), ("blue", "b@example.org")]}, "'ann' cannot be the address of seat red"),
        ({"seats": [("red", "a@b\n.org"), ("blue", "b@example.org")]}, "cannot be the address of seat red"),
        ({"seats": [("red", "Orders@example.org")]}, "cannot be the address of seat red: orders are sent there"),
        ({"gm": "orders@example.org"}, "orders@example.org cannot be the address of the GM: orders are sent there"),
        ({"seats": [("red", "No-Reply@example.org")]}, "its mail would be taken for a program's"),
        ({"deadline": "FRI"}, '"FRI" is not a schedule'),
        ({"options": {"round": "3"}}, "Toy Auction has no option 'round': did you mean rounds?"),
        ({"options": {"purses": "/nowhere.json"}}, "option purses: /nowhere.json cannot be read (No such file"),
        ({"policy": {"settle": "8d"}}, 'settle cannot be "8d". Expected: off, or 1m to 7d'),
        ({"policy": {"schedule": "EVERY 12h"}}, "a campaign has one schedule"),
        ({"deadline": ""}, "a campaign has one schedule"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(desk: Desk, changes: dict[str, Any], said: str) -> None:
    """An error names the wrong value and the nearest valid one; nothing is stored."""
    with pytest.raises(CampaignError) as refused:
        create_campaign(desk.app, wanted(**changes), MONDAY)

    assert said in str(refused.value)
    with desk.app.store.reading() as session:
        assert session.scalars(select(Campaign)).all() == []


def test_a_value_out_of_bounds_is_refused_by_the_option(desk: Desk) -> None:
    """The error has the option's own words for what is allowed."""
    with pytest.raises(SetupError, match="option rounds cannot be '99': it is a whole number from 1 to 20"):
        create_campaign(desk.app, wanted(options={"rounds": "99"}), MONDAY)


def test_a_file_that_is_not_json_is_refused(desk: Desk, tmp_path: Path) -> None:
    """The error names the broken file."""
    path = tmp_path / "purses.json"
    path.write_text("{")

    with pytest.raises(CampaignError, match=r"purses\.json is not JSON"):
        create_campaign(desk.app, wanted(options={"purses": str(path)}), MONDAY)


def test_a_name_is_given_once(desk: Desk) -> None:
    """Two campaigns cannot have the same name."""
    create_campaign(desk.app, wanted(), MONDAY)

    with pytest.raises(CampaignError, match="there is a campaign 'toy1' already"):
        create_campaign(desk.app, wanted(), MONDAY)
