"""Nothing of a view is lost in its report, in the first one, in full ones and in those between."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from pbem.app import TEMPLATE_DIR
from pbem.report.facts import ReportFacts
from pbem.report.renderer import Renderer
from pbem.ruleset import View
from pbem.testing.play import games
from pbem_rules.common.hexes import Hex
from pbem_rules.common.summary import counted
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.memory import moves

Item = tuple[str, str]
"""The beginning of a line of a report, and what stands in that line."""


def items(view: View) -> Iterator[Item]:
    """Yield what a report tells of a view, except its events."""
    home = view["harvester"]
    if home is None:
        return
    stands = f"{home['q']},{home['r']}: your Harvester"
    yield from ((stands, f"{home['held']} of 20"), *((stands, unit) for unit in view["lost"]))
    yield from ((stands, place(unit)) for unit in view["units"])
    yield from ((stands, unit["unit"]) for unit in view["units"])
    yield from ((stands, ",".join(map(str, spot))) for spot in [home["target"]] if spot)
    points = view["points"]
    yield from ((f"{points['total']} point", str(points[part])) for part in ("held", "combat", "subservients"))
    yield from ((f"{points['total']} point", ruler) for ruler in view["rulers"])
    yield from _of_others(view)
    yield from _of_scans(view)


def _of_others(view: View) -> Iterator[Item]:
    below = {each["seat"] for each in view["subservients"]}
    for each in view["subservients"]:
        of = f"- {each['seat']}"
        yield from ((of, counted(each["points"], "point")), (of, f"{place(each)} with {each['held']}"))
        yield from ((of, f"{' '.join(units)} at {q},{r}") for q, r, units in each["units"])
    for each in view["contacts"]:
        if each["owner"] not in below:
            start = "Foes in sight" if each["side"] == "foe" else "On your side"
            yield from ((start, each["owner"]), (start, f"{' '.join(each['units'])} at {place(each)}"))
    for q, r, owner, units, turn in view["memory"]["foes"]:
        if turn < view["turn"]:
            seen = f"{' '.join(units)} at {q},{r} ({view['turn'] - turn})"
            yield from (("Foes seen before", owner), ("Foes seen before", seen))


def _of_scans(view: View) -> Iterator[Item]:
    exact, near, *_ = view["scan"]
    yield from ((f"{row[5]} unit", f"{row[0]},{row[1]}") for row in near if row[5])
    yield from (("Resources:", f"{row[0]},{row[1]}") for row in exact if row[6])
    yield from (("Harvester or resource", f"{row[0]},{row[1]}") for rows in view["scan"][1:] for row in rows if row[2])
    moved = [row for rows in view["scan"][:4] for row in rows if row[3]]
    yield from (("Tracks", f"{row[0]},{row[1]}") for row in moved if not _is_on_own_way(view, (row[0], row[1])))
    yield from (("Crags", f"{q},{r}") for q, r in view["crags"])
    yield from (("Dust", f"{q},{r}") for q, r in view["dust"])
    for q, r, _, turn in view["memory"]["riches"]:
        if turn < view["turn"]:
            yield "Resources counted before", f"{q},{r} ({view['turn'] - turn})"


def _is_on_own_way(view: View, spot: Hex) -> bool:
    """Return True if a hex lies between the places of an own unit before and after the turn."""
    atlas = Atlas(view)
    return any(
        atlas.distance(start, spot) + atlas.distance(spot, end) == atlas.distance(start, end)
        for start, end in moves(view).values()
    )


def place(thing: View) -> str:
    """Return a hex as reports write it."""
    return f"{thing['q']},{thing['r']}"


def missing(view: View, text: str) -> list[Item]:
    """Return the items that a report does not tell."""
    lines = text.split("\n")
    found = []
    for start, told in items(view):
        wanted = re.compile(rf"(?<![\w,-]){re.escape(told)}(?!\w|,-?\d)")
        if not any(line.startswith(start) and wanted.search(line) for line in lines):
            found.append((start, told))
    return found


@pytest.mark.parametrize("full", [True, False])
def test_a_report_tells_all_that_its_view_has(full: bool) -> None:
    """Short reports of bots' games have every item that can change, full ones the rules and units as well."""
    with Renderer([TEMPLATE_DIR], pictures=False) as reporter:
        for game in games(RULESET):
            for view in list(game.views())[::3]:
                facts = ReportFacts(
                    campaign="rust",
                    seat=view["seat"],
                    seats=game.seats,
                    deadline=None,
                    zone="UTC",
                    code="k2",
                    address="orders@example.org",
                    full=full,
                )
                text = reporter.text(RULESET, view, facts)
                assert missing(view, text) == []
                assert ("What scanners tell" in text) == (full and not view["over"] and view["harvester"] is not None)
