"""Effects of answers to questions: a table of what was asked by what was said."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Literal, get_args

from pbem.campaign.courtesies import sender_names
from pbem.inbox.consent.reader import Said, Vocabulary, read_answer
from pbem.mail.message import Message

Act = Literal["leave", "address", "offer", "odd", "mine", "welcome", "import", "press"]
"""The subject of a question.

What cannot be undone: "leave" gives a seat up, "address" changes where a person plays from, "offer" is a GM's command.
"odd" is a sheet that may not be meant, "mine" a message that may be forged, "press" words that would go to players.
"""

Step = Literal["do", "do-tell", "end", "again", "tell", "list"]
"""The effect of an answer.

"do-tell" does it and passes the words on to the GM, "tell" only passes them on and asks again, "again" only asks again,
"list" shows a GM their commands.
"""

_COLUMNS = get_args(Said)


def _row(steps: str) -> Mapping[Said, Step]:
    return dict(zip(_COLUMNS, steps.split(), strict=True))


#                       yes  yes-question mixed  no    words  question courtesy nothing unreadable
STEPS: Mapping[Act, Mapping[Said, Step]] = {
    "leave": _row("      do   tell         again  end   again  tell     again    again   again"),
    "address": _row("    do   tell         again  end   again  tell     again    again   again"),
    "offer": _row("      do   again        again  end   list   list     again    again   again"),
    "odd": _row("        do   do-tell      again  end   again  tell     again    again   again"),
    "mine": _row("       do   do-tell      again  end   again  tell     again    again   again"),
    "welcome": _row("    do   do-tell      tell   end   tell   tell     tell     again   again"),
    "import": _row("     do   do-tell      tell   tell  tell   tell     tell     again   again"),
    "press": _row("      do   do           again  end   again  again    again    again   again"),
}
"""The effect of each class of answer on each question.

A NO to an import is for the GM, since the seat is its player's all the same.
"""

_LENIENT: Mapping[Act, tuple[str, ...]] = {
    "odd": ("yes",),
    "mine": ("yes", "mine"),
    "welcome": ("yes", "agree"),
    "import": ("yes",),
    "press": ("yes",),
}
"""The lists that say yes, where a name may stand below a closing; for what cannot be undone it is "yes" alone."""

_MAY_DECLINE: Collection[Act] = ("welcome", "import", "press")

_UNREAD = re.compile(r"^(?:The (?:mail|attached)|A part of the mail|The invitation)\b.*\b(?:not read|not be read)\b")
"""Notes on parts that are no text; a file that only stands beside the text is among them."""

_ADVICE = re.compile(r"[;:] .*+")

_SUBJECT_COUNTS: Collection[Act] = ("welcome", "import", "press", "mine", "odd")


def read_reply(letter: Message, subject: str, act: Act, own: Collection[str] = ()) -> Said:
    """Return the class of a reply to a question.

    Args:
        letter: The reply.
        subject: Its subject, without "Re:" and tags. It counts where nothing is typed, if it is a plain yes or no and
            what it answers can be undone.
        act: What the question is about.
        own: Phrases that say yes to this question alone.
    """
    words = Vocabulary(
        _LENIENT.get(act, ("yes",)),
        no=("no", "decline") if act in _MAY_DECLINE else ("no",),
        names=sender_names(letter.sender_name, letter.sender or ""),
        own=own,
        signed=act in _LENIENT,
        unnamed=not letter.sender_name,
    )
    if letter.text.strip():
        return read_answer(letter.lines, words)
    by_subject = read_answer([subject], words) if act in _SUBJECT_COUNTS else "nothing"
    if by_subject in ("yes", "no"):
        return by_subject
    return "unreadable" if unread_part(letter) else "nothing"


def unread_part(letter: Message) -> str:
    """Return what is told of a part of a message that could not be read, in a sentence; "" if there is none."""
    return next((_shorten(note) for note in letter.notes if _UNREAD.search(note)), "")


def _shorten(note: str) -> str:
    # What follows says how to send orders.
    return f"{_ADVICE.sub('', note).rstrip('.')}."
