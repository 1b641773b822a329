"""Sheets of bots: a game's own bot orders for a seat whose player is absent, from the report of that seat alone.

Such a sheet is made when the turn is computed, saved with its run, and from then on is one like any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pbem.archive.record import bot_seed, turn_dice
from pbem.campaign.order_sheets import SheetReading, parse_sheet
from pbem.campaign.snapshot import CampaignSnapshot, LastReport, OpenTurn, ReceivedSheet, SeatView
from pbem.errors import CampaignError, describe_error
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Bot, SeatName
from pbem.util import TimeLimitExceeded, run_with_time_limit

STANDARD = "standard"

MOST_LINES = 1_000

MOST_SECONDS = 5
"""Processor time of a bot for a sheet; a message that brings a turn about, or a preview of it, has ten."""


@dataclass(frozen=True, slots=True)
class BotSheet:
    """The sheet of a bot for a seat: the one to be used with its reading, or the `fault` for which there is none."""

    place: SeatView
    sheet: ReceivedSheet | None = None
    reading: SheetReading | None = None
    fault: str = ""


def find_bot(ruleset: AnyRuleset) -> Bot:
    """Return the bot that plays seats of absent players. Raises CampaignError if the game has none."""
    if STANDARD not in ruleset.bots:
        raise CampaignError(f'{ruleset.title} has no bot "{STANDARD}" to play a seat')
    return ruleset.bots[STANDARD]


def make_bot_sheets(
    snapshot: CampaignSnapshot, ruleset: AnyRuleset, turn: OpenTurn, last: Mapping[SeatName, LastReport]
) -> tuple[BotSheet, ...]:
    """Return the sheets of the awaited seats that bots play; orders that a player has sent before count first."""
    dice = turn_dice(bot_seed(snapshot.dice_seed), turn.number)
    accepted = {sheet.seat_id for sheet in turn.sheets if sheet.accepted}
    places = [each for each in snapshot.playing if each.bot and each.seat in turn.awaited and each.id not in accepted]
    return tuple(_make_bot_sheet(ruleset, turn, place, last[place.seat], dice) for place in places)


def _make_bot_sheet(ruleset: AnyRuleset, turn: OpenTurn, place: SeatView, last: LastReport, dice: Dice) -> BotSheet:
    try:
        view, bot = json.loads(last.view), find_bot(ruleset)
        lines = run_with_time_limit(MOST_SECONDS, lambda: bot(view, dice.within("bot", place.seat)))
        # Of the report again: a bot may have changed the view that it was given.
        reading = parse_sheet(ruleset, json.loads(last.view), _numbered(lines), frozenset())
    except TimeLimitExceeded:
        return BotSheet(place, fault=f"it has no sheet after {MOST_SECONDS:g} seconds of the processor's time")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a bot may raise anything, and stops no turn
        return BotSheet(place, fault=_describe(error))
    if not reading.accepted:
        return BotSheet(place, fault=f"none of its orders is possible: {reading.parsed.errors[0].text}")
    version = 1 + max((sheet.version for sheet in turn.sheets if sheet.seat_id == place.id), default=0)
    sheet = ReceivedSheet(0, place.id, version, True, reading.digest, reading.text, reading.orders)
    return BotSheet(place, sheet, reading)


def _numbered(lines: object) -> list[tuple[int, str]]:
    """Return the numbered lines of a bot's sheet. Raises TypeError if it is no list of lines."""
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        raise TypeError("it must return a list of lines")
    if len(lines) > MOST_LINES:
        raise ValueError(f"its sheet has {len(lines)} lines, and may have {MOST_LINES}")
    return [(number, " ".join(line.split())) for number, line in enumerate(lines, start=1)]


def _describe(error: BaseException) -> str:
    """Return an exception of a bot in words; its text may raise, too."""
    try:
        return describe_error(error) if isinstance(error, Exception) else type(error).__name__
    except Exception:  # noqa: BLE001 - as above
        return type(error).__name__
