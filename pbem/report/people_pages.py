"""What the host's mails about people tell: answers to commands, news, and what is to be confirmed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.report.receipt import Told
from pbem.ruleset.values import Seat

RequestKind = Literal["join", "invite", "deputy", "address", "new_address", "fallback", "import"]
"""What a code may confirm; `templates/host/confirmation.txt.j2` has a paragraph for each."""


@dataclass(frozen=True, slots=True)
class Done:
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
    done: tuple[Done, ...] = ()
    findings: tuple[Told, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WhichSeat:
    """To a player of several seats whose command does not say which it is for; `seats` are his own."""

    page: ClassVar[str] = "which_seat"

    address: str
    commands: tuple[str, ...]
    seats: tuple[tuple[str, Seat], ...]


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
    seat: Seat = ""
    game: str = ""
    summary: str = ""
    schedule: str = ""
    gm: str = ""
    about: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceNotice:
    """To a player before the start: the seal of the dice, and how to add a word of his own, of so many characters.

    `word` is the one that is drawn for him otherwise. To the GM it has no `seat`.
    In a `judged` game dice are rolled by the GM, if at all.
    """

    page: ClassVar[str] = "dice_notice"

    campaign: str
    game: str
    seat: Seat
    seal: str
    word: str
    longest: int
    gm: str
    judged: bool = False


@dataclass(frozen=True, slots=True)
class Doubt:
    """The reason why a sheet might not be meant: it repeats an old receipt, or most of its lines are errors.

    `counted` is the version that still counts; of `errors` out of `lines` lines a receipt would speak.
    """

    reason: Literal["receipt", "errors"]
    counted: int
    errors: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
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
    seat: Seat = ""
    gm: str = ""
    orders: bool = False
    weighty: bool = False
    pressed: bool = False
    leaves: bool = False
    doubt: Doubt | None = None
    last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """News of a campaign in a few sentences; "" is a campaign for what concerns a person in all of his."""

    page: ClassVar[str] = "notice"

    paragraphs: tuple[str, ...]
    campaign: str = ""
    gm: str = ""
