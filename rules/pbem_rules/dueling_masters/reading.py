"""Lenient reading of order lines: `e9-h9`, "my W fighter to D3", "Xs on A2 and E10".

A line with an unknown word is left as it was, so that it is refused as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset import FieldError, missing_word, show_word
from pbem_rules.common.text import joined, spoken
from pbem_rules.dueling_masters.board import COLUMNS, ROWS, SPOTS
from pbem_rules.dueling_masters.kinds import ASTEROID, HOME, B, W, X, Y, Z, names, numbers
from pbem_rules.dueling_masters.moves import Fleet, Own, check_time

_View = Mapping[str, Any]

_ANSWERS = {
    "OFFER": ("offer", "propose", "suggest"),
    "ACCEPT": ("accept", "accepted", "agree", "agreed", "yes", "ok", "okay"),
    "DECLINE": ("decline", "declined", "refuse", "refused", "reject", "rejected", "no"),
}
# Alone they say as often that a mail was read, and a draw ends the game.
_NODS = {"ok", "okay"}
_ANSWER_OF = {word: answer for answer, words in _ANSWERS.items() for word in words}
_RANDOM = {"random", "randomly", "anywhere", "wherever", "dice"}
_SETUP = {"setup", "set-up", "set", "up", "place", "put", "deploy"}
_MOVE = {"move", "moves", "mov", "mv", "fly", "flies", "send", "go", "goes", "order", "launch", "moving"}
_RAM = {"ram", "rams", "ramming"}
_LITTLE = {"i", "i'd", "my", "the", "a", "an", "at", "on", "in", "to", "of", "is", "are", "and", "with", "from", "like"}
_NOUNS = {"fighter", "fighters", "ship", "ships", "piece", "pieces", "pawn", "one", "both", "all"}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_PAIRS = {("home", "planet"): "home", ("home", "planets"): "home"}
# Kinds by the names of pieces, those of chess included; a name may mean several kinds.
_KINDS = {
    **dict.fromkeys(("home", "homes", "planet", "planets", "king"), (HOME,)),
    **dict.fromkeys(("asteroid", "asteroids", "mine", "mines", "rock", "rocks"), (ASTEROID,)),
    **{name.lower() + end: (name,) for name in (W, B, X, Y, Z) for end in ("", "s", "'s")},
    "knight": (W,),
    "rook": (X,),
    "rooks": (X,),
    "bishop": (Y,),
    "bishops": (Y,),
    **dict.fromkeys(("queen", "queens"), (B, Z)),
}

_PLACE = r"(?:[a-z]-?[0-9][0-9o]?|[0-9]{1,2}[a-j])"
_GLUED = re.compile(rf"([wxyz][1-4]|[wbxyz])?-?({_PLACE})?-?({_PLACE})")
_PLACED = re.compile(_PLACE)
_NAME = re.compile(r"([wxyz])-?([0-9])")
_TURNED = re.compile(r"([0-9]{1,4})([a-z])")
_TIMES = re.compile(r"x?([1-9])x?")

_HOW_TO_SET_UP = "write: SETUP <kind> <square>..."
_HOW_TO_MOVE = "write: MOVE <piece> TO <square>"


def rewrite(line: str, view: _View) -> str:
    """Rewrite a line in the words of the orders, as far as it is understood.

    Raises:
        FieldError: the meaning is plain and the order impossible, or it may mean several pieces.
    """
    words = list(_parts(joined(spoken(line), _PAIRS)))
    if view["over"] or not words:
        return line
    found = _answering(words, view) or (_placing if view["stage"] == "set-up" else _moving)(words, view)
    return found or line


def square_of(word: str) -> str:
    """Return the square that a word names, also backwards or with zeros, as the board spells it.

    Raises:
        FieldError: there is no such square.
    """
    turned = _TURNED.fullmatch(word.lower())
    plain = (turned[2] + turned[1] if turned else word).replace("-", "").upper()
    name = plain[:1] + plain[1:].replace("O", "0").lstrip("0")
    if name in SPOTS:
        return name
    text = f"there is no square {show_word(word.upper())}"
    raise FieldError("no-such-square", text, _bounds(plain) or "squares go from A1 to J10", word)


def _bounds(plain: str) -> str:
    """Return the bounds that a word of the form of a square exceeds."""
    if not plain[1:].isdecimal():
        return ""
    if plain[0] not in ROWS:
        return f"rows go {ROWS[0]} to {ROWS[-1]}"
    return f"columns go {COLUMNS[0]} to {COLUMNS[-1]}"


def _is_square(word: str) -> bool:
    try:
        return bool(square_of(word))
    except FieldError:
        return False


def _parts(words: Iterable[str]) -> Iterable[str]:
    """Split words that run together: "e9-h9" and "z3h9" are two, "h 9" is one."""
    letter = ""
    for word in words:
        glued = None if _NAME.fullmatch(word) or _is_square(word) else _GLUED.fullmatch(letter + word)
        if letter and not word.isdecimal():
            yield letter
        if len(word) == 1 and word.isalpha():
            letter = word
            continue
        if glued:
            yield from filter(None, glued.groups())
        else:
            yield letter + word if word.isdecimal() else word
        letter = ""
    if letter:
        yield letter


def _answering(words: Sequence[str], view: _View) -> str:
    """Return an offer of a draw or the answer to one; "" if the line says anything else."""
    said = [word for word in words if word not in _LITTLE]
    answers = [_ANSWER_OF[word] for word in said if word in _ANSWER_OF]
    # A square or another word beside it is not guessed at.
    if len(said) > len(answers) + said.count("draw") or said.count("draw") > 1 or len(answers) > 1:
        return ""
    if view["offer"] not in (None, view["seat"]) and _NODS & set(said) and "draw" not in said:
        raise FieldError("no-answer", "to say ok answers no offer of a draw", "write: DRAW ACCEPT; or: DRAW DECLINE")
    # A bare "yes" or "no" answers an open offer alone.
    if "draw" not in said and not (view["offer"] and {"ACCEPT", "DECLINE"} & set(answers)):
        return ""
    return "DRAW " + (answers[0] if answers else "OFFER")


def _placing(words: Sequence[str], view: _View) -> str:
    """Return a SETUP line; before the first move nothing else names pieces or squares."""
    if words[0] in _MOVE or all(map(_is_square, words)):
        check_time(view)
    _check_random(words)
    said = [word for word in words if word not in (_SETUP | _LITTLE | _NOUNS)]
    if said and said[0].isdecimal():
        said.pop(0)
    kind = _KINDS.get(said[0], ()) if said else ()
    if len(kind) > 1:
        raise FieldError("ambiguous", f"{said[0]!r} could be {' or '.join(kind)}", _hint_at_kinds(kind, said[1:]))
    if not kind:
        return _numbered(said)
    squares = list(_squares([word for word in said[1:] if _KINDS.get(word) != kind]))
    if any(square.lower() in _KINDS for square in squares):
        raise FieldError("one-kind", "a line places one kind of pieces", "write a line for each kind")
    return " ".join(["SETUP", *kind, *squares])


def _check_random(words: Sequence[str]) -> None:
    if not _RANDOM.isdisjoint(words):
        raise FieldError(
            "unknown-name",
            "no order places pieces by dice: they place what your set-up lacks at its second deadline",
            _HOW_TO_SET_UP,
        )


def _hint_at_kinds(kinds: Sequence[str], words: Sequence[str]) -> str:
    """Return the lines that would place each of several kinds on the squares named."""
    squares = " ".join(square_of(word) for word in words if _is_square(word)) or "<square>"
    return "write: " + "; or: ".join(f"SETUP {kind} {squares}" for kind in kinds)


def _numbered(words: Sequence[str]) -> str:
    """Return `X1 A2 X2 E10`, each piece of a kind with its square, as a SETUP line; "" for other lines."""
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    kind = next(iter(pairs), "")[:1].upper()
    every = names(kind, numbers(1).get(kind, 1))
    found = [pairs[name.lower()] for name in every if name.lower() in pairs]
    if len(every) == 1 or 2 * len(found) != len(words) or not all(map(_is_square, found)):
        return ""
    return " ".join(["SETUP", kind, *found])


def _squares(words: Iterable[str]) -> Iterable[str]:
    """Yield the squares that words name; a number after one repeats it."""
    last = ""
    for word in words:
        times = _TIMES.fullmatch(word)
        if last and times:
            yield from [last] * (int(times[1]) - 1)
            continue
        last = square_of(word) if _is_square(word) else ""
        yield last or word.upper()


@dataclass
class _Said:
    """The words of a line: kinds, names and a number of pieces, squares in their order, and whether to ram."""

    kinds: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    number: int = 0
    squares: list[str] = field(default_factory=list)
    ram: bool = False

    def hear(self, word: str) -> bool:
        """Take in one more word. Return False if it is unknown."""
        name = _NAME.fullmatch(word)
        if name and numbers(1)[name[1].upper()] > 1:
            self.names.append((name[1] + name[2]).upper())
        elif name or word in _KINDS:
            self.kinds += _KINDS[name[1] if name else word]
        elif _PLACED.fullmatch(word):
            self.squares.append(square_of(word))
        elif word in _ORDINALS or word.isdecimal():
            self.number = _ORDINALS.get(word) or int(word)
        else:
            self.ram |= word in _RAM
            return word in (_RAM | _MOVE | _LITTLE | _NOUNS)
        return True


def _moving(words: Sequence[str], view: _View) -> str:
    """Return a MOVE line, however the line names the piece."""
    said = _Said()
    if not all(map(said.hear, words)) or not (said.names or said.kinds or said.squares):
        return ""
    check_time(view)
    if len(said.squares) > 2 or len(said.names) > 1:
        raise FieldError(
            "one-move", "a sheet moves one piece to one square", "write one move: MOVE <piece> TO <square>"
        )
    if not said.squares:
        piece = said.names[0] if said.names else "<piece>"
        raise missing_word("a square", None, f"write: MOVE {piece} TO <square>")
    name = _named(said, Fleet.of_view(view))
    line = f"{name} {said.squares[-1]}"
    return f"RAM {line}" if words[0] in _RAM else f"MOVE {line}{' RAM' if said.ram else ''}"


def _named(said: _Said, fleet: Fleet) -> str:
    """Return the name of the piece meant: by its name, or by its kind, its square and where it could go."""
    origin, target = said.squares[0] if len(said.squares) > 1 else "", said.squares[-1]
    if said.names:
        _check_origin(fleet.pieces.get(said.names[0]), origin)
        return said.names[0]
    meant = [piece for piece in fleet.movable() if _fits(piece, said, origin)]
    able = [piece for piece in meant if _may(fleet, piece, target, ram=said.ram)]
    # One that cannot go there is returned too, so that its move is refused with the reason.
    if len(able) == 1 or len(meant) == 1:
        return (able or meant)[0].name
    if not meant and said.kinds and not origin:
        return said.kinds[0] + (str(said.number) if said.number else "")
    if not meant:
        where = origin or "the board"
        raise FieldError(
            "nothing-there", f"no piece of yours that can move and is meant stands on {where}", _where(fleet)
        )
    if not able:
        raise FieldError("out-of-reach", f"{_either(meant)} cannot go to {target}", _HOW_TO_MOVE)
    hint = "write: " + ", or: ".join(f"MOVE {piece.name} TO {target}" for piece in able)
    raise FieldError("ambiguous", f"to {target} could go {_either(able)}", hint)


def _check_origin(piece: Own | None, origin: str) -> None:
    if piece and origin not in ("", piece.square):
        raise FieldError("elsewhere", f"{piece.name} is not on {origin}", f"{piece.name} is on {piece.square}")


def _fits(piece: Own, said: _Said, origin: str) -> bool:
    numbered = not said.number or piece.name.endswith(str(said.number))
    return numbered and origin in ("", piece.square) and (not said.kinds or piece.kind in said.kinds)


def _may(fleet: Fleet, piece: Own, square: str, *, ram: bool) -> bool:
    try:
        fleet.check(piece.name, square, ram=ram)
    except FieldError:
        return False
    return True


def _either(pieces: Sequence[Own]) -> str:
    shown = [piece.name for piece in pieces]
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _where(fleet: Fleet) -> str:
    return "yours: " + ", ".join(f"{piece.name} on {piece.square}" for piece in fleet.movable())
