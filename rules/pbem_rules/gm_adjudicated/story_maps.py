"""The drawings of the demo's story: charts of Grey Ness for different readers, and a seal."""

from __future__ import annotations

from collections.abc import Collection

from pbem.ruleset import svg_document, svg_escape

WIDTH, HEIGHT = 640, 430

_LAND = (
    "M0,0H388C420,38 462,66 514,92C566,114 592,140 570,166C544,190 482,176 432,190C392,202 362,224 346,254"
    "C332,284 302,300 272,310C232,322 216,350 182,372C140,394 60,398 0,416Z"
)
_SEA = '<rect width="640" height="430" fill="#b9cdd3"/>' + "".join(
    f'<path d="M{x},{y}q7,-6 14,0t14,0" fill="none" stroke="#8fabb5" stroke-width="1.5"/>'
    for x, y in (
        (470, 40),
        (560, 60),
        (600, 230),
        (470, 260),
        (540, 330),
        (410, 350),
        (330, 390),
        (590, 390),
        (430, 300),
    )
)
_GROUND = (
    f'{_SEA}<path d="{_LAND}" fill="none" stroke="#dfe9e6" stroke-width="16"/>'
    f'<path d="{_LAND}" fill="#ece2c6" stroke="#5b4a32" stroke-width="2.5"/>'
    '<path d="M250,292C300,250 330,200 400,172C450,152 500,146 540,140M0,210C90,220 180,250 250,292" fill="none" '
    'stroke="#8a7350" stroke-width="2.5" stroke-dasharray="7 5"/>'
    '<path d="M268,310l30,16l7,-9" fill="none" stroke="#5b4a32" stroke-width="5"/>'
)
_HILLS = "".join(
    f'<path d="M{x},{y}q16,-24 32,0" fill="none" stroke="#a08c66" stroke-width="2"/>'
    for x, y in ((60, 90), (95, 74), (150, 120), (190, 92), (60, 320), (110, 340))
)
_HOUSES = "".join(
    f'<path d="M{x},{y}v-11l8,-8l8,8v11z" fill="#c9b48a" stroke="#5b4a32" stroke-width="1.5"/>'
    for x, y in ((206, 286), (228, 276), (232, 300), (256, 284))
)
_CHURCH = '<path d="M176,268v-16h20v16zM182,252v-16l5,-9l5,9v16z" fill="#d8c9a4" stroke="#5b4a32" stroke-width="1.5"/>'
_LIGHTHOUSE = (
    '<path d="M534,146l4,-34h12l4,34z" fill="#fbf7ec" stroke="#5b4a32" stroke-width="2"/>'
    '<path d="M536,128h16l1,8h-18z" fill="#a63d2f"/><rect x="537" y="103" width="14" height="9" fill="#5b4a32"/>'
)
_MARKS = {
    "wreck": (
        '<path d="M590,196l34,-9l-9,17l-20,6z" fill="#6b4a2b" stroke="#33210f" stroke-width="1.5"/>'
        '<path d="M602,194l-8,-26M612,191l3,-20" stroke="#33210f" stroke-width="2.5"/>'
    ),
    "cave": '<path d="M104,399c-4,-20 22,-26 28,-8c1,4 0,6 -2,8z" fill="#33210f"/>',
    "boat": '<path d="M212,376h26l-6,9h-14z" fill="#a63d2f" stroke="#33210f" stroke-width="1.5"/>',
    "light": (
        '<path d="M544,107L640,66V150z" fill="#f6d55c" opacity="0.75"/>'
        '<path d="M544,107L470,20h-60z" fill="#f6d55c" opacity="0.55"/><circle cx="544" cy="107" r="7" fill="#f6b73c"/>'
    ),
    "packet": (
        '<path d="M470,52h44l-8,13h-30z" fill="#33210f"/><path d="M482,52v-30l18,26zM496,52v-22l12,20z" '
        'fill="#fbf7ec" stroke="#33210f" stroke-width="1"/>'
    ),
}
_LABELS = (
    ("", 30, 150, "The moor", 15),
    ("", 150, 322, "Grey Ness", 17),
    ("", 166, 222, "church", 12),
    ("", 452, 130, "lighthouse", 13),
    ("", 500, 410, "The North Sea", 15),
    ("wreck", 530, 226, "Margaret Hale", 13),
    ("cave", 140, 414, "the sea cave", 13),
    ("boat", 244, 386, "Pike's boat", 12),
    ("packet", 520, 34, "the packet", 12),
)


def chart(*marks: str) -> str:
    """Return the chart of Grey Ness with some of the marks wreck, cave, boat, light and packet."""
    letters = "".join(_label(x, y, text, size) for mark, x, y, text, size in _LABELS if not mark or mark in marks)
    body = _GROUND + _HILLS + _HOUSES + _CHURCH + _LIGHTHOUSE + _drawn(marks) + letters
    frame = (
        f'<rect x="3" y="3" width="{WIDTH - 6}" height="{HEIGHT - 6}" fill="none" stroke="#5b4a32" stroke-width="3"/>'
    )
    return svg_document(WIDTH, HEIGHT, body + frame, "Grey Ness")


def _drawn(marks: Collection[str]) -> str:
    return "".join(drawing for name, drawing in _MARKS.items() if name in marks)


def _label(x: int, y: int, text: str, size: int) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="#33210f">{svg_escape(text)}</text>'


def seal() -> str:
    """Return the seal on the bill of lading: a lamp with rays, and words around it."""
    rays = "".join(f'<path d="M160,150V92" transform="rotate({turn} 160 160)"/>' for turn in range(-75, 90, 30))
    body = (
        '<rect width="320" height="320" fill="#efe4c8"/><circle cx="160" cy="160" r="128" fill="#9c2f26"/>'
        '<circle cx="160" cy="160" r="104" fill="none" stroke="#efd9b0" stroke-width="3"/>'
        f'<g stroke="#efd9b0" stroke-width="5">{rays}</g>'
        '<path d="M140,214h40l-6,-40h-28zM132,214h56v10h-56z" fill="#efd9b0"/>'
        '<circle cx="160" cy="160" r="17" fill="#f6d55c"/>'
        '<text x="160" y="250" font-size="17" text-anchor="middle" fill="#efd9b0">LUX &#183; 1822</text>'
    )
    return svg_document(320, 320, body, "A seal")
