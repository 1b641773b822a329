"""Environments for reinforcement learning, with the interface of PettingZoo: `pip install 'pbem[learn]'`.

An agent writes its order sheet word by word. In each step every agent chooses one
word; those that are not asked for orders, or have ended their sheets, can only wait.
When all sheets are ended, the turn is run. So games in which all move at once and
games in turn have one form, and `pettingzoo.utils.parallel_to_aec` makes the other.

An agent observes nothing but the view of its seat, as it would be mailed, and what it
has written of its sheet.
"""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.actions.create import read_options
from pbem.bots.arena import MOST_TURNS
from pbem.bots.match import Match, seat_names, seed_of
from pbem.errors import CampaignError
from pbem.games import find_game, installed_games
from pbem.ruleset.order_tree import Node, next_nodes, order_form, typed_form, write_line
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import Adjudicated, AnyRuleset
from pbem.ruleset.values import Json, SeatName, View

try:
    import gymnasium
    import numpy as np
    from pettingzoo import ParallelEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"pbem.learn needs {error.name}; install it with: pip install 'pbem[learn]'") from None

END = 0
"""The action that ends a line; at the beginning of a line it ends the sheet, and it waits for the others."""

MOST_LINES = 40
"""Lines of a sheet; after so many it can only be ended."""

MOST_NUMBERS = 128
"""Numbers that are offered of a wider range, in equal steps."""

Observation = dict[str, Any]


def parallel_env(
    game: str | AnyRuleset,
    *,
    seats: int | None = None,
    most_turns: int = MOST_TURNS,
    observation_size: int = 1024,
    action_size: int = 1024,
    **options: Any,
) -> GameEnv:
    """Return the environment of a game, by its key, with options as in `pbem new`.

    Args:
        game: The key of an installed game, or a ruleset.
        seats: The number of seats; by default four, where the game takes them.
        most_turns: Turns after which a game is truncated.
        observation_size: Numbers of an observation, into which the view is hashed.
        action_size: Actions of an agent, onto which words are hashed.
        options: The options of the game, by name.

    Raises:
        CampaignError, ConfigError, SetupError: The game has no environment, or not with these options or seats.
    """
    ruleset = find_game(installed_games(), game) if isinstance(game, str) else game
    if isinstance(ruleset, Adjudicated):
        raise CampaignError(f"{ruleset.title} has no environment: its turns wait for the ruling of a GM")
    chosen = read_options(ruleset, {name: str(value) for name, value in options.items()})
    return GameEnv(ruleset, chosen, tuple(seat_names(ruleset, seats)), most_turns, observation_size, action_size)


