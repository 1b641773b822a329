"""Views of earlier versions of a game: sheets are still parsed against them, and replays show them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from pbem.ruleset import View

Act = TypeVar("Act", bound=Callable[..., Any])


def of_any_age(renewed: Callable[[View], View], act: Act) -> Act:
    """Wrap a function of a view so that it accepts views of earlier versions, which `renewed` converts."""

    @wraps(act)
    def acted(view: View, *others: Any) -> Any:
        return act(renewed(view), *others)

    return cast("Act", acted)
