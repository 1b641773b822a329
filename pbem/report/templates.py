"""Sandboxed Jinja environment of mail templates.

A template sees public attributes of the plain records that it is given, changes none of them, and calls no function
that it was not given (`jinja2.sandbox`). What it takes of time and memory is not bounded: templates are those of the
program, of a game and of the GM, and those of a restored home are used once the operator has activated it. The doctor
tries them in a process of its own (`pbem.report.template_check`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import cache_from_source
from operator import itemgetter
from pathlib import Path, PurePath
from pickle import UnpicklingError
from string import Formatter
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

import jinja2
from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemBytecodeCache,
    FileSystemLoader,
    StrictUndefined,
    TemplateNotFound,
    pass_context,
    pass_eval_context,
    select_autoescape,
)
from jinja2.bccache import Bucket
from jinja2.loaders import split_template_path
from jinja2.nodes import EvalContext
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing
from markupsafe import Markup, escape

from pbem.report.mailto import FORM, as_comment, mailto
from pbem.report.style import CSS, DARK
from pbem.report.typed_text import person_text_html
from pbem.ruleset.protocol import AnyRuleset
from pbem.text import (
    as_sentence,
    count_noun,
    format_behind,
    format_due,
    format_table,
    format_time,
    heading,
    join_names,
    quote_block,
    wrap,
    wrap_order_line,
)
from pbem.util import lies_in, package_data


def paragraph(text: str) -> str:
    """Return a block of a template as a wrapped paragraph with its line end; nothing if the block is empty."""
    return f"{wrap(text)}\n" if text.strip() else ""


@pass_eval_context
def fill_pattern(context: EvalContext, rows: Iterable[Any], pattern: str) -> list[str]:
    """Fill each row into a pattern with its keys or positions in braces: "{q},{r}" or "{0},{1}".

    In HTML the values are escaped, and the pattern, which is part of the template, is not.
    """
    fill, values = _compile_pattern(pattern)
    if context.autoescape:
        return [Markup(fill(*map(_escape_value, values(row)))) for row in rows]  # noqa: S704 - all of it is escaped
    return [fill(*values(row)) for row in rows]


def _escape_value(value: Any) -> Any:
    # Most are numbers, and thousands of them in a report.
    return value if type(value) is int else escape(value)


@lru_cache(maxsize=256)
def _compile_pattern(pattern: str) -> tuple[Callable[..., str], Callable[[Any], tuple[Any, ...]]]:
    """Return a function that fills a pattern by position, and one that picks a row's values for it."""
    pieces = list(Formatter().parse(pattern))
    if any("{" in (spec or "") for _, _, spec, _ in pieces):
        raise ValueError(f"in the pattern {pattern!r} a field stands within another")
    plain = "".join(
        text.replace("{", "{{").replace("}", "}}") + ("" if field is None else f"{{:{spec}}}")
        for text, field, spec, _ in pieces
    )
    # A field is a key as it stands; str.format would follow attributes, as in {0.__class__}, to globals.
    keys = [int(field) if field.isdigit() else field for _, field, _, _ in pieces if field is not None]
    return plain.format, itemgetter(*keys) if len(keys) > 1 else lambda row: tuple(row[key] for key in keys)


# "J7+3" or "-5,-1": browsers would break the line at the sign. The places of the games, and nothing longer.
_PLACE = re.compile(r"(?<![\w,+-])(?:[A-Z]{1,2}[0-9]{1,3}[+-][0-9]{1,3}|-?[0-9]{1,4},-?[0-9]{1,4})(?![\w,+-])")


@pass_eval_context
def keep_places(context: EvalContext, text: str) -> str:
    """Return a text whose places stay on one line of HTML; in plain text, and in HTML with tags, as it is."""
    # Text that macros return is escaped, and still has no tags.
    if not context.autoescape or (isinstance(text, Markup) and "<" in text):
        return text
    kept = rf'<span style="{CSS["place"]}">\g<0></span>'
    return Markup(_PLACE.sub(kept, str(escape(text))))  # noqa: S704 - all of it is escaped


def one_line(text: str) -> str:
    """Return a paragraph of plain text as one line, since mail programs break long lines better than we could."""
    return " ".join(text.split())


def of_kinds(events: Iterable[Any], kinds: Collection[str]) -> list[Any]:
    """Return the events of some kinds, in their order."""
    return [each for each in events if each.kind in kinds]


@pass_context
def has_words(context: Context, block: str) -> bool:
    """Return True if a block writes anything but blanks; a test of templates, which runs it to its first word only."""
    return any(map(str.strip, context.blocks[block][0](context)))


_BLANK_ROW = "\x00"


