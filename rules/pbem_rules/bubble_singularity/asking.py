"""Questions to the mover before the next player moves, and the answers (rulings 14, 26 and 35)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import FieldError, SeatName
from pbem_rules.bubble_singularity.abilities import ABILITIES, CATEGORIES
from pbem_rules.bubble_singularity.orders import Draw, Keep
from pbem_rules.bubble_singularity.plan import Item
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.state import COLOURS, PendingChoice, in_order
from pbem_rules.bubble_singularity.table import category_of

DRAWN_CARDS = 2
RESEARCHED, KEPT_BUBBLES = 3, 2


def asking(play: Play) -> None:
    """Draw the cards that the mover may choose from, for each pop on a node.

    The standing list is applied once all is drawn, so that a choice made in
    advance and one made by mail meet the same bag and decks (ruling 35).
    """
    note_wishes(play)
    if not draws_cards(play):
        play.pending = 0
    while play.pending and play.result is None:
        play.pending -= 1
        cards = draw_cards(play, play.wish, "node", play.pending)
        if cards:
            play.tell("drawn", who=play.seat, cards=cards)
            ask(play, "card", cards)
    if play.state.phase == "turn":
        _answer_by_list(play)


def draws_cards(play: Play) -> bool:
    """Return True if cards are drawn after pops on nodes; they are not if the mover has no further turn (ruling 14)."""
    return play.pending > 0 and not play.in_last_round


def _answer_by_list(play: Play) -> None:
    """Answer by the mover's list, in the order drawn, up to the first question that it leaves open."""
    questions, play.questions = play.questions, []
    for at, question in enumerate(questions):
        answer = by_list(question, play.liking)
        # Any two bubbles are worth the same once no further turn of the player comes (ruling 38).
        if answer is None and question.kind == "bubbles" and play.in_last_round:
            answer = default_answer(question)
        if answer is None:
            play.questions = questions[at:]
            return
        take(play, question, answer)


def conclude(play: Play, how: str) -> None:
    """End the game; open choices are made by list or by default before points are counted (ruling 35)."""
    questions, play.questions = play.questions, []
    for question in questions:
        take(play, question, answer_to(question, (), play.liking))
    play.end(how)


def note_wishes(play: Play) -> None:
    """Take the decks and the KEEP list from the sheet of a turn, or the list from the standing one (ruling 26)."""
    if play.state.phase != "turn":
        return
    draw, keep = play.plan.single("draw"), play.plan.single("keep")
    if draw is not None:
        assert isinstance(draw.order, Draw)
        play.wish = (draw.order.one, draw.order.other)
    if keep is not None:
        assert isinstance(keep.order, Keep)
        play.liking = play.lists[play.seat] = _listed(keep.order.what, play.lists.get(play.seat, ()))
    elif play.seat in play.lists:
        play.liking = play.lists[play.seat]


def _listed(words: Sequence[str], before: Sequence[str]) -> tuple[str, ...]:
    """Return a standing list with new words: cards alone leave its colours as they were, and colours its cards."""
    named = {word in ABILITIES for word in words}
    return (*words, *(word for word in before if (word in ABILITIES) not in named))


def draw_bubbles(play: Play) -> None:
    """Draw three bubbles of which two are kept; if the bag has fewer, the game ends (ruling 20)."""
    if len(play.table.bag) < RESEARCHED:
        # All that is left comes to the player, which needs no dice; then the game ends.
        drawn, play.table.bag = list(in_order(play.table.bag)), []
    else:
        drawn = [colour for count in range(RESEARCHED) if (colour := play.draw("research", count))]
    play.tell("researched", who=play.seat, bubbles=drawn)
    if len(drawn) == RESEARCHED:
        ask(play, "bubbles", drawn)
    else:
        play.table.gain(play.seat, *drawn)
        conclude(play, "bag")


