"""Which sheet of a message counts: of those in its text, above a sheet, in a file, and in a form that it quotes.

Mail programs quote in unforeseen ways, so a sheet below other text may be an older
one. Prose never reads as an order, except in games that accept free text: order
lines above a sheet were therefore typed as orders. The orders of a form that was
edited where a message quotes it are added to those typed elsewhere in the message.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from sqlalchemy import select

from pbem.campaign.courtesies import NAMES_TURN, find_courtesies, sender_names
from pbem.campaign.order_sheets import has_lines_of_form, parse_split
from pbem.inbox.authenticate import find_orders
from pbem.inbox.context import Accepted, MessageContext
from pbem.inbox.frames import Frame, SheetText, find_frames, plain_sheet, spell_line, words_of
from pbem.inbox.our_frames import FoundForm, Mailed, is_against, missing_in, quotes_form, sort_frames
from pbem.inbox.quoted_originals import load_named, strip_our_files
from pbem.inbox.replies import bare_subject
from pbem.inbox.seat_lookup import seat_for_deputy
from pbem.mail.message import AttachedText, MessageBody, read_from
from pbem.mail.quoting import find_attribution, is_quoted
from pbem.mail.reply_parser import is_routine
from pbem.report.mailto import FORM, as_comment
from pbem.ruleset.order_types import Order, ParsedSheet
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import split_words
from pbem.ruleset.values import View
from pbem.store.models import OrderSheet, OutgoingMail
from pbem.text import quote_lines
from pbem.util import redact_all, redact_credentials

MOST_ASIDE = 8
"""Lines above a sheet that are no orders: with more of them than a greeting and a signature, it is a quotation."""

UPPER = (
    "Your mail has orders at its top and a sheet below them. Only the orders at the top were read: "
    "the sheet below, from its ORDERS line on, may be an older one that your mail program quoted."
)
LOWER = (
    "Your mail has lines above the ORDERS line that read as orders, among much else: they were left alone, "
    "and the sheet was read. Send your orders again without the rest if that is not what you meant."
)
_NO_ORDERS = "The attached {} was not read: there is no ORDERS line in it, and the mail itself has orders."


def choose_sheet(
    ruleset: AnyRuleset, view: View, sheet: SheetText, filed: AttachedText | None, names: Collection[str] = ()
) -> SheetText:
    """Return the sheet that counts of those in a message; its notes tell what was passed over.

    `names` are the words of the sender's names, in small letters.
    """
    if sheet.header is None:
        return sheet if filed is None else _choose_file(ruleset, view, sheet, filed)
    courtesies, unread = _split_courtesies(ruleset, view, sheet.above, names)
    above = _orders_above(ruleset, view, sheet) if unread else None
    if above and (upper := _take_upper(sheet, above)):
        return upper
    if above:
        sheet = replace(sheet, notes=(*sheet.notes, LOWER))
    elif not sheet.empty:
        sheet = _tell_unread(sheet, courtesies, unread, "above ORDERS")
    return _tell_unread(sheet, *_split_courtesies(ruleset, view, sheet.below, names), "below END")


def _split_courtesies(
    ruleset: AnyRuleset, view: View, lines: Sequence[str], names: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return the courtesies among lines outside of a frame, and the other lines, but for blank ones."""
    numbered = tuple(enumerate(lines, start=1))
    left = find_courtesies(ruleset, view, numbered, names, outside=True)
    unread = [line for number, line in numbered if line.strip() and number not in left]
    return [line.strip() for number, line in numbered if number in left], unread


def _tell_unread(sheet: SheetText, courtesies: Sequence[str], unread: Sequence[str], where: str) -> SheetText:
    """Return the sheet with lines outside of its frame: courtesies, and a note on those that were not read."""
    if unread:
        said = f"Not read, as it stands {where}: {quote_lines(unread)}. Write orders between ORDERS and END."
        sheet = replace(sheet, notes=(*sheet.notes, said))
    return replace(sheet, courtesies=(*sheet.courtesies, *courtesies)) if courtesies else sheet


def sheet_above_quote(ruleset: AnyRuleset, view: View, sheet: SheetText) -> SheetText | None:
    """Return the orders above a sheet that cannot count itself; None if there are none that do."""
    above = _orders_above(ruleset, view, sheet)
    return _take_upper(sheet, above) if above else None


