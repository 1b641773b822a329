"""Sampling of long tests: a run takes some of their cases, others each day, and all of them with `--all`.

The seed is the number of the day. Cases are taken in turn, so on as many days
as it takes each of them is run. A test that searches long for what others show
with an example is marked `in_turn`, and run on one day of five. `--sample-seed` repeats the run of a day.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest

Case = TypeVar("Case")

_GOLDEN = 0.6180339887498949
"""Multiples of it, less their whole part, spread evenly however many there are: neighbours are never taken alone."""


IN_TURN = 5
FEW = 3
"""Of so few tests marked `in_turn` all are run, as when one is asked for by its name."""


@dataclass(frozen=True)
class Sampler:
    """The choice of cases that a run takes."""

    seed: int
    everything: bool

    def sample(self, cases: Sequence[Case], count: int) -> list[Case]:
        """Return `count` of the cases in their order, spread evenly; the next seed takes the next ones.

        It depends on the number of cases and the seed alone, so all workers take the same.
        """
        if self.everything or count >= len(cases):
            return list(cases)
        spread = sorted(range(len(cases)), key=lambda number: number * _GOLDEN % 1)
        taken = {spread[(self.seed * count + number) % len(cases)] for number in range(count)}
        return [case for number, case in enumerate(cases) if number in taken]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of sampling."""
    parser.addoption("--all", action="store_true", dest="everything", help="run all cases of sampled tests")
    parser.addoption("--sample-seed", type=int, metavar="N", help="take the cases of this seed, not those of the day")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed, once for all workers: xdist hands them the options of the process that starts them."""
    config.addinivalue_line("markers", "sampled(count): run this many of the test's parameter sets, others each day")
    config.addinivalue_line("markers", "in_turn(group): run a fifth of these tests, or groups of them, others each day")
    if config.option.sample_seed is None:
        config.option.sample_seed = dt.datetime.now(dt.UTC).date().toordinal()


def pytest_report_header(config: pytest.Config) -> str:
    """Say which cases are taken."""
    seed = config.option.sample_seed
    return "samples: all cases" if config.option.everything else f"samples: repeat them with --sample-seed {seed}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Repeat it after failures, where it is wanted, and `-q` has no header."""
    if {"failed", "error"} & terminalreporter.stats.keys():
        terminalreporter.write_line(pytest_report_header(config))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests whose turn it is not, and the cases of sampled tests that are not taken."""
    sampler = make_sampler(config)
    named = {item: name for item in items if (name := _in_turn(item))}
    names = list(dict.fromkeys(named.values()))
    each_day = sampler.everything or len(names) <= FEW
    # Days counted from another one for each, so that a fifth of them have their turn on any day.
    days = {name: sampler.seed * (IN_TURN if each_day else 1) + place for place, name in enumerate(names)}
    left = {item for item, name in named.items() if days[name] % IN_TURN and not each_day}
    tests: dict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("sampled"):
            tests[_function(item), mark.args[0]].append(item)
    for (name, count), cases in tests.items():
        # Of its own turns, one after the other takes the next cases.
        turns = replace(sampler, seed=days[name] // IN_TURN) if name in days else sampler
        taken = turns.sample(cases, count)
        left |= {item for item in cases if item not in taken}
    if left:
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _in_turn(item: pytest.Item) -> str:
    """Return the name under which a test has its turn, or nothing; the cases of a sampled one have it together."""
    if mark := item.get_closest_marker("in_turn"):
        return mark.args[0] if mark.args else _function(item) if item.get_closest_marker("sampled") else item.nodeid
    return ""


def make_sampler(config: pytest.Config) -> Sampler:
    """Return the sampler of a run."""
    return Sampler(config.option.sample_seed, config.option.everything)


@pytest.fixture(scope="session")
def sampler(request: pytest.FixtureRequest) -> Sampler:
    """Return the sampler of the run, for tests that go through their cases by themselves."""
    return make_sampler(request.config)
