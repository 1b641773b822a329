"""Play games for the suites, with default, other and extreme options and numbers of seats."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from pbem.archive.record import setup_dice, turn_dice
from pbem.errors import describe_error
from pbem.games import fault_place
from pbem.ruleset.dice import Dice
from pbem.ruleset.order_types import Finding, Order, ParsedSheet
from pbem.ruleset.protocol import AnyRuleset, TurnInput, bot_lines, with_memory
from pbem.ruleset.serialization import through_json
from pbem.ruleset.tokenizer import split_words
from pbem.ruleset.values import Event, Option, SeatName, View


def default_options(ruleset: AnyRuleset) -> dict[str, Any]:
    """Return the options of a campaign whose GM chose none."""
    return {option.name: option.default for option in ruleset.options}


def other_options(ruleset: AnyRuleset) -> dict[str, Any]:
    """Return options in which every switch and choice differs from its default; numbers stay."""
    others: dict[str, Callable[[Option], Any]] = {
        "bool": lambda option: not option.default,
        "choice": lambda option: next(choice for choice in option.choices if choice != option.default),
    }
    return {
        option.name: others[option.kind](option) if option.kind in others else option.default
        for option in ruleset.options
    }


def seat_names(ruleset: AnyRuleset, count: int) -> tuple[SeatName, ...]:
    """Return the first seats of a game, or invented ones where any name will do."""
    return (ruleset.seats.names or tuple(f"seat{number}" for number in range(1, count + 1)))[:count]


def seat_counts(ruleset: AnyRuleset) -> list[int]:
    """Return all numbers of seats, or only the extremes if there are more than eight."""
    least, most = ruleset.seats.least, ruleset.seats.most
    return list(range(least, most + 1)) if most <= 8 else [least, least + 1, min(most, 64)]


def corners(options: Iterable[Option]) -> list[dict[str, Any]]:
    """Return option values at their bounds: each option alone, then all low and all high."""
    declared = list(options)
    default = {option.name: option.default for option in declared}
    alone = [default | {option.name: value} for option in declared for value in bounds(option)]
    low = {option.name: bounds(option)[0] for option in declared}
    high = {option.name: bounds(option)[-1] for option in declared}
    return [default, *alone, low, high]


def bounds(option: Option) -> list[Any]:
    """Return the extreme values of an option; all of them for a switch or a choice."""
    if option.kind == "int":
        return [option.low, option.high]
    if option.kind == "bool":
        return [False, True]
    return list(option.choices) or [option.default]


class PlayError(AssertionError):
    """Raised for what keeps a turn from being played; the text is a sentence for the author of the game."""


@contextmanager
def during(ruleset: AnyRuleset, name: str) -> Iterator[None]:
    """Raise PlayError for whatever the block raises, with file and line of the game's code."""
    try:
        yield
    except PlayError:
        raise
    except Exception as error:
        place = fault_place(error, ruleset)
        raise PlayError(f"{name} failed: {describe_error(error)}" + (f", at {place}" if place else "")) from error


SEED = bytes(range(32))
STANDARD_CAP = 40
RANDOM_TURNS = 15
CROWD, CROWDED_TURNS, CROWDING_LINES = 6, 10, 3

REMEMBERED = 2
"""Rulesets whose games are cached: a suite uses one of them again and again, and played games are large."""

Player = Callable[[AnyRuleset, View, Dice], list[str] | None]
"""Function that returns the lines of a sheet, or None to send none."""