def ask(play: Play, kind: str, choices: Sequence[str]) -> None:
    """Put a question to the mover once all is drawn (ruling 35).

    A card that replaces one held is not asked about: the answer that
    chose it ranks both, else the new card is kept (ruling 26).
    """
    question = PendingChoice(kind, play.seat, tuple(choices))
    # While another question is open it waits as well, for its answer may depend on that one.
    if play.questions or kind != "replace":
        play.questions.append(question)
    else:
        take(play, question, preferred(question, play.liking) or default_answer(question))


def by_list(question: PendingChoice, liking: Sequence[str]) -> tuple[str, ...] | None:
    """Return the answer of a list that names all the choices; None if it does not."""
    return preferred(question, liking) if set(question.choices) <= set(liking) else None


def draw_cards(play: Play, wish: Sequence[str], *key: str | int) -> list[str]:
    """Draw two cards, each from the deck wished for, else from one by lot; fewer if the decks hold no more."""
    drawn = []
    for count in range(DRAWN_CARDS):
        decks = [category for category in CATEGORIES if play.table.decks[category]]
        if decks:
            wished = wish[count] if count < len(wish) and wish[count] in decks else None
            drawn.append(play.table.decks[wished or play.dice.pick(decks, "deck", *key, count)].pop(0))
    return drawn


def answering(play: Play) -> None:
    """Apply the answers of a sheet to all questions; what it leaves open is decided by list or default (ruling 26)."""
    questions, listed = play.state.questions, play.liking
    said = _first_answer(play, questions)
    if said:
        play.liking = (*said, *listed)
    play.questions = []
    for question in questions:
        take(play, question, answer_to(question, said, listed))


def answer_to(question: PendingChoice, said: Sequence[str], listed: Sequence[str]) -> tuple[str, ...]:
    """Return the answer to a question by the sheet, else by the standing list, else by default."""
    return preferred(question, said) or by_list(question, listed) or default_answer(question)


def _first_answer(play: Play, questions: Sequence[PendingChoice]) -> tuple[str, ...]:
    """Return the first KEEP of the sheet that answers any question; refuse the others."""
    said: tuple[str, ...] = ()
    orders = play.orders.get(questions[0].seat, ())
    for item in (Item(at, order) for at, order in enumerate(orders)):
        if not isinstance(item.order, Keep):
            continue
        if said:
            play.refuse(
                item, FieldError("only-one", "the sheet answers already", "write what you like in one KEEP line")
            )
        elif any(_answers(play, question, item.order.what) for question in questions):
            said = item.order.what
        else:
            play.refuse(item, not_offered(questions))
    return said


def _answers(play: Play, question: PendingChoice, words: Sequence[str]) -> bool:
    """Return True if a list says what is kept of the choices, or that the card held is kept instead of one of them."""
    if preferred(question, words):
        return True
    rivals = (_rival(play, question, card) for card in question.choices)
    # A card takes the place of the one held unless the list names that one before it (ruling 26).
    return any(rival in words for rival in rivals if rival)


def not_offered(questions: Sequence[PendingChoice]) -> FieldError:
    """Return the error for a KEEP that answers none of the questions."""
    offered = ", and one of ".join(", ".join(question.choices) for question in questions)
    if questions[0].kind == "bubbles":
        return FieldError("not-offered", "two of the three bubbles are kept", f"drawn: {offered}")
    if len(questions) > 1:
        return FieldError("not-offered", "none of these cards is offered", f"KEEP takes one of {offered}")
    return FieldError("not-offered", "none of these cards is offered", "KEEP " + " or ".join(questions[0].choices))


def preferred(question: PendingChoice, liking: Sequence[str]) -> tuple[str, ...] | None:
    """Return the answer to a question by a ranking, best first; None if it does not decide.

    Two colours are the two bubbles to keep; any other number of colours is a
    ranking, of which the best may be kept twice (ruling 26).
    """
    # Two colours are the two bubbles themselves, more are a ranking (ruling 26).
    if sum(word in COLOURS for word in liking) != KEPT_BUBBLES and (best := ranked(question, liking)):
        return best
    wanted, left = (KEPT_BUBBLES if question.kind == "bubbles" else 1), list(question.choices)
    answer: list[str] = []
    for word in liking:
        if word in left and len(answer) < wanted:
            left.remove(word)
            answer.append(word)
    return tuple(answer) if len(answer) == wanted else None


