"""What a message is: each row of the table of routes in plain words, and that there is one for every message."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, get_args

import pytest

from pbem.inbox import routes
from pbem.inbox.route import find_handler
from pbem.inbox.routes import FACTS, HANDLERS, ROUTES, Code, First, Frame, Machine, Sender, choose_route
from tests.docs import route_table

VALUES: dict[str, tuple[Any, ...]] = {
    "machine": get_args(Machine),
    "frame": get_args(Frame),
    "code": get_args(Code),
    "form": (False, True),
    "first": get_args(First),
    "key": (False, True),
    "sender": get_args(Sender),
    "wish": (False, True),
}


@dataclass(frozen=True)
class Known:
    """Facts as they are told; those of a person's words without anything else."""

    machine: Machine = ""
    frame: Frame = ""
    code: Code = ""
    form: bool = False
    first: First = "words"
    key: bool = False
    sender: Sender = "stranger"
    wish: bool = False


MAIL = Known()
CASES = {
    "our own mail came back": (replace(MAIL, machine="own", code="report"), "note"),
    "a mail could not be delivered": (replace(MAIL, machine="bounce", code="report"), "note"),
    "Outlook recalls a sheet": (replace(MAIL, machine="recall", code="report"), "recall"),
    "a thumb up": (replace(MAIL, machine="reaction", code="ask"), "note"),
    "a bot sends a sheet": (replace(MAIL, machine="robot", frame="orders", key=True), "robot-sheet"),
    "a bot sends a sheet without key": (replace(MAIL, machine="robot", frame="orders"), "note"),
    "a player is away": (replace(MAIL, machine="robot", code="report", key=True), "note"),
    "a club's list passes a reply on": (replace(MAIL, machine="bulk", code="report", key=True), "bulk-sheet"),
    "a GM with their token": (replace(MAIL, frame="gm", code="report"), "gm-frame"),
    "a GM fills in the form": (replace(MAIL, code="form", form=True, first="words"), "ruling"),
    "CLEAR ORDERS in a frame": (replace(MAIL, frame="player", first="orders-command"), "orders-command"),
    "a player's frame, above a GM's code": (replace(MAIL, frame="player", code="answer"), "player-commands"),
    "PRESS TO ALL above a sheet": (replace(MAIL, frame="text", code="report"), "player-commands"),
    "a sheet in place of that asked about": (
        replace(MAIL, frame="orders", code="ask", first="order"),
        "replacement",
    ),
    "orders in place of the sheet asked about": (replace(MAIL, code="ask", first="order"), "replacement"),
    "a whole sheet": (replace(MAIL, frame="orders"), "sheet"),
    "a GM who plays sends a sheet over a Done": (
        replace(MAIL, frame="orders", code="answer", key=True),
        "sheet",
    ),
    "a GM quotes an ORDERS line in an answer": (replace(MAIL, frame="orders", code="question"), "gm-answer"),
    "YES to what a GM was shown": (replace(MAIL, code="offer", first="yes"), "gm-offer"),
    "an empty reply to what a GM was shown": (replace(MAIL, code="offer", first="nothing"), "gm-offer"),
    "STATUS in reply to a question": (replace(MAIL, code="question", first="command"), "gm-commands"),
    "words in reply to a question": (replace(MAIL, code="question"), "gm-answer"),
    "the form left as it was": (replace(MAIL, code="form"), "ruling"),
    "UNDO in reply to a Done": (replace(MAIL, code="answer", first="command", sender="gm"), "gm-commands"),
    "thanks in reply to a Done": (replace(MAIL, code="answer", sender="gm"), "gm-commands"),
    "a GM writes afresh": (replace(MAIL, sender="gm"), "gm-unproved"),
    "a GM wishes to join elsewhere, by JOIN": (replace(MAIL, sender="gm", first="command"), "player-commands"),
    "HELP in reply to a report": (replace(MAIL, code="report", first="help"), "help"),
    "YES: it is mine": (replace(MAIL, code="ask", first="yes"), "answer"),
    "YES once more": (replace(MAIL, code="spent", first="yes"), "settled"),
    "NO ORDERS": (replace(MAIL, code="report", first="orders-command"), "orders-command"),
    "ABSENT in reply to a question": (replace(MAIL, code="ask", first="command"), "player-commands"),
    "a question back to an invitation": (replace(MAIL, code="invite"), "answer"),
    "words to an old invitation": (replace(MAIL, code="spent"), "settled"),
    "words back to press": (replace(MAIL, code="press", sender="seat"), "press"),
    "orders over a report": (replace(MAIL, code="report", sender="seat"), "sheet"),
    "nothing over an old report": (replace(MAIL, code="stale", first="nothing", sender="seat"), "sheet"),
    "I would like to play": (replace(MAIL, wish=True), "join"),
    "orders in a mail of their own": (replace(MAIL, sender="seat"), "unproved"),
    "hello from nobody": (MAIL, "games"),
}


@pytest.mark.parametrize(("facts", "route"), CASES.values(), ids=CASES.keys())
def test_what_a_message_is(facts: Known, route: str) -> None:
    """The first row that has the facts of a message decides, and all others are beside the point."""
    assert choose_route(facts).route == route


def test_each_message_has_a_row_and_each_row_a_message() -> None:
    """All combinations of facts fit a row, and each row is the first for some of them."""
    reached = {id(choose_route(_Any(*values))) for values in product(*(VALUES[name] for name in FACTS))}

    assert reached == set(map(id, ROUTES))


class _Any(Known):
    """Facts that are cheap to make: there are a hundred thousand combinations."""

    def __init__(self, *values: Any) -> None:
        self.__dict__.update(zip(FACTS, values, strict=True))


def test_each_route_has_a_handler() -> None:
    """The table and the handlers name the same routes, and rows ask for facts and values that there are."""
    assert {row.route for row in ROUTES} == set(HANDLERS)
    assert all(inspect.isfunction(find_handler(route)) for route in HANDLERS)
    assert set(FACTS) == {field.name for field in fields(routes.Row)} - {"route", "what"}
    assert all(set(getattr(row, name)) <= set(VALUES[name]) for row in ROUTES for name in FACTS)


def test_the_page_on_the_architecture_has_the_table() -> None:
    """It is made from the code: python -m tests.docs.route_table."""
    assert route_table.table() in route_table.PAGE.read_text()
