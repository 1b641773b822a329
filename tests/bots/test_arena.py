"""The arena: who plays when, what is counted, and bots and games that fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pbem.bots.arena import DRAW, Arena, ArenaResult, MatchResult, arena_plot, open_arena, play_arena
from pbem.cli import main
from pbem.errors import CampaignError, ConfigError, GameError
from pbem.ruleset import Bot, Dice, Event, TurnInput, View
from pbem.testing.play import default_options
from tests.patience import PATIENCE
from tests.toy.ruleset import Auction, Table

ROOT = Path(__file__).parents[2]


def miser(view: View, dice: Dice) -> list[str]:
    """Bid nothing."""
    return ["BID 0"]


def spender(view: View, dice: Dice) -> list[str]:
    """Bid a coin."""
    return ["BID 1"]


def raiser(view: View, dice: Dice) -> list[str]:
    """Raise an exception whose text has two lines."""
    raise KeyError("no\nplan")


def quitter(view: View, dice: Dice) -> list[str]:
    """Try to end the program."""
    sys.exit("enough")


def mumbler(view: View, dice: Dice) -> list[str]:
    """Send a line that is no order, and one that is."""
    return ["\x1b[2J BIDD", "BID 1"]


def stranger(view: View, dice: Dice) -> Any:
    """Return anything but lines."""
    return {"orders": [1]}


def cheat(view: View, dice: Dice) -> list[str]:
    """Change the view, to be allowed more."""
    view["others"].append("mauve")
    return ["WHISPER mauve deal", "BID 0"]


_BOTS: Mapping[str, Bot] = {each.__name__: each for each in (miser, spender, raiser, quitter, mumbler, stranger, cheat)}


class Brawl(Auction):
    """The toy with bots that misbehave."""

    bots = _BOTS


class Endless(Brawl):
    """A toy without an end."""

    def resolve(self, state: Table, turn: TurnInput, dice: Dice) -> tuple[Table, tuple[Event, ...]]:
        return state, ()


class Broken(Brawl):
    """A toy that fails in its second turn."""

    def resolve(self, state: Table, turn: TurnInput, dice: Dice) -> tuple[Table, tuple[Event, ...]]:
        if state.round == 2:
            raise ZeroDivisionError("no coins")
        return super().resolve(state, turn, dice)


class Deadly(Brawl):
    """A toy that kills the process in which it is played, unless that is the test's own."""

    home = os.getpid()

    def resolve(self, state: Table, turn: TurnInput, dice: Dice) -> tuple[Table, tuple[Event, ...]]:
        if os.getpid() != self.home:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().resolve(state, turn, dice)


_NONE: Mapping[str, Bot] = {}


class Mute(Auction):
    """A toy without bots."""

    bots = _NONE


def arena(*bots: str, game: Auction | None = None, seats: int = 2, **settings: Any) -> Arena:
    """Return an arena of the toy."""
    ruleset = game or Brawl()
    return open_arena(ruleset, bots, options=default_options(ruleset), seats=seats, **settings)


def played(*bots: str, games: int = 8, **settings: Any) -> ArenaResult:
    """Return the result of some games."""
    return play_arena(arena(*bots, **settings), games)


def games(result: ArenaResult) -> list[dict[str, Any]]:
    """Return all that follows from the seed."""
    return [asdict(game) for game in result.games]


