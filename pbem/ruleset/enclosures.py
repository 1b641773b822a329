"""Pictures and files that a GM encloses with what he tells: what a game knows of them.

A game holds names, sizes and hashes, and says in which view each stands. The
bytes are the host's, which has looked at them before the game hears of them, and
sends them to those whose views name them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

LARGEST_ENCLOSURE = 2_000_000
"""Bytes of one picture or file."""

LARGEST_ENCLOSED = 4_000_000
"""Bytes of all that goes with one report: mail makes half as much again of them, and many boxes take 20 MB."""

LARGEST_OF_TURN = 16_000_000
"""Bytes of all that comes with one ruling."""

MOST_ENCLOSED = 20
"""Pictures and files of one report."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A picture or a file. `kind` is its media type, `sha256` the hash of its bytes in hex, `size` their number.

    `width` and `height` are pixels of a picture that is shown, and 0 for a file that is only attached. `caption` is
    one line that says what there is to see, "" if the GM has written none.
    """

    name: str
    kind: str
    sha256: str
    size: int
    width: int = 0
    height: int = 0
    caption: str = ""

    @property
    def shown(self) -> bool:
        """Whether it is a picture to be looked at where it is told of."""
        return self.width > 0

    @property
    def title(self) -> str:
        """What stands in its place where it cannot be seen."""
        return self.caption or self.name

    def dump(self) -> dict[str, Any]:
        """It as JSON data, of which `Enclosure(**data)` makes it again."""
        return asdict(self)


Brought = Mapping[str, Enclosure | None]
"""What lies beside a GM's texts, by name; None for what cannot be sent, of which the host says why."""


def as_size(size: int) -> str:
    """A number of bytes as people read it, rounded up."""
    tenths = -(-size // 100_000)
    return f"{tenths / 10:g} MB" if tenths > 1 else f"{-(-size // 1000)} kB"
