"""Views that an earlier version of a game mailed: sheets are still read against them, and replays show them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from pbem.ruleset import View

Act = TypeVar("Act", bound=Callable[..., Any])


def of_any_age(renewed: Callable[[View], View], act: Act) -> Act:
    """A function of a view that takes those of earlier versions too: `renewed` makes one of this version of each."""

    @wraps(act)
    def acted(view: View, *others: Any) -> Any:
        return act(renewed(view), *others)

    return cast("Act", acted)
