"""Questions to the mover before the next player moves, and the answers (rulings 14, 26 and 35)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import FieldError, SeatName
from pbem_rules.bubble_singularity.abilities import ABILITIES, CATEGORIES
from pbem_rules.bubble_singularity.orders import Draw, Keep
from pbem_rules.bubble_singularity.plan import Item
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.state import COLOURS, Question, in_order
from pbem_rules.bubble_singularity.table import category_of

DRAWN_CARDS = 2
RESEARCHED, KEPT_BUBBLES = 3, 2


def asking(play: Play) -> None:
    """Draws what the mover may choose from: bubbles of the research station, then cards for each pop on a node.

    What the list of the mover tells is taken once all is drawn: a choice made in
    advance and one made by mail meet the same bag and decks (ruling 35).
    """
    note_wishes(play)
    if play.research:
        draw_bubbles(play)
    if not draws_cards(play):
        play.pending = 0
    while play.pending and play.result is None and (not play.questions or play.state.edition > 2):
        play.pending -= 1
        cards = draw_cards(play, play.wish, "node", play.pending)
        if cards:
            play.tell("drawn", who=play.seat, cards=cards)
            ask(play, "card", cards)
    if play.state.edition > 3 and play.state.phase == "turn":
        _answer_by_list(play)


def draws_cards(play: Play) -> bool:
    """Return whether cards are drawn after pops on nodes: not if no further turn of the mover comes (ruling 14)."""
    return play.pending > 0 and not (play.state.edition > 3 and play.in_last_round)


def _answer_by_list(play: Play) -> None:
    """Answer what the list of the mover tells, in the order drawn, up to the first question that it leaves open."""
    questions, play.questions = play.questions, []
    for at, question in enumerate(questions):
        answer = by_list(question, play.liking, play.state.edition)
        if answer is None:
            play.questions = questions[at:]
            return
        take(play, question, answer)


def conclude(play: Play, how: str) -> None:
    """End the game; what is still to be chosen is kept by list or by default before points are counted (ruling 35)."""
    if play.state.edition > 3:
        questions, play.questions = play.questions, []
        for question in questions:
            take(play, question, answer_to(question, (), play.liking, play.state.edition))
    play.end(how)


def note_wishes(play: Play) -> None:
    """The decks to draw from and what to keep, as the sheet of a turn or the standing list says beforehand."""
    if play.state.phase != "turn":
        return
    draw, keep = play.plan.single("draw"), play.plan.single("keep")
    if draw is not None:
        assert isinstance(draw.order, Draw)
        play.wish = (draw.order.one, draw.order.other)
    if keep is not None:
        assert isinstance(keep.order, Keep)
        play.liking = keep.order.what
        if play.state.edition > 1:
            play.liking = play.lists[play.seat] = _listed(keep.order.what, play.lists.get(play.seat, ()))
    elif play.seat in play.lists:
        play.liking = play.lists[play.seat]


def _listed(words: Sequence[str], before: Sequence[str]) -> tuple[str, ...]:
    """A standing list with new words: cards alone leave the colours of the one before, and colours the cards."""
    named = {word in ABILITIES for word in words}
    return (*words, *(word for word in before if (word in ABILITIES) not in named))


def draw_bubbles(play: Play) -> None:
    """Three bubbles of which two are kept; the game ends where the bag has fewer, which needs no dice."""
    if len(play.table.bag) < RESEARCHED:
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
    """A question, put when all is drawn; what an answer leaves to choose is not asked again (ruling 26).

    In earlier editions it was answered at once if the liking told beforehand
    names all the choices. While another waits, it waits too, for its answer may
    hang on that.
    """
    question, edition = Question(kind, play.seat, tuple(choices)), play.state.edition
    if play.questions or (edition > 3 and kind != "replace"):
        play.questions.append(question)
        return
    answer = by_list(question, play.liking, edition)
    if answer is None and (edition > 3 or (edition > 2 and play.state.phase == "question")):
        answer = preferred(question, play.liking, edition) or default_answer(question)
    if answer:
        take(play, question, answer)
    else:
        play.questions.append(question)


def by_list(question: Question, liking: Sequence[str], edition: int) -> tuple[str, ...] | None:
    """The answer of a list that names all the choices; None if it does not."""
    if not set(question.choices) <= set(liking):
        return None
    return (ranked(question, liking) if edition in (2, 3) else None) or preferred(question, liking, edition)


def draw_cards(play: Play, wish: Sequence[str], *key: str | int) -> list[str]:
    """Two cards from the tops of decks: those wished for, else of decks by lot; fewer if there are no more."""
    drawn = []
    for count in range(DRAWN_CARDS):
        decks = [category for category in CATEGORIES if play.table.decks[category]]
        if decks:
            wished = wish[count] if count < len(wish) and wish[count] in decks else None
            drawn.append(play.table.decks[wished or play.dice.pick(decks, "deck", *key, count)].pop(0))
    return drawn


def answering(play: Play) -> None:
    """The answers of a sheet to all that is asked, else the first drawn (ruling 26)."""
    questions, listed = play.state.questions, play.liking
    said = _said(play, questions)
    if said:
        play.liking = said if play.state.edition == 1 else (*said, *listed)
    play.questions = []
    for question in questions:
        take(play, question, answer_to(question, said, listed, play.state.edition))


def answer_to(question: Question, said: Sequence[str], listed: Sequence[str], edition: int) -> tuple[str, ...]:
    """What is kept by an answer, else by the standing list, else by default."""
    by_standing = by_list(question, listed, edition) if edition > 2 else None
    return preferred(question, said, edition) or by_standing or default_answer(question)


def _said(play: Play, questions: Sequence[Question]) -> tuple[str, ...]:
    """The first KEEP of the sheet that answers any question; it is the liking for what hangs on the answer, too."""
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


def _answers(play: Play, question: Question, words: Sequence[str]) -> bool:
    """Return whether a list tells what is kept of the choices, or of the card held already in place of one of them."""
    if preferred(question, words, play.state.edition):
        return True
    rivals = (_rival(play, question, card) for card in question.choices)
    return play.state.edition > 3 and any(rival in words for rival in rivals if rival)


def not_offered(questions: Sequence[Question]) -> FieldError:
    """What to say of a KEEP that answers none of the questions."""
    offered = ", and one of ".join(", ".join(question.choices) for question in questions)
    if questions[0].kind == "bubbles":
        return FieldError("not-offered", "two of the three bubbles are kept", f"drawn: {offered}")
    if len(questions) > 1:
        return FieldError("not-offered", "none of these cards is offered", f"KEEP takes one of {offered}")
    return FieldError("not-offered", "none of these cards is offered", "KEEP " + " or ".join(questions[0].choices))


def preferred(question: Question, liking: Sequence[str], edition: int) -> tuple[str, ...] | None:
    """The answer to a question by a list of what is liked, best first; None if the list does not tell.

    Two colours are the two bubbles to keep; any other number of them is a
    ranking, of which the best may be kept twice.
    """
    if edition > 3 and sum(word in COLOURS for word in liking) != KEPT_BUBBLES and (best := ranked(question, liking)):
        return best
    wanted, left = (KEPT_BUBBLES if question.kind == "bubbles" else 1), list(question.choices)
    answer: list[str] = []
    for word in liking:
        if word in left and len(answer) < wanted:
            left.remove(word)
            answer.append(word)
    return tuple(answer) if len(answer) == wanted else None


def ranked(question: Question, liking: Sequence[str]) -> tuple[str, ...] | None:
    """The bubbles kept by a list that names each colour drawn once, best first; None if it is no such list."""
    if question.kind != "bubbles" or any(liking.count(colour) != 1 for colour in question.choices):
        return None
    return tuple(sorted(question.choices, key=liking.index)[:KEPT_BUBBLES])


def default_answer(question: Question) -> tuple[str, ...]:
    """The first drawn; of a held and a new card the new one."""
    if question.kind == "bubbles":
        return question.choices[:KEPT_BUBBLES]
    return question.choices[-1:] if question.kind == "replace" else question.choices[:1]


def take(play: Play, question: Question, what: Sequence[str]) -> None:
    """An answer takes effect; it may bring the question which card of a full category to keep."""
    left = list(question.choices)
    for word in what:
        left.remove(word)
    held = _rival(play, question, what[0])
    if question.kind == "bubbles":
        play.table.gain(question.seat, *what)
        play.table.bag += left
    else:
        _take_card(play, question, what[0], left)
    if not held:
        play.tell("kept", who=question.seat, what=list(what), returned=left)
    else:
        play.tell("chosen", who=question.seat, card=what[0], returned=left, held=held)
        ask(play, "replace", (held, what[0]))


def _rival(play: Play, question: Question, card: str) -> str:
    """The card held already in the category of one just drawn; the empty text where there is none."""
    if question.kind != "card":
        return ""
    cards = play.table.players[question.seat].cards
    return next((held for held in cards if category_of(held) == category_of(card) and held != card), "")


def _take_card(play: Play, question: Question, card: str, left: list[str]) -> None:
    """A card joins the player's; the others go below their decks, one of a full category when it has been chosen."""
    if question.kind == "replace":
        lose_card(play, question.seat, left[0])
    else:
        for other in left:
            play.table.decks[category_of(other)].append(other)
    if question.kind == "replace" or not _rival(play, question, card):
        hold_card(play, question.seat, card)


