"""Reports in words: every event, and all that a seat may know."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import pbem_rules.bubble_singularity.events as events_module
from pbem.report.facts import RenderedReport, ReportFacts
from pbem.report.renderer import Renderer
from pbem.ruleset import Dice, Event, SeatName, TurnInput, View
from pbem.testing.play import games
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.abilities import title
from pbem_rules.bubble_singularity.events import public
from pbem_rules.bubble_singularity.orders import Resign
from pbem_rules.bubble_singularity.state import State
from tests.rules.bubble_singularity.table import lay, new_game, play, view
from tests.sampling import Sampler

TEMPLATES = Path(__file__).parents[3] / "templates"

SAID: dict[str, tuple[dict[str, Any], str]] = {
    "seated": (
        {"who": "red", "space": "C1", "card": "drift", "returned": ["fusion"]},
        "Red starts on C1 with Quantum Drift.",
    ),
    "neutral": ({"bubbles": [["A1", "blue"]]}, "Bubbles of nobody's colour lie on the empty edge: blue on A1."),
    "begun": ({"first": "red", "order": ["red", "blue"]}, "Red is the first player; the order of play is red, blue."),
    "missed": (
        {"who": "red", "what": "turn"},
        "Red sent no sheet by the deadline; the game's default was played.",
    ),
    "moved": (
        {"who": "blue", "path": [["C2", ["red", "blue"]], ["C1", []]]},
        "Blue moved to C1, placing red and blue on C2, nothing on C1.",
    ),
    "stayed": (
        {"who": "red", "why": "there are no bubbles to place"},
        "Red's Mari could not move: there are no bubbles to place.",
    ),
    "rotated": (
        {"who": "blue", "space": "C2", "turn": "CW", "arrows": "NE", "sent": [["red", "N", "C1"]]},
        "Blue rotated C2 clockwise and pushed red N to C1.",
    ),
    "pulled": (
        {"who": "blue", "space": "C2", "way": "N", "start": "C1", "bubbles": ["red"]},
        "Blue pulled red from C1 to C2.",
    ),
    "folded": (
        {"who": "blue", "space": "A1", "turn": "CCW", "arrows": "NE"},
        "Blue turned A1 counter-clockwise with Space Folder.",
    ),
    "attracted": (
        {"who": "blue", "start": "A1", "space": "C1"},
        "Blue drew the node on A1 to C1 with Singularity Attractor.",
    ),
    "directed": (
        {"who": "blue", "start": "A1", "space": "B1"},
        "Blue moved a blue bubble from A1 to B1 with Bubble Director.",
    ),
    "researched": (
        {"who": "blue", "bubbles": ["red", "red", "green"]},
        "Blue drew red, red, green at the research station.",
    ),
    "selected": (
        {"who": "blue", "bubbles": ["red"]},
        "Blue took red from the bag, as controller of the research station.",
    ),
    "teleported": ({"who": "blue", "start": "D1", "space": "A3"}, "Blue teleported from D1 to A3."),
    "transferred": (
        {"who": "blue", "colour": "red", "start": "D1", "space": "A3"},
        "Blue transferred a red bubble from D1 to A3.",
    ),
    "converted": ({"who": "blue", "bubbles": [["D3", "red"]]}, "Blue converted bubbles to blue: red on D3."),
    "ignited": ({"who": "blue", "space": "D4"}, "Blue ignited D4."),
    "deployed": ({"who": "blue", "bubbles": [["D3", "red"]]}, "Blue deployed bubbles: red on D3."),
    "blocked": ({"who": "blue", "player": "red", "action": "PULL"}, "Blue blocked PULL for red's next turn."),
    "popped": (
        {
            "who": "blue",
            "space": "C1",
            "number": 2,
            "node": True,
            "sent": [["red", "E", "D1"]],
            "stayed": ["green"],
            "collected": ["blue"],
        },
        "Pop 2 on C1, a node: red E to D1; green stayed; blue collected blue.",
    ),
    "turned": ({"space": "B1", "arrows": "NS"}, "The flux card on B1 turned clockwise."),
    "swapped": (
        {"space": "E4", "other": "E3"},
        "The unstable card on E4 changed places with the card on E3.",
    ),
    "scored": (
        {
            "who": "blue",
            "pops": 3,
            "length": 4,
            "extra": ["+1 for nodes"],
            "points": 10,
            "markers": 1,
            "total": 20,
            "cut": False,
        },
        "Blue's chain of 3 pops (+1 for nodes) has length 4: 10 points and 1 marker, 20 in all.",
    ),
    "controlled": (
        {"who": "blue", "station": "energy", "before": "red"},
        "Blue controls the energy station, until now red's.",
    ),
    "harvested": ({"who": "blue", "colour": "red"}, "Blue drew red from the bag by Energy Harvest."),
    "drawn": ({"who": "blue", "cards": ["drift", "fusion"]}, "Blue drew Quantum Drift and Bubble Fusion."),
    "chosen": (
        {"who": "blue", "card": "drift", "returned": ["fusion"], "held": "wormhole"},
        "Blue chose Quantum Drift over Bubble Fusion, but holds Wormhole Travel in that category.",
    ),
    "kept": (
        {"who": "blue", "what": ["drift"], "returned": ["fusion"]},
        "Blue keeps Quantum Drift; Bubble Fusion went back.",
    ),
    "last-round": (
        {"who": "blue", "markers": 5},
        "Blue has 5 markers: this round is the last.",
    ),
    "left": ({"who": "blue", "how": "resigned"}, "Blue left the game."),
    "ended": (
        {"winners": ["blue"], "how": "left", "words": "all others left the game", "scores": {"blue": 9, "red": 3}},
        "The game is over: all others left the game. Blue wins. Totals: red 3, blue 9.",
    ),
    "refused": ({"line": "PULL N", "why": "N of C1 is the edge"}, "Not done: PULL N, for N of C1 is the edge."),
}
"""Each kind of event with its data, and its sentence in a report."""


@pytest.fixture(scope="module")
def reporter() -> Iterator[Renderer]:
    """Yield a renderer without pictures."""
    reporter = Renderer([TEMPLATES], pictures=False)
    yield reporter
    reporter.close()


def report(reporter: Renderer, state: State, seat: SeatName, events: Sequence[Event] = ()) -> RenderedReport:
    """Render a seat's report."""
    return reporter.report(RULESET, view(state, seat, events), facts(state.seats, seat))


