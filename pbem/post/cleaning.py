"""From the text of a mail to the lines its writer typed: plain characters, no quotations, no signature."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_TEXT = 200_000
"""Characters of a mail's text that are read."""

ATTRIBUTION_LINES = 3
"""Mail programs wrap "On … wrote:" onto up to so many lines."""

HEADER_BLOCK_LINES = 6

_ODD = re.compile(r"[^\t\n -~]")
_PLAIN = {
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)]),
    **dict.fromkeys([0xAD, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF]),
    **dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "),
    **dict.fromkeys([0x0B, 0x0C, 0x85, 0x2028, 0x2029, 0x0A], "\n"),
    **dict.fromkeys([0xB4, *range(0x2018, 0x201C), 0x2032], "'"),
    **dict.fromkeys([0xAB, 0xBB, *range(0x201C, 0x2020), 0x2033], '"'),
    **dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63, 0xFF0D], "-"),
    0x09: "\t",
    0x2026: "...",
}

HEADER = re.compile(r"\s*ORDERS\s+\S+\s+\S+", re.IGNORECASE)
"""How a sheet's header line begins."""

_ATTRIBUTION_START = re.compile(r"\s*(?:on|am|le|el|il|op|em|den|på|w dniu|dnia)\s", re.IGNORECASE)
_ATTRIBUTION_END = re.compile(
    r".*\b(?:wrote|a écrit|escribió|ha scritto|escreveu|napisał\S{0,3}|(?:schrieb|schreef|skrev)\b.{0,100})\s?:\s*",
    re.IGNORECASE,
)
_DIVIDER = re.compile(
    r"\s*(?:-{2,}\s*(?:original message|ursprüngliche nachricht|original-?nachricht|message d'origine|message original"
    r"|mensaje original|messaggio originale|oorspronkelijk bericht|forwarded message|weitergeleitete nachricht)\s*-{2,}"
    r"|begin forwarded message:)\s*",
    re.IGNORECASE,
)
_FROM_FIELD = re.compile(r"\s*\*?(?:from|von|de|da|van|från|fra)\s?:", re.IGNORECASE)
_SUSPECT = re.compile(rf"{_ATTRIBUTION_START.pattern}|{_FROM_FIELD.pattern}|\s*--|begin ", re.IGNORECASE)
"""How the lines begin that are worth a closer look."""

_OTHER_FIELD = re.compile(
    r"\s*\*?(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|fecha|para|asunto|inviato|data|oggetto"
    r"|verzonden|aan|onderwerp|skickat|till|ämne)\s?:",
    re.IGNORECASE,
)
_DEVICE = re.compile(
    r"\s*(?:sent from |get outlook for |gesendet von |von meinem .{1,40} gesendet|envoyé de(?:puis)? mon "
    r"|enviado desde mi |inviato da ).{0,60}",
    re.IGNORECASE,
)
"""What telephones put below a mail."""


def plain(text: str) -> str:
    """Text with line ends of one kind, blanks, quotes and dashes as typewriters have them, and nothing invisible."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate(_PLAIN) if _ODD.search(text) else text


def unflow(text: str, *, delete_space: bool) -> str:
    """Text of `format=flowed` with its soft line ends taken out (RFC 3676). Quoted lines stay as they are."""
    lines: list[list[str]] = []
    soft = False
    for raw in text.split("\n"):
        line = raw if raw.startswith(">") else raw.removeprefix(" ")
        if not soft or line.startswith(">"):
            lines.append([])
        soft = line.endswith(" ") and line != "-- " and not line.startswith(">")
        lines[-1].append(line[:-1] if soft and delete_space else line)
    return "\n".join(map("".join, lines))


def has_header(text: str) -> bool:
    """Whether a line of the text begins a sheet."""
    return any(map(HEADER.match, text.split("\n")))


def own_lines(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """What the writer typed himself, and notes on what was left out.

    Lines quoted with ">" and the attribution above them go. An original that
    is not marked so goes too, from its attribution or header block to the end;
    but if nothing is written above it and a sheet begins in it, its writer has
    filled that in.
    """
    kept, notes = _without_originals(lines)
    last = max((number for number, line in enumerate(kept) if HEADER.match(line)), default=-1)
    for number in range(last + 1, len(kept)):
        if kept[number].rstrip() == "--":
            notes.append("The signature was left out.")
            kept = kept[:number]
            break
    return [line.rstrip() for line in kept if not _DEVICE.fullmatch(line)], notes


def _without_originals(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    headers = [number for number, line in enumerate(lines) if HEADER.match(line)]
    first, last = (headers[0], headers[-1]) if headers else (len(lines), -1)
    kept: list[str] = []
    notes: list[str] = []
    quoted = skip = 0
    written = inside = False
    for number, line in enumerate(lines):
        if skip:
            skip -= 1
            continue
        taken = _attribution(lines, number)
        if line.lstrip().startswith(">"):
            quoted += 1
        elif taken and _quote_follows(lines, number + taken):
            skip = taken - 1
        elif taken and (written or number > last or number > first):
            sheet = ", with the sheet in it; write your orders above it" if number < last else ""
            notes.append(f"The earlier mail below {_shortened(line)!r} was left out{sheet}.")
            break
        else:
            inside = inside or taken > 0
            written = written or (not inside and bool(line.strip()))
            kept.append(line)
    if quoted:
        notes.insert(0, f"{quoted} quoted line{'s were' if quoted > 1 else ' was'} left out.")
    return kept, notes


def _shortened(line: str) -> str:
    line = line.strip()
    return line if len(line) <= 40 else line[:39] + "…"


def _attribution(lines: Sequence[str], number: int) -> int:
    """How many lines from here are what a mail program puts above an original; 0 if they are something else."""
    line = lines[number]
    if not _SUSPECT.match(line):
        return 0
    if _ATTRIBUTION_START.match(line):
        for count in range(1, ATTRIBUTION_LINES + 1):
            if _ATTRIBUTION_END.fullmatch(" ".join(lines[number : number + count])[:500]):
                return count
    if _DIVIDER.fullmatch(line):
        return 1
    if _FROM_FIELD.match(line):
        block = lines[number + 1 : number + HEADER_BLOCK_LINES]
        return 1 if sum(1 for other in block if _OTHER_FIELD.match(other)) >= 2 else 0
    return 0


def _quote_follows(lines: Sequence[str], number: int) -> bool:
    for line in lines[number : number + 3]:
        if line.strip():
            return line.lstrip().startswith(">")
    return False
