"""Outcome of each order of a turn, worded from the report's view alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import InPart, NotDone, Order, View
from pbem_rules.bubble_singularity.orders import (
    ORDERS,
    STATION_ACTIONS,
    Bubbles,
    Draw,
    Keep,
    Move,
    Pop,
    Pull,
    Resign,
    Rotate,
    Send,
    Start,
    Swap,
    UseAttractor,
    UseBlock,
    UseConvert,
    UseDeploy,
    UseDirector,
    UseFolder,
    UseIgnite,
    UseResearch,
    UseSelect,
    UseTeleport,
    UseTransfer,
    pairs,
)
from pbem_rules.bubble_singularity.state import COLOURS
from pbem_rules.common.outcomes import clauses, refusals, refused
from pbem_rules.common.summary import counted, listed, named

Event = Mapping[str, Any]

_ACTIONS: tuple[type[Order], ...] = (Rotate, Pull, *STATION_ACTIONS)


def order_outcomes(view: View, orders: Sequence[Order]) -> list[str]:
    """Return a clause for each order of the reader."""
    whys = refusals(view, orders, ORDERS.line)
    return [_fate(_Line(view, orders, whys, number)) for number in range(len(orders))]


@dataclass(frozen=True)
class _Line:
    """One order of the reader in a turn, with the reasons why orders were refused."""

    view: View
    orders: Sequence[Order]
    whys: Sequence[str]
    number: int

    @property
    def order(self) -> Any:
        return self.orders[self.number]

    @property
    def why(self) -> str:
        """The reason why it was refused; "" if it was not, or if an equal line for another pop may be meant."""
        # Refusals name the text of a line, and two equal lines have the same text.
        unsure = isinstance(self.order, Pop | Swap) and self.orders.count(self.order) > 1
        return "" if unsure else self.whys[self.number]

    def own(self, *kinds: str) -> list[Event]:
        """Return the reader's events of some kinds, in order."""
        seat = self.view["seat"]
        return [event for event in self.view["events"] if event["kind"] in kinds and event["who"] == seat]

    def one(self, *kinds: str) -> Event | None:
        return next(iter(self.own(*kinds)), None)

    def followed(self, *kinds: type[Order]) -> bool:
        """Return True if an order of one of these types was not refused."""
        return any(isinstance(order, kinds) and not why for order, why in zip(self.orders, self.whys, strict=True))

    def of_space(self, kind: str) -> tuple[Event | None, int]:
        """Return the event that a line for a pop was for, and how many such events there were on its space.

        The nth line of a space is for the nth event there.
        """
        space, alike = self.order.space, type(self.order)
        there = [event for event in self.view["events"] if event["kind"] == kind and event["space"] == space]
        before = sum(isinstance(order, alike) and order.space == space for order in self.orders[: self.number])
        return (there[before] if before < len(there) else None), len(there)

    def named(self, words: Sequence[str]) -> str:
        abilities = self.view["abilities"]
        return listed([abilities[word]["title"] if word in abilities else word for word in words])


Teller = Callable[[_Line], str]


def _fate(line: _Line) -> str:
    kind = type(line.order)
    # Leaving comes before anything else in a turn (ruling 31).
    if line.one("left") and kind is not Resign:
        return NotDone("you were out of the game by then")
    if line.why:
        instead = _INSTEAD.get(kind)
        done = instead(line) if instead else ""
        return refused(line.why, done, _scored(line) if done else "")
    done = _DONE[kind](line)
    if done:
        return type(done)(clauses(done, _scored(line)))
    return NotDone("the game ended before it came to that") if line.view["over"] else ""


def _scored(line: _Line) -> str:
    """Return the score of the pops: told with the action, or with the move if no action was ordered."""
    told_with = _ACTIONS if any(isinstance(order, _ACTIONS) for order in line.orders) else (Move,)
    scored = line.own("scored")
    if not scored or not isinstance(line.order, told_with):
        return ""
    pops, points, markers = (sum(event[what] for event in scored) for what in ("pops", "points", "markers"))
    chains = f" in {len(scored)} chains" if len(scored) > 1 else ""
    won = f" and {counted(markers, 'marker')}" if markers else ""
    return f"then {counted(pops, 'pop')}{chains} scored {counted(points, 'point')}{won}."


