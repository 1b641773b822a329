"""The headlines of a turn: the news that a player would tell a friend, from the player's view alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pbem.ruleset import Loss, View
from pbem_rules.common.summary import LINES, counted, events_of, grouped, headline, listed, you_or_seat
from pbem_rules.singularity_trap import factions
from pbem_rules.singularity_trap.orders import DeclareEmpire, DeclareFaction
from pbem_rules.singularity_trap.rows import fates
from pbem_rules.singularity_trap.space import StarMap, board_of, distance

NEAR = 3
"""Spaces from a planet at which ships out of sight matter: a cruiser slips as many in a turn."""

FIRST_SHIPS = 2
"""Ship types that the first report proposes, the dearest that can be paid."""


def turn_summary(view: View) -> list[str]:
    """Return the headlines of a turn, in the order of reading; of too many those that matter least are left out."""
    told = [(weight, line) for weight, tell in _TELLERS for line in tell(view)]
    kept = sorted(range(len(told)), key=lambda at: (told[at][0], at))[:LINES]
    return [told[at][1] for at in sorted(kept)]


def without_orders(view: View) -> str:
    """Return what happens to a seat that sends no orders for the section asked for."""
    return _WITHOUT[view["section"]]


_WITHOUT: dict[Literal["turn", "economic", "movement", "combat", "ecopolitical"], str] = {
    "turn": "Without orders nothing is built, repaired or moved for you; your ships fire if they meet an enemy.",
    "economic": "Without orders nothing is built or repaired for you.",
    "movement": "Without orders your ships stay where they are.",
    "combat": "Without orders your ships fire by your last TARGET, or at the enemy with most weapons.",
    "ecopolitical": "Without orders your alliances stay as they are, and your terraformers work on.",
}


def _result(view: View) -> Iterator[str]:
    """Yield the winners and why, or that the reader is out."""
    result = view["result"]
    if result:
        won = result["winners"]
        partners = [seat for seat in won if seat != view["seat"]]
        if len(partners) < len(won):
            yield headline(f"you have won the war{f', with {listed(partners)}' if partners else ''}.")
        else:
            yield headline(f"the war is over: {listed(won) or 'nobody'} {'have' if len(won) > 1 else 'has'} won.")
        yield headline(f"why: {result['reason']}.")
    elif not _reader(view)["playing"]:
        yield "You are out of the war."


def _fire_awaited(view: View) -> Iterator[str]:
    """Yield the fire awaited of the reader, in campaigns that ask for it round by round."""
    combats = view["combats"]
    if combats:
        spaces, shots = listed([combat["space"] for combat in combats]), sum(combat["shots"] for combat in combats)
        yield headline(
            f"your fire is awaited at {spaces}: {counted(shots, 'shot')}.",
            f"your fire is awaited in {len(combats)} spaces: {counted(shots, 'shot')}.",
        )


def _begins(view: View) -> Iterator[str]:
    """Yield what a player has when the war begins, and what wins it."""
    if not _is_first(view):
        return
    own = [f"{each['name']} ({each['space']})" for each in view["planets"] if each["owner"] == view["seat"]]
    others = [each["colour"] for each in view["players"] if each["colour"] != view["seat"]]
    rules = view["rules"]
    turns = rules["turns_to_hold"]
    starts = "the start of a turn" if turns == 1 else f"{turns} successive turn starts"
    allies = {0: "", 2: ", alone or with an ally"}.get(rules["largest_faction"], ", alone or with allies")
    yield headline(
        f"the game begins. You hold {listed(own)}, as {listed(others)} {'hold' if others[1:] else 'holds'} theirs.",
        f"the game begins. You hold {listed(own)}, as all others hold theirs.",
        f"the game begins. You hold {counted(len(own), 'planet')}.",
    )
    yield headline(f"{counted(rules['planets_to_win'], 'planet')} win, if held at {starts}{allies}.")


def _is_first(view: View) -> bool:
    return bool(view["turn"] == 1 and view["section"] in ("turn", "economic") and not view["events"])


def _orders(view: View) -> Iterator[str]:
    """Yield that no sheet came, and how many orders came to nothing."""
    refused = len({event["line"] for event in events_of(view, "refused")})
    if events_of(view, "no-sheet"):
        yield Loss("No orders came from you in time.")
    if refused:
        which = "One of your orders was" if refused == 1 else f"{refused} of your orders were"
        yield Loss(f"{which} not carried out as written.")


def _planets(view: View) -> Iterator[str]:
    """Yield the planets that the reader won and lost, and the number that each player holds."""
    if _is_first(view):
        return
    seat, captured = view["seat"], events_of(view, "captured")
    won = [_changed(event["name"], "from", event["was"]) for event in captured if event["now"] == seat]
    lost = [_changed(event["name"], "to", event["now"]) for event in captured if event["was"] == seat]
    if won or not lost:
        yield _told_with(view, "took", won)
    if lost and won:
        yield headline(f"You lost {listed(lost)}.", f"You lost {counted(len(lost), 'planet')}.", bad=True)
    elif lost:
        yield Loss(_told_with(view, "lost", lost))


def _told_with(view: View, verb: str, names: Sequence[str]) -> str:
    """Return what happened to planets, and the number that each player holds."""
    standing = list(_standing(view))
    news = [f"You {verb} {listed(names)}.", f"You {verb} {counted(len(names), 'planet')}."] if names else [""]
    return headline(*(f"{said} {held}".strip() for said in news for held in standing))


def _standing(view: View) -> Iterator[str]:
    """Yield the number of planets that each player holds, in ever fewer words."""
    held = {each["colour"]: each["planets"] for each in view["players"]}
    own, seat = counted(held[view["seat"]], "planet"), view["seat"]
    others = sorted((each for each in view["players"] if each["playing"]), key=lambda each: -each["planets"])
    counts = ", ".join(f"{each['colour']} {each['planets']}" for each in others if each["colour"] != seat)
    if not view["over"] and not _group(view)[0]:
        goal = f"You hold {held[seat]} of the {view['rules']['planets_to_win']} planets that win"
        yield f"{goal}; {counts}." if counts else f"{goal}."
    yield f"You hold {own}; {counts}." if counts else f"You hold {own}."
    yield f"You hold {own}."


def _changed(name: str, way: str, other: str | None) -> str:
    return f"{name} {way} {other}" if other else name


def _fights(view: View) -> Iterator[str]:
    """Yield the number of fights, and the ships that went in them."""
    fights = events_of(view, "combat")
    if not fights:
        return
    spaces = sorted({fight["space"] for fight in fights})
    ships = {ship["id"]: ship for fight in fights for ship in fight["ships"]}
    lost = [loss for fight in fights for loss in fight["lost"]]
    own = [loss for loss in lost if ships[loss["ship"]]["owner"] == view["seat"]]
    others = [ships[loss["ship"]] for loss in lost if loss not in own]
    where = f"fight at {spaces[0]}" if len(spaces) == 1 else f"{len(spaces)} fights"
    own_words = [", ".join(fates(own)), _fates(own)] if own else ["none of your ships lost"]
    other_words = [_losses_of_others(others), f"{counted(len(others), 'ship')} of others lost"] if others else [""]
    told = [f"{where}: {'; '.join(filter(None, (mine, theirs)))}." for theirs in other_words for mine in own_words]
    line = headline(*told) if lost else headline(f"{where}: no ship was lost.")
    yield Loss(line) if own else line


def _fates(own: Iterable[Mapping[str, Any]]) -> str:
    """Return the number of own ships that went, by fate."""
    fates = Counter(loss["how"] for loss in own)
    return ", ".join(f"{number} of yours {_SHORT[how]}" for how, number in sorted(fates.items()))


_SHORT = {"dark": "went dark", "destroyed": "destroyed"}


def _losses_of_others(others: Iterable[Mapping[str, Any]]) -> str:
    """Return the losses of others by owner: "cyan lost 3 Cruisers, yellow 1 Scout"."""
    types: dict[str, list[str]] = {}
    for ship in others:
        types.setdefault(ship["owner"], []).append(ship["type"])
    lost = {owner: counted(len(kinds), kinds[0] if len({*kinds}) == 1 else "ship") for owner, kinds in types.items()}
    return ", ".join(f"{owner} {'' if at else 'lost '}{lost[owner]}" for at, owner in enumerate(sorted(lost)))


def _scrapped(view: View) -> Iterator[str]:
    """Yield the ships that the reader's points could not keep."""
    unpaid = [event["ship"] for event in events_of(view, "scrapped") if event["why"] == "unpaid"]
    if unpaid:
        went = f"{'was' if len(unpaid) == 1 else 'were'} scrapped: your points did not cover upkeep."
        yield headline(f"{listed(unpaid)} {went}", f"{counted(len(unpaid), 'ship')} of yours {went}", bad=True)


