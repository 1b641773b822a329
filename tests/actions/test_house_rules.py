"""Actions on house rules: several in one change, the schedule and the title among them."""

from __future__ import annotations

import dataclasses

import pytest
from sqlalchemy import select

from pbem.actions.base import CLI, run_action, run_query
from pbem.actions.settings import SetHouseRule, ShowHouseRules
from pbem.actions.status import ShowStatus
from pbem.admin.health import home_status
from pbem.campaign.house_rules import HouseRules
from pbem.errors import CampaignError
from pbem.store.models import Campaign, JournalEntry
from tests.actions.history import rows, snapshot
from tests.inbox.people import ANN, BOB
from tests.toy.home import Desk


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def set_rules(desk: Desk, **rules: str) -> str:
    """Change house rules as a GM does; return the answer."""
    return run_action(desk.app, "toy1", SetHouseRule(rules), desk.now).done


def listing(desk: Desk) -> list[str]:
    """Return the list of house rules as it is mailed."""
    facts = run_query(desk.app, "toy1", ShowHouseRules(), desk.now)
    return [line for part in ShowHouseRules().render(facts, CLI) for line in part.splitlines()]


def test_several_rules_and_the_schedule_are_one_change(desk: Desk) -> None:
    """One journal entry names all rules, players are told of the schedule, and the open turn keeps its deadline."""
    before = home_status(desk.app, "toy1").campaigns[0].deadline
    said = set_rules(desk, schedule="SAT 20:00 Europe/Berlin", grace="12h", late_list="players")

    named = "schedule SAT 20:00 Europe/Berlin, grace 12h, late-list players"
    assert said == f"house rules changed: {named}."
    assert [entry.text for entry in rows(desk, JournalEntry)][-1] == f"house rules: {named}"
    assert snapshot(desk).schedule.text == "SAT 20:00 Europe/Berlin"
    assert snapshot(desk).policy == HouseRules(authentication="address", grace=720, late_list="players")
    assert home_status(desk.app, "toy1").campaigns[0].deadline == before
    desk.tick()
    subjects = {mail["Subject"] for player in (ANN, BOB) for mail in [desk.last(player)]}
    assert subjects == {"[toy1] new schedule: SAT 20:00 Europe/Berlin"}


@pytest.mark.parametrize("wrong", [{"schedule": "FRI"}, {"graze": "1h"}, {"settle": "٣٠m"}, {"title": "a\nBcc: b"}])
def test_one_wrong_rule_changes_none(desk: Desk, wrong: dict[str, str]) -> None:
    """If one name or value is wrong, the others are not changed either, and the journal says nothing."""
    before = (snapshot(desk), len(rows(desk, JournalEntry)))
    with pytest.raises(CampaignError):
        set_rules(desk, grace="12h", **wrong)

    assert (snapshot(desk), len(rows(desk, JournalEntry))) == before


def test_the_title_is_shown_in_the_status(desk: Desk) -> None:
    """A campaign has the title of its game until it is given one, and again when that is off."""
    told = [status(desk)]
    for title in ("The Fall of Troy", "off"):
        set_rules(desk, title=title)
        told.append(status(desk))

    assert told == ["toy1: Toy Auction, turn 1", "toy1: The Fall of Troy, turn 1", "toy1: Toy Auction, turn 1"]
    assert '  title="Toy Auction"  (default)' in listing(desk)


def status(desk: Desk) -> str:
    """Return the first line of the campaign's status."""
    return next(iter(ShowStatus().render(run_query(desk.app, "toy1", ShowStatus(), desk.now), CLI)))


def test_the_settling_time_is_changed_for_the_open_turn(desk: Desk) -> None:
    """With settle=off a turn is run by the next tick after the last sheet; before, it waited for half an hour."""
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    desk.post("ORDERS toy1 blue\nBID 2\nEND", sender="bob@example.org")
    desk.tick(hours=0.1)
    waits = snapshot(desk).turn
    set_rules(desk, settle="off")
    desk.tick(hours=0.1)

    assert (waits, snapshot(desk).turn) == (1, 2)


def test_the_list_has_groups_and_marks_defaults(desk: Desk) -> None:
    """Each rule stands in its group with its value and default; its help and the allowed values are below."""
    set_rules(desk, grace="12h")
    lines = listing(desk)

    assert [line for line in lines if not line.startswith(" ")] == [
        *("Identity", "Time", "More time", "Absence", "Holds", "Missed sheets", "People and press", "Views")
    ]
    assert "  authentication=address  (default: confirm)" in lines
    assert '  schedule="FRI 20:00 Europe/Berlin"' in lines
    assert "  grace=12h  (default: off)" in lines
    assert "  open-after-missed=off  (default)" in lines
    assert lines[lines.index("  absence=21d  (default)") + 1].startswith("      longest absence in a row")


def test_a_finished_campaign_has_no_new_schedule(desk: Desk) -> None:
    """The schedule of a game that is over is refused, and the rules given with it are not changed."""
    with desk.app.store.writing() as session:
        session.scalars(select(Campaign)).one().status = "over"  # type: ignore[assignment]  # stored as a word
    with pytest.raises(CampaignError, match="toy1 is over"):
        set_rules(desk, schedule="EVERY 12h", grace="1h")

    assert dataclasses.asdict(snapshot(desk).policy)["grace"] == 0
