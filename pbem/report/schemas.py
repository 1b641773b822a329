"""JSON Schemas (2020-12) of the data that clients read and write: reports, sheets, order forms.

They are the contract for pages and for programs of other people. `format` in the
data grows when a client would have to be changed; clients ignore keys that they
do not know, since keys may be added within a format.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from pbem.report import data
from pbem.ruleset import orders as desks
from pbem.ruleset.order_types import OrderType
from pbem.ruleset.orders import OrderParser
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Json

DIALECT = "https://json-schema.org/draft/2020-12/schema"

SHEET_FORMAT = 1
"""The version of the JSON form of orders."""

_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "array", "items": _TEXT}
_FLAG: Json = {"type": "boolean"}
_WHOLE: Json = {"type": "integer"}
_WORD: Json = {"type": "string", "minLength": 1}


def json_schema(what: str, ruleset: AnyRuleset | None = None) -> Json:
    """Return the schema of "report", "sheet" or "desk", of one game or of all; raise KeyError for another word."""
    return _SCHEMAS[what](ruleset)


def _document(what: str, version: int, title: str, body: Mapping[str, Json], ruleset: AnyRuleset | None) -> Json:
    game = f":{ruleset.key}:{ruleset.version}" if ruleset else ""
    return {"$schema": DIALECT, "$id": f"urn:pbem:{what}:{version}{game}", "title": title, **body}


def _object(properties: Mapping[str, Json], *optional: str, closed: bool = False) -> Json:
    """Return the schema of an object that requires all but the optional properties; a `closed` one has no others."""
    required = [name for name in properties if name not in optional]
    made = {"type": "object", "properties": dict(properties), "required": required}
    return {**made, "additionalProperties": False} if closed else made


def _describe(text: str, form: Json) -> Json:
    return {"description": text, **form}


# Reports.


def _report(ruleset: AnyRuleset | None) -> Json:
    body = _object(
        {
            "format": {"const": data.FORMAT},
            "game": _describe("the key of the game", {"const": ruleset.key} if ruleset else _WORD),
            "game_version": _describe("the version of its rules", {"type": "integer", "minimum": 1}),
            "campaign": _WORD,
            "seat": _WORD,
            "label": _describe("what players call the moment", _WORD),
            "deadline": _describe(
                "until when orders are asked for; null if none are",
                {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
            ),
            "zone": _describe("the time zone in which the campaign's mails tell times", _TEXT),
            "record": _describe("the hash of the archive's record of the turn before; empty if there is none", _TEXT),
            "brief": _describe("the turn in brief", _TEXTS),
            "view": _view(),
            "dice": _describe("what was mixed into the dice, in a seat's first and last report", _dice()),
            "looks": _describe("how the GM looked at real dice", _TEXTS),
        },
        "dice",
        "looks",
    )
    return _document("report", data.FORMAT, "The JSON attached to a report", body, ruleset)


def _view() -> Json:
    event = _object({"kind": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"}})
    known = {
        "seat": _WORD,
        "label": _WORD,
        "over": _describe("whether the game is finished", _FLAG),
        "awaited": _describe("whether orders are asked of the seat", _FLAG),
        "events": _describe("what happened since the report before", {"type": "array", "items": event}),
        "memory": _describe("what the seat goes on knowing from its reports before", {"type": "object"}),
    }
    return _describe("what the seat may know; more of it is each game's own", _object(known, "memory"))


def _dice() -> Json:
    pair = {"type": "array", "prefixItems": [_TEXT, _TEXT], "minItems": 2, "maxItems": 2}
    return _object(
        {
            "seal": _TEXT,
            "words": _describe("seats and their words", {"type": "array", "items": pair}),
            "own": _describe("seats that chose their words themselves", _TEXTS),
            "digest": _TEXT,
            "seats": _WHOLE,
        }
    )


# Order sheets.


def _sheet(ruleset: AnyRuleset | None) -> Json:
    orders = [_order(verb) for verb in ruleset.orders.verbs] if ruleset else [_object({"order": _name()})]
    body = {"type": "array", "items": {"oneOf": orders} if ruleset else orders[0]}
    return _document("sheet", SHEET_FORMAT, "The orders of a sheet, in their order", body, ruleset)


def _name() -> Json:
    return _describe("the name of the order", {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"})


def _order(verb: OrderType) -> Json:
    """Return the schema of an order as `OrderParser.to_json` writes it: with every field, null if it was left out."""
    hints = typing.get_type_hints(verb.order)
    fields = {slot.name: _value(hints[slot.name]) for slot in dataclasses.fields(verb.order)}
    return _describe(verb.help, _object({"order": {"const": verb.name}, **fields}, closed=True))


def _value(hint: Any) -> Json:
    """Return the schema of a field's type."""
    if typing.get_origin(hint) is types.UnionType:
        return {"anyOf": [_value(each) for each in typing.get_args(hint)]}
    if typing.get_origin(hint) is tuple:
        return {"type": "array", "items": _value(typing.get_args(hint)[0])}
    return {"type": {str: "string", int: "integer", bool: "boolean", type(None): "null"}[hint]}


