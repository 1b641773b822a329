"""Lines as people write them, made into lines of the order parser: "d4", "if blue plays e4 I answer e6"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbem.ruleset import FieldError, View
from pbem_rules.singularity.field import field_of
from pbem_rules.singularity.state import opponent

# Repetitions are bounded, so that no line takes longer than in proportion to its length.
_ARROW = re.compile(r"[-=–—]{0,9}>|[→⇒➔]")
_BULLET = re.compile(r"^\s*[0-9]{1,3}[.)]\s*(?=[a-z])")
_SIGNS = re.compile("[\"“”„‘’`'().,:;=!?\\[\\]]+")
# Matches "d4", "d-4", "d04" and "4d".
_CELL = re.compile(r"([a-z]{1,2})-?0*([1-9][0-9]?)|([1-9][0-9]?)([a-z]{1,2})")
_LETTERS = re.compile(r"[a-z]{1,2}")
# Matches "d 4" and "d, 4".
_PARTED = re.compile(r"\b([a-z])[\s,]+([1-9][0-9]?)\b")
# Matches the dash of "d4 - e5".
_BETWEEN = re.compile(r"(?<=[0-9])\s*[-–—]\s*(?=[a-z])")


def _table(**senses: str) -> dict[str, str]:
    return {word: sense for sense, words in senses.items() for word in words.split()}


# The senses of words; a line with any other word is no phrase.
_SENSES = _table(
    place="place places placing move moves play plays put puts set stone stones go goes red blue cell",
    drop="drop drops dropped",
    when="if when",
    then="then answer respond",
    after="after once",
    arrow="to ->",
    origin="from",
    forget="forget cancel remove delete",
    all="everything all",
    any="any anything anywhere whatever wherever else otherwise *",
    replies="replies reply kept",
    draw="draw",
    offer="offer offers offered propose",
    accept="accept accepted accepts yes agreed agree",
    nod="ok okay",
    decline="decline declined declines no refuse reject",
    idle="pass skip",
    swap="swap",
    filler="at on in the a an my your i ill we you have are wins he she they "
    "opponent please pls thanks thx is and own also with of",
)


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word: its sense, and the cell if it is one."""

    sense: str
    cell: str = ""


def read_phrase(view: View, body: str) -> list[str]:
    """Return the lines of the order parser that a line without remarks means; none if it is no phrase.

    Raises:
        FieldError: If it is one that cannot be carried out, or that has two meanings.
    """
    lines: list[str] = []
    for words in _clauses(_plain(body)):
        tokens = [_token(word, view) for word in words]
        if any(token is None for token in tokens):
            return []
        rival = opponent(view["seat"]) in words
        clause = _Clause(view, [token for token in tokens if token and token.sense != "filler"], rival=rival)
        found = list(clause.lines())
        if not found:
            return []
        lines += found
    return lines


def _plain(body: str) -> str:
    """Return a line in small letters and without the signs that say nothing; arrows are words."""
    text = _BULLET.sub("", body.lower().replace("'ll", "ll").replace("’ll", "ll"))
    text = _BETWEEN.sub(" -> ", _ARROW.sub(" -> ", text))
    return _PARTED.sub(r"\1\2", _SIGNS.sub(" ", text))


def _clauses(text: str) -> Iterator[list[str]]:
    """Yield the words of a line, parted before each IF."""
    words: list[str] = []
    for word in text.split():
        if _SENSES.get(word) == "when" and words and _SENSES.get(words[0]) not in ("forget", "decline"):
            yield words
            words = []
        words.append(word)
    if words:
        yield words


def _token(word: str, view: View) -> Lexeme | None:
    if word in _SENSES:
        return Lexeme(_SENSES[word])
    cell = _CELL.fullmatch(word)
    if cell is None:
        return None
    name = f"{cell[1] or cell[4]}{cell[2] or cell[3]}"
    return Lexeme("cell", name) if name in field_of(view["size"]).cells else None


