"""Looks through a GM's own templates before a turn has to use them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jinja2 import TemplateSyntaxError
from jinja2.meta import find_referenced_templates

from pbem.report.reporter import template_environment
from pbem.ruleset import AnyRuleset


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """What is wrong with a template. `fatal`: a mail that needs it cannot be written; else it is never used."""

    name: str
    text: str
    fatal: bool


def own_templates(own: Path) -> list[str]:
    """The files in a GM's folder, named as templates are, but for hidden ones."""
    names = (path.relative_to(own) for path in own.rglob("*") if path.is_file())
    return sorted(name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts))


def template_faults(own: Path, program: Path, games: Mapping[str, AnyRuleset]) -> Iterator[TemplateFault]:
    """What is wrong with the templates in a GM's folder: they are read and compiled, but not filled in."""
    names, known = own_templates(own), [*own_templates(program), *_brought(games)]
    templates = template_environment([own, program])
    used: set[str | None] = set()
    for name in names:
        try:
            source = (own / name).read_text(encoding="utf-8") if name.endswith(".j2") else ""
            templates.compile(source, name)
            parts = set(find_referenced_templates(templates.parse(source)))
        except TemplateSyntaxError as error:
            yield TemplateFault(name, f"line {error.lineno}: {error.message}", fatal=True)
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            yield TemplateFault(name, f"line {line}: this is not text in UTF-8", fatal=True)
        except OSError as error:
            yield TemplateFault(name, f"it cannot be read: {error.strerror}", fatal=True)
        else:
            used |= parts
            for part in sorted(part for part in parts if part and part not in {*names, *known}):
                yield TemplateFault(name, f"it needs the template {part}, which is missing", fatal=True)
    for name in names:
        if name not in known and name not in used:
            yield TemplateFault(name, f"no mail uses a template of this name{_nearest(name, known)}", fatal=False)


def _brought(games: Mapping[str, AnyRuleset]) -> Iterator[str]:
    """The templates that games bring themselves."""
    for key, game in games.items():
        if game.templates is not None:
            yield from sorted(f"{key}/{file.name}" for file in game.templates.iterdir() if file.is_file())


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return f"; did you mean {near[0]}?" if near else ""
