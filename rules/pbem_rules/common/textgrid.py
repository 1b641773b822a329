"""Text maps: a canvas of characters, and lists that flow within a width.

Made for plain mail: pure text, no line wider than the width given, no blanks at
line ends.
"""

from __future__ import annotations

from collections.abc import Iterable


class TextGrid:
    """A canvas of `width` × `height` characters that is drawn on and read.

    Text outside of it is cut off, so a drawing is never wider than its canvas.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._rows = [[" "] * width for _ in range(height)]

    def copy(self) -> TextGrid:
        """Return a copy of the canvas, so that a background need be drawn only once."""
        other = TextGrid(0, 0)
        other.width, other.height = self.width, self.height
        other._rows = [row.copy() for row in self._rows]
        return other

    def put(self, x: int, y: int, label: str) -> None:
        """Write to the right from column `x` of row `y`, over the text there."""
        if 0 <= y < self.height:
            start, end = max(x, 0), min(x + len(label), self.width)
            if start < end:
                self._rows[y][start:end] = label[start - x : end - x]

    def lines(self) -> list[str]:
        """Return the rows from the top, without blanks at their ends."""
        return ["".join(row).rstrip() for row in self._rows]


def flow(head: str, items: Iterable[str], *, width: int, gap: str = "  ") -> list[str]:
    """Return lines that begin with `head` and go on with the items, wrapped under the first item.

    An item is never broken, unless it is wider than the room it has; no items give no lines.
    """
    room = width - len(head)
    lines: list[str] = []
    for item in items:
        shown = item[:room]
        if lines and len(lines[-1]) + len(gap) + len(shown) <= width:
            lines[-1] += gap + shown
        else:
            lines.append((" " * len(head) if lines else head) + shown)
    return lines
