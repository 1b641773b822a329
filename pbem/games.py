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
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from pbem.errors import CampaignError, GameError
from pbem.ruleset.fields import suggest
from pbem.ruleset.protocol import AnyRuleset, Ruleset

if TYPE_CHECKING:
    from packaging.requirements import Requirement

GROUP = "pbem.rulesets"

_MEMBERS = sorted(inspect.get_annotations(Ruleset).keys() | {name for name in vars(Ruleset) if name[0] != "_"})


@dataclass(frozen=True, slots=True)
class Package:
    """The package that offers a game; `requires` are its requirements as metadata spell them (PEP 508)."""

    name: str
    version: str
    requires: tuple[str, ...]


class InstalledGames(Mapping[str, AnyRuleset]):
    """Games by key, in the order of keys. A game is imported on first access.

    Access to a game that is installed but cannot be used raises GameError.
    """

    def __init__(self, entries: Iterable[EntryPoint]) -> None:
        self._entries = entries
        self._loaded: dict[str, AnyRuleset] = {}

    @cached_property
    def _offers(self) -> dict[str, list[EntryPoint]]:
        offers: dict[str, list[EntryPoint]] = {}
        for entry in sorted(self._entries, key=lambda entry: entry.name):
            offers.setdefault(entry.name, []).append(entry)
        return offers

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

    def package(self, key: str) -> Package | None:
        """Return the package that offers a game; None if it is unnamed."""
        found = self._offers[key][0].dist
        return None if found is None else Package(found.name, found.version, tuple(map(str, _requirements(found))))

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
    return InstalledGames(_installed_entries())


def _installed_entries() -> Iterator[EntryPoint]:
    # A generator, as it takes long to find them, and an idle tick needs no game.
    yield from entry_points(group=GROUP)


def _load_game(key: str, offers: list[EntryPoint]) -> AnyRuleset:
    if len(offers) > 1:
        packages = " and ".join(sorted(map(_package, offers)))
        raise GameError(f"game {key!r} is offered by {packages}: uninstall all but one of them")
    (entry,) = offers
    # Before the import, which would fail with the name of some module.
    _require_needs(entry)
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


def _requirements(package: Distribution) -> list[Requirement]:
    """Return what a package needs here: not the requirements of its extras, or of other platforms.

    Raises ValueError if they cannot be read.
    """
    # Imported here, as only games of other packages are checked.
    from packaging.requirements import Requirement

    wanted = map(Requirement, package.requires or ())
    return [each for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]


def _unmet(package: Distribution) -> Iterator[str]:
    """Yield in words what a package needs and does not find."""
    for wanted in _requirements(package):
        try:
            found = version(wanted.name)
        except PackageNotFoundError:
            yield f"{wanted.name}{wanted.specifier}, which is not installed"
        else:
            if not wanted.specifier.contains(found, prereleases=True):
                yield f"{wanted.name}{wanted.specifier}, and {found} is installed"


def _require_needs(entry: EntryPoint) -> None:
    """Raise GameError if the package of a game needs what is not installed."""
    # Its own games need nothing but what the program itself has been able to import.
    if entry.dist is None or entry.dist.name == "pbem":
        return
    try:
        lacking = list(_unmet(entry.dist))
    except ValueError as error:
        raise GameError(f"{_describe_entry(entry)} cannot be used: its metadata cannot be read: {error}") from error
    if lacking:
        raise GameError(f"{_describe_entry(entry)} cannot be used: it needs {'; and '.join(lacking)}")


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
    """Return the innermost place of a game's package that an error went through; "" if there is none."""
    package = type(game).__module__.partition(".")[0]
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__", "").partition(".")[0] == package:
            place = code_place(frame, line)
    return place


def code_place(frame: FrameType, line: int) -> str:
    """Return a place in a package in words: "night_market/turn.py, line 31, in search"."""
    file = Path(frame.f_code.co_filename)
    parts = frame.f_globals["__name__"].count(".") + (2 if file.name == "__init__.py" else 1)
    return f"{'/'.join(file.parts[-parts:])}, line {line}, in {frame.f_code.co_name}"
