"""The arena: bots play many matches against each other, for those who write bots and those who balance games."""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from itertools import islice
from statistics import mean, median
from typing import Any

from pbem.bots.match import Match, seat_names, seed_of
from pbem.errors import CampaignError, ConfigError, GameError, RulesetError
from pbem.report.plot import INK, PALE, PAPER, ChartFrame, score_lines
from pbem.report.pool import WorkerPool
from pbem.ruleset.dice import Dice
from pbem.ruleset.drawing import Background, Drawing, Label, Picture
from pbem.ruleset.fields import suggest
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import Adjudicated, AnyRuleset
from pbem.ruleset.values import Bot, SeatName
from pbem.util import Progress, no_progress

MOST_BOTS = 12
"""Bots of one arena: of more, the ways to choose those of a match are too many to play."""

MOST_TURNS = 500

DRAW = "draws"
"""The name of the line of draws in the plot."""

AHEAD = 8
"""Matches for each process that are given out before the first of them is done."""

_TEXT = 200
"""Characters of an error that are repeated: a bot may put anything into its exceptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A mistake of a bot, and how often it came: it "raised" exceptions, or orders of it were "not accepted"."""

    bot: str
    kind: str
    count: int
    first: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """A match: who played, who won, and how it ended: "won", "draw", or "unfinished" at the limit of turns."""

    game: int
    bots: Mapping[SeatName, str]
    winners: tuple[SeatName, ...]
    end: str
    reason: str
    turns: int
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The matches that a bot, or a seat, has played and won; a bot with several seats of a match counts for each."""

    name: str
    played: int
    won: int

    @property
    def share(self) -> float:
        """The share of the matches that was won."""
        return self.won / self.played if self.played else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaResult:
    """The result of an arena. `lengths` are the fewest, the median, the mean and the most turns of a match."""

    game: str
    title: str
    seed: str
    options: Mapping[str, Any]
    bots: tuple[Tally, ...]
    seats: tuple[Tally, ...]
    draws: int
    unfinished: int
    lengths: Mapping[str, float]
    turns: int
    seconds: float
    turns_per_second: float
    faults: tuple[Fault, ...]
    games: tuple[MatchResult, ...]


@dataclass(frozen=True, kw_only=True)
class Arena:
    """Matches of one game between bots, numbered from 1. A match follows from its number and the seed."""

    ruleset: AnyRuleset
    options: Mapping[str, Any]
    seats: tuple[SeatName, ...]
    bots: Mapping[str, Bot]
    seed: str
    most_turns: int = MOST_TURNS

    def lineup(self, number: int) -> dict[SeatName, str]:
        """Return the bot of each seat: bots take turns to play, and those of a match move on by a seat each time."""
        size = min(len(self.bots), len(self.seats))
        groups = list(itertools.combinations(self.bots, size))
        rounds, moved = divmod(number - 1, size)
        group = groups[rounds % len(groups)]
        return {seat: group[(at + moved) % size] for at, seat in enumerate(self.seats)}

    def play(self, number: int) -> MatchResult:
        """Play one match. Raises GameError if the game itself fails, CampaignError if it cannot be set up."""
        return _ArenaMatch(self, number).play()


class _ArenaMatch:
    """One match, and the faults in it."""

    def __init__(self, arena: Arena, number: int) -> None:
        self._arena, self._number = arena, number
        self._bots = arena.lineup(number)
        self._seed = seed_of(arena.seed, number)
        self._faults: list[Fault] = []

    def play(self) -> MatchResult:
        arena = self._arena
        try:
            match = Match(arena.ruleset, arena.options, arena.seats, self._seed)
        except RulesetError as error:
            raise CampaignError(str(error)) from None
        try:
            while not match.standing.over and match.turns < arena.most_turns:
                match.run(self._orders(match))
        except Exception as error:  # a game may raise anything, and it is not the bots' fault
            where = f"game {self._number}, turn {max(1, match.turns)}"
            raise GameError(f"{arena.ruleset.title} fails in {where}: {_describe(error)}") from error
        standing = match.standing
        end = "unfinished" if not standing.over else "won" if standing.winners else "draw"
        return MatchResult(
            game=self._number,
            bots=self._bots,
            winners=standing.winners,
            end=end,
            reason=standing.reason,
            turns=match.turns,
            faults=_count_faults(self._faults),
        )

    def _orders(self, match: Match) -> dict[SeatName, tuple[Order, ...]]:
        """Return the orders of the awaited seats; a bot that raises has sent no sheet."""
        orders: dict[SeatName, tuple[Order, ...]] = {}
        # Sorted: the order of a set follows from PYTHONHASHSEED.
        for seat in sorted(match.standing.awaiting):
            lines = self._lines(match, seat)
            if lines is not None:
                sheet = match.ruleset.parse(match.view(seat), list(enumerate(lines, 1)))
                for finding in sheet.errors:
                    self._note(match, seat, "not accepted", f"{_line(lines, finding.line)!r}: {finding.text}")
                orders[seat] = sheet.orders
        return orders

    def _lines(self, match: Match, seat: SeatName) -> Sequence[str] | None:
        bot: Callable[..., object] = self._arena.bots[self._bots[seat]]
        dice = Dice(self._seed).within("bot", seat, match.turns)
        try:
            lines = bot(match.view(seat), dice)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a bot may raise anything
            self._note(match, seat, "raised", _describe(error))
            return None
        if isinstance(lines, list | tuple) and all(isinstance(line, str) for line in lines):
            return list(lines)
        self._note(match, seat, "raised", f"it returned {type(lines).__name__}, and must return a list of lines")
        return None

    def _note(self, match: Match, seat: SeatName, kind: str, text: str) -> None:
        where = f"game {self._number}, turn {match.turns + 1}, {seat}"
        self._faults.append(Fault(bot=self._bots[seat], kind=kind, count=1, first=f"{where}: {text[:_TEXT]}"))


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _describe(error: BaseException) -> str:
    """Return an exception of foreign code on one line; its text may raise, too."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - as above
        text = ""
    return f"{type(error).__name__}: {text}"[:_TEXT].removesuffix(": ")