@pytest.mark.parametrize(("bots", "seats"), [(2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (2, 4)])
def test_each_bot_plays_as_often_in_each_seat(bots: int, seats: int) -> None:
    """After whole rounds, each bot has had each seat as often as any other, and has met all others."""
    names = list(Brawl.bots)[:bots]
    opened = arena(*names, seats=seats)
    lineups = [opened.lineup(number) for number in range(1, 12 * seats * bots + 1)]
    counts = Counter((seat, bot) for lineup in lineups for seat, bot in lineup.items())

    assert set(counts) == {(seat, bot) for seat in opened.seats for bot in names}
    assert len(set(counts.values())) == 1
    assert {tuple(sorted(set(lineup.values()))) for lineup in lineups} >= {(names[0], names[1])} or seats > 2


def test_wins_are_counted_by_bot_and_by_seat() -> None:
    """The bot that bids wins every prize; with the seats rotated, each seat wins half."""
    result = played("miser", "spender", games=10)

    assert {each.name: (each.played, each.won) for each in result.bots} == {"miser": (10, 0), "spender": (10, 10)}
    assert [(each.name, each.won) for each in result.seats] == [("red", 5), ("blue", 5)]
    assert (result.draws, result.unfinished, result.faults) == (0, 0, ())
    assert (result.turns, result.lengths["median"]) == (30, 3)
    assert result.turns_per_second > 0


def test_a_shared_win_counts_for_all_winners() -> None:
    """All seats win together if nobody bids, and a bot counts for each of its seats."""
    result = played("miser", games=3)

    assert result.bots[0].won == result.bots[0].played == 6


def test_the_same_seed_gives_the_same_games() -> None:
    """Games follow from seed and number alone, with any number of processes."""
    one = play_arena(arena("spender", "mumbler"), 20)
    two = play_arena(arena("spender", "mumbler"), 20, jobs=2)
    other = play_arena(arena("spender", "mumbler", seed="other"), 20)

    assert games(one) == games(two)
    assert games(one) != games(other)


def test_the_toss_of_each_game_is_another() -> None:
    """Bots that bid alike do not win by the same dice each time."""
    winners = {game.winners for game in played("spender", games=20, seats=3).games}

    assert len(winners) > 2


@pytest.mark.parametrize("bot", ["raiser", "quitter", "stranger"])
def test_a_bot_that_raises_is_named(bot: str) -> None:
    """It has sent no sheet, the game goes on, and its faults are counted with the first one in words."""
    result = played(bot, "spender", games=2)
    (fault,) = result.faults

    assert (fault.bot, fault.kind, fault.count) == (bot, "raised", 6)
    assert fault.first.startswith("game 1, turn 1, red: ")
    assert "\n" not in fault.first
    assert [each.won for each in result.bots] == [0, 2]


def test_an_order_that_is_not_accepted_is_named() -> None:
    """Its line is quoted; the other lines of the sheet count."""
    (fault,) = played("mumbler", games=2).faults

    assert (fault.kind, fault.count) == ("not accepted", 12)
    assert repr("\x1b[2J BIDD") in fault.first


def test_a_bot_cannot_change_what_its_sheet_is_checked_against() -> None:
    """A bot gets a copy of its view."""
    (fault,) = played("cheat", games=1).faults

    assert fault.kind == "not accepted"
    assert "mauve" in fault.first


def test_a_game_without_an_end_stops_at_the_limit() -> None:
    """It counts as unfinished, and for nobody as a win."""
    result = play_arena(arena("spender", game=Endless(), most_turns=7), 2)

    assert (result.unfinished, result.draws, result.turns) == (2, 0, 14)
    assert [each.won for each in result.bots] == [0]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_game_that_fails_is_named(jobs: int) -> None:
    """The game and the turn are in the error, and not a bot."""
    with pytest.raises(GameError, match=r"Toy Auction fails in game \d, turn 2: ZeroDivisionError: no coins"):
        play_arena(arena("spender", game=Broken()), 4, jobs=jobs)


def test_a_process_that_is_killed_ends_the_arena() -> None:
    """The error says so; nothing waits for its games."""
    with pytest.raises(CampaignError, match="a process of the arena was killed"):
        play_arena(arena("spender", game=Deadly()), 4, jobs=2)


def test_games_without_an_arena_are_refused() -> None:
    """A game without bots, an unknown bot, too many bots and a module that raises are each named."""
    with pytest.raises(CampaignError, match="Toy Auction has no bots: name one of your own as module:function"):
        arena(game=Mute())
    with pytest.raises(CampaignError, match="has no bot 'spendr': did you mean spender"):
        arena("spendr")
    with pytest.raises(CampaignError, match="cannot be imported: ModuleNotFoundError"):
        arena("no_such_module:bot")
    with pytest.raises(CampaignError, match="must be a function"):
        arena("tests.bots.test_arena:DRAW")
    with pytest.raises(ConfigError, match="at most 12 bots"):
        arena(*_BOTS, *(f"json:{name}" for name in ("dump", "dumps", "load", "loads", "JSONEncoder", "JSONDecoder")))


def test_a_plot_has_a_line_for_each_bot() -> None:
    """Its description says the wins; a single game has no plot."""
    picture = arena_plot(played("miser", "spender", games=500))

    assert picture is not None
    assert picture.title.endswith("miser 0, spender 500, draws 0.")
    assert picture.svg.count("<polyline") == 3
    assert f">{DRAW}<" in picture.svg
    assert arena_plot(played("miser", games=1)) is None


def run(*words: str) -> Result:
    """Return what the command prints."""
    return CliRunner().invoke(main, ["arena", *words])


def test_the_command_prints_and_draws(tmp_path: Path) -> None:
    """Bots follow --bots; wins by bot and by seat, draws, lengths and speed are printed, and the plot is a PNG."""
    plot = tmp_path / "wins.png"
    words = ["singularity", "--bots", "random", "random", "--games", "4", "--option", "size=3", "--plot", str(plot)]
    result = run(*words)

    assert result.exit_code == 0, result.output
    assert result.output.startswith("Singularity: 4 games with 2 seats.\n\nWins by bot:\n  random")
    for part in ("Wins by seat:", "Draws: ", "Turns a game: ", " a second."):
        assert part in result.output
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_the_command_prints_json() -> None:
    """All counts and each game are in it; the games follow from the seed."""
    words = ("singularity", "random", "--games", "2", "--option", "size=3", "--json")
    first, again = (json.loads(run(*words).output) for _ in range(2))

    assert first["result"] == "done"
    assert first["games"] == again["games"]
    assert first["games"][0].keys() == set(MatchResult.__dataclass_fields__)
    assert first["bots"] == [{"name": "random", "played": 4, "won": first["bots"][0]["won"]}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gm_adjudicated"], "The Umpire's Pen has no arena: its turns wait for the ruling of a GM"),
        (["chess"], "there is no game 'chess' here"),
        (["singularity", "--seats", "3"], "Singularity is for 2 players, not 3"),
        (["singularity", "--option", "size=99"], "option size cannot be '99'"),
        (["singularity", "--games", "0"], "0 is not in the range"),
        (["singularity", "--plot", "wins.gif"], "wins.gif is neither an SVG nor a PNG"),
    ],
)
def test_the_command_refuses_in_a_sentence(words: Sequence[str], said: str) -> None:
    """Nothing is played, and there is no traceback."""
    result = run(*words)

    assert result.exit_code in (1, 2)
    assert said in " ".join(result.output.split())


