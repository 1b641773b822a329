"""Reports, maps and pictures of Harvester."""

from __future__ import annotations

import datetime as dt
import re
from xml.etree import ElementTree as ET

import pytest

from pbem.app import TEMPLATE_DIR
from pbem.report.facts import RenderedReport, ReportFacts
from pbem.report.renderer import Renderer
from pbem.ruleset import Event, SeatName, SpriteInstance, View
from pbem.testing.play import mail_view
from pbem_rules.harvester import RULESET, sprites
from pbem_rules.harvester.rows import with_rows
from pbem_rules.harvester.state import State
from tests.rules.harvester.table import SEATS, empire, position, turn, view


def report(state: State, seat: SeatName, events: tuple[Event, ...] = ()) -> RenderedReport:
    """Render a report without its picture."""
    return mailed(view(state, seat, events))


def mailed(seen: View) -> RenderedReport:
    """Render a view as a report, without its picture."""
    due = dt.datetime(2030, 1, 2, 20, tzinfo=dt.UTC)
    facts = ReportFacts(
        campaign="rust",
        seat=seen["seat"],
        seats=SEATS,
        deadline=due,
        zone="UTC",
        code="k2",
        address="orders@example.org",
    )
    with Renderer([TEMPLATE_DIR], pictures=False) as reporter:
        return reporter.report(RULESET, seen, facts)


def busy() -> tuple[State, tuple[Event, ...]]:
    """Play a turn with many events around ann."""
    units = {
        "ann": {"H": (0, 0), "G": (1, 0), "S1": (0, 2), "C1": (3, 0)},
        "bob": {"H": (-2, 0), "S1": (3, -1), "S2": (-4, 3)},
        "cyd": {"H": (0, 6), "L1": (0, 4)},
    }
    state = position(
        units, resources={(0, 1): 2, (-4, 0): 1, (4, -4): 3}, held={"ann": 6}, rulers={"cyd": "bob"}, crags=[(1, 2)]
    )
    sheets = {
        "ann": ["TARGET 0,1", "MOVE C1 E", "BUILD L1"],
        "bob": ["MOVE S1 E SW", "MOVE S2 NE"],
        "cyd": ["MOVE L1 NW"],
    }
    return turn(state, sheets)


def bare(words: str) -> str:
    """Return a report without the tags in its sentences, on one line."""
    return " ".join(re.sub(r"</?(?:b|span)[^>]*>", "", words).split())


@pytest.mark.parametrize("part", ["text", "html"])
def test_a_report_tells_the_own_affairs(part: str) -> None:
    """Both forms have Harvester, units, losses, building, points and rulers."""
    state, events = busy()

    ann, cyd = getattr(report(state, "ann", events), part), getattr(report(state, "cyd", events), part)

    for told in (
        "5 of 20 resources",
        "L1 is being rebuilt, ready in 2 turns",
        "Lost: L1, L2, S2",
        "0 by Harvesters below you",
    ):
        assert told in ann
    assert "Above you, the direct ruler first: bob" in cyd


@pytest.mark.parametrize("part", ["text", "html"])
def test_target_is_explained_where_the_form_names_it(part: str) -> None:
    """A report with TARGET in its form says what that is for; one of a Harvester under way has neither."""
    before = position({"ann": {"H": (0, 0)}, "bob": {"H": (9, 0)}}, resources={(0, 3): 2})
    under_way, events = turn(before, {"ann": ["TARGET 0,3"]})
    words = "TARGET sends your Harvester to a hex with resources, 1 hex a turn, to gather them."

    assert words in bare(getattr(report(before, "ann"), part))
    assert "TARGET" not in "".join(RULESET.template(view(under_way, "ann", events)))
    assert words not in bare(getattr(report(under_way, "ann", events), part))


TRACKS = (
    "Tracks from NE to 3,0; from NW to 0,1; from SE to 0,3; from SW to -3,2; from W to 4,-1, 4,0; "
    "left, not entered: 0,0, 0,4, 3,-1; movement: -4,3."
)


