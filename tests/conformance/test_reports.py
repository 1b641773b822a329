"""What a game shows: views, events in words, pictures and maps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbem.report.wording import FILTERS
from pbem.ruleset import AnyRuleset, Picture, View, canonical
from tests.conformance.games import TEMPLATES
from tests.conformance.play import games

MAP_COLUMNS = 80
LARGEST_PICTURE = 2_000
DEEPEST_PICTURE = 30
FORBIDDEN_ELEMENTS = {"script", "image", "foreignObject", "use", "a", "iframe", "style", "animate", "set"}


def _views(ruleset: AnyRuleset) -> list[View]:
    views = [view for game in games(ruleset.key) for view in game.views()]
    return views[:6] + views[6 :: max(1, len(views) // 30)] + views[-3:]


def _pictures(ruleset: AnyRuleset) -> Iterator[Picture]:
    for view in _views(ruleset):
        yield from ruleset.pictures(view)


def test_views_survive_json(ruleset: AnyRuleset) -> None:
    """What is stored and read back is the view itself: no tuples, no sets, no references."""
    for game in games(ruleset.key):
        for state, events in list(game.worlds())[::3]:
            for seat in game.seats:
                view = ruleset.view(state, seat, events)
                assert json.loads(canonical(view)) == view


def test_views_tell_what_the_host_asks(ruleset: AnyRuleset) -> None:
    """Seat, label, whether it is over, whether orders are awaited, and events with their kinds."""
    for game in games(ruleset.key):
        for state, events in game.worlds():
            standing = ruleset.standing(state)
            for seat in game.seats:
                view = ruleset.view(state, seat, events)
                assert (view["seat"], view["over"], view["awaited"]) == (seat, standing.over, seat in standing.awaiting)
                assert re.fullmatch(r"\S.{0,60}\S", view["label"])
                assert all(re.fullmatch(r"[a-z][a-z0-9-]*", event["kind"]) for event in view["events"])


def test_making_a_view_changes_nothing(ruleset: AnyRuleset) -> None:
    """A view made twice is the same, and the state is as it was."""
    for game in games(ruleset.key):
        state, events = game.last
        before = canonical(ruleset.dump(state))
        first, second = (ruleset.view(state, game.seats[0], events) for _ in range(2))
        assert first == second
        assert canonical(ruleset.dump(state)) == before


def test_a_bulk_form_gives_the_same_views(ruleset: AnyRuleset) -> None:
    """Where a game makes all views in one pass, each is what it would be alone."""
    bulk = getattr(ruleset, "views", None)
    for game in games(ruleset.key):
        state, events = game.last
        alone = {seat: ruleset.view(state, seat, events) for seat in game.seats}
        assert (dict(bulk(state, game.seats, events)) if bulk else alone) == alone


def test_every_event_is_told_in_words(ruleset: AnyRuleset) -> None:
    """Each kind of event that happens has its sentence, with all its data at hand."""
    word = _wording(ruleset)
    for game in games(ruleset.key):
        for view in game.views():
            for event in view["events"]:
                told = word(event, view)
                assert told.strip(), event
                assert not re.search(r"\bNone\b|\{\{|\}\}|<[a-z]", told), (event, told)


def _wording(ruleset: AnyRuleset) -> Any:
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.filters.update(FILTERS)
    module: Any = templates.get_template(f"{ruleset.key}/events.j2").module
    return module.event


def test_pictures_can_be_told_apart(ruleset: AnyRuleset) -> None:
    """Each picture of a report has a name fit for a file, a title and a sensible size."""
    for view in _views(ruleset):
        pictures = ruleset.pictures(view)
        assert len({picture.name for picture in pictures}) == len(pictures)
        for picture in pictures:
            assert re.fullmatch(r"[a-z][a-z0-9-]*", picture.name)
            assert picture.title.isprintable()
            assert picture.title
            assert 0 < picture.width <= LARGEST_PICTURE
            assert 0 < picture.height <= LARGEST_PICTURE


def test_pictures_are_plain_svg(ruleset: AnyRuleset) -> None:
    """A picture is well-formed XML without links, scripts, foreign content or bottomless nesting."""
    for picture in _pictures(ruleset):
        root = ET.fromstring(picture.svg)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert (float(root.attrib["width"]), float(root.attrib["height"])) == (picture.width, picture.height)
        assert "href" not in picture.svg
        assert "<!" not in picture.svg
        assert _depth(root) <= DEEPEST_PICTURE
        for element in root.iter():
            assert element.tag.rpartition("}")[2] not in FORBIDDEN_ELEMENTS
            assert not [name for name in element.attrib if name.startswith("on")]
            assert not [value for value in element.attrib.values() if re.search(r"url\((?!#)", value)]


def test_pictures_use_the_bundled_font(ruleset: AnyRuleset) -> None:
    """Text in another font would not be drawn at all, without any error."""
    for picture in _pictures(ruleset):
        for text, family in _texts(ET.fromstring(picture.svg), ""):
            assert family == "DejaVu Sans", text


def _depth(element: ET.Element) -> int:
    return 1 + max(map(_depth, element), default=0)


def _texts(element: ET.Element, family: str) -> Iterator[tuple[str, str]]:
    """The texts of a picture with the fonts they inherit."""
    assert "font-family" not in element.attrib.get("style", "")
    family = element.attrib.get("font-family", family)
    if element.tag.endswith("}text"):
        yield "".join(element.itertext()), family
    for child in element:
        yield from _texts(child, family)


def test_text_maps_fit_a_terminal(ruleset: AnyRuleset) -> None:
    """The map as text is at most 80 columns wide and has no tabs or control characters."""
    for view in _views(ruleset):
        for line in ruleset.text_map(view).split("\n"):
            assert len(line) <= MAP_COLUMNS
            assert line.isprintable()
