"""How a game reads sheets: every text, every verb, and its own lines back."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.ruleset import AnyRuleset, Dice, Order, Parsed, View
from tests.conformance.games import default_options
from tests.conformance.play import SEED, games, mailed, numbered, standard_game, through_json, usual_seats
from tests.conformance.sheets import flaws, hostile_sheets

TRIES = 20


def _awaited(ruleset: AnyRuleset) -> list[View]:
    """Views that ask for orders, from the beginning, the middle and the end of games."""
    views = [view for game in games(ruleset.key) for step in game.steps for view in step.views.values()]
    asked = [view for view in views if view["awaited"]]
    return asked[:6] + asked[6 :: max(1, len(asked) // 30)]


def _orders(ruleset: AnyRuleset) -> Iterator[tuple[View, Order]]:
    """Orders players might send: invented lines as the order book reads them."""
    for number, view in enumerate(_awaited(ruleset)):
        lines = [verb.invent(view, Dice(SEED), number, verb.name) for verb in ruleset.orders.verbs]
        for order in ruleset.orders.parse(view, numbered(lines)).orders:
            yield view, order


def test_no_sheet_makes_a_parser_fall(ruleset: AnyRuleset) -> None:
    """Whatever arrives is answered with findings that can be printed in a receipt."""
    view = next(view for view in standard_game(ruleset.key).steps[0].views.values() if view["awaited"])

    for name, lines in hostile_sheets(ruleset):
        parsed = ruleset.parse(view, numbered(lines))
        assert [flaw for finding in parsed.findings for flaw in flaws(finding, len(lines))] == [], name


def test_an_empty_sheet_has_no_errors(ruleset: AnyRuleset) -> None:
    """To order nothing is allowed, at any time."""
    for view in _awaited(ruleset):
        assert ruleset.parse(view, []).errors == ()
        assert ruleset.parse(view, [(1, ""), (2, "; a remark")]).errors == ()


def test_a_view_that_asks_for_nothing_still_reads_sheets(ruleset: AnyRuleset) -> None:
    """A sheet from a seat that is not awaited, or after the end, is answered too."""
    for view in games(ruleset.key)[0].views():
        if not view["awaited"]:
            lines = [verb.example for verb in ruleset.orders.verbs]
            assert isinstance(ruleset.parse(view, numbered(lines)), Parsed)


def test_every_verb_can_be_used(ruleset: AnyRuleset) -> None:
    """For each order there is a moment in a game when some line of it is read."""
    views = [view for game in games(ruleset.key) for step in game.steps for view in step.views.values()]
    for verb in ruleset.orders.verbs:
        tried = (
            ruleset.orders.parse(view, [(1, verb.invent(view, Dice(SEED), count))]).orders
            for count in range(TRIES)
            for view in views
        )
        assert any(orders and type(orders[0]) is verb.order for orders in tried), verb.usage


def test_an_order_written_as_a_line_reads_as_that_order(ruleset: AnyRuleset) -> None:
    """Lines of orders as understood, in archives and receipts, can be sent in again."""
    for view, order in _orders(ruleset):
        assert ruleset.orders.parse(view, [(1, ruleset.orders.line(order))]).orders == (order,)


def test_an_order_survives_json(ruleset: AnyRuleset) -> None:
    """Orders are stored as JSON and come back the same."""
    for _, order in _orders(ruleset):
        assert ruleset.orders.from_json(through_json(ruleset.orders.to_json(order))) == order


def test_an_order_is_restated_in_words(ruleset: AnyRuleset) -> None:
    """A receipt says each order in words, on one line."""
    for _, order in _orders(ruleset):
        assert order.words().strip()
        assert order.words().isprintable()


def test_an_accepted_sheet_restated_is_accepted_as_the_same(ruleset: AnyRuleset) -> None:
    """The orders of a receipt, returned as a sheet, are the same orders without an error."""
    for game in games(ruleset.key):
        for step in game.steps:
            for seat, parsed in step.parsed.items():
                lines = [ruleset.orders.line(order) for order in parsed.orders]
                again = ruleset.parse(step.views[seat], numbered(lines))
                assert (again.orders, again.errors) == (parsed.orders, ())


def test_default_orders_are_valid(ruleset: AnyRuleset) -> None:
    """What is played for a seat that sent nothing could have been sent by it, with or without orders to repeat."""
    for game in games(ruleset.key):
        for step, following in zip(game.steps, game.steps[1:], strict=False):
            for seat in ruleset.standing(following.state).awaiting:
                for kept in ((), step.turn.orders.get(seat, ())):
                    orders = ruleset.defaults(following.views[seat], kept)
                    lines = [ruleset.orders.line(order) for order in orders]
                    again = ruleset.parse(following.views[seat], numbered(lines))
                    assert (again.orders, again.errors) == (orders, ())


def test_the_template_of_a_report_can_be_returned_as_it_is(ruleset: AnyRuleset) -> None:
    """A player who sends the form back untouched made no mistake."""
    for view in _awaited(ruleset):
        assert ruleset.parse(view, numbered(ruleset.template(view))).errors == ()


def test_a_sheet_is_read_against_the_view_alone(ruleset: AnyRuleset) -> None:
    """Reading a sheet a second time, after other views were made, gives the same receipt."""
    state = ruleset.setup(default_options(ruleset), usual_seats(ruleset), Dice(SEED))
    views = [mailed(ruleset, state, seat, ()) for seat in usual_seats(ruleset)]
    lines = numbered(verb.invent(views[0], Dice(SEED), verb.name) for verb in ruleset.orders.verbs)

    first = ruleset.parse(views[0], lines)
    for view in views:
        ruleset.parse(view, lines)

    assert ruleset.parse(views[0], lines) == first
