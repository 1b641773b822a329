"""The reports of The Singularity Trap, as players get them."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jinja2 import UndefinedError

from pbem.report.facts import RenderedReport, ReportFacts
from pbem.report.renderer import Renderer
from pbem.report.templates import template_environment
from pbem_rules.singularity_trap import RULESET, events
from pbem_rules.singularity_trap.chart import COLOURS
from pbem_rules.singularity_trap.space import board_of, distance
from tests.rules.singularity_trap import other_chart
from tests.rules.singularity_trap.sample_view import EVENTS, empty_view, fight_view, sample_view, sighting

TEMPLATES = Path(__file__).parents[3] / "templates"
KINDS = re.findall(r"^\| ([a-z-]+) \|", events.__doc__ or "", re.MULTILINE)[1:]
LARGEST_HTML = 60_000
WORDS: Any = template_environment([TEMPLATES]).get_template("singularity_trap/events.j2").module
NARROW = 78
"""Columns of drawn text, and of tables."""


@pytest.fixture(scope="module")
def reporter() -> Iterator[Renderer]:
    """Yield a reporter that draws nothing."""
    with Renderer([TEMPLATES], pictures=False) as made:
        yield made


def report(reporter: Renderer, view: dict[str, Any], *, full: bool = True) -> RenderedReport:
    """Return the report of a view, if `full` with what hardly changes."""
    facts = ReportFacts(
        campaign="trap7",
        seat=view["seat"],
        seats=COLOURS,
        deadline=datetime(2026, 3, 6, 19, tzinfo=UTC),
        zone="Europe/Berlin",
        code="abcdefgh",
        address="orders@example.org",
        first=view["turn"] == 1,
        full=full,
    )
    return reporter.report(RULESET, view, facts)


def told(**event: Any) -> list[str]:
    """Return an event in the words that red reads."""
    view = RULESET.current_view(sample_view() | {"events": [event]})
    return [line.strip() for line in WORDS.event(view["events"][0], view).splitlines() if line.strip()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_event_is_told_in_sentences(kind: str) -> None:
    """Each kind in the table of events has a sample, words that are whole, and a place in one part of the report."""
    samples = [event for event in EVENTS if event["kind"] == kind]
    assert samples

    for sample in samples:
        text = " ".join(told(**sample))
        assert text.endswith((".", ")", "armor", "misses")) or len(told(**sample)) > 1
        assert not re.search(r"None|Undefined|\{|\}|  ", text)
    assert [kind in kinds for kinds in places_of_kinds()].count(True) == 1


def places_of_kinds() -> list[tuple[str, ...]]:
    """Return the kinds of events of each chapter, and those told by the outcomes of orders."""
    return [*(kinds for _, kinds in WORDS.chapters), WORDS.carried_out]


def test_no_chapter_has_a_kind_that_does_not_exist() -> None:
    """The chapters hold the kinds of the table and no more."""
    assert sorted(kind for kinds in places_of_kinds() for kind in kinds) == sorted(KINDS)


def test_an_unknown_kind_is_an_error() -> None:
    """An event without words cannot slip through a report."""
    with pytest.raises(UndefinedError):
        told(kind="earthquake")


@pytest.mark.parametrize("make", [sample_view, fight_view, empty_view])
@pytest.mark.parametrize("seat", COLOURS)
def test_every_seat_gets_a_sound_report(reporter: Renderer, seat: str, make: Any) -> None:
    """Drawn text within its columns, HTML whose elements are closed and that no mail program cuts off."""
    parts = report(reporter, make(seat))

    assert [line for line in parts.text.splitlines() if line.startswith("  ") and len(line) > NARROW] == []
    assert [line for line in parts.text.splitlines() if line != line.rstrip() and line != "-- "] == []
    assert len(parts.html) < LARGEST_HTML
    assert unclosed(parts.html) == []
    assert "None" not in re.sub(r"None\.", "", parts.html)


def unclosed(html: str) -> list[str]:
    """Return the elements of a page that are opened and not closed, or closed in the wrong order."""
    open_: list[str] = []
    wrong: list[str] = []

    class Checker(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag not in ("meta", "br", "img"):
                open_.append(tag)

        def handle_endtag(self, tag: str) -> None:
            if not open_ or open_.pop() != tag:
                wrong.append(tag)

    Checker().feed(html)
    return open_ + wrong


def test_what_changed_comes_in_the_order_of_its_weight(reporter: Renderer) -> None:
    """The war, fights, planets, points, sightings, orders; then what is known. Fights are a list without a title."""
    text = report(reporter, sample_view()).text
    titles = ["- M4.0, 2 rounds" if title == "Fights" else title for title, _ in WORDS.chapters]
    titles += ["Your orders", "WHAT YOU KNOW"]

    places = [re.search(rf"\n{title}(?:\n|: | NOW| against)", text).start() for title in titles]  # type: ignore[union-attr]
    assert places == sorted(places)


def plain(parts: RenderedReport, form: str) -> str:
    """Return a form of a report in one line, without the elements of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", getattr(parts, form))).split())