def _orders_above(ruleset: AnyRuleset, view: View, sheet: SheetText) -> ParsedSheet | None:
    """Parse the lines above a sheet; return None without an order, or if the game accepts free text."""
    if not sheet.above or ruleset.free_text:
        return None
    above = parse_split(ruleset, view, plain_sheet(sheet.above).lines)
    return above if above.entries else None


def _take_upper(sheet: SheetText, above: ParsedSheet) -> SheetText | None:
    lines = sheet.above
    if len(above.errors) > MOST_ASIDE:
        lines = lines[: min(finding.line for finding in above.errors) - 1]
    found = plain_sheet(lines)
    if found.empty or sheet.header is None:
        return None
    typed = set(map(spell_line, found.written))
    unread = len({words for _, line in sheet.lines if split_words(line) and (words := spell_line(line)) not in typed})
    # The key is part of the sheet that does not count, so it proves nothing of these orders.
    return replace(found, header=replace(sheet.header, key=""), notes=(UPPER,), unread=unread, others=sheet.others)


def _choose_file(ruleset: AnyRuleset, view: View, sheet: SheetText, filed: AttachedText) -> SheetText:
    """Return the orders of a file without an ORDERS line, if the mail itself has none."""
    if parse_split(ruleset, view, sheet.lines).entries or sheet.wait is not None:
        return replace(sheet, notes=(*sheet.notes, _NO_ORDERS.format(filed.names)))
    return replace(plain_sheet(filed.lines), notes=(read_from(filed.names),))


_MOST_LEFT_OUT = 200
"""Lines left out among which orders are looked for."""

_FEW = 3
"""Lines left out, such as a signature, up to which the game reads them sooner than our mails are read again."""

BARS = " \t>|"
"""Signs by which programs mark quotations."""

_MOST_SENT = 20
"""Sheets of a turn with which quoted frames are compared, the newest ones."""

_OWN_SHEET = "you wrote a sheet of your own"
_OTHERS = "you wrote other orders outside of it"
_AGAINST = "the orders that you wrote outside of it do not go with them"
_UNKNOWN = "nothing shows that it is the form of my mail"
_OLD = "it is of an earlier report or mail"
_SEVERAL = "there are several, which differ"
"""Reasons for which a form in the quotation is not read."""


def is_unedited_form(ruleset: AnyRuleset, view: View, sheet: SheetText) -> bool:
    """Return True if a sheet is a form or a link of our mails in which every order still stands behind a semicolon."""
    if sheet.empty:
        return has_lines_of_form(ruleset, view, sheet.lines)
    # A mail program that breaks a long line of the form makes a line without a semicolon of its second half.
    written = [word for _, line in sheet.lines for word in line.split()]
    if not written[0].startswith(";"):  # as every form does: most sheets need not be compared with it
        return False
    form = [word for line in ruleset.template(view) for word in as_comment(line).split()]
    return written in (form, [*FORM.split(), *form])


Case = tuple[MessageContext, Accepted, SheetText]


def with_edited_form(context: MessageContext, result: Accepted, sheet: SheetText) -> Case:
    """Return the message with the sheet to which the orders of an edited form in its quotation were added.

    What is not read of them is told in a note, and counted in the sheet's `unread`.
    """
    if context.message.notes:
        context = replace(
            context, message=strip_our_files(context.session, context.message, context.codes, context.inbox_id)
        )
    lines = context.message.source_lines
    written, typed = (sum(bool(line.strip()) for line in each) for each in (lines, context.message.lines))
    if written <= typed:
        return context, result, sheet
    # Most messages quote no form and leave no order out: then our mails, which are long, are hardly read again.
    mailed = cache(lambda: load_named(context.session, context.message, context.codes))
    quoted = quotes_form(lines, context.message.lines)
    frames = sort_frames(lines, context.message.lines, _load_mailed(context, result, mailed())) if quoted else []
    notes = (*sheet.notes, *_describe_hidden(frames), *_describe_left_out(context, result, frames, mailed))
    sheet = replace(sheet, notes=notes)
    found = [each for each in frames if each.is_reported]
    read, reason = _choose(found)
    if read is None:
        return context, result, _tell(sheet, found, reason)
    if sheet.header is not None:
        return context, result, _tell(sheet, [read], _OWN_SHEET)
    outside = _outside(sheet, read.frame, lines)
    mail, place = context.message, result.place
    ruleset, view = context.app.game(place.game), place.view
    names = sender_names(mail.sender_name, mail.sender or "", place.address, place.seat)
    if reason := _reason_against(ruleset, view, outside, read, names):
        return context, result, _tell(sheet, [read], reason)
    orders = missing_in(read.orders, outside)
    # Above what is for later turns: the form is for the open one.
    at = next((at for at, line in enumerate(outside) if NAMES_TURN(line)), len(outside))
    added = plain_sheet([*outside[:at], *map(redact_credentials, orders), *outside[at:]])
    notes = tuple(note for note in context.message.notes if not is_routine(note))
    context = replace(context, message=replace(context.message, notes=notes))
    return context, result, replace(added, notes=sheet.notes, wait=sheet.wait if added.wait is None else added.wait)


