"""The worker process that draws: SVG comes in by its standard input, PNG goes out by its standard output.

Run as a script. It imports nothing of this program, so that it starts quickly,
and it may die of a bad picture without harm to anyone. A job is one line of
JSON, [svg, width, height]; an answer is the length of the PNG in four bytes,
big-endian, and the PNG itself. Length 0 says that the picture could not be drawn.
"""

import json
import sys
from pathlib import Path

import resvg_py

FONTS = Path(__file__).parent / "fonts"
FAMILY = "DejaVu Sans"


def paint(svg: str, width: int, height: int) -> bytes:
    """The PNG of an SVG. Width and height are always given: an SVG that names its own can take all memory."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            height=height,
            # Text in a font that it does not find the renderer leaves out without a word.
            skip_system_fonts=True,
            font_files=[str(path) for path in sorted(FONTS.glob("*.ttf"))],
            font_family=FAMILY,
            sans_serif_family=FAMILY,
        )
    )


def main() -> None:
    """Draws until the standard input ends."""
    for line in sys.stdin.buffer:
        try:
            png = paint(*json.loads(line))
        except ValueError:
            png = b""
        sys.stdout.buffer.write(len(png).to_bytes(4, "big") + png)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
