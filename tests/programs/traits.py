"""Traits of a reply: how a program shows, quotes, breaks and addresses, read from its screen and from what it sent."""

from __future__ import annotations

import email
import email.policy
import re
from email.message import EmailMessage

PARTS = {
    "the plain text": "TO SEND ORDERS: reply with one order a line at the top.",
    "the HTML": "Or reply with one order",
}
"""Words that one part of a report alone has."""

_QUOTED_FORM = re.compile(r"^(.{0,8}?)ORDERS trap red", re.MULTILINE)


def traits_of(case: str, answered: EmailMessage, raw: bytes, screen: str) -> dict[str, str]:
    """Return what one reply, and what was on the screen, show of a program."""
    reply = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(reply, EmailMessage)
    match case:
        case "report-top":
            seen = {
                "quotes": _quotes(reply),
                "lines": _lines(answered, reply),
                "to": _to(answered, reply),
                "thread": _thread(answered, reply),
            }
            return seen | ({"shown": shown} if (shown := _shown(screen)) else {})
        case "report-forward":
            return {"forward": ", ".join(filter(None, (_quotes(reply), _files(reply))))}
        case "report-compose":
            whole = len(_QUOTED_FORM.findall(_text(reply))) == 1 and "\nEND" in _text(reply)
            return {"button": "the whole draft" if whole else "a part of the draft"}
        case _:
            return {}


def _text(mail: EmailMessage) -> str:
    kinds = [part.get_content_type() for part in mail.walk()]
    texts = [str(part.get_content()) for part in mail.walk() if part.get_content_type() == "text/plain"]
    body = mail.get_body(("plain", "html"))
    if body is not None and (not texts or "message/rfc822" in kinds):
        texts = [str(body.get_content())]
    return "\n".join(texts).replace("\r\n", "\n")


def _parts(text: str) -> str:
    plain = " ".join(re.sub(r"^[>| ]+", "", line).strip() for line in text.split("\n"))
    return " and ".join(name for name, words in PARTS.items() if words in " ".join(plain.split()))


def _quotes(reply: EmailMessage) -> str:
    text = _text(reply)
    found, parts = _QUOTED_FORM.search(text), _parts(text)
    if found is None:
        return parts or "nothing"
    return f"{parts or 'the form'}, {f'marked by `{found[1].strip()}`' if found[1].strip() else 'without marks'}"


def _lines(answered: EmailMessage, reply: EmailMessage) -> str:
    longest = max(_text(answered).splitlines(), key=len)
    body = reply.get_body(("plain",))
    flowed = body is not None and "flowed" in str(body["Content-Type"]).lower()
    if longest in _text(reply):
        return "as they were" + ", format=flowed" * flowed
    widths = (len(line) for line in _text(reply).splitlines() if "mailto:" not in line)
    return f"broken at {max(widths, default=0)} columns" + ", format=flowed" * flowed


def _to(answered: EmailMessage, reply: EmailMessage) -> str:
    cc = str(reply["Cc"] or "")
    where = "Reply-To" if str(answered["Reply-To"]) in str(reply["To"]) else "another address"
    return f"{where}, with Cc" if cc else where


def _files(reply: EmailMessage) -> str:
    kinds = [part.get_content_type() for part in reply.walk()]
    if "message/rfc822" in kinds:
        return "the whole mail as a file"
    files = sum(part.get_filename() is not None for part in reply.walk())
    return "with the files" if files else "without the files"


def _thread(answered: EmailMessage, reply: EmailMessage) -> str:
    named = f"{reply['In-Reply-To'] or ''} {reply['References'] or ''}"
    return "the mail is named" if str(answered["Message-ID"]) in named else "the mail is not named"


def _shown(screen: str) -> str:
    listed = {
        "the calendar as an entry": "Calendar Entry|DTSTART|Begin: ",
        "the calendar by its name": r"\.ics|/calendar",
    }
    parts = [_parts(screen) or ("one part" if "Turn 2" in screen else "")]
    parts += [name for name, pattern in listed.items() if re.search(pattern, screen)][:1]
    return ", ".join(filter(None, parts))
