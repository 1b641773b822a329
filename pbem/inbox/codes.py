"""Reply codes: what a message answers, found by one statement.

A code is kept where its owner is: in the row of a report, of a deputy's copy, of a
seat before the start, of a request, a question, or of a mail in the outbox. Each of
these is a branch of one UNION, found by its code or by the Message-ID of the mail that
had it. Nothing is guessed before this look-up.

An index compares word by word from the front, not in constant time. That tells a
guesser nothing: messages are read in batches, long after they were sent, and a wrong
code gets the same answer as none. Even if guesses were measured, they would be 80 bits
of an HMAC, at 200 a day.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import attrgetter
from typing import Any, Literal

from sqlalchemy import (
    BindParameter,
    Integer,
    Row,
    Select,
    SQLColumnExpression,
    String,
    bindparam,
    false,
    func,
    literal_column,
    or_,
    select,
    type_coerce,
    union_all,
)
from sqlalchemy.orm import InstrumentedAttribute, Session

from pbem.campaign.people import DAYS
from pbem.inbox.seat_lookup import DeputyInfo
from pbem.mail.headers import REPLY_CODE
from pbem.mail.message import Message, find_reply_codes
from pbem.mail.outbox import TEST
from pbem.store.models import (
    Campaign,
    Deputy,
    DeputyReport,
    OutgoingMail,
    PendingRequest,
    Person,
    Question,
    Report,
    Seat,
    Turn,
)
from pbem.store.session import flushed_connection
from pbem.store.types import CampaignState, RequestKind
from pbem.util import CODE_CHARACTERS

CodeKind = Literal["report", "copy", "dice", "ask", "invite", "offer", "form", "question", "press", "answer", "test"]
"""The kind of mail that carried a code.

"copy" is a deputy's report, "dice" the mail before the start, "ask" whether a message was sent by its sender, "invite"
any other question to a person, "offer" what was shown to a GM, "form" that of a ruling, "answer" other mail to a GM,
"test" that of `pbem doctor --send`.
"""

CodeState = Literal["", "stale", "spent", "old"]
"""Valid, of an earlier report, used, or too old."""

MAIL_DAYS = 30
"""Days for which a mail of press, or to a GM, is known by its code."""


@dataclass(frozen=True, slots=True)
class Code:
    """A mail of ours that a message answers: the `key`, a code or a Message-ID, shows it.

    `subject_id` is the row that owns the code: of a report, also for a deputy's copy and 0 before the start; of a
    request, a question, or a mail in the outbox. `withdrawn`: the turn that the report opened was withdrawn since.
    `over`: its game is over, and others may have read the report in the archive. `stand_in` is the deputy whose
    copy of a report was read.
    """

    key: str
    kind: CodeKind
    subject_id: int
    campaign_id: int
    campaign: str
    game: str
    seat_id: int = 0
    mailed: str = ""
    state: CodeState = ""
    withdrawn: bool = False
    over: bool = False
    stand_in: DeputyInfo | None = None

    @property
    def is_report(self) -> bool:
        """True for what a sheet answers."""
        return self.kind in ("report", "copy", "dice")


@dataclass(frozen=True, slots=True)
class Codes:
    """Mails of ours that a message answers: by codes in recipients and subject, in the text, and by mails it names.

    Each is in the order of the places where it stands, the recipients first and the oldest reference last. `proving`
    are the codes and Message-IDs, among these, of mails to the GM of today: young ones, sent since their newest token.
    """

    shown: Sequence[Code] = ()
    typed: Sequence[Code] = ()
    named: Sequence[Code] = ()
    proving: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[Code]:
        return iter((*self.shown, *self.typed, *self.named))

    def of(self, *kinds: CodeKind) -> list[Code]:
        """Return those of some kinds."""
        return [each for each in self if each.kind in kinds]

    def proves_gm(self, code: Code) -> bool:
        """Return True if only a GM's mailbox has the code; whatever it is good for, the sender has to be theirs too."""
        return code.key in self.proving

    def without(self, seats: Collection[int]) -> Codes:
        """Return the codes without reports of these seats, but for those that stand in the text."""
        shown, named = ([each for each in some if each.seat_id not in seats] for some in (self.shown, self.named))
        return replace(self, shown=shown, named=named)

    @property
    def reports(self) -> list[Code]:
        """The reports whose codes stand in recipients or subject; else the newest that the message names, if any."""
        by_code = [each for each in self.shown if each.is_report]
        return by_code or [each for each in self.named if each.is_report][:1]

    @property
    def request_key(self) -> str:
        """The first code of a request among recipients and subject, "" if there is none."""
        return next((each.key for each in self.shown if each.kind in ("ask", "invite", "offer", "form")), "")

    def report_with(self, key: str) -> Code | None:
        """Return the report of a code in the text, in small letters; or of the same code in another place."""
        return next((each for each in (*self.shown, *self.typed) if each.is_report and each.key == key), None)


_WORDS: BindParameter[Any] = bindparam("words", expanding=True)
_ANY_ID: BindParameter[Any] = bindparam("any_id", expanding=True)
_NEAR_IDS: BindParameter[Any] = bindparam("near_ids", expanding=True)
_FIRST_ID: BindParameter[Any] = bindparam("first_id", expanding=True)