class GameEnv(ParallelEnv):
    """A game as an environment; its agents are its seats.

    An observation has "observation", a vector of numbers made of the view and of the
    sheet so far, and "action_mask". The `info` of an agent has the "view" itself, the
    "lines" written, and by action the "words" that may be chosen. A win is rewarded
    by 1, a loss by -1, both at the end of the game.
    """

    def __init__(
        self,
        ruleset: AnyRuleset,
        options: Mapping[str, Any],
        seats: Sequence[SeatName],
        most_turns: int,
        observation_size: int,
        action_size: int,
    ) -> None:
        if observation_size < 2 or action_size < 2:
            raise ValueError("an observation has at least 2 numbers, and an agent at least 2 actions")
        self.metadata = {"name": f"{ruleset.key}_v{ruleset.version}", "render_modes": []}
        self.render_mode = None
        self.possible_agents = list(seats)
        self.agents: list[SeatName] = []
        self._ruleset, self._options, self._most_turns = ruleset, options, most_turns
        self._size = observation_size
        self._actions = action_size
        self._random = random.Random()  # noqa: S311 - seeds of games, not secrets
        self._match = Match(ruleset, options, seats, b"")  # options that contradict each other are refused now
        self._sheets: dict[SeatName, _Sheet] = {}
        self.observation_spaces = {seat: self._observation_space() for seat in seats}
        self.action_spaces = {seat: gymnasium.spaces.Discrete(action_size) for seat in seats}

    def _observation_space(self) -> Any:
        numbers = gymnasium.spaces.Box(-np.inf, np.inf, (self._size,), np.float32)
        return gymnasium.spaces.Dict(
            {"observation": numbers, "action_mask": gymnasium.spaces.MultiBinary(self._actions)}
        )

    def observation_space(self, agent: SeatName) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: SeatName) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[SeatName, Observation], dict[SeatName, dict[str, Any]]]:
        """Begin a new game; the same seed gives the same game. `options` are not used."""
        if seed is not None:
            self._random.seed(seed)
        self._match = Match(
            self._ruleset, self._options, self.possible_agents, seed_of("learn", self._random.getrandbits(64))
        )
        self.agents = list(self.possible_agents)
        self._open_turn()
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[SeatName, int]
    ) -> tuple[
        dict[SeatName, Observation],
        dict[SeatName, float],
        dict[SeatName, bool],
        dict[SeatName, bool],
        dict[SeatName, dict[str, Any]],
    ]:
        """Write the word that each agent has chosen; run the turn when all sheets are ended.

        Raises:
            ValueError: An agent has chosen what its mask does not allow, or none is to choose.
        """
        if not self.agents:
            raise ValueError("the game is over: reset the environment")
        for agent in self.agents:
            self._sheets[agent].choose(int(actions.get(agent, END)))
        if all(sheet.ended for sheet in self._sheets.values()):
            self._match.run(self._orders())
            self._open_turn()
        standing, seats = self._match.standing, list(self.agents)
        cut = not standing.over and self._match.turns >= self._most_turns
        rewards = dict.fromkeys(seats, 0.0)
        if standing.over and standing.winners:
            rewards = {seat: 1.0 if seat in standing.winners else -1.0 for seat in seats}
        observations, infos = self._observations(), self._infos()
        if standing.over or cut:
            self.agents = []
        return observations, rewards, dict.fromkeys(seats, standing.over), dict.fromkeys(seats, cut), infos

    def render(self) -> None:
        """Draw nothing: a view is data, and `info` has it."""

    def close(self) -> None:
        """Do nothing: nothing is kept open."""

    def _open_turn(self) -> None:
        awaiting = self._match.standing.awaiting
        self._sheets = {
            seat: _Sheet(self._ruleset, self._match.view(seat), self._size, self._actions, asked=seat in awaiting)
            for seat in self.possible_agents
        }

    def _orders(self) -> dict[SeatName, tuple[Order, ...]]:
        """Return the orders that are accepted of each awaited seat; what contradicts the rest of its sheet is not."""
        return {
            seat: self._ruleset.parse(self._match.view(seat), list(enumerate(self._sheets[seat].lines, 1))).orders
            for seat in sorted(self._match.standing.awaiting)
        }

    def _observations(self) -> dict[SeatName, Observation]:
        return {
            seat: {"observation": self._sheets[seat].encode(), "action_mask": self._sheets[seat].mask()}
            for seat in self.agents
        }

    def _infos(self) -> dict[SeatName, dict[str, Any]]:
        return {seat: self._sheets[seat].info() for seat in self.agents}


class _Row(NamedTuple):
    """Words that stand one behind the other at the end of a line: what they may be, and how many are left."""

    nodes: Sequence[Node]
    left: int
    ends: bool