def hold_card(play: Play, seat: SeatName, card: str) -> None:
    """A card lies before its player, by category."""
    cards = {*play.table.players[seat].cards, card}
    play.table.change(seat, cards=tuple(sorted(cards, key=lambda held: CATEGORIES.index(category_of(held)))))


def lose_card(play: Play, seat: SeatName, card: str) -> None:
    """A card goes below its deck."""
    cards = tuple(held for held in play.table.players[seat].cards if held != card)
    play.table.change(seat, cards=cards)
    play.table.decks[category_of(card)].append(card)


def withdraw_question(play: Play) -> None:
    """Questions whose player has left: what they were about goes back, but for a held card, which has gone already."""
    play.questions, play.pending = [], 0
    for question in play.state.questions:
        if question.kind == "bubbles":
            play.table.bag += question.choices
            continue
        for card in question.choices[1:] if question.kind == "replace" else question.choices:
            play.table.decks[category_of(card)].append(card)


def return_all(play: Play, seat: SeatName) -> None:
    """What lies before a player who leaves goes back: bubbles to the bag, cards below their decks."""
    player = play.table.players[seat]
    for card in (*player.cards, *player.offer):
        play.table.decks[category_of(card)].append(card)
    play.table.bag += player.hand
    play.table.bag = list(in_order(play.table.bag))
    play.lists.pop(seat, None)
    play.table.change(seat, hand=(), cards=(), offer=(), at=None, blocked="", out=True)
