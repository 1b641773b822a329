"""Renders Markdown of rulebooks for mail: wrapped plain text, and HTML with inline styles."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from markupsafe import Markup

from pbem.report.style import CSS
from pbem.text import WIDTH, format_table

# Parser that shows HTML as text, and fetches no pictures.
_READER = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")

_CODE = ("code_block", "fence")
_STYLES = {
    "h1": "h1",
    "h2": "h2",
    "h3": "h3",
    "h4": "h4",
    "table": "table",
    "th": "th",
    "td": "row",
    "ul": "list",
    "ol": "list",
}
LINK = "color:inherit"
"""The style of links: a mail program's own blue may be hard to read on its dark background."""

# Columns of a table that fit a phone.
_MOST_COLUMNS = 4

# Characters of the longest words of its columns, side by side: 336 pixels in a font of some 9.
_MOST_CHARACTERS = 32

# Columns of a cell below which it is not wrapped.
_NARROWEST = 24

# Read aloud, and in plain text, the stars of bold words are noise.
_BOLD = re.compile(r"\*\*([^*]++)\*\*")

_BREAK = "  \n"  # a hard line break (CommonMark 0.31, 6.7)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its text up to the next heading; `source` has both."""

    level: int
    title: str
    source: str


def sections(source: str) -> tuple[Section, ...]:
    """Return the sections of a text, in their order; text above the first heading is in none."""
    lines, tokens = source.splitlines(), _READER.parse(source)
    heads = [
        (token.map[0], int(token.tag[1:]), tokens[at + 1].content)
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.map
    ]
    ends = [*(start for start, _, _ in heads[1:]), len(lines)]
    return tuple(
        Section(level, title, "\n".join(lines[start:end]).strip())
        for (start, level, title), end in zip(heads, ends, strict=True)
    )


def find_sections(source: str, words: Sequence[str]) -> tuple[Section, ...]:
    """Return the sections with all words in their headings, and their subsections; else those with them in the text."""
    in_text = (section for section in sections(source) if _has_words(section.source, words))
    return headed_sections(source, words) or tuple(in_text)


def headed_sections(source: str, words: Sequence[str]) -> tuple[Section, ...]:
    """Return the sections with all words in their headings, with their subsections; the text's title does not count."""
    return tuple(_with_subsections(sections(source), lambda each: each.level > 1 and _has_words(each.title, words)))


def _with_subsections(every: Sequence[Section], chosen: Callable[[Section], bool]) -> Iterator[Section]:
    level = 0
    for section in every:
        if level and section.level > level:
            yield section
        else:
            level = section.level if chosen(section) else 0
            if level:
                yield section


