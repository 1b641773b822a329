"""Rules for reports: views, events in words, pictures and maps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

from pbem.app import TEMPLATE_DIR
from pbem.report.renderer import Renderer
from pbem.report.template_check import sample_facts
from pbem.report.templates import template_environment
from pbem.ruleset.drawing import Picture
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import View
from pbem.testing.play import games, usual_seats
from pbem.testing.preflight import LABEL, require_whole
from pbem.testing.suite import RulesetTests, rule

# As `pbem.text.WIDTH`: mail programs wrap longer lines, and what is laid out in columns falls apart.
WIDEST = 78
MAP_COLUMNS = WIDEST - 2
"""Columns of a map, which a report indents by two."""

FEWEST_WORDS = 4
"""Words in the title of a picture; fewer are a name, and no sentence."""

LARGEST_PICTURE = 2_000
LARGEST_MEMORY = 10_000
MOST_BRIEF, BRIEF = 5, 90
"""Headlines of a turn, and characters of each."""

BECAME = 200
"""Characters of an order's outcome."""

DEEPEST_PICTURE = 30
# Sentences are on one line, with one blank between words.
_COLUMNS = re.compile(r"\S {2,}\S")
# Copies of copies (`use`) may fill all memory; most of the others lead out of the picture.
FORBIDDEN_ELEMENTS = {"script", "image", "foreignObject", "use", "a", "iframe", "style", "animate", "set"}