class _Sheet:
    """The sheet that an agent writes: whole lines, the words of the one begun, and what may follow."""

    def __init__(self, ruleset: AnyRuleset, view: View, size: int, actions: int, *, asked: bool) -> None:
        self._view, self._actions = view, actions
        self.lines: list[str] = []
        self.ended = not asked
        form = order_form(ruleset, view) if asked else typed_form({"verbs": []})
        self._form = form
        # An agent that tries everything would leave most games by their one line for that.
        grave = {verb["word"] for verb in form["verbs"] if verb["grave"]}
        self._roots: list[Node] = [node for node in form["tree"] if node["word"] not in grave]
        self._encoded = _encode(_features("view", view), size)
        self._words: tuple[str, ...] = ()
        self._row: _Row | None = None
        self._open(self._roots if asked else [], ends=True)

    def choose(self, action: int) -> None:
        """Write a word, or end the line or the sheet. Raises ValueError for what may not follow."""
        if action == END and self._ends:
            self._end()
            return
        if action not in self._choices:
            raise ValueError(f"action {action} is not one of {self._view['seat']}'s now: see the action mask")
        word, node = self._choices[action]
        self._words = (*self._words, word)
        if self._row is None:
            self._follow(node)
        else:
            self._go_on(node)

    def _follow(self, node: Node) -> None:
        """Offer what may stand behind a word."""
        behind, takes = next_nodes(self._form, node), node.get("takes", 1)
        if not behind:
            self._end()
        elif takes == 1:
            self._open(behind, ends="ends" in node)
        else:
            # As many words as another line has: the agent ends such a row itself, and the game judges it.
            fixed = isinstance(takes, int)
            self._row = _Row(behind, takes if fixed else MOST_LINES, ends=not fixed)
            self._open(behind, ends="ends" in node)

    def _go_on(self, node: Node) -> None:
        """Offer the next word of a row; one of a fixed number, such as places, takes each word once."""
        assert self._row is not None
        nodes, left, ends = self._row
        self._row = _Row(nodes if ends else [each for each in nodes if each is not node], left - 1, ends)
        if self._row.left and self._row.nodes:
            self._open(self._row.nodes, ends=ends)
        else:
            self._end()

    def _end(self) -> None:
        """End the line, if one is begun, or else the sheet."""
        if self._words:
            self.lines.append(write_line(self._words))
        else:
            self.ended = True
        self._words, self._row = (), None
        self._open([] if self.ended or len(self.lines) >= MOST_LINES else self._roots, ends=True)

    def _open(self, nodes: Sequence[Node], *, ends: bool) -> None:
        """Offer these nodes: each word has the action of its hash, or the next one that is free."""
        self._ends = ends
        self._choices: dict[int, tuple[str, Node]] = {}
        slots = self._actions - 1
        for word, node in _words_of(nodes):
            if len(self._choices) == slots:
                break
            slot = zlib.crc32(word.encode()) % slots
            while slot + 1 in self._choices:
                slot = (slot + 1) % slots
            self._choices[slot + 1] = word, node

    def mask(self) -> Any:
        """Return 1 for each action that may be chosen."""
        mask = np.zeros(self._actions, np.int8)
        mask[END] = self._ends
        mask[list(self._choices)] = 1
        return mask

    def encode(self) -> Any:
        """Return the view and the sheet as numbers."""
        return self._encoded + _encode(_features("sheet", [*self.lines, " ".join(self._words)]), len(self._encoded))

    def info(self) -> dict[str, Any]:
        """Return the view, the sheet, and the words by action."""
        words = {action: word for action, (word, _) in self._choices.items()}
        return {"view": self._view, "lines": [*self.lines], "begun": self._words, "words": words}


def _words_of(nodes: Sequence[Node]) -> Iterator[tuple[str, Node]]:
    for node in nodes:
        if "word" in node:
            yield node["word"], node
        else:
            low, high = node["low"], node["high"]
            step = max(1, -(-(high - low) // (MOST_NUMBERS - 1)))
            yield from ((str(number), node) for number in (*range(low, high, step), high))


def _encode(features: Iterable[tuple[str, float]], size: int) -> Any:
    """Return features as numbers: each adds its own to the place of its hash, with a sign of the hash.

    That keeps the products of vectors in the mean, whatever collides (Weinberger et al.,
    Feature Hashing for Large Scale Multitask Learning, 2009).
    """
    numbers = np.zeros(size, np.float32)
    for name, amount in features:
        hashed = zlib.crc32(name.encode())
        numbers[hashed % size] += amount if hashed & 1 << 31 else -amount
    return numbers


def _features(name: str, data: Json) -> Iterator[tuple[str, float]]:
    """Yield the leaves of data by their places: a number by its size, anything else as what it is."""
    if isinstance(data, Mapping):
        for key in sorted(data):
            yield from _features(f"{name}/{key}", data[key])
    elif isinstance(data, list | tuple):
        for at, each in enumerate(data):
            yield from _features(f"{name}/{at}", each)
    elif isinstance(data, bool) or not isinstance(data, int | float):
        yield f"{name}={data}", 1.0
    else:
        yield name, math.copysign(math.log1p(abs(data)), data)
