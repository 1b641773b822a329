"""The files of a ruling, ready to be filled in, and the digest of the sheets that they answer."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping

from pbem.ruleset import LARGEST_ENCLOSED, MAX_ATTACHMENT_BYTES, Attachment, Order, SeatName, format_size
from pbem_rules.gm_adjudicated.brackets import does_something
from pbem_rules.gm_adjudicated.enclosing import as_line, begins
from pbem_rules.gm_adjudicated.ledgers import WORLD
from pbem_rules.gm_adjudicated.orders import ORDERS
from pbem_rules.gm_adjudicated.ruling import Ruling, Told, commands_of
from pbem_rules.gm_adjudicated.state import ReportTexts, State

ALL, GAME = "all.txt", "game.txt"
REPLACE = "REPLACE"
"""The command of files that have the whole ruling: REPLACE ALL."""

WIDTH = 76
NARROW = 68

SECTIONS = ("RESULT", "FILE", "MAP", "NOTES")
HEADING = re.compile(r"\A\[\s*+([A-Za-z]{1,12}+)\s*+\]\s*+")
"""A line that begins a section; plain words that look like one are indented."""

HELP = f"""\
What you write under [RESULT] is told in the next report, once. What stands under [FILE] and [MAP] is in every report \
until you change it; empty a section to take it out, or leave its heading away to keep it as it is. What you write \
under [NOTES] nobody is told; it stands here again next turn. Lines that begin with a semicolon are for your eyes \
only, and are gone by then.

[PICTURE map.png: what it shows] and [ATTACH rules.pdf], each on a line of its own, show a picture and send a file, \
which you put beside this file or attach to your mail: up to {format_size(MAX_ATTACHMENT_BYTES)} each, and \
{format_size(LARGEST_ENCLOSED)} for one reader. A line [ROLL 3d6 "the gate"] under [RESULT] shows what the dice of the \
campaign came to; [SET gold -= 5] changes a ledger, if there are any.

What stands below FILE red blue, in a mail or in ruling.txt, both of them read, above what each reads alone.

In game.txt: LABEL Spring 1902 names the next turn, SCORE red 4 gives points, OUT red takes a seat out of the game, \
TURNS 12 sets the last turn, OVER and a reason ends the game, and WINNER red names who has won. REPLACE ALL says that \
these files are all of your ruling on this turn: sent again, they replace the one before, and what you took out of \
them is gone. Without that line only what they name is replaced, and the rest of it stays.
"""
"""Paragraphs on filling in the files of a ruling."""


def file_of(seat: SeatName) -> str:
    return f"{seat}.txt"


def ruling_files(
    state: State,
    orders: Mapping[SeatName, Iterable[Order]],
    missing: Iterable[SeatName],
    ruling: Ruling,
    *,
    brief: bool = False,
    seats: Collection[SeatName] | None = None,
) -> dict[str, str]:
    """Return every file of a ruling on the open turn: its sheet, the last result, what holds now and how to change it.

    They contain the ruling so far, so that unchanged files are read as that ruling again. `brief` ones are for a mail:
    without remarks and empty sections. With `seats` they are those of these seats, and change nothing else.
    """
    late = set(missing)
    files = {} if seats is not None else {ALL: _all(state, ruling.all, brief=brief)}
    for seat, player in state.players.items():
        if seats is None or seat in seats:
            sheet = _sheet(state, seat, orders.get(seat, ()), late=seat in late)
            before = [*sheet, *_ledger(state, seat), *_last(player.told)]
            whose = f"Only {seat} reads this, in the report after {state.label}."
            told = ruling.seats.get(seat, Told())
            text = _form_text(player.known, player.notes, told, brief=brief)
            files[file_of(seat)] = text if brief else f"; {whose}\n{_remarks(['', *before])}\n{text}"
    if seats is not None:
        return {**files, GAME: f"TURN {state.turn}\n"}
    return {**files, GAME: _brief_game(state, ruling) if brief else _game(state, ruling)}


def _all(state: State, told: Told, *, brief: bool) -> str:
    """Return the file for all readers; unless it is brief, it explains how to fill in all files."""
    text = _form_text(state.shared, state.notes, told, brief=brief)
    if brief:
        return text
    before = ["", *HELP.splitlines(), *_ledger(state, WORLD), *_last(state.told)]
    return f"; All read this, in the report after {state.label}.\n{_remarks(before)}\n{text}"


def _remarks(lines: Iterable[str]) -> str:
    return "".join(f"; {line}".rstrip() + "\n" for line in _narrowed(lines))


def _form_text(known: ReportTexts, notes: str, told: Told, *, brief: bool) -> str:
    after = told.after(known)
    # Not indented, so that its rolls are read again: words that look like commands were indented when written.
    result = _lines(with_lines(told.result, told.with_result))
    standing = {
        "FILE": (told.file, _standing_text(after.file, after.with_file)),
        "MAP": (told.map, _standing_text(after.map, after.with_map)),
        "NOTES": (told.notes, _escaped(told.noted(notes))),
    }
    shown = {name: text for name, (ruled, text) in standing.items() if not brief or text or ruled is not None}
    return "\n".join(f"[{name}]\n{text}" for name, text in {"RESULT": result, **shown}.items())


def _standing_text(text: str, enclosed: Iterable[Attachment]) -> str:
    """Return a standing text and its attachments, as they are read again."""
    return _escaped(text) + "".join(f"{as_line(each)}\n" for each in enclosed)


def with_lines(text: str, enclosed: Iterable[Attachment]) -> str:
    """Return a text, and below it the lines that show its pictures and files."""
    return "\n".join([*([text] if text else []), *map(as_line, enclosed)])


def _lines(text: str) -> str:
    return f"{text}\n" if text else ""


def _ledger(state: State, owner: str) -> Iterator[str]:
    """Yield the whole ledger of a seat or of the world, as remarks."""
    lines = list(state.ledgers.lines(owner))
    if lines:
        name = next(iter(state.ledgers.entries[owner]))
        yield from ("", f"Ledger of {owner}; change it by lines such as [SET {name} = …]:")
        yield from (f"  {line}" for line in lines)


def _narrowed(lines: Iterable[str]) -> Iterator[str]:
    """Wrap lines so that no mail program breaks them: the rest of a broken remark would be told to players."""
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        yield from textwrap.wrap(line, NARROW, subsequent_indent=indent, drop_whitespace=True) or [""]


def _last(told: str) -> Iterator[str]:
    """Yield the last result, as remarks."""
    if told:
        yield from ("", "Told last:", *(f"  {line}" for line in told.splitlines()))


def _escaped(text: str) -> str:
    """Indent the lines of a text that would be read as headings, remarks or commands."""
    lines = (f" {line}" if _is_meant(line) else line for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines)


def _is_meant(line: str) -> bool:
    """Return True if a line is a remark, a heading, an attachment or a command."""
    return line.startswith(";") or HEADING.fullmatch(line) is not None or begins(line) or does_something(line)


def _game(state: State, ruling: Ruling) -> str:
    first = next(iter(state.players))
    ruled = commands_of(ruling, state.turns)
    scores = "\n".join(
        ruled.get(f"SCORE {seat}", f"; SCORE {seat} {player.score}") for seat, player in state.players.items()
    )
    out = "\n".join(line for part, line in ruled.items() if part.startswith("OUT ")) or f"; OUT {first}"
    return f"""\
