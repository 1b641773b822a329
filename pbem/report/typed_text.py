"""Renders text typed by people as HTML: emphasis, lists, tables, headings; the rest as typed.

This is no CommonMark (docs/decisions/0034). People lay out text in older ways, so
anything ambiguous stays as typed: line ends are kept, numbers and dashes before
items stay, and drawings and tables made of blanks and signs stay in columns. The
text of a link is its own address, and HTML is plain text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, starmap

from markupsafe import Markup, escape

from pbem.report.markdown import LINK, rows_of_table
from pbem.report.style import CSS
from pbem.text import format_table

# Columns of a table that fit a phone; a wider table is preformatted, and can be scrolled sideways.
_MOST_COLUMNS = 4

# Characters of a drawn line that fit a phone.
_NARROW = 40

# Characters of the widest drawing; longer lines are prose, and wrapped.
_WIDEST_DRAWN = 100

# Possessive quantifiers (`++`), since a long run of one sign would otherwise be tried in all its divisions.
_FENCE = re.compile(r" {0,3}```[\w+-]{0,20}\s*+")
_RULE = re.compile(r"\A[-=_*~#+. ]++")
_ITEM = re.compile(r" {0,12}(?:[-*•]|\d{1,3}[.)]) +\S")
_HEADING = re.compile(r"(#{1,6}) +(\S.{0,200})")
_TITLE = re.compile(r"[*_\"'(]|(?=[^\W\d_])[^a-z]")
_DELIMITER = re.compile(r"[\s|:-]*+")

_COLUMNS = re.compile(r"\S {3,}+\S|\t\S|[\u2500-\u259f]|\S ?(?:-{3}|={3}|_{3}|~{3}|\.{4})|\|.*\|")
_CLOSE_COLUMNS = re.compile(r"[^\s.!?:;,)\"'] {2}\S")
_FEWEST_SIGNS = 4
# Signs that make up at least half of a drawn line, if it has no columns.
_DRAWING = frozenset("+|/\\=<>#~^.:-_()[]{}")

_CLOSE, _FEWEST_CLOSE = 60, 2
"""Two blanks between words part columns in lines shorter than 60, or if they occur twice in a line."""

_OPENS = re.compile(r"[`*_\[]|(?<!\w)(?:https://|mailto:)")
# Emphasis begins and ends at words: `2*3*4` and `snake_case` are no emphasis (docs/decisions/0034).
_CODE = re.compile(r"(?<![\w`])`(?!\s)([^`]++)(?<!\s)`(?![\w`])")
_STRONG = re.compile(r"(?<![\w*])\*\*(?=[\w\"'(])([^*]++)(?<!\s)\*\*(?![\w*])")
_STRESSED = re.compile(r"(?<![\w*])\*(?=[^\W\d]|[\"'(])([^*]++)(?<!\s)\*(?![\w*])")
_UNDERLINED = re.compile(r"(?<![\w_])_(?=[^\W\d_]|[\"'(])([^_]++)(?<!\s)_(?![\w_])")
_SPANS = ((_CODE, "code"), (_STRONG, "strong"), (_STRESSED, "em"), (_UNDERLINED, "em"))
_ADDRESS = re.compile(r"(?:https://|mailto:)[a-zA-Z0-9][a-zA-Z0-9_.~:/?#@!$&'()*+,;=%-]*+")
_NAMED = re.compile(r"\[([^\[\]]++)\]\(((?:https://|mailto:)[a-zA-Z0-9][a-zA-Z0-9_.~:/?#@!$&'*+,;=%-]*+)\)")
# Signs at the end of an address that rather belong to its sentence.
_BEHIND = ".,;:!?'*_()"

_STYLES = {**CSS, "link": LINK}


@dataclass(frozen=True, slots=True)
class Element:
    """An HTML element: its tag, its children, the name of its style, and its `attributes` as HTML."""

    tag: str
    children: tuple[Element | str, ...] = ()
    style: str = ""
    attributes: str = ""

    @property
    def data(self) -> list[object]:
        """The element as JSON data for scripts: its tag, then texts and elements. The text of an `a` is its address."""
        return [self.tag, *(each if isinstance(each, str) else each.data for each in self.children)]

    def html(self, *, styled: bool) -> str:
        """Return the element as HTML, with inline styles, or without for a page that has its own."""
        style = f' style="{_STYLES[self.style]}"' if self.style and styled else ""
        if self.tag == "br":
            return "<br>"
        inner = [str(escape(each)) if isinstance(each, str) else each.html(styled=styled) for each in self.children]
        return f"<{self.tag}{self.attributes}{style}>{''.join(inner)}</{self.tag}>"


Block = tuple[Element, int] | None


def person_text_html(text: str, level: int = 0, *, styled: bool = True) -> Markup:
    """Return a person's text as HTML; a filter of templates.

    Args:
        text: The text as typed.
        level: The level of its headings, 1 to 6. With 0, as for players' texts, they
            are bold lines, so that no part of a mail can be counterfeited.
        styled: False for a page that has styles of its own.
    """
    return Markup("\n".join(each.html(styled=styled) for each in elements(text, level)))  # noqa: S704 - all is escaped


def elements(text: str, level: int = 0) -> list[Element]:
    """Return a person's text as HTML elements, in their order; `level` as in `person_text_html`."""
    lines = text.expandtabs(4).splitlines()
    return [
        block
        for fenced, part in _split_fences(lines)
        for block in ([_preformat(part)] if fenced else _read_blocks(part, level))
    ]


