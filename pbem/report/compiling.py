"""How templates are compiled and run: as by Jinja, which does for any object what reports do for plain data alone.

All comes out the same to the byte, and the same is refused. A view is dicts, lists, strings and numbers, and templates
are never asynchronous: the detours for everything else are left out, which reports would take some thousand times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import BuiltinMethodType
from typing import Any, NamedTuple

from jinja2 import Environment, nodes, pass_context, pass_environment
from jinja2.compiler import CodeGenerator, Frame
from jinja2.filters import FILTERS
from jinja2.idtracking import VAR_LOAD_RESOLVE
from jinja2.runtime import Context, Macro
from markupsafe import escape

from pbem.report.wording import CSS

_OF_DICTS = frozenset(dir(dict))
_UNSAFE = re.compile("[&<>\"']")


class _Compiler(CodeGenerator):
    """Escapes as `Templates` do, and writes styles into the compiled template."""

    def write_commons(self) -> None:
        """Names that all code of a block sees."""
        super().write_commons()
        self.writeline("escape = environment.escaped")

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and _is_css(node.node, frame):
            node = nodes.Const(CSS[node.attr])
        return super()._output_child_to_const(node, frame, finalize)


def _is_css(name: nodes.Name, frame: Frame) -> bool:
    """Whether it is the global name: a template may have set one of its own."""
    ref = frame.symbols.find_ref(name.name)
    return name.name == "css" and ref is not None and frame.symbols.find_load(ref) == (VAR_LOAD_RESOLVE, "css")


class _Context(Context):
    """Calls macros and the methods of plain data, most of what templates call, without asking what they want of it."""

    def call(self, called: Any, /, *args: Any, **options: Any) -> Any:
        """What a macro or a function of a template returns."""
        kind = type(called)
        if kind is not Macro and kind is not BuiltinMethodType:
            return super().call(called, *args, **options)
        options.pop("_block_vars", None)
        options.pop("_loop_vars", None)
        return called(self.eval_ctx, *args, **options) if kind is Macro else called(*args, **options)


class Templates(Environment):
    """Jinja's environment for reports: plain data, synchronous, with the global `css`."""

    code_generator_class = _Compiler
    context_class = _Context

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.filters.update(_SYNCHRONOUS)
        self.filters.update(groupby=_groupby, map=_map)
        self.filters.update({name: _sifting(name, keeps=keeps) for name, keeps in _SIFTERS.items()})
        self.globals["css"] = CSS

    def getattr(self, obj: Any, attribute: str) -> Any:
        """What `obj.attribute` is: of a dict its key, but for the names of the methods of dicts."""
        if type(obj) is dict and attribute in obj and attribute not in _OF_DICTS:
            return obj[attribute]
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return super().getattr(obj, attribute)

    @staticmethod
    def escaped(value: Any) -> str:
        """A value as it is written into HTML. What nothing is done to is not made Markup first."""
        kind = type(value)
        if kind is str:
            return escape(value) if _UNSAFE.search(value) else value
        return str(value) if kind is int else escape(value)


_SYNCHRONOUS: Mapping[str, Callable[..., Any]] = {
    name: each.__wrapped__ for name, each in FILTERS.items() if hasattr(each, "jinja_async_variant")
}
"""Jinja's filters without the question, at each call, whether they are to be asynchronous."""

_FOLDED = frozenset({str, int})
"""Types of what is grouped without looking closer: strings without regard to case, as Jinja does, and numbers."""


class _Group(NamedTuple):
    """The rows that have the same value."""

    grouper: Any
    list: list[Any]

    def __repr__(self) -> str:
        return tuple.__repr__(self)


@pass_environment
def _groupby(environment: Environment, value: Iterable[Any], attribute: Any, *args: Any, **options: Any) -> Any:
    rows = list(value)
    keys = [] if args or options or not _is_plain(attribute) else list(_values(environment, rows, attribute))
    if not keys or not _FOLDED.issuperset(map(type, keys)):
        return _SYNCHRONOUS["groupby"](environment, rows, attribute, *args, **options)
    groups: dict[Any, _Group] = {}
    for key, row in zip(keys, rows, strict=True):
        folded = key.lower() if type(key) is str else key
        group = groups.get(folded)
        if group is None:
            group = groups[folded] = _Group(key, [])
        group.list.append(row)
    return [groups[folded] for folded in sorted(groups)]


@pass_context
def _map(context: Context, value: Iterable[Any], *args: Any, **options: Any) -> Iterator[Any]:
    if not args and len(options) == 1 and _is_plain(options.get("attribute")):
        return _values(context.environment, value or (), options["attribute"])
    return _SYNCHRONOUS["map"](context, value, *args, **options)  # type: ignore[no-any-return]


_SIFTERS = {"selectattr": True, "rejectattr": False}


def _sifting(name: str, *, keeps: bool) -> Callable[..., Iterator[Any]]:
    """The filter of a name, which keeps the rows that pass its test, or the others."""

    @pass_context
    def sifted(context: Context, value: Iterable[Any], *args: Any, **options: Any) -> Iterator[Any]:
        passes = _test(context.environment, args, options)
        if passes is None:
            return _SYNCHRONOUS[name](context, value, *args, **options)  # type: ignore[no-any-return]
        rows = list(value or ())
        found = zip(rows, _values(context.environment, rows, args[0]), strict=True)
        return (row for row, has in found if bool(passes(has)) is keeps)

    return sifted


def _test(environment: Environment, args: tuple[Any, ...], options: Mapping[str, Any]) -> Callable[[Any], Any] | None:
    """The test of such a filter, or None where Jinja's own filter must do it."""
    if options or not args or not _is_plain(args[0]):
        return None
    if len(args) == 1:
        return bool
    test: Any = environment.tests.get(args[1])
    if test is None or hasattr(test, "jinja_pass_arg"):
        return None
    given = args[2:]
    return lambda has: test(has, *given)


def _is_plain(attribute: Any) -> bool:
    """Whether it is a key or a place, and no path of them."""
    return type(attribute) is int or (type(attribute) is str and "." not in attribute and not attribute.isdigit())


def _values(environment: Environment, rows: Iterable[Any], attribute: Any) -> Iterator[Any]:
    """What each row has there."""
    for row in rows or ():
        try:
            has = row[attribute]
        except (AttributeError, TypeError, LookupError):
            has = environment.getitem(row, attribute)
        yield has
