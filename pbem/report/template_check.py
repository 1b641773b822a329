"""Checks templates by rendering them with sample records before a mail needs them."""

from __future__ import annotations

import dataclasses
import datetime as dt
import difflib
import json
import pickle
import re
import resource
import signal
import socket
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import EnumType
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from jinja2 import TemplateError, TemplateSyntaxError
from jinja2.meta import find_referenced_templates
from markupsafe import Markup

from pbem.errors import ConfigError, UnusableTemplateError
from pbem.report import answers, notices
from pbem.report.facts import ReportFacts
from pbem.report.notices import Notice, Page
from pbem.report.renderer import Renderer
from pbem.report.small import SAMPLES
from pbem.report.templates import names_for, template_environment
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset, TurnInput, bot_lines, with_memory
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import SeatName, View
from pbem.util import lies_in

_MODULES = (answers, notices)
_AT = dt.datetime(2030, 1, 4, 19, 0, tzinfo=dt.UTC)
_PLAIN: Mapping[Any, Any] = {
    str: "sample",
    bytes: b"sample",
    int: 2,
    dt.datetime: _AT,
    Markup: Markup("sample"),
    Any: "sample",
    Page: Notice(subject="sample", blocks=("sample",)),
}
# Samples for fields that do not take any text.
_NAMED = {"zone": "UTC"}


def sample_pages() -> Iterator[Page]:
    """Yield each of the host's mails as records: with the fewest fields, with all of them, and with each choice."""
    for module in _MODULES:
        for kind in vars(module).values():
            if (
                isinstance(kind, type)
                and dataclasses.is_dataclass(kind)
                and isinstance(getattr(kind, "page", None), str)
            ):
                # Templates show a section or not by what is given, so a fault may show in one of the two alone.
                yield sample(kind, full=False)
                yield from _variants(sample(kind, full=True))
    yield from (make() for make in SAMPLES)


def _variants(page: Any) -> Iterator[Page]:
    hints = get_type_hints(type(page))
    choices = [(name, get_args(hint)) for name, hint in hints.items() if get_origin(hint) is Literal]
    yield page
    # Templates branch on these, so a fault may show for one rare value alone.
    for name, words in choices:
        yield from (dataclasses.replace(page, **{name: word}) for word in words)


def sample_facts(view: View, seats: tuple[SeatName, ...]) -> Iterator[ReportFacts]:
    """Yield the facts of a report around a view: with the fewest fields, and with all of them."""
    for full in (False, True):
        yield dataclasses.replace(sample(ReportFacts, full=full), seat=view["seat"], seats=seats, page=full)


def sample(kind: Any, *, full: bool) -> Any:
    """Return a record of a class with a sample in each field; if not `full`, only in those without a default."""
    hints = get_type_hints(kind)
    if hasattr(kind, "_fields"):
        return kind(**{name: _sample_value(name, hints[name], full=full) for name in kind._fields})
    needed = [
        field.name
        for field in dataclasses.fields(kind)
        if full or field.default is field.default_factory is dataclasses.MISSING
    ]
    return kind(**{name: _sample_value(name, hints[name], full=full) for name in needed})


def _sample_value(name: str, hint: Any, *, full: bool) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if name in _NAMED:
        return _NAMED[name]
    if hint is bool:
        return full
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Literal:
        return args[0]
    if isinstance(hint, EnumType):
        return next(iter(hint))
    if origin in (Union, types.UnionType):
        return _sample_value(name, args[0], full=full) if full else None
    if isinstance(origin, type):
        return _sample_collection(name, origin, args, full=full)
    return sample(hint, full=full)


def _sample_collection(name: str, origin: type, args: Sequence[Any], *, full: bool) -> Any:
    if issubclass(origin, Mapping):
        return {_sample_value(name, args[0], full=full): _sample_value(name, args[1], full=full)} if full else {}
    if issubclass(origin, tuple) and Ellipsis not in args:
        return tuple(_sample_value(name, each, full=full) for each in args)
    assert issubclass(origin, Collection), origin
    return tuple(_sample_value(name, args[0], full=full) for _ in range(2)) if full else ()


def sample_views(ruleset: AnyRuleset) -> Iterator[tuple[View, tuple[SeatName, ...]]]:
    """Yield the first views of a game with the fewest players, and those after a turn of bots; each with all seats."""
    dice = Dice(b"sample")
    known = ruleset.seats
    seats = known.names[: known.least] or tuple(f"seat{number}" for number in range(1, known.least + 1))
    options = {option.name: option.default for option in ruleset.options}
    state = ruleset.setup(options, list(seats), dice.within("setup"))
    first = {seat: _mailed_view(ruleset, ruleset.view(state, seat, ()), None) for seat in seats}
    yield from ((view, tuple(seats)) for view in first.values())
    awaited = sorted(ruleset.standing(state).awaiting)
    bot = ruleset.bots["standard"]
    lines = {seat: bot_lines(bot, first[seat], dice.within(seat)) for seat in awaited}
    orders = {seat: ruleset.parse(first[seat], list(enumerate(lines[seat], 1))).orders for seat in awaited}
    state, events = ruleset.resolve(state, TurnInput(orders, frozenset(), frozenset(), None), dice.within("turn"))
    yield from ((_mailed_view(ruleset, ruleset.view(state, seat, events), first[seat]), tuple(seats)) for seat in seats)