def open_arena(
    ruleset: AnyRuleset,
    bots: Sequence[str] = (),
    *,
    options: Mapping[str, Any],
    seats: int | None = None,
    seed: str = "arena",
    most_turns: int = MOST_TURNS,
) -> Arena:
    """Return the arena of a game for bots by name, or for all that the game has; "module:function" is any other.

    Raises:
        CampaignError, ConfigError: The game has no arena, or not for these bots or seats.
    """
    if isinstance(ruleset, Adjudicated):
        raise CampaignError(f"{ruleset.title} has no arena: its turns wait for the ruling of a GM")
    if not ruleset.bots and not bots:
        raise CampaignError(f"{ruleset.title} has no bots: name one of your own as module:function")
    found = {name: _find_bot(ruleset, name) for name in bots} or dict(ruleset.bots)
    if len(found) > MOST_BOTS:
        raise ConfigError(f"an arena has at most {MOST_BOTS} bots, not {len(found)}")
    names = tuple(seat_names(ruleset, seats))
    return Arena(ruleset=ruleset, options=options, seats=names, bots=found, seed=seed, most_turns=most_turns)


def _find_bot(ruleset: AnyRuleset, name: str) -> Bot:
    if name in ruleset.bots:
        return ruleset.bots[name]
    if ":" not in name:
        raise CampaignError(f"{ruleset.title} has no bot {name!r}: {suggest(name, sorted(ruleset.bots))}")
    if "" not in sys.path:
        sys.path.append("")  # where a command is started from, which Python adds for scripts alone
    try:
        bot: Bot = EntryPoint(name, name, "").load()
    except Exception as error:  # a module may raise anything
        raise CampaignError(f"the bot {name} cannot be imported: {_describe(error)}") from error
    if not callable(bot):
        raise CampaignError(f"the bot {name} is {type(bot).__name__}, and must be a function of a view and dice")
    return bot


def play_arena(arena: Arena, games: int, *, jobs: int = 1, progress: Progress = no_progress) -> ArenaResult:
    """Play so many matches, in several processes if there are `jobs`; the matches are the same with any number.

    Raises:
        GameError: The game fails.
        CampaignError: The game cannot be set up, or a process was killed.
    """
    began, played = time.perf_counter(), []
    with contextlib.closing(_results(arena, games, jobs)) as results:
        for result in results:
            played.append(result)
            progress("playing", len(played), games)
    return _summarize(arena, played, time.perf_counter() - began)