def _describe_hidden(frames: Sequence[FoundForm]) -> Iterator[str]:
    hidden = [redact_credentials(line) for each in frames for line in each.hidden]
    if hidden:
        yield f"In the form in the quotation, still behind a ;: {quote_lines(hidden)}. Take the ; away to give them."


def _describe_left_out(
    context: MessageContext, result: Accepted, frames: Sequence[FoundForm], mailed: Callable[[], Iterable[MessageBody]]
) -> Iterator[str]:
    """Yield a note on orders among the lines that were left out: quoted from none of our mails, or added to the text.

    Those in the frames are told already.
    """
    told = (line for each in frames for line in (*each.orders, *each.hidden))
    typed = [*context.message.lines, *told]
    left = _without(context.message.source_lines, typed)
    if len(left) > _FEW:
        left = _without(left, (line for each in mailed() for line in each.lines))
    if not (left and _may_have_orders(context.app.game(result.place.game), result.place.view, left)):
        return
    ours = (line for each in mailed() for line in (*each.lines, *each.html_lines))
    known = f" {' '.join(word for line in chain(typed, ours) for word in words_of(line))} "
    left = [_unquote(line) for line in left if f" {' '.join(words_of(line))} " not in known]
    orders = find_orders(context, result.place, tuple(enumerate(left[:_MOST_LEFT_OUT], start=1))) if left else ()
    if orders:
        shown = quote_lines([redact_credentials(line) for _, line in orders])
        yield f"NOT read, as your mail program quoted or added it: {shown}. Write orders at the top of your reply."