def _mailed_view(ruleset: AnyRuleset, view: View, last: View | None) -> View:
    seen: View = json.loads(canonical_json(with_memory(ruleset, view, last)))
    return seen


Tries = Callable[[Renderer], Iterable[Callable[[], object]]]
"""Returns ways to write all pages of a kind with samples by a renderer, in the same order for each renderer."""


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """A fault in a template.

    `fatal`: a mail that needs it cannot be written; otherwise the template is never
    used. `endless`: it takes more time than the check has.
    """

    name: str
    text: str
    fatal: bool
    endless: bool = False


SECONDS, PATIENCE = 20.0, 200.0
"""Processor time for a check, and its time by the clock; that of all games takes some seconds."""

MEMORY = 8 << 30
"""Bytes of address space for a check, so that a template that doubles a text does not fill the machine."""

_TOO_MUCH = TemplateFault("", "one of them does not end, or takes too much memory", fatal=True)


class _TooSlow(TemplateError):
    """Raised in a template when the time of a check has ended."""


def run_in_child(check: Callable[[], Iterable[TemplateFault]]) -> list[TemplateFault]:
    """Return the faults that a check finds; it runs in a process of its own, which is killed if it does not end."""
    ours, theirs = socket.socketpair()
    ours.settimeout(PATIENCE)
    # Forked, since games cannot be pickled.
    child = get_context("fork").Process(target=_send_faults, args=(theirs, check), daemon=True)
    child.start()
    theirs.close()
    try:
        # The child names a template that takes too long, if it is not busy in a single filter.
        with ours, ours.makefile("rb") as answer:
            faults: list[TemplateFault] = pickle.load(answer)  # noqa: S301 - from our own process
    except (EOFError, TimeoutError, pickle.UnpicklingError):
        faults = [_TOO_MUCH]
    finally:
        child.kill()
        child.join()
    return faults


def _send_faults(target: socket.socket, check: Callable[[], Iterable[TemplateFault]]) -> None:
    with suppress(ValueError, OSError):  # a stricter limit of the operator stays
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGVTALRM, _end_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    target.sendall(pickle.dumps(list(check())))


def _end_time(*_: object) -> NoReturn:
    raise _TooSlow(f"it takes longer than {SECONDS:g} seconds")


def list_custom_templates(own: Path) -> list[str]:
    """Return the names of the templates in a GM's folder, without hidden files and links that lead out of it."""
    return [name for name in _list_files(own) if lies_in(own, own / name)]


def _list_files(own: Path) -> list[str]:
    names = (path.relative_to(own) for path in own.rglob("*") if path.is_file())
    return sorted(name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts))


_OUTSIDE = "it is a link that leads out of the folder, so it is not used"


def check_syntax(own: Path, program: Path, games: Mapping[str, AnyRuleset]) -> Iterator[TemplateFault]:
    """Yield the faults of the templates in a GM's folder that show when they are read and compiled."""
    names = list_custom_templates(own)
    outside = sorted(set(_list_files(own)) - set(names))
    yield from (TemplateFault(name, _OUTSIDE, fatal=True) for name in outside)
    # A mail written by one template for both forms may be replaced by one for text alone, and the other way round.
    known = _with_other_forms([*list_custom_templates(program), *_bundled_templates(games)])
    templates = template_environment([own, program])
    used: set[str | None] = set()
    for name in names:
        try:
            source = (own / name).read_text(encoding="utf-8") if name.endswith(".j2") else ""
            templates.compile(source, name)
            parts = set(find_referenced_templates(templates.parse(source)))
        except TemplateSyntaxError as error:
            yield TemplateFault(name, f"line {error.lineno}: {error.message}", fatal=True)
        except (RecursionError, MemoryError):
            yield TemplateFault(name, "it is nested too deeply", fatal=True)
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            yield TemplateFault(name, f"line {line}: this is not text in UTF-8", fatal=True)
        except OSError as error:
            yield TemplateFault(name, f"it cannot be read: {error.strerror}", fatal=True)
        else:
            used |= parts
            for part in sorted(part for part in parts if part and part not in {*_with_other_forms(names), *known}):
                yield TemplateFault(name, f"it needs the template {part}, which is missing", fatal=True)
    for name in names:
        if name not in known and name not in used:
            yield TemplateFault(
                name, f"no mail and no page uses a template of this name{_suggestion(name, known)}", fatal=False
            )