def facts(seats: tuple[SeatName, ...], seat: SeatName, **more: Any) -> ReportFacts:
    """Return the facts of a seat's report."""
    return ReportFacts(
        campaign="bubble1",
        seat=seat,
        seats=seats,
        deadline=dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC),
        zone="Europe/Berlin",
        code="abcdefgh",
        address="orders@example.org",
        **more,
    )


def plain(text: str) -> str:
    """Join the wrapped lines of a text and decode the entities of HTML."""
    joined = re.sub(r"\s+", " ", text)
    return joined.replace("&#39;", "'")


@pytest.mark.parametrize("kind", SAID)
def test_every_event_has_its_sentence(reporter: Renderer, kind: str) -> None:
    """Each kind of event is told in one plain sentence, in the text and in the HTML."""
    data, sentence = SAID[kind]
    state = lay()

    parts = report(reporter, state, "red", [public(state.seats, kind, **data)])

    assert f"- {sentence} " in plain(parts.text)
    assert f">{sentence}</li>" in plain(parts.html)


def test_the_table_of_events_is_whole() -> None:
    """The kinds listed for template authors are those that have a sentence."""
    listed = re.findall(r"^\| ([a-z-]+) \|", events_module.__doc__ or "", re.MULTILINE)

    assert set(listed) - {"kind"} == set(SAID)


def test_a_report_tells_the_whole_table(reporter: Renderer) -> None:
    """Every report has the mover, points, supplies, bag, decks, abilities and special cards."""
    state = lay(hand="rb", held=["drift"], stations=True, control={"energy": "red"}, blocked="PULL")

    parts = report(reporter, state, "blue")

    for words in (plain(parts.text), plain(re.sub(r"<[^>]*>", "", parts.html))):
        assert "It is your turn." in words
        assert "1 blue, 1 red" in words
        assert "In the bag: 2 blue, 2 green, 2 red, 2 yellow." in words
        assert "Quantum Drift (drift): your Mari may move diagonally too." in words
        assert "Blue may not PULL in the next turn." in words
        assert "Stations: D4 (energy) red's; the others are free." in words


def test_a_report_of_the_set_up_tells_what_to_choose(reporter: Renderer) -> None:
    """The report of the set-up names the cards dealt and the first player."""
    state = new_game()

    text = plain(report(reporter, state, "red").text)

    assert "everybody chooses where to start and a starting ability" in text
    assert f"{state.first.capitalize()} will be the first player." in text
    assert all(f"({card}): " in text for card in state.players["red"].offer)
    assert all(title(card).partition(" (")[0] in text for card in state.players["green"].offer)


