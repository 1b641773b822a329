"""Files of options: JSON, YAML and tables, by the ending of their names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pbem.actions.create import read_data
from pbem.errors import CampaignError

RED = {"gold": 40, "title": "no", "ships": ["Argo", "Swift"], "since": "1805-10-21", "1": None}


def data(folder: Path, name: str, text: str) -> object:
    """Write a file with this name and text, and return its data."""
    (folder / name).write_text(text, "utf-8-sig")
    return read_data(folder / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.yaml", "red:\n  gold: 40\n  title: no\n  ships: [Argo, Swift]\n  since: 1805-10-21\n  1:\n"),
        ("x.YML", "red: {gold: 40, title: 'no', ships: [Argo, Swift], since: 1805-10-21, 1: null}"),
        (
            "x.json",
            '{"red": {"gold": 40, "title": "no", "ships": ["Argo", "Swift"], "since": "1805-10-21", "1": null}}',
        ),
    ],
)
def test_yaml_and_json_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    """YAML is version 1.2: `no` is a word; dates and names are texts."""
    assert data(tmp_path, name, text) == {"red": RED}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_rows_by_their_headings(tmp_path: Path, separator: str) -> None:
    """A table may be separated by commas, semicolons or tabs; missing cells are empty."""
    text = 'seat,gold,title\nred, 40 ,"Duke, of Naxos"\nblue,35\n'.replace("Duke, of", "Duke of").replace(
        ",", separator
    )

    assert data(tmp_path, "x.csv", text) == [
        {"seat": "red", "gold": "40", "title": "Duke of Naxos"},
        {"seat": "blue", "gold": "35", "title": ""},
    ]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n" for before, after in zip("abcdefg", "bcdefgh", strict=True)
)
"""Nine lines that stand for half a billion values."""

MERGES = BOMB.replace("a: &a [x, x, x, x, x, x, x, x, x]", "a: &a {x: 1}").replace("[*", "{<<: [*").replace("]", "]}")
"""The same with objects, each of which merges the ones before."""


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.yaml", "red: {gold: 40\n", "x.yaml is not YAML .*line 2"),
        ("x.yaml", "red: 1\nred: 2\n", "duplicate key"),
        ("x.yaml", "red: !!python/object/apply:os.system [ls]\n", "could not determine a constructor"),
        ("x.yaml", "red: !!set {a, b}\n", "of the kind set"),
        ("x.yaml", "true: 1\n", "'True' cannot be a name: put it in quotes"),
        ("x.yaml", BOMB, "stands for too much data"),
        ("x.yaml", "a: &a [*a]\n", "stands for too much data"),
        ("x.yaml", MERGES, "stands for too much data"),
        ("x.yaml", "[" * 20_000, "stands for too much data"),
        ("x.yaml", "a: " + "{a: " * 20_000, "stands for too much data"),
        ("x.yaml", "gold: 1\nred: !!bool abc\n", "no value of .*bool, line 2"),
        ("x.yaml", "red: !!int ''\n", "no value of .*int, line 1"),
        ("x.yaml", "red: !!timestamp soon\n", "line 1"),
        ("x.yaml", "a: " + "x" * 1_000_000, "it is larger than 1,000,000 bytes"),
        ("x.json", '"' + "x" * 16_000_000 + '"', "it is larger than 16,000,000 bytes"),
        ("x.json", "[" * 100_000, "x.json is not JSON"),
        ("x.yaml", "a: .nan\n", "x.yaml is not YAML .*not JSON compliant"),
        ("x.yaml", 'a: "\\ud800"\n', "surrogates not allowed"),
        ("x.csv", "seat,gold\nred,\0\n", "the sign NUL"),
        ("x.csv", "seat,gold\nred,1,2\n", "line 2 has more cells"),
        ("x.csv", "seat,gold,gold\n", "none twice"),
        ("x.csv", "", "must name each column"),
        ("x.csv", 'seat,gold\nred,"1\n', "x.csv is not CSV"),
        ("x.json", "{", "x.json is not JSON"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    """A file that is invalid or too large is refused in one sentence, and no file makes anything but data."""
    with pytest.raises(CampaignError, match=said):
        data(tmp_path, name, text)


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    """A pipe without a writer is not waited for, and a device without an end is not read; a link to a file is."""
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    (tmp_path / "link.json").symlink_to("data.json")
    (tmp_path / "data.json").write_text("[1]")

    for name in ("pipe.yaml", "zero.json"):
        with pytest.raises(CampaignError, match=f"{name} is not .*it is no plain file"):
            read_data(tmp_path / name)
    assert read_data(tmp_path / "link.json") == [1]