@dataclass(frozen=True)
class Step:
    """One turn of a game: the state that it opened with, the views mailed, the sheets sent and the result."""

    number: int
    state: Any
    heard: tuple[Event, ...]
    views: Mapping[SeatName, View]
    parsed: Mapping[SeatName, ParsedSheet]
    turn: TurnInput
    after: Any
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Game:
    """A game as far as it was played, to its end or to a cap."""

    ruleset: AnyRuleset
    seats: tuple[SeatName, ...]
    first: Any
    steps: tuple[Step, ...]

    @property
    def last(self) -> tuple[Any, tuple[Event, ...]]:
        """The state after the last turn, and the events that led to it."""
        return (self.steps[-1].after, self.steps[-1].events) if self.steps else (self.first, ())

    def worlds(self) -> Iterator[tuple[Any, tuple[Event, ...]]]:
        """Yield every state of the game with the events that led to it."""
        for step in self.steps:
            yield step.state, step.heard
        yield self.last

    def views(self) -> Iterator[View]:
        """Yield every view of every seat, the last ones included."""
        for step in self.steps:
            yield from step.views.values()
        last = self.steps[-1].views if self.steps else {}
        state, events = self.last
        for seat in self.seats:
            yield mail_view(self.ruleset, state, seat, events, last=last.get(seat))