def _near_victory(view: View) -> Iterator[str]:
    """Yield the players and factions that hold enough already, and at how many starts of turn so far."""
    if view["over"]:
        return
    needed = counted(view["rules"]["turns_to_hold"], "turn start")
    for player in view["players"]:
        if player["held"]:
            yield headline(
                f"{you_or_seat(view, player['colour'])} alone held enough to win at {player['held']} of {needed}."
            )
    for faction in view["factions"]:
        members = listed(_named_first(view, faction["members"]))
        yield headline(
            f"the {faction['kind']} of {members} held enough at {faction['held']} of {needed}.",
            f"the {faction['kind']} of {members} stands at {faction['held']} of {needed}.",
        )


def _threats(view: View) -> Iterator[str]:
    """Yield ships of others, and unknown ships, at the reader's planets."""
    board = board_of(view)
    own = {planet["space"]: planet["name"] for planet in view["planets"] if planet["owner"] == view["seat"]}
    friends = {view["seat"]} | {player["colour"] for player in view["players"] if player["ally"]}
    contacts = view["sensors"]["contacts"]
    hostile = {each["space"] for each in contacts if any(ship["owner"] not in friends for ship in each["ships"])}
    held = [name for space, name in own.items() if space in hostile]
    unknown = [board.at(space) for space in view["sensors"]["unknown"]]
    near = [name for space, name in own.items() if _is_near(board, space, unknown, 1)]
    at, by = ("enemies at {}", held), ("unknown ships at most a space from {}", near)
    told = [(words, names) for words, names in (at, by) if names]
    if told and not view["over"]:
        named = "; ".join(words.format(listed(names)) for words, names in told)
        counts = "; ".join(words.format(len(names)) for words, names in told)
        yield headline(f"at your planets: {named}.", f"your planets: {counts}.")


