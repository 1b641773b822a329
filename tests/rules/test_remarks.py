"""Tests of remarks: none is an order, and the receipt warns of those that look like one, or like the rest of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.ruleset import AnyRuleset, Dice, Finding, Seats, canonical_json
from pbem_rules.bubble_singularity import RULESET as BUBBLE
from pbem_rules.dueling_masters import RULESET as DUELING
from pbem_rules.harvester import RULESET as HARVESTER
from pbem_rules.singularity import RULESET as SINGULARITY
from pbem_rules.singularity_trap import RULESET as TRAP
from tests.rules.bubble_singularity.table import lay
from tests.rules.singularity_trap.builders import ship, world


def views() -> Iterator[tuple[str, Any]]:
    """Yield a view of each game, of a seat that is awaited."""
    yield "bubble", BUBBLE.view(lay(hand="bbrry"), "blue", ())
    yield "trap", TRAP.view(world(ship("R118", "J10"), ship("R251", "J10")), "red", ())
    others: tuple[tuple[str, AnyRuleset, int], ...] = (
        ("singularity", SINGULARITY, 2),
        ("harvester", HARVESTER, 4),
        ("dueling", DUELING, 2),
    )
    for key, ruleset, seats in others:
        names = _names(ruleset.seats, seats)
        state = ruleset.setup({}, names, Dice(b"remarks"))
        yield key, ruleset.view(state, min(ruleset.standing(state).awaiting), ())


def _names(seats: Seats, number: int) -> list[str]:
    return list(seats.names[:number]) if seats.names else [f"player{at}" for at in range(number)]


VIEWS = {key: json.loads(canonical_json(view)) for key, view in views()}
RULESETS: dict[str, AnyRuleset] = {
    "bubble": BUBBLE,
    "trap": TRAP,
    "singularity": SINGULARITY,
    "harvester": HARVESTER,
    "dueling": DUELING,
}


def warned(key: str, line: str) -> list[Finding]:
    """Return the warnings about remarks."""
    return [
        each
        for each in RULESETS[key].parse(VIEWS[key], [(1, line)]).findings
        if each.code in ("second-order", "order-rest")
    ]


@pytest.mark.parametrize(
    ("key", "line", "part"),
    [
        ("trap", "MOVE R118 N; then S", "then S"),
        ("trap", "R118 N; then S", "then S"),
        ("trap", "R118 N; R251 S", "R251 S"),
        ("trap", "SCRAP R118 ; R251", "R251"),
        ("bubble", "MOVE N; then E", "then E"),
        ("bubble", "pull N; then keep drift", "then keep drift"),
        ("bubble", "KEEP drift ; fusion", "fusion"),
        ("singularity", "E5; F5", "F5"),
        ("singularity", "PLACE E5; and IF F5 THEN G5", "and IF F5 THEN G5"),
        ("harvester", "MOVE L1 NE; then SE", "then SE"),
        ("harvester", "L1 NE; L2 SE", "L2 SE"),
        ("harvester", "MOVE L1 NE; MOVE G NE", "MOVE G NE"),
        ("harvester", "MOVE L1 NE; DESTROY HARVESTER CONFIRM", "DESTROY HARVESTER CONFIRM"),
        ("harvester", "S2 stays; L1 NE", "L1 NE"),
        ("harvester", "MOVE X9 NE; S2 NE", "S2 NE"),
        ("harvester", "BUILD L2; S2 NE", "S2 NE"),
        ("harvester", "hello; S2 NE", "S2 NE"),
        ("trap", "MOVE R118 N ;;;;;; R251 S", "R251 S"),
        ("dueling", "SETUP home E1; W D2", "W D2"),
    ],
)
def test_what_looks_like_an_order_is_named(key: str, line: str, part: str) -> None:
    """A player who separates orders by semicolons is told which of them do not count."""
    (warning,) = warned(key, line)

    assert warning.severity == "warning"
    assert warning.text.startswith(f"{part!r} stands behind a ; and so is a remark")


@pytest.mark.parametrize("mark", ["#", "//", "%", "/*"])
@pytest.mark.parametrize(
    ("key", "order", "part"),
    [
        ("trap", "MOVE R118 N", "then S"),
        ("bubble", "MOVE N", "E"),
        ("singularity", "PLACE E5", "F5"),
        ("harvester", "MOVE L1 NE", "DESTROY G"),
        ("harvester", "L1 NE", "L2 SE"),
        ("dueling", "SETUP home E1", "W D2"),
    ],
)
def test_all_marks_of_remarks_are_warned_of_alike(key: str, order: str, part: str, mark: str) -> None:
    """What stands behind # // or %, or in /* */, is no order, and is named if it looks like one."""
    alone = RULESETS[key].parse(VIEWS[key], [(1, order)])
    read = RULESETS[key].parse(VIEWS[key], [(1, f"{order} {mark} {part}{' */' * (mark == '/*')}")])

    (warning,) = (each for each in read.findings if each.code in ("second-order", "order-rest"))
    assert read.orders == alone.orders
    assert warning.text.startswith(f"{part!r} stands behind a {mark} and so is a remark")


