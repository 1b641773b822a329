"""Memory of reports: what they remember of earlier ones, what they forget, and how it is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pbem.ruleset import Label, SeatName, SpriteInstance, View, canonical_json, with_memory
from pbem.testing.play import games
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester import RULESET, sprites
from pbem_rules.harvester.memory import LASTING, MOST_FOES, lost_foes, moves, old_riches
from tests.rules.harvester.table import position, view
from tests.rules.harvester.test_reports import mailed

Units = Mapping[str, Hex]

FIRST: Mapping[SeatName, Units] = {
    "ann": {"H": (0, 0), "C1": (8, 0), "G": (0, 0)},
    "bob": {"H": (9, 0), "L1": (8, 1), "S1": (7, 1)},
}
"""Ann's scout beside bob's Harvester, Lieutenant and Soldier."""

AWAY: Mapping[SeatName, Units] = {**FIRST, "ann": {"H": (0, 0), "C1": (4, 0), "G": (1, 0)}}
"""The scout has gone back, the General has made a step."""


def told(*positions: Mapping[SeatName, Units], **options: Any) -> View:
    """Return ann's report after positions turn by turn, with the memory of those before."""
    last: View | None = None
    for number, units in enumerate(positions, 1):
        last = after(view(position(units, turn=number, size=20, **options), "ann"), last)
    assert last is not None
    return last


def after(seen: View, last: View | None) -> View:
    """Return a view as it is mailed after another one."""
    data: View = json.loads(canonical_json(with_memory(RULESET, seen, last)))
    return data


def lost(seen: View) -> list[tuple[Hex, str, int]]:
    """Return the remembered foes: hex, kinds, turns ago."""
    return sorted((each.spot, each.units, each.ago) for each in lost_foes(seen))


def moved(units: Mapping[SeatName, Units], seat: SeatName, **to: Hex) -> dict[SeatName, Units]:
    """Return a position with some units of a seat elsewhere."""
    return {**units, seat: {**units[seat], **to}}


def test_foes_out_of_sight_are_remembered_where_they_were() -> None:
    """Foes out of sight are remembered with kinds, hex and the turns since; foes in sight are not."""
    assert lost(told(FIRST)) == []
    assert lost(told(FIRST, AWAY, AWAY)) == [((7, 1), "S", 2), ((8, 1), "L", 2), ((9, 0), "H", 2)]


def test_they_are_forgotten_after_some_turns() -> None:
    """The oldest report that is remembered is LASTING turns old."""
    assert len(lost(told(FIRST, *[AWAY] * LASTING))) == 3
    assert lost(told(FIRST, *[AWAY] * (LASTING + 1))) == []


@pytest.mark.parametrize(
    ("scout", "left"),
    [((8, 1), []), ((6, 1), [((8, 1), "L", 1), ((9, 0), "H", 1)])],
    ids=["beside all of them", "beside one"],
)
def test_they_are_forgotten_when_their_hex_is_scanned_and_empty(scout: Hex, left: list[object]) -> None:
    """Foes are forgotten in the empty hexes that the scout sees, and remembered in the others."""
    gone = {"ann": {"H": (0, 0), "C1": scout}, "bob": {"H": (-15, 0)}}

    assert lost(told(FIRST, gone)) == left


def test_units_counted_from_afar_may_still_be_there() -> None:
    """At two hexes scanners count: units are forgotten if the hex is empty, and remembered if it is not."""
    there = {"ann": {"H": (0, 0), "S1": (6, 1)}, "bob": {"H": (15, 0), "L1": (8, 1)}}

    assert lost(told(FIRST, there)) == [((8, 1), "L", 1), ((9, 0), "H", 1)]
    assert lost(told(FIRST, moved(there, "bob", L1=(15, 0)))) == [((9, 0), "H", 1)]


def test_a_harvester_is_forgotten_where_there_is_no_mark() -> None:
    """At five hexes scanners show Harvesters: a missing one is forgotten, its guards are not."""
    guarded = moved(FIRST, "bob", S1=(9, 0))
    near = {"ann": {"H": (4, 0)}, "bob": {"H": (-15, 0)}}

    assert lost(told(guarded, near)) == [((8, 1), "L", 1), ((9, 0), "S", 1)]