def _out_of_sight(view: View) -> Iterator[str]:
    """Yield armed ships of others that were near the reader's planets last turn, and are not seen now."""
    board = board_of(view)
    friends = {player["colour"] for player in view["players"] if player["ally"]}
    armed = {kind["name"] for kind in view["rules"]["types"] if kind["units"].get("weapons")}
    own = [board.at(planet["space"]) for planet in view["planets"] if planet["owner"] == view["seat"]]
    lost = [
        each
        for each in view.get("memory", {}).get("last_known", ())
        if view["turn"] - each["turn"] <= 1 and each.get("type") in armed and each["owner"] not in friends
    ]
    near = [each for each in lost if _is_near(board, each["space"], own, NEAR)]
    if near:
        named = listed([f"{listed([each['id'] for each in some])} ({space})" for space, some in grouped(near, "space")])
        yield headline(
            f"lost from sight near your planets: {named}.",
            f"{counted(len(near), 'armed ship')} near your planets went out of sight.",
        )


def _is_near(board: StarMap, name: str, others: Iterable[Any], reach: int) -> bool:
    return any(distance(board.at(name), other) <= reach for other in others)


def _new_alliances(view: View) -> Iterator[str]:
    """Yield new alliances of the reader, and those that have ended."""
    for on, words in ((True, "allies now"), (False, "no longer allies")):
        who = [event["who"] for event in events_of(view, "alliance") if event["on"] is on]
        if who:
            yield headline(f"you and {listed(who)} are {words}.")


def _offers(view: View) -> Iterator[str]:
    """Yield the players whose answer to an alliance is awaited."""
    # Settings of both sides take effect together, so a wish without an alliance has not been answered.
    open_to = [player for player in view["players"] if player["playing"] and player["wish"] and not player["ally"]]
    asked = [player["colour"] for player in open_to]
    if asked and view["rules"]["alliances"] and not view["over"]:
        yield headline(f"your offer of an alliance waits for {listed(asked)}.")


def _declarable(view: View) -> Iterator[str]:
    """Yield a declaration open to the reader."""
    group, may = _group(view)
    if may:
        yield headline(f"{_held_with(view, group)}{may}.", f"{_held_with(view, group)}.")