class ReportRules(RulesetTests):
    """Rules for views, events in words, reports, pictures and maps."""

    @rule(
        "Build views of dicts with string keys, lists, strings, whole numbers, booleans and None: no "
        "tuples, sets or dataclasses."
    )
    def test_views_survive_json(self) -> None:
        """A view that is stored and read back is the same: no tuples, no sets, no references."""
        for game in games(self.ruleset):
            for number, (state, events) in list(enumerate(game.worlds()))[::3]:
                for seat in game.seats:
                    view = self.ruleset.view(state, seat, events)
                    # Tuples would come back as lists, and numbers as keys as strings.
                    assert json.loads(canonical_json(view)) == view
                    require_whole(f"view of {seat} after turn {number}", view)

    @rule(
        "Begin each view with self.heading(state, seat, events, label); the label is one line of 2 to 28 "
        "signs, the kind of an event small letters, digits and -."
    )
    def test_views_tell_what_the_host_asks(self) -> None:
        """Seat, label, whether it is over, whether orders are awaited, and events with their kinds."""
        for game in games(self.ruleset):
            for state, events in game.worlds():
                standing = self.ruleset.standing(state)
                for seat in game.seats:
                    view = self.ruleset.view(state, seat, events)
                    assert (view["seat"], view["over"], view["awaited"]) == (
                        seat,
                        standing.over,
                        seat in standing.awaiting,
                    )
                    # It is the title of the report, and a part of its subject.
                    assert LABEL.fullmatch(view["label"])
                    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", event["kind"]) for event in view["events"])

    @rule(
        "Let carry_memory make JSON data of a view and of the memory before it, change neither, and keep what "
        "players look up: at most 10,000 bytes."
    )
    def test_memory_is_small_and_made_of_reports(self) -> None:
        """The memory of a seat survives JSON, is small, and is the same for the same reports."""
        for game in games(self.ruleset):
            for earlier, later in pairwise(game.steps[::4]):
                for seat in game.seats:
                    before = earlier.views[seat].get("memory", {})
                    view = self.ruleset.view(later.state, seat, later.heard)
                    given = canonical_json([view, before])
                    first, second = (self.ruleset.carry_memory(view, before) for _ in range(2))
                    assert first == second == json.loads(canonical_json(first))
                    assert canonical_json([view, before]) == given
                    assert len(canonical_json(first)) <= LARGEST_MEMORY

    @rule("Let view return the same for the same state and events, and leave the state alone.")
    def test_making_a_view_changes_nothing(self) -> None:
        """A view made twice is the same, and the state is as it was."""
        for game in games(self.ruleset):
            state, events = game.last
            before = canonical_json(self.ruleset.dump(state))
            # As text: two views may share a list, and that would be equal to itself.
            first, second = (canonical_json(self.ruleset.view(state, game.seats[0], events)) for _ in range(2))
            assert first == second
            assert canonical_json(self.ruleset.dump(state)) == before

    @rule("Make `views` yield for each seat exactly what `view` gives.")
    def test_a_bulk_form_gives_the_same_views(self) -> None:
        """A game that makes all views in one pass makes each as it would be alone."""
        bulk = getattr(self.ruleset, "views", None)
        for game in games(self.ruleset):
            state, events = game.last
            alone = {seat: self.ruleset.view(state, seat, events) for seat in game.seats}
            assert (dict(bulk(state, game.seats, events)) if bulk else alone) == alone

    @rule(
        "Give each kind of event a branch in the macro `event(e, view)` of templates/events.j2, which "
        "uses only data that the event has."
    )
    def test_every_event_is_told_in_words(self) -> None:
        """Each kind of event that happens has its sentence, with all its data at hand."""
        word = _event_macro(self.ruleset)
        for game in games(self.ruleset):
            for view in map(self.ruleset.current_view, game.views()):
                for event in view["events"]:
                    told = word(event, view)
                    assert told.strip(), event
                    # None stands for data that the event lacks, braces for a slip; HTML would be seen in the text.
                    assert not re.search(r"\bNone\b|\{\{|\}\}|<[a-z]", told), (event, told)

    @rule(
        "Let turn_summary give at most five printable headlines of at most 90 signs, each a whole sentence or two, "
        "without Markdown; take all of it from the view."
    )
    def test_a_report_can_be_told_in_brief(self) -> None:
        """The headlines of a turn are few, short and whole."""
        for view in _views(self.ruleset):
            lines = self.ruleset.turn_summary(view)
            assert len(lines) <= MOST_BRIEF
            assert [line for line in lines if not (line.strip() and line.isprintable() and len(line) <= BRIEF)] == []
            # Where words of a person are too long for a headline, they are left to the events.
            assert [line for line in lines if "**" in line or line.endswith("…")] == []

    @rule(
        "Let order_outcomes give a line for each order, in their order: a printable clause of at most 200 signs, or "
        "nothing; take it from the view of the report on their turn."
    )
    def test_a_report_says_what_became_of_orders(self) -> None:
        """Each order of a turn has one line of its own at most, whatever came of it."""
        for game in games(self.ruleset):
            for step, following in pairwise(game.steps):
                for seat, orders in step.turn.orders.items():
                    lines = self.ruleset.order_outcomes(following.views[seat], orders)
                    assert len(lines) == len(orders)
                    assert [line for line in lines if not (line.isprintable() and len(line) <= BECAME)] == []

    @rule(
        "Name pictures in small letters, digits and -, differently within a report; give each a title on "
        "one line, a sentence on what it shows, and a size of 1 to 2,000."
    )
    def test_pictures_can_be_told_apart(self) -> None:
        """Each picture of a report has a name fit for a file, a title and a sensible size."""
        for view in _views(self.ruleset):
            pictures = self.ruleset.pictures(view)
            assert len({picture.name for picture in pictures}) == len(pictures)
            for picture in pictures:
                assert re.fullmatch(r"[a-z][a-z0-9-]*", picture.name)
                assert picture.title.isprintable()
                # It stands in the place of the picture in programs that show text alone.
                assert len(picture.title.split()) >= FEWEST_WORDS
                assert 0 < picture.width <= LARGEST_PICTURE
                assert 0 < picture.height <= LARGEST_PICTURE

    @rule(
        "Draw plain SVG as large as the picture says: no links, scripts, styles, images or uses, no "
        "nesting deeper than 30."
    )
    def test_pictures_are_plain_svg(self) -> None:
        """A picture is well-formed XML without links, scripts, foreign content or bottomless nesting."""
        for picture in _pictures(self.ruleset):
            root = ET.fromstring(picture.svg)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert (float(root.attrib["width"]), float(root.attrib["height"])) == (picture.width, picture.height)
            assert "href" not in picture.svg
            # A document type may define entities that grow without end.
            assert "<!" not in picture.svg
            assert _depth(root) <= DEEPEST_PICTURE
            for element in root.iter():
                assert element.tag.rpartition("}")[2] not in FORBIDDEN_ELEMENTS
                # Handlers of events are scripts, and a URL other than #name leads out of the picture.
                assert not [name for name in element.attrib if name.startswith("on")]
                assert not [value for value in element.attrib.values() if re.search(r"url\((?!#)", value)]

    @rule("Let the tap targets of a picture lie within it, in the units of its viewBox: a page shows no others.")
    def test_tap_targets_are_on_the_picture(self) -> None:
        """A page moves and zooms a picture within its viewBox, so what can be tapped stands in that."""
        for picture in _pictures(self.ruleset):
            x, y, width, height = map(float, ET.fromstring(picture.svg).attrib["viewBox"].split())
            for spot in picture.spots:
                assert [
                    corner
                    for corner in spot.points
                    if not (x <= corner[0] <= x + width and y <= corner[1] <= y + height)
                ] == [], spot.names

    @rule('Set font-family="DejaVu Sans" on each text or around it: no other font is there to draw with.')
    def test_pictures_use_the_bundled_font(self) -> None:
        """Text in another font would not be drawn at all, without any error."""
        for picture in _pictures(self.ruleset):
            for text, family in _texts(ET.fromstring(picture.svg), ""):
                assert family == "DejaVu Sans", text

    @rule(
        "Make public_view of what every view has alike: it must be the same from the view of any one seat. Let "
        "full_view, for when the game is over, show what all seats' views tell, in pictures like those of reports."
    )
    def test_what_is_public_every_seat_knows(self) -> None:
        """A site may show to strangers only what each player knows; to show it tells nobody anything."""
        for game in games(self.ruleset):
            for state, events in list(game.worlds())[::3]:
                views = {seat: self.ruleset.view(state, seat, events) for seat in game.seats}
                told = [self.ruleset.public_view({seat: view}) for seat, view in views.items()]
                assert all(each == told[0] for each in told)
                assert self.ruleset.public_view(views) == told[0]

    @rule(
        "Lay out tables and drawings of templates in at most 78 columns: fewer columns, shorter words, or several "
        "tables. Sentences stay on one line each, which mail programs wrap themselves."
    )
    def test_tables_fit_a_mail(self) -> None:
        """In the text of a report nothing that stands in columns is wider than 78 characters."""
        with Renderer([TEMPLATE_DIR], {self.ruleset.key: self.ruleset}, pictures=False) as reporter:
            for text in _reports(self.ruleset, reporter):
                assert [line for line in text.split("\n") if len(line) > WIDEST and _COLUMNS.search(line)] == []

    @rule("Keep the lines of text_map within 76 printable signs: a report indents them by two.")
    def test_text_maps_fit_a_mail(self) -> None:
        """The map as text is at most 76 columns wide and has no tabs or control characters."""
        for view in _views(self.ruleset):
            for line in self.ruleset.text_map(view).split("\n"):
                assert len(line) <= MAP_COLUMNS
                assert line.isprintable()