def _without(lines: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the lines that are neither blank nor, but for marks of quotations, the same as a known one."""
    same = {"", *map(str.strip, known)}
    return [line for line in lines if _unquote(line).rstrip() not in same]


def _unquote(line: str) -> str:
    return line.lstrip(BARS)


def _may_have_orders(ruleset: AnyRuleset, view: View, lines: Sequence[str]) -> bool:
    """Return False if no line is an order, whichever of the others stand beside it."""
    if ruleset.free_text:
        return False
    if len(lines) > _MOST_LEFT_OUT or any("/*" in line for line in lines):
        return True  # one line may hide another
    # Most of what is left is a name below "--", or "On … wrote:", and reading it takes longer than the orders do.
    lines = [line for line in lines if len(words_of(line)) > 1 or ruleset.orders.is_like_order(_unquote(line))]
    lines = [line for line in lines if find_attribution([line], 0) is None]
    if not lines:
        return False
    # Between blank lines, so that none goes on with the one above.
    parsed = ruleset.parse(view, enumerate(chain.from_iterable((_unquote(line), "") for line in lines), start=1))
    return bool(parsed.entries) or any(error.code != "unknown-verb" for error in parsed.errors)


def _choose(found: Sequence[FoundForm]) -> tuple[FoundForm | None, str]:
    """Return the form that may be read; None, and why, if there is none."""
    forms = [each for each in found if each.what in ("anchored", "traced")]
    if not forms:
        return None, _OLD if any(each.what == "old" for each in found) else _UNKNOWN
    first = next((each for each in forms if each.what == "anchored"), forms[0])
    alike = all(set(map(spell_line, each.orders)) == set(map(spell_line, first.orders)) for each in forms)
    return (first, "") if alike else (None, _SEVERAL)


def _outside(sheet: SheetText, frame: Frame, lines: Sequence[str]) -> list[str]:
    """Return the typed lines but for those that stand in a frame, between quoted ones."""
    inside = {lines[at].strip() for at in frame.numbers if not is_quoted(lines[at])}
    return [line for line in sheet.written if line.strip() not in inside or not line.strip()]


def _reason_against(
    ruleset: AnyRuleset, view: View, typed: Sequence[str], read: FoundForm, names: Collection[str]
) -> str:
    """Return why the orders of a form are not read beside what was typed; "" if they are."""
    lines = list(enumerate(typed, start=1))
    courtesies = find_courtesies(ruleset, view, lines, names)
    lines = [(number, line) for number, line in lines if line.strip() and number not in courtesies]
    before = parse_split(ruleset, view, lines)
    if not before.entries:
        return ""
    if read.what == "traced":
        return _OTHERS
    spelt = [spell_line(line) for _, line in lines]
    if any(is_against(one, spell_line(other)) for one in spelt for other in read.orders):
        return _AGAINST
    more = list(enumerate(missing_in(read.orders, typed), start=len(typed) + 1))
    beside = parse_split(ruleset, view, [*lines, *more])
    lost = {entry.line for entry in before.entries} - {entry.line for entry in beside.entries}
    return _AGAINST if lost else ""


def _tell(sheet: SheetText, found: Sequence[FoundForm], reason: str) -> SheetText:
    """Return the sheet with a note on orders in the quotation that were not read."""
    orders = [line for each in found for line in each.orders]
    unread = list(dict.fromkeys(missing_in(orders, sheet.written))) if orders else ()
    if not unread:
        return sheet
    shown = quote_lines([redact_credentials(line) for line in unread])
    note = f"In the form in the quotation, NOT read: {shown}; {reason}. Write orders at the top of your reply."
    return replace(sheet, notes=(*sheet.notes, note), unread=len(unread))


def _load_mailed(context: MessageContext, result: Accepted, mailed: Iterable[MessageBody]) -> Mailed:
    """Return what was mailed to the writer of a message, and what the seat has sent this turn."""
    place = result.place
    own = seat_for_deputy(context.session, place, result.deputy) if result.deputy else place
    frames = [frame for each in mailed for lines in (each.lines, each.html_lines) for frame in find_frames(lines)]
    sent = (
        select(OrderSheet.text)
        .where(OrderSheet.turn_id == place.turn_id, OrderSheet.seat_id == place.seat_id)
        .order_by(OrderSheet.id.desc())
        .limit(_MOST_SENT)
    )
    texts = (text.split("\n") for text in context.session.scalars(sent))
    sheets = [frozenset(spell_line(line) for line in lines if line.strip()) for lines in texts]
    verbs = {word.lower() for word in context.app.game(place.game).orders.words}
    return Mailed(frames, (own.code or "").lower(), sheets, _answers_ours(context), verbs)


def _answers_ours(context: MessageContext) -> bool:
    """Return False for a message that answers a mail which is none of ours."""
    if not context.message.references:
        return True
    answered = select(OutgoingMail.id).where(OutgoingMail.message_id == context.message.references[0])
    return context.session.scalar(answered.limit(1)) is not None


def orders_in_subject(context: MessageContext, ruleset: AnyRuleset, view: View, read: Collection[Order] = ()) -> str:
    """Return the subject of a message if it is an order, or several, and not all of them were `read` in its text.

    None is looked for in free words, where any subject could be one.
    """
    subject = "" if ruleset.free_text else bare_subject(context.message.subject)
    # A lone word of letters is an order if it is a verb; "e5" may be one.
    lone = subject.isalpha() and not ruleset.orders.is_like_order(subject)
    # The label is in subjects of our mails, and so of nearly all replies, which need not be parsed.
    if not subject or lone or view["label"] in subject or ruleset.orders.ends_seat(subject):
        return ""
    found = parse_split(ruleset, view, [(1, subject)])
    lost = bool(found.orders) and not any(error.line for error in found.errors)
    return redact_all(subject) if lost and not set(found.orders) <= set(read) else ""
