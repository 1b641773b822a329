"""Environments for reinforcement learning: PettingZoo's own tests, secrecy, and what an agent may do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils import parallel_to_aec

from pbem.errors import CampaignError
from pbem.learn import END, GameEnv, parallel_env
from pbem.ruleset import Amount, Choice, View
from pbem.ruleset.protocol import Adjudicated
from tests.games import RULESETS
from tests.toy.ruleset import Auction

ROOT = Path(__file__).parents[2]

GAMES: Mapping[str, dict[str, Any]] = {
    "bubble_singularity": {"seats": 2},
    "dueling_masters": {},
    "harvester": {},
    "singularity": {"size": 3},
    "singularity_trap": {"seats": 2},
}
"""The games with a code, in their smallest form."""

OF_OTHER_LINES = {"bubble-needed", "miscounted", "not-beside"}
"""Errors of a line for what another line of the sheet says, in Bubble Singularity."""


def toy(**settings: Any) -> GameEnv:
    """Return an environment of the toy, after a reset."""
    env = parallel_env(Auction(), **{"seats": 2, **settings})
    env.reset(seed=1)
    return env


def word(env: GameEnv, agent: str, text: str) -> int:
    """Return the action of a word that an agent may choose now."""
    (action,) = [action for action, each in env._infos()[agent]["words"].items() if each == text]
    return int(action)


def write(env: GameEnv, agent: str, *words: str) -> None:
    """Let an agent write words, while the others wait by writing nothing: they are still at the beginning."""
    for each in words:
        env._sheets[agent].choose(word(env, agent, each) if each else END)


def random_actions(env: GameEnv, observations: Mapping[str, Any]) -> dict[str, int]:
    """Return an allowed action of each agent."""
    return {agent: int(env.action_space(agent).sample(mask=observations[agent]["action_mask"])) for agent in env.agents}


def test_there_are_no_other_games() -> None:
    """The games under test are all that no GM judges."""
    assert {game.key for game in RULESETS if not isinstance(game, Adjudicated)} == set(GAMES)


@pytest.mark.parametrize("key", GAMES)
def test_a_game_passes_the_test_of_the_interface(key: str) -> None:
    """PettingZoo's own test of parallel environments passes, without a warning."""
    parallel_api_test(parallel_env(key, most_turns=3, **GAMES[key]), num_cycles=300)


@pytest.mark.parametrize("key", ["singularity", "harvester"])
@pytest.mark.filterwarnings("ignore::UserWarning")  # on the usual names of agents, and observations with a mask
def test_a_game_in_turn_passes_it_too(key: str) -> None:
    """So does the form in which agents step one by one, which PettingZoo makes; spaces contain what is observed."""
    api_test(parallel_to_aec(parallel_env(key, most_turns=2, **GAMES[key])), num_cycles=150)


@pytest.mark.parametrize("key", GAMES)
def test_what_an_agent_is_offered_is_accepted(key: str) -> None:
    """Each line that random agents write is one that the game accepts by itself, and the turns go on.

    Only what follows from another line of the sheet is left to the agent: it may write that line later.
    """
    env = parallel_env(key, most_turns=12, **GAMES[key])
    observations, infos = env.reset(seed=3)
    for number, agent in enumerate(env.agents):
        env.action_space(agent).seed(number)
    tried = 0
    for _ in range(250):
        before = {agent: info["lines"] for agent, info in infos.items()}
        observations, _, _, _, infos = env.step(random_actions(env, observations))
        if not env.agents:
            break
        for agent, info in infos.items():
            for line in info["lines"][len(before[agent]) :]:
                errors = env._ruleset.parse(info["view"], [(1, line)]).errors
                assert {error.code for error in errors} <= OF_OTHER_LINES, (line, errors)
                tried += 1

    assert tried > 1


def test_a_sheet_is_written_word_by_word() -> None:
    """Words lead to lines, END ends a line and then the sheet; when all have ended, the turn is run."""
    env = toy()
    write(env, "red", "BID", "3")
    assert env._infos()["red"]["lines"] == ["BID 3"]
    write(env, "red", "")
    assert list(env._infos()["red"]["words"]) == []
    env.step({"red": END, "blue": word(env, "blue", "BID")})
    assert env._match.turns == 0
    env.step({"blue": word(env, "blue", "0")})
    env.step({})

    assert env._match.turns == 1
    assert env._infos()["red"]["view"]["events"][0] == {"kind": "prize", "winner": "red"}


def test_an_agent_sees_nothing_of_other_sheets() -> None:
    """While another agent writes, neither the observation nor the info of an agent changes."""
    env = toy()
    before, told = env._observations()["red"], env._infos()["red"]
    write(env, "blue", "BID", "3", "WHISPER", "red")
    after = env._observations()["red"]

    assert np.array_equal(before["observation"], after["observation"])
    assert np.array_equal(before["action_mask"], after["action_mask"])
    assert env._infos()["red"] == told


def test_an_agent_sees_what_its_report_would_tell() -> None:
    """Two games that differ only in what red may not know look the same to red; to blue they do not."""
    worlds = []
    for said in ("hello", "never"):
        env = toy(seats=3, rounds=5)
        write(env, "blue", "BID", "0", "WHISPER", "green", said, "", "")
        for agent in ("red", "green"):
            write(env, agent, "BID", "1" if agent == "red" else "0", "")
        env.step({})
        worlds.append(env)
    one, two = worlds

    assert one._match.turns == 1
    for agent, same in (("red", True), ("blue", True), ("green", False)):
        views = one._observations()[agent], two._observations()[agent]
        assert np.array_equal(views[0]["observation"], views[1]["observation"]) is same, agent
        assert (one._infos()[agent] == two._infos()[agent]) is same


