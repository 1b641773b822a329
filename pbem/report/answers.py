"""Records of the mails that answer a message, apart from reports: one for each template.

Each record is rendered with `Renderer.write(record)`. Its template,
`templates/host/<page>.txt.j2`, sees it under the name `page`.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from markupsafe import Markup

from pbem.ruleset.order_types import Finding, Order, ParsedSheet
from pbem.ruleset.orders import OrderParser
from pbem.ruleset.tokenizer import join_lines
from pbem.ruleset.values import SeatName
from pbem.text import count_noun

Reason = Literal[
    "unknown-sender",
    "no-orders",
    "no-text",
    "untouched",
    "doubtful",
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
    "unclear",
    "answered",
]
"""Why a mail could not be used; `templates/host/refusal.txt.j2` has a paragraph for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """To the sender of a mail that cannot be used, or to the address of the seat that it was for.

    `typed` is what the mail said where it went wrong, `hint` the nearest valid
    thing. `count_noun` is the version that still counts. `since` and `until` are
    those of a deputy. To an unknown sender nothing of any campaign is told.
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
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    zone: str = "UTC"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderHelp:
    """An order of a game, or a command if it has no `game`: how it is written, what it does, and lines that show it."""

    verb: str
    game: str
    usage: str
    help: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnVerb:
    """To whoever mailed HELP and a verb: what that is for, in each game of his that has it."""

    page: ClassVar[str] = "help_on_verb"

    address: str
    orders: tuple[OrderHelp, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """The player guide; with a campaign and seat, its examples are the reader's own.

    `orders` are those of his games, `commands` what else may be asked by mail: usage and help. `unknown` is a
    word that he asked about and that no order begins with, `hint` what may be meant.
    """

    page: ClassVar[str] = "help"

    address: str
    campaign: str = "trap7"
    seat: SeatName = "red"
    orders: tuple[OrderHelp, ...] = ()
    commands: tuple[tuple[str, str], ...] = ()
    unknown: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookPage:
    """To a player: the rulebook of his game, or sections of it; `about` says which. `text` and `html` are the same."""

    page: ClassVar[str] = "rulebook"

    game: str
    about: str
    text: str
    html: Markup


DIGEST_SHOWN = 12
"""Hex digits of a sheet's digest that players are shown."""


@dataclass(frozen=True, slots=True)
class RestatedOrder:
    """An order taken: the number of its line, the order in words, and as it is written; typed so, it is the same."""

    line: int
    words: str
    typed: str

    @property
    def differs(self) -> bool:
        """Whether its words are others than those that are written."""
        return self.words.casefold() != self.typed.casefold()


@dataclass(frozen=True, slots=True)
class FindingWithLine:
    """A finding and the line it speaks of, as received; line 0 is the sheet as a whole."""

    line: int
    severity: str
    source: str
    text: str
    hint: str