def test_who_is_seen_again_is_forgotten_where_he_was() -> None:
    """A Harvester seen again is forgotten at its old hex; of two Lieutenants the other one may be in sight."""
    met = {"ann": {"H": (0, 0), "C1": (0, 0)}, "bob": {"H": (1, 0), "L2": (0, 1), "S2": (1, -1)}}

    assert lost(told(FIRST, met)) == [((7, 1), "S", 1), ((8, 1), "L", 1)]
    assert lost(told(FIRST, moved(met, "bob", L1=(0, 1)))) == [((7, 1), "S", 1)]


def test_friends_are_not_remembered_as_foes() -> None:
    """A player who is below the reader now is on the same side, wherever their units were seen before."""
    first = after(view(position(FIRST, size=20), "ann"), None)
    below = after(view(position(AWAY, turn=2, size=20, rulers={"bob": "ann"}), "ann"), first)

    assert lost(below) == []


def test_units_destroyed_are_forgotten() -> None:
    """A fight that the reader won tells whose units fell: a General is the only one of its player."""
    seen = told(moved(FIRST, "bob", G=(7, 1)), AWAY)
    fought = {"kind": "fought", "outcome": "won", "q": 3, "r": 0, "enemies": "bob G", "lost": ""}
    then = {**view(position(AWAY, turn=3, size=20), "ann"), "events": [fought]}

    assert lost(seen)[0] == ((7, 1), "GS", 1)
    assert lost(after(then, seen))[0] == ((7, 1), "S", 2)


def test_resources_counted_before_are_remembered() -> None:
    """Resources are remembered out of sight or under a mark, not where they are counted or gone."""
    lying = {(8, -1): 3, (4, 1): 2, (0, 1): 1}
    first = after(view(position(FIRST, size=20, resources={**lying, (9, -1): 2}), "ann"), None)
    then = after(view(position(AWAY, turn=2, size=20, resources=lying), "ann"), first)
    near = after(view(position(moved(AWAY, "ann", H=(4, 0)), turn=3, size=20, resources={(8, -1): 3}), "ann"), then)

    assert sorted(old_riches(then)) == [((8, -1), 3, 1), ((9, -1), 2, 1)]
    assert old_riches(near) == [((8, -1), 3, 2)]


def test_own_moves_are_told() -> None:
    """Units that moved since the report before are told with their former and their present hex."""
    assert moves(told(FIRST)) == {}
    assert moves(told(FIRST, AWAY)) == {"C1": ((8, 0), (4, 0)), "G": ((0, 0), (1, 0))}


def test_of_too_many_the_nearest_are_kept() -> None:
    """The memory of a ruler of many is bounded, and counts the units that it drops."""
    seen = dict(view(position(FIRST, size=40), "ann"))
    spots = [(q, r) for q in range(12, 32) for r in range(8)]
    crowd = [{"q": q, "r": r, "owner": f"seat{q}-{r}", "side": "foe", "units": "CC"} for q, r in spots]
    first = after({**seen, "contacts": crowd}, None)
    then = after({**seen, "turn": 2, "contacts": [{**crowd[0], "q": 1}]}, first)

    assert len(first["memory"]["foes"]) == MOST_FOES
    assert (31, 7) not in [each.spot for each in lost_foes(then)]
    assert then["memory"]["left_out"] == 2
    assert len(canonical_json(first["memory"])) < 8_000


def test_whoever_is_out_remembers_his_points() -> None:
    """A player who is out has scores in memory, and nothing else."""
    seen = {**view(position(AWAY, turn=2, size=20), "ann"), "harvester": None}

    assert list(after(seen, told(FIRST))["memory"]) == ["scores"]