_FORM = re.compile(r"\.(?:txt|html)\.j2$")


def _with_other_forms(files: Iterable[str]) -> list[str]:
    """Return the names of files, and those of the other forms that these may have."""
    found = [name for file in files for name in names_for(file)]
    both = (_FORM.sub(".j2", name) for name in found)
    return list(dict.fromkeys([*found, *(name for single in both for name in names_for(single))]))


def check_rendering(
    own: Path | None, program: Path, games: Mapping[str, AnyRuleset], site: Tries = lambda _: ()
) -> Iterator[TemplateFault]:
    """Yield the faults that show when templates are filled in with samples: mails, the site, reports of each game.

    Checked are the templates of a GM's `own` folder and those that games bring; the
    program's are right. `site` gives ways to write the pages of the site.
    """
    folders = [program] if own is None else [own, program]
    with Renderer(folders, games, pictures=False) as reporter, Renderer([program], pictures=False) as usual:
        pages = ((tries(reporter), tries(usual)) for tries in (_mail_tries, site)) if own else ()
        tried = (partial(_try_page, *both) for each in pages for both in zip(*each, strict=True))
        reports = (partial(_try_reports, reporter, game) for game in _games_to_check(own, program, games))
        yield from _until_endless(fault for look in (*tried, *reports) for fault in look())


def _until_endless(faults: Iterable[TemplateFault]) -> Iterator[TemplateFault]:
    """Yield each fault once, and none after a template that took all its time: others may take as long."""
    seen: set[TemplateFault] = set()
    for fault in faults:
        if fault not in seen:
            yield fault
        seen.add(fault)
        if fault.endless:
            return


def _mail_tries(reporter: Renderer) -> Iterator[Callable[[], object]]:
    """Yield ways to write the host's mails."""
    for page in sample_pages():
        yield partial(reporter.write, page)


def _games_to_check(own: Path | None, program: Path, games: Mapping[str, AnyRuleset]) -> Iterator[AnyRuleset]:
    """Yield the games whose reports use templates that are not the program's, of their own or shared by all games."""
    mails = {name for page in sample_pages() for name in names_for(f"host/{page.page}.j2")}
    apart = mails | {f"site/{name}" for name in list_custom_templates(program / "site")}
    folders = {name.partition("/")[0] for name in (list_custom_templates(own) if own else ()) if name not in apart}
    shared = bool(folders - games.keys())
    yield from (game for key, game in games.items() if shared or key in folders or game.templates is not None)


def _try_page(write: Callable[[], object], usual: Callable[[], object]) -> list[TemplateFault]:
    """Return the fault of a page, unless the program's own template has one with this sample too."""
    try:
        write()
    except ConfigError as error:
        with suppress(ConfigError):
            # A program's own template that fails too means that the sample does not fit: no fault of the GM's.
            usual()
            return [_to_fault(error)]
    return []


def _try_reports(reporter: Renderer, game: AnyRuleset) -> list[TemplateFault]:
    found = []
    # A fault of the game itself is not one of its templates, and must not hide those of other games.
    with suppress(Exception):
        for view, seats in sample_views(game):
            for facts, drawn in zip(sample_facts(view, seats), (False, True), strict=True):
                try:
                    reporter.render_trial(game, view, facts, drawn=drawn)
                except ConfigError as error:
                    found.append(_to_fault(error))
                    if found[-1].endless:
                        return found
    return found


def _to_fault(error: ConfigError) -> TemplateFault:
    place, why = (error.place, error.why) if isinstance(error, UnusableTemplateError) else ("", str(error))
    name, _, line = place.partition(", ")
    text = f"{line}: {why}" if line else why
    return TemplateFault(name, text, fatal=True, endless=isinstance(error.__cause__, _TooSlow))


def _forms(name: str) -> tuple[str, ...]:
    """Return the name of a template, and those that may replace one of the two forms that it writes."""
    folder, _, file = name.rpartition("/")
    both = file.removesuffix(".j2")
    one = "." not in both and (folder == "host" or both == "report")
    return (name, f"{folder}/{both}.txt.j2", f"{folder}/{both}.html.j2") if one else (name,)


def _bundled_templates(games: Mapping[str, AnyRuleset]) -> Iterator[str]:
    """Yield the names of the templates that games bring."""
    for key, game in games.items():
        if game.templates is not None:
            yield from sorted(f"{key}/{file.name}" for file in game.templates.iterdir() if file.is_file())


def _suggestion(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return f"; did you mean {near[0]}?" if near else ""