def _results(arena: Arena, games: int, jobs: int) -> Generator[MatchResult, None, None]:
    numbers = iter(range(1, games + 1))
    if jobs == 1:
        yield from map(arena.play, numbers)
        return
    with contextlib.closing(WorkerPool(jobs, _ARENA.set, (arena,))) as pool:
        try:
            waiting = deque(pool.submit(_play_in_worker, each) for each in islice(numbers, AHEAD * jobs))
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(pool.submit(_play_in_worker, each) for each in islice(numbers, 1))
        except BrokenProcessPool:
            raise CampaignError("a process of the arena was killed, perhaps for want of memory: try --jobs 1") from None


_ARENA: ContextVar[Arena] = ContextVar("arena")


def _play_in_worker(number: int) -> MatchResult:
    return _ARENA.get().play(number)


def _summarize(arena: Arena, played: Sequence[MatchResult], seconds: float) -> ArenaResult:
    lengths = [each.turns for each in played]
    ends = Counter(each.end for each in played)
    by_bot = Counter(bot for each in played for bot in each.bots.values())
    won_by_bot = Counter(each.bots[seat] for each in played for seat in each.winners)
    won_by_seat = Counter(seat for each in played for seat in each.winners)
    return ArenaResult(
        game=arena.ruleset.key,
        title=arena.ruleset.title,
        seed=arena.seed,
        options=arena.options,
        bots=tuple(Tally(name=bot, played=by_bot[bot], won=won_by_bot[bot]) for bot in arena.bots),
        seats=tuple(Tally(name=seat, played=len(played), won=won_by_seat[seat]) for seat in arena.seats),
        draws=ends["draw"],
        unfinished=ends["unfinished"],
        lengths={
            "fewest": min(lengths),
            "median": median(lengths),
            "mean": round(mean(lengths), 1),
            "most": max(lengths),
        },
        turns=sum(lengths),
        seconds=round(seconds, 3),
        turns_per_second=round(sum(lengths) / seconds, 1),
        faults=_count_faults(itertools.chain.from_iterable(each.faults for each in played)),
        games=tuple(played),
    )


def _count_faults(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults put together by bot and kind, in the order in which they first came."""
    counted: dict[tuple[str, str], Fault] = {}
    for fault in faults:
        known = counted.get((fault.bot, fault.kind))
        counted[fault.bot, fault.kind] = replace(known, count=known.count + fault.count) if known else fault
    return tuple(counted.values())


_WIDTH, _HEIGHT, _PLOT, _POINTS = 640, 320, 240, 200


def arena_plot(result: ArenaResult) -> Picture | None:
    """Return the plot of the wins of each bot, game by game, and of the draws; None if there are not two games."""
    if len(result.games) < 2:
        return None
    names = [*sorted(bot.name for bot in result.bots), DRAW]
    counts, course = dict.fromkeys(names, 0), []
    every = -(-len(result.games) // _POINTS)
    for number, each in enumerate(result.games, 1):
        for name in [each.bots[seat] for seat in each.winners] or [DRAW] * (each.end == "draw"):
            counts[name] += 1
        if number % every == 0 or number == len(result.games):
            course.append(dict(counts))
    step = (_WIDTH - 60 - 130) / len(course)
    frame = ChartFrame(left=60, right=_WIDTH - 130, top=40, height=_PLOT, step=step, room=_WIDTH - 100)
    lines, labels = score_lines(course, names, frame)
    title = f"{result.title}: wins of bots in {len(result.games)} games"
    labels += [
        Label(60, 22, title, 14, INK, bold=True),
        Label(60, _HEIGHT - 14, f"game 1 to {len(result.games)}", 11, PALE),
    ]
    paper = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="{PAPER}"/>'
    said = ", ".join(f"{name} {counts[name]}" for name in names)
    return Drawing(Background(paper + "".join(lines), _WIDTH, _HEIGHT), tuple(labels)).picture(
        "arena", f"{title}. {said}."
    )
