"""Find leaks: differences in a seat's mail between worlds that differ only in hidden facts.

L1  shown: view, pictures, text map, order template, order form
L2  answered: orders and findings of probing lines, default orders, bots
L3  results: the next report, when others act where the seat cannot see it

L4 and L5, about the mails themselves, are in `pbem.testing.mail_leaks`.

Worlds are drawn from games with a fixed seed, so a leak found once is always
found. Every difference is a `Leak`; a clean game has none.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.archive.record import turn_dice
from pbem.ruleset.dice import Dice
from pbem.ruleset.order_tree import order_form
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset, TurnInput
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import Event, Json, Panorama, SeatName, View
from pbem.testing.play import SEED, Game, mail_view, number_lines, spoil_word, standard

WORLDS = 3
PROBES = 20

Sheets = Mapping[SeatName, Sequence[str]]


@dataclass(frozen=True)
class SecrecySpec:
    """A game's secrets, stated by its author's tests and not by its views.

    `scramble(state, seat, rnd)` returns a world that differs from `state` only in
    facts that the seat may not know: hidden things moved, added, dropped, altered and
    renumbered.

    `elsewhere(state, seat, rnd)` returns such a world and sheets of other seats,
    so that nothing of either becomes known to the seat during the next turn,
    whatever it orders itself. Without one, no seat acts while a scrambled world
    is resolved.

    `public` are the paths of the state, such as "turn" or "players.*.score", that no
    world may change, as every seat knows them; a path stands for all below it.

    `open` games hide nothing between turns.
    """

    scramble: Callable[[Any, SeatName, random.Random], Any]
    elsewhere: Callable[[Any, SeatName, random.Random], tuple[Any, Sheets]] | None = None
    open: bool = False
    public: tuple[str, ...] = ()


@dataclass(frozen=True)
class Leak:
    """A difference that a seat could read: its level, reader, turn, place and content."""

    level: str
    seat: SeatName
    turn: int
    where: str
    what: str


@dataclass(frozen=True)
class Sample:
    """A seat reading its report at some time of a game; `last` are the views mailed before, for its memory."""

    ruleset: AnyRuleset
    secrecy: SecrecySpec
    number: int
    state: Any
    events: tuple[Event, ...]
    seat: SeatName
    last: Mapping[SeatName, View] = field(default_factory=dict)

    def view(self, state: Any, seat: SeatName) -> View:
        """Return the view that would be mailed now if this were the state."""
        return mail_view(self.ruleset, state, seat, self.events, last=self.last.get(seat))

    def rnd(self, *key: str | int) -> random.Random:
        """Return a random generator of its own for every use."""
        # Seeded by a text, of which the bytes count: hash() differs from process to process, and a leak might be lost.
        return random.Random(f"{self.ruleset.key} {self.number} {self.seat} {key}")

    def leaks(self, level: str, ours: Mapping[str, Json], theirs: Mapping[str, Json]) -> Iterator[Leak]:
        """Yield a leak for each part that differs between two worlds."""
        for name, value in ours.items():
            if value != theirs[name]:
                yield Leak(level, self.seat, self.number, name, difference(value, theirs[name]))


def moments(games: Iterable[Game], secrecy: SecrecySpec, count: int) -> Iterator[Sample]:
    """Yield at most `count` samples of running games, spread over games, turns and seats."""
    readers = [(game, step, seat) for game in games for step in game.steps for seat in game.seats]
    random.Random(count).shuffle(readers)
    for game, step, seat in readers[:count]:
        last = game.steps[step.number - 2].views if step.number > 1 else {}
        yield Sample(game.ruleset, secrecy, step.number, step.state, step.heard, seat, last)


def render_shown(
    ruleset: AnyRuleset, state: Any, seat: SeatName, events: Sequence[Event], last: View | None
) -> dict[str, Json]:
    """Return all that one reader is shown of a state, computed together, so that no cache of another state matters."""
    view = mail_view(ruleset, state, seat, events, last=last)
    told = ruleset.standing(state).told
    return {
        # A report that comes or does not tells something as well: of a fight, those outside must not hear (decision 1).
        "told": told is None or seat in told,
        "view": view,
        "brief": list(ruleset.turn_summary(view)),
        "pictures": [dataclasses.astuple(picture) for picture in ruleset.pictures(view)],
        "map": ruleset.text_map(view),
        "template": ruleset.template(view),
        "without orders": ruleset.without_orders(view),
        "public": _panorama(ruleset.public_view({seat: view})),
        "desk": order_form(ruleset, view),
    }


def _panorama(shown: Panorama | None) -> Json:
    return shown and dataclasses.astuple(shown)


def collect_answers(ruleset: AnyRuleset, view: View, probes: Sequence[str]) -> dict[str, Json]:
    """Return all that a ruleset answers to lines sent against a view."""
    parsed = ruleset.parse(view, number_lines(probes))
    kept = parsed.orders
    return {
        "findings": [dataclasses.astuple(finding) for finding in parsed.findings],
        "orders": [[entry.line, ruleset.orders.to_json(entry.order)] for entry in parsed.entries],
        "defaults": [ruleset.orders.to_json(order) for held in ((), kept) for order in ruleset.defaults(view, held)],
        "bot": standard(ruleset, view, Dice(b"bot")),
    }


def find_leaks(games: Iterable[Game], secrecy: SecrecySpec, *, count: int) -> Iterator[Leak]:
    """Yield every leak of levels L1 to L3, in `count` samples of the games."""
    for moment in moments(games, secrecy, count):
        yield from shown_leaks(moment)
        yield from answered_leaks(moment)
        yield from resolved_leaks(moment)


def shown_leaks(moment: Sample) -> Iterator[Leak]:
    """Yield leaks of L1: mail made now, in this world and in scrambled ones."""
    last = moment.last.get(moment.seat)
    ours = render_shown(moment.ruleset, moment.state, moment.seat, moment.events, last)
    for number in range(WORLDS):
        world = moment.secrecy.scramble(moment.state, moment.seat, moment.rnd("shown", number))
        events = scrambled_events(moment.events, moment.seat, moment.rnd("events", number))
        yield from moment.leaks("L1", ours, render_shown(moment.ruleset, world, moment.seat, events, last))


def scrambled_events(events: Sequence[Event], seat: SeatName, rnd: random.Random) -> tuple[Event, ...]:
    """Return the events that a seat hears of, among fewer others, with itself as the only audience."""
    # Number, order and audiences of events differ between worlds, so nothing may show them.
    kept = [event for event in events if seat in event.audience or rnd.random() < 0.5]
    return tuple(
        dataclasses.replace(event, audience=frozenset({seat})) if seat in event.audience else event for event in kept
    )


def answered_leaks(moment: Sample) -> Iterator[Leak]:
    """Yield leaks of L2: answers to probing lines that name things of either world."""
    world = moment.secrecy.scramble(moment.state, moment.seat, moment.rnd("answered"))
    probes = list(_probes(moment, world))
    here, there = (
        collect_answers(moment.ruleset, moment.view(state, moment.seat), probes) for state in (moment.state, world)
    )
    yield from moment.leaks("L2", here, there)


def _probes(moment: Sample, world: Any) -> Iterator[str]:
    view = moment.view(moment.state, moment.seat)
    rnd = moment.rnd("probes")
    # Names of hidden things of both worlds: if the answers differ, a receipt can be used as an oracle.
    secrets = _names_in([moment.ruleset.dump(moment.state), moment.ruleset.dump(world)])
    for verb in moment.ruleset.orders.verbs:
        for count in range(PROBES):
            line = verb.invent(view, Dice(b"probes"), moment.number, moment.seat, count)
            yield line if count % 2 else spoil_word(line, rnd, secrets)


def _names_in(data: Json) -> list[str]:
    return sorted(set(re.findall(r"[\w+-]{1,20}", canonical_json(data).decode())))


@dataclass(frozen=True)
class AlternativeState:
    """A state that a seat cannot tell from another, and the sheets of other seats in it."""

    state: Any
    sheets: Sheets


def elsewhere_world(moment: Sample, rnd: random.Random) -> AlternativeState:
    """Return a world whose differences the seat does not learn of for a turn."""
    if moment.secrecy.elsewhere is None:
        return AlternativeState(moment.secrecy.scramble(moment.state, moment.seat, rnd), {})
    return AlternativeState(*moment.secrecy.elsewhere(moment.state, moment.seat, rnd))


def own_sheet(moment: Sample, world: AlternativeState) -> list[str]:
    """Return the seat's lines: its bot's, or none if the game does not say what they cannot reach."""
    view = moment.view(world.state, moment.seat)
    if moment.secrecy.elsewhere is None or not view["awaited"]:
        return []
    return standard(moment.ruleset, view, Dice(b"own").within(moment.number))


def resolved_leaks(moment: Sample) -> Iterator[Leak]:
    """Yield leaks of L3: the next report, in worlds in which others act differently where the seat cannot see it.

    The seat plays its bot's sheet. If a game does not say what the seat cannot see,
    no seat acts.
    """
    worlds = [elsewhere_world(moment, moment.rnd("elsewhere", number)) for number in range(WORLDS)]
    resolved = [_resolve(moment, world) for world in worlds]
    # The end of a game discloses what was hidden, so worlds in which it ends differ rightly.
    if any(moment.ruleset.standing(after).over for after, _, _ in resolved):
        return
    last = moment.view(moment.state, moment.seat)
    reports = [_report(moment, last, *each) for each in resolved]
    for report in reports[1:]:
        yield from moment.leaks("L3", reports[0], report)


def _resolve(moment: Sample, world: AlternativeState) -> tuple[Any, tuple[Event, ...], tuple[Order, ...]]:
    """Return the next state, the events, and the orders of the seat."""
    orders: dict[SeatName, tuple[Order, ...]] = {}
    sheets = {**world.sheets, moment.seat: own_sheet(moment, world)}
    for seat in sorted(moment.ruleset.standing(world.state).awaiting):
        view = moment.view(world.state, seat)
        orders[seat] = moment.ruleset.parse(view, number_lines(sheets.get(seat, ()))).orders
    after, events = moment.ruleset.resolve(world.state, TurnInput(orders), turn_dice(SEED, moment.number))
    return after, events, orders.get(moment.seat, ())


def _report(
    moment: Sample, last: View, after: Any, events: tuple[Event, ...], orders: tuple[Order, ...]
) -> dict[str, Json]:
    report = render_shown(moment.ruleset, after, moment.seat, events, last)
    return {**report, "outcomes": list(moment.ruleset.order_outcomes(report["view"], orders))}


def difference(ours: Json, theirs: Json) -> str:
    """Return the first place where two worlds' data differ, with some text around it."""
    a, b = canonical_json(ours).decode(), canonical_json(theirs).decode()
    at = next((index for index, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return f"…{a[max(0, at - 60) : at + 60]}… against …{b[max(0, at - 60) : at + 60]}…"
