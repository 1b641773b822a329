"""Writes the ES modules of a page as one, so that it needs no other file and its users no tools.

Modules are put one behind the other, those that are imported first, in one
scope. So all names at the top of modules must differ, imports name what they
want without renaming it, and exports stand before what they export.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pbem.errors import PbemError

ASSETS = Path(__file__).parent / "assets"
"""The folder of scripts and styles."""

_IMPORT = re.compile(r'^import \{(?:(?! as )[^{}])*+\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
_TOP = re.compile(r"^(?:async )?(?:function\*?|class|const|let) ([\w$]+)", re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n|^ *//[^\n]*\n", re.MULTILINE | re.DOTALL)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_ENDS_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)


class BundleError(PbemError):
    """A module is written in a way that cannot be put into one file with others."""


@cache
def bundle(entry: str, folder: Path = ASSETS) -> str:
    """The script of a module in a folder and all that it imports. Raises BundleError."""
    script = "".join(_modules(folder, entry, {}))
    names = _TOP.findall(script)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BundleError(f"{entry}: {', '.join(twice)} stands at the top of two modules; give one another name")
    if _ENDS_SCRIPT.search(script):
        raise BundleError(f"{entry}: a script inside a page cannot have </script or <!-- in it")
    return script


def _modules(folder: Path, name: str, seen: dict[str, bool]) -> Iterator[str]:
    """The code of all modules that one needs, its own last; `seen` tells of each whether it is done."""
    if name in seen:
        if not seen[name]:
            raise BundleError(f"{name} imports itself by way of others")
        return
    seen[name] = False
    source = (folder / name).read_text(encoding="utf-8")
    for imported in _IMPORT.findall(source):
        yield from _modules(folder, imported, seen)
    code = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))
    if left := _LEFT.search(code):
        raise BundleError(f'{name}: "{left[0]}" is not of a form that can be put into one file')
    seen[name] = True
    yield code
