"""Looks through a GM's own templates before a turn has to use them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jinja2 import TemplateSyntaxError
from jinja2.meta import find_referenced_templates

from pbem.errors import ConfigError, TemplateUnusable
from pbem.report.pages import Page
from pbem.report.reporter import Reporter, template_environment
from pbem.report.samples import sample_facts, sample_pages, sample_views
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


def filling_faults(own: Path | None, program: Path, games: Mapping[str, AnyRuleset]) -> Iterator[TemplateFault]:
    """What goes wrong when templates are filled in: each mail of the host, and reports of each game, with samples.

    Those of the program are right; looked at are those of a GM's `own` folder, and those that games bring.
    """
    folders = [program] if own is None else [own, program]
    with Reporter(folders, games, pictures=False) as reporter, Reporter([program], pictures=False) as usual:
        mails = (partial(_mailed, reporter, usual, page) for page in (sample_pages() if own else ()))
        reports = (partial(_reported, reporter, game) for game in _reworded(own, games))
        found = (fault for look in (*mails, *reports) for fault in look())
        yield from dict.fromkeys(found)


def _reworded(own: Path | None, games: Mapping[str, AnyRuleset]) -> Iterator[AnyRuleset]:
    """The games whose reports are not worded by the program alone: some of it, or all by a part that they share."""
    mails = {f"host/{page.page}.txt.j2" for page in sample_pages()}
    folders = {name.partition("/")[0] for name in (own_templates(own) if own else ()) if name not in mails}
    shared = bool(folders - games.keys())
    yield from (game for key, game in games.items() if shared or key in folders or game.templates is not None)


def _mailed(reporter: Reporter, usual: Reporter, page: Page) -> list[TemplateFault]:
    """The fault of a mail, if the program's own template has none with this sample."""
    try:
        reporter.write(page)
    except ConfigError as error:
        with suppress(ConfigError):
            usual.write(page)
            return [_fault(error)]
    return []


def _reported(reporter: Reporter, game: AnyRuleset) -> list[TemplateFault]:
    found = []
    # A fault of the game itself is none of its templates, and shall not keep the others from being looked at.
    with suppress(Exception):
        for view, seats in sample_views(game):
            for facts in sample_facts(view, seats):
                try:
                    reporter.report(game, view, facts)
                except ConfigError as error:
                    found.append(_fault(error))
    return found


def _fault(error: ConfigError) -> TemplateFault:
    place, why = (error.place, error.why) if isinstance(error, TemplateUnusable) else ("", str(error))
    name, _, line = place.partition(", ")
    return TemplateFault(name, f"{line}: {why}" if line else why, fatal=True)


def _brought(games: Mapping[str, AnyRuleset]) -> Iterator[str]:
    """The templates that games bring themselves."""
    for key, game in games.items():
        if game.templates is not None:
            yield from sorted(f"{key}/{file.name}" for file in game.templates.iterdir() if file.is_file())


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return f"; did you mean {near[0]}?" if near else ""
