"""Words of earlier versions on the command line, read for one version more, with a note.

A command is found by how many arguments it is given and by its options; an UPPER
word stands for an argument or an option's value, what is in [] may be missing, and
what ends in .. may be repeated. The options that all commands share may stand anywhere.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

COMMANDS: Mapping[str, str] = {
    "extend NAME": "deadline NAME --usual",
    "extend NAME WHEN": "deadline NAME WHEN",
    "deadline NAME SCHEDULE": "set NAME schedule=SCHEDULE",
    "policy NAME [RULE]..": "set NAME [RULE]..",
    "rules GAME": "games GAME --rules",
    "stats NAME [--picture FILE]": "status NAME --stats [--picture FILE]",
    "worker [--queue QUEUE]..": "serve [--queue QUEUE]..",
    "seat NAME": "status NAME",
    "seat NAME SEAT --to ADDRESS": "seat give NAME SEAT ADDRESS",
    "seat NAME SEAT --open": "seat open NAME SEAT",
    "seat NAME SEAT --pause": "seat pause NAME SEAT",
    "seat NAME SEAT --resume": "seat resume NAME SEAT",
    "seat NAME SEAT --remove": "seat remove NAME SEAT",
    "text NAME": "announce NAME",
    "text NAME FILE [--seat SEAT]": "announce NAME FILE --in-report [--to SEAT]",
    "text NAME --drop ID": "announce NAME --drop ID",
    "press NAME": "journal NAME --press",
    "press NAME FILE [--to SEATS]..": "announce NAME FILE [--to SEATS]..",
    "adjudicate NAME [--edit] [--drop] [--restore NUMBER]": "ruling NAME [--edit] [--drop] [--restore NUMBER]",
    "adjudicate NAME FOLDER [--force]": "ruling NAME --form FOLDER [--force]",
    "adjudicate NAME FOLDER --take": "ruling NAME FOLDER",
    "rolls NAME": "roll NAME",
    "rolls NAME TURN": "roll NAME --turn TURN",
    "mend NAME": "rollback NAME --repair",
    "patch NAME FILE": "state NAME FILE",
    "letters [--limit N]": "inbox [--limit N]",
    "letters --state STATE [--limit N]": "inbox --state STATE [--limit N]",
    "letters --show ID [--save FOLDER]": "inbox ID [--save FOLDER]",
    "letters --retry ID": "inbox ID --retry",
    "outbox CAMPAIGN": "outbox --campaign CAMPAIGN",
    "outbox [CAMPAIGN] --ledger": "outbox [--campaign CAMPAIGN] --by-player",
    "check-backup FILE": "verify FILE",
    "reopen": "restore --activate",
    "replay": "verify",
    "replay NAME": "verify --campaign NAME",
    "verify PATH CAMPAIGN [--seed HEX] [--report FILE].. [--record HASH]..": (
        "verify PATH --campaign CAMPAIGN [--seed HEX] [--report FILE].. [--record HASH].."
    ),
    "ruleset new KEY FOLDER": "dev new KEY FOLDER",
    "schema WHAT [--game KEY]": "dev schema WHAT [--game KEY]",
    "desk REPORT": "dev choices REPORT",
}
"""The former forms of commands, and those of today."""

OPTIONS: Mapping[str, Mapping[str, str]] = {
    "new": {"--deadline": "--schedule", "--policy": "--set"},
}
"""By command, options that have another name now."""

VALUES: Mapping[str, re.Pattern[str]] = {
    "SCHEDULE": re.compile(r"\A[A-Za-z]\S*+ .*+", re.DOTALL),
    "CAMPAIGN": re.compile(r"\A(?!all\Z)(?!\d++\Z).*+", re.DOTALL),
}
"""The form of an argument, where the words alone could be those of today as well."""

TODAY = frozenset({"deadline", "new", "outbox", "seat", "verify"})
"""Old words that are words of today too."""

KEPT: Mapping[str, frozenset[str]] = {"seat": frozenset({"give", "open", "pause", "resume", "remove"})}
"""First arguments after which a command is never read in the old way."""

SHARED = {"--home": 1, "--now": 1, "--log": 1, "--json": 0, "--yes": 0, "--dry-run": 0, "--color": 0, "--no-color": 0}
"""The options of all commands, and how many values each takes."""

_TOKEN = re.compile(
    r"\[?(?:(?P<option>--[a-z-]+)(?: (?P<value>[A-Z]+))?|(?P<argument>[A-Z]+)|(?P<word>[^\s\[\]]+))\]?(?:\.\.)?"
)


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a pattern, an argument, or an option; with a `value` that option takes one."""

    word: str = ""
    argument: str = ""
    option: str = ""
    value: str = ""
    optional: bool = False
    repeated: bool = False

    @property
    def name(self) -> str:
        """The name under which what was typed for it is known."""
        return self.argument or self.value or self.option