# Written out. SQLite plans a statement anew for each value of a parameter that the condition of an index names, here
# `code` and `kind`: this one took two thirds of its time for that.
_NONE, _NO_TEXT = literal_column("0", Integer), literal_column("''", String)


def _word(text: str) -> SQLColumnExpression[str]:
    return literal_column(f"'{text}'", String)


def _branch(
    kind: SQLColumnExpression[str],
    owner: tuple[SQLColumnExpression[Any], SQLColumnExpression[Any], SQLColumnExpression[Any]],
    at: SQLColumnExpression[Any],
    **more: SQLColumnExpression[Any],
) -> Select[Any]:
    """Return a branch of the UNION: code, Message-ID and id of its owner, and what is not as in most branches."""
    code, mailed, id_ = owner
    columns: dict[str, SQLColumnExpression[Any]] = {
        "kind": kind,
        "code": code,
        "mailed": mailed,
        "subject_id": id_,
        "campaign_id": Campaign.id,
        "campaign": Campaign.name,
        "game": Campaign.game,
        "over": Campaign.status == _word(CampaignState.OVER),
        "seat_id": _NONE,
        "reader": _NO_TEXT,
        "withdrawn": false(),
        "stale": false(),
        "spent": false(),
        "at": at,
        "until": at,
    }
    named: list[Any] = [column.label(name) for name, column in (columns | more).items()]
    return select(*named)


def _is(code: InstrumentedAttribute[str], mailed: InstrumentedAttribute[str], ids: BindParameter[Any]) -> Any:
    return or_(code.in_(_WORDS), mailed.in_(ids))


_REPORT_FACTS: dict[str, SQLColumnExpression[Any]] = {
    "seat_id": Report.seat_id,
    "withdrawn": Turn.withdrawal_id.is_not(None),
    "stale": or_(Turn.withdrawal_id.is_not(None), Turn.number != Campaign.turn),
}
_REPORTS = (
    _branch(_word("report"), (Report.code, Report.message_id, Report.id), Turn.opened_at, **_REPORT_FACTS)
    .join(Turn, Turn.id == Report.turn_id)
    .join(Campaign, Campaign.id == Turn.campaign_id)
    .where(_is(Report.code, Report.message_id, _ANY_ID))
)
_COPIES = (
    _branch(
        _word("copy"),
        (DeputyReport.code, DeputyReport.message_id, Report.id),
        Deputy.since,
        **_REPORT_FACTS,
        reader=Person.address,
        until=Deputy.until,
    )
    .join(Report, Report.id == DeputyReport.report_id)
    .join(Turn, Turn.id == Report.turn_id)
    .join(Campaign, Campaign.id == Turn.campaign_id)
    .join(Deputy, Deputy.id == DeputyReport.deputy_id)
    .join(Person, Person.id == Deputy.person_id)
    .where(_is(DeputyReport.code, DeputyReport.message_id, _ANY_ID))
)
_DICE = (
    _branch(_word("dice"), (Seat.dice_code, _NO_TEXT, _NONE), Campaign.created_at, seat_id=Seat.id)
    .join(Campaign, Campaign.id == Seat.campaign_id)
    .where(Seat.dice_code.in_(_WORDS))
)
_REQUESTS = (
    _branch(
        type_coerce(PendingRequest.kind, String),
        (PendingRequest.code, PendingRequest.message_id, PendingRequest.id),
        PendingRequest.created_at,
        campaign_id=func.coalesce(Campaign.id, _NONE),
        campaign=func.coalesce(Campaign.name, _NO_TEXT),
        game=func.coalesce(Campaign.game, _NO_TEXT),
        over=func.coalesce(Campaign.status == _word(CampaignState.OVER), false()),
        spent=PendingRequest.done_at.is_not(None),
    )
    .select_from(PendingRequest)
    .outerjoin(Campaign, Campaign.id == PendingRequest.campaign_id)
    .where(_is(PendingRequest.code, PendingRequest.message_id, _FIRST_ID))
)
_QUESTIONS = (
    _branch(_word("question"), (Question.code, Question.message_id, Question.id), Question.at)
    .join(Campaign, Campaign.id == Question.campaign_id)
    .where(Question.code != _NO_TEXT, _is(Question.code, Question.message_id, _FIRST_ID))
)
_MAILS_TO_GM = (
    _branch(_word("answer"), (OutgoingMail.code, OutgoingMail.message_id, OutgoingMail.id), OutgoingMail.created_at)
    .join(Campaign, Campaign.id == OutgoingMail.campaign_id)
    .where(
        func.lower(OutgoingMail.recipient) == func.lower(Campaign.gm),
        # In both, so that each is found by its index.
        or_(
            (OutgoingMail.code != _NO_TEXT) & OutgoingMail.code.in_(_WORDS),
            (OutgoingMail.code != _NO_TEXT) & OutgoingMail.message_id.in_(_NEAR_IDS),
        ),
    )
)
_PRESS_MAIL = "mail of press"
"""The kind of the branch: a request may be one of press."""

