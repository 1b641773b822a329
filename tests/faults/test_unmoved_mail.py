"""A home whose mail cannot be moved to Processed: turns go on, the operator is told, nothing is done twice."""

from __future__ import annotations

import dataclasses
import os

from pbem.admin.checks import check_database
from pbem.admin.health import home_status
from tests.faults.test_outages import unusable
from tests.toy.home import Desk, text_of

ANN = "ann@example.org"


def test_turns_go_on_while_mail_cannot_be_moved(desk: Desk) -> None:
    """The sheet is answered once, the deadline counts, and the mail is moved when that can be done."""
    desk.begin()
    processed = desk.home / "post" / "inbox" / "Processed"
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    with unusable(processed):
        done = [desk.tick(), desk.tick(hours=1), desk.tick(hours=120)]
        told = home_status(desk.app).notices
    after = desk.tick(hours=1)

    assert [tick.processed.messages for tick in done] == [1, 0, 0]
    assert [turn.reason for turn in done[2].resolved] == ["deadline"]
    assert "made of your sheet 1" in text_of(desk.last(ANN))
    assert any("1 stored mail stays in the inbox" in notice for notice in told)
    assert (after.problems, home_status(desk.app).notices) == ([], ())
    assert len(list((processed / "cur").iterdir())) == 1


def test_the_operator_is_told_once_a_day(desk: Desk) -> None:
    """The sentence comes with the first poll, then once a day; status and doctor have it as long as it holds."""
    desk.begin()
    desk.post("HELP")
    with unusable(desk.home / "post" / "inbox" / "Processed"):
        told = [sum("stays in the inbox" in each for each in desk.tick(hours=6).problems) for _ in range(9)]
        checks = list(check_database(desk.app.settings, desk.now, {}))

    assert told == [1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert [check.result for check in checks if check.name == "processed"] == ["warning"]


def test_processed_is_emptied_if_that_is_wanted(desk: Desk) -> None:
    """Mail older than `keep_processed` days is deleted, once a day; without the setting all stays."""
    desk.begin()
    for text in ("HELP", "STATUS"):
        desk.post(text)
    desk.tick()
    folder = desk.home / "post" / "inbox" / "Processed" / "cur"
    first, second = sorted(folder.iterdir())
    for path, days in ((first, 91), (second, 89)):
        os.utime(path, (desk.now.timestamp() - days * 86_400,) * 2)
    desk.tick(hours=1)
    assert len(list(folder.iterdir())) == 2

    desk.app = dataclasses.replace(desk.app, settings=dataclasses.replace(desk.app.settings, keep_processed=90))
    desk.tick()
    assert list(folder.iterdir()) == [second]
    desk.tick(hours=23)
    assert list(folder.iterdir()) == [second]
    desk.tick(hours=26)
    assert list(folder.iterdir()) == []