def test_a_remark_touching_a_word_is_none_of_it() -> None:
    """Neither a // without a blank before it nor quotes hide a remark from a game that reads the words itself."""
    for line in (
        "MOVE S2 NE//DESTROY G",
        'MOVE "S2 NE ; DESTROY G',
        'MOVE "S2 NE ; DESTROY G"',
        "MOVE S2 NE/*DESTROY G",
    ):
        read = HARVESTER.parse(VIEWS["harvester"], [(1, line)])
        assert [HARVESTER.orders.line(order) for order in read.orders] == ["MOVE S2 NE"], line


def test_a_remark_over_several_lines_is_one_on_each() -> None:
    """Orders between /* and */ are not given; those before and behind it are."""
    lines = ["MOVE S2 NE /* not now:", "DESTROY G", "MOVE L1 NE", "*/ MOVE L2 SE"]

    read = HARVESTER.parse(VIEWS["harvester"], list(enumerate(lines, start=1)))

    assert [(entry.line, HARVESTER.orders.line(entry.order)) for entry in read.entries] == [
        (1, "MOVE S2 NE"),
        (4, "MOVE L2 SE"),
    ]


@pytest.mark.parametrize("tail", ["no", "cancel", "NO!", "- forget it"])
def test_a_stone_that_is_denied_behind_it_is_not_placed(tail: str) -> None:
    """A word that denies the stone is refused behind it as before it."""
    read = SINGULARITY.parse(VIEWS["singularity"], [(1, f"PLACE h6 {tail}")])

    assert read.orders == ()
    assert [error.line for error in read.errors] == [1]


@pytest.mark.parametrize("key", RULESETS)
def test_who_takes_an_order_back_is_told_what_to_do(key: str) -> None:
    """CANCEL before an order says that a new sheet replaces the one before."""
    order = {"harvester": "MOVE S2 NE", "singularity": "PLACE h6", "dueling": "SETUP home E1", "bubble": "MOVE N"}
    (error,) = RULESETS[key].parse(VIEWS[key], [(1, f"CANCEL {order.get(key, 'MOVE R118 N')}")]).errors

    assert error.text == "a line that begins with CANCEL gives no order and takes none back"
    assert error.hint == "leave out what you do not want: a new sheet replaces the one before"


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("trap", "MOVE R118 N ; to see what is there"),
        ("trap", "R118 N ; scout it"),
        ("trap", "MOVE R118 N ; please"),
        ("trap", "; MOVE R118 N; then S"),
        ("bubble", "ROTATE CW ; as it opens the east"),
        ("bubble", "MOVE N ; towards C2, good luck all"),
        ("singularity", "PLACE E5 ; a strong point"),
        ("dueling", "SETUP home E1 ; safest place"),
        ("harvester", "S2 NE ; bob was there"),
        ("harvester", "S2 stays ; L1 will come to it"),
    ],
)
def test_what_is_said_of_an_order_is_no_order(key: str, line: str) -> None:
    """Remarks in plain words are not warned of."""
    assert warned(key, line) == []