@dataclass(frozen=True, slots=True)
class SheetDifference:
    """What a sheet changed against the one that counted before, in order lines."""

    version: int
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    reordered: bool = False

    @property
    def same(self) -> bool:
        """Whether both sheets ask for the same."""
        return not (self.added or self.dropped or self.reordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a player is told of one sheet.

    `version` and `digest` (hex SHA-256) name it. `accepted` is false when it
    has only errors; then `counts` is the earlier version that still counts, if
    any. `replaces` is the difference from the version that counted before.
    `wait`: the player asked not to be resolved early. `complete`: what the seat
    is awaited for is in the sheet. `missing`: what the
    sheet still leaves open, of what its seat may know. `notes`: what was
    cleaned from the mail. `held`: the turn waits for the GM. `late`: the deadline had passed when it was read;
    `closes` is until when such a sheet counts, if there is a grace. `by_gm`: the
    GM has entered it for the player.
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
    complete: bool = True
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    held: bool = False
    late: bool = False
    closes: dt.datetime | None = None
    by_gm: bool = False

    @property
    def errors(self) -> tuple[FindingWithLine, ...]:
        """The findings because of which lines were not taken."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def remarks(self) -> tuple[FindingWithLine, ...]:
        """The findings on lines that were taken nevertheless."""
        return tuple(finding for finding in self.findings if finding.severity != "error")

    @property
    def verdict(self) -> str:
        """The first line of the receipt."""
        problems = count_noun(len({finding.line for finding in self.errors}), "line") + " in error"
        if not self.accepted:
            return f"Sheet {self.version} not taken: {problems}, and no order besides."
        taken = count_noun(len(self.orders), "order") if self.orders else "no orders, as you sent it"
        return f"Sheet {self.version} taken: {taken}" + (f", {problems}." if self.errors else ".")

    @property
    def short_digest(self) -> str:
        """The digest as players are shown it."""
        return self.digest[:DIGEST_SHOWN]


def restate(parsed: ParsedSheet, book: OrderParser) -> tuple[RestatedOrder, ...]:
    """Every order taken, in words and as it is written, in the order of the sheet."""
    return tuple(RestatedOrder(entry.line, entry.order.words(), book.line(entry.order)) for entry in parsed.entries)


def tell_findings(findings: Iterable[Finding], lines: Iterable[tuple[int, str]]) -> tuple[FindingWithLine, ...]:
    """Every finding with the line it speaks of; `lines` are the sheet's, numbered as they were parsed."""
    sources = dict(join_lines(lines))
    return tuple(
        FindingWithLine(
            finding.line, finding.severity, sources.get(finding.line, "").strip(), finding.text, finding.hint
        )
        for finding in findings
    )


def compare(version: int, before: Sequence[Order], now: Sequence[Order], book: OrderParser) -> SheetDifference:
    """The difference of a sheet's orders from those of `version`, the one that counted before."""
    old, new = [book.line(order) for order in before], [book.line(order) for order in now]
    added, dropped = _without(new, old), _without(old, new)
    return SheetDifference(version, added, dropped, reordered=not added and not dropped and old != new)


def _without(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    left = Counter(others)
    kept = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            kept.append(line)
    return tuple(kept)


@dataclass(frozen=True, slots=True)
class GmCommandResult:
    """A command as it was understood, and what came of it."""

    line: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GmAnswer:
    """To a GM: what was done for his letter; or, with `findings` or a `problem`, that nothing was."""

    page: ClassVar[str] = "gm_answer"

    campaign: str
    done: tuple[GmCommandResult, ...] = ()
    findings: tuple[FindingWithLine, ...] = ()
    at_fault: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GmSenderMismatch:
    """To a GM: somebody wrote in his name without his token."""

    page: ClassVar[str] = "gm_impostor"

    campaign: str
    sender: str


RequestKind = Literal["join", "invite", "deputy", "address", "new_address", "fallback", "import"]
"""What a code may confirm; `templates/host/confirmation.txt.j2` has a paragraph for each."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """A command as it was written, its key masked, and what came of it, a paragraph a line."""

    command: str
    result: str

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """What came of it, without blank lines."""
        return tuple(line for line in self.result.split("\n") if line.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """To whoever mailed commands: what came of each, and the lines not understood."""

    page: ClassVar[str] = "answer"

    address: str
    done: tuple[CommandResult, ...] = ()
    findings: tuple[FindingWithLine, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatNotNamed:
    """To a player of several seats whose command does not say which it is for; `seats` are his own."""

    page: ClassVar[str] = "which_seat"

    address: str
    commands: tuple[str, ...]
    seats: tuple[tuple[str, SeatName], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """To the one address that may confirm something; `code` is proof that it was read there.

    `about` is the address to be used from now on ("" for no second one any more),
    or that of the player who wishes to use the reader's, or whose deputy the
    reader shall be, or where the campaign was played before; `until` the last day of that.
    """

    page: ClassVar[str] = "confirmation"

    kind: RequestKind
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


@dataclass(frozen=True, slots=True)
class Doubt:
    """The reason why a sheet might not be meant: it repeats an old receipt, or most of its lines are errors.

    `count_noun` is the version that still counts; of `errors` out of `lines` lines a receipt would speak.
    """

    reason: Literal["receipt", "errors"]
    counted: int
    errors: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmSender:
    """To the one address that can say whether a mail is its own; until then nothing of that mail is done.

    `sender` is what its From says, `excerpt` how that begins which it asks, without keys. With
    `orders` it is a sheet, which counts for the open turn alone; `weighty` is
    what asks for this wherever it comes from; `pressed` asks to leave, by a mail
    program's button, and `leaves` by a mail that is known to be its player's.
    `doubt`: it shows whose it is, and may not be meant. `last`: no more are asked today.
    """

    page: ClassVar[str] = "question"

    address: str
    sender: str
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