def test_a_report_of_a_question_tells_the_choices(reporter: Renderer) -> None:
    """All reports name the player who chooses, and the choices."""
    after = play(lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"}), "PULL N")
    assert after.state.question is not None

    text = plain(report(reporter, after.state, "red", after.events).text)

    assert "Blue chooses what to keep. To choose from: " + ", ".join(after.state.question.choices) in text


def test_the_last_report_names_the_winners(reporter: Renderer) -> None:
    """The last report names the winners and the reason."""
    over = play(lay(hand="b"), "RESIGN CONFIRM")

    for shown in (report(reporter, over.state, "red").text, report(reporter, over.state, "red").html):
        assert "Red wins: all others left the game." in plain(shown)


def test_where_all_left_nobody_wins(reporter: Renderer) -> None:
    """A game from which all resigned at once has no winner, and its report says so."""
    orders = {seat: (Resign(),) for seat in ("red", "blue")}
    over, events = RULESET.resolve(lay(), TurnInput(orders), Dice(b"all"))

    for shown in (report(reporter, over, "red", events).text, report(reporter, over, "red", events).html):
        assert "Nobody wins: all others left the game." in plain(shown)
        assert "Nobody wins. Totals: red 0, blue 0." in plain(shown)


def test_pops_stand_below_the_score_of_their_chain(reporter: Renderer) -> None:
    """What a chain was worth comes first, and each pop of it explains that."""
    after = play(lay(hand="", lying={"C3": "rr", "C2": "g"}, cards={"C3": "NS"}), "PULL N")

    text = report(reporter, after.state, "red", after.events).text

    assert re.search(r"- Blue's chain of 1 pop has length 1: .*\n  Pop 1 on C3: ", text)


def test_what_hardly_changes_is_in_the_first_and_in_a_full_report(reporter: Renderer) -> None:
    """What wins and what special cards do is left out of the others, which say how to get it."""
    shown = {
        told: reporter.report(RULESET, view(lay(stations=True), "blue"), facts(("red", "blue"), "blue", **{told: True}))
        for told in ("first", "full", "missed")
    }

    for told, there in (("first", True), ("full", True), ("missed", False)):
        assert ("Special space cards" in shown[told].text) is there
        assert ("Most points when the game ends win" in shown[told].html) is there
        assert ("RESEND FULL" in shown[told].text) is not there


def test_who_waits_reads_who_moves(reporter: Renderer) -> None:
    """A report that asks for no orders begins with that, and has neither a button nor a form."""
    parts = report(reporter, lay(), "red")

    assert parts.text.split("\n\n")[1] == "Blue moves: nothing to do"
    assert not re.search("ORDER FORM|TO SEND ORDERS", parts.text)
    assert "Write orders" not in parts.html


def test_beginners_read_of_no_cards(reporter: Renderer) -> None:
    """A report of a game without ability cards does not mention them."""
    assert "bilities" not in report(reporter, new_game(beginner=True), "red").text


def items(view: View) -> dict[str, str]:
    """Return all that a report shows of a view, but for the map: what it is of, and a pattern of how it is shown."""
    titles = {card: re.escape(told["title"]) for card, told in view["abilities"].items()}
    found = {"bag": f"In the bag: {_counted(view['bag'])}\\."}
    found |= {f"deck {name}": f"{name} {', '.join(cards)}" for name, cards in view["decks"].items() if cards and titles}
    for place, space in view["spaces"].items():
        found |= {f"station {place}": f"{place} \\({space['kind']}\\) {space['control']}'s"} if space["control"] else {}
    for seat, player in view["players"].items():
        who = "you" if seat == view["seat"] else seat
        hand = "–" if player["out"] else _counted(player["hand"])
        row = f"{who}(, left)? {player['total']} {player['markers']} {player['at'] or '–'} {hand}"
        found |= {f"row {seat}": row} | {f"card {seat} {card}": titles[card] for card in player["cards"]}
        found |= {f"blocked {seat}": f"may not {player['blocked']} in the next turn"} if player["blocked"] else {}
    for asked in filter(None, [view["question"], *view["further"]]):
        found[f"asked {asked['choices']}"] = ", ".join(asked["choices"])
    return found


def _counted(bubbles: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {colour}" for colour, number in bubbles.items() if number) or "none"


def hardly_changing(view: View) -> list[str]:
    """Return patterns of what only a full report shows."""
    found = [re.escape(f"): {text}.") for text in view["kinds"].values()]
    found += [f"{seat} {player['points']}" for seat, player in view["players"].items() if player["points"]]
    if view["over"]:
        return found
    cards = view["players"][view["seat"]]["cards"]
    return [*found, *(re.escape(view["abilities"][card]["text"]) for card in cards), *view["keeping"]]


def test_nothing_is_lost(reporter: Renderer, sampler: Sampler) -> None:
    """Over games of bots: a full report has all that the view tells, and a short one all that is new in it."""
    for game in sampler.sample(games(RULESET)[:4], 1):
        for before, step in sampler.sample([*pairwise([*game.steps][:40:2])], 3):
            for seat in game.seats[:2]:
                view, last = step.views[seat], items(before.views[seat])
                full, short = (
                    plain(reporter.report(RULESET, view, facts(game.seats, seat, full=full)).text)
                    for full in (True, False)
                )
                told = items(view)
                new = [pattern for name, pattern in told.items() if last.get(name) != pattern]
                assert [one for one in [*told.values(), *hardly_changing(view)] if not re.search(one, full)] == []
                assert [one for one in new if not re.search(one, short)] == []
