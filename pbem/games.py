"""Games that installed packages offer, by entry points.

A package offers a game in its pyproject.toml:

    [project.entry-points."pbem.rulesets"]
    lanterns = "lanterns:RULESET"

A package that cannot be used does not affect other games: the error is shown where
games are listed, by the doctor, and when its own game is requested.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from pbem.errors import CampaignError, GameError
from pbem.ruleset.fields import suggest
from pbem.ruleset.protocol import AnyRuleset, Ruleset

GROUP = "pbem.rulesets"

_MEMBERS = sorted(inspect.get_annotations(Ruleset).keys() | {name for name in vars(Ruleset) if name[0] != "_"})


class InstalledGames(Mapping[str, AnyRuleset]):
    """Games by key, in the order of keys. A game is imported on first access.

    Access to a game that is installed but cannot be used raises GameError.
    """

    def __init__(self, entries: Iterable[EntryPoint]) -> None:
        self._offers: dict[str, list[EntryPoint]] = {}
        for entry in sorted(entries, key=lambda entry: entry.name):
            self._offers.setdefault(entry.name, []).append(entry)
        self._loaded: dict[str, AnyRuleset] = {}

    def __getitem__(self, key: str) -> AnyRuleset:
        if key not in self._loaded:
            self._loaded[key] = _load_game(key, self._offers[key])
        return self._loaded[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._offers)

    def __len__(self) -> int:
        return len(self._offers)

    def __contains__(self, key: object) -> bool:
        # Mapping would call __getitem__, which imports the game, and raises GameError if it is unusable.
        return key in self._offers

    def usable(self) -> dict[str, AnyRuleset]:
        """Return the games that can be played; this imports all of them."""
        faults = self.faults()
        return {key: self[key] for key in self if key not in faults}

    def faults(self) -> dict[str, str]:
        """Return a sentence for each game that cannot be played, by key."""
        told = {}
        for key in self:
            try:
                self[key]
            except GameError as error:
                told[key] = str(error)
        return told


@cache
def installed_games() -> InstalledGames:
    """Return the games of this package and all others."""
    return InstalledGames(entry_points(group=GROUP))


def _load_game(key: str, offers: list[EntryPoint]) -> AnyRuleset:
    if len(offers) > 1:
        packages = " and ".join(sorted(map(_package, offers)))
        raise GameError(f"game {key!r} is offered by {packages}: uninstall all but one of them")
    (entry,) = offers
    try:
        found = entry.load()
    except Exception as error:  # a package may raise anything, which must not affect other games
        raise GameError(f"{_describe_entry(entry)} cannot be imported: {type(error).__name__}: {error}") from error
    # Statically: members may be properties, and rulebook and templates of BaseRuleset read files.
    lacking = [name for name in _MEMBERS if inspect.getattr_static(found, name, None) is None]
    if isinstance(found, type) or lacking:
        what = (
            "a class: write () behind it" if isinstance(found, type) else f"no ruleset: it lacks {', '.join(lacking)}"
        )
        raise GameError(f"{_describe_entry(entry)} cannot be used: {entry.value} is {what}")
    if found.key != key:
        raise GameError(
            f"{_describe_entry(entry)} cannot be used: its own key is {found.key!r}, and the two must be the same"
        )
    game: AnyRuleset = found
    return game


def _describe_entry(entry: EntryPoint) -> str:
    return f"game {entry.name!r} of {_package(entry)}"


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unnamed package"


ORDERS = "{{ORDERS}}"
"""Placeholder for the order reference in a rulebook."""


def rulebook(ruleset: AnyRuleset) -> str:
    """Return the rulebook in Markdown, with the order reference."""
    return ruleset.rulebook.replace(ORDERS, ruleset.orders.reference())


def find_game(games: Mapping[str, AnyRuleset], key: str) -> AnyRuleset:
    """Return the ruleset of this key.

    Raises:
        CampaignError: There is none; the message names the most similar key.
        GameError: The game cannot be used.
    """
    if key not in games:
        raise CampaignError(f"there is no game {key!r} here: {suggest(key, sorted(games))}")
    return games[key]


def fault_place(error: BaseException, game: AnyRuleset) -> str:
    """Return the innermost place of a game's package that an error went through; "" if there is none.

    It is "night_market/turn.py, line 31, in search".
    """
    package = type(game).__module__.partition(".")[0]
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__", "")
        if module.partition(".")[0] == package:
            file = Path(frame.f_code.co_filename)
            parts = module.count(".") + (2 if file.name == "__init__.py" else 1)
            place = f"{'/'.join(file.parts[-parts:])}, line {line}, in {frame.f_code.co_name}"
    return place
