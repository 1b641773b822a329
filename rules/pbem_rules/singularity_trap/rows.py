"""The rows of a report: what its templates loop over, prepared from the view once for text and HTML.

A fact is a pair: a label, which is bold in HTML, and a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from pbem.ruleset import View
from pbem_rules.common.summary import counted, grouped, listed
from pbem_rules.singularity_trap.space import board_of, distance

Row = Mapping[str, Any]
Fact = tuple[str, str]

FEW = 3
"""Planets of a player who shares a paragraph with others."""

FLEETS = 4
"""Fleets for which the nearest planets are named."""

_MOMENTS = {"economic": "Before movement", "movement": "After movement", "combat": "After combat"}
_FATES = {"dark": "went dark", "destroyed": "was destroyed", "vanished": "vanished"}
_WHYS = {
    "order": ", as you ordered",
    "unpaid": ": your points did not cover upkeep",
    "resigned": ", since you left the war",
}


def with_rows(view: View) -> View:
    """Return a view with the rows of its report, and with words in its events of sensors and combat."""
    told = dict(grouped(view["events"], "kind"))
    fights = grouped(told.get("combat", ()), "space")
    rows = {
        "fights": [(space, _fight(rounds, view["seat"])) for space, rounds in fights],
        "conquests": list(_conquests(view, told.get("captured", ()))),
        "points": _points(told),
        "losses": [(why, _scrapped(why, some)) for why, some in grouped(told.get("scrapped", ()), "why")],
        "on_the_way": " ".join(_on_the_way(view, told)),
        "combats": [{**combat, "fleet": _fleet(combat["enemies"])} for combat in view["combats"]],
        "ships": _ships(view),
        "seen": list(_sensor_facts(view)),
        "out_of_sight": " ".join(_out_of_sight(view)),
        "holders": _holders(view),
        "nearest": "; ".join(_nearest(view)),
        "types": [_type(kind) for kind in view["rules"]["types"]],
        "worths": _worths(view),
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
    words = [word for word in ("dark", "moved") if ship.get(word)]
    for unit in ship.get("units", ()):
        if unit["left"] != unit["full"]:
            number = f"{unit['left']} of {unit['full']}" if unit["full"] > 1 else "lost"
            words.append(f"{unit['unit']} {number}")
    words += [f"damage {ship['damage']}"] if ship["damage"] and "units" not in ship else []
    return f" ({', '.join(words)})" if words else ""


def _worded(event: dict[str, Any], view: View) -> dict[str, Any]:
    if event["kind"] == "sensed":
        return {**event, "words": _sensed(event)}
    if event["kind"] == "combat":
        return {**event, "fates": ", ".join(map(fate, event["lost"])), "lines": [*_forces(event, view), *_fire(event)]}
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
    """Yield the readings of sensors that differ from the present: the first in full, a later one by what is new."""
    lost = {loss["ship"] for fight in told.get("combat", ()) for loss in fight["lost"]}
    before: Row = {}
    for event in told.get("sensed", ()):
        if all(event[key] == view["sensors"][key] for key in ("contacts", "unknown", "allied")):
            continue
        if not before:
            yield _sensed(event)
        else:
            also, gone = "; ".join(_news(before, event)), ", ".join(_lost_contacts(before, event, lost))
            news = [f" also {also}"] * bool(also) + [f" no longer {gone}"] * bool(gone)
            yield f"{_MOMENTS[event['after']]}{';'.join(news)}." if news else ""
        before = event


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


def fate(loss: Row) -> str:
    """Return a ship and how it was lost."""
    return f"{loss['ship']} {_FATES[loss['how']]}"


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


def _fight(rounds: Sequence[Row], seat: str) -> str:
    """Return the result of a fight: enemies, losses and hits."""
    ships, shots, lost = ([each for one in rounds for each in one[key]] for key in ("ships", "shots", "lost"))
    owners = {ship["id"]: ship["owner"] for ship in ships}
    own = {ship for ship, owner in owners.items() if owner == seat}
    foes = {shot["by"] for shot in shots if shot["at"] in own} | {shot["at"] for shot in shots if shot["by"] in own}
    enemies = list(dict.fromkeys(owner for ship, owner in owners.items() if ship in foes))
    beside = list(dict.fromkeys(owner for owner in owners.values() if owner not in (*enemies, seat)))
    words = f", round {rounds[0]['round']}" if len(rounds) == 1 else f", {len(rounds)} rounds"
    words += f" against {listed(enemies)}" * bool(enemies) + f", beside {listed(beside)}" * bool(beside) + ": "
    words += "".join(f"{fate(loss)}; " for loss in lost if loss["ship"] in own)
    gone = {loss["ship"] for loss in lost} - own
    if gone:
        named = _by_type({ship["id"]: ship for ship in ships if ship["id"] in gone}.values(), itemgetter("id"))
        words += f"{named} {'is' if len(gone) == 1 else 'are'} lost"
    else:
        words += "no other ship was lost" if lost else "no ship was lost"
    made, took = (sum(shot["hit"] and shot[who] in own for shot in shots) for who in ("by", "at"))
    return f"{words}. You made {counted(made, 'hit')} and took {took or 'none'}."


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


def _named(planets: Iterable[Row]) -> str:
    return listed([f"{each['name']} ({each['space']})" for each in planets])


def _points(told: Mapping[str, Sequence[Row]]) -> str:
    """Return what came in and was spent.

    "0 saved + 24 income from 5 planets − 6 upkeep = 18 points: 15 for Basestar R293, 0 saved."
    """
    spent = [f"{each['cost']} for {each['type']} {each['ship']}" for each in told.get("built", ())]
    mended = sum(each["cost"] for each in told.get("repaired", ()))
    spent += [f"{mended} for repairs"] if mended else []
    spent += [f"{each['points']} saved" for each in told.get("saved", ())]
    for each in told.get("income", ()):
        upkeep = sum(paid["cost"] for paid in told.get("maintained", ()))
        came = f"{each['saved']} saved + {each['points']} income from {counted(each['planets'], 'planet')}"
        left = counted(each["saved"] + each["points"] - upkeep, "point")
        return f"{came} − {upkeep} upkeep = {': '.join([left, *[', '.join(spent)] * bool(spent)])}."
    return f"{', '.join(spent)}." if spent else ""


def _scrapped(why: str, scrapped: Sequence[Row]) -> str:
    ships = listed([f"{each['type']} {each['ship']} ({each['space']})" for each in scrapped])
    return f"{ships} {'was' if len(scrapped) == 1 else 'were'} scrapped{_WHYS[why]}."


def _ships(view: View) -> list[list[Fact]]:
    """Return the own ships by space; single ships without damage share the last paragraph."""
    sites = {planet["space"]: [planet["name"]] for planet in view["planets"]}
    alone: list[Fact] = []
    paragraphs = []
    for space, ships in grouped(view["ships"], "space"):
        about = sites.get(space, []) + ["pinned"] * any(ship["encounter"] for ship in ships)
        fact = space, ": ".join([*[", ".join(about)] * bool(about), _fleet(ships)])
        if len(ships) == 1 and not ships[0]["damage"]:
            alone.append(fact)
        else:
            paragraphs.append([fact])
    return paragraphs + [alone] * bool(alone)


def _sensor_facts(view: View) -> Iterator[list[Fact]]:
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
            yield [(who, f"{'; '.join(fleets)}.")]
    if sensors["unknown"]:
        yield [("Unknown:", f"{', '.join(sensors['unknown'])}.")]


def _out_of_sight(view: View) -> Iterator[str]:
    """Yield what is out of sight now, the latest first: "2 turns ago, after combat: Cruiser B333 at D13-4."."""
    for turn, known in reversed(grouped(view.get("memory", {}).get("last_known", ()), "turn")):
        age = view["turn"] - turn
        ago = ("This turn", "Last turn")[age] if age < 2 else f"{age} turns ago"
        for when in reversed(dict.fromkeys(each["when"] for each in known)):
            spaces = grouped((each for each in known if each["when"] == when), "space")
            places = "; ".join(f"{_sighted(found)} at {space}" for space, found in spaces)
            yield f"{ago}{', ' if when else ''}{when}: {places}."


def _sighted(found: Iterable[Row]) -> str:
    met = _fleet(each for each in found if "id" in each)
    others = [f"{each['owner']}'s ships" if "owner" in each else "unknown ships" for each in found if "id" not in each]
    return " and ".join([*[met] * bool(met), *others])


def _holders(view: View) -> list[list[Fact]]:
    """Return the planets of each player with their worth; those who hold few share the last paragraph."""
    held = dict(grouped((planet for planet in view["planets"] if planet["owner"]), "owner"))
    many: list[Fact] = []
    few: list[Fact] = []
    for player in sorted(view["players"], key=lambda each: (each["colour"] != view["seat"], -each["planets"])):
        planets = ", ".join(f"{planet['space']} {planet['worth']}" for planet in held.get(player["colour"], ()))
        who = "You" if player["colour"] == view["seat"] else player["colour"].capitalize()
        fact = f"{who}, {player['planets']}{_standing(player, view)}{':' if planets else ''}", planets
        (many if player["planets"] > FEW else few).append(fact)
    return [[fact] for fact in many] + [few] * bool(few)


def _standing(player: Row, view: View) -> str:
    """Return how a player stands to the reader, and near victory."""
    rules, other = view["rules"], player["colour"] != view["seat"]
    words = ""
    if other and not player["playing"]:
        words = ", out of the war"
    elif player["ally"]:
        words = ", your ally"
    elif player["wish"] and rules["alliances"] and other and not view["over"]:
        words = ", your offer of an alliance is open"
    starts = counted(rules["turns_to_hold"], "turn start")
    return words + (f", enough to win at {player['held']} of {starts}" if player["held"] else "")


def _nearest(view: View) -> list[str]:
    """Return for each fleet the nearest planet that neither the reader nor an ally holds, with its distance.

    Whoever has more than a few fleets knows the map by then, and a phone's screen is small.
    """
    board, friends = board_of(view), {view["seat"], *(each["colour"] for each in view["players"] if each["ally"])}
    goals = {each["space"]: board.at(each["space"]) for each in view["planets"] if each["owner"] not in friends}
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
