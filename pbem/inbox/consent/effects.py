"""Effects of answers to questions: a table of what was asked by what was said."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, get_args

from pbem.campaign.courtesies import sender_names, without_signature, yes_with_words
from pbem.inbox.command_parser import first_line
from pbem.inbox.consent.reader import Said, Vocabulary, read_answer
from pbem.inbox.context import MessageContext
from pbem.inbox.replies import bare_subject
from pbem.mail.message import Message, parse_message
from pbem.store.models import InboxMessage, PendingRequest
from pbem.store.types import RequestKind

Act = Literal["leave", "address", "offer", "odd", "besides", "mine", "welcome", "import", "press"]
"""The subject of a question.

What cannot be undone: "leave" gives a seat up, "address" changes where a person plays from, "offer" is a GM's command.
"odd" is a sheet that may not be meant, "besides" one that goes in place of the orders that count or is added to them,
"mine" a message that may be forged, "press" words that would go to players.
"""

_ACTS: Mapping[RequestKind, Act] = {
    RequestKind.ADDRESS: "address",
    RequestKind.NEW_ADDRESS: "address",
    RequestKind.FALLBACK: "address",
    RequestKind.ALSO: "address",
    RequestKind.NEW_ALSO: "address",
    RequestKind.INVITE: "welcome",
    RequestKind.JOIN: "welcome",
    RequestKind.DEPUTY: "welcome",
    RequestKind.IMPORT: "import",
    RequestKind.PRESS: "press",
    RequestKind.TEXTS: "press",
    RequestKind.GM: "offer",
}


def act_of(asked: PendingRequest) -> Act:
    if asked.kind != RequestKind.MESSAGE:
        return _ACTS[asked.kind]
    if asked.data.get("doubt") == "instead":
        return "besides"
    return "leave" if asked.data.get("leaves") else "odd" if asked.data.get("doubt") else "mine"


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
    "besides": _row("    do   do-tell      again  end   again  tell     again    again   again"),
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
    "besides": (),
    "mine": ("yes", "mine"),
    "welcome": ("yes", "agree"),
    "import": ("yes",),
    "press": ("yes",),
}
"""The lists that say yes, where a name may stand below a closing; for what cannot be undone it is "yes" alone."""

REPLACE, ADD = "REPLACE", "ADD"
"""The answers to the question whether words go in place of the orders that count, or besides; YES is none."""

_MAY_DECLINE: Collection[Act] = ("welcome", "import", "press")

_UNREAD = re.compile(r"^(?:The (?:mail|attached)|A part of the mail|The invitation)\b.*\b(?:not read|not be read)\b")
"""Notes on parts that are no text; a file that only stands beside the text is among them."""

_ADVICE = re.compile(r"[;:] .*+")

_SUBJECT_COUNTS: Collection[Act] = ("welcome", "import", "press", "mine", "odd")


def read_reply(message: Message, subject: str, act: Act, own: Collection[str] = ()) -> Said:
    """Return the class of a reply to a question.

    Args:
        message: The reply.
        subject: Its subject, without "Re:" and tags. It counts where nothing is typed, if it is a plain yes or no and
            what it answers can be undone.
        act: What the question is about.
        own: Phrases that say yes to this question alone.
    """
    if act == "besides":
        own = [f"{word}{more}" for word in (REPLACE, ADD) for more in ("", " it", " them", " please", " both")]
        # A yes to "instead or besides?" says neither.
        chosen = chosen_word(message.lines) in (REPLACE, ADD)
        if not chosen and read_answer(message.lines, Vocabulary(("yes", "agree"))) == "yes":
            return "words"
    names = sender_names(message.sender_name, message.sender or "")
    words = Vocabulary(
        _LENIENT.get(act, ("yes",)),
        no=("no", "decline") if act in _MAY_DECLINE else ("no",),
        names=names,
        own=own,
        signed=act in _LENIENT,
        unnamed=not message.sender_name,
    )
    if message.text.strip():
        lines = without_signature(message.lines, names)
        said = read_answer(lines, words)
        # The GM reads what stands beside a yes to their invitation.
        told = said == "mixed" and act == "welcome" and read_answer([yes_with_words("\n".join(lines))], words) == "yes"
        return "yes-question" if told else said
    by_subject = read_answer([subject], words) if act in _SUBJECT_COUNTS else "nothing"
    if by_subject in ("yes", "no"):
        return by_subject
    return "unreadable" if unread_part(message) else "nothing"


def read_answer_to(context: MessageContext, asked: PendingRequest) -> Said:
    """Return the class of a message as the answer to a request; what was asked about, said again, is a yes."""
    message, act = context.message, act_of(asked)
    if asked.kind != RequestKind.MESSAGE:
        return read_reply(message, bare_subject(message.subject), act)
    first = first_line(message)
    again = parse_message(context.session.get_one(InboxMessage, asked.data["inbox_id"]).raw).text.strip()
    own = [first] if first.upper().startswith("CONFIRM ") and len(first.split()) == 2 else []
    # A machine that sends back its mail would pass for a yes: where much is at stake only a line, such as LEAVE, does.
    if act == "leave" and "\n" not in again:
        own.append(again)
    if act == "mine" and message.text.casefold().split() == again.casefold().split() != []:
        return "yes"
    return read_reply(message, bare_subject(message.subject), act, own)


def chosen_word(lines: Iterable[str]) -> str:
    """Return the first word of an answer, in capitals and without marks."""
    first = next((line.split() for line in lines if line.strip()), [""])
    return first[0].upper().strip(".,:!\"'*")


def unread_part(message: Message) -> str:
    """Return what is told of a part of a message that could not be read, in a sentence; "" if there is none."""
    # What follows says how to send orders.
    return next((f"{_ADVICE.sub('', note).rstrip('.')}." for note in message.notes if _UNREAD.search(note)), "")
