"""A new game: a package that works as it stands, to be made into an author's own.

The files are those of `skeleton/`, a small game called "My Game", with its key,
class and title replaced; it is held by tests of its own.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
from collections.abc import Collection
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from pbem.errors import ConfigError

_KEY = re.compile(r"[a-z][a-z0-9]*+(?:_[a-z0-9]++)*+")


def write_package(key: str, folder: Path, *, taken: Collection[str] = ()) -> list[Path]:
    """Writes the package of a game in a folder that is empty or not there; its files. Raises ConfigError.

    Of the keys `taken` there are games already.
    """
    _check_key(key, taken)
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is not empty: name a folder that is, or one that is not there yet")
    return _written(resources.files(__name__) / "skeleton", folder, key)


def _check_key(key: str, taken: Collection[str]) -> None:
    if not _KEY.fullmatch(key):
        raise ConfigError(f"a key cannot be {key!r}: it is made of small letters and digits, such as night_market")
    if key in taken:
        raise ConfigError(f"there is a game {key!r} already: choose another key")
    if keyword.iskeyword(key) or importlib.util.find_spec(key) is not None:
        raise ConfigError(f"Python knows something called {key!r} already: choose another key, such as {key}_game")


def _written(source: Traversable, target: Path, key: str) -> list[Path]:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_named(source.read_text(encoding="utf-8"), key), encoding="utf-8")
        return [target]
    inside = sorted(
        (each for each in source.iterdir() if not each.name.startswith((".", "__pycache__"))),
        key=lambda each: each.name,
    )
    return [path for each in inside for path in _written(each, target / _named(each.name, key), key)]


def _named(text: str, key: str) -> str:
    """A text of the skeleton with the game's own names."""
    words = [word.capitalize() for word in key.split("_")]
    return text.replace("mygame", key).replace("MyGame", "".join(words)).replace("My Game", " ".join(words))
