"""Make recorded turns once more in processes with other hash seeds, where what follows the order of a set differs.

It is run as a script, which starts in a tenth of the time that the package
`pbem.testing` takes, and so imports nothing of it.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Mapping

from pbem.archive.record import setup_dice, turn_dice
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset, TurnInput
from pbem.ruleset.serialization import canonical_json, json_sha256
from pbem.ruleset.values import Event, Json, SeatName, View


def results(ruleset: AnyRuleset, request: Json) -> Iterator[tuple[str, str]]:
    """Yield what is made anew, in words, with a hash of it: the set-up, and each turn with its reports and sheets."""
    seed = bytes.fromhex(request["seed"])
    first = ruleset.setup(request["options"], request["seats"], setup_dice(seed))
    yield "the set-up", json_sha256(ruleset.dump(first))
    for turn in request["turns"]:
        for what, made in _of_turn(ruleset, turn, turn["seats"], turn_dice(seed, turn["number"])):
            yield f"{what} of turn {turn['number']} of game {turn['game']}", json_sha256(made)


def _of_turn(ruleset: AnyRuleset, turn: Json, seats: list[SeatName], dice: Dice) -> Iterator[tuple[str, Json]]:
    state = ruleset.load(turn["state"], ruleset.version)
    orders = {seat: tuple(map(ruleset.orders.from_json, sheet)) for seat, sheet in turn["orders"].items()}
    after, events = ruleset.resolve(state, TurnInput(orders, missing=frozenset(turn["missing"])), dice)
    yield "the next state", ruleset.dump(after)
    yield "the events", _events_json(events)
    for seat in seats:
        yield f"the view of {seat}", ruleset.view(after, seat, events)
    # All that is made of a view, for one seat in turn: pictures take longer than all else.
    seat = seats[turn["number"] % len(seats)]
    view = json.loads(canonical_json(ruleset.view(after, seat, events)))
    yield f"the report of {seat}", _report(ruleset, view)
    if view["awaited"]:
        yield f"the sheet of {seat}", _sheet(ruleset, view, turn["lines"])


def _report(ruleset: AnyRuleset, view: View) -> Json:
    pictures = [(picture.name, picture.title, picture.svg) for picture in ruleset.pictures(view)]
    return [list(ruleset.turn_summary(view)), ruleset.text_map(view), pictures, ruleset.template(view)]


def _sheet(ruleset: AnyRuleset, view: View, lines: list[str]) -> Json:
    bot = ruleset.bots["standard"](view, Dice(b"bot"))
    parsed = ruleset.parse(view, list(enumerate([*bot, *lines], 1)))
    found = [[each.line, each.code, each.text, each.hint] for each in parsed.findings]
    defaults = ruleset.defaults(view, parsed.orders)
    return [bot, found, *(list(map(ruleset.orders.to_json, orders)) for orders in (parsed.orders, defaults))]


def _events_json(events: tuple[Event, ...]) -> Json:
    return [[event.kind, sorted(event.audience), dict(event.data)] for event in events]


def differing(ours: Mapping[str, str], printed: str) -> list[str]:
    """Return what another process has made differently, by what `main` printed there."""
    theirs = dict(json.loads(printed))
    return [what for what, made in ours.items() if theirs.get(what) != made]


def load_game(game: str) -> AnyRuleset:
    """Return an instance of the class "module:name"."""
    module, _, name = game.partition(":")
    made: AnyRuleset = getattr(importlib.import_module(module), name)()
    return made


def main() -> None:
    """Read a request from standard input, and print its results as JSON."""
    request = json.load(sys.stdin)
    sys.stdout.write(json.dumps(list(results(load_game(request["class"]), request))))


if __name__ == "__main__":
    main()