def test_ships_that_upkeep_was_not_paid_for_are_told_with_the_points(reporter: Renderer) -> None:
    """They are told once, whether or not orders came."""
    text = plain(report(reporter, sample_view()), "text")

    assert text.count("Scout R141 (J1+9) was scrapped: your points did not cover upkeep.") == 1
    assert text.count("Scout R140 (J1+9) was scrapped, as you ordered.") == 1


def test_every_die_of_a_combat_is_told(reporter: Renderer) -> None:
    """A report tells the chance, the shooters, and each die with what it took, target by target and round by round."""
    text = plain(report(reporter, sample_view()), "text")

    assert text.endswith(
        "M4+0, 1: 5 of 9 at R274: Y512 5* armor 3* weapons. 5 of 9 at R815: Y640 2* weapons; Y655 1* system 2* drive. "
        "4 of 9 at Y512: R274 1* 4*. 4 of 9 at Y655: R815 9 2*. "
        "2: 5 of 9 at R274: Y512 8 7; Y640 6; Y655 9. 4 of 9 at Y655: R274 3*. " + text[text.index("-- ") :]
    )
    assert "Y512 <b>5</b> armor <b>3</b> weapons" in report(reporter, sample_view()).html


@pytest.mark.parametrize("form", ["text", "html"])
def test_a_weekly_report_says_how_every_die_is_had(reporter: Renderer, form: str) -> None:
    """The dice are in what RESEND FULL brings; the report that comes by itself says how to have them."""
    shown = plain(report(reporter, sample_view(), full=False), form)

    assert "M4+0, 1: 5 of 9" not in shown
    assert "Reply RESEND FULL for every detail." in shown


@pytest.mark.parametrize("form", ["text", "html"])
def test_a_fight_is_told_by_its_result_and_its_dice_at_the_end(reporter: Renderer, form: str) -> None:
    """The place, the enemies, losses and hits are told first; each round only after all else."""
    shown = plain(report(reporter, sample_view()), form)
    known = shown.lower().index("what you know")
    result = "M4+0, 2 rounds against yellow: R815 went dark; Cruiser Y655 lost. You made 4 hits, took 5."

    assert result in shown[:known]
    assert "M4+0, 1:" not in shown[:known]
    assert shown.index("M4+0, 1:") > shown.rindex(" END ") > known


def test_a_fight_among_others_names_no_enemy() -> None:
    """If no own ship fired or was fired at, no player is said to have fought the reader."""
    players = (("R1", "red"), ("G1", "green"), ("Y1", "yellow"))
    ships = [{"id": name, "owner": owner, "type": "Scout", "damage": 0} for name, owner in players]
    shots = [{"by": "G1", "at": "Y1", "need": 5, "of": 9, "die": 1, "hit": True, "unit": None}]
    fight = {"kind": "combat", "space": "M4+0", "round": 3, "ships": ships, "shots": shots, "lost": []}

    view = RULESET.current_view(sample_view() | {"events": [fight]})
    ((space, long, short),) = view["rows"]["fights"]
    assert (space, short) == ("M4+0", ", beside green and yellow: no ship was lost.")
    assert long == f", round 3{short} You made 0 hits, took none."


@pytest.mark.parametrize("make", [sample_view, fight_view, empty_view])
def test_headings_and_tables_can_be_found_by_ear(reporter: Renderer, make: Any) -> None:
    """No heading jumps a level, and there are no tables."""
    page = report(reporter, make()).html
    levels = [int(level) for level in re.findall(r"<h(\d)", page)]

    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert re.findall(r"<table(?![^>]* role=.presentation)", page) == []


def test_losses_are_told_first_in_a_combat() -> None:
    """A round of combat begins with what was lost in it."""
    lost = [{"ship": "R815", "how": "dark"}, {"ship": "Y655", "how": "vanished"}]

    said = told(kind="combat", space="M4+0", round=1, ships=[], shots=[], lost=lost)
    assert said == ["Combat at M4+0, round 1: R815 went dark, Y655 vanished."]


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("yellow", "red", "You took red-rim (M4+0) from yellow."),
        ("red", "yellow", "Yellow took red-rim (M4+0) from you."),
        (None, "cyan", "Cyan took red-rim (M4+0), which nobody held."),
        ("red", None, "You lost red-rim (M4+0); nobody holds it now."),
    ],
)
def test_planets_changing_hands_speak_to_their_reader(was: str | None, now: str | None, said: str) -> None:
    """The reader is "you" where planets are taken or lost."""
    assert told(kind="captured", space="M4+0", name="red-rim", was=was, now=now) == [said]