# Desks.


def _desk(ruleset: AnyRuleset | None) -> Json:
    body = _object(
        {
            "format": {"const": desks.FORMAT},
            "verbs": {"type": "array", "items": {"$ref": "#/$defs/verb"}},
            "kinds": _describe("what may stand in fields, by id", {"additionalProperties": {"$ref": "#/$defs/kind"}}),
            "tree": _describe("the words that may begin a line; other verbs are typed", _list_of("node")),
            "shared": _describe("branches that stand in several places", _list_of("branch")),
            "made": _describe("the units that lines make", _list_of("made")),
            "agenda": _describe("what this turn should have orders for, in the order of asking", _list_of("need")),
            "purses": _describe(
                "what orders are paid from, by name",
                {"additionalProperties": _object({"have": _WHOLE, "shown": _TEXT}, closed=True)},
            ),
        }
    )
    definitions = {"verb": _verb(ruleset.orders if ruleset else None), **_parts(), **_kinds(), **_tree()}
    title = "What a page offers of orders"
    return _document("desk", desks.FORMAT, title, {**body, "$defs": definitions}, ruleset)


def _list_of(name: str) -> Json:
    return {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}


def _tree() -> dict[str, Json]:
    after = {
        "place": _describe("the tap target that stands for it; by default that with its name", _WORD),
        "path": _describe("the places on the way there, with blanks between", _WORD),
        "cost": _describe("what it takes from purses, an amount for each one", {"additionalProperties": _WHOLE}),
        "says": _describe("a few words for a button", _WORD),
        "ends": _describe("the line may stop here, though more can follow", {"const": True}),
        "takes": _describe(
            "how many of the words behind it the line takes; or a slot: as many as its line has behind the verb",
            {"type": ["integer", "string"]},
        ),
        "after": _describe("where the sheet must leave the unit for it", _WORD),
        "room": _describe("who else may fill the place", {"enum": ["alone", "shared"]}),
        "makes": _describe("the index in `made` of the unit that it names", {"type": "integer", "minimum": 0}),
        "next": {"$ref": "#/$defs/branch"},
    }
    word = _object({"word": _WORD, **after}, *after, closed=True)
    few = {name: after[name] for name in ("cost", "says", "ends", "next")}
    amount = _object({"low": _WHOLE, "high": _WHOLE, **few}, *few, closed=True)
    branch: list[Json] = [
        _describe("the words that can follow", _list_of("node")),
        _describe("the index of a branch in `shared`", {"type": "integer", "minimum": 0}),
        _describe("words that end the line and have nothing else, with blanks between", _WORD),
    ]
    texts = dict.fromkeys(("says", "unit", "place", "short", "rest"), _TEXT)
    need = _object(
        {
            "slot": _describe("the slot of the lines that meet it", _TEXT),
            "start": _describe("the beginnings of these lines, with | between", _TEXT),
            "title": _TEXT,
            **texts,
            "must": {"const": True},
        },
        *texts,
        "slot",
        "must",
        closed=True,
    )
    either: Json = {"anyOf": [{"$ref": "#/$defs/need"}, {"type": "null"}]}
    return {
        "node": {"anyOf": [_describe("a word that can stand there", word), _describe("a whole number", amount)]},
        "branch": {"anyOf": branch},
        "need": need,
        "made": _object({"name": _WORD, "need": either, "tree": _list_of("node")}, closed=True),
    }