_PRESS = (
    _branch(_word(_PRESS_MAIL), (_NO_TEXT, OutgoingMail.message_id, OutgoingMail.id), OutgoingMail.created_at)
    .join(Campaign, Campaign.id == OutgoingMail.campaign_id)
    .where(OutgoingMail.kind == _word("press"), OutgoingMail.message_id.in_(_FIRST_ID))
)
_TESTS = _branch(
    _word("test"),
    (OutgoingMail.code, OutgoingMail.message_id, OutgoingMail.id),
    OutgoingMail.created_at,
    campaign_id=_NONE,
    campaign=_NO_TEXT,
    game=_NO_TEXT,
    over=false(),
).where(
    OutgoingMail.kind == _word(TEST),
    or_(
        (OutgoingMail.code != _NO_TEXT) & OutgoingMail.code.in_(_WORDS),
        (OutgoingMail.code != _NO_TEXT) & OutgoingMail.message_id.in_(_FIRST_ID),
    ),
)
CODES = union_all(_REPORTS, _COPIES, _DICE, _REQUESTS, _QUESTIONS, _MAILS_TO_GM, _PRESS, _TESTS)
"""Built once: building it takes longer than running it."""

_KINDS: Mapping[str, CodeKind] = {
    **dict.fromkeys(RequestKind, "invite"),
    RequestKind.MESSAGE: "ask",
    RequestKind.GM: "offer",
    RequestKind.DIGEST: "form",
    _PRESS_MAIL: "press",
}
"""Kinds of codes by those of their rows, where these differ."""

_NEAR = 3
"""Message-IDs of a message, the newest, of which one may be that of a mail to a GM."""

_NAMING = re.compile(r"\A[\s>|*]*+(?:orders|player|confirm)\s", re.IGNORECASE)
_WORD = re.compile(rf"(?<![^\s]){REPLY_CODE}(?![^\s])")
_MOST_WRITTEN = 20
_LONGEST = 200


def written_codes(message: Message) -> list[str]:
    """Return what looks like codes in the text of a message: behind ORDERS, PLAYER or CONFIRM, quoted or not."""
    lines = chain(message.lines, message.source_lines)
    found = (code for line in lines if _NAMING.match(line) for code in _WORD.findall(line[:_LONGEST].lower()))
    return list(islice(dict.fromkeys(found), _MOST_WRITTEN))


def find_codes(
    session: Session, message: Message, address: str, now: dt.datetime | None, typed: Iterable[str] | None = None
) -> Codes:
    """Return what a message answers; `typed` are codes that stand in its text, by default those found there."""
    typed = written_codes(message) if typed is None else typed
    shown, written = _usable(find_reply_codes(message, address)), _usable(typed)
    ids = message.references
    if not (shown or written or ids):
        return Codes()
    values = {"words": [*shown, *written], "any_id": ids, "near_ids": ids[:_NEAR], "first_id": ids[:1]}
    found = [_read_row(row, now) for row in flushed_connection(session).execute(CODES, values)]

    def at(places: Sequence[str], key: Callable[[Code], str]) -> list[Code]:
        ranks = {place: rank for rank, place in enumerate(places)}
        here = [replace(each, key=key(each)) for each in found if key(each) in ranks]
        return sorted(here, key=lambda each: ranks[each.key])

    # A mail to a GM may have the code of what it asks, which says more.
    proofs = [each for each in found if each.kind == "answer"]
    others = {each.key for each in found if each.kind != "answer"}
    found = [each for each in found if each.kind != "answer" or each.key not in others]
    proving = frozenset(key for each in proofs if not each.state for key in (each.key, each.mailed))
    by_code, by_mail = attrgetter("key"), attrgetter("mailed")
    return Codes(at(shown, by_code), at(written, by_code), at(ids, by_mail), proving)


def _usable(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(word for word in words if len(word) == CODE_CHARACTERS))


def _read_row(row: Row[Any], now: dt.datetime | None) -> Code:
    copied = row.kind == "copy"
    kind = _KINDS.get(row.kind, row.kind)
    return Code(
        key=row.code,
        kind=kind,
        subject_id=row.subject_id,
        campaign_id=row.campaign_id,
        campaign=row.campaign,
        game=row.game,
        seat_id=row.seat_id,
        mailed=row.mailed,
        state=_state_of(row, kind, now),
        withdrawn=bool(row.withdrawn),
        over=bool(row.over),
        stand_in=DeputyInfo(row.reader, row.at, row.until) if copied else None,
    )


def _state_of(row: Row[Any], kind: CodeKind, now: dt.datetime | None) -> CodeState:
    if row.stale:
        return "stale"
    if row.spent:
        return "spent"
    days = _DAYS.get(kind)
    return "old" if now and days and now - row.at > dt.timedelta(days=days) else ""


_DAYS: Mapping[CodeKind, int] = {
    **dict.fromkeys(("ask", "invite", "offer"), DAYS),
    **dict.fromkeys(("press", "answer", "question", "test"), MAIL_DAYS),
}
"""Days for which codes are valid; those of reports and forms end otherwise."""
