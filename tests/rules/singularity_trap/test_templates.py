"""The reports of The Singularity Trap, as players get them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined, UndefinedError

from pbem.report.facts import RenderedReport, ReportFacts
from pbem.report.renderer import Renderer
from pbem_rules.singularity_trap import RULESET, events
from pbem_rules.singularity_trap.chart import COLOURS
from tests.rules.singularity_trap import other_chart
from tests.rules.singularity_trap.sample_view import EVENTS, empty_view, fight_view, sample_view, sighting

TEMPLATES = Path(__file__).parents[3] / "templates"
KINDS = re.findall(r"^\| ([a-z-]+) \|", events.__doc__ or "", re.MULTILINE)[1:]
LARGEST_HTML = 60_000
WORDS: Any = (
    Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    .get_template("singularity_trap/events.j2")
    .module
)


@pytest.fixture(scope="module")
def reporter() -> Iterator[Renderer]:
    """Yield a reporter that draws nothing."""
    with Renderer([TEMPLATES], pictures=False) as made:
        yield made


def report(reporter: Renderer, view: dict[str, Any]) -> RenderedReport:
    """Return the report of a view."""
    facts = ReportFacts(
        campaign="trap7",
        seat=view["seat"],
        seats=COLOURS,
        deadline=datetime(2026, 3, 6, 19, tzinfo=UTC),
        zone="Europe/Berlin",
        code="abcdefgh",
        address="orders@example.org",
        first=view["turn"] == 1,
    )
    return reporter.report(RULESET, view, facts)


def told(**event: Any) -> list[str]:
    """Return an event in the words that red reads."""
    return [line.strip() for line in WORDS.event(event, sample_view()).splitlines() if line.strip()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_event_is_told_in_sentences(kind: str) -> None:
    """Each kind in the table of events has a sample, words that are whole, and a place in one chapter."""
    samples = [event for event in EVENTS if event["kind"] == kind]
    assert samples

    for sample in samples:
        text = " ".join(told(**sample))
        assert text.endswith((".", ")", "armor", "misses")) or len(told(**sample)) > 1
        assert not re.search(r"None|Undefined|\{|\}|  ", text)
    assert [kind in kinds for _, kinds in WORDS.chapters].count(True) == 1


def test_no_chapter_has_a_kind_that_does_not_exist() -> None:
    """The chapters hold the kinds of the table and no more."""
    assert sorted(kind for _, kinds in WORDS.chapters for kind in kinds) == sorted(KINDS)


def test_an_unknown_kind_is_an_error() -> None:
    """An event without words cannot slip through a report."""
    with pytest.raises(UndefinedError):
        told(kind="earthquake")


@pytest.mark.parametrize("make", [sample_view, fight_view, empty_view])
@pytest.mark.parametrize("seat", COLOURS)
def test_every_seat_gets_a_sound_report(reporter: Renderer, seat: str, make: Any) -> None:
    """Text within 80 columns, HTML whose elements are closed and that no mail program cuts off."""
    parts = report(reporter, make(seat))

    assert max(map(len, parts.text.splitlines())) <= 80
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
    """The war, combat, planets, sightings, refused orders, points, movement, alliances; then what is known."""
    text = report(reporter, sample_view()).text
    titles = [f"\n{title}:\n" for title, _ in WORDS.chapters] + ["WHAT YOU KNOW"]

    places = [text.index(title) for title in titles]
    assert places == sorted(places)


@pytest.mark.parametrize("form", ["text", "html"])
def test_every_die_of_a_combat_is_told(reporter: Renderer, form: str) -> None:
    """A report tells shooters and targets, the chance, and what each die brought, round by round."""
    shown = getattr(report(reporter, sample_view()), form)
    first, second = shown.index("M4+0, round 1"), shown.index("M4+0, round 2")
    said = {
        "text": ["R274 at Y512, to hit 4 of 9: rolled 1 hits, 4 hits", "rolled 5 hits armor, 3 hits weapons"],
        "html": ["Y512 (4 of 9): <b>1</b>, <b>4</b>", "R274 (5 of 9): <b>5</b> armor, <b>3</b> weapons"],
    }[form]

    assert all(first < shown.index(words) < second for words in said)


@pytest.mark.parametrize("form", ["text", "html"])
def test_a_fight_is_told_by_its_result_and_its_dice_at_the_end(reporter: Renderer, form: str) -> None:
    """The place, the enemies, losses and hits are told first; each round only after all else."""
    shown = getattr(report(reporter, sample_view()), form)
    known = shown.lower().index("what you know")
    result = "Combat at M4+0 with yellow, 2 rounds: R815 went dark, Y655 vanished. Your ships made 4 hits and took 5."

    assert result in " ".join(shown[:known].split())
    assert "round 1" not in shown[:known]
    assert shown.index("M4+0, round 1") > shown.index("END") > known


def test_a_fight_among_others_names_no_enemy() -> None:
    """If no own ship fired or was fired at, no player is said to have fought the reader."""
    ships = [{"id": name, "owner": owner} for name, owner in (("R1", "red"), ("G1", "green"), ("Y1", "yellow"))]
    shots = [{"by": "G1", "at": "Y1", "hit": True}]
    rounds = [{"space": "M4+0", "round": 3, "ships": ships, "shots": shots, "lost": []}]

    said = " ".join(WORDS.fight(rounds, sample_view()).split())
    assert said == "Combat at M4+0, round 3: no ship was lost. Your ships made 0 hits and took 0."


@pytest.mark.parametrize("make", [sample_view, fight_view, empty_view])
def test_headings_and_tables_can_be_found_by_ear(reporter: Renderer, make: Any) -> None:
    """No heading jumps a level, and every table names its columns, four at most."""
    html = report(reporter, make()).html
    levels = [int(level) for level in re.findall(r"<h(\d)", html)]

    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    for table in re.findall(r"<table.*?</table>", html, re.DOTALL):
        assert 2 <= table.count('<th scope="col"') <= 4
        assert "<th style" not in table


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


def test_sensors_are_told_once_if_nothing_changed() -> None:
    """A reading that equals the present one points to it; an earlier one is spelled out."""
    now = sample_view()["sensors"]

    assert told(kind="sensed", after="combat", **now) == [
        "After combat your sensors showed what they show now; see below."
    ]
    assert told(kind="sensed", after="movement", **now | {"unknown": ["A10+0"]})[-2] == "unknown ships at A10+0"


def test_moves_are_told_leg_by_leg() -> None:
    """Slip, warps and jumps follow each other in one sentence."""
    legs = [{"how": how, "space": space} for how, space in (("warp", "J2+9"), ("warp", "J3+9"), ("jump", "A10+4"))]

    assert told(kind="moved", ship="R118", legs=legs, end="A10+4") == ["R118 warped to J2+9 and J3+9, jumped to A10+4."]


def test_a_players_own_words_are_escaped_in_html(reporter: Renderer) -> None:
    """A refused line with markup is in the HTML as it was typed, and does nothing."""
    refused = {"kind": "refused", "line": "BUILD <b>x</b>", "why": "there is no <b>x</b>"}
    html = report(reporter, sample_view() | {"events": [refused]}).html

    assert "BUILD &lt;b&gt;x" in html
    assert "<b>x" not in html


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
    """A damaged ship lists what is left of its units; a whole one needs no list."""
    text = report(reporter, sample_view()).text

    assert (
        "R274 Cruiser, pinned, damage 3\n    left: drive 3, weapons 1/2, armor 0/2, slip, multifire, system\n" in text
    )
    assert "  R310 Cruiser, pinned\n  R377" in text


def test_the_choice_of_fire_comes_first(reporter: Renderer) -> None:
    """A reader who is asked to fire finds shots and enemies at the top of what is known."""
    text = report(reporter, fight_view()).text
    known = text[text.index("WHAT YOU KNOW") :].splitlines()

    assert known[2] == "COMBAT at M4+0, round 2: 6 shots to fire"
    assert known[4].strip() == "enemies: Y512 Cruiser, damage 3; Y640 Scout"


def test_the_first_report_greets(reporter: Renderer) -> None:
    """On the first turn there is one planet, no ship, and nothing that happened."""
    text = report(reporter, empty_view("cyan")).text

    assert "War has been declared. You hold your home planet and have no ships yet." in text
    assert "YOUR SHIPS (0): none." in text


def test_the_last_report_names_the_winners(reporter: Renderer) -> None:
    """When the war is over the report says who won and why, and plans no further turn."""
    result = {"winners": ["green", "cyan"], "reason": "held 25 planets"}
    text = report(reporter, sample_view() | {"over": True, "awaited": False, "result": result}).text

    assert "The war is over. Won by: green, cyan (held 25 planets)." in text
    assert "next economic section" not in text


def test_without_alliances_no_setting_is_shown(reporter: Renderer) -> None:
    """In a campaign without alliances the list of players has no word of them."""
    view = empty_view()
    view["rules"]["alliances"] = False

    parts = report(reporter, view)
    assert "ALLY" not in parts.text[: parts.text.index("YOUR ORDERS")]
    assert "Your setting" not in parts.html


def _crowded(section: str) -> dict[str, Any]:
    """Return a view with the longest names and numbers a chart can have, and crowds of ships, all damaged."""
    kind = other_chart.CHART["types"][0]
    units = [{"unit": unit, "left": int(count > 1), "full": count} for unit, count in kind["units"].items()]
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
    """Crowds of ships with long names, on a large chart, are told within 80 columns, the order sheet too."""
    text = report(reporter, _crowded(section)).text

    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert "; MOVE R1007 SLIP N 1" in text or section == "combat"
    assert "; FIRE R1007 AT M100" in text


def test_a_report_says_how_planets_are_taken(reporter: Renderer) -> None:
    """A game about planets tells in each report what wins one, in text and HTML."""
    parts = report(reporter, sample_view())

    for told in (parts.text, parts.html):
        assert "fter combat a planet goes to whoever has most weapons in its space. Unarmed" in " ".join(told.split())


def test_what_is_out_of_sight_is_told_with_its_age(reporter: Renderer) -> None:
    """The latest first, in words; a view that remembers nothing has no such part."""
    parts = report(reporter, sample_view())
    told = " ".join(parts.text[parts.text.index("LAST KNOWN") : parts.text.index("PLAYERS (planets")].split())

    assert told == (
        "LAST KNOWN (out of sight now: they may have gone) "
        "Seen last turn, after combat, at D13-4: B333 Cruiser (blue) "
        "Seen last turn, combat round 2, at D7-6: G101 Scout (green) "
        "Seen last turn, after movement, at N4-2: Y655 Cruiser (yellow, damage 1) "
        "Seen last turn, before movement, at G16+0: ships of green "
        "Seen last turn, before movement, at K2+8: unknown ships "
        "Seen 2 turns ago at H12-3: unknown ships "
        "Seen 4 turns ago at M13+0: M219 Basestar (magenta), M220 Basestar (magenta, damage 2)"
    )
    assert "Seen 2 turns ago at <b>H12-3</b>: unknown ships" in parts.html
    for form in (report(reporter, empty_view()).text, report(reporter, empty_view()).html):
        assert "last known" not in form.lower()


def test_house_rules_are_in_the_report(reporter: Renderer) -> None:
    """Planets and turns to win, the largest faction and the planets of an emperor are those in force."""
    view = sample_view()
    rules = view["rules"] | {"planets_to_win": 20, "turns_to_hold": 2, "largest_faction": 3, "empire_planets": 9}
    words = [
        "20 planets at 2 successive turn starts wins, alone or as a faction of 2 to 3 allies; the head of an",
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
    for form in (report(reporter, view).text, report(reporter, view).html):
        assert all(f"{word}: " in form for word in ("Pinned", "Moved", "Dark"))


def test_the_report_ends_with_what_wins_and_what_orders_cost(reporter: Renderer) -> None:
    """A player finds both at the end of the report, and no costs when the game is over."""
    parts = report(reporter, sample_view())
    over = report(reporter, sample_view() | {"over": True, "awaited": False})

    for form in (parts.text, parts.html):
        words = " ".join(form.split())
        assert words.index("planets at 3 successive turn starts wins") < words.index("BUILD the points of its type;")
        assert words.lower().index("ship types") < words.index("planets at 3 successive turn starts wins")
    assert "BUILD the points of its type" not in over.text + over.html