def number_lines(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return lines numbered from 1, as a parser takes them."""
    return list(enumerate(lines, 1))


def mail_view(
    ruleset: AnyRuleset, state: Any, seat: SeatName, events: Sequence[Event], *, last: View | None = None
) -> View:
    """Return the view of a seat as everything outside the ruleset reads it; `last` is that of its report before."""
    view: View = through_json(with_memory(ruleset, ruleset.view(state, seat, events), last))
    return view


def standard(ruleset: AnyRuleset, view: View, dice: Dice) -> list[str]:
    """Return a sheet of the game's own standard bot."""
    return bot_lines(ruleset.bots["standard"], view, dice)


def random_lines(ruleset: AnyRuleset, view: View, dice: Dice) -> list[str] | None:
    """Return well-formed nonsense, sometimes None, and sometimes the bot's sheet with nonsense around it."""
    if dice.chance(1, 6, "silent"):
        return None
    lines = [ruleset.orders.invent(view, dice, "line", count) for count in range(dice.below(8, "lines"))]
    return lines if dice.chance(1, 2, "alone") else lines[:4] + standard(ruleset, view, dice) + lines[4:]


def crowding_lines(ruleset: AnyRuleset, view: View, dice: Dice) -> list[str]:
    """Return lines that all seats choose alike, as far as their views allow, and behind them those of the bot."""
    alike = Dice(b"crowd").within(view["label"])
    verbs = [verb for verb in ruleset.orders.verbs if not verb.order.ends_seat]
    chosen = [alike.pick(verbs, "verb", count) for count in range(CROWDING_LINES)]
    return [*(verb.invent(view, alike, number) for number, verb in enumerate(chosen)), *standard(ruleset, view, dice)]


def play(
    ruleset: AnyRuleset,
    player: Player,
    cap: int,
    *,
    game: int = 0,
    options: Mapping[str, Any] | None = None,
    seats: tuple[SeatName, ...] = (),
) -> Game:
    """Play until the game is over or `cap` turns are done, with default options and the usual seats if none are given.

    Another `game` number makes the players act differently.
    """
    seats = seats or usual_seats(ruleset)
    first = state = ruleset.setup(options or default_options(ruleset), seats, setup_dice(SEED))
    events: tuple[Event, ...] = ()
    used: dict[SeatName, tuple[Order, ...]] = {}
    steps: list[Step] = []
    views: Mapping[SeatName, View] = {}
    while len(steps) < cap and not ruleset.standing(state).over:
        luck = Dice(b"players").within(game, len(steps))
        with during(ruleset, f"view after turn {len(steps)}"):
            views = {seat: mail_view(ruleset, state, seat, events, last=views.get(seat)) for seat in seats}
        write = functools.partial(_write_sheet, ruleset, player, luck)
        played = _play_turn(ruleset, len(steps) + 1, state, events, views, used, write)
        used |= played.turn.orders
        steps.append(played)
        state, events = played.after, played.events
    return Game(ruleset, tuple(seats), first, tuple(steps))


def _write_sheet(ruleset: AnyRuleset, player: Player, luck: Dice, view: View) -> list[str] | None:
    return player(ruleset, view, luck.within(view["seat"]))


def _play_turn(
    ruleset: AnyRuleset,
    number: int,
    state: Any,
    events: tuple[Event, ...],
    views: Mapping[SeatName, View],
    used: Mapping[SeatName, tuple[Order, ...]],
    write: Callable[[View], list[str] | None],
) -> Step:
    parsed: dict[SeatName, ParsedSheet] = {}
    orders: dict[SeatName, tuple[Order, ...]] = {}
    missing: set[SeatName] = set()
    # Sorted: the order of a set follows from PYTHONHASHSEED, under another of which games are played again.
    for seat in sorted(ruleset.standing(state).awaiting):
        with during(ruleset, f"the bot of {seat} in turn {number}"):
            lines = write(views[seat])
        if lines is None:
            missing.add(seat)
            with during(ruleset, f"defaults of {seat} in turn {number}"):
                orders[seat] = ruleset.defaults(views[seat], used.get(seat, ()))
        else:
            with during(ruleset, f"parse of {seat} in turn {number}"):
                parsed[seat] = ruleset.parse(views[seat], number_lines(lines))
            orders[seat] = parsed[seat].orders
    turn = TurnInput(orders, missing=frozenset(missing))
    with during(ruleset, f"resolve of turn {number}"):
        after, happened = ruleset.resolve(state, turn, turn_dice(SEED, number))
    return Step(number, state, events, views, parsed, turn, after, happened)


@functools.lru_cache(maxsize=REMEMBERED)
def standard_game(ruleset: AnyRuleset) -> Game:
    return play(ruleset, standard, STANDARD_CAP)


@functools.lru_cache(maxsize=REMEMBERED)
def other_games(ruleset: AnyRuleset) -> tuple[Game, ...]:
    """Return a game of standard bots with `other_options`, if these differ from the defaults."""
    options = other_options(ruleset)
    changed = options != default_options(ruleset)
    return (play(ruleset, standard, STANDARD_CAP, options=options),) if changed else ()


@functools.lru_cache(maxsize=REMEMBERED)
def random_games(ruleset: AnyRuleset) -> tuple[Game, ...]:
    """Return games of `random_lines`; several, since such players often resign."""
    played: list[Game] = []
    while sum(len(game.steps) for game in played) < RANDOM_TURNS:
        played.append(play(ruleset, random_lines, RANDOM_TURNS, game=len(played)))
    return tuple(played)


@functools.lru_cache(maxsize=REMEMBERED)
def crowded_game(ruleset: AnyRuleset) -> Game:
    """Return a game of up to six seats that want the same things: ties and collisions at every turn."""
    seats = seat_names(ruleset, min(ruleset.seats.most, CROWD))
    return play(ruleset, crowding_lines, CROWDED_TURNS, seats=seats)


def games(ruleset: AnyRuleset) -> tuple[Game, ...]:
    """Return the games that the suites examine, played once in a process."""
    return standard_game(ruleset), *other_games(ruleset), *random_games(ruleset)


def usual_seats(ruleset: AnyRuleset) -> tuple[SeatName, ...]:
    """Return three seats, or as near to that as a game allows: enough for a secret between two others."""
    return seat_names(ruleset, min(seat_counts(ruleset), key=lambda count: abs(count - 3)))


HOSTILE = {
    "empty": [],
    "blank": ["", "   ", "\t", "\u00a0"],
    "comments": ["; nothing", "# nothing", ";;;", "#\\"],
    "long": ["x" * 10_000, "FIRE " * 2_000, '"' * 10_000, "a \\" * 3_000],
    # The last one is half of a surrogate pair, which no encoding can write.
    "control": ["\x00", "MOVE\x00A", "\x1b[2J\x07", "".join(map(chr, range(32))), "\u2028\u2029\x85", "\ud800"],
    # int() refuses more than 4,300 digits (Python 3.11), and reads digits of every script.
    "numbers": ["1" * 5_000, "-1", "+0", "1e999", "NaN", "٣", "９９９９９", "9" * 9, "0x10"],
    # upper() makes two letters of ß, lower() two of İ.
    "emoji": ["🚀", "MOVE 🚀 🚀", "👩‍👩‍👧‍👦 " * 50, "ﷺ", "ß", "İ ı", "Z̸̨͍a̵l̶g̷o̴"],
    "quotes": ['"', '""', '"" ""', '"unclosed', 'a"b"c', "'single'", '"a\\'],
    # The last backslash continues beyond the end of the sheet.
    "continued": ["\\", "\\", "MOVE \\", "\\"],
    # Signs that mean something in HTML, Jinja, formats, paths and SQL.
    "markup": [
        "<script>alert(1)</script>",
        "{{ 7 * 7 }}",
        "{% for x in y %}",
        "%s%n",
        "../../etc/passwd",
        "'; DROP TABLE",
    ],
    # A sheet has at most 2,000 lines, and after 50 findings the rest is not read (decision 2).
    "many": ["NO SUCH ORDER"] * 5_000,
}


def hostile_sheets(ruleset: AnyRuleset) -> Iterator[tuple[str, list[str]]]:
    """Yield named sheets: the general ones, and every verb of a game with arguments that it does not know."""
    yield from HOSTILE.items()
    strange = ["", "0", "-5", "999999999", "nothing", '""', "🚀", "\x00", "x" * 400, "A1 B2 C3 D4 E5 F6 G7"]
    yield "verbs", [f"{verb.word} {rest}" for verb in ruleset.orders.verbs for rest in strange]


def spoil_word(line: str, rnd: random.Random, words: Iterable[str]) -> str:
    """Return a line with one of its words, but not the first, replaced by any of `words`."""
    parts = line.split()
    if len(parts) > 1:
        parts[rnd.randrange(1, len(parts))] = rnd.choice(sorted(words))
    return " ".join(parts)


def mistype(line: str) -> Iterator[str]:
    """Yield the line with typing errors in one word: two letters swapped, one left out, one doubled."""
    words = line.split()
    for at, word in enumerate(words):
        if len(word) > 2 and '"' not in word:
            swapped, short, long = word[0] + word[2] + word[1] + word[3:], word[:1] + word[2:], word + word[-1]
            for bad in (swapped, short, long):
                yield " ".join([*words[:at], bad, *words[at + 1 :]])


def apply_hint(line: str, finding: Finding) -> Iterator[str]:
    """Yield the line with the word that a finding suggests, and the line that it gives as corrected, if any."""
    if finding.corrected:
        yield finding.corrected
    if found := re.search(r"did you mean (.+?)\?", finding.hint):
        offered = found[1].casefold()
        told = {word.strip("':,") for word in finding.text.casefold().split()} - {offered}
        # A finding may repeat other words of the line: the one at fault is the one that resembles what is offered.
        spoken = max(
            (word for word in split_words(line) if word.casefold() in told),
            key=lambda word: SequenceMatcher(None, word.casefold(), offered).ratio(),
            default="",
        )
        if spoken:
            yield line.replace(spoken, found[1], 1)


def find_flaws(finding: Finding, lines: int) -> Iterator[str]:
    """Yield faults of a finding, as far as they can be judged in general."""
    if not 0 <= finding.line <= lines:
        yield f"line {finding.line} of {lines}"
    if finding.severity not in {"error", "warning", "note"}:
        yield f"severity {finding.severity!r}"
    if not finding.code or finding.code != finding.code.lower() or " " in finding.code:
        yield f"code {finding.code!r}"
    if not finding.text.strip():
        yield "no text"
    if not (finding.text + finding.hint).isprintable():
        yield f"text or hint cannot be printed on one line: {finding.text!r} {finding.hint!r}"
    # A finding that echoes a line of 10,000 signs would fill the receipt.
    if len(finding.text) + len(finding.hint) > 2_000:
        yield f"{len(finding.text) + len(finding.hint)} characters"