def ranked(question: PendingChoice, liking: Sequence[str]) -> tuple[str, ...] | None:
    """Return the bubbles kept by a ranking that names each colour drawn once; None if it is no such list."""
    if question.kind != "bubbles" or any(liking.count(colour) != 1 for colour in question.choices):
        return None
    return tuple(sorted(question.choices, key=liking.index)[:KEPT_BUBBLES])


def default_answer(question: PendingChoice) -> tuple[str, ...]:
    """Return the first drawn; of a held and a new card, the new one (ruling 26)."""
    if question.kind == "bubbles":
        return question.choices[:KEPT_BUBBLES]
    return question.choices[-1:] if question.kind == "replace" else question.choices[:1]


def take(play: Play, question: PendingChoice, what: Sequence[str]) -> None:
    """Apply an answer; a card of a category that is full brings a question of its own."""
    left = list(question.choices)
    for word in what:
        left.remove(word)
    held = _rival(play, question, what[0])
    if question.kind == "bubbles":
        play.table.gain(question.seat, *what)
        # Bubbles not kept go back into the bag, so that all 60 stay in the game (ruling 35).
        play.table.bag += left
    else:
        _take_card(play, question, what[0], left)
    if not held:
        play.tell("kept", who=question.seat, what=list(what), returned=left)
    else:
        play.tell("chosen", who=question.seat, card=what[0], returned=left, held=held)
        ask(play, "replace", (held, what[0]))


def _rival(play: Play, question: PendingChoice, card: str) -> str:
    """Return the card that the player holds in the category of one just drawn; "" if there is none."""
    if question.kind != "card":
        return ""
    cards = play.table.players[question.seat].cards
    return next((held for held in cards if category_of(held) == category_of(card) and held != card), "")


def _take_card(play: Play, question: PendingChoice, card: str, left: list[str]) -> None:
    """Give the player a card and put the others below their decks; a full category waits for its own question."""
    if question.kind == "replace":
        lose_card(play, question.seat, left[0])
    else:
        for other in left:
            play.table.decks[category_of(other)].append(other)
    if question.kind == "replace" or not _rival(play, question, card):
        hold_card(play, question.seat, card)


def hold_card(play: Play, seat: SeatName, card: str) -> None:
    """Add a card to those that a player holds, sorted by category."""
    cards = {*play.table.players[seat].cards, card}
    play.table.change(seat, cards=tuple(sorted(cards, key=lambda held: CATEGORIES.index(category_of(held)))))


def lose_card(play: Play, seat: SeatName, card: str) -> None:
    """Put a card of a player below its deck."""
    cards = tuple(held for held in play.table.players[seat].cards if held != card)
    play.table.change(seat, cards=cards)
    play.table.decks[category_of(card)].append(card)


def withdraw_question(play: Play) -> None:
    """Return what the questions to a player who has left were about; the card held has gone back already."""
    play.questions, play.pending = [], 0
    for question in play.state.questions:
        if question.kind == "bubbles":
            play.table.bag += question.choices
            continue
        # The first choice of a replacement is the card held, which `return_all` has put back.
        for card in question.choices[1:] if question.kind == "replace" else question.choices:
            play.table.decks[category_of(card)].append(card)


def return_all(play: Play, seat: SeatName) -> None:
    """Return bubbles and cards of a player who leaves: bubbles to the bag, cards below their decks (ruling 31)."""
    player = play.table.players[seat]
    for card in (*player.cards, *player.offer):
        play.table.decks[category_of(card)].append(card)
    play.table.bag += player.hand
    play.table.bag = list(in_order(play.table.bag))
    play.lists.pop(seat, None)
    play.table.change(seat, hand=(), cards=(), offer=(), at=None, blocked="", out=True)
