"""Rules for order sheets: every text is read, every verb works, and orders written out read back."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from pbem.campaign.order_sheets import parse_split
from pbem.ruleset.dice import Dice
from pbem.ruleset.order_types import RESIGNS, Order, ParsedSheet
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import through_json
from pbem.ruleset.values import View
from pbem.testing.play import (
    SEED,
    apply_hint,
    default_options,
    find_flaws,
    games,
    hostile_sheets,
    mail_view,
    mistype,
    number_lines,
    standard_game,
    usual_seats,
)
from pbem.testing.suite import RulesetTests, rule

TRIES = 20
# As `pbem.text.WIDTH`: mail programs wrap longer lines.
WIDEST = 78
MOST_FILLED = 500
"""Attempts to fill in a line of several blanks."""

MOST_VIEWS = 6
# `quit`, `resign?` and `Resign.` once ended a seat at once.
UNCONFIRMED = (
    *("RESIGN", "Resign.", "resign?", "I resign", "resigns", "RES CONFIRM", "RESIGN; CONFIRM", "RESIGN # CONFIRM"),
    *("RESIGN CONFIRM?", "RESIGN CONFIRM ?", "RESIGN CONFIRM if she does", "do not RESIGN CONFIRM", "I RESIGN CONFIRM"),
    *("RESIGN CONFIRMED", "CONFIRM RESIGN", "CONFIRM", "SURRENDER CONFIRM"),
    *("quit", "QUIT CONFIRM", "concede", "surrender", "capitulate", "give up", "I give up!", "leave the game", "leave"),
    *("I resign myself to building scouts", "resign yourself, blue", "I will not resign", "'RESIGN CONFIRM'"),
)
"""Lines that must not make a seat resign."""

STRUCK_OUT = (
    *(";{}", "# {}", "//{}", "// {}", "% {}", "/* {} */", "/*", "{}", "*/", "/* not now:", "{} */"),
    "; changed my mind // {}",
)
"""Lines of a sheet in which the order in place of {} is a comment."""

TAKEN_BACK = (
    *("CANCEL", "Cancel:", "DELETE", "FORGET", "UNDO", "SCRATCH", "REMOVE", "REVOKE", "WITHDRAW", "IGNORE"),
    *("NOT", "NO", "NO:", "DON'T", "dont", "do not", "never", "please do not", "I will not", "instead of", "not yet:"),
)
"""Words before an order that is not to be given."""

MINUSES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u207b\u208b\u2796\u02d7\u2043\u00ad\u30fc"
PLUSES = "+\uff0b\ufe62\u207a\u208a\u2795\u02d6"
GAPS = ("", " ", "\t", "\u00a0", "\u202f", "\u3000", "\u200b")
"""Signs of numbers, and what people and mail programs put before or behind them."""

_SIGN = re.compile(r"[+-](?=[0-9]|[\s,]|$)")

PROSE = "Here are my orders for this turn."

_BLANK = re.compile(r"<[^<>]+>")


class SheetRules(RulesetTests):
    """Rules for reading sheets: every text, every verb, and the game's own lines."""

    @rule(
        "Never let parse raise: refuse with Finding(line, severity, code, text, hint), severity 'error', "
        "'warning' or 'note', the code in small letters without blanks, text and hint printable on one "
        "line and without long echoes."
    )
    def test_no_sheet_makes_a_parser_fall(self) -> None:
        """Any sheet is answered with findings that can be printed in a receipt."""
        view = next(view for view in standard_game(self.ruleset).steps[0].views.values() if view["awaited"])

        for name, lines in hostile_sheets(self.ruleset):
            parsed = self.ruleset.parse(view, number_lines(lines))
            assert [flaw for finding in parsed.findings for flaw in find_flaws(finding, len(lines))] == [], name

    @rule("Set free_text = True if, and only if, any sentence is read as an order.")
    def test_prose_is_an_order_only_where_the_game_says_so(self) -> None:
        """A sentence that is no order of any game is one only in a game of free text."""
        for view in _awaited_views(self.ruleset):
            assert bool(self.ruleset.parse(view, [(1, PROSE)]).entries) == self.ruleset.free_text

    @rule("Take a sheet without orders without an error; who ordered nothing made no mistake.")
    def test_an_empty_sheet_has_no_errors(self) -> None:
        """To order nothing is allowed, at any time."""
        for view in _awaited_views(self.ruleset):
            assert self.ruleset.parse(view, []).errors == ()
            assert self.ruleset.parse(view, [(1, ""), (2, "; a remark")]).errors == ()

    @rule("Let parse answer, with findings if you like, also against a view that awaits nothing or is over.")
    def test_a_view_that_asks_for_nothing_still_reads_sheets(self) -> None:
        """A sheet from a seat that is not awaited, or after the end, is answered too."""
        for view in games(self.ruleset)[0].views():
            if not view["awaited"]:
                lines = [verb.example for verb in self.ruleset.orders.verbs]
                assert isinstance(self.ruleset.parse(view, number_lines(lines)), ParsedSheet)

    @rule(
        "Let the samples of each kind name what the view lists, and keep in the view what orders may "
        "name; an order that can never be read is dead."
    )
    def test_every_verb_can_be_used(self) -> None:
        """For each order there is a moment in a game when some line of it is read."""
        views = [view for game in games(self.ruleset) for step in game.steps for view in step.views.values()]
        for verb in self.ruleset.orders.verbs:
            tried = (
                self.ruleset.orders.parse(view, [(1, verb.invent(view, Dice(SEED), count))]).orders
                for count in range(TRIES)
                for view in views
            )
            assert any(orders and type(orders[0]) is verb.order for orders in tried), verb.usage

    @rule("Make write and read of each kind each other's reverse.")
    def test_an_order_written_as_a_line_reads_as_that_order(self) -> None:
        """Lines of orders as understood, in archives and receipts, can be sent in again."""
        for view, order in _orders(self.ruleset):
            assert self.ruleset.orders.parse(view, [(1, self.ruleset.orders.line(order))]).orders == (order,)

    @rule("Hold nothing in orders but strings, whole numbers, booleans, None and tuples of them.")
    def test_an_order_survives_json(self) -> None:
        """Orders are stored as JSON and come back the same."""
        for _, order in _orders(self.ruleset):
            assert self.ruleset.orders.from_json(through_json(self.ruleset.orders.to_json(order))) == order

    @rule("Give each order a words() of one printable line.")
    def test_an_order_is_restated_in_words(self) -> None:
        """A receipt says each order in words, on one line."""
        for _, order in _orders(self.ruleset):
            assert order.words().strip()
            assert order.words().isprintable()

    @rule(
        "Judge a sheet by its orders alone: what parse took, written as lines in the same order, must be "
        "taken again as the same."
    )
    def test_an_accepted_sheet_restated_is_accepted_as_the_same(self) -> None:
        """The orders of a receipt, returned as a sheet, are the same orders without an error."""
        for game in games(self.ruleset):
            for step in game.steps:
                for seat, parsed in step.parsed.items():
                    # Players copy the lines of a receipt into their next sheet.
                    lines = [self.ruleset.orders.line(order) for order in parsed.orders]
                    again = self.ruleset.parse(step.views[seat], number_lines(lines))
                    assert (again.orders, again.errors) == (parsed.orders, ())

    @rule(
        "Return from defaults only orders that parse would take from the seat itself; leave out of `kept` "
        "what is possible no more."
    )
    def test_default_orders_are_valid(self) -> None:
        """The default orders of a seat could have been sent by it, with or without orders to repeat."""
        for game in games(self.ruleset):
            for step, following in zip(game.steps, game.steps[1:], strict=False):
                for seat in self.ruleset.standing(following.state).awaiting:
                    for kept in ((), step.turn.orders.get(seat, ())):
                        orders = self.ruleset.defaults(following.views[seat], kept)
                        lines = [self.ruleset.orders.line(order) for order in orders]
                        again = self.ruleset.parse(following.views[seat], number_lines(lines))
                        assert (again.orders, again.errors) == (orders, ())

    @rule("Write into the template only lines that parse takes; what is not yet decided begins with ';'.")
    def test_the_template_of_a_report_can_be_returned_as_it_is(self) -> None:
        """A player who sends the form back untouched made no mistake."""
        for view in _awaited_views(self.ruleset):
            assert self.ruleset.parse(view, number_lines(self.ruleset.template(view))).errors == ()

    @rule(
        "Offer in the template only what parse takes: a line behind '; ' is an order once that is taken away and what "
        "stands in <angles> is filled in; a remark begins with '#', on a line of its own or behind the order. No line "
        "is wider than a mail."
    )
    def test_a_line_of_the_form_obeyed_is_that_order(self) -> None:
        """Take away the semicolon and fill in: then the line is taken, as the order that it looks like."""
        for view in _awaited_views(self.ruleset):
            form = self.ruleset.template(view)
            assert [line for line in form if len(line) > WIDEST] == []
            for at, line in enumerate(form):
                if line.startswith("; "):
                    filled = _fill_blanks(self.ruleset, view, line)
                    assert any(self._is_taken(view, form, at, order) for order in filled), line
                else:
                    assert line.startswith("#") or not line or self.ruleset.parse(view, [(1, line)]).orders, line

    def _is_taken(self, view: View, form: list[str], at: int, order: str) -> bool:
        """Return True if the form with this line in use has one order more, and no error."""
        # Compared with the form without this line, in which others may be orders already.
        used, unused = ([*form[:at], line, *form[at + 1 :]] for line in (order, ""))
        taken = self.ruleset.parse(view, number_lines(used))
        return not taken.errors and len(taken.orders) > len(self.ruleset.parse(view, number_lines(unused)).orders)

    @rule(
        "Let lines of your own reading be without their comments: comment_of, without_comment and join_lines know what "
        "stands behind ; # // % and in /* */."
    )
    def test_a_line_that_is_struck_out_is_not_given(self) -> None:
        """An order behind a mark of a comment, or within one of several lines, is no order."""
        for view, line in _accepted_lines(self.ruleset):
            lines = [each.replace("{}", line) for each in STRUCK_OUT]
            assert self.ruleset.parse(view, number_lines(lines)).entries == (), lines

    @rule("Take a line for one order, or refuse it: of several on one line parse is asked for each by itself, too.")
    def test_orders_that_share_a_line_are_not_lost(self) -> None:
        """Two orders between which a ; , or . stands are read as on two lines, or the line has an error."""
        for view, line, other in () if self.ruleset.free_text else _lines_together(self.ruleset):
            given = self.ruleset.parse(view, [(1, line), (2, other)]).orders
            for sign in (";", ",", "."):
                read = parse_split(self.ruleset, view, [(1, f"{line}{sign} {other}")])
                assert read.errors or read.orders == given, (line, sign, other)

    @rule("Skip no word before a verb, or behind it, by which an order is withdrawn or denied: refuse the line.")
    def test_an_order_that_is_taken_back_is_not_given(self) -> None:
        """A word such as CANCEL or NOT before an order is not passed over."""
        for view, line in () if self.ruleset.free_text else _accepted_lines(self.ruleset):
            given = self.ruleset.parse(view, [(1, line)]).orders
            lines = [f"{word} {line}" for word in TAKEN_BACK]
            read = self.ruleset.parse(view, number_lines(lines))
            assert not {*given} & {*read.orders}, lines
            answered = {entry.line for entry in read.entries} | {finding.line for finding in read.findings}
            assert [line for number, line in number_lines(lines) if number not in answered] == []

    @rule("Drop no sign before a number, nor behind a word: plain_signs reads all kinds of minus and plus.")
    def test_a_sign_is_read_or_refused(self) -> None:
        """With another kind of minus or plus, or blanks beside it, a line is the same order or is refused."""
        for view, line in _accepted_lines(self.ruleset):
            given = self.ruleset.parse(view, [(1, line)]).orders
            for other in () if self.ruleset.free_text else _other_signs(line):
                read = self.ruleset.parse(view, [(1, other)])
                assert read.orders == given or (read.errors and not read.orders), (line, other)

    @rule(
        "Offer in 'did you mean ...?' only what parse takes in place of the word: let names and samples of a kind "
        "hold what is possible now, and word other hints otherwise."
    )
    def test_a_hint_typed_in_is_taken(self) -> None:
        """Of a line taken but for one mistyped word, the hint put in the place of that word makes a line taken."""
        for view, line in _accepted_lines(self.ruleset):
            for bad in mistype(line):
                for finding in self.ruleset.parse(view, [(1, bad)]).errors:
                    # Hints are typed in as they stand: likeness alone made STAY a DESTROY, and a lost ship another.
                    for mended in apply_hint(bad, finding):
                        assert self.ruleset.parse(view, [(1, mended)]).errors == (), (bad, finding, mended)

    @rule(
        "Give the order by which a player leaves the usage RESIGN CONFIRM and, as ends_seat, its effect; let nothing "
        "that you make of a line in other words be that order."
    )
    def test_a_seat_is_ended_by_one_line_alone(self) -> None:
        """Neither a word of resigning without CONFIRM, nor a slip, a question or prose ends the seat of its writer."""
        views = [view for game in games(self.ruleset) for step in game.steps[:3] for view in step.views.values()]
        slips = [bad for bad in mistype(RESIGNS) if bad.upper() != RESIGNS]
        for view, line in itertools.product(views[:MOST_VIEWS], [*UNCONFIRMED, *slips]):
            ended = [order for order in self.ruleset.parse(view, [(1, line)]).orders if order.ends_seat]
            assert ended == [], line

    @rule("Remember nothing between calls: parse uses its view and its lines only.")
    def test_a_sheet_is_read_against_the_view_alone(self) -> None:
        """Reading a sheet a second time, after other views were made, gives the same receipt."""
        state = self.ruleset.setup(default_options(self.ruleset), usual_seats(self.ruleset), Dice(SEED))
        views = [mail_view(self.ruleset, state, seat, ()) for seat in usual_seats(self.ruleset)]
        lines = number_lines(verb.invent(views[0], Dice(SEED), verb.name) for verb in self.ruleset.orders.verbs)

        first = self.ruleset.parse(views[0], lines)
        for view in views:
            self.ruleset.parse(view, lines)

        assert self.ruleset.parse(views[0], lines) == first


