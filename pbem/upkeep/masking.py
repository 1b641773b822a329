"""Takes out of a text what opens a seat: tokens, reply codes, and the Message-IDs that replies name."""

from __future__ import annotations

import re

from pbem.campaign.tokens import TOKEN_BYTES
from pbem.desk.sheet import MASK
from pbem.post.codes import CODE_CHARACTERS, ID_CHARACTERS

_KEYS = (
    re.compile(r"(?im)^(?P<kept>[>|\s]*orders[^\S\n]+\S+[^\S\n]+\S+[^\S\n]+)(?!(?:wait|final)\b)[^\s;#]+"),
    re.compile(rf"(?i)(?P<kept>)\b[0-9a-f]{{{2 * TOKEN_BYTES}}}\b"),
    re.compile(rf"(?i)(?P<kept>)\b[a-z2-7]{{{ID_CHARACTERS}}}\b"),
    re.compile(rf"(?i)(?P<kept>\+|\[[^\[\]\s]{{1,40}}\s+)[a-z2-7]{{{CODE_CHARACTERS}}}(?=[@\]])"),
    # A code on its own is told from a long word by its digits.
    re.compile(rf"(?i)(?P<kept>)\b(?=[a-z]*[2-7])[a-z2-7]{{{CODE_CHARACTERS}}}\b"),
)


def masked(text: str) -> str:
    """The text with every key in it masked, and without signs that would steer a terminal."""
    for key in _KEYS:
        text = key.sub(rf"\g<kept>{MASK}", text)
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in text)
