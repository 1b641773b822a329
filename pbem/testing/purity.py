"""Watch a game for what it may not use: the clock, chance of its own, files, the network, hash() and id()."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from pbem.games import code_place
from pbem.ruleset.protocol import AnyRuleset

MODULES = {"random", "secrets", "uuid", "time", "socket", "subprocess", "logging", "tempfile", "shutil"}
"""Modules of which a game may call nothing."""

BUILTINS = {"open", "hash", "id", "input", "print"}
CLOCKS = {"now", "utcnow", "today", "urandom"}
"""Methods of `datetime` and `date`, and the function of `os`, that tell something new each time."""

# Dataclasses and enums hash themselves by hash(), which does no harm as long as no set is gone through.
_OWN_HASH = {"__hash__", "__eq__", "__repr__"}


@contextmanager
def outside_calls(ruleset: AnyRuleset) -> Iterator[set[str]]:
    """Yield a set to which calls in the block are added by which the game's own code asks what it may not.

    Each is told with its place: "time.time at night_market/turn.py, line 31, in search".
    """
    package = type(ruleset).__module__.partition(".")[0]
    found: set[str] = set()

    def watch(frame: FrameType, kind: str, called: Any) -> None:
        if kind == "c_call":
            caller, name = frame, _forbidden(called)
        elif kind == "call" and frame.f_back is not None:
            module = frame.f_globals.get("__name__", "")
            caller, name = frame.f_back, f"{module}.{frame.f_code.co_name}" if module in MODULES else ""
        else:
            return
        own = caller.f_globals.get("__name__", "").partition(".")[0] == package
        if name and own and caller.f_code.co_name not in _OWN_HASH:
            found.add(f"{name} at {code_place(caller, caller.f_lineno)}")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(before)


def _forbidden(called: Any) -> str:
    """Return the name of a built-in function that a game may not call; "" for any other."""
    name, owner = called.__name__, getattr(called, "__self__", None)
    # The owner of a function is its module, that of a method an object or a class.
    home = getattr(owner, "__name__", "") if isinstance(owner, type(sys) | type) else type(owner).__module__
    if home == "builtins":
        return name if name in BUILTINS else ""
    if (
        home.partition(".")[0] in MODULES
        or home == "_random"
        or (name in CLOCKS and home in {"datetime", "date", "posix"})
    ):
        return f"{home.strip('_')}.{name}"
    return ""