def _views(ruleset: AnyRuleset) -> list[View]:
    views = [view for game in games(ruleset) for view in game.views()]
    return views[:6] + views[6 :: max(1, len(views) // 30)] + views[-3:]


def _reports(ruleset: AnyRuleset, reporter: Renderer) -> Iterator[str]:
    for view in _views(ruleset):
        for facts in sample_facts(view, usual_seats(ruleset)):
            yield reporter.text(ruleset, view, facts)


def _pictures(ruleset: AnyRuleset) -> Iterator[Picture]:
    for view in _views(ruleset):
        yield from ruleset.pictures(view)
    for step in games(ruleset)[0].steps[::5]:
        for panorama in filter(None, [ruleset.public_view(step.views), ruleset.full_view(step.views)]):
            yield from panorama.pictures


def _event_macro(ruleset: AnyRuleset) -> Any:
    templates = template_environment([TEMPLATE_DIR], {ruleset.key: ruleset})
    module: Any = templates.get_template(f"{ruleset.key}/events.j2").module
    return module.event


def _depth(element: ET.Element) -> int:
    return 1 + max(map(_depth, element), default=0)


def _texts(element: ET.Element, family: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a picture with the fonts that they inherit."""
    # A family in a style would overrule that of the attribute, which is what is followed here.
    assert "font-family" not in element.attrib.get("style", "")
    family = element.attrib.get("font-family", family)
    if element.tag.endswith("}text"):
        yield "".join(element.itertext()), family
    for child in element:
        yield from _texts(child, family)
