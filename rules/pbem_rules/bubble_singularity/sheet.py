"""Order sheets of Bubble Singularity: their check against the open table, and the default orders.

The game lies open, so a sheet is played out as far as nothing is drawn, and the
receipt says what it will do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pbem.ruleset import (
    FieldError,
    Finding,
    Order,
    ParsedOrder,
    ParsedSheet,
    View,
    missing_word,
    show_word,
    split_words,
    suggest,
)
from pbem_rules.bubble_singularity.acting import default_action
from pbem_rules.bubble_singularity.asking import answer_to, preferred
from pbem_rules.bubble_singularity.beginning import first_card, wishes
from pbem_rules.bubble_singularity.grid import WAYS, step
from pbem_rules.bubble_singularity.moving import default_way, path_of
from pbem_rules.bubble_singularity.orders import (
    ORDERS,
    Keep,
    Move,
    Pop,
    Pull,
    Resign,
    Rotate,
    Start,
    Swap,
)
from pbem_rules.bubble_singularity.outlook import outlook
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.state import State
from pbem_rules.bubble_singularity.table import Table
from pbem_rules.bubble_singularity.turn import rehearse
from pbem_rules.bubble_singularity.views import state_of

MOST_LINES = 60
"""Most orders of a sheet that are tried out; a turn never needs so many."""

_USES = [verb.parts[1].word for verb in ORDERS.verbs if verb.word == "USE"]  # type: ignore[union-attr]  # literals


def parse(view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
    """Parse a sheet, and play it out on the table that the view shows."""
    numbered = list(lines)
    read = ORDERS.parse(view, numbered)
    findings = [_named_use(view, finding, numbered) for finding in read.findings]
    entries: list[ParsedOrder] = []
    for entry in read.entries:
        try:
            _check_phase(view, entry.order)
            entries.append(ParsedOrder(entry.line, _by_way(view, entry.order, read.orders)))
        except FieldError as refused:
            findings.append(Finding.error(entry.line, refused))
    taken, told = _judged(view, entries)
    return ParsedSheet(tuple(taken), tuple(sorted([*findings, *told], key=lambda finding: finding.line)))


def _by_way(view: View, order: Order, orders: Sequence[Order]) -> Order:
    """Return an order with the space of a PULL replaced by its direction from where the Mari ends.

    Raises:
        FieldError: the space is not beside that one.
    """
    if not isinstance(order, Pull) or order.way in WAYS:
        return order
    here = rehearse(state_of(view), view["seat"], tuple(other for other in orders if not isinstance(other, Pull))).stop
    way = next((way for way in WAYS if step(here, way, view["size"]) == order.way), None)
    if way is None:
        hint = "write N, E, S or W"
        raise FieldError("not-beside", f"{order.way} is not beside {here}, where your Mari ends its move", hint)
    return Pull(way)


def _named_use(view: View, finding: Finding, lines: Sequence[tuple[int, str]]) -> Finding:
    """Add the words that can be used to the finding of a USE line that names none of them."""
    words = next((split_words(line) for number, line in lines if number == finding.line), [])
    if finding.code != "missing-word" or len(words) < 1 or not "USE".startswith(words[0].upper()):
        return finding
    named = words[1].upper() if len(words) > 1 else ""
    if named in _USES:
        return finding
    near = suggest(named, _USES)
    refused = missing_word("a card or a station's use", None, near)
    if named:
        refused = FieldError(finding.code, f"{show_word(words[1])} is nothing that can be used", near, words[1])
    if not refused.hint:
        return replace(finding, text=refused.text, hint="possible: " + ", ".join(_USES), corrected="")
    corrected = refused.correct(next(line for number, line in lines if number == finding.line))
    corrected = corrected if ORDERS.parse(view, [(finding.line, corrected)]).entries else ""
    return replace(finding, text=refused.text, hint=refused.hint, corrected=corrected)


def _check_phase(view: View, order: Order) -> None:
    """Raise FieldError if an order may not be sent in this phase."""
    if view["over"]:
        raise FieldError("game-over", "the game is over; no more orders are taken")
    if isinstance(order, Resign):
        return
    if not view["awaited"]:
        raise FieldError("not-your-turn", f"it is {view['mover']}'s turn", "you will be asked when it is yours")
    phase, verb = view["phase"], ORDERS.line(order).split()[0]
    if phase == "setup" and not isinstance(order, Start | Keep):
        raise FieldError("not-now", f"{verb} comes later; the game is being set up", _answer_hint(view))
    if phase == "question" and not isinstance(order, Keep):
        raise FieldError("not-now", f"{verb} comes later; first you are asked a question", _answer_hint(view))
    if phase == "turn" and isinstance(order, Start):
        raise FieldError("not-now", f"{verb} has no place in a turn", "write: MOVE ..., then ROTATE or PULL")


def _answer_hint(view: View) -> str:
    return "write: " + " and ".join(map(ORDERS.line, defaults(view)[:1]))


def _judged(view: View, entries: Sequence[ParsedOrder]) -> tuple[list[ParsedOrder], list[Finding]]:
    """Return the entries that can be followed, and findings about them."""
    if view["over"] or not view["awaited"]:
        return list(entries), []
    if view["phase"] == "setup":
        return _judged_start(view, entries)
    play, kept, told = _tried_out(view, entries)
    # A player who resigns leaves before anything else of the sheet happens (ruling 31).
    if any(isinstance(entry.order, Resign) for entry in kept):
        return kept, told
    return kept, told + list(_told_of_turn(play, kept) if view["phase"] == "turn" else _told_of_answer(play, kept))


def _tried_out(view: View, entries: Sequence[ParsedOrder]) -> tuple[Play, list[ParsedOrder], list[Finding]]:
    """Rehearse the entries, without those that cannot be followed, until none of the rest is refused."""
    kept, state = list(entries[:MOST_LINES]), state_of(view)
    beyond = FieldError("too-much", "so many lines no turn has")
    told = [Finding.error(entry.line, beyond) for entry in entries[MOST_LINES:]]
    while True:
        play = rehearse(state, view["seat"], tuple(entry.order for entry in kept))
        refused = {item.index: reason for _, item, reason in play.refusals}
        told += [Finding.error(kept[at].line, refused[at]) for at in sorted(refused)]
        if not refused:
            return play, kept, told
        # Without a refused line others may become possible or impossible, so the rest is tried again.
        kept = [entry for at, entry in enumerate(kept) if at not in refused]


def _told_of_turn(play: Play, entries: Sequence[ParsedOrder]) -> Iterator[Finding]:
    """Yield findings on what the sheet leaves to default, what of it has no effect, and what it will do."""
    moved = next(event.data for event in play.events if event.kind in ("moved", "stayed"))
    if not play.plan.single("move") and "path" in moved:
        yield Finding(
            0, "warning", "no-move", f"by default your Mari moves to {moved['path'][0][0]}", "write: MOVE <way>..."
        )
    if not play.plan.single("action"):
        acted = next(event.data for event in play.events if event.kind in ("rotated", "pulled"))
        line = ORDERS.line(Rotate(acted["turn"]) if "turn" in acted else Pull(acted["way"]))
        yield Finding(
            0, "warning", "no-action", f"by default your action is {line}", "write: ROTATE CW|CCW or PULL <way>"
        )
    for item in play.plan.unused():
        yield Finding(entries[item.index].line, "warning", "no-such-pop", _idle(play, item.order))
    yield from outlook(play)


def _idle(play: Play, order: Order) -> str:
    """Return why a line for a pop has no effect."""
    assert isinstance(order, Pop | Swap)
    if isinstance(order, Swap):
        return f"no unstable card pops on {order.space} so often in this turn"
    times = play.pops.count(order.space)
    if not times:
        return f"{order.space} does not pop in this turn"
    return f"{order.space} pops {'once' if times == 1 else f'{times} times'}, and this line is one too many"


def _told_of_answer(play: Play, entries: Sequence[ParsedOrder]) -> Iterator[Finding]:
    """Yield findings on questions left to default, on cards replaced, and on the question that follows."""
    said = next((entry.order.what for entry in entries if isinstance(entry.order, Keep)), ())
    open_ones = [asked for asked in play.state.questions if preferred(asked, said) is None]
    if open_ones:
        offered = "possible: " + ", and of ".join(", ".join(asked.choices) for asked in open_ones)
        answers = (answer_to(asked, (), play.state.liking) for asked in open_ones)
        kept = ", ".join(word for answer in answers for word in answer)
        yield Finding(0, "warning", "no-answer", f"by default you keep {kept}", offered)
    for event in play.events:
        if event.kind == "chosen" and not play.questions:
            card, held = event.data["card"], event.data["held"]
            kept = next((each for each in (card, held) if play.table.has(play.seat, each)), "neither")
            text = f"{card} and {held} are of one category: you keep {kept}"
            yield Finding(
                0, "note", "replaces", text, f"whichever you name first is kept: KEEP {held} {card}, or: KEEP {card}"
            )
    if play.questions:
        held, new = play.questions[0].choices
        hint = f"to answer now write: KEEP {new} {held}, or: KEEP {held} {new}"
        yield Finding(0, "note", "replace", f"next you are asked which you keep, {held} or {new}", hint)


def _judged_start(view: View, entries: Sequence[ParsedOrder]) -> tuple[list[ParsedOrder], list[Finding]]:
    """Return the entries of a set-up sheet that can be followed, and findings."""
    offer = view["players"][view["seat"]]["offer"]

    def check(entry: ParsedOrder, before: Sequence[ParsedOrder]) -> None:
        ORDERS.check_slot(entry.order, before, hint="")
        if isinstance(entry.order, Keep):
            first_card(offer, entry.order.what)

    sheet = ParsedSheet(tuple(entries)).apply_check(check)
    taken = {type(order) for order in sheet.orders}
    told = [] if Resign in taken else _told_of_start(view, taken)
    return list(sheet.entries), [*sheet.findings, *told]


def _told_of_start(view: View, taken: Iterable[type[Order]]) -> Iterator[Finding]:
    offer = view["players"][view["seat"]]["offer"]
    if Start not in taken:
        places = ", ".join(wishes(view["size"])[:4])
        yield Finding(0, "warning", "no-start", f"you get the first free start of {places}", "write: START <space>...")
    if offer and Keep not in taken:
        yield Finding(0, "warning", "no-card", f"by default you keep {offer[0]}", "write: KEEP " + " or ".join(offer))


def defaults(view: View) -> tuple[Order, ...]:
    """Return the orders that are played for a seat without a sheet (rulings 23 and 26)."""
    if not view["awaited"]:
        return ()
    state = state_of(view)
    if state.phase == "setup":
        offer = state.players[view["seat"]].offer
        return (Start(tuple(wishes(view["size"]))), *([Keep(offer[:1])] if offer else []))
    return default_answers(state) if state.questions else default_turn(state)


def default_answers(state: State) -> tuple[Order, ...]:
    """Return one KEEP line with the same result as no answer at all (ruling 26)."""
    answers = [answer_to(asked, (), state.liking) for asked in state.questions]
    answer = tuple(word for answer in answers for word in answer)
    seat = state.questions[0].seat
    following = rehearse(state, seat, (Keep(answer),)).questions
    if following:
        return (Keep((*answer, following[0].choices[0])),)
    unanswered = rehearse(state, seat, ())
    held = [card for card in unanswered.table.players[seat].cards if card in _rivals(unanswered)]
    return (Keep((*held, *(word for word in answer if word not in held))),)


def _rivals(play: Play) -> set[str]:
    """Return the cards of a turn that competed for a full category."""
    chosen = (event.data for event in play.events if event.kind == "chosen")
    return {card for data in chosen for card in (data["card"], data["held"])}


def default_turn(state: State) -> tuple[Order, ...]:
    assert state.mover is not None
    table = Table(state)
    way = default_way(table, state.mover)
    if way is None:
        return (default_action(table, state.mover),)
    # The default action depends on where the default move ends.
    table.change(state.mover, at=path_of(table, state.mover, (way,))[-1])
    return (Move((way,)), default_action(table, state.mover))
