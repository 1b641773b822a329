"""Views of version 1, as this version mails them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.ruleset import View

_DUEL: Mapping[str, Any] = {"blind": True, "crossed": []}
"""What they lacked. Departures named squares alone then, so a campaign begun under version 1 goes on `blind`."""

_MARK: Mapping[str, Any] = {"kinds": [], "course": [], "reach": [], "meets": []}
"""What their enemy pieces lacked: nothing was concluded from flights yet."""


def renewed(view: View) -> View:
    """A view of any version with all that one of this version has."""
    if "blind" in view:
        return view
    return {**_DUEL, **view, "enemy": [{**_MARK, **mark} for mark in view["enemy"]]}
