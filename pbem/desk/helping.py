"""HELP: the player guide by mail, with the orders of the writer's games; and HELP with a verb, that order alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from pbem.desk.commands import COMMANDS, REFERENCE
from pbem.desk.judging import reads_as_order
from pbem.desk.replies import Case, answer, bare_subject
from pbem.desk.seats import find_seat, games_of, load_seat, seats_of
from pbem.report.answers import Help, HelpOnVerb, OrderHelp
from pbem.ruleset.fields import suggest
from pbem.ruleset.orders import SHORTEST_ABBREVIATION, OrderBook
from pbem.ruleset.tokenizer import split_words
from pbem.store.types import Phase

_HELP = re.compile(r"\A\s*+help\b(.*+)", re.IGNORECASE)

_MOST_WORDS = 2
"""More words behind HELP are a sentence, and no verb."""


def find_help(case: Case) -> tuple[str, ...] | None:
    """The words behind HELP in a letter that asks for it; None if it does not ask.

    HELP is its whole subject, or begins its text; a subject without text is read
    like one. In a game of free words a sentence in a reply may be an order.
    """
    subject, letter = bare_subject(case.letter.subject), case.letter
    if subject.lower() == "help":
        return ()
    typed = [
        (at, line) for at, line in enumerate(letter.lines, 1) if line.strip() and not line.lstrip().startswith(">")
    ]
    number, line = typed[0] if typed else (1, subject)
    found = _HELP.match(line)
    if found is None:
        return None
    words = tuple(split_words(found[1]))
    is_order = words and not _explained(case, words) and reads_as_order(case, (number, line))
    return None if is_order else words


def give_help(case: Case, words: Sequence[str]) -> str:
    """Answers a letter that asks for help; returns what to note of it."""
    sender = case.letter.sender
    if sender is None:
        return f"help; {case.silent('no sender can be read')}"
    explained = _explained(case, words)
    page = HelpOnVerb(address=case.address, orders=explained) if explained else _guide(case, sender, words)
    return "help; " + answer(case, sender, page, kind="help")


def _guide(case: Case, sender: str, words: Sequence[str]) -> Help:
    orders, seats = _orders(case), seats_of(case.session, sender)
    unknown = words[0] if len(words) == 1 and orders else ""
    return Help(
        address=case.address,
        commands=REFERENCE,
        orders=orders,
        unknown=unknown,
        hint=suggest(unknown, [order.verb for order in orders]) if unknown else "",
        **({"campaign": seats[0].campaign, "seat": seats[0].seat} if seats else {}),
    )


def _explained(case: Case, words: Sequence[str]) -> tuple[OrderHelp, ...]:
    """The orders and commands that a verb names, in full or as it may be cut short; none for a sentence."""
    if not 0 < len(words) <= _MOST_WORDS:
        return ()
    typed, known = words[0].upper(), (*_orders(case), *_described(COMMANDS, ""))
    cut = [order for order in known if len(typed) >= SHORTEST_ABBREVIATION and order.verb.startswith(typed)]
    named = [order for order in known if order.verb == typed] or cut
    if not named and len(words) == 1:
        named = [order for order in _offered(case) if order.verb == typed]
    return tuple(named)


def _offered(case: Case) -> Iterator[OrderHelp]:
    """The orders that the last reports to a letter's sender offer: a campaign may have verbs of its own."""
    for known in seats_of(case.session, case.letter.sender):
        seat = find_seat(case.session, known.campaign, known.seat)
        spot = load_seat(case.session, seat.id) if seat else None
        if spot is not None and spot.status == Phase.RUNNING:
            ruleset = case.house.game(spot.game)
            for verb in ruleset.desk(json.loads(spot.view))["verbs"]:
                told = (verb["usage"], verb["help"], tuple(verb["examples"]))
                yield OrderHelp(verb["word"], f"{ruleset.title}, in the campaign {spot.campaign}", *told)


def _orders(case: Case) -> tuple[OrderHelp, ...]:
    """The orders of all games with which a letter's sender has to do."""
    games = games_of(case.session, case.letter.sender or "", case.now).values()
    rulesets = [case.house.game(key) for key in dict.fromkeys(games)]
    return tuple(order for ruleset in rulesets for order in _described(ruleset.orders, ruleset.title))


def _described(book: OrderBook, game: str) -> Iterator[OrderHelp]:
    for verb in book.verbs:
        yield OrderHelp(verb.word, game, verb.usage, verb.help, verb.examples)
