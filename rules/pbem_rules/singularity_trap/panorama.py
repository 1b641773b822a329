"""The chart without a reader: public knowledge of a moment, or the knowledge of all players together.

Made of mailed views alone. Owners of planets are public (rulebook, "Who knows
what"); ships are those that the views of their own players show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pbem.ruleset import Panorama, SeatName, View
from pbem_rules.singularity_trap.pictures import ALL, chart_of_all

_NOTHING_SEEN: Mapping[str, list[Any]] = {"contacts": [], "unknown": [], "allied": []}


def public_view(views: Mapping[SeatName, View]) -> Panorama:
    """Return the chart of the planets and their owners."""
    view = next(iter(views.values()))
    return _panorama({**_anybodys(view), "events": []}, view)


def full_view(views: Mapping[SeatName, View]) -> Panorama:
    """Return the chart of all ships of all players, and of their fights."""
    view = next(iter(views.values()))
    contacts = [
        {"space": ship["space"], "ships": [{"id": ship["id"], "owner": seat, "type": ship["type"], "damage": 0}]}
        for seat, each in views.items()
        for ship in each["ships"]
    ]
    events = list(_happened(views.values()))
    return _panorama({**_anybodys(view), "sensors": {**_NOTHING_SEEN, "contacts": contacts}, "events": events}, view)


def _anybodys(view: View) -> dict[str, Any]:
    """Return a view without its reader's private knowledge."""
    players = [{**player, "ally": False, "wish": False} for player in view["players"]]
    planets = [{**planet, "worth": None} for planet in view["planets"]]
    nothing = {"ships": [], "sensors": _NOTHING_SEEN, "memory": {}}
    return {**view, **nothing, "seat": ALL, "players": players, "planets": planets}


def _happened(views: Iterable[View]) -> Iterable[dict[str, Any]]:
    """Yield the fights and captures that any of the views tells of, each once."""
    seen = set()
    for view in views:
        for event in view["events"]:
            key = event["kind"], event.get("space"), event.get("now")
            if event["kind"] in ("combat", "captured") and key not in seen:
                seen.add(key)
                yield event


def _panorama(shown: View, view: View) -> Panorama:
    scores = {player["colour"]: player["planets"] for player in view["players"]}
    return Panorama((chart_of_all(shown),), scores, "planets")
