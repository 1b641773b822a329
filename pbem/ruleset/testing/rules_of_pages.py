"""What a game offers a page: orders to choose, and places on pictures to tap."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from pbem.ruleset.dice import Dice
from pbem.ruleset.drawing import Picture
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.testing.held import Held, rule
from pbem.ruleset.testing.pages import fits, lines, misread, missing
from pbem.ruleset.testing.play import SEED, games, standard_game, through_json
from pbem.ruleset.values import Json, View

UNREADABLE = {
    "unconfirmed",
    "unknown-verb",
    "unknown-name",
    "missing-word",
    "extra-words",
    "ambiguous",
    "ambiguous-verb",
}
"""Codes of lines that are no orders at all, whatever a game makes of those that are."""

PLAIN = re.compile(r"[A-Za-z0-9\[\](){}?*+,.|/ -]*")
"""Signs of patterns that mean the same in every language of patterns."""

MOST_VIEWS = 25


class PageRules(Held):
    """What a game offers a page: orders to choose, and places on pictures to tap."""

    @rule(
        "Let read of each kind take all words that its form offers, whatever the view; let samples fit their pattern."
    )
    def test_what_a_form_offers_is_read(self) -> None:
        """A word that a page puts up for choice is one that its kind reads."""
        for view in _views(self.ruleset):
            for verb in self.ruleset.orders.verbs:
                for kind in verb.kinds.values():
                    form = kind.form(view)
                    for word in form.offers():
                        assert fits(form.to_json(), word), (kind.shown, word)
                        kind.read(word, view)

    @rule("Write patterns of letters, digits, sets, groups, | and counts alone: no backslash, no ^, no $.")
    def test_a_pattern_is_read_alike_by_all_clients(self) -> None:
        """What is typed in a page's field is judged by the same expression in any language."""
        for view in _views(self.ruleset):
            for form in _forms(self.ruleset.desk(view)):
                pattern = form.get("pattern", "")
                assert PLAIN.fullmatch(pattern), pattern
                re.compile(pattern)

    @rule(
        "Give each kind a form of words that can be written in a line of their own verb, and let desk offer no verb "
        "of which no line is read; two orders that look alike must not be mistaken for each other."
    )
    def test_a_line_put_together_on_a_page_is_that_order(self) -> None:
        """Whoever knows nothing but the desk writes lines that are read as the orders he chose."""
        book = self.ruleset.orders
        for at, view in enumerate(_views(self.ruleset)):
            for line in lines(through_json(self.ruleset.desk(view)), Dice(SEED).scoped(at)):
                parsed = book.parse(view, [(1, line.text)])
                assert parsed.errors == (), line
                assert [book.to_json(order)["order"] for order in parsed.orders] == [line.order], line
                (verb,) = (verb for verb in book.verbs if verb.name == line.order)
                assert misread(verb, parsed.orders[0], line, view) == [], line
                found = [each for each in self.ruleset.parse(view, [(1, line.text)]).errors if each.code in UNREADABLE]
                assert found == [], line

    @rule(
        "Narrow forms and desk to what may be of use now, and no further: let both have every word and every order of "
        "a sensible sheet."
    )
    def test_what_the_bot_orders_can_be_put_together_on_a_page(self) -> None:
        """Of all that the standard bot writes, no verb is missing on the desk, and no word in its form."""
        for step in standard_game(self.ruleset).steps:
            for seat, parsed in step.parsed.items():
                view = step.views[seat]
                offered = {verb["word"] for verb in self.ruleset.desk(view)["verbs"]}
                for order in parsed.orders:
                    (verb,) = (each for each in self.ruleset.orders.verbs if each.order is type(order))
                    assert verb.word in offered, order
                    assert missing(verb, order, view) == [], order

    @rule(
        "Let desk return the data of orders.desk, of all orders or of some, for every view; let no choice have a word "
        "twice."
    )
    def test_every_view_has_a_desk(self) -> None:
        """Also who is asked for nothing, or has lost, gets a desk, with each verb and each word of a choice once."""
        for view in _all_views(self.ruleset):
            desk = through_json(self.ruleset.desk(view))
            usages = [verb["usage"] for verb in desk["verbs"]]
            assert len(usages) == len(set(usages))
            assert {verb["name"] for verb in desk["verbs"]} <= {verb.name for verb in self.ruleset.orders.verbs}
            assert set(_kinds(desk["verbs"])) == set(desk["kinds"])
            for values in _all_choices(desk):
                assert len(values) == len(set(values)), values

    @rule(
        "Give a spot three corners or more within its picture, a title on one line, and names that an order may hold: "
        "each once, printable, without |."
    )
    def test_a_spot_lies_on_its_picture_and_has_a_name(self) -> None:
        """Whatever can be tapped can be seen, and means something."""
        for view in _views(self.ruleset):
            for picture in self.ruleset.pictures(view):
                for spot in picture.spots:
                    assert _is_inside(picture, spot.points), spot
                    assert spot.title.strip()
                    assert spot.title.isprintable()
                    assert spot.names
                    assert len(spot.names) == len(set(spot.names))
                    assert all(name.strip() and name.isprintable() and "|" not in name for name in spot.names)

    @rule(
        "Give everything of a kind a spot once anything of it has one; what is on no picture belongs in another form."
    )
    def test_what_can_be_chosen_can_be_tapped(self) -> None:
        """Of the words of a choice either all are names of spots, in one picture or another, or none."""
        for view in _views(self.ruleset):
            named = {name for picture in self.ruleset.pictures(view) for spot in picture.spots for name in spot.names}
            for values in map(set, _all_choices(self.ruleset.desk(view))):
                assert not values & named or values <= named, sorted(values - named)


def _views(ruleset: AnyRuleset) -> list[View]:
    """Views that ask for orders, spread over the games."""
    asked = [view for game in games(ruleset) for step in game.steps for view in step.views.values() if view["awaited"]]
    return asked[:3] + asked[3 :: max(1, len(asked) // MOST_VIEWS)]


def _all_views(ruleset: AnyRuleset) -> Iterator[View]:
    return itertools.chain.from_iterable(game.views() for game in games(ruleset))


def _kinds(parts: Any) -> Iterator[str]:
    """The ids of the kinds that parts, or the parts of verbs, use."""
    for part in parts:
        if "kind" in part:
            yield part["kind"]
        yield from _kinds(part.get("parts", part.get("optional", ())))


def _all_choices(desk: Json) -> Iterator[list[str]]:
    """The words of each choice on a desk."""
    return (form["values"] for form in _forms(desk) if form["type"] == "choice")


def _forms(desk: Json) -> Iterator[Json]:
    """All forms on a desk, those within others too."""
    for kind in desk["kinds"].values():
        yield from _within(kind["form"])


def _within(form: Json) -> Iterator[Json]:
    yield form
    inner = form.get("of", [])
    for each in inner if isinstance(inner, list) else [inner]:
        yield from _within(each)


def _is_inside(picture: Picture, points: tuple[tuple[int, int], ...]) -> bool:
    return len(points) >= 3 and all(0 <= x <= picture.width and 0 <= y <= picture.height for x, y in points)