def _together(view: View) -> Iterator[str]:
    """Yield the most that the reader and allies hold together, if there is nothing to declare."""
    group, may = _group(view)
    if group and not may:
        yield headline(f"{_held_with(view, group)}.")


def _held_with(view: View, group: Sequence[str]) -> str:
    planets = {player["colour"]: player["planets"] for player in view["players"]}
    held = sum(planets[seat] for seat in (view["seat"], *group))
    return f"with {listed(group)} you hold {held} of the {view['rules']['planets_to_win']} planets that win"


def _group(view: View) -> tuple[Sequence[str], str]:
    """Return the allies to count with, and what can be declared with them now, at a start of turn."""
    if view["over"] or any(view["seat"] in faction["members"] for faction in view["factions"]):
        return (), ""
    if view["section"] in ("turn", DeclareFaction.section):
        for order in factions.certain(view):
            what = "an empire" if isinstance(order, DeclareEmpire) else "a faction"
            return order.players, f": you can declare {what}"
        for order in factions.open_question(view):
            return order.players, ": a faction if they are allied"
    allies = [player for player in view["players"] if player["ally"] and player["playing"]]
    strongest = sorted(allies, key=lambda player: -player["planets"])
    return [player["colour"] for player in strongest[: max(0, view["rules"]["largest_faction"] - 1)]], ""


def _money(view: View) -> Iterator[str]:
    """Yield the points to spend, or that upkeep cannot be paid; at first also what to spend them for."""
    if view["over"] or not _reader(view)["playing"]:
        return
    left = view["points"] + view["income"] - view["upkeep"]
    if view["section"] not in ("turn", "economic"):
        yield f"You have {_points(view['points'])} saved."
    elif left < 0:
        yield Loss("Your points do not cover the upkeep of all your ships: some will be scrapped.")
    else:
        yield headline(f"you have {_points(left)} to spend{_first_ships(view, left)}.", f"you have {_points(left)}.")


def _points(number: int) -> str:
    return counted(number, "point") if number else "no points"


def _first_ships(view: View, left: int) -> str:
    """Return the dearest ships that the first points pay; "" later on."""
    payable = sorted((kind["cost"], kind["name"]) for kind in view["rules"]["types"] if kind["cost"] <= left)
    if not payable or not _is_first(view):
        return ""
    ships = " or ".join(f"a {name} ({cost})" for cost, name in payable[-FIRST_SHIPS:])
    return f": {ships} is a good first ship"


def _elsewhere(view: View) -> Iterator[str]:
    """Yield the news of others: who left, which factions fell, which planets changed hands."""
    out = [event["who"] for event in events_of(view, "resigned") if event["who"] != view["seat"]]
    if out:
        yield headline(f"{listed(out)} {'is' if len(out) == 1 else 'are'} out of the war.")
    for event in events_of(view, "dissolved"):
        yield headline(f"the faction of {listed(_named_first(view, event['members']))} is dissolved.")
    others = [each for each in events_of(view, "captured") if view["seat"] not in (each["was"], each["now"])]
    if others:
        taken = grouped((each for each in others if each["now"]), "now")
        lost = grouped((each for each in others if not each["now"]), "was")
        news = [f"{seat} took {listed([each['name'] for each in some])}" for seat, some in taken]
        news += [f"{seat} lost {listed([each['name'] for each in some])}" for seat, some in lost]
        yield headline(f"elsewhere {'; '.join(news)}.", f"elsewhere {counted(len(others), 'planet')} changed hands.")


def _reader(view: View) -> Mapping[str, Any]:
    return next(player for player in view["players"] if player["colour"] == view["seat"])


def _named_first(view: View, seats: Iterable[str]) -> list[str]:
    """Return seats with the reader, as "you", before the others."""
    return [you_or_seat(view, seat) for seat in sorted(seats, key=lambda seat: seat != view["seat"])]


# Tellers in the order of reading, with the weight of what they tell: the lines of the highest are left out first.
_TELLERS: tuple[tuple[int, Callable[[View], Iterator[str]]], ...] = (
    (0, _result),
    (0, _fire_awaited),
    (0, _begins),
    (0, _planets),
    (3, _scrapped),
    (2, _near_victory),
    (1, _declarable),
    (4, _together),
    (1, _fights),
    (1, _orders),
    (3, _threats),
    (4, _out_of_sight),
    (4, _new_alliances),
    (6, _elsewhere),
    (6, _offers),
    (1, _money),
)