def test_a_reading_that_repeats_the_present_is_no_event(reporter: Renderer) -> None:
    """Of three readings the two that equal what is known now are left out."""
    text = plain(report(reporter, sample_view(), full=False), "text")

    assert (
        "Seen on the way: Before movement: Cruiser Y512 at M4-1; unknown ships at M4+2; cyan's ships at J19-8. "
        "Charted: a jump from M4+0 leads to J10+0."
    ) in text
    assert "After movement" not in text[: text.index("WHAT YOU KNOW")]


def test_a_later_reading_tells_what_is_new_and_what_is_gone(reporter: Renderer) -> None:
    """Ships that came or moved are named again, those that went are said to be gone."""
    view = sample_view()
    first, later = _reading("economic", "Y1", "Y2"), _reading("movement", "Y1", "Y3")

    text = plain(report(reporter, view | {"events": [first, later]}), "text")
    assert "Before movement: Scouts Y1 and Y2 at M4+0. After movement also Scout Y3 at M4+0; no longer Y2." in text


@pytest.mark.parametrize("name", ["Y655", "Y640", "Y9"])
def test_a_ship_is_named_once_where_it_was_seen(reporter: Renderer, name: str) -> None:
    """Readings leave out ships in a space where a fight tells of their loss, or where they are seen, or were last."""
    view = sample_view()
    fights = [event for event in view["events"] if event["kind"] == "combat"]
    facts: dict[str, Any] = {"owner": "yellow", "type": "Scout", "damage": 0}
    memory = view["memory"] | {"last_known": [sighting("M4+0", 6, "after movement", id="Y9", **facts)]}
    seen = view | {"memory": memory, "events": [_reading("economic", "Y1"), _reading("movement", "Y1", name), *fights]}

    assert RULESET.current_view(seen)["rows"]["on_the_way"] == "Before movement: Scout Y1 at M4+0."
    assert name in plain(report(reporter, seen, full=False), "text")


def _reading(after: str, *names: str) -> dict[str, Any]:
    """Return a reading of sensors that shows yellow Scouts at M4+0."""
    ships = [{"id": name, "owner": "yellow", "type": "Scout", "damage": 0} for name in names]
    return {
        "kind": "sensed",
        "after": after,
        "contacts": [{"space": "M4+0", "ships": ships}],
        "unknown": [],
        "allied": [],
    }


def test_moves_are_told_leg_by_leg() -> None:
    """Slip, warps and jumps follow each other in one sentence."""
    legs = [{"how": how, "space": space} for how, space in (("warp", "J2+9"), ("warp", "J3+9"), ("jump", "A10+4"))]

    assert told(kind="moved", ship="R118", legs=legs, end="A10+4") == ["R118 warped to J2+9 and J3+9, jumped to A10+4."]


def test_a_players_own_words_are_escaped_in_html(reporter: Renderer) -> None:
    """A refused line with markup is in the HTML as it was typed, and does nothing."""
    refused = {"kind": "refused", "line": "BUILD <b>x</b>", "why": "there is no <b>x</b>"}
    page = report(reporter, sample_view() | {"events": [refused]}).html

    assert "BUILD &lt;b&gt;x" in page
    assert "<b>x" not in page


@pytest.mark.parametrize("form", ["text", "html"])
def test_everything_known_is_in_the_report(reporter: Renderer, form: str) -> None:
    """Own ships, contacts, unknown ships, planets, charts, ship types: every one is named."""
    view = sample_view()
    shown = getattr(report(reporter, view), form)
    ships = [ship["id"] for ship in view["ships"]]
    seen = [ship["id"] for contact in view["sensors"]["contacts"] for ship in contact["ships"]]
    names = [thing["name"] for thing in (*view["planets"], *view["rules"]["types"])]
    spaces = [*view["sensors"]["unknown"], *(chart["exit"] for chart in view["charts"])]

    known = shown[shown.lower().index("what you know") :]
    assert [word for word in (*ships, *seen, *names, *spaces) if word not in known] == []


