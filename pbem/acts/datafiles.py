"""Files of a GM's own as data: JSON, YAML or a table (CSV), by the ending of their names.

YAML is read as version 1.2, by a safe loader: words such as yes and no are
texts, a key that stands twice is an error, and no tag makes anything but data.
"""

from __future__ import annotations

import csv
import datetime as dt
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pbem.errors import CampaignError
from pbem.ruleset.serialization import storable
from pbem.ruleset.values import Json
from pbem.util import read_plain

MOST_VALUES = 100_000
"""Values of a YAML file, of which few lines can stand for very many; so many hang in each other at the most:"""

DEEPEST = 50

MOST_MERGED = 10_000
"""Keys of an object that others were merged into."""

MOST_BYTES = 16_000_000
"""Bytes of a file; the largest state of a game is a tenth of that."""

MOST_YAML = 1_000_000
"""Bytes of a YAML file, of which a second reads some 100,000."""

_TOO_MUCH = "it stands for too much data"

_SEPARATORS = ",;\t"


def read_data(path: Path) -> Json:
    """The data of a file. Raises CampaignError saying what is wrong with it, and in which line if that is known."""
    name, read, most = _READERS.get(path.suffix.lower(), ("JSON", json.loads, MOST_BYTES))
    try:
        return storable(read(read_plain(path, most, follow=True).decode("utf-8-sig")))
    except OSError as error:
        raise CampaignError(f"{path} cannot be read ({error.strerror or type(error).__name__})") from None
    except (ValueError, RecursionError) as error:
        raise CampaignError(f"{path} is not {name} ({str(error)[:200]})") from None


def read_yaml(text: str) -> Json:
    """The data of YAML. Raises ValueError for what is none, or has no counterpart in JSON."""
    # Here, since it takes a while, and most commands read no such file.
    from ruamel.yaml import YAML
    from ruamel.yaml.composer import MaxDepthExceededError
    from ruamel.yaml.constructor import ConstructorError, SafeConstructor
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    class Constructor(SafeConstructor):
        """Merges (<<) repeat what they name, and that of what it names: in ten lines too often to be counted later."""

        def flatten_mapping(self, node: Any) -> None:
            written = len(node.value)
            super().flatten_mapping(node)
            if len(node.value) > max(written, MOST_MERGED):
                raise ValueError(_TOO_MUCH)

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep=deep)
            except LookupError:  # ruamel.yaml has no error of its own for a value such as `!!bool abc`
                raise ConstructorError(None, None, f"no value of {node.tag}", node.start_mark) from None

    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = Constructor
    yaml.max_depth = DEEPEST
    yaml.composer.warn_double_anchors = False
    try:
        data = yaml.load(text)
    except MaxDepthExceededError:
        raise ValueError(_TOO_MUCH) from None
    except MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"{' '.join(str(error.problem or error.context).split())}{line}") from None
    except YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    return _plain(data, itertools.count(1), 0)


def _plain(value: Any, values: Iterator[int], depth: int) -> Json:
    """YAML as JSON has it: keys are texts, and so are dates."""
    if next(values) > MOST_VALUES or depth > DEEPEST:
        raise ValueError(_TOO_MUCH)
    if isinstance(value, Mapping):
        return {_key(key): _plain(each, values, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each, values, depth + 1) for each in value]
    if isinstance(value, dt.date):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(f"a value of the kind {type(value).__name__} is not taken")


def _key(key: Any) -> str:
    if isinstance(key, str | int) and not isinstance(key, bool):
        return str(key)
    raise ValueError(f"{str(key)[:40]!r} cannot be a name: put it in quotes")


def read_table(text: str) -> Json:
    """The rows of a table, each an object by the headings of its columns; , ; or a tabulator parts them.

    Raises ValueError for a row that does not fit the headings.
    """
    lines = text.splitlines()
    separator = max(_SEPARATORS, key=lines[0].count) if lines else ","
    rows = csv.DictReader(lines, delimiter=separator, strict=True)
    headings = [heading.strip() for heading in rows.fieldnames or ()]
    if not headings or len(set(headings)) < len(headings):
        raise ValueError("its first line must name each column, and none twice")
    rows.fieldnames = headings
    return [_row(rows.line_num, row) for row in _of(rows)]


def _of(rows: csv.DictReader[str]) -> Iterator[Mapping[str | None, Any]]:
    try:
        yield from rows
    except csv.Error as error:
        raise ValueError(f"{error}, line {rows.line_num}") from None


def _row(line: int, row: Mapping[str | None, Any]) -> dict[str, str]:
    if None in row:
        raise ValueError(f"line {line} has more cells than there are headings")
    return {str(heading): (cell or "").strip() for heading, cell in row.items()}


_READERS: Mapping[str, tuple[str, Callable[[str], Json], int]] = {
    ".yaml": ("YAML", read_yaml, MOST_YAML),
    ".yml": ("YAML", read_yaml, MOST_YAML),
    ".csv": ("CSV", read_table, MOST_BYTES),
}
