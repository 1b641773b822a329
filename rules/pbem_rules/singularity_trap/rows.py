"""The rows of a report: what its templates loop over, prepared from the view once for text and HTML.

A fact is a pair: a label, which is bold in HTML, and a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from operator import itemgetter
from typing import Any

from pbem.ruleset import View
from pbem_rules.common.summary import counted, grouped, listed, sentence, you_or_seat
from pbem_rules.singularity_trap.space import board_of, distance, free_planets
from pbem_rules.singularity_trap.template import move_of_built

Row = Mapping[str, Any]
Fact = tuple[str, str]

FLEETS = 4
"""Fleets for which the nearest planets are named."""

NAMED = 3
"""Planets of a list that have names beside their spaces; of more the spaces alone are given."""

_MOMENTS = {"economic": "Before movement", "movement": "After movement", "combat": "After combat"}
_FATES = {"dark": "went dark", "destroyed": "{} destroyed", "vanished": "vanished"}
_WHYS = {
    "order": ", as you ordered",
    "unpaid": ": your points did not cover upkeep",
    "resigned": ", since you left the war",
}
_STATES = {
    ("Pinned:", "beside a ship that is no ally's, so it cannot move."): "encounter",
    ("Moved:", "it had a move this turn, so it is not stationary."): "moved",
    ("Dark:", "out of play until repaired."): "dark",
}
_DEPARTURES = {
    "resigned": "resigned",
    "removed": "left the war by decision of the GM",
    "eliminated": "left the war, without a planet or a ship",
}


def with_rows(view: View) -> View:
    """Return a view with the rows of its report, and with words in its events of sensors and combat."""
    told = dict(grouped(view["events"], "kind"))
    fights = grouped(told.get("combat", ()), "space")
    rows = {
        "fights": [(space, *_fight(rounds, view["seat"])) for space, rounds in fights],
        "departures": [_left(view, how, some) for how, some in grouped(told.get("resigned", ()), "how")],
        "planets": " ".join([*_conquests(view, told.get("captured", ())), _terraformed(told.get("terraformed", ()))]),
        "points": _points(told),
        "losses": [(why, _scrapped(why, some)) for why, some in grouped(told.get("scrapped", ()), "why")],
        "on_the_way": " ".join(_on_the_way(view, told)),
        "combats": [{**combat, "fleet": _fleet(combat["enemies"])} for combat in view["combats"]],
        "ships": _ships(view, {event["ship"] for event in told.get("built", ())}),
        "seen": list(_sensor_facts(view)),
        "out_of_sight": " ".join(_out_of_sight(view)),
        "holders": _holders(view),
        "factions": "; ".join(_factions(view)),
        "nearest": "; ".join(_nearest(view)),
        "types": [_type(kind) for kind in view["rules"]["types"]],
        "worths": _worths(view),
        "move_of_built": move_of_built(view) if view["awaited"] and view["section"] == "turn" else "",
        "ways": list(_ways(told.get("moved", ()))),
        "dice": [list(_dice(space, rounds)) for space, rounds in fights],
    }
    return {**view, "events": [_worded(event, view) for event in view["events"]], "rows": rows}


def _fleet(ships: Iterable[Row]) -> str:
    """Return ships with their states: "Cruiser R274 (dark) and Scouts R310 and R377"."""
    return _by_type(ships, lambda ship: ship["id"] + _state(ship))


def _by_type(ships: Iterable[Row], words: Callable[[Row], str]) -> str:
    types = grouped(ships, "type")
    return listed([f"{name}{'s' * (len(some) > 1)} {listed([*map(words, some)])}" for name, some in types])


def _state(ship: Row) -> str:
    words = [word for word in ("new", "dark", "moved") if ship.get(word)]
    hit = [unit for unit in ship.get("units", ()) if unit["left"] != unit["full"]]
    words += [f"{unit['unit']} {unit['left']}/{unit['full']}" for unit in hit if unit["full"] > 1]
    # A ship without its system is dark.
    lost = [unit["unit"] for unit in hit if unit["full"] == 1 and not (ship["dark"] and unit["unit"] == "system")]
    words += [f"{listed(lost)} lost"] if lost else []
    words += [f"damage {ship['damage']}"] if ship["damage"] and "units" not in ship else []
    return f" ({', '.join(words)})" if words else ""


def _worded(event: dict[str, Any], view: View) -> dict[str, Any]:
    if event["kind"] == "sensed":
        return {**event, "words": _sensed(event)}
    if event["kind"] == "combat":
        return {**event, "fates": ", ".join(fates(event["lost"])), "lines": [*_forces(event, view), *_fire(event)]}
    if event["kind"] == "resigned":
        return {**event, "words": _left(view, event["how"], [event])}
    return event


def _sensed(event: Row) -> str:
    reading = [f"{_fleet(contact['ships'])} at {contact['space']}" for contact in event["contacts"]]
    reading += [f"unknown ships at {listed(event['unknown'])}"] if event["unknown"] else []
    reading += _allied(event)
    return _MOMENTS[event["after"]] + (
        f": {'; '.join(reading)}." if reading else " your ships saw and detected no others."
    )


def _allied(event: Row) -> Iterator[str]:
    """Yield where fleets of allies are; where one is met its ships are told."""
    for owner, fleets in grouped(event["allied"], "owner"):
        met = {each["space"] for each in event["contacts"] if owner in (ship["owner"] for ship in each["ships"])}
        spaces = [each["space"] for each in fleets if each["space"] not in met]
        if spaces:
            yield f"{owner}'s ships at {listed(spaces)}"


def _on_the_way(view: View, told: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """Yield what sensors showed and nothing else tells: the first in full, of a later reading what is new or gone."""
    lost = {(fight["space"], loss["ship"]) for fight in told.get("combat", ()) for loss in fight["lost"]}
    elsewhere = lost | set(_named_elsewhere(view))
    before: Row = {}
    for event in told.get("sensed", ()):
        if all(event[key] == view["sensors"][key] for key in ("contacts", "unknown", "allied")):
            continue
        fresh = _without(event, elsewhere)
        if before:
            also = "; ".join(_news(before, fresh))
            gone = ", ".join(_lost_contacts(before, event, {ship for _, ship in lost}))
            news = [f" also {also}"] * bool(also) + [f" no longer {gone}"] * bool(gone)
            if news:
                yield f"{_MOMENTS[event['after']]}{';'.join(news)}."
        elif fresh["contacts"] or fresh["unknown"] or fresh["allied"]:
            yield _sensed(fresh)
        else:
            continue
        before = fresh


def _named_elsewhere(view: View) -> Iterator[tuple[str, str]]:
    """Yield the spaces of ships seen now or out of sight, with id, owner if that alone is known, or nothing."""
    for contact in view["sensors"]["contacts"]:
        yield from ((contact["space"], ship["id"]) for ship in contact["ships"])
    yield from ((space, "") for space in view["sensors"]["unknown"])
    for each in view.get("memory", {}).get("last_known", ()):
        yield each["space"], each.get("id", each.get("owner", ""))
    yield from ((each["space"], each["owner"]) for each in view["sensors"]["allied"])


def _without(event: Row, elsewhere: AbstractSet[tuple[str, str]]) -> Row:
    """Return a reading without the ships that stand elsewhere in the report, in the same space."""
    contacts = [
        {**contact, "ships": [ship for ship in contact["ships"] if (contact["space"], ship["id"]) not in elsewhere]}
        for contact in event["contacts"]
    ]
    unknown = [space for space in event["unknown"] if (space, "") not in elsewhere]
    allied = [fleet for fleet in event["allied"] if (fleet["space"], fleet["owner"]) not in elsewhere]
    contacts = [contact for contact in contacts if contact["ships"]]
    return {**event, "contacts": contacts, "unknown": unknown, "allied": allied}


def _news(before: Row, event: Row) -> Iterator[str]:
    """Yield what a reading shows that the one before did not, with ships that have changed."""
    was = [(contact["space"], ship) for contact in before["contacts"] for ship in contact["ships"]]
    for contact in event["contacts"]:
        fresh = [ship for ship in contact["ships"] if (contact["space"], ship) not in was]
        if fresh:
            yield f"{_fleet(fresh)} at {contact['space']}"
    unknown = [space for space in event["unknown"] if space not in before["unknown"]]
    if unknown:
        yield f"unknown ships at {listed(unknown)}"
    if event["allied"] != before["allied"]:
        yield from _allied(event)


def _lost_contacts(before: Row, event: Row, lost: set[str]) -> Iterator[str]:
    """Yield what a reading shows no more, but for ships whose loss a fight tells."""
    now = {ship["id"] for contact in event["contacts"] for ship in contact["ships"]} | lost
    yield from (ship["id"] for contact in before["contacts"] for ship in contact["ships"] if ship["id"] not in now)
    quiet = [space for space in before["unknown"] if space not in event["unknown"]]
    if quiet:
        yield f"unknown ships at {listed(quiet)}"


def fates(losses: Iterable[Row]) -> list[str]:
    """Return for each way to be lost the ships that were: "R245 and R635 went dark"."""
    ships = [(how, list(dict.fromkeys(each["ship"] for each in some))) for how, some in grouped(losses, "how")]
    return [f"{listed(names)} {_FATES[how].format('was' if len(names) == 1 else 'were')}" for how, names in ships]


def _forces(event: Row, view: View) -> Iterator[str]:
    for owner in (player["colour"] for player in view["players"]):
        ships = [f"{ship['id']} {ship['type']}{_arms(ship)}" for ship in event["ships"] if ship["owner"] == owner]
        if ships:
            yield f"{owner}: {', '.join(ships)}"


def _arms(ship: Row) -> str:
    words = [counted(ship["weapons"], "weapon"), f"{ship['armor']} armor"] if "weapons" in ship else []
    words += [f"damage {ship['damage']}"] if ship["damage"] else []
    return f" ({', '.join(words)})" if words else ""


def _fire(event: Row) -> Iterator[str]:
    """Yield a line for the shots of each ship at another, in their order."""
    for (by, at, need, of), shots in groupby(event["shots"], itemgetter("by", "at", "need", "of")):
        dice = [
            f"{shot['die']} " + (f"hits {shot['unit']}" if shot["unit"] else "hits" if shot["hit"] else "misses")
            for shot in shots
        ]
        yield f"{by} at {at}, to hit {need} of {of}: rolled {', '.join(dice)}"


def _fight(rounds: Sequence[Row], seat: str) -> tuple[str, str]:
    """Return the result of a fight: enemies, losses, rounds and hits; and the same without rounds and hits."""
    ships, shots, lost = ([each for one in rounds for each in one[key]] for key in ("ships", "shots", "lost"))
    owners = {ship["id"]: ship["owner"] for ship in ships}
    own = {ship for ship, owner in owners.items() if owner == seat}
    foes = {shot["by"] for shot in shots if shot["at"] in own} | {shot["at"] for shot in shots if shot["by"] in own}
    enemies = list(dict.fromkeys(owner for ship, owner in owners.items() if ship in foes))
    beside = list(dict.fromkeys(owner for owner in owners.values() if owner not in (*enemies, seat)))
    length = f", round {rounds[0]['round']}" if len(rounds) == 1 else f", {len(rounds)} rounds"
    words = f" against {listed(enemies)}" * bool(enemies) + f", beside {listed(beside)}" * bool(beside) + ": "
    gone = {loss["ship"] for loss in lost} - own
    told = fates(loss for loss in lost if loss["ship"] in own)
    if gone:
        named = _by_type({ship["id"]: ship for ship in ships if ship["id"] in gone}.values(), itemgetter("id"))
        told.append(f"{named} lost")
    made, took = (sum(shot["hit"] and shot[who] in own for shot in shots) for who in ("by", "at"))
    words += f"{'; '.join(told) or 'no ship was lost'}."
    return f"{length}{words} You made {counted(made, 'hit')}, took {took or 'none'}.", words


def _conquests(view: View, captured: Sequence[Row]) -> Iterator[str]:
    """Yield for each player, the reader first, the planets taken, and those lost to nobody."""
    for seat in sorted((player["colour"] for player in view["players"]), key=lambda seat: seat != view["seat"]):
        won = [event for event in captured if event["now"] == seat]
        words = [
            f"took {_named(some)} from {'you' if was == view['seat'] else was}"
            for was, some in grouped((event for event in won if event["was"]), "was")
        ]
        free = [event for event in won if not event["was"]]
        words += [f"took {_named(free)}, which nobody held"] if free else []
        lost = [event for event in captured if event["was"] == seat and not event["now"]]
        words += [f"lost {_named(lost)}, which nobody holds now"] if lost else []
        if words:
            yield f"{'You' if seat == view['seat'] else seat.capitalize()} {'; '.join(words)}."


def _terraformed(changed: Iterable[Row]) -> str:
    """Return the planets that changed colour, by both colours."""
    steps = [f"{_named(some)} from {was} to {now}" for (was, now), some in grouped(changed, "was", "now")]
    return f"Terraformed: {'; '.join(steps)}." if steps else ""


def _left(view: View, how: str, resigned: Iterable[Row]) -> str:
    return sentence(f"{listed([you_or_seat(view, each['who']) for each in resigned])} {_DEPARTURES[how]}.")


def _named(planets: Iterable[Row]) -> str:
    some = list(planets)
    return listed([f"{each['name']} ({each['space']})" if len(some) <= NAMED else each["space"] for each in some])


def _points(told: Mapping[str, Sequence[Row]]) -> str:
    """Return what came in and was spent.

    "0 saved + 24 income from 5 planets − 6 upkeep = 18 points: 15 for 1 Basestar, 3 saved."
    """
    built = grouped(told.get("built", ()), "type")
    spent = [f"{sum(each['cost'] for each in some)} for {counted(len(some), name)}" for name, some in built]
    mended = sum(each["cost"] for each in told.get("repaired", ()))
    spent += [f"{mended} for repairs"] if mended else []
    spent += [f"{each['points']} saved" for each in told.get("saved", ()) if each["points"]]
    for each in told.get("income", ()):
        upkeep = sum(paid["cost"] for paid in told.get("maintained", ()))
        came = f"{each['saved']} saved + {each['points']} income from {counted(each['planets'], 'planet')}"
        left = counted(each["saved"] + each["points"] - upkeep, "point")
        return f"{came} − {upkeep} upkeep = {': '.join([left, *[', '.join(spent)] * bool(spent)])}."
    return f"{', '.join(spent)}." if spent else ""


def _scrapped(why: str, scrapped: Sequence[Row]) -> str:
    ships = listed([f"{each['type']} {each['ship']} ({each['space']})" for each in scrapped])
    return f"{ships} {'was' if len(scrapped) == 1 else 'were'} scrapped{_WHYS[why]}."


def _ships(view: View, built: AbstractSet[str]) -> list[list[Fact]]:
    """Return the own ships: those with company by space, then all others by type."""
    fleets = grouped(({**ship, "new": ship["id"] in built} for ship in view["ships"]), "space")
    together = [(space, ships) for space, ships in fleets if len(ships) > 1 or ships[0]["encounter"]]
    whole = [ships[0] for _, ships in fleets if len(ships) == 1 and not ships[0]["encounter"]]
    sites = {planet["space"]: [planet["name"]] for planet in view["planets"] if len(together) <= NAMED}
    spaces: list[Fact] = []
    for space, ships in together:
        about = ", ".join(sites.get(space, []) + ["pinned"] * any(ship["encounter"] for ship in ships))
        spaces.append((space, f"{about}{': ' * bool(about)}{_fleet(ships)}"))
    types = [
        (f"{name}{'s' * (len(some) > 1)}", ", ".join(f"{each['id']}{_state(each)} at {each['space']}" for each in some))
        for name, some in grouped(whole, "type")
    ]
    states = [fact for fact, state in _STATES.items() if any(ship[state] for ship in view["ships"])]
    return [facts for facts in (spaces, types + states) if facts]


def _sensor_facts(view: View) -> Iterator[Fact]:
    """Yield the ships of each other player that sensors show, then the unknown ones."""
    sensors = view["sensors"]
    for player in view["players"]:
        met = {
            contact["space"]: [ship for ship in contact["ships"] if ship["owner"] == player["colour"]]
            for contact in sensors["contacts"]
        }
        fleets = [f"{_fleet(ships)} at {space}" for space, ships in met.items() if ships]
        allied = [each["space"] for each in sensors["allied"] if each["owner"] == player["colour"]]
        allied = [space for space in allied if not met.get(space)]
        fleets += [f"ships at {listed(allied)}"] if allied else []
        if fleets:
            who = player["colour"].capitalize() + (", your ally:" if player["ally"] else ":")
            yield who, f"{'; '.join(fleets)}."
    if sensors["unknown"]:
        yield "Unknown:", f"{', '.join(sensors['unknown'])}."


def _out_of_sight(view: View) -> Iterator[str]:
    """Yield what is out of sight now, the latest first: "2 turns ago, after combat: Cruiser B333 at D13-4."."""
    for turn, known in reversed(grouped(view.get("memory", {}).get("last_known", ()), "turn")):
        age = view["turn"] - turn
        ago = ("This turn", "Last turn")[age] if age < 2 else f"{age} turns ago"
        for when in reversed(dict.fromkeys(map(_moment, known))):
            spaces = grouped((each for each in known if _moment(each) == when), "space")
            places = "; ".join(f"{_sighted(found)} at {space}" for space, found in spaces)
            yield f"{ago}{', ' if when else ''}{when}: {places}."


def _moment(sighting: Row) -> str:
    """Return when in its turn a ship was seen last; all rounds of combat are one moment."""
    return "in combat" if sighting["when"].startswith("combat round") else str(sighting["when"])


def _sighted(found: Iterable[Row]) -> str:
    met = _fleet(each for each in found if "id" in each)
    others = [f"{each['owner']}'s ships" if "owner" in each else "unknown ships" for each in found if "id" not in each]
    return " and ".join([*[met] * bool(met), *others])


def _holders(view: View) -> list[list[Fact]]:
    """Return the planets of each player with their worth: the reader's, then those of all others."""
    held = dict(grouped((planet for planet in view["planets"] if planet["owner"]), "owner"))
    facts: list[Fact] = []
    out = [each["colour"] for each in view["players"] if not each["playing"] and each["colour"] != view["seat"]]
    bare = [
        each["colour"]
        for each in view["players"]
        if each["playing"] and not each["planets"] and each["colour"] != view["seat"] and not _standing(each, view)
    ]
    for player in sorted(view["players"], key=lambda each: (each["colour"] != view["seat"], -each["planets"])):
        if player["colour"] not in (*out, *bare):
            worths = sorted(grouped(held.get(player["colour"], ()), "worth"), key=lambda group: -group[0])
            planets = "; ".join(
                f"{worth}{' each' * (len(some) > 1)}: {', '.join(each['space'] for each in some)}"
                for worth, some in worths
            )
            own = player["colour"] == view["seat"]
            who = "Your planets, with their worth to you:" if own else f"{sentence(player['colour'])},"
            facts.append((f"{who} {player['planets']}{_standing(player, view)}.", planets))
    facts += [("No planets:", listed(bare))] if bare else []
    facts += [("Out of the war:", listed(out))] if out else []
    return [facts[:1], facts[1:]]


