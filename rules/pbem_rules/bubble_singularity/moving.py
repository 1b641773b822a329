"""Phase 1: the Mari moves and leaves bubbles behind (rulings 7 and 8)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import FieldError, SeatName
from pbem_rules.bubble_singularity.grid import DIAGONALS, WAYS, across, around, step
from pbem_rules.bubble_singularity.kinds import EXTRA, NONE
from pbem_rules.bubble_singularity.orders import Bubbles, Move
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.table import NEEDED_LESS, Table, own_last
from pbem_rules.common.summary import counted


def moving(play: Play) -> None:
    """Move the Mari as ordered, else by default; it stays where no way is left."""
    _move(play)
    play.stop = play.at


def _move(play: Play) -> None:
    path = _ordered_path(play) or _default_path(play)
    if not path:
        if item := play.plan.single("bubbles"):
            play.refuse(item, FieldError("no-move", "your Mari cannot move, so nothing is placed"))
        play.tell("stayed", who=play.seat, why=_why_stuck(play.table, play.seat))
        return
    placed = _ordered_bubbles(play, path) or default_bubbles(play.table, play.seat, path)
    left = [_place(play, space, word) for space, word in zip(path, placed, strict=True)]
    play.table.change(play.seat, at=path[-1])
    play.tell("moved", who=play.seat, path=[[space, colours] for space, colours in zip(path, left, strict=True)])


def _ordered_path(play: Play) -> list[str] | None:
    item = play.plan.single("move")
    if item is None:
        return None
    assert isinstance(item.order, Move)
    try:
        return path_of(play.table, play.seat, item.order.ways)
    except FieldError as refused:
        play.refuse(item, refused)
        return None


def _default_path(play: Play) -> list[str]:
    way = default_way(play.table, play.seat)
    return [] if way is None else path_of(play.table, play.seat, (way,))


def path_of(table: Table, seat: SeatName, ways: Sequence[str]) -> list[str]:
    """Return the spaces that a Mari enters on its way. Raise FieldError if the rules forbid it."""
    here, path = table.players[seat].at, list[str]()
    most = furthest(table, seat)
    if len(ways) > most:
        raise FieldError("too-far", f"{len(ways)} spaces are too many", f"you may move 1 to {most}")
    for way in ways:
        assert here is not None
        here = next_space(table, seat, here, way)
        path.append(here)
    needed, held = _needed(table, seat, path), len(table.players[seat].hand)
    if needed > held:
        bubbles = counted(needed, "bubble")
        raise FieldError("too-few-bubbles", f"this way needs {bubbles} and you have {held}", "move fewer spaces")
    return path


def furthest(table: Table, seat: SeatName) -> int:
    """Return the number of spaces that a Mari may move at the most."""
    # Efficient Explorer: one space more (ruling 8).
    return table.rules.range + (1 if table.has(seat, "explorer") else 0)


def next_space(table: Table, seat: SeatName, here: str, way: str) -> str:
    """Return the space that one step leads to. Raise FieldError if the step is not allowed."""
    if way in DIAGONALS and not table.has(seat, "drift"):
        hint = f"write {way[0]} {way[1]} or {way[1]} {way[0]}"
        raise FieldError("no-diagonals", f"only Quantum Drift allows {way}", hint)
    # Wormhole Travel: a step off the edge comes to the other end of the row or column (ruling 16).
    found = (across if table.has(seat, "wormhole") else step)(here, way, table.size)
    if found is None:
        raise FieldError("off-board", f"{way} of {here} is the edge of the board", _open_ways(table, here))
    # The Mari's own space does not count as taken: a way may turn and come back (ruling 7).
    if not table.is_free(found) and table.players[seat].at != found:
        other = next(name for name, player in table.players.items() if player.at == found)
        raise FieldError("occupied", f"{found} is taken by {other}'s Mari", "nobody moves through or onto another Mari")
    return found


def _open_ways(table: Table, here: str) -> str:
    """Return a hint with the ways that lead to free spaces."""
    ways = [way for way in WAYS if (near := step(here, way, table.size)) and table.is_free(near)]
    return f"from {here} there is {' or '.join(ways)}" if ways else ""


def default_way(table: Table, seat: SeatName) -> str | None:
    """Return the way of the default move, the first possible one clockwise from north (ruling 23); None if none is."""
    for way in WAYS:
        try:
            path_of(table, seat, (way,))
        except FieldError:
            continue
        return way
    return None


def _needed(table: Table, seat: SeatName, path: Sequence[str]) -> int:
    return max(0, sum(needs_bubble(table, space) for space in path) - spared(table, seat, len(path)))


def needs_bubble(table: Table, space: str) -> bool:
    """Return True if a bubble has to be placed on a space that a Mari enters (ruling 8)."""
    return not table.beside(space, "transit")


def spared(table: Table, seat: SeatName, length: int) -> int:
    """Return the number of spaces of a way that Efficient Explorer leaves without a bubble, 0 or 1 (ruling 8)."""
    return 1 if table.has(seat, "explorer") and length > 1 else 0


def _why_stuck(table: Table, seat: SeatName) -> str:
    here, hand = table.players[seat].at, table.players[seat].hand
    assert here is not None
    if not hand:
        return "there are no bubbles to place"
    open_spaces = [space for space in around(here, table.size) if table.is_free(space)]
    return "there are too few bubbles to place" if open_spaces else "all ways are blocked by other Maris"


def _ordered_bubbles(play: Play, path: Sequence[str]) -> list[str] | None:
    item = play.plan.single("bubbles")
    if item is None:
        return None
    assert isinstance(item.order, Bubbles)
    try:
        check_bubbles(play.table, play.seat, path, item.order.what)
    except FieldError as refused:
        play.refuse(item, refused)
        return None
    return list(item.order.what)


def check_bubbles(table: Table, seat: SeatName, path: Sequence[str], words: Sequence[str]) -> None:
    """Raise FieldError if bubbles may not be placed like that on a path."""
    if len(words) != len(path):
        entered = ", ".join(path)
        hint = f"write {len(path)}, one for each space entered"
        needed = "1 word is" if len(path) == 1 else f"{len(path)} words are"
        raise FieldError("miscounted", f"your Mari enters {entered}: {needed} needed, not {len(words)}", hint)
    _check_bare(table, seat, path, words)
    hand = list(table.players[seat].hand)
    mine = {space for space, found in table.bubbles.items() if seat in found}
    for space, word in zip(path, words, strict=True):
        for colour in _colours(word, seat):
            if colour not in hand:
                hint = "you have " + ", ".join(table.players[seat].hand)
                raise FieldError("no-such-bubble", f"you have no further {colour} bubble to place on {space}", hint)
            hand.remove(colour)
        if word.endswith(EXTRA):
            _check_extra(table, seat, space, mine)
        if seat in _colours(word, seat):
            # Bubbles of the same move count for Bubble Resonance on later spaces (ruling 8).
            mine.add(space)


def _check_bare(table: Table, seat: SeatName, path: Sequence[str], words: Sequence[str]) -> None:
    """Check the spaces without a bubble: those beside the transit station, and one by Efficient Explorer (ruling 8)."""
    bare = [space for space, word in zip(path, words, strict=True) if word == NONE]
    paid = [space for space in bare if needs_bubble(table, space)]
    if len(paid) > spared(table, seat, len(path)):
        raise FieldError("bubble-needed", f"{paid[-1]} needs a bubble", "write a colour for each space entered")
    if len(path) > table.rules.range and not bare:
        raise FieldError(
            "one-bare", "on its further space Efficient Explorer places one bubble fewer", "write none once"
        )


def _check_extra(table: Table, seat: SeatName, space: str, mine: set[str]) -> None:
    if not table.has(seat, "resonance"):
        raise FieldError("no-resonance", "a second bubble needs Bubble Resonance")
    if not mine & set(around(space, table.size)):
        raise FieldError("not-beside", f"no bubble of yours lies beside {space}", "leave out the +")


def default_bubbles(table: Table, seat: SeatName, path: Sequence[str]) -> list[str]:
    """Place one bubble on each space that needs one, the own colour last (rulings 4 and 8)."""
    hand = own_last(list(table.players[seat].hand), seat)
    bare = {at for at, space in enumerate(path) if not needs_bubble(table, space)}
    spare = len(path) > table.rules.range and not bare
    if spared(table, seat, len(path)) and (spare or len(path) - len(bare) > len(hand)):
        bare.add(next(at for at in range(len(path)) if at not in bare))
    return [NONE if at in bare else hand.pop(0) for at in range(len(path))]


def _colours(word: str, seat: SeatName) -> list[str]:
    if word == NONE:
        return []
    return [word.removesuffix(EXTRA), seat] if word.endswith(EXTRA) else [word]


def _place(play: Play, space: str, word: str) -> list[str]:
    colours = _colours(word, play.seat)
    play.table.spend(play.seat, *colours)
    play.table.bubbles[space] += colours
    if len(play.table.bubbles[space]) >= NEEDED_LESS:
        play.notice()
    return colours