def _start(line: _Line) -> str:
    seated = line.one("seated")
    if seated is None:
        return ""
    place = seated["space"]
    wished = line.order.spaces.index(place) if place in line.order.spaces else len(line.order.spaces)
    if not wished:
        return f"it is on {place}."
    sides = "the side of" if wished == 1 else "the sides of"
    return (
        f"it is on {place}, for {sides} {named(line.order.spaces[:wished])} {'was' if wished == 1 else 'were'} taken."
    )


def _keep(line: _Line) -> str:
    if line.one("seated"):
        return _first_card(line)
    told = [*_keep_outcomes(line), *_open_questions(line)]
    if told:
        return clauses(*told)
    if line.one("moved", "stayed") is None:
        return ""
    stands = "; the list stands" if line.view["keeping"] and not line.view["over"] else ""
    return f"nothing was drawn in this turn{stands}."


def _first_card(line: _Line) -> str:
    seated = line.one("seated")
    if seated is None or not seated["card"]:
        return ""
    return f"you hold {line.named([seated['card']])}; {line.named(seated['returned'])} went back."


def _keep_outcomes(line: _Line) -> Iterator[str]:
    for event in line.own("kept", "chosen"):
        back = line.named(event["returned"])
        if event["kind"] == "chosen":
            yield f"you chose {line.named([event['card']])}{f' over {back}' if back else ''}."
        else:
            yield f"you kept {line.named(event['what'])}{f'; {back} went back' if back else ''}."


def _open_questions(line: _Line) -> Iterator[str]:
    view = line.view
    for asked in (view["question"], *view["further"]):
        if asked and asked["seat"] == view["seat"]:
            yield f"you are asked what to keep of {line.named(asked['choices'])}."


def _move(line: _Line) -> str:
    return _went(line, "it")


def _default_move(line: _Line) -> str:
    return "" if line.followed(Move) else _went(line, "by default it")


def _went(line: _Line, subject: str) -> str:
    """Return where the Mari went, and what it placed unless an order says that."""
    event = line.one("moved", "stayed")
    if event is None:
        return ""
    if event["kind"] == "stayed":
        return f"it stayed, for {event['why']}."
    *by, goal = [space for space, _ in event["path"]]
    placed = "" if any(isinstance(order, Bubbles) for order in line.orders) else f", placing {_placing(event)}"
    return f"{subject} went {f'by {listed(by)} ' if by else ''}to {goal}{placed}."


def _bubbles(line: _Line) -> str:
    moved = line.one("moved")
    return f"you placed {_placing(moved)}." if moved else ""


def _default_bubbles(line: _Line) -> str:
    return "" if line.followed(Bubbles) else _bubbles(line).replace("you", "by default you", 1)


def _placing(moved: Event) -> str:
    return listed([f"{' and '.join(bubbles) or 'nothing'} on {space}" for space, bubbles in moved["path"]])


def _action(line: _Line) -> str:
    event = line.one("rotated", "pulled")
    if event is None:
        return ""
    return _rotated(event) if event["kind"] == "rotated" else _pulled(event)


def _default_action(line: _Line) -> str:
    event = line.one("rotated", "pulled")
    if event is None or line.followed(*_ACTIONS):
        return ""
    what = "your card was rotated clockwise" if event["kind"] == "rotated" else f"you pulled {event['way']}"
    return f"by default {what}: {_action(line)}"


def _rotated(event: Event) -> str:
    pushed = [f"{colour} {way} to {goal}" for colour, way, goal in event["sent"] if goal != event["space"]]
    stayed = [
        f"{colour} stayed, for {way} is the edge" for colour, way, goal in event["sent"] if goal == event["space"]
    ]
    told = [f"it pushed {listed(pushed)}"] if pushed else []
    return f"turned to {_ways(event)}, {'; '.join([*told, *stayed]) or 'it had nothing to push'}."


def _ways(event: Event) -> str:
    return listed(list(event["arrows"]))


def _pulled(event: Event) -> str:
    return f"{listed(event['bubbles']) or 'no bubble'} came from {event['start']} to {event['space']}."


def _send(line: _Line) -> str:
    rotated = line.one("rotated")
    if rotated is None:
        return ""
    goals = {(colour, way): goal for colour, way, goal in rotated["sent"]}
    sent = [(colour, goals[colour, way]) for colour, way in pairs(line.order.pairs)]
    went = (f"{colour} {'stayed' if goal == rotated['space'] else f'went to {goal}'}" for colour, goal in sent)
    return f"{listed(list(went))}."