def _standing(player: Row, view: View) -> str:
    """Return how a player stands to the reader, and near victory."""
    rules, other = view["rules"], player["colour"] != view["seat"]
    words = ""
    if player["ally"]:
        words = ", your ally"
    elif player["wish"] and rules["alliances"] and other and not view["over"]:
        words = ", your offer of an alliance is open"
    starts = counted(rules["turns_to_hold"], "turn start")
    return words + (f", enough to win at {player['held']} of {starts}" if player["held"] else "")


def _factions(view: View) -> Iterator[str]:
    """Yield the factions that stand, each with the starts of turn at which it held enough planets."""
    turns = view["rules"]["turns_to_hold"]
    for faction in view["factions"]:
        head = f" (an empire of {faction['dominant']})" if faction["dominant"] else ""
        yield f"{listed(faction['members'])}{head} at {faction['held']} of {counted(turns, 'turn start')}"


def _nearest(view: View) -> list[str]:
    """Return for each fleet the nearest planet that neither the reader nor an ally holds, with its distance.

    Whoever has more than a few fleets knows the map by then, and a phone's screen is small.
    """
    board, goals = board_of(view), free_planets(view)
    fleets = {ship["space"] for ship in view["ships"] if not ship["dark"]}
    if not goals or len(fleets) > FLEETS:
        return []
    near = [
        (*min((distance(board.at(space), there), goal) for goal, there in goals.items()), space) for space in fleets
    ]
    return [f"{space} to {goal}, {steps}" for steps, goal, space in sorted(near)]