def test_memory_tells_nothing_that_reports_before_did_not() -> None:
    """Each foe, resource and own unit remembered in games of bots was so in the report of that turn."""
    checked = 0
    for game in games(RULESET):
        told_before: dict[tuple[SeatName, int], View] = {}
        for seen in game.views():
            told_before[seen["seat"], seen["turn"]] = seen
            for each in lost_foes(seen):
                old = told_before[seen["seat"], seen["turn"] - each.ago]
                assert has_units(old, each.spot, each.owner, each.units)
                checked += 1
            for spot, resources, ago in old_riches(seen):
                old = told_before[seen["seat"], seen["turn"] - ago]
                assert [resources] == [row[-1] for row in old["scan"][0] if (row[0], row[1]) == spot]
            for unit, (whence, _) in moves(seen).items():
                assert whence == place(told_before[seen["seat"], seen["turn"] - 1], unit)
    assert checked > 100


def has_units(seen: View, spot: Hex, owner: SeatName, units: str) -> bool:
    """Return True if a view shows these units of an owner in a hex, as a foe's."""
    (there,) = (
        each["units"]
        for each in seen["contacts"]
        if (each["q"], each["r"]) == spot and each["owner"] == owner and each["side"] == "foe"
    )
    return all(units.count(kind) <= there.count(kind) for kind in units)


def place(seen: View, unit: str) -> Hex:
    """Return the hex of an own unit."""
    own: Sequence[Mapping[str, Any]] = [{**seen["harvester"], "unit": "H"}, *seen["units"]]
    (spot,) = ((each["q"], each["r"]) for each in own if each["unit"] == unit)
    return spot


CLOSE = {"ann": {"H": (0, 0), "C1": (3, 3)}, "bob": {"H": (4, 3), "L1": (3, 2)}}
"""Foes seen in hexes that a chart shows."""


def close() -> View:
    """Return a report that remembers bob near the Harvester, and three resources."""
    lying = {(2, 4): 3}
    first = after(view(position(CLOSE, size=20, resources=lying), "ann"), None)
    gone = {**moved(CLOSE, "ann", C1=(0, 0)), "bob": {"H": (-15, 0)}}
    return after(view(position(gone, turn=2, size=20, resources=lying), "ann"), first)


def test_charts_show_what_is_remembered() -> None:
    """The chart has hollow badges with kind and age, resources with their number, and an arrow for the move."""
    _, chart = RULESET.pictures(close())

    assert chart.drawing is not None
    written = [mark.text for mark in chart.drawing.marks if isinstance(mark, Label)]
    stamped = [mark.sprite for mark in chart.drawing.marks if isinstance(mark, SpriteInstance)]
    assert {"H 1", "L 1", "3"} <= set(written)
    assert {sprites.badge("lost", 21), sprites.COUNTED, sprites.OLD} <= set(stamped)
    assert sum("polygon" in sprite.body and sprites.OWN in sprite.body for sprite in stamped) == 1
    assert "2 units of foes seen before" in chart.title


@pytest.mark.parametrize("part", ["text", "html"])
def test_reports_list_what_is_remembered(part: str) -> None:
    """Remembered foes are listed with their age; the summary has a foe that may have come within a turn."""
    words = " ".join(getattr(mailed(close()), part).split())

    words = re.sub(r"</?(?:b|span)[^>]*>", "", words)
    assert "Foes seen before (turns ago): bob" in words
    assert "s L at 3,2 (1)" in words
    assert "Resources counted before (turns ago): 3 at 2,4 (1)" in words
    assert "Out of sight:" not in words


def test_the_map_of_plain_mails_marks_where_foes_were() -> None:
    """A question mark stands in a hex that is not scanned, or clear as far as scanners tell."""
    assert "?" in RULESET.text_map(close()).partition("\n\n")[0]


def test_the_turn_in_brief_has_a_foe_who_may_be_near() -> None:
    """The summary names the strongest foe that could reach the Harvester next turn, and none that is too far off."""
    near = told({"ann": {"H": (0, 0), "C1": (0, 3)}, "bob": {"S1": (0, 4), "C1": (1, 3)}}, {"bob": {"H": (15, 0)}})

    assert RULESET.turn_summary(near)[0] == "Out of sight: bob's Soldier, 1 turn ago at 0,4, 4 steps off."
    assert not [line for line in RULESET.turn_summary(told(FIRST, AWAY)) if line.startswith("Out of sight")]
