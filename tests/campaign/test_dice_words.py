"""The dice come from the sealed seed and the players' words: no one person has chosen them."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from sqlalchemy import update

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.archive.record import disclose_dice_words, drawn_word, mixed_seed, rehearsal_seed
from pbem.campaign.history import set_dice_word
from pbem.errors import CampaignError
from pbem.report.facts import DiceWord
from pbem.store.models import Campaign, Seat
from tests.actions.history import begin, live_turns, play, proof, snapshot
from tests.inbox.people import form
from tests.toy.home import ADDRESSES, Desk


def made(desk: Desk, name: str, **words: str) -> bytes:
    """Create and start a campaign with a fixed seed, with dice words of seats; return its first state."""
    seats = [(seat, ADDRESSES[seat]) for seat in ("red", "blue")]
    wanted = NewCampaign(
        name=name, game="toy", gm="gm@example.org", seats=seats, deadline="DAILY 20:00 UTC", options={}
    )
    create_campaign(desk.app, wanted, desk.now, seed=b"tried until it suited")
    with desk.app.store.writing() as session:
        for seat, word in words.items():
            session.execute(update(Seat).where(Seat.name == seat).values(dice_word=word))
    run_action(desk.app, name, StartCampaign(), desk.now)
    return live_turns(desk)[-1].state


def test_a_seed_that_suited_its_maker_is_not_what_is_rolled(desk: Desk) -> None:
    """With one seed, each word added after the seal makes other dice: trying out seeds is useless."""
    purses = {made(desk, f"toy{number}", blue=f"word {number}") for number in range(8)}

    assert len(purses) > 1


def test_words_count_whoever_says_them(desk: Desk) -> None:
    """The same word of another seat makes other dice, and so do two words divided otherwise."""
    seeds = {
        mixed_seed(b"seed", [DiceWord("red", a, own=True), DiceWord("blue", b, own=True)])
        for a, b in (("x", "y"), ("y", "x"), ("x y", ""), ("", "x y"), ("xy", ""))
    }

    assert len(seeds) == 5


def test_the_formula_is_the_one_that_is_written_down() -> None:
    """The documented formula, computed with the standard library, gives the dice seed."""
    message = b'pbem dice words\0[["red","swordfish"],["blue","\xc3\xa4"]]'
    words = [DiceWord("red", "swordfish", own=True), DiceWord("blue", "ä", own=False)]

    assert mixed_seed(b"seed", words) == hmac.new(b"seed", message, hashlib.sha256).digest()


def test_a_drawn_word_follows_from_the_seed(desk: Desk) -> None:
    """A drawn word cannot be drawn again until it suits, and it is independent of the dice."""
    assert drawn_word(b"seed", "red") == drawn_word(b"seed", "red") != drawn_word(b"seed", "blue")
    assert drawn_word(b"seed", "red") != drawn_word(b"other", "red")
    assert len({b"seed", rehearsal_seed(b"seed"), mixed_seed(b"seed", [DiceWord("red", "", own=False)])}) == 3


def test_campaigns_without_words_keep_their_dice(desk: Desk) -> None:
    """A campaign started before there were dice words rolls with its seed alone."""
    begin(desk)
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).values(dice_words=[]))

    assert snapshot(desk).dice_seed == snapshot(desk).seed == b"a seed for tests"


@pytest.mark.parametrize("words", [[], ["x" * 41], ["bell\u0007"], ["right\u202eleft"], ["two\nlines"]])
def test_a_word_is_short_and_printable(desk: Desk, words: list[str]) -> None:
    """A dice word fits on one line of a report, and has no control characters."""
    form(desk, "red", "blue")
    there = snapshot(desk)

    with desk.app.store.writing() as session, pytest.raises(CampaignError, match="at most 40 characters"):
        set_dice_word(session, there, there.places[0], words, desk.now)


def test_words_are_fixed_at_the_start(desk: Desk) -> None:
    """Later changes of seats leave the archive as it was, and it still proves itself."""
    begin(desk)
    fixed = snapshot(desk).words
    with desk.app.store.writing() as session:
        session.execute(update(Seat).values(dice_word="later"))
    play(desk, {"red": "BID 2", "blue": "BID 2"})

    assert snapshot(desk).words == fixed
    assert proof(desk).turns == 1


def test_a_large_table_gets_a_digest() -> None:
    """In a game of many seats each is told its own word and the digest of all, since the list would be too long."""
    words = [DiceWord(f"seat{number}", "x", own=False) for number in range(61)]
    told, few = disclose_dice_words(words)["seat7"], disclose_dice_words(words[:60])["seat7"]

    assert ([each.seat for each in told.words], told.seats, told.complete) == (["seat7"], 61, False)
    assert (len(few.words), few.complete) == (60, True)