def _pop(line: _Line) -> str:
    pop, times = line.of_space("popped")
    if pop is not None:
        return _popped(pop)
    if not times:
        return NotDone(f"{line.order.space} did not pop")
    return NotDone(f"{line.order.space} popped {'once' if times == 1 else f'{times} times'} only")


def _popped(pop: Event) -> str:
    sent = [f"{colour} {way} to {goal}" for colour, way, goal in pop["sent"]]
    stayed = [f"{listed(pop['stayed'])} stayed"] if pop["stayed"] else []
    collected = [f"you collected {listed(pop['collected'])}"] if pop["collected"] else []
    return f"pop {pop['number']}: {'; '.join([listed(sent) or 'nothing moved', *stayed, *collected])}."


def _swap(line: _Line) -> str:
    swapped, times = line.of_space("swapped")
    if swapped is not None:
        return f"it changed places with the card on {swapped['other']}."
    if line.one("moved", "stayed") is None:
        return ""
    return NotDone(f"no unstable card popped there{' so often' if times else ''}")


def _draw(line: _Line) -> str:
    drawn = [f"you drew {line.named(event['cards'])}" for event in line.own("drawn")]
    return f"{', then '.join(drawn) or 'no ability cards came'}."


def _research(line: _Line) -> str:
    event = line.one("researched")
    if event is None:
        return ""
    drawn = listed(event["bubbles"]) or "no bubble"
    return clauses(f"you drew {drawn}", *_kept_bubbles(line))


def _kept_bubbles(line: _Line) -> Iterator[str]:
    """Yield which bubbles drawn were kept, unless a KEEP of the sheet says that."""
    if any(isinstance(order, Keep) for order in line.orders):
        return
    kept = next((event["what"] for event in line.own("kept") if event["what"][0] in COLOURS), None)
    if kept:
        yield f"you kept {listed(kept)}."
    yield from _open_questions(line)


def _select(line: _Line) -> str:
    event = line.one("selected")
    if event is None:
        return ""
    if not event["bubbles"]:
        return NotDone("the bag held none of them")
    took = f"you took {listed(event['bubbles'])}"
    short = len(event["bubbles"]) < len(line.order.bubbles)
    return InPart(f"{took}; the bag held no more of the rest") if short else took


def _ignite(line: _Line) -> str:
    number = next((pop["number"] for pop in line.own("popped") if pop["space"] == line.order.space), 0)
    return f"it was pop {number}" if number else NotDone("it did not pop")


def _resign(line: _Line) -> str:
    return "what lay before you went back." if line.one("left") else ""


def _when(kind: str, words: str) -> Teller:
    """Return a teller that words the first event of a kind, with its data."""

    def told(line: _Line) -> str:
        event = line.one(kind)
        return words.format(**event, ways=_ways(event) if "arrows" in event else "") if event else ""

    return told


# Tellers of orders that were not refused; they return "" if nothing came of it.
_DONE: Mapping[type[Order], Teller] = {
    Start: _start,
    Keep: _keep,
    Move: _move,
    Bubbles: _bubbles,
    Rotate: _action,
    Pull: _action,
    Send: _send,
    Pop: _pop,
    Swap: _swap,
    Draw: _draw,
    UseFolder: _when("folded", "turned to {ways}."),
    UseAttractor: _when("attracted", "it came to {space}."),
    UseDirector: _when("directed", "it came to {space}."),
    UseResearch: _research,
    UseSelect: _select,
    UseTeleport: _when("teleported", "it came from {start}."),
    UseTransfer: _when("transferred", "done."),
    UseConvert: _when("converted", "they became {who}."),
    UseDeploy: _when("deployed", "done."),
    UseIgnite: _ignite,
    UseBlock: _when("blocked", "it holds for {player}'s next turn."),
    Resign: _resign,
}

# Tellers of what happened in place of a refused order.
_INSTEAD: Mapping[type[Order], Teller] = {
    Keep: _first_card,
    Move: _default_move,
    Bubbles: _default_bubbles,
    **dict.fromkeys(_ACTIONS, _default_action),
    Pop: _pop,
    Swap: _swap,
}
