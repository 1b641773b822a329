"""Files with order sheets, read as the text of a mail is."""

from __future__ import annotations

import re

from pbem.campaign.order_sheets import Lines, redact_lines
from pbem.errors import CampaignError
from pbem.inbox.frames import find_sheet
from pbem.mail.mime import decode_text
from pbem.mail.reply_parser import normalise_text, sender_lines


def file_lines(raw: bytes) -> tuple[list[str], list[str]]:
    """Return the lines of a file, cleaned as a mail's text is, and notes on what was left out. Never raises."""
    return sender_lines(normalise_text(decode_text(raw, "")).strip("\n").split("\n"))


# What no editor writes into a text, and every office document, archive, picture and program has near its beginning.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOOKED_AT = 4096


def sheet_lines(raw: bytes, campaign: str) -> Lines:
    """Return the lines of the sheet in a GM's file, keys masked; without a frame all. WAIT or FINAL is the first.

    Raises:
        CampaignError: It is a file of another kind, such as a picture or a document.
    """
    if _CONTROLS.search(decode_text(raw[:_LOOKED_AT], "")):
        raise CampaignError("this file is no text: save the orders as plain text, one on each line")
    lines, _ = file_lines(raw)
    found = find_sheet(lines, {campaign})
    word = [] if found.wait is None else [(len(lines) + 1, "WAIT" if found.wait else "FINAL")]
    return redact_lines((*word, *found.lines))