; The game as a whole, after {state.label}. Take away the semicolon of a line in
; capitals to use it; what you leave alone stays as it is.
TURN {state.turn}

; These files have all of your ruling as it stands, and replace it. Without the
; next line a ruling replaces only the parts that it names.
{REPLACE} ALL

; What the next turn is called, instead of turn {state.turn + 1}:
{ruled.get("LABEL", "; LABEL Spring 1902")}

; The scores from now on:
{scores}

{_changes(state, ruled)}; Who is out of the game for good; he still gets reports:
{out}

; The number of the last turn; 0 if the game goes on until OVER:
{ruled.get("TURNS", f"; TURNS {state.turns}")}

; The game ends with this turn: why, and who has won, if anybody has:
{ruled.get("OVER", "; OVER Peace was made at Corinth.")}
{ruled.get("WINNER", f"; WINNER {first}")}
"""


def _changes(state: State, ruled: Mapping[str, str]) -> str:
    """Return an example of a change of a ledger, if there are any, or the ruling's changes."""
    known = ((owner, name) for owner, own in state.ledgers.entries.items() for name in own)
    owner, name = next(known, ("", ""))
    lines = "\n".join(line for part, line in ruled.items() if part.startswith("SET "))
    return f"; What changes in the ledgers:\n{lines or f'; SET {owner}.{name} = …'}\n\n" if owner else ""


def _brief_game(state: State, ruling: Ruling) -> str:
    """Return the commands of a ruling, and the scores if there are any, as a remark."""
    scores = ", ".join(f"{seat} {player.score}" for seat, player in state.players.items() if player.score)
    known = [f"; Scores now: {scores}"] * bool(scores)
    return "\n".join([f"TURN {state.turn}", f"{REPLACE} ALL", *known, *commands_of(ruling, state.turns).values(), ""])


def digest(
    state: State,
    orders: Mapping[SeatName, Iterable[Order]],
    missing: Iterable[SeatName],
    seats: Collection[SeatName] | None = None,
) -> str:
    """Return every seat's sheet, or those of some, in the order of seats, for the GM."""
    late = set(missing)
    sheets = [
        line
        for seat in state.players
        if seats is None or seat in seats
        for line in (*_sheet(state, seat, orders.get(seat, ()), late=seat in late), *_entries(state, seat), "")
    ]
    return "\n".join([*sheets, *(_of_world(state) if seats is None else ())])


def _entries(state: State, owner: str) -> Iterator[str]:
    """Yield the whole ledger of a seat or of the world, for the digest."""
    for line in state.ledgers.lines(owner):
        yield from textwrap.wrap(line, WIDTH, initial_indent="  = ", subsequent_indent="      ")


def _of_world(state: State) -> Iterator[str]:
    lines = list(_entries(state, WORLD))
    if lines:
        yield from ("THE WORLD", *lines, "")


def _sheet(state: State, seat: SeatName, orders: Iterable[Order], *, late: bool) -> Iterator[str]:
    lines = [ORDERS.line(order) for order in orders]
    out = "" if state.players[seat].playing else " (out of the game)"
    yield f"{seat.upper()}{out}"
    if not lines:
        yield "  no sheet came" if late else "  an empty sheet" if state.players[seat].playing else "  not asked"
    for line in lines:
        yield from textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
