"""The turn in brief: the news that a player would tell a friend, from the player's view alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import View
from pbem_rules.common.summary import fitting, listed, shortened
from pbem_rules.singularity_trap import factions
from pbem_rules.singularity_trap.orders import DeclareEmpire, DeclareFaction, counted
from pbem_rules.singularity_trap.space import Board, distance

NEAR = 3
"""Spaces from a planet at which ships out of sight matter: a cruiser slips as many in a turn."""


def turn_summary(view: View) -> list[str]:
    """Return the news of the turn, the most important first, and how things stand; nothing on what did not happen."""
    return shortened(*([line for tell in tellers for line in tell(view)] for tellers in (_NEWS, _STANDING)))


def _result(view: View) -> Iterator[str]:
    """Yield the winners and why, or that the reader is out."""
    result = view["result"]
    if result:
        won = result["winners"]
        partners = [seat for seat in won if seat != view["seat"]]
        if len(partners) < len(won):
            yield fitting(f"you have won the war{f', with {listed(partners)}' if partners else ''}.")
        else:
            yield fitting(f"the war is over: {listed(won) or 'nobody'} {'have' if len(won) > 1 else 'has'} won.")
        yield fitting(f"why: {result['reason']}.")
    elif not _reader(view)["playing"]:
        yield "You are out of the war."


def _asked(view: View) -> Iterator[str]:
    """Yield the fire awaited of the reader, in campaigns that ask for it round by round."""
    combats = view["combats"]
    if combats:
        spaces, shots = listed([combat["space"] for combat in combats]), sum(combat["shots"] for combat in combats)
        yield fitting(
            f"your fire is awaited at {spaces}: {counted(shots, 'shot')}.",
            f"your fire is awaited in {len(combats)} spaces: {counted(shots, 'shot')}.",
        )


def _orders(view: View) -> Iterator[str]:
    """Yield that no sheet came, and how many orders came to nothing."""
    refused = len(_told(view, "refused"))
    said = ["no sheet of yours came"] if _told(view, "no-sheet") else []
    said += [f"{counted(refused, 'order')} of yours came to nothing"] if refused else []
    if said:
        yield fitting(f"{'; '.join(said)}.")


def _planets(view: View) -> Iterator[str]:
    """Yield the planets that the reader won and lost."""
    seat, captured = view["seat"], _told(view, "captured")
    won = [_changed(event["name"], "from", event["was"]) for event in captured if event["now"] == seat]
    lost = [_changed(event["name"], "to", event["now"]) for event in captured if event["was"] == seat]
    if won or lost:
        yield fitting(
            _both(f"took {listed(won)}" if won else "", f"lost {listed(lost)}" if lost else ""),
            _both(
                f"took {counted(len(won), 'planet')}" if won else "",
                f"lost {counted(len(lost), 'planet')}" if lost else "",
            ),
        )


def _changed(name: str, way: str, other: str | None) -> str:
    return f"{name} {way} {other}" if other else name


def _both(won: str, lost: str) -> str:
    return f"you {' and '.join(filter(None, (won, lost)))}."


def _fights(view: View) -> Iterator[str]:
    """Yield the places of combat, and the ships that went in it."""
    fights = _told(view, "combat")
    if not fights:
        return
    spaces = sorted({fight["space"] for fight in fights})
    owners = {ship["id"]: ship["owner"] for fight in fights for ship in fight["ships"]}
    lost = [loss for fight in fights for loss in fight["lost"]]
    own = [loss for loss in lost if owners[loss["ship"]] == view["seat"]]
    others = Counter(owners[loss["ship"]] for loss in lost if loss not in own)
    vanished = [f"{counted(number, 'ship')} of {owner} vanished" for owner, number in sorted(others.items())]
    named, numbered = [_fate(loss) for loss in own], _fates(own)
    yield fitting(
        *(
            f"combat {where}: {listed([*fates, *gone]) or 'no ship was lost'}."
            for where in (f"at {listed(spaces)}", f"in {counted(len(spaces), 'space')}")
            for fates, gone in ((named, vanished), (numbered, vanished), (numbered, _gone(others)))
        ),
        f"combat in {counted(len(spaces), 'space')}: {'; '.join([_both_fates(own), *_gone(others)])}.",
    )


def _fate(loss: Mapping[str, Any]) -> str:
    return f"{loss['ship']} {_FATES[loss['how']]}"


_FATES = {"dark": "went dark", "destroyed": "was destroyed"}


def _fates(own: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the number of own ships that went, by fate."""
    fates = Counter(loss["how"] for loss in own)
    words = {"dark": "went dark", "destroyed": "destroyed"}
    return [f"{number} of yours {words[how]}" for how, number in sorted(fates.items())]