def test_damage_is_told_unit_by_unit(reporter: Renderer) -> None:
    """A damaged ship lists what is left of the units that were hit; a whole one needs no list."""
    text = report(reporter, sample_view()).text

    assert "R274 (weapons 1/2, armor 0/2), R310, R377 (moved) and R815 (dark, drive 2/3, weapons" in text
    assert "M4+0 pinned: Cruisers R274" in text


def test_the_choice_of_fire_comes_first(reporter: Renderer) -> None:
    """A reader who is asked to fire finds shots and enemies at the top of what is known."""
    text = report(reporter, fight_view()).text
    known = text[text.index("WHAT YOU KNOW") :].splitlines()

    assert known[2] == "Fight at M4+0, round 2: 6 shots to fire"
    assert known[4] == "Yours: R274, R310 and R377. Enemies: Cruiser Y512 (damage 3) and Scout Y640."


def test_the_first_report_greets(reporter: Renderer) -> None:
    """On the first turn there is one planet, no ship, and nothing that happened."""
    text = report(reporter, empty_view("cyan")).text

    assert "War has been declared. You hold your home planet and have no ships yet." in text
    assert "Your ships" not in text


def test_a_move_of_a_ship_that_is_built_is_shown_as_it_may_be_sent(reporter: Renderer) -> None:
    """The report shows a MOVE of what the BUILD of its form makes, and both lines are accepted as they are."""
    shown = empty_view("cyan")
    (build,) = [line.removeprefix("; ") for line in RULESET.template(shown) if "BUILD" in line]
    said = plain(report(reporter, shown), "text")
    (move,) = re.findall(r"NEW1, which you build, may move: (MOVE NEW1 TO \S+)\.", said)

    assert RULESET.parse(shown, [(1, build), (2, move)]).errors == ()


def test_the_last_report_names_the_winners(reporter: Renderer) -> None:
    """When the war is over the report says who won and why, and plans no further turn."""
    result = {"winners": ["green", "cyan"], "reason": "held 25 planets"}
    text = report(reporter, sample_view() | {"over": True, "awaited": False, "result": result}).text

    assert "The war is over. Won by: green and cyan (held 25 planets)." in text
    assert "to spend" not in text


def test_without_alliances_no_setting_is_shown(reporter: Renderer) -> None:
    """In a campaign without alliances the list of players has no word of them."""
    view = empty_view()
    view["rules"]["alliances"] = False

    parts = report(reporter, view)
    assert "ALLY" not in parts.text
    assert "offer" not in parts.html


def _crowded(section: str) -> dict[str, Any]:
    """Return a view with the longest names and numbers a chart can have, and crowds of ships, all damaged."""
    kind = other_chart.CHART["types"][0]
    units = [
        {"unit": unit, "left": int(count > 1 or unit == "system"), "full": count}
        for unit, count in kind["units"].items()
    ]
    own = {"type": kind["name"], "space": "M25+19", "dark": False, "moved": True, "encounter": True, "damage": 33}
    ships = [own | {"id": f"R{number}", "units": units} for number in range(1000, 1008)]
    seen = [{"id": f"M{number}", "owner": "magenta", "type": kind["name"], "damage": 30} for number in range(100, 108)]
    types = [
        {"name": kind["name"], "letter": "D", "ship_class": kind["class"], "units": kind["units"], "cost": 35},
        *({"name": f"Kind{chr(97 + at)}abcdefghij", "letter": "K", "ship_class": "", "units": {}, "cost": 99}
          for at in range(19)),
    ]  # fmt: skip
    view = sample_view()
    fight = {"space": "M25+19", "round": 12, "own": [ship["id"] for ship in ships], "enemies": seen, "shots": 72}
    sensors = {"contacts": [{"space": "M25+19", "ships": seen}], "unknown": ["M13+0"] * 30, "allied": []}
    reason = "held 25 or more planets at 20 successive starts of turn"
    known = [sighting("M25+19", 3, "combat round 12", **each) for each in seen]
    return view | {
        "section": section, "ships": ships, "combats": [fight], "round": 12,
        "players": [player | {"held": 12, "ally": True, "playing": True} for player in view["players"]],
        "sensors": sensors,
        "rules": view["rules"] | {"types": types, "radius": 12, "levels": 20},
        "memory": view["memory"] | {"last_known": known},
        "planets": [], "charts": [], "events": [], "result": {"winners": ["yellow", "magenta"], "reason": reason},
    }  # fmt: skip


@pytest.mark.parametrize("section", ["turn", "combat"])
def test_nothing_is_too_wide_for_a_mail(reporter: Renderer, section: str) -> None:
    """Crowds of ships with long names, on a large chart: what is not prose stays within its columns."""
    text = report(reporter, _crowded(section)).text

    assert [line for line in text.splitlines() if line.startswith((";", "  ")) and len(line) > NARROW] == []
    assert "; MOVE R1007 TO " in text or section == "combat"
    assert "; FIRE R1007 AT M100" in text


