"""Reads a GM's files into a ruling. It never raises: whatever is in them, the result has findings by file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pbem.ruleset import AttachedFiles, Attachment, FieldError, Finding, Rolls, SeatName, match_name, suggest
from pbem_rules.gm_adjudicated.brackets import ROLL, SET, bracketed, read_roll
from pbem_rules.gm_adjudicated.changes import read_change
from pbem_rules.gm_adjudicated.enclosing import (
    NOTHING,
    Beside,
    all_of,
    begins,
    check_readers,
    check_turn,
    check_unnamed,
    read_line,
    unwrapped,
)
from pbem_rules.gm_adjudicated.forms import ALL, GAME, HEADING, REPLACE, SECTIONS, file_of
from pbem_rules.gm_adjudicated.ledgers import WORLD, LedgerChange, Ledgers
from pbem_rules.gm_adjudicated.merging import merged
from pbem_rules.gm_adjudicated.ruling import Ruling, Told
from pbem_rules.gm_adjudicated.state import ReportTexts, State
from pbem_rules.gm_adjudicated.text import as_laid_out, one_line

LONGEST_TEXT = 40_000
LONGEST_NAME = 40
MAP_COLUMNS = 80
HIGHEST_SCORE = 1_000_000_000
LAST_TURN = 9_999

Findings = Mapping[str, tuple[Finding, ...]]


def read_ruling(
    state: State,
    files: Mapping[str, str],
    rolls: Rolls,
    brought: AttachedFiles = NOTHING,
    before: Ruling | None = None,
) -> tuple[Ruling, Findings]:
    """Return the ruling in the files named as `ruling_files` names them, and all findings by file.

    `brought` are the attached pictures and files. Of a ruling `before` on the same
    turn, parts that the files do not name stay, unless the files replace all of it.
    """
    # Some editors begin a file with a byte order mark.
    named = {name.strip().lower(): text.removeprefix("\ufeff") for name, text in sorted(files.items())}
    readers = {file_of(seat): seat for seat in state.players}
    found: dict[str, list[Finding]] = {name: [] for name in (GAME, ALL, *readers, *named)}
    beside, doing = Beside(brought), _Doing(rolls, state.ledgers)
    known = {ALL: state.shared, **{name: state.players[seat].known for name, seat in readers.items()}}
    stands = _standing(known, before, readers)
    sections = {
        name: _Sections(found[name], beside, stands[name], doing, owner)
        for name, owner in {ALL: WORLD, **readers}.items()
    }
    for name in [name for name in named if "," in name]:
        _read_together(named.pop(name), [each.strip() for each in name.split(",")], sections, found, name)
    told = {name: _read_file(named.get(name, ""), section) for name, section in sections.items()}
    game = _Game(state, found[GAME], doing)
    ruling = game.read(named.get(GAME, ""))
    seats = {seat: told[name] for name, seat in readers.items()}
    ruling = replace(ruling, all=told[ALL], seats=seats, changes=tuple(doing.changes))
    if before is not None and not game.replaces:
        results = frozenset(name for name, section in sections.items() if section.has_result)
        ruling = merged(before, ruling, results)
        told = {ALL: ruling.all, **{name: ruling.seats[seat] for name, seat in readers.items()}}
    if ruling.winners and not ruling.over:
        hint = "add a line: OVER <why>"
        found[GAME].append(Finding(0, "error", "not-over", "WINNER is for the turn that ends the game", hint))
    for name in named:
        if name not in (GAME, ALL, *readers):
            found[name].append(_stranger(name, (GAME, ALL, *readers)))
    for name, finding in _enclosed(told, known, beside, found):
        found.setdefault(name, []).append(finding)
    # Words for all alone are a ruling like others; beside words for some seats, another seat may have been forgotten.
    if not ruling.all.says or any(each.says for each in ruling.seats.values()):
        for name, seat in readers.items():
            if state.players[seat].playing and not told[name].says:
                found[name].append(Finding(0, "warning", "untold", f"no result for {seat} alone this turn"))
    return ruling, {name: tuple(findings) for name, findings in found.items() if findings}


def _standing(
    known: Mapping[str, ReportTexts], before: Ruling | None, readers: Mapping[str, SeatName]
) -> Mapping[str, tuple[Attachment, ...]]:
    """Return the pictures and files that each reader has already, of earlier turns or of an earlier ruling."""
    ruling = before or Ruling()
    ruled = {ALL: ruling.all, **{name: ruling.seats.get(seat, Told()) for name, seat in readers.items()}}
    return {
        name: (*all_of(each), *ruled[name].with_file, *ruled[name].with_map, *ruled[name].with_result)
        for name, each in known.items()
    }


def _stranger(name: str, known: Sequence[str]) -> Finding:
    hint = suggest(name, known)
    return Finding(
        0, "error", "unknown-file", f"{one_line(name)[:60]!r} is no file of a ruling: take it out, or name it", hint
    )


def _enclosed(
    told: Mapping[str, Told], known: Mapping[str, ReportTexts], beside: Beside, found: Mapping[str, Sequence[Finding]]
) -> Iterator[tuple[str, Finding]]:
    """Yield the errors of attachments as a whole: not shown to any reader, or too many for a mail."""
    # The names that were not found: one of them may be a misspelt name of an attachment that no line shows.
    wanted = [each.text.split("'")[1] for some in found.values() for each in some if each.code == "no-such-file"]
    yield from check_unnamed(beside, wanted)
    yield from ((ALL, finding) for finding in check_turn(beside))
    after = {name: (*told[name].with_result, *all_of(told[name].after(known[name]))) for name in known}
    yield from check_readers({name: (*after[ALL], *after[name]) for name in known if name != ALL})


def _read_together(
    text: str,
    readers: Sequence[str],
    sections: Mapping[str, _Sections],
    found: dict[str, list[Finding]],
    name: str,
) -> None:
    """Read a text for several readers into their sections, above what each reads alone; its findings are its own."""
    for reader in dict.fromkeys(each if each.endswith(".txt") else f"{each}.txt" for each in readers):
        if reader not in sections:
            found[name].append(_stranger(reader, tuple(sections)))
            continue
        section = sections[reader]
        alone, section.findings = section.findings, found[name]
        section.take_all(text, together=True)
        section.findings = alone
    found[name] = list(dict.fromkeys(found[name]))


@dataclass
class _Doing:
    """The effects of a ruling besides its words: rolls, and ledgers with the changes that were read so far."""

    rolls: Rolls
    ledgers: Ledgers
    changes: list[LedgerChange] = field(default_factory=list)

    def change(self, text: str, own: str) -> str:
        """Make a change; return a warning, "" for none. Raises FieldError."""
        change, warning = read_change(text, own, self.ledgers)
        self.ledgers = self.ledgers.changed(change)
        self.changes.append(change)
        return warning


def _read_file(text: str, sections: _Sections) -> Told:
    """Read the file of a reader, and carry out its commands. Words before any heading are a result."""
    sections.take_all(text)
    return Told(
        *(sections.text("RESULT") or "", sections.text("FILE"), sections.text("MAP"), sections.text("NOTES")),
        with_result=sections.enclosed("RESULT"),
        with_file=sections.enclosed("FILE"),
        with_map=sections.enclosed("MAP"),
    )


@dataclass
class _Sections:
    """The sections of a file, as far as it is read; `headings` are the line numbers of their headings.

    `standing` are the attachments that the reader has already; names of a ledger
    without an owner belong to `own`.
    """

    findings: list[Finding]
    beside: Beside
    standing: Sequence[Attachment]
    doing: _Doing
    own: str
    current: str = "RESULT"
    lines: dict[str, list[str]] = field(default_factory=dict)
    headings: dict[str, int] = field(default_factory=dict)
    shown: dict[str, list[Attachment]] = field(default_factory=dict)
    together: bool = False
    here: dict[str, int] = field(default_factory=dict)

    def take_all(self, text: str, *, together: bool = False) -> None:
        """Read a text, which continues the sections of the one before; `together`: it is for others, too."""
        self.current, self.together, self.here = "RESULT", together, {}
        if before := "\n".join(self.lines.get("RESULT", ())).strip("\n"):
            self.lines["RESULT"] = [*before.split("\n"), ""]
        for number, line in unwrapped([as_laid_out(line) for line in text.splitlines()]):
            self.take(number, line)

    def take(self, number: int, line: str) -> None:
        """Read one more line."""
        heading = HEADING.fullmatch(line)
        if begins(line):
            self._enclose(number, line)
        elif heading is not None:
            self._begin(number, heading[1].upper())
        elif self._is_command(number, line):
            return
        elif not line.startswith(";"):
            if self.current == "MAP" and len(line) > MAP_COLUMNS:
                wide = f"the line has {len(line)} columns; a map has {MAP_COLUMNS} at the most"
                self._error(number, "too-wide", wide)
            self.lines.setdefault(self.current, []).append(line)

    @property
    def has_result(self) -> bool:
        """True if there is a [RESULT], even an empty one."""
        words = any(line for line in self.lines.get("RESULT", ()))
        return words or "RESULT" in self.headings or "RESULT" in self.shown

    def enclosed(self, name: str) -> tuple[Attachment, ...]:
        """Return the pictures and files of a section, each once."""
        return tuple(dict.fromkeys(self.shown.get(name, ())))

    def text(self, name: str) -> str | None:
        """Return the text of a section, or None if the file does not have the section."""
        if name not in self.lines and name not in self.headings:
            return None
        text = "\n".join(self.lines.get(name, ())).strip("\n")
        if len(text) > LONGEST_TEXT:
            long = f"[{name}] has {len(text)} characters; {LONGEST_TEXT} are sent at the most"
            self._error(self.headings.get(name, 0), "too-long", long)
        return text

    def _is_command(self, number: int, line: str) -> bool:
        """Return True if a line is a command in brackets, and carry it out or note its error."""
        try:
            found = bracketed(line, self.current)
            if found is None:
                return False
            self._obey(number, *found)
        except FieldError as refused:
            self._error(number, refused.code, refused.text, refused.hint)
        return True

    def _obey(self, number: int, command: str, rest: str) -> None:
        """Roll, or change a ledger; raise FieldError."""
        if command != ROLL and self.together:
            # It would be done once for each of them.
            raise FieldError("not-together", f"[{command} …] stands in the file of one reader, not of several")
        if command == ROLL:
            self.lines.setdefault(self.current, []).append(read_roll(rest, self.doing.rolls))
        elif warning := self.doing.change(rest, self.own):
            self.findings.append(Finding(number, "warning", "below-zero", warning))

    def _enclose(self, number: int, line: str) -> None:
        self.lines.setdefault(self.current, [])
        if self.current == "NOTES":
            self._error(number, "no-reader", "nobody is told what stands under [NOTES]", "move the line up")
            return
        try:
            enclosure = self.beside.take(read_line(line), self.standing)
        except FieldError as refused:
            self._error(number, refused.code, refused.text, refused.hint)
            return
        if enclosure is not None:
            self.shown.setdefault(self.current, []).append(enclosure)

    def _begin(self, number: int, name: str) -> None:
        if name not in SECTIONS:
            text = f"there is no section [{name}]; a line that is meant as it stands begins with a blank"
            self._error(number, "unknown-section", text, suggest(name, SECTIONS))
        elif name in self.here:
            self._error(number, "only-one", f"line {self.here[name]} has the heading [{name}] already")
        else:
            self.current = name
            self.here[name] = self.headings[name] = number

    def _error(self, line: int, code: str, text: str, hint: str = "") -> None:
        self.findings.append(Finding(line, "error", code, text, hint))


class _Game:
    """Reader of game.txt: a command a line, its words up to the end of the line."""

    def __init__(self, state: State, findings: list[Finding], doing: _Doing) -> None:
        self._state, self._findings, self._doing = state, findings, doing
        self._line = 0
        self._scores: dict[SeatName, int] = {}
        self._said: dict[str, str] = {}
        self._commands: Mapping[str, Callable[[str], None]] = {
            "TURN": self._turn,
            "LABEL": self._label,
            "SCORE": self._score,
            "OUT": self._seats("OUT"),
            "TURNS": self._turns,
            "WINNER": self._seats("WINNER"),
            "OVER": self._over,
            SET: self._set,
            REPLACE: self._replace,
        }
        self.replaces = False

    def read(self, text: str) -> Ruling:
        """Return the ruling without its words to readers."""
        for number, line in enumerate(text.splitlines(), start=1):
            word, _, rest = one_line(line).partition(" ")
            if not word or word.startswith(";"):
                continue
            self._line = number
            try:
                self._command(word.upper())(rest)
            except FieldError as refused:
                self._findings.append(Finding.error(number, refused))
        turns = self._said.get("TURNS")
        return Ruling(
            name=self._said.get("LABEL", ""),
            scores=self._scores,
            out=tuple(self._said.get("OUT", "").split()),
            turns=None if turns is None else int(turns),
            winners=tuple(self._said.get("WINNER", "").split()),
            over=self._said.get("OVER", ""),
        )

    def _command(self, word: str) -> Callable[[str], None]:
        if word not in self._commands:
            raise FieldError("unknown-command", f"{word[:40]!r} is no command", suggest(word, list(self._commands)))
        return self._commands[word]

    def _say(self, command: str, text: str) -> None:
        if command in self._said:
            raise FieldError("only-one", f"{command} stands on a line above already", "only one such line is taken")
        self._said[command] = text

    def _turn(self, rest: str) -> None:
        turn = self._state.turn
        if _number(rest, 1, LAST_TURN) != turn:
            hint = f"write anew the files for this turn; if they are, write: TURN {turn}"
            raise FieldError("other-turn", f"these files are for turn {rest[:40]}, and now it is turn {turn}", hint)

    def _label(self, rest: str) -> None:
        if not 2 <= len(rest) <= LONGEST_NAME:
            raise FieldError("bad-label", f"a label has 2 to {LONGEST_NAME} characters, not {len(rest)}")
        self._say("LABEL", rest)

    def _score(self, rest: str) -> None:
        name, _, points = rest.partition(" ")
        seat = self._seat(name)
        if seat in self._scores:
            raise FieldError("only-one", f"{seat} has a score on a line above already", "only one such line is taken")
        self._scores[seat] = _number(points, -HIGHEST_SCORE, HIGHEST_SCORE)

    def _turns(self, rest: str) -> None:
        last = _number(rest, 0, LAST_TURN)
        if 0 < last < self._state.turn:
            raise FieldError("out-of-bounds", f"turn {last} is past", f"the nearest is {self._state.turn}")
        self._say("TURNS", str(last))

    def _set(self, rest: str) -> None:
        warning = self._doing.change(rest, WORLD)
        if warning:
            self._findings.append(Finding(self._line, "warning", "below-zero", warning))

    def _replace(self, rest: str) -> None:
        if rest.upper() != "ALL":
            text = f"{REPLACE} is for the whole ruling, not for {rest[:40]!r}" if rest else f"expected {REPLACE} what"
            raise FieldError("extra-words", text, f"write: {REPLACE} ALL")
        self.replaces = True

    def _over(self, rest: str) -> None:
        if not rest:
            raise FieldError("missing-word", "expected why the game is over, the line ends", "write: OVER <why>")
        self._say("OVER", rest[:LONGEST_TEXT])

    def _seats(self, command: str) -> Callable[[str], None]:
        def read(rest: str) -> None:
            if not rest:
                raise FieldError("missing-word", "expected a seat, the line ends", f"write: {command} <seat>")
            seats = [*self._said.get(command, "").split(), *map(self._seat, rest.replace(",", " ").split())]
            self._said[command] = " ".join(dict.fromkeys(seats))

        return read

    def _seat(self, word: str) -> SeatName:
        return match_name(word.removesuffix(":"), list(self._state.players), "a seat")


def _number(text: str, low: int, high: int) -> int:
    """Return a whole number; raise FieldError."""
    try:  # int() also reads the digits of other scripts
        number = int(text) if len(text) <= 12 and text.isascii() else None
    except ValueError:
        number = None
    if number is None or not low <= number <= high:
        raise FieldError("not-a-number", f"expected a whole number from {low} to {high}, got {text[:40]!r}")
    return number
