"""All that players wrote for the open turn besides their orders, for the GM who decides it.

That is the lines of their sheets that were not accepted, remarks, and the files of
their mails; and who sent a sheet, if it was a deputy, or late. Of a seat it is told of
the sheet that counts, and of a newer one that does not; of sheets that were replaced,
of their files alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import PurePosixPath

from sqlalchemy import select

from pbem.campaign.order_sheets import has_lines_of_form, parse_split
from pbem.campaign.snapshot import Context, OpenTurn
from pbem.mail.compose import MailPart
from pbem.mail.mailbox import MAX_MAIL
from pbem.mail.message import AttachedFile, list_attachments
from pbem.report.attachments import plain_name
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import join_lines, split_words
from pbem.ruleset.values import LARGEST_ENCLOSED, SeatName, View, format_size
from pbem.store.models import InboxMessage, OrderSheet, Report, Seat
from pbem.text import as_sentence, format_time_short, wrap

_LONGEST_NAMED = 60
"""Characters of a file's name in a note."""


@dataclass(frozen=True, slots=True)
class PlayerWords:
    """The words of a seat besides its orders: lines ready to be shown, and files of the message of this id."""

    seat: SeatName
    lines: tuple[str, ...]
    message_id: int | None = None
    files: tuple[AttachedFile, ...] = ()


def load_player_words(context: Context, turn: OpenTurn) -> tuple[PlayerWords, ...]:
    """Return what each seat wrote for the open turn besides its orders; seats with nothing are left out."""
    ruleset = context.app.game(context.snapshot.game)
    rows = context.session.execute(
        select(OrderSheet, Seat.name, Report.view)
        .join(Seat, Seat.id == OrderSheet.seat_id)
        .outerjoin(Report, (Report.seat_id == Seat.id) & (Report.turn_id == OrderSheet.turn_id))
        .where(OrderSheet.turn_id == turn.id)
        .order_by(Seat.id, OrderSheet.version)
    ).all()
    newest: dict[tuple[SeatName, bool], int] = {}
    for sheet, seat, _ in rows:
        # A sheet that counts replaces all before it; one that does not replaces others that do not.
        if sheet.accepted:
            newest.pop((seat, False), None)
        newest[seat, sheet.accepted] = sheet.id
    current = {*newest.values()}
    found = (
        _words_of(context, ruleset, turn, seat, sheet, json.loads(view or b"{}"))
        if sheet.id in current
        else _files_of(context, seat, sheet)
        for sheet, seat, view in rows
    )
    return tuple(each for each in found if each.lines)


def _words_of(
    context: Context, ruleset: AnyRuleset, turn: OpenTurn, seat: SeatName, sheet: OrderSheet, view: View
) -> PlayerWords:
    files = _load_files(context, sheet)
    lines = [*_describe_lines(ruleset, view, sheet), *_name_files(files)]
    late = turn.deadline is not None and sheet.received_at > turn.deadline
    facts = [
        *(["from its deputy"] if sheet.author == "deputy" else []),
        *([f"late: {format_time_short(sheet.received_at, context.snapshot.schedule.zone)}"] if late else []),
        *([] if sheet.accepted else ["does not count"]),
    ]
    message = f", message {sheet.inbox_id}" if sheet.inbox_id is not None and files else ""
    head = f"{seat}, sheet {sheet.version}{message}" + (f" ({', '.join(facts)})" if facts else "")
    return PlayerWords(seat, (head, *lines) if lines or facts else (), sheet.inbox_id, files)


def _files_of(context: Context, seat: SeatName, sheet: OrderSheet) -> PlayerWords:
    """Return the files of a sheet that was replaced: its player was told that they go to the GM."""
    files = _load_files(context, sheet)
    head = f"{seat}, sheet {sheet.version}, message {sheet.inbox_id} (replaced)"
    return PlayerWords(seat, (head, *_name_files(files)) if files else (), sheet.inbox_id, files)


def _load_files(context: Context, sheet: OrderSheet) -> tuple[AttachedFile, ...]:
    mail = select(InboxMessage.raw).where(InboxMessage.id == sheet.inbox_id)
    raw = context.session.scalar(mail) if sheet.inbox_id else None
    return tuple(list_attachments(raw)) if raw else ()


def _name_files(files: Iterable[AttachedFile]) -> Iterator[str]:
    return (wrap(f"  file: {file.name} ({format_size(len(file.content))})", "    ") for file in files)