def _has_words(text: str, words: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(word.casefold() in folded for word in words)


def as_html(source: str, top: int = 0) -> Markup:
    """Return the text as HTML for the body of a mail, in the styles of reports; HTML in it is escaped.

    Its highest heading has the level `top`, if that is given.
    """
    tokens = _READER.parse(_list_wide_tables(source))
    _shift_headings(tokens, top)
    for token in tokens:
        for link in token.children or ():
            if link.type == "link_open":
                link.attrSet("style", LINK)
        if token.tag in _STYLES and token.nesting == 1:
            token.attrSet("style", CSS[_STYLES[token.tag]])
        if token.type in _CODE:
            token.attrSet("style", CSS["wrap"])
        if token.tag == "th" and token.nesting == 1:
            token.attrSet("scope", "col")  # for screen readers
    return Markup(_READER.renderer.render(tokens, _READER.options, {}))  # noqa: S704 - the reader escapes all HTML


def _shift_headings(tokens: Iterable[Token], top: int) -> None:
    heads = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    if top and heads:
        shift = top - min(int(token.tag[1:]) for token in heads)
        for token in heads:
            token.tag = f"h{min(6, int(token.tag[1:]) + shift)}"


def _list_wide_tables(source: str) -> str:
    """Replace each wide table by a list of its rows in words."""
    lines = source.splitlines()
    tables = [node for node in SyntaxTreeNode(_READER.parse(source)).walk() if node.type == "table" and node.map]
    # From the last, so that the line numbers of the others stay right.
    for table in reversed(tables):
        head, *rows = _cells(table)
        if _is_wide([head, *rows]) and table.map:
            lines[slice(*table.map)] = [*(f"- {_row_in_words(head, row)}" for row in rows), ""]
    return "\n".join(lines)


UNBROKEN = 1_000_000
"""The room for paragraphs that are one line each, whatever their length."""


def _is_wide(rows: Sequence[Sequence[str]]) -> bool:
    """Return True for a table with more columns, or longer words in them, than a phone shows."""
    longest = (max((len(word) for row in rows for word in row[at].split()), default=0) for at in range(len(rows[0])))
    return len(rows[0]) > _MOST_COLUMNS or sum(longest) > _MOST_CHARACTERS


def as_text(source: str, room: int = WIDTH) -> str:
    """Return the text with paragraphs wrapped to so many columns, and its tables in the columns of a mail."""
    return _blocks(SyntaxTreeNode(_READER.parse(source)).children, room, "\n\n")


def _blocks(nodes: Sequence[SyntaxTreeNode], room: int, between: str) -> str:
    return between.join(_BLOCKS.get(node.type, _other)(node, room) for node in nodes)


def _other(node: SyntaxTreeNode, room: int) -> str:
    return _blocks(node.children, room, "\n\n") if node.children else node.content.strip()


def _heading(node: SyntaxTreeNode, _room: int) -> str:
    title = _content(node)
    return title.upper() if node.tag in ("h1", "h2") else title


def _paragraph(node: SyntaxTreeNode, room: int) -> str:
    return "\n".join(_wrap(piece, room) for piece in _content(node).split(_BREAK))


def _list(node: SyntaxTreeNode, room: int) -> str:
    return "\n".join(_item(item, room) for item in node.children)


def _item(item: SyntaxTreeNode, room: int) -> str:
    mark = f"{item.info}{item.markup} " if item.info else "- "
    return mark + textwrap.indent(_blocks(item.children, room - len(mark), "\n"), " " * len(mark)).lstrip()


def _code(node: SyntaxTreeNode, _room: int) -> str:
    return textwrap.indent(node.content.rstrip(), "    ")


def _blockquote(node: SyntaxTreeNode, room: int) -> str:
    return textwrap.indent(_blocks(node.children, room - 4, "\n\n"), "    ")


def _table(node: SyntaxTreeNode, room: int) -> str:
    """Return the table in columns, its widest one wrapped if needed; if that is not enough, each row as a paragraph."""
    head, *rows = _cells(node)
    widths = [max(len(row[at]) for row in [head, *rows]) for at in range(len(head))]
    widest = max(range(len(head)), key=widths.__getitem__)
    left = min(room, WIDTH) - sum(widths) + widths[widest] - 2 * (len(head) - 1)
    if left < min(_NARROWEST, widths[widest]):
        return "\n".join(textwrap.indent(_wrap(_row_in_words(head, row), room - 2), "  ")[2:] for row in rows)
    laid = [line for row in rows for line in _row_lines(row, widest, left)]
    widths[widest] = min(widths[widest], left)
    return format_table([["-" * min(width, WIDTH) for width in widths], *laid], *head)


def rows_of_table(source: str) -> list[list[str]]:
    """Return the cells of a text that is one Markdown table, row by row, headings first; none if it is no table."""
    nodes = SyntaxTreeNode(_READER.parse(source)).children
    return _cells(nodes[0]) if [node.type for node in nodes] == ["table"] else []


def _cells(table: SyntaxTreeNode) -> list[list[str]]:
    """Return the rows of a table, headings first."""
    return [[_content(cell) for cell in row.children] for part in table.children for row in part.children]


def _row_in_words(head: Sequence[str], row: Sequence[str]) -> str:
    """Return a row of a table in words: its first cell, then each other after its heading."""
    return f"{row[0]}: " + ", ".join(f"{name} {cell}" for name, cell in zip(head[1:], row[1:], strict=True))


def _row_lines(row: Sequence[str], widest: int, left: int) -> Iterator[list[str]]:
    """Yield the lines of a row whose widest cell is wrapped."""
    for number, piece in enumerate(_wrap(row[widest], left).split("\n")):
        others = row if number == 0 else [""] * len(row)
        yield [piece if at == widest else cell for at, cell in enumerate(others)]


def _content(node: SyntaxTreeNode) -> str:
    """Return the text of a block with its inline marks, but without those of bold words."""
    return _BOLD.sub(r"\1", "".join(child.content for child in node.children))


def _wrap(text: str, room: int) -> str:
    # Long words are hashes and addresses, which must stay whole.
    return textwrap.fill(" ".join(text.split()), room, break_long_words=False, break_on_hyphens=False)


_BLOCKS: Mapping[str, Callable[[SyntaxTreeNode, int], str]] = {
    "heading": _heading,
    "paragraph": _paragraph,
    "bullet_list": _list,
    "ordered_list": _list,
    "table": _table,
    "fence": _code,
    "code_block": _code,
    "blockquote": _blockquote,
}
