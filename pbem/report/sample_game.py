"""A sample of a game's board, for people who do not play it yet: a few turns of its own bots.

It is made of the ruleset alone, with a fixed seed, so that it shows nothing of any
campaign. It is made once in a process: playing and painting take a tenth of a second
to half a second with the games that come with the program.
"""

from __future__ import annotations

import functools
import io
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from PIL import Image

from pbem.log import event
from pbem.report.pictures import render_png
from pbem.ruleset.dice import Dice
from pbem.ruleset.drawing import Picture
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset, TurnInput, bot_lines, mailed_views
from pbem.ruleset.values import SeatName, View

TURNS = 4
"""Turns that are played: after them the boards of all games show more than their set-up."""

SECONDS = 2.0
"""Processor time after which no further turn is played."""

_SEATS = 3
_SEED = b"a sample for invitations"


@dataclass(frozen=True, slots=True)
class SampleBoard:
    """A painted sample: PNG, alternative text and size in CSS pixels."""

    title: str
    png: bytes
    width: int
    height: int


_MADE: dict[AnyRuleset, SampleBoard | None] = {}
_LOCK = threading.Lock()


def sample_board(ruleset: AnyRuleset) -> SampleBoard | None:
    """Return the sample of a game, made when it is first asked for; None if there is none. Never raises."""
    with _LOCK:
        if ruleset not in _MADE:
            _MADE[ruleset] = _paint_sample(ruleset)
        return _MADE[ruleset]


BAND = 0.36
"""Height of the middle band of a picture, as a part of its width."""


@functools.lru_cache(maxsize=32)
def middle_band(png: bytes) -> bytes:
    """Return the middle of a picture in its whole width, without what stands above and below."""
    with Image.open(io.BytesIO(png)) as picture:
        height = min(picture.height, round(picture.width * BAND))
        top = (picture.height - height) // 2
        band = io.BytesIO()
        picture.crop((0, top, picture.width, top + height)).save(band, "PNG", optimize=True)
    return band.getvalue()


def _paint_sample(ruleset: AnyRuleset) -> SampleBoard | None:
    try:
        picture = sample_picture(ruleset)
    except Exception as error:  # noqa: BLE001 - a game may raise anything, and a mail without a picture is better than none
        event("sample board not drawn", level="warning", fault=error, game=ruleset.key)
        return None
    png = render_png(picture) if picture else None
    return SampleBoard(picture.title, png, picture.width, picture.height) if picture and png else None


def sample_picture(ruleset: AnyRuleset) -> Picture | None:
    """Return a picture of a game in play, as all may see it or else as one seat does; None if it draws none."""
    views = play_sample(ruleset, TURNS)
    public = ruleset.public_view(views)
    pictures = public.pictures if public and public.pictures else ruleset.pictures(next(iter(views.values())))
    return next(iter(pictures), None)


class SampleTurn(NamedTuple):
    """A moment of a sample game: the views of all seats, and the orders that led to it."""

    views: dict[SeatName, View]
    orders: Mapping[SeatName, tuple[Order, ...]]


def play_sample(ruleset: AnyRuleset, turns: int) -> dict[SeatName, View]:
    """Return the views of all seats after some turns of bots, fewer if these take more than two seconds."""
    return [*play_turns(ruleset, turns)][-1].views


def play_turns(ruleset: AnyRuleset, turns: int) -> Iterator[SampleTurn]:
    """Yield the moments of a sample game, from its beginning on; fewer turns if they take more than two seconds."""
    seats, dice = _choose_seats(ruleset), Dice(_SEED)
    options = {option.name: option.default for option in ruleset.options}
    state = ruleset.setup(options, seats, dice.within("setup"))
    views = mailed_views(ruleset, state, seats, (), {})
    yield SampleTurn(views, {})
    until = time.thread_time() + SECONDS
    for number in range(1, turns + 1):
        if ruleset.standing(state).over or time.thread_time() > until:
            break
        rolled = dice.within("turn", number)
        orders = _order(ruleset, state, views, rolled)
        state, events = ruleset.resolve(state, TurnInput(orders), rolled.within("rules"))
        views = mailed_views(ruleset, state, seats, events, views)
        yield SampleTurn(views, orders)


def latest_awaited(turns: Sequence[SampleTurn]) -> tuple[SampleTurn, SeatName] | None:
    """Return the latest moment at which orders are awaited from a seat, and that seat; None if there is none."""
    for turn in reversed(turns):
        for seat, view in turn.views.items():
            if view["awaited"] and not view["over"]:
                return turn, seat
    return None


def sample_sheet(ruleset: AnyRuleset, view: View, most: int) -> tuple[Order, ...]:
    """Return the first orders that a bot gives in a view of a sample game."""
    lines = bot_lines(ruleset.bots["standard"], view, Dice(_SEED).within("sheet"))
    return ruleset.parse(view, list(enumerate(lines, 1))).orders[:most]


def _choose_seats(ruleset: AnyRuleset) -> tuple[SeatName, ...]:
    number = min(max(_SEATS, ruleset.seats.least), ruleset.seats.most)
    return (ruleset.seats.names or tuple(f"seat{each}" for each in range(1, number + 1)))[:number]


def _order(
    ruleset: AnyRuleset, state: Any, views: Mapping[SeatName, View], dice: Dice
) -> dict[SeatName, tuple[Order, ...]]:
    bot = ruleset.bots["standard"]
    write = partial(_write_orders, ruleset, views)
    return {
        seat: write(seat, bot_lines(bot, views[seat], dice.within("bot", seat)))
        for seat in sorted(ruleset.standing(state).awaiting)
    }


def _write_orders(
    ruleset: AnyRuleset, views: Mapping[SeatName, View], seat: SeatName, lines: Sequence[str]
) -> tuple[Order, ...]:
    return ruleset.parse(views[seat], list(enumerate(lines, 1))).orders