def _both_fates(own: Iterable[Mapping[str, Any]]) -> str:
    """Return the same in fewer words, for a turn that brought both fates: others fit a line."""
    fates = Counter(loss["how"] for loss in own)
    return f"{fates['dark']} of yours dark, {fates['destroyed']} destroyed"


def _gone(others: Counter[str]) -> list[str]:
    return [f"{others.total()} of others vanished"] if others else []


def _scrapped(view: View) -> Iterator[str]:
    """Yield the ships that the reader's points could not keep."""
    unpaid = [event["ship"] for event in _told(view, "scrapped") if event["why"] == "unpaid"]
    if unpaid:
        fate = f"{'was' if len(unpaid) == 1 else 'were'} scrapped: your points did not cover upkeep."
        yield fitting(f"{listed(unpaid)} {fate}", f"{counted(len(unpaid), 'ship')} of yours {fate}")


def _near_victory(view: View) -> Iterator[str]:
    """Yield the players and factions that hold enough already, and at how many starts of turn so far."""
    if view["over"]:
        return
    needed = view["rules"]["turns_to_hold"]
    for player in view["players"]:
        if player["held"]:
            yield fitting(
                f"{_you(view, player['colour'])} alone held enough to win at {player['held']} of {needed} turn starts."
            )
    for faction in view["factions"]:
        members = listed(_named_first(view, faction["members"]))
        yield fitting(
            f"the {faction['kind']} of {members} held enough at {faction['held']} of {needed} turn starts.",
            f"the {faction['kind']} of {members} stands at {faction['held']} of {needed} starts.",
        )


def _threats(view: View) -> Iterator[str]:
    """Yield ships of others, and unknown ships, at the reader's planets."""
    board = Board(view["rules"]["radius"], view["rules"]["levels"])
    own = {planet["space"]: planet["name"] for planet in view["planets"] if planet["owner"] == view["seat"]}
    friends = {view["seat"]} | {player["colour"] for player in view["players"] if player["ally"]}
    contacts = view["sensors"]["contacts"]
    hostile = {each["space"] for each in contacts if any(ship["owner"] not in friends for ship in each["ships"])}
    held = [name for space, name in own.items() if space in hostile]
    unknown = [board.read(space) for space in view["sensors"]["unknown"]]
    near = [name for space, name in own.items() if _is_near(board, space, unknown, 1)]
    at, by = ("enemies at {}", held), ("unknown ships at most a space from {}", near)
    told = [(words, names) for words, names in (at, by) if names]
    if told and not view["over"]:
        named = "; ".join(words.format(listed(names)) for words, names in told)
        counts = "; ".join(words.format(len(names)) for words, names in told)
        yield fitting(f"at your planets: {named}.", f"your planets: {counts}.")


def _out_of_sight(view: View) -> Iterator[str]:
    """Yield armed ships of others that were near the reader's planets last turn, and are not seen now."""
    board = Board(view["rules"]["radius"], view["rules"]["levels"])
    friends = {player["colour"] for player in view["players"] if player["ally"]}
    armed = {kind["name"] for kind in view["rules"]["types"] if kind["units"].get("weapons")}
    own = [board.read(planet["space"]) for planet in view["planets"] if planet["owner"] == view["seat"]]
    lost = [
        each
        for each in view.get("memory", {}).get("last_known", ())
        if view["turn"] - each["turn"] <= 1 and each.get("type") in armed and each["owner"] not in friends
    ]
    near = [each for each in lost if _is_near(board, each["space"], own, NEAR)]
    if near:
        named = listed([f"{each['id']} ({each['space']})" for each in near])
        yield fitting(
            f"lost from sight near your planets: {named}.",
            f"{counted(len(near), 'armed ship')} near your planets went out of sight.",
        )


def _is_near(board: Board, name: str, others: Iterable[Any], reach: int) -> bool:
    here = board.read(name)
    return here is not None and any(distance(here, other) <= reach for other in others)