def _verb(book: OrderParser | None) -> Json:
    return _object(
        {
            "name": {"enum": [verb.name for verb in book.verbs]} if book else _name(),
            "word": _describe("the word by which a line begins", _WORD),
            "also": _describe("other words for it", _TEXTS),
            "usage": _WORD,
            "help": _TEXT,
            "examples": _TEXTS,
            "parts": _describe(
                "what stands in a line, one after the other; the first is the word",
                {"type": "array", "items": {"$ref": "#/$defs/part"}, "minItems": 1},
            ),
            "slot": _describe(
                "what only one line of a sheet can be about, with fields in braces; empty: lines add up", _TEXT
            ),
            "mark": _describe(
                "how a line is drawn on the map; null: not at all", {"anyOf": [_mark(), {"type": "null"}]}
            ),
            "grave": _describe("whether it is set apart and asked for once more", _FLAG),
        }
    )


def _mark() -> Json:
    shape = {"enum": ["path", "target", "piece", "cross", "note"]}
    return _object({"shape": shape, "of": _TEXT, "at": _TEXT, "along": _TEXT, "label": _TEXT}, closed=True)


def _parts() -> dict[str, Json]:
    word = _describe("a word to be written as it is", _object({"word": _WORD}, closed=True))
    field = {
        "field": _WORD,
        "kind": _describe("the id of what may stand here", _WORD),
        "many": _describe("whether it may be several words, one behind the other", _FLAG),
    }
    inner = {"type": "array", "items": {"$ref": "#/$defs/part"}, "minItems": 1}
    group = _describe("parts that may be left out together", _object({"optional": inner}, closed=True))
    filled = _describe("a field to be filled in", _object(field, closed=True))
    return {"part": {"oneOf": [word, filled, group]}}


def _kinds() -> dict[str, Json]:
    kind = {
        "shown": _describe("what stands for it in usages", _WORD),
        "expected": _describe("what it is, in words", _WORD),
        "example": _TEXT,
        "form": {"$ref": "#/$defs/form"},
    }
    return {"kind": _object(kind), "form": {"oneOf": list(_forms())}}


def _forms() -> Iterator[Json]:
    form: Json = {"$ref": "#/$defs/form"}
    forms = {"type": "array", "items": form, "minItems": 1}
    yield _form("choice", "one of some words; of none, if nothing is possible now", values=_TEXTS)
    yield _form("number", "a whole number within bounds, both included", low=_WHOLE, high=_WHOLE)
    least = {"type": "integer", "minimum": 1}
    yield _form(
        "several", "one word made of several of a form, with glue between them", glue=_WORD, least=least, of=form
    )
    yield _form("either", "a word of any of some forms", of=forms)
    yield _form("in-turn", "in a field of many words: one of each form in turn, round and round", of=forms)
    yield _form(
        "free",
        "a word to be typed; verbatim: the rest of the line as it is typed",
        pattern=_describe("an expression for the whole word, whatever its case; empty for any word", _TEXT),
        samples=_TEXTS,
        verbatim=_FLAG,
    )


def _form(kind: str, text: str, **properties: Json) -> Json:
    return _describe(text, _object({"type": {"const": kind}, **properties}, closed=True))


_SCHEMAS = {"report": _report, "sheet": _sheet, "desk": _desk}
WHAT = tuple(_SCHEMAS)
"""The names of the schemas."""
