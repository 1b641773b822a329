"""Rolls of a GM with the campaign's dice: in the journal, recorded, shown, verified, and never undone."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action, run_query
from pbem.actions.open_turn import PreviewTurn, RollDice, ShowRolls
from pbem.actions.rollback import RollBack
from pbem.actions.ruling import SubmitRuling
from pbem.actions.settings import ShowJournal
from pbem.archive.record import file_hash
from pbem.archive.verify import VerifyResult, verify
from pbem.campaign.archive_sync import prove_archive
from pbem.errors import CampaignError, ReplayError
from pbem.ruleset import Roll, canonical_json
from pbem.scheduler.tick import run_campaign_now
from pbem.store.models import Turn
from pbem_rules.gm_adjudicated import RULESET
from tests.archive.test_verify import SEED
from tests.toy.home import Desk, is_report, text_of

ANN, BOB = "ann@example.org", "bob@example.org"
GATE = '[ROLL 3d6+2 "ann storms the gate"]'


@pytest.fixture
def war(desk: Desk) -> Iterator[Desk]:
    """Yield a home with "toy1", a campaign of three whose turns the GM decides, in its first turn."""
    toy = desk.app
    desk.app = dataclasses.replace(toy, games={"toy": RULESET, RULESET.key: RULESET})
    desk.start(seats=("red", "blue", "green"))
    yield desk
    desk.app = toy


def roll(desk: Desk, dice: str = "3d6+2", label: str = "ann storms the gate") -> Roll:
    """Roll as the GM."""
    return run_action(desk.app, "toy1", RollDice(dice, label), desk.now).roll


def run(desk: Desk, **files: str) -> None:
    """Rule as the GM by files, named without their ending; run, archive and mail the turn."""
    run_action(desk.app, "toy1", SubmitRuling({f"{name}.txt": text for name, text in files.items()}), desk.now)
    run_campaign_now(desk.app, "toy1", desk.now)
    desk.tick()


def report(desk: Desk, to: str) -> str:
    """Return the text of the last report to an address."""
    return text_of([mail for mail in desk.mails(to) if is_report(mail)][-1])


def journal(desk: Desk) -> list[tuple[str, bool]]:
    """Return the journal's entries on rolls, each with whether it is secret."""
    entries = run_query(desk.app, "toy1", ShowJournal(), desk.now).entries
    return [(entry.text, entry.secret) for entry in entries if entry.text.startswith("rolled in")]


def records(desk: Desk) -> list[dict[str, Any]]:
    """Return the records of the turns that were run, oldest first."""
    with desk.app.store.reading() as session:
        rows = session.scalars(select(Turn.record).where(Turn.record.is_not(None)).order_by(Turn.id))
        return [json.loads(row or b"{}") for row in rows]


def checked(desk: Desk, archive: Path) -> VerifyResult:
    """Return the verification of the archive."""
    return verify(archive, "toy1", games={RULESET.key: RULESET})


def test_a_roll_is_seen_shown_and_proved(war: Desk, tmp_path: Path) -> None:
    """A roll is in the journal; a ruling shows it to one seat alone; at the end everyone can verify it."""
    made = roll(war)
    run(war, red=f"At dawn.\n{GATE}", blue="Nothing.")
    told = made.describe(1)

    assert journal(war) == [(f"rolled in turn 1: {told}", True)]
    assert records(war)[-1]["rolls"] == [made.to_json()]
    assert (f"- {told}" in report(war, ANN), "FAIR DICE" in report(war, BOB)) == (True, False)
    assert SEED.hex() not in report(war, ANN)

    run(war, all="Peace.", game="OVER Peace")
    archive = Path(shutil.copytree(war.home / "turns", tmp_path / "elsewhere"))

    assert "Every roll can be checked now." in report(war, BOB)
    assert (checked(war, archive).rolls, checked(war, archive).unproved) == (1, ())
    assert prove_archive(war.app, "toy1").over
    _forge(archive)
    with pytest.raises(ReplayError, match="3d6\\+2 for 'ann storms the gate' came to"):
        checked(war, archive)


def _forge(archive: Path) -> None:
    """Change the result of a roll, and make all later records fit."""
    previous = ""
    for path in sorted(archive.glob("toy1/00*/turn.json")):
        record = json.loads(path.read_bytes())
        if record["number"] == 1:
            record["rolls"][0]["total"] += 1
        record["previous"] = previous
        path.write_bytes(canonical_json(record) + b"\n")
        previous = file_hash(path.read_bytes())


def test_a_game_without_rolls_says_nothing_of_dice(war: Desk) -> None:
    """If the GM has rolled nothing, no report claims that dice can be verified."""
    first = report(war, ANN)
    run(war, all="Peace.", game="OVER Peace")

    assert "dice" not in first + report(war, ANN)
    assert "rolls" not in records(war)[-1]


def test_a_rollback_undoes_no_roll(war: Desk) -> None:
    """The roll stays when the turn is open again; the same words are a second roll, and reports count both."""
    made = roll(war)
    run(war, red=GATE)
    run_action(war.app, "toy1", RollBack(1), war.now)
    taken = run_action(war.app, "toy1", SubmitRuling({"red.txt": GATE}), war.now)
    again = roll(war)
    run(war, red=GATE)

    assert (taken.rolled, again.number) == ((), 2)
    assert again.describe(2) in report(war, ANN)
    assert records(war)[-1]["rolls"] == [made.to_json(), again.to_json()]
    assert run_query(war.app, "toy1", ShowRolls(1), war.now).rolls == (made, again)


def test_taking_a_ruling_rolls_once(war: Desk) -> None:
    """The rolls of a ruling are made once, when it is submitted; a dry run, or a ruling with an error, makes none."""
    files = {"red.txt": GATE}
    run_query(war.app, "toy1", SubmitRuling(files), war.now)
    run_action(war.app, "toy1", SubmitRuling(files | {"blue.txt": "[FILLE]"}), war.now)
    assert run_query(war.app, "toy1", ShowRolls(), war.now).rolls == ()

    first, second = (run_action(war.app, "toy1", SubmitRuling(files), war.now) for _ in range(2))
    shown = run_query(war.app, "toy1", PreviewTurn(), war.now)

    assert (len(first.rolled), second.rolled) == (1, ())
    assert first.rolled[0].describe(1) in next(each.parts.text for each in shown.reports if each.place.seat == "red")


def test_what_is_no_dice_is_refused_with_the_nearest(war: Desk) -> None:
    """Invalid dice are refused with the nearest valid ones; nothing is rolled or journalled."""
    with pytest.raises(CampaignError, match="did you mean 3d6"):
        roll(war, "3w6")

    assert journal(war) == []
