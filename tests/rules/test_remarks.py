"""Tests of remarks behind a `;`: the receipt warns of those that look like an order, or like the rest of one."""

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
    return [each for each in RULESETS[key].parse(VIEWS[key], [(1, line)]).findings if each.code == "second-order"]


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


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("trap", "MOVE R118 N ; to see what is there"),
        ("trap", "R118 N ; scout it"),
        ("trap", "MOVE R118 N ; please"),
        ("trap", "; MOVE R118 N; then S"),
        ("trap", "MOVE R118 N # then S"),
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
