"""Views of earlier versions in the form of the present one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.ruleset import View

# Fields that views of version 1 lack. Departures named squares alone then, so these campaigns go on `blind`.
_DUEL: Mapping[str, Any] = {"blind": True, "crossed": []}

# Fields that views up to version 2 lack: their campaigns ask for a set-up until it is complete.
_SET_UP: Mapping[str, Any] = {"set_up_round": 0}

# Fields that views up to version 3 lack: their campaigns are never drawn for being quiet.
_QUIET: Mapping[str, Any] = {"quiet": 0, "quiet_turns": 0}

# Fields that enemy pieces lack in views of version 1, which drew no conclusions from flights.
_MARK: Mapping[str, Any] = {"kinds": [], "course": [], "reach": [], "meets": []}


def renewed(view: View) -> View:
    """Return a view of any version with all fields of this one."""
    if "blind" in view:
        return {**_SET_UP, **_QUIET, **view}
    return {**_SET_UP, **_QUIET, **_DUEL, **view, "enemy": [{**_MARK, **mark} for mark in view["enemy"]]}