def keep_rows(text: str, indent: str = "  ") -> str:
    """Return drawn text whose blank rows `tidy_text` leaves, indented so that marks of quotations are apart."""
    return "\n".join(f"{indent}{row}".rstrip() or _BLANK_ROW for row in text.split("\n"))


def tidy_text(text: str) -> str:
    """Return a text mail with one blank line between its parts, and no blanks at the ends of lines."""
    # The delimiter of a signature ends in a blank (RFC 3676, 4.3).
    lines = text.replace("\n-- \n", f"\n--{_BLANK_ROW}\n").split("\n")
    rows = "\n".join([line.rstrip(" \t") for line in lines]).strip("\n")
    while "\n\n\n" in rows:
        rows = rows.replace("\n\n\n", "\n\n")
    return rows.replace(f"\n--{_BLANK_ROW}\n", "\n-- \n").replace(_BLANK_ROW, "") + "\n"


TEXT_FILTERS = {
    "when": format_time,
    "due": format_due,
    "behind": format_behind,
    "wrapped": wrap,
    "continued": wrap_order_line,
    "paragraph": paragraph,
    "columns": format_table,
    "counted": count_noun,
    "filled": fill_pattern,
    "heading": heading,
    "sentence": as_sentence,
    "barred": quote_block,
    "joined": join_names,
    "place": keep_places,
    "oneline": one_line,
    "of_kinds": of_kinds,
    "rows": keep_rows,
    "comment": as_comment,
    "tidy": tidy_text,
    "quoted": '"{}"'.format,
    "bulleted": "- {}".format,
}

_OF_DICTS = frozenset(dir(dict))
# Types whose attributes no template sees: files, and objects that lead to globals.
_CLOSED = (PurePath, ModuleType, FunctionType)


_PROGRAM = package_data("templates")


class CompiledTemplates(FileSystemBytecodeCache):
    """Cache of compiled templates: of all in this process, and of those of the program and of games in files too.

    Files are code, so they are kept where Python keeps that of modules, and a GM's templates have none. They are made
    anew when a template, a module that its filters may call, Python or Jinja has changed.

    Args:
        folder: Where the files are kept; it is made when the first is.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), "%s.cache")
        self._kept: dict[tuple[str, str], Any] = {}

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return the key of a template; that of one without a file begins with a point."""
        # The template of a game is named by its key, and all else by its path.
        ours = filename is not None and (not Path(filename).is_absolute() or _PROGRAM in Path(filename).parents)
        return super().get_cache_key(name, filename) if ours else f".{super().get_cache_key(name, filename)}"

    def get_source_checksum(self, source: str) -> str:
        """Return a checksum of a template and of the program, which Jinja calls as it compiles constants."""
        return super().get_source_checksum(f"{_program_stamp()}{source}")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the code of a template whose source is the same."""
        bucket.code = self._kept.get((bucket.key, bucket.checksum))
        if bucket.code is None and not bucket.key.startswith("."):
            with suppress(OSError, EOFError, UnpicklingError):  # none yet, or a damaged one
                super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the code of a template, in a file too where Python would write one for a module."""
        self._kept[bucket.key, bucket.checksum] = bucket.code
        if not bucket.key.startswith(".") and not sys.dont_write_bytecode:
            with suppress(OSError):  # a folder in which this account may not write
                Path(self.directory).mkdir(parents=True, exist_ok=True)
                super().dump_bytecode(bucket)


@cache
def _program_stamp() -> str:
    """Return what changes with the version of Jinja, and with the modules that filters are of."""
    modules = [*Path(__file__).parent.glob("*.py"), *Path(__file__).parents[1].glob("*.py")]
    return f"{jinja2.__version__} {max(module.stat().st_mtime_ns for module in modules)}"