def _fill_blanks(ruleset: AnyRuleset, view: View, line: str) -> Iterator[str]:
    """Yield the order on a line of the form, its blanks filled in with words that the kinds of its verb read."""
    order = line.removeprefix("; ").partition("#")[0].strip()
    parts = _BLANK.split(order)
    if len(parts) == 1:
        yield order
        return
    kinds = [kind for verb in ruleset.orders.verbs if verb.word == order.split()[0] for kind in verb.kinds.values()]
    words = [f'"{word}"' if " " in word else word for kind in kinds for word in kind.samples(view)]
    yield from (word.join(parts) for word in words)
    dice = Dice(SEED)
    for count in range(MOST_FILLED if len(parts) > 2 else 0):
        chosen = [dice.pick(words, count, at) for at in range(len(parts) - 1)]
        yield "".join(itertools.chain.from_iterable(zip(parts, [*chosen, ""], strict=True)))


def _awaited_views(ruleset: AnyRuleset) -> list[View]:
    """Return views that ask for orders, from the beginning, the middle and the end of games."""
    views = [view for game in games(ruleset) for step in game.steps for view in step.views.values()]
    asked = [view for view in views if view["awaited"]]
    return asked[:6] + asked[6 :: max(1, len(asked) // 30)]


def _accepted_lines(ruleset: AnyRuleset) -> Iterator[tuple[View, str]]:
    """Yield lines of orders that are accepted without an error each by itself, some from each of several views."""
    for view, order in itertools.islice(_orders(ruleset), 0, None, 3):
        line = ruleset.orders.line(order)
        if not ruleset.parse(view, [(1, line)]).errors:
            yield view, line


def _lines_together(ruleset: AnyRuleset) -> Iterator[tuple[View, str, str]]:
    """Yield pairs of lines that are accepted together, from some views."""
    for view, orders in itertools.islice(_orders_by_view(ruleset), 0, None, 3):
        for line, other in itertools.permutations(map(ruleset.orders.line, orders), 2):
            read = ruleset.parse(view, [(1, line), (2, other)])
            if not read.errors and {entry.line for entry in read.entries} == {1, 2}:
                yield view, line, other
                break


def _other_signs(line: str) -> Iterator[str]:
    """Yield a line with its signs written in other ways: one for each sign, and gaps in turn before and behind it."""
    for found in _SIGN.finditer(line):
        kinds = MINUSES if found[0] == "-" else PLUSES
        spaced = [(before, behind) for before in GAPS for behind in GAPS]
        for sign, (before, behind) in zip(itertools.cycle(kinds), spaced, strict=False):
            yield f"{line[: found.start()]}{before}{sign}{behind}{line[found.end() :]}"
        yield from (f"{line[: found.start()]}{sign}{line[found.end() :]}" for sign in kinds)


def _orders(ruleset: AnyRuleset) -> Iterator[tuple[View, Order]]:
    """Yield orders that players might send: invented lines as the order book reads them."""
    for view, orders in _orders_by_view(ruleset):
        yield from ((view, order) for order in orders)


def _orders_by_view(ruleset: AnyRuleset) -> Iterator[tuple[View, Sequence[Order]]]:
    for number, view in enumerate(_awaited_views(ruleset)):
        lines = [verb.invent(view, Dice(SEED), number, verb.name) for verb in ruleset.orders.verbs]
        yield view, ruleset.orders.parse(view, number_lines(lines)).orders