class _Clause:
    """Words that want one thing, or a stone and a word on a draw."""

    def __init__(self, view: View, tokens: Sequence[Lexeme], *, rival: bool) -> None:
        self.view, self.senses, self.rival = view, [token.sense for token in tokens], rival
        self.cells = [token.cell for token in tokens if token.cell]
        self.stones = {stone["cell"] for stone in view["moves"]}
        self.taken = self.stones | {view["black"]}

    def lines(self) -> Iterator[str]:
        """Yield the lines that it means. Raises FieldError."""
        if self._has("idle", "swap"):
            raise _unknown_here(passing=self._has("idle"))
        if self._has("any") and not self._has("forget", "drop"):
            raise _unnamed_cell(reply=self._has("when", "then", "replies"))
        if self._drops():
            yield from [f"FORGET {cell}" for cell in self.cells] or ["FORGET"]
        elif self._has("forget"):
            return  # "cancel d4, play e5": two wishes, or the stone itself taken back
        elif self._has("when"):
            yield from self._reply()
        elif not self._is_vague():
            yield from self._stone()
            yield from self._draw()

    def _has(self, *senses: str) -> bool:
        return any(sense in self.senses for sense in senses)

    def _drops(self) -> bool:
        """Return True if kept replies are to be dropped."""
        if self._has("forget"):
            return self.senses.count("forget") == 1 and not self._has("place", "decline")
        return self._has("drop") and (self._has("replies") or (self._has("all") and not self.cells))

    def _is_vague(self) -> bool:
        """Return True if a cell is beside a word that may speak of a draw, and the line does not say so."""
        # A "no" beside a cell may also deny the stone.
        return bool(self.cells) and self._has("draw", "offer", "decline") and not (self._has("draw") and self._meant())

    def _meant(self) -> list[str]:
        # A bare "ok" says as often that a mail was read, and a draw ends the game.
        nods = ["accept"] if self._has("nod") and self._has("draw") and not self._has("accept") else []
        return [*nods, *(sense for sense in ("accept", "decline", "offer") if sense in self.senses)]

    def _reply(self) -> Iterator[str]:
        wanted = 3 if self._has("after") else 2
        # The cell that follows AFTER is the last of three.
        late = not self._has("after") or self.senses[: self.senses.index("after")].count("cell") == wanted - 1
        if len(self.cells) == wanted and late and not self._has("forget", "draw", "decline", "origin"):
            after = [f"AFTER {cell}" for cell in self.cells[2:]]
            yield " ".join([f"IF {self.cells[0]} THEN {self.cells[1]}", *after])

    def _stone(self) -> Iterator[str]:
        if len(self.cells) == 2:
            yield self._two_cells(*self.cells)
        elif len(self.cells) == 1 and not self._has("origin", "then", "after", "replies", "all"):
            if self.rival:
                raise FieldError("not-yours", "that is a stone of the other colour", self._placing(self.cells[0]))
            self._check_drop(self.cells[0])
            yield f"PLACE {self.cells[0]}"
        elif len(self.cells) > 1:
            raise FieldError("one-stone", f"one stone is placed a move, and the line names {len(self.cells)} cells")

    def _two_cells(self, first: str, second: str) -> str:
        """Return a reply, if an arrow or a word says so and both cells are free. Raises FieldError."""
        joined = self._has("arrow", "origin")
        if joined and first in self.stones:
            raise FieldError("no-moving", "stones never move once they are placed", self._placing(second))
        if self._has("then", "replies") or (joined and not self._has("place", "drop", "origin")):
            return f"IF {first} THEN {second}"
        text = f"one stone is placed a move, and the line names {first} and {second}"
        free = self.taken.isdisjoint(self.cells)
        raise FieldError("one-stone", text, f"for a reply write: IF {first} THEN {second}" if free else "")

    def _placing(self, cell: str) -> str:
        """Return a hint to place a stone, if that is possible."""
        return f"write: PLACE {cell}" if self.view["awaited"] and cell not in self.taken else ""

    def _check_drop(self, cell: str) -> None:
        """Raise FieldError if the line may drop a stone on a cell or a reply to it."""
        if self._has("drop") and any(reply["when"] == cell for reply in self.view["kept"]):
            text = f"to drop {cell} could be to place a stone there or to forget your reply to it"
            raise FieldError("ambiguous", text, f"write: FORGET {cell}; or: PLACE {cell}")

    def _draw(self) -> Iterator[str]:
        offered = self.view["offer"] == opponent(self.view["seat"])
        said = self._meant()
        if offered and self._has("nod") and not said:
            raise FieldError(
                "no-answer", "to say ok answers no offer of a draw", "write: DRAW ACCEPT; or: DRAW DECLINE"
            )
        if len(said) == 1:
            yield f"DRAW {said[0].upper()}"
        # While an offer waits, "draw" alone could be an answer to it.
        elif not said and self._has("draw") and not offered:
            yield "DRAW OFFER"


def _unnamed_cell(*, reply: bool) -> FieldError:
    hint = "write a line for each cell: IF <their cell> THEN <your cell>" if reply else "write: PLACE <cell>"
    return FieldError("any-cell", "a line is about the cells that it names: no word stands for any cell", hint)


def _unknown_here(*, passing: bool) -> FieldError:
    if passing:
        return FieldError("no-passing", "nobody passes in this game", "write: PLACE <cell>")
    return FieldError("no-swap", "there is no swap in this game", "write: PLACE <cell>")
