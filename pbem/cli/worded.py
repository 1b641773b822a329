"""Commands whose words behind the campaign are those of a mail: `pbem give trap7 red to eve@example.org`.

They are read by the classes of the action, as the lines of a GM's mail are; what stands
below a line there is in a file here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import BinaryIO

import click
from click.shell_completion import CompletionItem

from pbem.actions.arguments import SEAT, SEAT_OR_NONE, GmCommand, TextBlock, forms_of
from pbem.actions.base import Change
from pbem.cli import completion
from pbem.cli.command import SHOWS, Acts, Call, Command
from pbem.ruleset.order_types import Order, OrderType, ParseMismatch, read_first
from pbem.verbs import VERBS, Verb

_COMPLETIONS = {"set": completion.house_rules, "rollback": completion.turns, "journal": completion.turns}

Forms = tuple[OrderType, ...]


def make(word: str) -> Command:
    """Return the command of an action, by its word."""
    verb = VERBS[word]
    types = forms_of(verb)
    forms = tuple(map(OrderType.of, types))
    words = click.Argument(
        ["words"], nargs=-1, metavar=_usage(verb) or " ", shell_complete=partial(_complete, verb, forms)
    )
    params: list[click.Parameter] = [click.Argument(["name"], shell_complete=completion.campaigns), words]
    if verb.below:
        text = f"A file with {verb.below}, or - for standard input."
        params.append(click.Option(["--text"], type=click.File("rb"), metavar="FILE", help=text))
    acts: Acts = tuple(dict.fromkeys(act for form in types for act in _acts_of(form)))
    callback = partial(_run, verb, forms)
    return Command(word, params=params, callback=callback, help=verb.more, example=_example(verb), weight=acts or SHOWS)


def _usage(verb: Verb) -> str:
    """Return the arguments in the signs of the command line: what is typed as it is in small letters."""
    return verb.args.swapcase()


def _acts_of(form: type[GmCommand]) -> Acts:
    return form.acts or ((form,) if issubclass(form, Change) else ())


def _example(verb: Verb) -> str:
    line = next(line for line in verb.example.splitlines() if line.split()[0] == verb.word.upper())
    words = (word.lower() if word.isupper() else word for word in line.split()[1:])
    return " ".join(
        ["pbem", verb.word, "trap7", *words, *(["--text", "words.txt"] if verb.below and "\n" in verb.example else [])]
    )


def _run(verb: Verb, forms: Forms, call: Call, name: str, words: tuple[str, ...], text: BinaryIO | None = None) -> None:
    order = _read(verb, forms, name, words)
    call = replace(call, sure=call.sure or order.has_yes)
    below = TextBlock(_lines(verb, text, name) if text else ())
    if text and not below.words:
        raise click.UsageError("the file of --text has no text")
    wish = order.wish(below)
    if isinstance(wish, Change):
        call.act(name, wish)
    else:
        call.show(name, wish)


def _read(verb: Verb, forms: Forms, name: str, words: tuple[str, ...]) -> GmCommand:
    """Return what the words say. Raises UsageError."""
    typed = [verb.word.upper(), *_split_lists(forms, words)]
    try:
        order = read_first(forms, typed, {})
    except ParseMismatch as strict:
        order = _read_in_other_words(verb, forms, name, typed, strict)
    assert isinstance(order, GmCommand)
    return order


def _split_lists(forms: Forms, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the words, and names of seats such as "red,blue" one by one."""
    has_seats = any(SEAT in form.kinds.values() for form in forms)
    for word in words:
        yield from filter(None, word.split(",")) if has_seats and "," in word else (" ".join(word.split()),)


def _read_in_other_words(verb: Verb, forms: Forms, name: str, typed: list[str], strict: ParseMismatch) -> Order:
    """Return what the words say as a line of a mail, such as "tomorrow 8pm" for a time. Raises UsageError."""
    from pbem.inbox.synonyms import as_gm_command
    from pbem.ruleset.tokenizer import quote_word, split_words

    said = split_words(as_gm_command(" ".join(map(quote_word, typed))))
    try:
        if said[:1] == typed[:1]:
            return read_first(forms, said, {})
    except ParseMismatch as mismatch:
        strict = mismatch
    usage, refused = f"write: pbem {verb.word} {name} {_usage(verb)}".rstrip(), strict.refused
    hint = usage if not refused.hint or refused.hint.startswith("write: ") else refused.hint
    raise click.UsageError(f"{refused.text}. {hint[:1].upper()}{hint[1:]}") from None


def _lines(verb: Verb, text: BinaryIO, name: str) -> tuple[tuple[int, str], ...]:
    raw = text.read()
    if verb.word == "sheet":
        from pbem.cli.sheet_files import sheet_lines

        return tuple(sheet_lines(raw, name))
    # Editors on Windows begin a file with a byte order mark; bytes that are no text are read as far as possible.
    return tuple(enumerate(raw.decode("utf-8-sig", "replace").splitlines(), start=1))


def _complete(
    verb: Verb, forms: Forms, ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete words of the usage, and names of seats, turns or house rules."""
    usage = (word.lower() for word in verb.args.replace("[", " ").replace("]", " ").split() if word.isupper())
    items = [CompletionItem(word) for word in usage if word.startswith(incomplete.lower())]
    kinds = [kind for each in forms for kind in each.kinds.values()]
    if SEAT in kinds or SEAT_OR_NONE in kinds:
        items = [*completion.seats(ctx, param, incomplete), *items]
    more = _COMPLETIONS.get(verb.word)
    return [*(more(ctx, param, incomplete) if more else ()), *items]
