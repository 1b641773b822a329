"""The lines of a file, and of the sheet in it: framed as in a mail, or bare."""

from __future__ import annotations

from pbem.campaign.order_sheets import Lines, without_keys_in
from pbem.desk.sheet import find_sheet
from pbem.mail.mime import decode_text
from pbem.mail.reply_parser import own_lines, plain


def file_lines(raw: bytes) -> tuple[list[str], list[str]]:
    """The lines of a file, cleaned as a mail's text is, and notes on what was left out. Never raises."""
    return own_lines(plain(decode_text(raw, "")).strip("\n").split("\n"))


def sheet_lines(raw: bytes, campaign: str) -> Lines:
    """The lines of the sheet in a GM's file, keys masked; without a frame all. Never raises."""
    lines, _ = file_lines(raw)
    return without_keys_in(find_sheet(lines, {campaign}).lines)
