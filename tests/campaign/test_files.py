"""Spooled output of large turns: batches, temporary files, and results that do not depend on them."""

from __future__ import annotations

import gc
import json
from dataclasses import replace

import pytest

from pbem.actions.base import run_query
from pbem.actions.open_turn import PreviewTurn
from pbem.app import TEMPLATE_DIR
from pbem.campaign import files as piles
from pbem.campaign.files import SpooledFiles, SpooledList, batched
from pbem.report import renderer
from pbem.report.renderer import Renderer
from pbem.store.models import OutgoingMail, Report
from tests.actions.history import begin, play, proof, rows, send
from tests.toy.fixtures import desk
from tests.toy.home import Desk

__all__ = ["desk"]


def test_things_come_in_batches() -> None:
    """All things come in their order, the last ones in a shorter batch."""
    assert list(batched(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(batched([], 3)) == []


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_pile_gives_back_its_batches(size: int) -> None:
    """Batches can be read as often as asked, also after more were added."""
    pile = SpooledList[tuple[int, str]]()
    put = [[(number, "x" * number) for number in range(start, start + size)] for start in (0, size, 2 * size)]
    for count, batch in enumerate(put, start=1):
        pile.add(batch)
        assert list(pile.batches()) == put[:count]
        assert list(pile.batches()) == put[:count]


def test_an_empty_pile_has_no_batches() -> None:
    """A list without batches yields none."""
    assert list(SpooledList[int]().batches()) == []


def test_files_are_what_was_put(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files come back unchanged, from memory and, when they are many bytes, from the disk."""
    monkeypatch.setattr(piles, "IN_MEMORY", 100)
    files, put = SpooledFiles(), {f"{number}.txt": bytes([number]) * number for number in range(60)}

    for name, content in put.items():
        files.add({name: content})

    assert dict(files) == put
    assert files["7.txt"] == put["7.txt"]
    assert list(files) == list(put)


def test_what_lies_on_the_disk_goes_with_the_pile() -> None:
    """The temporary file is closed when the list is garbage-collected."""
    pile, files = SpooledList[str](), SpooledFiles()
    pile.add(["a"])
    pile.add(["b"])
    files.add({"a": b"a"})
    scratch = [pile._file, files._file]

    del pile, files
    gc.collect()

    assert [file.closed for file in scratch] == [True, True]


def test_a_turn_in_small_batches_is_the_same_turn(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports, mails and archive do not depend on the size of batches."""
    monkeypatch.setattr(piles, "IN_MEMORY", 10)
    monkeypatch.setattr(piles.batched, "__defaults__", (1,))
    desk.alike = False
    begin(desk, rounds="5")
    play(desk, {"red": "BID 2"})

    assert proof(desk).reports == 6
    assert len({json.loads(report.view)["seat"] for report in rows(desk, Report)}) == 3
    sent = [mail.kind for mail in rows(desk, OutgoingMail) if mail.kind in ("welcome", "report")]
    assert sent == ["welcome"] * 3 + ["report"] * 6


def test_a_turn_is_the_same_by_several_processes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports, their mails and the outcomes of orders do not depend on the process that rendered them."""
    monkeypatch.setattr(renderer, "FEW", 0)
    begin(desk, rounds="5")
    send(desk, {"red": "BID 2"})
    desk.tick(hours=1)
    one = run_query(desk.app, "toy1", PreviewTurn(), desk.now)
    with Renderer([desk.home / "templates", TEMPLATE_DIR], desk.app.games, pictures=False, jobs=2) as shared:
        two = run_query(replace(desk.app, open_reporter=lambda: shared), "toy1", PreviewTurn(), desk.now)

    assert "bid 2" in one.reports[0].parts.text.lower()
    assert one.reports == two.reports
    assert len(two.reports) == 3
