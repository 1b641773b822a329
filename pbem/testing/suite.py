"""The base of the suites: the `rule` decorator, and the test class that runs rules on a game."""

from __future__ import annotations

import functools
import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest

from pbem.ruleset.protocol import AnyRuleset
from pbem.store.migrate import migrate
from pbem.testing.leaks import SecrecySpec
from pbem.testing.preflight import preflight_fault

Test = TypeVar("Test", bound=Callable[..., None])


PREFLIGHT = "test_turns_can_be_played"
"""The rule without which no other is tried."""


class RulesetTests:
    """A game, its secrets, and its frozen saves; classes derived from this test the rules."""

    ruleset: AnyRuleset
    secrecy: SecrecySpec

    @property
    def saves(self) -> Path:
        """The folder `saves` beside the module of the tests."""
        return Path(inspect.getfile(type(self))).with_name("saves")

    @pytest.fixture(autouse=True)
    def _preflight(self, request: pytest.FixtureRequest) -> None:
        """Skip a test of a game whose turns cannot be played: it would fail for that, whatever its own rule is."""
        tested = request.node.originalname
        if tested != PREFLIGHT and (fault := preflight_fault(self.ruleset)):
            others = (item for item in request.session.items if isinstance(item, pytest.Function))
            if any(item.cls is type(self) and item.originalname == PREFLIGHT for item in others):
                pytest.skip(f"not all turns can be played: {fault}")
            # Run by itself, a skipped test would look like success.
            pytest.fail(fault, pytrace=False)


def rule(mend: str) -> Callable[[Test], Test]:
    """Make a test a rule: its docstring is the rule, and `mend` tells a game's author how to keep it."""

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def check(*args: Any, **settings: Any) -> None:
            try:
                test(*args, **settings)
            # That of pytest.fail is a BaseException; pytest.raises raises it if nothing was raised.
            except (Exception, pytest.fail.Exception) as error:
                error.add_note(f"The rule: {_docstring(test)}\nWhat to do: {mend}")
                raise

        check.mend = mend  # type: ignore[attr-defined]
        return check  # type: ignore[return-value]

    return decorate


def rules(suite: type) -> Iterator[tuple[str, str, str]]:
    """Yield every rule of a suite, in the order of the source: the name of its test, the rule, and how to keep it."""
    seen: set[str] = set()
    for base in reversed(suite.__mro__):
        for name, test in vars(base).items():
            if name not in seen and hasattr(test, "mend"):
                seen.add(name)
                yield name, _docstring(test), test.mend


_MAIN = """\
from pbem.util import gc_paused
with gc_paused(for_good=True):
    from {} import main
main()
"""


def in_a_process(module: str, ruleset: AnyRuleset, *words: str, hash_seed: str) -> subprocess.Popen[str]:
    """Run the `main` of a module on a game in a process of its own, which finds the game by its class."""
    game = f"{type(ruleset).__module__}:{type(ruleset).__qualname__}"
    return _start(["-c", _MAIN.format(module), game, *words], hash_seed)


def in_scripts(script: Path, given: str, hash_seeds: Iterable[str]) -> list[tuple[str, str]]:
    """Run a script once with each hash seed, all at once; return what each printed, and its errors."""
    # Without -P the folder of the script would hide modules of other packages.
    running = [_start(["-P", str(script)], hash_seed) for hash_seed in hash_seeds]
    return [process.communicate(given) for process in running]


def _start(words: Sequence[str], hash_seed: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", *words],
        # A game may be found only on the path that pytest has made.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": hash_seed},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _docstring(test: Callable[..., None]) -> str:
    return " ".join((test.__doc__ or "").split())


@cache
def migrated_database() -> bytes:
    """Return the file of a database with all migrations."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pbem.sqlite"
        migrate(f"sqlite:///{path}")
        # As bytes: each home of a suite begins as a copy, without migrating again.
        return path.read_bytes()


class PreflightRules(RulesetTests):
    """The rule that comes before all others."""

    @rule("Mend what is named first; the other rules are tried as soon as this one holds.")
    def test_turns_can_be_played(self) -> None:
        """A game is set up, its bots order, turns are resolved to its end, and reports of whole numbers are written."""
        fault = preflight_fault(self.ruleset)

        assert not fault, fault
