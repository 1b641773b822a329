"""Records of the mails that answer a message, apart from reports: one for each template.

Each record is rendered with `Renderer.write(record)`. Its template,
`templates/host/<page>.j2`, sees it under the name `page`.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Literal, Self

from markupsafe import Markup

from pbem.report.facts import OrderOutcome
from pbem.report.mailto import NOT_POSSIBLE
from pbem.ruleset.order_types import Finding, Order, ParsedSheet
from pbem.ruleset.orders import OrderParser
from pbem.ruleset.tokenizer import join_lines
from pbem.ruleset.values import SeatName
from pbem.text import as_sentence, count_noun

Reason = Literal[
    "no-orders",
    "no-orders-yet",
    "question",
    "no-text",
    "untouched",
    "commented",
    "doubtful",
    "besides",
    "stale-code",
    "withdrawn",
    "wrong-campaign",
    "unknown-seat",
    "not-started",
    "removed",
    "game-over",
    "moved",
    "vacant",
    "needs-code",
    "needs-token",
    "unverified",
    "sender-mismatch",
    "forged",
    "not-deputy-now",
    "deputy-asks",
    "confirmed-late",
    "not-yours-now",
    "answered",
]
"""Reasons why a message could not be used; `templates/host/refusal.txt.j2` has a paragraph for each."""


def tell_of_subject(subject: str) -> str:
    """Return the sentences on a subject with orders."""
    return f'The subject of your mail was NOT read: "{subject}". Write orders into the mail itself.'


def describe_unread(orders: int) -> str:
    """Return what a subject says of orders that were found in the quotation, and not read."""
    return f"{count_noun(orders, 'order')} in the quotation NOT read"


def describe_weighty(orders: Iterable[Order]) -> str:
    """Return the sentences that are told first where orders of weight count, such as RESIGN; "" without one."""
    verbs = dict.fromkeys(order.usage.split()[0] for order in orders if order.grave or order.ends_seat)
    return f"What counts is {', '.join(verbs)}. CLEAR ORDERS withdraws it. " if verbs else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """To the sender of a message that cannot be used, or to the address of the seat that it was for.

    `typed` is the faulty part of the message, `hint` the nearest valid word.
    `counted` is the version that still counts, and `weighty` what is told of it first.
    `since` and `until` are those of a deputy; or a turn waits for orders `until` then, and `hint` says what comes
    without. `unread` orders were found in the quotation, and not read. `proved`: the message was known to be its
    player's.
    """

    page: ClassVar[str] = "refusal"

    reason: Reason
    address: str
    campaign: str = ""
    seat: SeatName = ""
    label: str = ""
    typed: str = ""
    hint: str = ""
    sender: str = ""
    gm: str = ""
    counted: int | None = None
    counted_at: dt.datetime | None = None
    weighty: str = ""
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    zone: str = "UTC"
    notes: tuple[str, ...] = ()
    unread: int = 0
    proved: bool = False

    @property
    def subject(self) -> str:
        """The subject of the mail, without the name of the campaign; "" if it is that of the message."""
        if self.reason in ("sender-mismatch", "forged"):
            return "rejected: a mail for your seat"
        return f"{describe_unread(self.unread)}, {self.label}" if self.unread else ""


@dataclass(frozen=True, slots=True)
class OrderHelp:
    """An order of a game, or a command if `game` is "": its usage, its help, and examples."""

    verb: str
    game: str
    usage: str
    help: str
    examples: tuple[str, ...]

    @property
    def brief(self) -> tuple[str, str]:
        """The usage, and an example."""
        return self.usage, f"as in {self.examples[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnVerb:
    """To the sender of HELP and a verb: its help, in each of their games that has it; `others` are verbs beside it."""

    page: ClassVar[str] = "help_on_verb"
    subject: ClassVar[str] = ""

    orders: tuple[OrderHelp, ...]
    last: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideExample:
    """A turn of a sample game in three mails: headlines of a report, a message with orders, and its receipt."""

    label: str
    headlines: tuple[str, ...]
    message: tuple[str, ...]
    subject: str
    title: str
    restated: tuple[str, ...]
    courtesies: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """The player guide; with a campaign and seat, its examples are the reader's own.

    `orders` are those of the reader's games, `commands` the other commands, usage and
    help. `unknown` is a word that the reader asked about and that begins no order,
    `hint` a similar one. `answers` is the number of answers a day. Without `dice` the
    reader's game has none.
    """

    page: ClassVar[str] = "help"
    subject: ClassVar[str] = ""

    address: str
    campaign: str = "trap7"  # of the examples, for a reader without a seat
    seat: SeatName = "red"
    orders: tuple[OrderHelp, ...] = ()
    commands: tuple[tuple[str, str], ...] = ()
    unknown: str = ""
    hint: str = ""
    last: bool = False
    example: GuideExample | None = None
    answers: int = 20
    dice: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookPage:
    """The rulebook of a game, or the sections named by `about`. `text` and `html` are the same.

    `board` is the Content-ID of a picture of a board in play, "" without one, and `shows`
    is its alternative text. Of the pages for people without a seat, `last` is the last of
    the day.
    """

    page: ClassVar[str] = "rulebook"

    game: str
    about: str
    text: str
    html: Markup
    board: str = ""
    shows: str = ""
    last: bool = False

    @property
    def subject(self) -> str:
        return f"{self.game}: {self.about}"


DIGEST_SHOWN = 12
"""Hex digits of a sheet's digest that players see."""