Values = dict[str, list[str]]
"""The words typed for each name of a pattern: values, or the option itself where it takes none."""


@cache
def _read_pattern(pattern: str) -> tuple[_Token, ...]:
    return tuple(
        _Token(
            **{key: value or "" for key, value in found.groupdict().items()},
            optional=found[0].startswith("["),
            repeated=found[0].endswith(".."),
        )
        for found in _TOKEN.finditer(pattern)
    )


def read_old_words(args: Sequence[str]) -> tuple[list[str], str]:
    """Return the words of a command as they are written now, and a note; "" if they are of today."""
    if len(args) > 1 and args[1] in KEPT.get(args[0], ()):
        return list(args), ""
    for old, new in COMMANDS.items():
        if (found := _match(_read_pattern(old), args)) is not None:
            values, shared = found
            note = _note(_name(old, values), _name(new, values))
            return [*_fill(_read_pattern(new), values), *shared], note
    return _rename(args)


def _rename(args: Sequence[str]) -> tuple[list[str], str]:
    """Return the words with the names that the command and its options have now, and a note."""
    command = next((new for old, new in COMMANDS.items() if old.split()[0] == args[0]), "")
    if command and args[0] not in TODAY:
        # A command that was never written so, or its help: that of its first form today.
        words = [token.word for token in _read_pattern(command) if token.word]
        return [*words, *args[1:]], _note(args[0], " ".join(words))
    names = OPTIONS.get(args[0], {})
    renamed, found = [args[0]], dict[str, str]()
    for word in args[1:]:
        option, equals, value = word.partition("=")
        found |= {option: names[option]} if option in names else {}
        renamed.append(f"{names.get(option, option)}{equals}{value}")
    return renamed, _note(" ".join([args[0], *found]), " ".join([args[0], *found.values()])) if found else ""


def _note(old: str, new: str) -> str:
    """Return the note on old words, without the options that have the same name now."""
    same = {word for word in old.split() if word.startswith("--")} & set(new.split())
    old, new = (" ".join(word for word in words.split() if word not in same) for words in (old, new))
    return f'Note: "pbem {old}" is now "pbem {new}".'


def _match(pattern: Sequence[_Token], args: Sequence[str]) -> tuple[Values, list[str]] | None:
    """Return what was typed for each name of a pattern, and the shared options; None if the words do not fit it."""
    words = [token.word for token in pattern if token.word]
    if list(args[: len(words)]) != words:
        return None
    options = {token.option: token for token in pattern if token.option}
    typed = _split(args[len(words) :], options)
    if typed is None:
        return None
    arguments, values, shared = typed
    for token in pattern:
        if token.argument:
            values[token.argument] = arguments if token.repeated else arguments[:1]
            arguments = arguments[len(values[token.argument]) :]
        if not _fits(token, values.get(token.name, [])):
            return None
    return None if arguments else (values, shared)


def _fits(token: _Token, given: Sequence[str]) -> bool:
    """Return True if so many values, and these, may stand for a token."""
    few = token.optional or token.word or given
    return (
        bool(few)
        and (token.repeated or len(given) <= 1)
        and (token.name not in VALUES or all(map(VALUES[token.name].fullmatch, given)))
    )


def _split(words: Sequence[str], options: Mapping[str, _Token]) -> tuple[list[str], Values, list[str]] | None:
    """Return arguments, values of options, and shared options; None if one is an option of another command."""
    arguments: list[str] = []
    values: Values = {}
    shared: list[str] = []
    left = deque(words)
    while left:
        word = left.popleft()
        option, equals, value = word.partition("=")
        if word == "--":
            arguments += left
            left.clear()
        elif option in SHARED:
            shared += [word, *([left.popleft()] if left and SHARED[option] and not equals else [])]
        elif not word.startswith("-") or word == "-":
            arguments.append(word)
        elif option not in options:
            return None
        else:
            token = options[option]
            if token.value and not equals:
                # An option whose value may be missing is followed by another option, or by nothing.
                value = left.popleft() if left and not left[0].startswith("--") else ""
            values.setdefault(token.name, []).append(value if token.value else option)
    return arguments, values, shared


def _fill(pattern: Sequence[_Token], values: Values) -> Iterator[str]:
    """Yield the words of a pattern with what was typed for its names."""
    for token in pattern:
        if token.word:
            name = next((name for name in values if f"={name}" in token.word), "")
            yield token.word.replace(name, values[name][0]) if name else token.word
        elif token.option and not token.value and not token.optional:
            yield token.option
        for value in values.get(token.name, []):
            yield from ((token.option, value) if token.value and value else (token.option or value,))


def _name(pattern: str, values: Values) -> str:
    """Return the words and options of a pattern that were typed."""
    said = (
        token.word or token.option for token in _read_pattern(pattern) if not token.optional or values.get(token.name)
    )
    return " ".join(word for word in said if word and "=" not in word)
