"""Secrecy: losses not yet revealed and all else that is hidden show nowhere, and the suite would find them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from pbem.ruleset import Event, Finding, ParsedSheet, SeatName, View, canonical_json
from pbem.testing.leaks import SecrecySpec, find_leaks
from pbem.testing.play import Game, default_options, other_options, play, standard
from pbem_rules.dueling_masters import RULESET, DuelingMasters
from pbem_rules.dueling_masters.judging import Judgement, Named
from pbem_rules.dueling_masters.state import SEATS, State, opponent
from tests.rules.dueling_masters import secrecy
from tests.rules.dueling_masters.table import begun, position, read, turn, view
from tests.rules.twins import reports
from tests.sampling import Sampler

SECRETS = SecrecySpec(secrecy.scramble, secrecy.elsewhere)
SEARCH = 60

LONG = (9, 11)
"""Numbers of games in which bots play many moves before one finds the other's home planet."""


def doomed(state: State, seat: SeatName) -> set[str]:
    """Return the pieces of a seat that a judgement would find destroyed now."""
    alive = {Named(each, piece.name): piece for each in SEATS for piece in state.players[each].alive}
    found = set()
    for named in alive:
        if named.seat == seat:
            judgement = Judgement(state.rules, alive)
            judgement.judge(named)
            found |= {lost.name for lost in judgement.lost() if lost.seat == seat}
    return found


class KnowsLosses(DuelingMasters):
    """Ruleset whose reports leave out own pieces as soon as they are in truth destroyed."""

    def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
        seen = {**super().view(state, seat, events)}
        return seen | {"own": [piece for piece in seen["own"] if piece["name"] not in doomed(state, seat)]}


class NamesKinds(DuelingMasters):
    """Ruleset whose enemy marks show kinds before they were met."""

    def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
        seen = {**super().view(state, seat, events)}
        kinds = {piece.mark: piece.kind for piece in state.players[opponent(seat)].pieces}
        return seen | {"enemy": [mark | {"kind": kinds[mark["mark"]]} for mark in seen["enemy"]]}


class CountsRammed(DuelingMasters):
    """Ruleset in which a mark vanishes from the enemy's board when its ship rams."""

    def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
        seen = {**super().view(state, seat, events)}
        gone = {piece.mark for piece in state.players[opponent(seat)].pieces if piece.loss}
        return seen | {"enemy": [mark for mark in seen["enemy"] if mark["mark"] not in gone]}


class WarnsOfEnemies(DuelingMasters):
    """Ruleset whose receipts warn of a destination with an enemy on it."""

    def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
        self.there = {piece.square for piece in state.players[opponent(seat)].alive}
        return super().view(state, seat, events)

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        parsed = super().parse(view, lines)
        aims = [(entry.line, getattr(entry.order, "square", "")) for entry in parsed.entries]
        notes = [Finding(line, "note", "taken", f"{aim} is taken") for line, aim in aims if aim in self.there]
        return ParsedSheet(parsed.entries, (*parsed.findings, *notes))


class TellsDestinations(DuelingMasters):
    """Ruleset that announces a departure with its destination."""

    def resolve(self, state: State, turn_input: Any, dice: Any) -> tuple[State, tuple[Event, ...]]:
        after, events = super().resolve(state, turn_input, dice)
        moved = {event.data["origin"]: event.data["square"] for event in events if event.kind == "moved"}
        return after, tuple(
            Event(event.kind, event.audience, {**event.data, "bound": moved.get(event.data["square"], "")})
            if event.kind == "departed"
            else event
            for event in events
        )


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", [default_options(RULESET), other_options(RULESET)], ids=["usual", "variants"])
def test_nothing_hidden_shows(options: dict[str, Any], sampler: Sampler) -> None:
    """Reports, receipts, forms, pictures and results of orders reveal nothing hidden, in usual games and variants."""
    games = [play(RULESET, standard, 40, game=number, options=options) for number in sampler.sample(LONG, 1)]

    assert list(find_leaks(games, SECRETS, count=SEARCH)) == []


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@pytest.mark.parametrize("leaky", [KnowsLosses, NamesKinds, CountsRammed, WarnsOfEnemies, TellsDestinations])
def test_a_planted_leak_is_found(leaky: type[DuelingMasters]) -> None:
    """Each leak that this game invites is caught in scrambled worlds."""
    blind = default_options(RULESET) | {"announce": "square"}
    games = [play(leaky(), standard, 40, game=number, options=blind) for number in (*LONG, 3)]

    assert any(find_leaks(games, SECRETS, count=2 * SEARCH))