@dataclass(frozen=True, slots=True)
class RestatedOrder:
    """An accepted order: the number of its line, the order in words, and as a line that parses to the same order.

    `source` is the line as it came.
    """

    line: int
    words: str
    typed: str
    source: str = ""

    @property
    def place(self) -> tuple[int, str]:
        """The number of the line, and the line or, of one with several orders, the order."""
        return self.line, self.source.strip()

    @property
    def differs(self) -> bool:
        """True if the order in words differs from its line."""
        return self.words.casefold() != self.typed.casefold()

    @property
    def in_words(self) -> str:
        """The order in words, if its player has written it otherwise than it is restated."""
        as_written = self.source.casefold().split() == self.typed.casefold().split()
        return self.words if self.differs and not as_written else ""


@dataclass(frozen=True, slots=True)
class FindingWithLine:
    """A finding and its line, as received; line 0 is the sheet as a whole.

    `corrected` is the line as it was probably meant, which would be accepted, or "".
    """

    line: int
    severity: str
    source: str
    text: str
    hint: str
    corrected: str = ""

    @property
    def place(self) -> tuple[int, str]:
        """The number of the line, and the line or, of one with several orders, the order."""
        return self.line, self.source.strip()


@dataclass(frozen=True, slots=True)
class SheetDifference:
    """The difference of a sheet from the one that counted before, in order lines, `before` of which that had."""

    version: int
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    reordered: bool = False
    before: int = 0

    @property
    def same(self) -> bool:
        """True if both sheets have the same orders in the same order."""
        return not (self.added or self.dropped or self.reordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The answer to a sheet.

    `version` and `digest` (hex SHA-256) identify the sheet. `accepted` is false when
    it has only errors; then `counts` is the earlier version that still counts, if
    any, `counting` are its orders, and `weighty` what is told of them first. `replaces` is
    the difference from the version that counted before.

    `wait`: it says WAIT. `waits`: why the turn waits for its deadline because of the
    sheet: for a "correction", for what is "missing" in it, or at the player's "word"; ""
    if it does not. `missing`: what the sheet leaves open, as far as the seat may know.
    `notes`: what was cleaned from the mail. `courtesies`: the lines that are words to a
    person. `held`: the turn waits for the GM. `late`: the sheet was read after the
    deadline; `closes` is the end of the grace, if there is one. `by_gm`: the GM has
    entered it for the player. `unread` orders were found in the quotation, and not read. `in_subject` is the subject if
    it has orders, which are not read either. `others` are campaign and seat of further sheets in the mail, which were
    not read. `refused` names parts for later turns that are not kept whole. `kept_at` is when the sheet was written, if
    that was for a later turn, which is open now.
    `left_out`: a remark in it reads as an order, and is none.
    `free`: it is in free words, which its player may have meant besides those of before. `files` beside them go to
    the GM.
    """

    page: ClassVar[str] = "receipt"

    campaign: str
    seat: SeatName
    label: str
    version: int
    digest: str
    accepted: bool
    orders: tuple[RestatedOrder, ...]
    findings: tuple[FindingWithLine, ...]
    deadline: dt.datetime | None
    zone: str
    counts: int | None = None
    replaces: SheetDifference | None = None
    wait: bool = False
    waits: str = ""
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    held: bool = False
    late: bool = False
    closes: dt.datetime | None = None
    by_gm: bool = False
    courtesies: tuple[str, ...] = ()
    code: str = ""
    counts_at: dt.datetime | None = None
    counting: tuple[OrderOutcome, ...] = ()
    weighty: str = ""
    unread: int = 0
    in_subject: str = ""
    others: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    free: bool = False
    refused: str = ""
    kept_at: dt.datetime | None = None
    left_out: bool = False

    @property
    def errors(self) -> tuple[FindingWithLine, ...]:
        """The findings for which lines were refused."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def remarks(self) -> tuple[FindingWithLine, ...]:
        """The findings on accepted lines, and notes on others: of a line that is not accepted the reason is enough."""
        left = tuple(finding for finding in self.findings if finding.severity != "error")
        return _without_warnings(left, self.errors) if self.errors else left

    @property
    def verdict(self) -> str:
        """The receipt in one sentence or two."""
        if not self.accepted:
            return f"{self.title}: {count_noun(self._refused, 'line')} to correct."
        if not self.orders:
            # A sheet without orders counts, too: to order nothing is allowed.
            return "No orders this turn, as you sent it."
        return f"{self.title}."

    @property
    def _still_possible(self) -> str:
        return f"{len(self.orders)} of {len(self.orders) + self._refused} still possible"

    @property
    def title(self) -> str:
        """The heading of the receipt."""
        if not self.accepted and not self.kept_at:
            return "Nothing new accepted" if self.counts else "Nothing accepted yet"
        number = len(self.orders)
        if self.kept_at:
            return f"Your orders for {self.label}: {self._still_possible}"
        if not number:
            return "No orders, as you sent it"
        if self._refused:
            rest = f"other {number} count" if number > 1 else "other counts"
            return f"{self._refused} of {number + self._refused} orders not accepted; the {rest}"
        orders = {1: "Your order is in", 2: "Both orders are in"}.get(number, f"All {number} orders are in")
        return f"{orders}, with {count_noun(self.warned, 'warning')}" if self.warned else orders

    @property
    def warned(self) -> int:
        """The number of warnings on what is accepted."""
        return [finding.severity for finding in self.remarks].count("warning")

    @property
    def passed_over(self) -> str:
        """The sentences on sheets and orders of the mail that were not read."""
        sheets = [f"The sheet for {other} was NOT read: send it in a mail of its own. " for other in self.others]
        quoted = f"{describe_unread(self.unread).capitalize()}. " if self.unread else ""
        refused = f"{self.refused[:1].upper()}{self.refused[1:]}: see below. " if self.refused else ""
        return "".join(sheets) + quoted + refused + (f"{tell_of_subject(self.in_subject)} " if self.in_subject else "")

    @property
    def subject(self) -> str:
        """The subject of the mail, without the name of the campaign: the verdict, then the turn."""
        if self.by_gm:
            return f"Your GM has entered orders for {self.seat}"
        if self.kept_at:
            return f"your orders for {self.label}: {self._still_possible}"
        number, unread = len(self.orders), f", {describe_unread(self.unread)}" if self.unread else ""
        unread += "".join(f", sheet for {other} NOT read" for other in self.others[:1])
        unread += ", subject NOT read" if self.in_subject else ""
        unread += f", {self.refused}" if self.refused else ""
        if not self.accepted:
            return f"NOTHING accepted{unread}, {self.label}"
        if self._refused:
            return f"{count_noun(self._refused, 'line')} NOT accepted{unread}, {self.label}"
        warned = f", {count_noun(self.warned, 'warning')}" if self.warned else ""
        if unread or (warned and number):
            return f"{count_noun(number, 'order')} in{unread}{warned}, {self.label}"
        return f"orders in: {number} of {number}, {self.label}" if number else f"no orders{warned}, {self.label}"

    @property
    def _refused(self) -> int:
        """The number of lines not accepted; one line may have several findings."""
        return len({finding.line for finding in self.errors})

    @property
    def noted_orders(self) -> tuple[OrderOutcome, ...]:
        """The orders as lines, each with the remarks on it, or else in words if it was written otherwise.

        Those that one line gave, such as one for several units, are one entry, under the line as it came; each that
        was split off a line is one of its own.
        """
        said: dict[tuple[int, str], list[str]] = {}
        warned = set()
        for finding in self.remarks:
            texts = said.setdefault(finding.place, [])
            at = len(texts)
            if finding.severity == "warning":
                warned.add(finding.place)
                at = 0
            texts[at:at] = filter(None, (finding.text, finding.hint))
        noted: list[OrderOutcome] = []
        for place, group in groupby(self.orders, key=lambda order: order.place):
            orders, state = list(group), "warned" if place in warned else "done"
            source, words = orders[0].source.strip(), [order.words for order in orders]
            if source and len(orders) > 1:
                noted.append(OrderOutcome("; ".join(words), "; ".join(said.get(place, words)), source, state))
                continue
            told = [said.get(place, [order.in_words]) for order in orders]
            noted += [
                OrderOutcome(each.words, "; ".join(of), each.typed, state)
                for each, of in zip(orders, told, strict=True)
            ]
        return tuple(noted)

    @property
    def general_remarks(self) -> tuple[str, ...]:
        """The remarks on no accepted order, behind the lines that they are about."""
        places = {order.place for order in self.orders}
        return tuple(
            ("Warning: " if finding.severity == "warning" else "")
            + (f'"{finding.source.strip()}": {finding.text}' if finding.source.strip() else finding.text)
            for finding in self.remarks
            if finding.place not in places
        )

    @property
    def corrected_sheet(self) -> tuple[str, ...]:
        """The sheet to send again: accepted orders, corrected lines, and as comments those that cannot be corrected."""
        lines: dict[int, list[str]] = {}
        for order in self.orders:
            lines.setdefault(order.line, []).append(order.typed)
        counted = frozenset(lines)
        for finding in self.errors:
            again = finding.corrected or f"{NOT_POSSIBLE}{finding.source}"
            # Where a line has several errors, the last may have the correction of all. Beside an order that counts it
            # is another one behind a semicolon.
            lines[finding.line] = [*lines[finding.line], again] if finding.line in counted else [again]
        return (self.header, *(line for at in sorted(lines) for line in lines[at]), *["WAIT"] * self.wait, "END")

    def just(self, word: str) -> tuple[str, ...]:
        """Return a sheet with one of the host's words, which keeps the orders that count."""
        return (self.header, word, "END")

    @property
    def both(self) -> tuple[str, ...]:
        """A sheet that adds the dropped lines in free words to the new ones; () if there are none."""
        lost = self.replaces.dropped if self.free and self.replaces else ()
        return (self.header, "ADD", *lost, "END") if lost else ()

    @property
    def header(self) -> str:
        """The first line of the seat's order sheets."""
        return f"ORDERS {self.campaign} {self.seat} {self.code}"

    @property
    def short_digest(self) -> str:
        """The digest as players see it."""
        return self.digest[:DIGEST_SHOWN]


def _without_warnings(
    remarks: Iterable[FindingWithLine], errors: Iterable[FindingWithLine]
) -> tuple[FindingWithLine, ...]:
    """Return remarks without warnings on what was refused."""
    refused = {finding.place for finding in errors}
    return tuple(each for each in remarks if each.severity != "warning" or each.place not in refused)


def restate(parsed: ParsedSheet, book: OrderParser, lines: Iterable[tuple[int, str]]) -> tuple[RestatedOrder, ...]:
    """Return every accepted order in words and as a line, in the order of the sheet; `lines` are those of the sheet."""
    sources = dict(join_lines(lines))
    return tuple(
        RestatedOrder(entry.line, entry.order.words(), book.line(entry.order), sources.get(entry.line, ""))
        for entry in parsed.entries
    )


def tell_findings(findings: Iterable[Finding], lines: Iterable[tuple[int, str]]) -> tuple[FindingWithLine, ...]:
    """Return every finding with its line; `lines` are those of the sheet, numbered as they were parsed."""
    # A continued line is one, with the number of its first, by which findings refer to it.
    sources = dict(join_lines(lines))
    return tuple(_with_line(finding, sources.get(finding.line, "").strip()) for finding in findings)


def _with_line(finding: Finding, source: str) -> FindingWithLine:
    hint = f"perhaps: {finding.corrected}" if finding.corrected else finding.hint
    return FindingWithLine(finding.line, finding.severity, source, finding.text, hint, finding.corrected)


def accepted_part(orders: Sequence[RestatedOrder], findings: Iterable[FindingWithLine], *, accepted: bool) -> str:
    """Return how much of a sheet is accepted, for others than its player."""
    refused = len({finding.line for finding in findings if finding.severity == "error"})
    if not accepted:
        return f"nothing accepted, {count_noun(refused, 'line')} to correct"
    return f"{len(orders)} of {count_noun(len(orders) + refused, 'order')} accepted" if orders else "no orders"


def compare(version: int, before: Sequence[Order], now: Sequence[Order], book: OrderParser) -> SheetDifference:
    """Return the difference of a sheet's orders from those of `version`, the one that counted before."""
    # By their lines, so that another spelling of an order is no difference.
    old, new = [book.line(order) for order in before], [book.line(order) for order in now]
    added, dropped = _without(new, old), _without(old, new)
    # Rules may depend on the sequence of orders, so a change of that alone is told as well.
    reordered = not added and not dropped and old != new
    return SheetDifference(version, added, dropped, reordered, len(old))


def _without(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    left = Counter(others)  # a sheet may have an order twice
    kept = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            kept.append(line)
    return tuple(kept)


@dataclass(frozen=True, slots=True)
class GmCommandResult:
    """A command as it was understood, and its result."""

    line: str
    said: str


GmResult = Literal["done", "would-do", "not-done", "not-understood", "empty"]
"""Result of the commands of a GM's message; "empty" if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GmAnswer:
    """To a GM: what was done by their message, or would be; or, with `findings` or a `problem`, that nothing was.

    `fact` is the command in a few words, for the subject of a single one. `line` is the number of the command at
    `at_fault`, of `count`. `asked` are the commands that need a YES, as they are sent with it. Where a reply YES does
    what is shown, `offered` is True: until the turn of this `label` is run, or the campaign changes. `changed`: it has
    changed since they said YES to an earlier offer. `meant` is the
    command for which the first of the `findings` is a typing error.
    """

    page: ClassVar[str] = "gm_answer"

    campaign: str
    result: GmResult
    count: int = 1
    fact: str = ""
    done: tuple[GmCommandResult, ...] = ()
    findings: tuple[FindingWithLine, ...] = ()
    meant: str = ""
    line: int = 0
    at_fault: str = ""
    problem: str = ""
    asked: tuple[str, ...] = ()
    offered: bool = False
    changed: bool = False
    label: str = ""

    @property
    def numbered(self) -> bool:
        """True if the number of the open turn stands behind a YES."""
        return any(line[-1:].isdigit() and " YES " in line for line in self.asked)

    @property
    def heading(self) -> str:
        """The result in a sentence or two, in capitals at its beginning."""
        few = self.done[0].line if len(self.done) == 1 else count_noun(self.count, "command")
        if self.result == "done":
            return f"DONE: {few}."
        if self.result == "would-do" and self.changed:
            return f"NOT DONE: {self.campaign} changed meanwhile. This is what {few} would do now:"
        if self.result == "would-do":
            return f"WOULD DO: {few}. Nothing has changed yet."
        if self.findings:
            first = self.findings[0]
            meant = f" Did you mean {self.meant}?" if self.meant else ""
            return f"NOT UNDERSTOOD: line {first.line}: {first.source}.{meant}"
        if self.count > 1 and self.at_fault:
            return f"NOT DONE: none of {self.count} commands, because of line {self.line}: {self.at_fault}."
        return f"NOT DONE: {self.at_fault}." if self.at_fault else "NOT DONE: there is no command in your mail."

    @property
    def others(self) -> tuple[FindingWithLine, ...]:
        """The findings that the heading does not tell whole."""
        return self.findings[1:] if self.meant else self.findings

    @property
    def subject(self) -> str:
        """The subject: the result, with the fact."""
        what = self.fact or count_noun(self.count, "command")
        if self.changed:
            return f"Not done: {what}: {self.campaign} changed (reply YES)"
        if self.result == "would-do":
            return f"Would do: {what}{' (reply YES)' if self.offered else ''}"
        if self.result in ("done", "not-done"):
            return f"{'Done' if self.result == 'done' else 'Not done'}: {what}"
        return f"Not understood: {self.findings[0].source}" if self.findings else "Not done: no command in it"


@dataclass(frozen=True, slots=True)
class GmCommandHelp:
    """One command of a GM: usage, help, other words for it, an example, and what undoes it."""

    usage: str
    help: str
    also: tuple[str, ...]
    example: tuple[str, ...]
    undo: str

    @property
    def undoes(self) -> bool:
        """True if `undo` is a command, and not the reason why there is none."""
        return self.undo[:1].isupper()


@dataclass(frozen=True, slots=True, kw_only=True)
class GmHelpPage:
    """To a GM: the list of commands by topics, or one command.

    `unknown` is a word that names no command, with the nearest one as `hint`.
    """

    page: ClassVar[str] = "gm_help"

    campaign: str
    unknown: str = ""
    hint: str = ""
    one: GmCommandHelp | None = None
    topics: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()

    @property
    def subject(self) -> str:
        return self.one.usage.split()[0] + ": how it is written" if self.one else "commands of the GM"


ConfirmationKind = Literal[
    "join", "invite", "deputy", "address", "new_address", "fallback", "also", "new_also", "not_also", "import"
]
"""Requests that a code may confirm; `templates/host/confirmation.j2` has a paragraph for each."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """A command as it was written, its token masked, and its result, a paragraph a line; below it a `sheet` to send.

    `done` is False if it was `refused`.
    """

    command: str
    result: str
    sheet: tuple[str, ...] = ()
    done: bool = True

    @classmethod
    def refused(cls, command: str, why: str) -> Self:
        """Return the result of a command that was not done, and why not, as the text of an error."""
        said, *lines = why.split("\n")  # the lines may be some to mail, to which no full stop belongs
        return cls(command, "\n".join((as_sentence(f"Not done: {said}"), *lines)), done=False)

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The lines of the result, without blank ones."""
        return tuple(line for line in self.result.split("\n") if line.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """To the sender of commands: the result of each, and the lines that were not understood.

    With `hints` the results only say which commands may be meant. `cleared` is the label of the turn for which orders
    were withdrawn.
    """

    page: ClassVar[str] = "answer"

    address: str
    done: tuple[CommandResult, ...] = ()
    findings: tuple[FindingWithLine, ...] = ()
    notes: tuple[str, ...] = ()
    last: bool = False
    hints: bool = False
    cleared: str = ""

    @property
    def title(self) -> str:
        """The heading: what became of the commands."""
        if self.hints:
            return "Nothing is done yet"
        if self.findings:
            return "Not all was understood" if self.done else "Not understood"
        if all(each.done for each in self.done):
            return "Done"
        return "Not all was done" if any(each.done for each in self.done) else "Not done"

    @property
    def subject(self) -> str:
        """The subject of the mail, without the name of the campaign: the title, and the first command."""
        if self.cleared:
            return f"orders cleared, {self.cleared}"
        first = next((each.command for each in self.done), "")
        return f"{self.title}: {first}" if first else self.title


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """To the one address that may confirm a request; `code` proves that the mail was read there.

    `about` is the new address ("" to have no second one any more), or the address of
    the player who wishes to use the reader's or whose deputy the reader shall be, or
    the home of the campaign before; `until` is the deputy's last day.

    Of invitations and requests to join: `pitch` are two sentences, `options` what the GM
    has chosen otherwise than usual, `minutes` the time of a usual turn (0: not told),
    `seats` all seats and `free` the number of those without a player, `running` is False
    before the start, which the GM decides. `holds` is the last day of the code.
    `rules_url` and `look_url` are pages of the site, "" if it has none. `board` is
    the Content-ID of a picture of a board in play, "" without one, and `shows` its alternative text.
    """

    page: ClassVar[str] = "confirmation"

    kind: ConfirmationKind
    code: str
    address: str
    days: int
    campaign: str = ""
    seat: SeatName = ""
    game: str = ""
    summary: str = ""
    schedule: str = ""
    gm: str = ""
    about: str = ""
    until: str = ""
    pitch: str = ""
    options: tuple[str, ...] = ()
    minutes: int = 0
    seats: tuple[SeatName, ...] = ()
    free: int = 0
    running: bool = False
    holds: str = ""
    rules_url: str = ""
    look_url: str = ""
    board: str = ""
    shows: str = ""
    last: bool = False

    @property
    def subject(self) -> str:
        """The subject of the mail, "" if it is that of the message."""
        return {
            "invite": f"{self.gm.partition(' (')[0].partition('@')[0]} invites you to {self.game}: YES or NO?",
            "join": "reply YES to join",
            "deputy": f"be deputy of {self.seat}? Reply YES",
            "new_address": "is this your address? Reply YES",
            "new_also": "is this your address? Reply YES",
            "import": "moved here: reply YES to play on",
        }.get(self.kind, "")


RequestOutcome = Literal[
    "declined",
    "unclear",
    "empty",
    "unreadable",
    "passed-on",
    "not-passed-on",
    "unasked",
    "declined-before",
    "seated-before",
    "settled-before",
]
"""Results of an answer to a request of ours other than YES; `templates/host/request_reply.txt.j2` words each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestReply:
    """To a person who has answered a request otherwise than by a clear YES, or after it was settled.

    `outcome` is what was done: "passed-on" to the GM, "not-passed-on" because enough
    was passed on that day, "unasked" if no GM is concerned; it is asked again after
    an answer that is "unclear", "empty" or "unreadable". `typed` is its first line,
    `unread` a sentence on what could not be read. `leaves`: the question is whether
    to give a seat up; `orders`: it is about a sheet; `besides`: whether that is added to the orders
    that count. While the request is `open`, a reply with YES or NO settles it.
    """

    page: ClassVar[str] = "request_reply"

    outcome: RequestOutcome
    kind: str
    address: str
    campaign: str = ""
    game: str = ""
    seat: SeatName = ""
    gm: str = ""
    open: bool = True
    typed: str = ""
    unread: str = ""
    leaves: bool = False
    orders: bool = False
    besides: bool = False

    @property
    def subject(self) -> str:
        """The subject of a mail that asks again or tells where the words went, "" if it is the answered mail's."""
        if not self.open:
            return "your question went to your GM" if self.outcome == "passed-on" else ""
        waits = "no seat yet" if self.kind in ("invite", "join") else "reply YES or NO"
        stays = "you have NOT left: reply YES alone, if you mean it"
        return {
            "unclear": stays if self.leaves else f"not done: reply {'REPLACE or ADD' if self.besides else 'YES or NO'}",
            "empty": "your reply was empty: nothing has changed",
            "unreadable": "your answer could not be read: nothing has changed",
            "passed-on": f"passed on to your GM, {waits}",
        }.get(self.outcome, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenGame:
    """A campaign that takes players by mail: `free` of `seats` seats have no player.

    Before the start, which the GM decides, it is not `running`. `join` is a link that
    writes the mail to join (RFC 6068).
    """

    campaign: str
    game: str
    key: str
    summary: str
    free: int
    seats: int
    pace: str
    schedule: str
    running: bool
    gm: str
    join: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenGames:
    """To a person without a seat, whatever they wrote: the games that they can join.

    `wrote` is the beginning of their message, without keys. `seated`: it looks as if
    they play, from another address. `asked` is the campaign that they asked for and that
    takes no players, `hint` the nearest that does.
    `site` is the address of the web site, `gm` that of the GM if all games have the
    same. `last`: there is no other answer that day.
    """

    page: ClassVar[str] = "open_games"
    subject: ClassVar[str] = ""

    address: str
    wrote: str = ""
    seated: bool = False
    games: tuple[OpenGame, ...] = ()
    asked: str = ""
    hint: str = ""
    site: str = ""
    gm: str = ""
    last: bool = False


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason to ask whether a sheet was meant.

    It repeats an old receipt, most of its lines are errors, it is older than the sheet that counts, its free words
    came as bulk mail, or they may be meant "instead" of those that count, or besides. `counted` is the version that
    still counts, 0 without one, `counted_at` when it came; a receipt would report `errors` of `lines` lines. For words
    that may be meant "instead", `lines` is the number of those that count; `weighty` is what is told of them first. An
    older sheet was `written` before the sheet that counts, `counted_written`, and came after it.
    """

    # All have replaced a good sheet: a receipt that came back unmarked, 22 lines in error out of 24, and small talk.
    reason: Literal["receipt", "errors", "older", "instead", "bulk"]
    counted: int
    errors: int
    lines: int
    counted_at: dt.datetime | None = None
    weighty: str = ""
    written: dt.datetime | None = None
    counted_written: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class HeldText:
    """A text that was held back: the command that sends it, its words, and the `fault` for which it cannot be sent."""

    command: str
    text: str
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmSender:
    """To the one address that can confirm that a message is its own; nothing of it is done until then.

    `sender` is its From, `excerpt` its beginning without tokens. With `orders` it is a
    sheet, which counts for the open turn alone; `weighty` requests are confirmed
    wherever they come from; `pressed` asks to leave by the unsubscribe button of a
    mail program, `leaves` by a message that is known to be its player's. `doubt`:
    the sender is known, but may have sent it by mistake. `last`: no further
    question is sent today. `press` is the writer of the press that it answers: a plain
    reply to that is sent on only if its sender says so. `held` are texts as they would
    go out, and `because` the lines for which they did not; `notes` are on its other lines.
    """

    page: ClassVar[str] = "question"

    address: str
    sender: str
    # From where orders or commands begin: a forger could fill the beginning with what the player has just sent.
    excerpt: str
    days: int
    campaign: str = ""
    seat: SeatName = ""
    gm: str = ""
    orders: bool = False
    weighty: bool = False
    pressed: bool = False
    leaves: bool = False
    doubt: Doubt | None = None
    last: bool = False
    zone: str = "UTC"
    press: str = ""
    held: tuple[HeldText, ...] = ()
    because: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        if self.press:
            return f"not sent: reply YES to send it to {self.press}"
        if self.held:
            return "NOT sent: reply YES to send your words as shown"
        if self.doubt:
            instead = "instead of your orders, or besides? Reply REPLACE or ADD"
            return instead if self.doubt.reason == "instead" else "NOT changed: reply YES if you mean these orders"
        return "do you want to leave? Reply YES" if self.pressed or self.leaves else "did you send this? Reply YES"