def test_the_full_report_says_how_planets_are_taken(reporter: Renderer) -> None:
    """A game about planets tells what wins one, in text and HTML; the short report does not repeat it."""
    words = "After combat a planet goes to the player with most weapons in its space. Unarmed"

    for form in ("text", "html"):
        assert words in plain(report(reporter, sample_view()), form)
        assert words not in plain(report(reporter, sample_view(), full=False), form)


def test_what_is_out_of_sight_is_told_with_its_age(reporter: Renderer) -> None:
    """The latest first, in words; a view that remembers nothing has no such part."""
    for form in ("text", "html"):
        assert (
            "Out of sight, and perhaps gone: "
            "Last turn, after combat: Cruiser B333 at D13-4. "
            "Last turn, in combat: Scout G101 at D7-6. "
            "Last turn, after movement: Cruiser Y655 (damage 1) at N4-2. "
            "Last turn, before movement: green's ships at G16+0; unknown ships at K2+8. "
            "2 turns ago: unknown ships at H12-3. "
            "4 turns ago: Basestars M219 and M220 (damage 2) at M13+0."
        ) in plain(report(reporter, sample_view()), form)
        assert "out of sight" not in plain(report(reporter, empty_view()), form).lower()


def test_nearest_planets_are_those_one_could_take(reporter: Renderer) -> None:
    """For each of at most four fleets the nearest planet is named, the reader's and an ally's left out."""
    assert "Nearest free" not in plain(report(reporter, sample_view()), "text")
    few = sorted({ship["space"] for ship in sample_view()["ships"] if not ship["dark"]})[:4]
    view = sample_view()
    view["ships"] = [ship for ship in view["ships"] if ship["space"] in few]
    board = board_of(view)
    free = {each["space"] for each in view["planets"] if each["owner"] not in ("red", "cyan")}
    text = plain(report(reporter, view), "text")

    ranked = sorted(min((distance(board.at(space), board.at(goal)), goal, space) for goal in free) for space in few)
    named = "; ".join(f"{space} to {goal}, {steps}" for steps, goal, space in ranked)
    assert f"Nearest free or enemy: {named}." in text


def test_house_rules_are_in_the_report(reporter: Renderer) -> None:
    """Planets and turns to win, the largest faction and the planets of an emperor are those in force."""
    view = sample_view()
    rules = view["rules"] | {"planets_to_win": 20, "turns_to_hold": 2, "largest_faction": 3, "empire_planets": 9}
    words = [
        "holds 20 planets at 2 successive turn starts wins, alone or as a faction of 2 to 3 allies; the head of an",
        "a faction of 2 allies.",
        "wins; there are no factions.",
        "wins; there are no alliances.",
        "20 planets at the start of a turn wins, alone",
    ]
    cases = [
        {},
        {"largest_faction": 2},
        {"largest_faction": 0},
        {"largest_faction": 0, "alliances": False},
        {"turns_to_hold": 1},
    ]

    for case, said in zip(cases, words, strict=True):
        parts = report(reporter, view | {"rules": rules | case})
        assert said in " ".join(parts.text.split())
        assert said in parts.html


def test_repairs_of_a_kind_are_counted() -> None:
    """Several units of a kind are told as a number."""
    units = ["system", "drive", "drive", "slip"]

    assert told(kind="repaired", ship="R101", units=units, cost=4) == [
        "R101 was repaired for 4 points: system, drive 2, slip."
    ]


def test_states_of_ships_are_explained_where_they_occur(reporter: Renderer) -> None:
    """The words pinned, moved and dark are explained under the ships they stand at, and else left out."""
    view = sample_view()
    whole = [ship for ship in view["ships"] if not (ship["dark"] or ship["moved"] or ship["encounter"])]

    assert "Pinned: " not in report(reporter, view | {"ships": whole}).text
    for form in ("text", "html"):
        shown = plain(report(reporter, view), form)
        assert all(f"{word}: " in shown for word in ("Pinned", "Moved", "Dark"))


def test_the_full_report_has_what_wins_and_what_orders_cost(reporter: Renderer) -> None:
    """A player finds both behind what can change."""
    for form in ("text", "html"):
        words = plain(report(reporter, sample_view()), form)
        assert words.lower().index("ships you can build") < words.index("Repairs cost 1 point a unit;")
        assert words.index("Repairs cost 1 point a unit;") < words.index("planets at 3 successive turn starts wins")