def _describe_lines(ruleset: AnyRuleset, view: View, sheet: OrderSheet) -> Iterator[str]:
    """Yield the lines of a sheet that are none of its orders, each with what it is."""
    lines = sheet.text.rstrip("\n").split("\n")
    framed = split_words(lines[0].upper())[:1] == ["ORDERS"] and lines[-1].strip().upper() == "END"
    written = tuple(enumerate(lines[1:-1] if framed else lines, start=1))
    parsed = parse_split(ruleset, view, written)
    # Thanks and names are no orders, though a game of free words would read them as some.
    taken = {entry.line for entry in parsed.entries if ruleset.orders.to_json(entry.order) in sheet.orders}
    errors = {error.line: error for error in reversed(parsed.errors)}
    for number, line in join_lines(written):
        said = " ".join(line.split())
        if number in errors:
            yield wrap(f"  REFUSED: {said}  ({as_sentence(errors[number].text)})", "    ")
        elif said and number not in taken and not _is_for_program(ruleset, view, line):
            yield wrap(f"  besides: {said}", "    ")


def _is_for_program(ruleset: AnyRuleset, view: View, line: str) -> bool:
    """Return True for WAIT, FINAL, and what a form of our mails has written into a sheet."""
    return line.strip().upper() in ("WAIT", "FINAL") or has_lines_of_form(ruleset, view, [(1, line)])


def render_player_words(written: Iterable[PlayerWords], seats: Collection[SeatName] | None) -> str:
    """Return what seats wrote besides their orders as text, "" if there is nothing; `seats` are all by default."""
    lines = [line for each in written if seats is None or each.seat in seats for line in (*each.lines, "")]
    return "\n".join(["WRITTEN BESIDES THE ORDERS", "", *lines]) if lines else ""


@dataclass(frozen=True, slots=True)
class ForwardedFiles:
    """The files of players that go with a mail to their GM, and sentences on those that do not."""

    parts: tuple[MailPart, ...] = ()
    left: tuple[str, ...] = ()


_ANY = "application/octet-stream"
_FORWARDED = re.compile(
    r"\.(?:png|jpe?g|gif|webp|heic|bmp|tiff?|svg|pdf|txt|md|csv|tsv|json|rtf|od[tsp]|docx|xlsx|pptx|mp3|m4a|ogg|wav)",
    re.IGNORECASE,
)
"""Endings of files that go on as they are. For programs, archives and pages a server might refuse the whole mail."""


def tell_of_files(raw: bytes, notes: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the notes on a mail with a sheet in free words, and the names of the files that go to its GM as they are.

    Of a file that was read, and of one that Outlook has packed, the notes say more.
    """
    files = {file.name: reason_to_keep(file) for file in list_attachments(raw)}
    unread = [name[:_LONGEST_NAMED] for name in files if name != "winmail.dat"]
    told = [note for note in notes if not (note.startswith("The attached ") and any(name in note for name in unread))]
    left = {plain_name(name): why for name, why in files.items() if not any(name in note for note in told)}
    kept = ((name, why) for name, why in left.items() if why)
    told += [f"The attached {name} does not go to your GM, who is told so: {why}." for name, why in kept]
    return tuple(told), tuple(name for name, why in left.items() if not why)


def reason_to_keep(file: AttachedFile, room: int = LARGEST_ENCLOSED) -> str:
    """Return why a player's file does not go to the GM by mail, as it is; "" if it does.

    Args:
        file: The file.
        room: The bytes that the mail may still have.
    """
    if file.cut:
        return f"its end is missing, as a mail may have {format_size(MAX_MAIL)}"
    if not _FORWARDED.fullmatch(PurePosixPath(plain_name(file.name)).suffix):
        return "a mail server may refuse a mail with a file of this kind"
    return "" if len(file.content) <= room else "the files of this mail would be too large together"


def forward_files(written: Iterable[PlayerWords], seats: Collection[SeatName] | None) -> ForwardedFiles:
    """Return the files of seats, as they are, as parts of a mail; those that it cannot have are named."""
    parts: list[MailPart] = []
    left: list[str] = []
    for each in written:
        for file in each.files if seats is None or each.seat in seats else ():
            name = plain_name(file.name)
            kind = guess_type(name)[0] or _ANY
            # Text would be quoted-printable, which can have three times its bytes.
            part = MailPart(f"{each.seat}-{name}", _ANY if kind == "text/plain" else kind, file.content)
            if part in parts:  # sent again, with a sheet that replaced the one before
                continue
            if why := reason_to_keep(file, LARGEST_ENCLOSED - sum(len(one.content) for one in parts)):
                save = f"Save it: pbem inbox {each.message_id} --save FOLDER"
                left.append(f"Not attached, from {each.seat}: {name}, since {why}. {save}")
            else:
                parts.append(part)
    return ForwardedFiles(tuple(parts), tuple(left))