def _ways(moved: Iterable[Row]) -> Iterator[str]:
    """Yield the spaces on the way of each of the reader's ships that moved."""
    for event in moved:
        yield f"{event['ship']}: {', '.join(leg['space'] for leg in event['legs'])}"


def _type(kind: Row) -> str:
    units = [f"{unit} {count}" if count > 1 else unit for unit, count in kind["units"].items()]
    about = f" ({kind['ship_class']})" if kind["ship_class"] else ""
    return ": ".join([f"{kind['name']}{about}, {counted(kind['cost'], 'point')}", *[", ".join(units)] * bool(units)])


def _worths(view: View) -> list[list[Fact]]:
    """Return all planets by their worth to the reader, the dearest first, and by colour."""
    groups = sorted(grouped(view["planets"], "worth", "colour"), key=lambda group: -group[0][0])
    return [
        [(f"{colour}, {worth}:", ", ".join(f"{each['space']} {each['name']}" for each in some))]
        for (worth, colour), some in groups
    ]


def _dice(space: str, rounds: Iterable[Row]) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Yield each round of a fight: its label, and the dice as pairs of the text before a hit and its die.

    The last pair has the text behind the last hit, and 0.
    """
    label = f"{space}, "
    for one in rounds:
        pieces, text = [], ""
        for (at, need, of), shots in grouped(one["shots"], "at", "need", "of"):
            text += f"{need} of {of} at {at}:"
            for number, (by, dice) in enumerate(grouped(shots, "by")):
                text += f"{';' if number else ''} {by}"
                for shot in dice:
                    if shot["hit"]:
                        pieces.append((f"{text} ", shot["die"]))
                        text = f" {shot['unit']}" if shot["unit"] else ""
                    else:
                        text += f" {shot['die']}"
            text += ". "
        yield f"{label}{one['round']}:", [*pieces, (text.rstrip() or "No shot was fired.", 0)]
        label = ""