def _standing(view: View) -> Iterator[str]:
    """Yield the number of planets that each player holds, and the number that wins."""
    players = sorted(view["players"], key=lambda player: -player["planets"])
    counts = [f"{_you(view, each['colour'])} {each['planets']}" for each in players if each["playing"]]
    goal = view["rules"]["planets_to_win"]
    if counts:
        yield fitting(f"planets ({goal} win): {', '.join(counts)}.", f"planets: {', '.join(counts)}.")


def _new_alliances(view: View) -> Iterator[str]:
    """Yield new alliances of the reader, and those that have ended."""
    for on, words in ((True, "allies now"), (False, "no longer allies")):
        who = [event["who"] for event in _told(view, "alliance") if event["on"] is on]
        if who:
            yield fitting(f"you and {listed(who)} are {words}.")


def _offers(view: View) -> Iterator[str]:
    """Yield the players whose answer to an alliance is awaited."""
    # Settings of both sides take effect together, so a wish without an alliance has not been answered.
    open_to = [player for player in view["players"] if player["playing"] and player["wish"] and not player["ally"]]
    asked = [player["colour"] for player in open_to]
    if asked and view["rules"]["alliances"] and not view["over"]:
        yield fitting(f"your offer of an alliance waits for {listed(asked)}.")


def _together(view: View) -> Iterator[str]:
    """Yield a declaration open to the reader, or else the most that the reader and allies hold together."""
    if view["over"] or any(view["seat"] in faction["members"] for faction in view["factions"]):
        return
    group, may = _group(view)
    if group:
        planets = {player["colour"]: player["planets"] for player in view["players"]}
        held = sum(planets[seat] for seat in (view["seat"], *group))
        goal = view["rules"]["planets_to_win"]
        so_far = f"{listed(['you', *group])} hold {held} of {goal} planets"
        yield fitting(f"{so_far}{may}.", f"{so_far}.")


def _group(view: View) -> tuple[Sequence[str], str]:
    """Return the allies to count with, and what can be declared with them now, at a start of turn."""
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
    """Yield the points saved, and what the next economic section makes of them."""
    if view["over"] or not _reader(view)["playing"]:
        return
    points, income, upkeep = view["points"], view["income"], view["upkeep"]
    left = points + income - upkeep
    if left < 0:
        yield fitting(
            f"{counted(points, 'point')} and {income} income do not cover {upkeep} upkeep: ships will be scrapped."
        )
    else:
        yield fitting(
            f"you have {counted(points, 'point')}; {income} of income less {upkeep} of upkeep will make it {left}."
        )


def _elsewhere(view: View) -> Iterator[str]:
    """Yield the news of others: who left, which factions fell, which planets changed hands."""
    out = [event["who"] for event in _told(view, "resigned") if event["who"] != view["seat"]]
    if out:
        yield fitting(f"{listed(out)} {'is' if len(out) == 1 else 'are'} out of the war.")
    for event in _told(view, "dissolved"):
        yield fitting(f"the faction of {listed(_named_first(view, event['members']))} is dissolved.")
    others = [each for each in _told(view, "captured") if view["seat"] not in (each["was"], each["now"])]
    if others:
        news = [f"{each['now']} took {each['name']}" for each in others if each["now"]]
        news += [f"{each['was']} lost {each['name']}" for each in others if not each["now"]]
        yield fitting(f"elsewhere {listed(news)}.", f"elsewhere {counted(len(others), 'planet')} changed hands.")


def _told(view: View, kind: str) -> list[Mapping[str, Any]]:
    return [event for event in view["events"] if event["kind"] == kind]


def _reader(view: View) -> Mapping[str, Any]:
    return next(player for player in view["players"] if player["colour"] == view["seat"])


def _you(view: View, seat: str) -> str:
    return "you" if seat == view["seat"] else seat


def _named_first(view: View, seats: Iterable[str]) -> list[str]:
    """Return seats with the reader, as "you", before the others."""
    return [_you(view, seat) for seat in sorted(seats, key=lambda seat: seat != view["seat"])]


# Tellers of what happened, in order; where a turn brings more than fits, the last lines are left out.
_NEWS = (
    _result,
    _asked,
    _orders,
    _planets,
    _fights,
    _near_victory,
    _threats,
    _out_of_sight,
    _scrapped,
    _new_alliances,
    _elsewhere,
    _offers,
)

# Tellers of what every report has, in a line each at most.
_STANDING = (_standing, _together, _money)