class AnswersByCounting(DuelingMasters):
    """Ruleset that answers an offer of a draw by the number of pieces the other truly has left."""

    def resolve(self, state: State, turn_input: Any, dice: Any) -> tuple[State, tuple[Event, ...]]:
        after, events = super().resolve(state, turn_input, dice)
        seat = state.mover
        left = len(list(after.players[opponent(seat)].alive))
        return after, (*events, Event("refused", frozenset({seat}), {"line": "DRAW OFFER", "why": f"he has {left}"}))


def later_leaks(ruleset: DuelingMasters, games: Sequence[Game]) -> list[tuple[int, SeatName]]:
    """Return where several turns of the same sheets read differently in worlds that differ in secrets alone."""
    found = []
    for step in (step for game in games for step in game.steps[2::5] if step.state.result is None):
        for seat in SEATS:
            rnd = random.Random(f"{step.number} {seat}")
            seen = [
                list(reports(ruleset, world, seat, sheets)) for world, sheets in lasting_worlds(step.state, seat, rnd)
            ]
            if any(other != seen[0] for other in seen):
                found.append((step.number, seat))
    return found


def lasting_worlds(
    state: State, seat: SeatName, rnd: random.Random
) -> list[tuple[State, list[dict[SeatName, list[str]]]]]:
    """Return three worlds to be played on for some turns."""
    return [secrecy.lasting(state, seat, rnd) for _ in range(3)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", [default_options(RULESET), other_options(RULESET)], ids=["usual", "variants"])
def test_nothing_hidden_shows_in_later_turns(options: dict[str, Any]) -> None:
    """Several turns with the same sheets, some of which probe, read alike whatever the enemy has and does."""
    games = [play(RULESET, standard, 30, game=LONG[0], options=options)]

    assert later_leaks(RULESET, games) == []


@pytest.mark.in_turn
def test_an_order_used_as_a_probe_is_found() -> None:
    """An answer that depends on the other's pieces is caught when worlds differ in these."""
    games = [play(RULESET, standard, 30, game=number) for number in LONG]

    assert later_leaks(AnswersByCounting(), games)


def test_a_piece_that_is_doomed_looks_like_one_that_is_not() -> None:
    """A flight into an enemy and one into the void look the same, in the report, the form and the receipt."""
    doomed_one = position("Z1 E1>J1, X1 A2", "X1 H1, Y1 J5")
    free = position("Z1 E1>J1, X1 A2", "X1 H7, Y1 J5")
    lines = ["MOVE Z1 J2", "MOVE X1 B2", "MOVE Z1 I1"]

    assert doomed(doomed_one, "one") == {"Z1"}
    assert doomed(free, "one") == set()
    assert canonical_json(view(doomed_one, "one")) == canonical_json(view(free, "one"))
    assert RULESET.template(view(doomed_one, "one")) == RULESET.template(view(free, "one"))
    assert read(doomed_one, "one", *lines) == read(free, "one", *lines)


def test_the_opponent_learns_nothing_from_a_flight_that_failed() -> None:
    """A flight that ran into a piece does not show to that piece's player until it is judged."""
    hit, heard = turn(position("Z1 E1, X1 A2", "X1 H1"), one=["MOVE Z1 J1"])
    missed, others = turn(position("Z1 E1, X1 A2", "X1 H1"), one=["MOVE Z1 E9"])

    assert canonical_json(view(hit, "two", heard)) == canonical_json(view(missed, "two", others))


def test_scrambled_worlds_differ_in_what_matters() -> None:
    """Scrambling moves, renames and reorders enemies, changes destinations, and dooms other own pieces."""
    state = begun()
    for number in range(3):
        state, _ = turn(state, one=["MOVE Z1 F1", "MOVE Z3 F9", "MOVE X2 F10"][number : number + 1])
        state, _ = turn(state, two=["MOVE Z1 E3", "MOVE Z2 E4", "MOVE B E10"][number : number + 1])

    worlds = [secrecy.scramble(state, "one", random.Random(number)) for number in range(30)]

    assert all(canonical_json(view(world, "one")) == canonical_json(view(state, "one")) for world in worlds)
    assert len({tuple(sorted(doomed(world, "one"))) for world in worlds}) > 3
    assert any(piece.loss for world in worlds for piece in world.players["two"].pieces)
    assert len({tuple(piece.name for piece in world.players["two"].pieces) for world in worlds}) == len(worlds)
