"""What mail systems say in words of a mail that came back, where they write no report for programs.

So do Exim, qmail, GMX, Yahoo, Mail.ru and what is older than RFC 3464. There is
no form to such words, but three things in all: the header of the mail, above it
that it did not arrive, and mostly a code of SMTP. Without one of the phrases
known nothing is a bounce.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pbem.post.addresses import MESSAGE_ID, all_addresses, is_robot

Action = Literal["failed", "delayed", "delivered"]

MAX_IDS = 10
"""Message-IDs that are looked at: the first is the mail's, or others are of mails that it holds in turn."""

_ID = re.compile(rf"^[ \t>|]*+message-id[ \t]*+:\s*+({MESSAGE_ID.pattern})", re.IGNORECASE | re.MULTILINE)
_HEADER_LINE = re.compile(r"\A(?:[ \t>|]*+[A-Za-z][\w-]*+[ \t]*+:(?:\s|\Z)|[ \t]++\S)")
_TO = re.compile(r"^[ \t>|]*+to[ \t]*+:([^\n]*+)", re.IGNORECASE | re.MULTILINE)

_FAILED = tuple(
    re.compile(phrases, re.IGNORECASE | re.VERBOSE)
    for phrases in (
        r"""
        (?:could|can|was|were|has|have|did|will)(?:[ ]?not|n['’]t)(?:[ ]been|[ ]be)?[ ](?:delivered|reach(?:ed)?|sent)\b
        | (?:unable|(?:t|not)[ ]able|fail(?:ed|s)|inability|impossible)[ ]to[ ](?:be[ ])?(?:deliver|send|relay|reach)
        | undeliver(?:able|ed) | deliver(?:y|ing)\b.{0,60}\b(?:fail(?:ed|ure|s)?|impossible|aborted|problems?)
        | fail(?:ed|ure)[ ]notice
        | (?:failed|rejected|invalid|bad|unknown)[ ]+(?:recipients?|address(?:es)?|users?)\b
        | returned[ ](?:mail|message|to[ ]sender) | permanent(?:ly)?[ ](?:fatal[ ])?(?:errors?|failures?|failed)
        | mail(?:ing)?[ ]fail(?:ed|ure)
        """,
        r"""
        non-?delivery
        | (?:user|recipient|mailbox|account|address)\b.{0,60}\b(?:unknown|not[ ]found|rejected|disabled|full)
        | (?:user|recipient|mailbox|account|address)\b.{0,60}\bdoes(?:[ ]not|n['’]t)
        | unknown[ ](?:user|recipient|address|local)
        | no[ ]such[ ](?:user|mailbox|recipient|person|account|address) | (?:over|exceeded)[ ]quota
        | (?:disk|storage|mailbox|mail)?[ ]?quota[ ](?:has[ ]been[ ])?exceed
        | (?:message|mail)[ ](?:was[ ]|has[ ]been[ ])?(?:rejected|blocked|refused) | transaction[ ]failed
        """,
        r"""
        host[ ](?:unknown|not[ ]found) | has[ ]not[ ]been[ ](?:delivered|sent) | (?<!\d)5[0-5]\d[ -]\S
        | (?<![\w.])5\.\d{1,3}\.\d{1,3}(?![\w.]*\d)
        | nicht[ ](?:\w+[ ])?(?:zugestellt|zustell|ausgeliefert|übermittelt|gesendet) | unzustellbar
        | (?:n['’]a|n['’]ont)[ ]pas[ ](?:pu[ ]|été[ ]|pu[ ]être[ ])(?:remis|délivré|livré|distribué|envoyé)
        | non[ ]remis | no[ ](?:se[ ])?(?:ha[ ]podido|pudo|puede|fue)[ ].{0,20}entreg
        """,
        r"""
        non[ ](?:è|sono)[ ]stat.{1,30}(?:recapitat|consegnat) | mancato[ ]recapito
        | não[ ](?:pôde|foi|pode|conseguiu).{0,20}entreg | не[ ].{0,20}(?:доставлено|доставить)
        | (?:niet|kon[ ]niet)[ ].{0,20}(?:afgeleverd|bezorgd) | inte[ ].{0,20}levereras | ikke[ ].{0,20}leveres
        | nie[ ].{0,30}dostarcz | (?:配信|配送|送信|送達|配達)(?:でき|され|不能|エラー)
        """,
        r"""
        届けることができ | 无法(?:投递|送达|发送) | 退信 | 無法(?:投遞|傳遞|寄達) | 반송 | 전송(?:하지|되지)[ ]못
        """,
    )
)
_DELAYED = re.compile(
    r"""
    \bdelay(?:ed)?\b | (?:will|to)[ ](?:be[ ])?(?:keep|continue|retr(?:y|ied)|try)\b | not[ ]yet[ ]been[ ]delivered
    | deferred | could[ ]not[ ]send[ ]message[ ]for[ ]past | delivery[ ]attempts[ ]will
    | still[ ](?:be(?:ing)?[ ])?(?:tr|queue)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FOR_GOOD = re.compile(
    r"""
    permanent | g[ai]v(?:en|ing|e)[ ]up | returned[ ]to[ ](?:the[ ])?sender | returning[ ]message | failure[ ]notice
    | not[ ]going[ ]to[ ]try | no[ ]further | (?:delivery|mail)[ ](?:has[ ])?fail | undeliver
    | (?<!\d)5[0-5]\d[ -]\S | fatal
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DELIVERED = re.compile(r"success(?:fully|ful)?\b.{0,40}\bdeliver|\bdelivered[ ](?:successfully|to)\b", re.IGNORECASE)

_BETWEEN = re.compile(r"\n[ \t]*+\n")
"""What stands between two paragraphs."""

_STATUS_IN_TEXT = re.compile(r"(?<![\w.])([45]\.\d{1,3}\.\d{1,3})(?![\w.]*\d)")
_CODED = re.compile(r"(?<![\d.:])[45][0-5]\d[ -]\S|(?<![\w.])[45]\.\d{1,3}\.\d{1,3}(?![\w.]*\d)")


@dataclass(frozen=True, slots=True)
class Words:
    """What such a mail says: `ids` are the Message-IDs in it, the likeliest first, `reason` one line, or ""."""

    ids: tuple[str, ...]
    action: Action
    recipient: str
    status: str
    reason: str


def ids_in(text: str) -> tuple[str, ...]:
    """The Message-IDs in the headers that a text shows."""
    found = (match[1] for match, _ in zip(_ID.finditer(text), range(MAX_IDS), strict=False))
    return tuple(dict.fromkeys(found))


def read_words(text: str, *, subject: str, ids: tuple[str, ...], not_recipients: frozenset[str]) -> Words | None:
    """What a text says of a mail, with the header of it below or not; None if it is not that it came back.

    `ids` are Message-IDs known already; `not_recipients` addresses to which the mail did not go.
    """
    ids = tuple(dict.fromkeys([*ids, *ids_in(text)]))[:MAX_IDS]
    above = _above_header(text)
    action = _action_in_text(f"{' '.join(subject.split())}\n{' '.join(above.split())}")
    if action is None:
        return None
    status = _STATUS_IN_TEXT.search(above)
    return Words(
        ids, action, _named_recipient(text, above, not_recipients), status[1] if status else "", _reason(above)
    )


def _above_header(text: str) -> str:
    """What stands above the first header of a mail; all of a text without one."""
    found = _ID.search(text)
    if found is None:
        return text
    lines = text[: found.start()].split("\n")
    while lines and (not lines[-1] or _HEADER_LINE.match(lines[-1])) and lines[-1].strip(" \t>|"):
        lines.pop()
    return "\n".join(lines)


def _tells_of_failure(text: str) -> bool:
    return any(phrases.search(text) for phrases in _FAILED)


def _action_in_text(said: str) -> Action | None:
    if _DELAYED.search(said) and not _FOR_GOOD.search(said):
        return "delayed"
    if _tells_of_failure(said):
        return "failed"
    return "delivered" if _DELIVERED.search(said) else None


def _named_recipient(text: str, above: str, others: frozenset[str]) -> str:
    """The first address of which the words speak; else whom the mail's own header is to."""
    to = _TO.search(text, len(above))
    named = [*all_addresses(above), *(all_addresses(to[1]) if to else ())]
    return next((each for each in named if each.lower() not in others and not is_robot(each)), "")


def _reason(above: str) -> str:
    """The paragraph with a code of SMTP, from its code on; else the line that says what happened."""
    for paragraph in _BETWEEN.split(above):
        if found := _CODED.search(paragraph):
            return " ".join(paragraph[found.start() :].split())
    lines = (" ".join(line.split()) for line in above.split("\n"))
    return next((line for line in lines if _tells_of_failure(line)), "")