def test_in_turn_the_others_wait() -> None:
    """A seat that is not asked for orders can only wait."""
    env = toy(pace="in_turn")
    masks = {agent: each["action_mask"] for agent, each in env._observations().items()}

    assert masks["blue"].sum() == masks["blue"][END] == 1
    assert masks["red"].sum() > 1


def test_a_win_is_rewarded_at_the_end() -> None:
    """The winner gets 1, the loser -1, once; then the game has no agents, and no steps."""
    env = toy(rounds=1)
    write(env, "red", "BID", "1", "")
    write(env, "blue", "BID", "0", "")
    _, rewards, terminated, truncated, _ = env.step({})

    assert rewards == {"red": 1.0, "blue": -1.0}
    assert terminated == {"red": True, "blue": True}
    assert truncated == {"red": False, "blue": False}
    assert env.agents == []
    with pytest.raises(ValueError, match="reset"):
        env.step({})


def test_a_long_game_is_truncated() -> None:
    """At the limit of turns nobody wins."""
    env = toy(most_turns=1, rounds=9)
    for agent in env.agents:
        write(env, agent, "")
    _, rewards, terminated, truncated, _ = env.step({})

    assert (set(rewards.values()), set(terminated.values()), set(truncated.values())) == ({0.0}, {False}, {True})


def test_the_same_seed_gives_the_same_game() -> None:
    """Observations follow from seed and actions; without a seed the next game is another."""

    def course(env: GameEnv, seed: int | None) -> list[Any]:
        seen, _ = env.reset(seed=seed)
        return [seen[agent]["observation"].tolist() for agent in env.agents]

    env = parallel_env("harvester")
    first = course(env, 7)

    assert course(env, None) != first
    assert course(env, 7) == first
    assert course(parallel_env("harvester"), 7) == first


@pytest.mark.parametrize("action", [-1, 10**9, 5])
def test_an_action_that_is_not_allowed_is_refused(action: int) -> None:
    """Nothing is written by it."""
    env = toy()
    assert action not in env._infos()["red"]["words"]
    with pytest.raises(ValueError, match="see the action mask"):
        env.step({"red": action})

    assert env._infos()["red"]["lines"] == []


class Wide(Auction):
    """A toy with more words and numbers than actions."""

    def choices(self, view: View, words: tuple[str, ...]) -> list[Choice | Amount]:
        if not words:
            return [Choice("BID")]
        return [Amount(0, 99)] if len(words) == 1 else []


@pytest.mark.parametrize("actions", [2, 3, 17, 1024])
def test_words_share_few_actions(actions: int) -> None:
    """With fewer actions than words the first words are offered; no two have one action."""
    env = parallel_env(Wide(), seats=2, action_size=actions)
    env.reset(seed=1)
    write(env, "red", "BID")
    words = env._infos()["red"]["words"]

    assert len(set(words.values())) == len(words) == min(actions - 1, len(words))
    assert all(0 < action < actions for action in words)
    if actions == 1024:
        assert {"0", "99"} <= set(words.values())


def test_a_line_cannot_be_written_for_ever() -> None:
    """After so many lines a sheet can only be ended."""
    env = toy()
    for _ in range(40):
        write(env, "red", "BID", "1")

    assert env._infos()["red"]["words"] == {}
    write(env, "red", "")
    assert env._sheets["red"].ended


@pytest.mark.parametrize(
    ("game", "settings", "said"),
    [
        ("gm_adjudicated", {}, "The Umpire's Pen has no environment"),
        ("chess", {}, "there is no game 'chess'"),
        ("singularity", {"colour": "red"}, "has no option 'colour'"),
        ("singularity", {"size": 99}, "size cannot be '99'"),
        ("singularity", {"seats": 5}, "Singularity is for 2 players"),
    ],
)
def test_what_cannot_be_played_is_refused(game: str, settings: dict[str, Any], said: str) -> None:
    """The errors are those of the command line."""
    with pytest.raises(Exception, match=said) as raised:
        parallel_env(game, **settings)

    assert isinstance(raised.value, CampaignError) or "Error" in type(raised.value).__name__


def test_the_example_of_the_documentation_plays_a_game() -> None:
    """The code in docs/bots.md runs as it stands, to the end of a game."""
    (code,) = re.findall(r"```python\n(.+?)```", (ROOT / "docs" / "bots.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)

    assert names["env"].agents == []
    assert set(names["terminations"].values()) == {True}


@pytest.mark.parametrize("missing", ["pettingzoo", "gymnasium"])
def test_without_the_extra_the_error_says_how_to_install_it(missing: str) -> None:
    """The rest of the program does not import it."""
    source = (
        "import sys\n"
        f"sys.modules[{missing!r}] = None\n"
        "import pbem.cli\n"
        "try:\n"
        "    import pbem.learn\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)

    assert done.stdout.endswith("install it with: pip install 'pbem[learn]'\n")


def test_the_command_line_needs_none_of_it() -> None:
    """Neither the libraries nor the environment are imported by it."""
    source = "import sys, pbem.cli; print([n for n in ('gymnasium', 'pettingzoo', 'pbem.learn') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