_COMPILED = CompiledTemplates(Path(cache_from_source(__file__)).parent / "templates")


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which files, modules and functions have no attributes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(bytecode_cache=_COMPILED, **options)
        del self.globals["lipsum"]  # not needed, and the usual way out of a sandbox by its __globals__
        self._safe: dict[tuple[type, str], bool] = {}

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of a template, which nothing changes once it is loaded."""
        # Not Jinja's ChainMap, which is searched in Python at each import of a template.
        return {**self.globals, **(d or {})}

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return `obj.attribute`; for a dict the value of that key, except for names of dict methods."""
        # Names of methods mean these, so that templates can call them: views have no such keys (decision 1).
        kind = type(obj)
        if kind is dict and attribute in obj and attribute not in _OF_DICTS:
            return obj[attribute]
        # What was found safe of a type is asked no second time; methods of texts are, since Jinja wraps `format`.
        known = self._safe.get((kind, attribute)) and not issubclass(kind, str)
        value = getattr(obj, attribute, missing) if known else missing
        return super().getattr(obj, attribute) if value is missing else value

    def call(self, context: Context, obj: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call what a template names; a macro, which is always safe, without asking."""
        if type(obj) is not Macro:
            return super().call(context, obj, *arguments, **named)
        named.pop("_block_vars", None)
        named.pop("_loop_vars", None)
        return obj(context.eval_ctx, *arguments, **named)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return True for public attributes of values; never for those of files, modules and functions."""
        # Depends on the type alone, and is asked four hundred times a report.
        kind = (type(obj), attr)
        if kind not in self._safe:
            self._safe[kind] = not isinstance(obj, _CLOSED) and super().is_safe_attribute(obj, attr, value)
        return self._safe[kind]


TEXT, HTML = "txt", "html"
"""The two forms of a mail."""


class TextOnly(Exception):
    """Raised when the HTML of a mail is asked for, and its first template writes text alone."""


def names_for(file: str) -> tuple[str, ...]:
    """Return the names under which a file may be asked for: a file "a.j2" is also "a.txt.j2" and "a.html.j2"."""
    both = file.removesuffix(".j2")
    if not file.endswith(".j2") or both.endswith((f".{TEXT}", f".{HTML}")):
        return (file,)
    return file, f"{both}.{TEXT}.j2", f"{both}.{HTML}.j2"


def _names(name: str) -> tuple[str, ...]:
    """Return the names of files that may hold a template: "a.html.j2", and "a.j2", which writes both forms."""
    both = name.removesuffix(f".{TEXT}.j2").removesuffix(f".{HTML}.j2")
    return (name,) if f"{both}.j2" == name or not name.endswith(".j2") else (name, f"{both}.j2")


class _Folder(FileSystemLoader):
    """Loader of a folder in which one file `a.j2` may stand for `a.txt.j2` and `a.html.j2`.

    Links are not followed out of the folder: what lies elsewhere on the machine is in no mail.
    """

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """Return the text of a template, its file, and a function that tells whether it is unchanged."""
        for name in _names(template):
            with suppress(TemplateNotFound):
                return self._read(environment, name)
        # A GM's own text must not go with HTML that says something else.
        text = template.removesuffix(f"{HTML}.j2") + f"{TEXT}.j2"
        if template.startswith("host/") and template.endswith(f".{HTML}.j2"):
            with suppress(TemplateNotFound):
                self._read(environment, text)
                raise TextOnly
        raise TemplateNotFound(template)

    def _read(self, environment: Environment, name: str) -> tuple[str, str, Callable[[], bool]]:
        for folder in map(Path, self.searchpath):
            if not lies_in(folder, folder.joinpath(*split_template_path(name))):
                raise TemplateNotFound(name)
        return super().get_source(environment, name)


class _OwnTemplates(BaseLoader):
    """Loader of the templates that games bring: `<key>/report.j2` is `report.j2` in the folder of a game."""

    def __init__(self, games: Mapping[str, AnyRuleset]) -> None:
        self._games = games

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """Return the text of a template, and its name for locations in errors; raise TemplateNotFound."""
        key, _, own = template.partition("/")
        folder = self._games[key].templates if key in self._games else None
        for name in _names(own) if folder and own else ():
            assert folder is not None
            file = folder.joinpath(*split_template_path(name))
            if file.is_file():
                return file.read_text(encoding="utf-8"), f"{key}/{name}", lambda: True
        raise TemplateNotFound(template)


# Quotation marks within styles would be escaped, which makes them longer.
_SAFE = {name: Markup(style) for name, style in CSS.items()}  # noqa: S704 - constants of ours


def template_environment(
    folders: Iterable[Path], games: Mapping[str, AnyRuleset] = MappingProxyType({})
) -> Environment:
    """Return the sandbox of templates, from folders searched in order and then from the games themselves."""
    templates = Sandbox(
        loader=ChoiceLoader([*(_Folder(str(folder)) for folder in folders), _OwnTemplates(games)]),
        # Jinja knows HTML by .html at the end of a name; ours end in .html.j2.
        autoescape=select_autoescape(enabled_extensions=("html.j2",), default_for_string=False),
        undefined=StrictUndefined,  # a misspelt name is an error, not a gap in a mail
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    templates.filters.update(TEXT_FILTERS, typed=person_text_html)
    templates.tests.update(worded=has_words)
    templates.globals.update(css=_SAFE, dark=Markup(DARK), mailto=mailto, FORM=FORM)  # noqa: S704 - constants of ours
    return templates
