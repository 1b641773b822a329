"""The order lines in a file of a GM's: framed like a sheet in a mail, or the bare lines."""

from __future__ import annotations

from pbem.campaign.reading import Lines
from pbem.desk.sheet import find_sheet
from pbem.masking import without_keys
from pbem.post.cleaning import own_lines, plain
from pbem.post.mime import decode_text


def sheet_lines(raw: bytes, campaign: str) -> Lines:
    """The lines of the sheet in a file, cleaned as a mail's text is, keys masked; without a frame all. Never raises."""
    lines, _ = own_lines(plain(decode_text(raw, "")).strip("\n").split("\n"))
    return tuple((number, without_keys(line)) for number, line in find_sheet(lines, campaign.__eq__).lines)
