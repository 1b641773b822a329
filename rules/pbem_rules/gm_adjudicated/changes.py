"""Reads changes of ledgers: `gold -= 5`, `title = "Duke of Naxos"`, `ships += "Argo"`, `world.winter = 2`."""

from __future__ import annotations

import re

from pbem.ruleset import FieldError, suggest
from pbem_rules.gm_adjudicated.ledgers import LARGEST, LONGEST_TEXT, LedgerChange, Ledgers, Value, after, nothing
from pbem_rules.gm_adjudicated.text import one_line

# A name may have dashes, but does not end in one: gold-=5 has the operation -=.
_OPERATION = re.compile(r"([^\s=+-]{1,60}+(?:-[^\s=+-]{1,60}+){0,5})\s*+(=|\+=|-=)\s*+(.*+)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,12}")
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))  # as word processors and phones type them


def read_change(text: str, own: str, ledgers: Ledgers) -> tuple[LedgerChange, str]:
    """Return the change of a line such as "gold -= 5", and a warning, "" for none.

    Args:
        text: The line without its command.
        own: The owner of names without one.
        ledgers: The ledgers before the change.

    Raises:
        FieldError: With the nearest name, or the kind of value that is wanted.
    """
    found = _OPERATION.fullmatch(text.translate(_QUOTES))
    if found is None:
        raise FieldError("missing-word", "expected an entry, =, += or -=, and a value", "write it like: gold -= 5")
    if not ledgers.entries:
        raise FieldError("no-ledgers", "this campaign has no ledgers", "they come with its option ledgers")
    owner, _, name = found[1].lower().rpartition(".")
    owner = owner or own
    if owner not in ledgers.entries:
        raise FieldError("unknown-name", f"{owner!r} has no ledger", suggest(owner, list(ledgers.entries)))
    known = ledgers.names(owner)
    if name not in known:
        raise FieldError("unknown-name", f"{owner} has no entry {name!r}", suggest(name, list(known)))
    now = ledgers.entries[owner].get(name, nothing(known[name]))
    change = LedgerChange(owner, name, found[2], _operand(f"{name} of {owner}", now, found[2], found[3].strip()))
    then = after(now, change)
    below = isinstance(then, int) and then < 0
    return change, f"{name} of {owner} would fall below zero, to {then}" if below else ""


def _operand(name: str, now: Value, operation: str, text: str) -> Value:
    """Return the typed value, in the kind of the entry's; raise FieldError."""
    if isinstance(now, int):
        if not _NUMBER.fullmatch(text) or abs(int(text)) > LARGEST:
            raise FieldError("wrong-kind", f"{name} is a number, got {text[:40]!r}", "write a whole number such as 5")
        return int(text)
    if isinstance(now, tuple):
        items = _items(text)
        lost = [item for item in items if operation == "-=" and item not in now]
        if lost:
            raise FieldError("unknown-name", f"{lost[0]!r} is not in {name}", suggest(lost[0], now))
        return items
    if operation != "=":
        raise FieldError(
            "wrong-kind", f"{name} is a text: it can be set, but not added to", 'write it like: title = "Duke of Naxos"'
        )
    return _short(name, _unquoted(text))


def _items(text: str) -> tuple[str, ...]:
    """Return the items of a list, in quotes or separated by commas; [] around them is optional."""
    inside = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    parts = inside.split('"')
    items = parts[1::2] if len(parts) > 1 else inside.split(",")
    left = [part for part in parts[::2] if len(parts) > 1 and part.strip(" ,")]
    if left:
        raise FieldError("wrong-kind", f"{left[0].strip()!r} stands beside items in quotes", 'write: "Argo", "Swift"')
    return tuple(_short("an item", item) for item in map(one_line, items) if item)


def _unquoted(text: str) -> str:
    return one_line(text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text)


def _short(name: str, text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise FieldError("too-long", f"{name} has {LONGEST_TEXT} characters at the most, not {len(text)}")
    return text
