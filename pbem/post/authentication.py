"""What the receiving mail server found out about a mail's sender: Authentication-Results (RFC 8601).

Anybody can write such a field. Only the topmost of a mail is looked at, and it
is believed only if it bears the name that the house's own server signs with:
whatever came with the mail stands below what that server has put on top.

Large providers have a server of another name for each check, or each mail, and
write several fields: where the house names them all ("*.icloud.com"), those are
read that stand together on top, above the Received field of whoever took the
mail. What the first of them says of a method holds, so that one further down
takes nothing back. Microsoft's servers write no name at all ("unnamed").

Reading is total: any bytes give a verdict, in time in proportion to their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pbem.post.mime import MAX_FIELD, MAX_HEAD

Verdict = Literal["pass", "fail", "none"]
"""The server vouches for the address in From, says that it is forged, or says nothing of use."""

_END_OF_HEAD = re.compile(rb"\A\r?\n|\n\r?\n")
_FIELD = re.compile(
    rb"^(authentication-results|received)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.IGNORECASE | re.MULTILINE
)
_METHODS = frozenset({"dmarc", "dkim", "spf"})

UNNAMED = "unnamed"
"""What a house is told whose server writes fields without its name."""

ANY_BELOW = "*."
"""How the names begin of a house whose provider has many servers."""

MAX_FIELDS = 20

_OUTSIDE = re.compile(r'[^"();\\]++|"(?:[^"\\]|\\.?)*+("|\Z)|[();]', re.DOTALL)
_INSIDE = re.compile(r"[^()\\]++|\\.|[()]", re.DOTALL)
"""What a field consists of, outside and inside of comments; the group is empty for a quotation that does not end."""

_EQUATION = re.compile(
    r'(?<!\s)\s*+(?<![\w.-])([a-z][\w.-]*+)(?:\s*+/\s*+[0-9]++)?\s*+=\s*+((?:"(?:[^"\\]|\\.?)*+(?:"|\Z)|[^\s"])++)',
    re.IGNORECASE | re.ASCII,
)
"""The result of a method, maybe with the method's version, or a property that it looked at."""

_SHOWN_BY = {"dkim": ("header.d", "header.i"), "spf": ("smtp.mailfrom", "smtp.mail", "smtp.mfrom")}
"""The properties that tell for which domain a result holds."""


@dataclass(frozen=True, slots=True)
class _Result:
    """What one method came to, and the properties it looked at, by names such as "header.from"."""

    method: str
    result: str
    properties: Mapping[str, str]

    def is_for(self, domain: str) -> bool:
        """Whether it holds for senders of a domain, because it holds for that or one above it."""
        held = [self.properties.get(name, "").rpartition("@")[2] for name in _SHOWN_BY.get(self.method, ())]
        # Whoever signs for "org" alone is above every domain that ends so, and vouches for none of them.
        return any("." in each and f".{domain}".endswith(f".{each}") for each in held)


def sender_verdict(raw: bytes, authserv_id: str, sender: str | None) -> Verdict:
    """What the server of that name says of a mail's sender; "none" without such a name. Never raises.

    DMARC decides where it gives a result. Otherwise a signature or an SPF pass
    counts if it is for the sender's domain, and so does an SPF fail. A broken
    signature counts as none (RFC 6376, 6.1): mailing lists break many.
    """
    if not authserv_id or sender is None:
        return "none"
    results = list[_Result]()
    for segments in _words(raw, authserv_id.lower()):
        told = {each.method for each in results}
        results += [each for each in _read(segments) if each.method in _METHODS - told]
    return _weighed(results, sender.rpartition("@")[2].lower())


def bears_word(raw: bytes, authserv_id: str) -> bool:
    """Return whether the topmost such field of a mail bears the name of the server."""
    return any(True for _ in _words(raw, authserv_id.lower()))


def _words(raw: bytes, name: str) -> Iterator[list[str]]:
    """Yield the results in the topmost fields that bear the name."""
    for field in _topmost(raw, MAX_FIELDS if name.startswith(ANY_BELOW) else 1):
        segments = _of_server(_segments(field), name)
        if segments is None:
            return
        yield segments


def _of_server(segments: list[str], name: str) -> list[str] | None:
    """The results in a field, if it bears the name; None if it is anybody else's."""
    if not segments:
        return None
    if name == UNNAMED:
        return segments if "=" in segments[0] else None
    first = (segments[0].split() or [""])[0].strip('"').lower()
    own = first.endswith(name[1:]) if name.startswith(ANY_BELOW) else first == name
    return segments[1:] if own else None


def _weighed(results: list[_Result], domain: str) -> Verdict:
    dmarc = {
        each.result
        for each in results
        if each.method == "dmarc" and each.properties.get("header.from", domain) == domain
    }
    if "fail" in dmarc:
        return "fail"
    held = {(each.method, each.result) for each in results if each.is_for(domain)}
    if "pass" in dmarc or held & {("dkim", "pass"), ("spf", "pass")}:
        return "pass"
    return "fail" if ("spf", "fail") in held else "none"


def _topmost(raw: bytes, most: int) -> Iterator[str]:
    """The first such fields of a mail, with no Received between; one that is too long to be a server's is empty."""
    head = raw[:MAX_HEAD]
    end = _END_OF_HEAD.search(head)
    found = 0
    for name, content in _FIELD.findall(head[: end.start() + 1] if end else head):
        if name.lower() == b"received":
            if found:
                return
        elif found < most:
            found += 1
            yield content.decode("utf-8", "replace") if len(content) <= MAX_FIELD else ""


def _segments(field: str) -> list[str]:
    """What stands between semicolons, without comments; nothing if comments or quotations do not end."""
    segments, depth, at = [""], 0, 0
    while at < len(field):
        found = (_INSIDE if depth else _OUTSIDE).match(field, at)
        if found is None or (not depth and found[1] == ""):
            return []
        at, part = found.end(), found[0]
        if part in "()":
            depth += 1 if part == "(" else -1
            segments[-1] += " "
        elif part == ";" and not depth:
            segments.append("")
        elif not depth:
            segments[-1] += part
        if depth < 0:
            return []
    return [] if depth else segments


def _read(segments: list[str]) -> Iterator[_Result]:
    for segment in segments:
        pairs, at = [], 0
        while found := _EQUATION.match(segment, at):
            pairs.append((found[1].lower(), found[2].replace('"', "").lower()))
            at = found.end()
        if pairs:
            (method, result), *properties = pairs
            yield _Result(method, result, dict(reversed(properties)))
