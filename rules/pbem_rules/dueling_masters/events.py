"""The events of Dueling Masters of Space-Time: every kind, its data, and the players who see it.

A view's `events` list holds `{"kind": …, **data}`. `who` is a seat, `type` a kind of
piece, `piece` the name of an own one, `mark` the number of an enemy one on the reader's board.

| kind | data | heard by |
|---|---|---|
| placed | lines (what stands now, as SETUP lines), lacking (kinds still to be placed) | its player |
| arranged | lines: what the dice placed, as SETUP lines | its player |
| waiting | who: list of seats whose set-up lacks something | both |
| begun | mover | both |
| moved | piece, origin, square (bound for) | its player |
| rammed | piece, origin, square (of the asteroid, gone with it) | its player |
| departed | who, square, mark, before (where the mark stood; None if it is new), type (unless blind) | the opponent |
| collision | square, own {piece, type, lost}, enemy {mark (0: none), type, lost} | both, each their own side of it |
| spent | who, type: the piece ordered turned out to be destroyed, and the turn is used up | both |
| missed | who, misses (in a row), limit (0: none), stage ("move"; "no-move": a sheet came, without a move; "set-up"; "incomplete": a sheet came, but the set-up was not complete the second time) | both |
| skipped | who: has no piece that can move | both |
| draw-offered | who | both |
| draw-declined | who (declined), how ("declined" or "played on") | both |
| resigned | who, how ("resigned", "removed" or "forfeit") | both |
| ended | winners (none: a draw), how (a key of ENDS), words (the result in one line) | both |
| refused | line, why (one sentence) | its player |

A path that was judged and found free has no event, except that the piece departs again.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import SeatName

ENDS = {
    "destroyed": "the opponent's home was destroyed",
    "both-destroyed": "both players' homes were destroyed by one judgement",
    "out-of-reach": "neither player has a piece left that could ever reach the other's home",
    "no-moves": "neither player has a piece that can move",
    "resigned": "the opponent resigned",
    "removed": "the opponent was taken out of the game",
    "forfeit": "the opponent missed too many deadlines",
    "agreed": "the players agreed to a draw",
    "quiet": "no piece was destroyed in as many turns as the campaign allows",
    "both-left": "both players gave up at once",
}
"""Every way a game can end, in words that fit after "one wins:" or "a draw:"."""


def result_words(winners: Sequence[SeatName], how: str) -> str:
    return f"player {winners[0]} wins: {ENDS[how]}" if winners else f"a draw: {ENDS[how]}"