def test_a_bot_of_ones_own_plays(tmp_path: Path) -> None:
    """A function in a module beside is found, as a terminal would find it."""
    (tmp_path / "mine.py").write_text("def bot(view, dice):\n    return ['RESIGN CONFIRM']\n")
    words = [sys.executable, str(ROOT / "cli.py"), "arena", "singularity", "--bots", "mine:bot", "random"]
    done = subprocess.run([*words, "--games", "2", "--option", "size=3"], cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert "mine:bot       0 of      2" in done.stdout


def test_an_interrupted_arena_leaves_no_process(tmp_path: Path) -> None:
    """Ctrl-C ends all processes, without a traceback."""
    (tmp_path / "slow.py").write_text(
        "import os, time\ndef bot(view, dice):\n    open(f'{os.getpid()}.playing', 'w').close()\n    time.sleep(600)\n"
    )
    # Where the tests are run in the background, SIGINT is ignored, and so it would be by all that they start.
    started = "import signal as s; s.signal(s.SIGINT, s.default_int_handler); from pbem.cli import main; main()"
    words = [sys.executable, "-c", started, "arena", "singularity", "--bots", "slow:bot", "--jobs", "2"]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + PATIENCE
        while len(list(tmp_path.glob("*.playing"))) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert "Traceback" not in said
    for path in tmp_path.glob("*.playing"):
        assert not Path(f"/proc/{path.stem}").exists()
