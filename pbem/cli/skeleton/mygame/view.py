"""The view of a seat, and its pictures. A view is built by adding: what is not put in cannot leak."""

from collections.abc import Iterator

from pbem.ruleset import Loss, Picture, SeatName, TapTarget, View, box

from mygame.state import State

ROW = 6
"""Caves in a row of map and picture."""

SIDE = 60
"""Pixels of a cave: a row fits the screen of a phone, which has 374."""


def known(state: State, seat: SeatName) -> View:
    """Return the seat's own lantern and points; at the end, everyone's points. Plain data: no tuples, no sets."""
    player = state.players[seat]
    return {
        "turns": state.turns,
        "caves": [str(cave) for cave in range(1, state.caves + 1)],
        "near": [str(cave) for cave in state.near(player.cave)],
        "cave": str(player.cave),
        "score": player.score,
        "scores": {other: state.players[other].score for other in sorted(state.players)} if state.over else {},
    }


def turn_summary(view: View) -> list[str]:
    """Return the headlines, what the seat lost first; a `Loss` is shown in its colour."""
    found = [event for event in view["events"] if event["kind"] == "found"]
    lost = [Loss(f"{event['by'].capitalize()} found your lantern in cave {event['cave']}.") for event in found]
    return [*lost[:4], f"You have {view['score']} points; your lantern is in cave {view['cave']}."]


def without_orders(view: View) -> str:
    """Return what happens to the seat without orders, for reminders."""
    return f"Without orders your lantern stays in cave {view['cave']}, and you search nothing."


def text_map(view: View) -> str:
    """Return the caves in rows, the seat's own between stars."""
    shown = [f"*{cave}*" if cave == view["cave"] else cave for cave in view["caves"]]
    rows = (shown[first : first + ROW] for first in range(0, len(shown), ROW))
    return "\n".join("".join(f"{cave:>6}" for cave in row) for row in rows)


def pictures(view: View) -> tuple[Picture, ...]:
    """Return the picture of the hill, with the seat's own lantern alight."""
    rows = -(-len(view["caves"]) // ROW)
    width, height = ROW * SIDE, rows * SIDE
    caves = "".join(_cave(number, cave, alight=cave == view["cave"]) for number, cave in enumerate(view["caves"]))
    # Stands in place of the picture where pictures are blocked, so it says what matters.
    title = f"The hill of {len(view['caves'])} caves: your lantern is in {view['cave']}."
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
    svg = f"{head}<title>{title}</title>{caves}</svg>"
    return (Picture("hill", title, svg, width, height, spots=tuple(_spots(view))),)


def _spots(view: View) -> Iterator[TapTarget]:
    """Yield the caves as areas that can be tapped on a page."""
    for number, cave in enumerate(view["caves"]):
        told = "your lantern" if cave == view["cave"] else "within reach" if cave in view["near"] else "too far"
        x, y = _corner(number)
        yield TapTarget((cave,), f"cave {cave}: {told}", box(x, y, SIDE, SIDE))


def _corner(number: int) -> tuple[int, int]:
    return SIDE * (number % ROW), SIDE * (number // ROW)


def _cave(number: int, cave: str, *, alight: bool) -> str:
    x, y = (edge + SIDE // 2 for edge in _corner(number))
    fill = "#ffc84a" if alight else "#d8d4cc"
    return (
        f'<circle cx="{x}" cy="{y}" r="20" fill="{fill}"/>'
        f'<text x="{x}" y="{y + 5}" font-family="DejaVu Sans" font-size="14" text-anchor="middle">{cave}</text>'
    )