def test_each_band_tells_its_own_facts_in_words() -> None:
    """The report has contents of band 1, numbers of 2, directions of 3, movement of 4, marks of 5, and no more."""
    state, events = busy()
    text = report(state, "ann", events).text

    told = text[text.index("Foes in sight") : text.index("points:")].splitlines()
    assert [line for line in told if line][:-1] == [
        "Foes in sight: bob's S at 3,0; cyd's L at 0,3.",
        "Harvester or resource, band 3: -2,0; band 4: 4,-4; band 5: -4,0, 0,6.",
        TRACKS,
        "Crags: 1,2.",
    ]


@pytest.mark.parametrize("part", ["text", "html"])
def test_resources_and_units_are_grouped_by_number(part: str) -> None:
    """Band 1 groups resources by amount, band 2 units by number."""
    units = {"ann": {"G": (0, 0)}, "bob": {"S1": (2, 0), "S2": (2, 0), "C1": (0, 2)}}
    state = position(units, resources={(1, 0): 3, (0, 1): 3, (-1, 0): 1})

    words = bare(getattr(report(state, "ann"), part))

    assert "Resources: 3 at 0,1, 1,0; 1 at -1,0." in words
    assert "2 units of unknown owners at 2,0." in words
    assert "1 unit of unknown owner at 0,2." in words


def test_a_ruler_of_forty_reads_a_summary_and_the_rest_at_the_end() -> None:
    """A ruler of forty reads a summary, then the form, then the rest, in 60 kB in all."""
    state = empire()

    parts = report(state, "seat1")

    known, _, rest = parts.text.partition("ORDER FORM")
    _, _, exact = rest.partition("UNITS OF OTHERS")
    seen = view(state, "seat1")
    assert len(known[known.index("WHAT YOU KNOW") :].splitlines()) < 100
    rich = [f"{q},{r}" for q, r, *_, resources in seen["scan"][0] if resources >= 3]
    crowded = [f"{q},{r}" for q, r, *_, number in seen["scan"][1] if number]
    foes = [f"{each['q']},{each['r']}" for each in seen["contacts"] if each["side"] == "foe"]
    assert all([rich, crowded, foes])
    assert not [spot for spot in (*rich, *crowded, *foes) if spot not in exact]
    assert not [each["seat"] for each in seen["subservients"] if f"\n- {each['seat']}: " not in known]
    assert len(parts.html.encode()) < 60_000


