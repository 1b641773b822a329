"""Tests of the cache of compiled templates: files for those of the program and its games, none for a GM's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from jinja2 import Environment

from pbem.report.templates import CompiledTemplates
from pbem.util import package_data

PROGRAM = str(package_data("templates") / "host" / "a.txt.j2")
SOURCE = "{{ a }} & {{ b }}"


@pytest.fixture(autouse=True)
def _writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python keep compiled code in files, as it does where nobody tells it not to."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def keep(folder: Path, filename: str | None = PROGRAM, source: str = SOURCE) -> None:
    """Compile a template, and put it into a cache of that folder."""
    environment = Environment(autoescape=True)
    cache = CompiledTemplates(folder)
    bucket = cache.get_bucket(environment, "a.txt.j2", filename, source)
    bucket.code = environment.compile(source, "a.txt.j2", filename)
    cache.set_bucket(bucket)


def is_kept(folder: Path, filename: str | None = PROGRAM, source: str = SOURCE) -> bool:
    """Return True if a cache that is opened anew, as in another process, has the code of a template."""
    bucket = CompiledTemplates(folder).get_bucket(Environment(autoescape=True), "a.txt.j2", filename, source)
    return bucket.code is not None


@pytest.mark.parametrize("filename", [PROGRAM, "harvester/report.j2"], ids=["program", "game"])
def test_the_next_process_reads_the_code(tmp_path: Path, filename: str) -> None:
    """Templates of the program and of a game are compiled by one process for all after it."""
    assert not is_kept(tmp_path, filename)
    keep(tmp_path, filename)
    assert is_kept(tmp_path, filename)


@pytest.mark.parametrize("filename", ["/srv/home/templates/host/a.txt.j2", None], ids=["own", "none"])
def test_a_gms_template_has_no_file(tmp_path: Path, filename: str | None) -> None:
    """What a GM writes, or a restored home brings, leaves no code beside the program."""
    keep(tmp_path, filename)
    assert list(tmp_path.iterdir()) == []


def test_a_changed_template_is_compiled_anew(tmp_path: Path) -> None:
    """The code of another source is not used."""
    keep(tmp_path)
    assert not is_kept(tmp_path, source=SOURCE + "!")


@pytest.mark.parametrize("share", [0, 0.2, 0.5, 0.99])
def test_a_damaged_file_is_compiled_anew(tmp_path: Path, share: float) -> None:
    """A file that a full disk cut is as good as none, wherever it was cut."""
    keep(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
    assert not is_kept(tmp_path)
    keep(tmp_path)
    assert is_kept(tmp_path)


def test_without_a_right_to_write_nothing_is_kept(tmp_path: Path) -> None:
    """Where the folder cannot be made, templates are compiled as if there were no cache."""
    occupied = tmp_path / "file"
    occupied.touch()
    keep(occupied)
    assert not is_kept(occupied)


def test_python_that_keeps_no_code_keeps_no_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PYTHONDONTWRITEBYTECODE holds for templates too."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    keep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_code_lies_where_python_keeps_its_own(tmp_path: Path) -> None:
    """PYTHONPYCACHEPREFIX moves the code of templates with that of modules."""
    script = "import pbem.report.templates as t; print(t._COMPILED.directory)"
    line = [sys.executable, "-X", f"pycache_prefix={tmp_path}", "-c", script]
    assert subprocess.run(line, check=True, capture_output=True, text=True).stdout.startswith(str(tmp_path))