def _split_fences(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """Yield runs of lines, with True for those between two fences of backquotes."""
    fences = [at for at, line in enumerate(lines) if _FENCE.fullmatch(line)]
    start = 0
    for opening, closing in zip(fences[::2], fences[1::2], strict=False):
        yield False, list(lines[start:opening])
        if any(map(str.strip, lines[opening + 1 : closing])):
            yield True, list(lines[opening + 1 : closing])
        start = closing + 1
    yield False, list(lines[start:])


def _read_blocks(lines: Sequence[str], level: int) -> Iterator[Element]:
    """Yield the blocks of lines without fences; a drawing continues over blank lines."""
    for drawn, groups in groupby(_groups(lines), _is_drawing):
        if drawn:
            yield _preformat([line for group in groups for line in group])
        else:
            for group in groups:
                yield from _blocks([line for line in group if line.strip()], level)


def _groups(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield runs of lines, each with the blank lines below it."""
    group: list[str] = []
    for line in lines:
        if line.strip() and group and not group[-1].strip():
            yield group
            group = []
        if group or line.strip():
            group.append(line)
    if group:
        yield group


def _is_drawing(lines: Sequence[str]) -> bool:
    """Return True if at least half of the lines are drawn, not counting rules, and none of them heads a table."""
    told = [line for line in lines if line.strip() and not _RULE.fullmatch(line)]
    listed = next((at for at, line in enumerate(told) if _ITEM.match(line)), len(told))
    drawn = sum(
        _has_columns(line) or _has_close_columns(line) or (line.startswith("  ") and len(line) < _WIDEST_DRAWN)
        for line in told[:listed]
    )
    drawn += sum(_has_columns(line) or _has_close_columns(line) for line in told[listed:])
    return drawn > 0 and 2 * drawn >= len(told) and not any(starmap(_heads_table, pairwise(lines)))


def _has_columns(line: str) -> bool:
    """Return True if a line is certainly drawn: it has runs of blanks or signs, or consists of signs."""
    if _RULE.fullmatch(line):
        return False
    signs = line.split()
    told = "".join(signs)
    if _COLUMNS.search(line) or (len(signs) >= _FEWEST_SIGNS and len(told) == len(signs)):
        return True
    told = told.rstrip(".!?")
    return len(told) >= _FEWEST_SIGNS and 2 * sum(sign in _DRAWING for sign in told) >= len(told)


def _has_close_columns(line: str) -> bool:
    """Return True if a line may have columns that are two blanks apart."""
    times = len(_CLOSE_COLUMNS.findall(line))
    return times >= (1 if len(line) < _CLOSE else _FEWEST_CLOSE)


def _blocks(lines: Sequence[str], level: int) -> Iterator[Element]:
    """Yield the blocks of consecutive lines, none of them blank."""
    at, plain = 0, list[str]()
    while at < len(lines):
        found = next(filter(None, (read(lines, at, level) for read in _BLOCKS)), None)
        if found is None:
            plain.append(lines[at])
            at += 1
            continue
        if plain:
            yield _paragraph(plain)
            plain = []
        block, at = found
        yield block
    if plain:
        yield _paragraph(plain)


def _heading(lines: Sequence[str], at: int, level: int) -> Block:
    """Read a title behind number signs.

    A single sign before a digit or a small letter means "number", and above another such line it begins a remark.
    """
    found = _HEADING.fullmatch(lines[at])
    if found is None or (len(found[1]) == 1 and (not _TITLE.match(found[2]) or _is_remark(lines, at))):
        return None
    title = tuple(_spans(found[2].rstrip("# ")))
    element = Element(f"h{level}", title, "h4") if level else Element("p", (Element("strong", title),), "line")
    return element, at + 1


def _is_remark(lines: Sequence[str], at: int) -> bool:
    return any(line.startswith("# ") for line in (*lines[max(0, at - 1) : at], *lines[at + 1 : at + 2]))


def _list(lines: Sequence[str], at: int, _level: int) -> Block:
    """Read items with their marks as typed, and the indented lines below each."""
    items: list[list[str]] = []
    while at < len(lines) and (_ITEM.match(lines[at]) or (items and lines[at].startswith("  "))):
        if _ITEM.match(lines[at]):
            items.append([lines[at].rstrip()])
        else:
            items[-1].append(lines[at].strip())
        at += 1
    shown = tuple(Element("li", tuple(_line_elements(item)), "item") for item in items)
    return (Element("ul", shown, "items", ' role="list"'), at) if items else None


def _table(lines: Sequence[str], at: int, _level: int) -> Block:
    """Read a table in pipes, with a line of dashes below its head."""
    if not _heads_table(*lines[at : at + 2]) or not rows_of_table("\n".join(lines[at : at + 2])):
        return None
    end = next((end for end in range(at, len(lines)) if "|" not in lines[end]), len(lines))
    rows = rows_of_table("\n".join(lines[at:end]))
    if len(rows[0]) > _MOST_COLUMNS:
        return _preformat(format_table(rows[1:], *rows[0]).split("\n")), end
    head = Element("tr", tuple(Element("th", tuple(_spans(cell)), "th", ' scope="col"') for cell in rows[0]))
    below = [Element("tr", tuple(Element("td", tuple(_spans(cell)), "row") for cell in row)) for row in rows[1:]]
    return Element("table", (head, *below), "table"), end


def _heads_table(head: str, below: str = "") -> bool:
    return "|" in head and "-" in below and _DELIMITER.fullmatch(below) is not None


def _columns(lines: Sequence[str], at: int, _level: int) -> Block:
    """Read the drawn lines among others."""
    end = next((end for end in range(at, len(lines)) if not _has_columns(lines[end])), len(lines))
    return (_preformat(lines[at:end]), end) if end > at else None


# Readers of a block that begins at a line. Each returns the element and its end, or None if there is no such block.
_BLOCKS: Sequence[Callable[[Sequence[str], int, int], Block]] = (_table, _columns, _heading, _list)


def _paragraph(lines: Sequence[str]) -> Element:
    return Element("p", tuple(_line_elements(lines)), "line")


def _line_elements(lines: Sequence[str]) -> Iterator[Element | str]:
    for at, line in enumerate(lines):
        if at:
            yield Element("br")
        yield from _spans(line)


def _preformat(lines: Sequence[str]) -> Element:
    """Return lines as they were drawn; if they may be wider than a phone, they can be scrolled by keyboard too."""
    text = "\n".join(map(str.rstrip, lines)).strip("\n")
    widest = max(map(len, text.split("\n")))
    if widest > _WIDEST_DRAWN:
        return Element("pre", (text,), "loose")
    # A region that scrolls must be reachable by keyboard, and have a name (WCAG 2.2, 2.1.1 and 4.1.2).
    moved = ' tabindex="0" role="region" aria-label="Drawn"' if widest > _NARROW else ""
    return Element("pre", (text,), "drawn", moved)


def _spans(text: str) -> Iterator[Element | str]:
    """Yield a line in pieces: text, emphasis and links."""
    at = start = 0
    while opened := _OPENS.search(text, start):
        end, shown = _span(text, opened.start())
        if shown:
            yield from filter(None, [text[at : opened.start()]])
            yield from shown
            at = end
        start = max(end, opened.end())
    yield from filter(None, [text[at:]])


def _span(text: str, at: int) -> tuple[int, list[Element | str]]:
    """Return the end and the elements of the span that begins at `at`; no elements if the sign there is a mere sign."""
    if found := _ADDRESS.match(text, at):
        address = found[0].rstrip(_BEHIND)
        return at + len(address), [_link(address)]
    if found := _NAMED.match(text, at):
        return found.end(), [*_spans(found[1]), " (", _link(found[2]), ")"]
    for pattern, tag in _SPANS:
        if found := pattern.match(text, at):
            return found.end(), [Element(tag, (found[1],) if tag == "code" else tuple(_spans(found[1])))]
    return at, []


def _link(address: str) -> Element:
    return Element("a", (address,), "link", f' href="{escape(address)}" rel="noreferrer noopener nofollow"')