def crowded(rows: int, below: int) -> View:
    """Return a view as full as views get: long names, many sightings, conquests, rulers and Harvesters below."""
    seen = view(empire(), "seat1")
    names = [f"a-rather-long-seat-{number}" for number in range(5_000)]
    foes = [
        {"q": q - 50, "r": -9, "owner": names[q % 90], "side": "foe", "units": "HGS"}
        for q in range(min(rows // 3, 300))
    ]
    crew = [[-40, number, "GLS"] for number in range(3)]
    of = [{**seen["subservients"][0], "seat": each, "ruler": names[0], "units": crew} for each in names[:below]]
    exact = [[at % 100 - 50, at // 100 - 9, 1, 1, "E SW", 3, 3] for at in range(rows)]
    won = [{"kind": "won-over", "who": each, "by": "seat1"} for each in names]
    scan = [exact, [], [], [], []]
    memory = {"foes": [], "riches": [], "left_out": 0}
    return {
        **seen,
        "memory": memory,
        "scan": scan,
        "contacts": foes,
        "subservients": of,
        "events": won,
        "rulers": names[:500],
    }


@pytest.mark.parametrize(("rows", "below"), [(800, 90), (1_300, 10), (1_500, 90), (3_000, 100), (3_000, 900)])
def test_the_largest_reports_are_bounded(rows: int, below: int) -> None:
    """HTML of the fullest views stays below 60 kB; what is left out stands in the attached JSON."""
    html = mailed(crowded(rows, below)).html

    assert len(html.encode()) < 60_000
    assert "and 4900 more, in the attached JSON" in html


def test_friends_and_foes_are_marked_everywhere() -> None:
    """In lists, map and picture units of the own side differ from foes (ruling 12)."""
    units = {"bob": {"S1": (1, 0)}, "cyd": {"S1": (-1, 0), "H": (2, 0)}}
    state = position(units, rulers={"cyd": "ann"})

    text = report(state, "ann").text
    (row,) = (line for line in RULESET.text_map(view(state, "ann")).splitlines() if line.split()[:1] == ["-5,0"])
    _, picture = RULESET.pictures(view(state, "ann"))

    assert "Foes in sight: bob's S at 1,0." in text
    assert "On your side, but not below you: ann's H at 0,0." in report(state, "cyd").text
    assert row.split()[5:9] == ["&", "@", "s", "%"]
    assert picture.drawing is not None
    stamped = {mark.sprite for mark in picture.drawing.marks if isinstance(mark, SpriteInstance)}
    assert {sprites.badge("foe", 7), sprites.badge("friend", 7), sprites.badge("home", 7)} <= stamped


@pytest.mark.parametrize("part", ["text", "html"])
def test_a_ruler_reads_a_summary_of_their_empire(part: str) -> None:
    """The report lists for each subservient its ruler, points, place, resources and units."""
    state = position({"bob": {"G": (-6, 0)}}, rulers={"bob": "ann", "cyd": "bob"}, held={"bob": 7})

    words = bare(getattr(report(state, "ann"), part))

    assert "Your empire" in words
    assert "bob: 11 points; -6,0 with 7; G at -6,0" in words
    assert "cyd under bob: 0 points; 0,6 with 0" in words


def test_a_fight_says_who_won_and_why() -> None:
    """Loser, winner and the parties of a tie each read who won, with which strength."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"L1": (3, 0)}, "cyd": {"S1": (-4, 0)}, "dan": {"S1": (-3, 0)}})

    done = turn(state, {"ann": ["MOVE S1 E"], "cyd": ["MOVE S1 E"]})

    said = {seat: " ".join(report(*_pair(done, seat)).text.split()) for seat in SEATS}
    assert "Lost in 3,0, impulse 1: strength 2 against bob's Lieutenant. bob won with 3. You lost S1." in said["ann"]
    assert "Won in 3,0, impulse 1: strength 3 against ann's Soldier." in said["bob"]
    assert (
        "Undecided in -3,0, impulse 1: strength 2 against cyd's Soldier. No side won: more than one had 2;"
        in said["dan"]
    )


def test_enemies_met_are_named_in_words() -> None:
    """A fight is told with the enemy's player and kinds."""
    state = position({"ann": {"G": (2, 0)}, "bob": {"S1": (3, 0), "S2": (3, 0), "C1": (3, 0)}})

    text = report(*_pair(turn(state, {"ann": ["MOVE G E"]}), "ann")).text

    assert "Lost in 3,0, impulse 1: strength 4 against bob's 2 Soldiers and Scout." in " ".join(text.split())


def _pair(done: tuple[State, tuple[Event, ...]], seat: SeatName) -> tuple[State, SeatName, tuple[Event, ...]]:
    return done[0], seat, done[1]


def test_names_are_escaped() -> None:
    """A player's name cannot break out of a report or a picture."""
    seats = ("ann", "<b>&", "cyd", "dan")
    state = position({"<b>&": {"H": (1, 0)}, "cyd": {"H": (0, 6)}, "dan": {"H": (6, -6)}}, seats=seats)

    assert "<b><b>&" not in report(state, "ann").html
    assert "&lt;b&gt;&amp;" in report(state, "ann").html
    ET.fromstring(RULESET.pictures(view(state, "<b>&"))[0].svg)


def test_who_is_out_is_told_so() -> None:
    """The last report of a player who is out has no map, no picture and no form."""
    state, events = turn(position(), removed=["dan"])

    text = report(state, "dan", events).text

    assert "You are out of the game" in text
    assert RULESET.text_map(view(state, "dan")) == ""
    assert RULESET.pictures(view(state, "dan")) == ()


def test_the_map_shows_the_surroundings() -> None:
    """The Harvester is in the middle; every scanned hex has a sign, and rows begin with their first hex."""
    units = {
        "ann": {"H": (0, 0), "G": (1, 0)},
        "bob": {"H": (2, 0), "S1": (-3, 0)},
        "cyd": {"C1": (-1, 0), "C2": (-1, 0)},
    }
    state = position(units, resources={(0, 1): 2, (1, 0): 12, (4, 0): 1}, crags=[(0, -1)], dust=[(-2, 2)])

    rows = {line.split()[0]: line.split()[1:] for line in RULESET.text_map(view(state, "ann")).splitlines()[:11]}

    assert rows["-5,0"] == [".", ".", ".", ".", "c", "@", "G+", "h", ".", ".*", "."]
    assert rows["-5,1"][5] == ".2"
    assert rows["-4,-1"][4] == "^"
    assert rows["-5,2"][3] == ":"


def test_the_map_counts_unknown_units() -> None:
    """In band 2 a digit stands for units; movement has a mark of its own."""
    state, _ = turn(position({"bob": {"S1": (3, 0), "S2": (3, 0)}}), {"bob": ["MOVE S1 W", "MOVE S2 W"]})

    (row,) = (line for line in RULESET.text_map(view(state, "ann")).splitlines() if line.split()[:1] == ["-5,0"])

    assert row.split()[1:] == [".", ".", ".", ".", ".", "@", ".", "2", "'", ".", "'", ".", "."]


def test_the_picture_is_small() -> None:
    """The picture of a start fits 700 pixels and 40 kB of SVG, as thousands of players get one."""
    _, picture = RULESET.pictures(view(position(), "ann"))

    assert max(picture.width, picture.height) <= 700
    assert len(picture.svg) < 40_000


def test_the_pictures_frame_depends_on_the_own_scans_alone() -> None:
    """Units that are not seen do not change the picture."""
    one, other = position({"bob": {"G": (9, -3)}}), position({"bob": {"G": (0, -9)}})

    assert RULESET.pictures(view(one, "ann")) == RULESET.pictures(view(other, "ann"))


def test_the_picture_is_told_in_words() -> None:
    """The alternative text has the Harvester's place, and the numbers of units and of things to gather."""
    units = {"ann": {"G": (0, 0)}, "bob": {"S1": (1, 0), "S2": (0, 1)}}

    near, picture = RULESET.pictures(view(position(units, resources={(0, 2): 1}), "ann"))

    shown = "your Harvester at 0,0, 1 unit of yours, 2 units of foes beside them, 1 mark of things to gather"
    assert picture.title == f"Scanners, turn 1: {shown}"
    assert near.title == "Map around your Harvester at 0,0. Foes: bob S at 0,1 and bob S at 1,0. To gather: 0,2"


def test_tracks_of_own_units_are_not_among_those_of_others() -> None:
    """Tracks of one's own steps are left out; those of others stay, also where own units went."""
    units = {"ann": {"S1": (0, 0), "C1": (0, 0), "L1": (0, 0)}, "bob": {"C1": (1, 3), "C2": (3, -2)}}
    state = position(units)
    before = mail_view(RULESET, state, "ann", ())
    sheets = {"ann": ["MOVE S1 E E E", "MOVE L1 SE SE"], "bob": ["MOVE C1 W", "MOVE C2 SE"]}

    after, events = turn(state, sheets)
    seen = mail_view(RULESET, after, "ann", events, last=before)
    tracks = [text for row in with_rows(seen)["rows"]["signs"] for label, text in row if label == "Tracks"]

    assert tracks == ["from E to 0,3; from NW to 3,-1; left, not entered: 1,3, 3,-2."]


@pytest.mark.parametrize(
    ("march", "told"),
    [
        ("MOVE S1 W", "Others came within two steps: bob's S at 2,0."),
        ("MOVE C1 W", "Others came within two steps: 1 unit of unknown owner at 2,2."),
        ("MOVE L1 E", "Nothing that you know of."),
    ],
)
def test_a_foe_that_came_near_is_not_nothing(march: str, told: str) -> None:
    """The report tells of others who came within two steps of own units, also where nothing else happened."""
    units = {"ann": {"S1": (1, 0), "S2": (0, 2)}, "bob": {"S1": (3, 0), "C1": (3, 2), "L1": (-5, 0), "S2": (2, -3)}}
    after, events = turn(position(units), {"bob": [march]})

    assert told in report(after, "ann", events).text
