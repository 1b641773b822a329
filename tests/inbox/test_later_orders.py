"""Orders for later turns: what a sheet has below a line such as TURN 3."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from pbem.actions.base import CLI, run_action, run_query
from pbem.actions.open_turn import EnterSheet
from pbem.actions.rollback import RollBack
from pbem.actions.seats import GiveSeat
from pbem.actions.sheets import KeepOrders, ShowSheets
from pbem.actions.undo import UndoChange
from pbem.campaign.later_orders import split_parts
from pbem.errors import CampaignError
from pbem.store.models import JournalEntry, LaterSheet, OrderSheet, Seat
from pbem.store.types import Author
from tests.inbox.letters import GAMES, view_of
from tests.toy.home import Desk, text_of

WEEK = 24 * 7


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def send(desk: Desk, text: str) -> str:
    """Reply to red's newest report, and return the text of the answer."""
    report = next(mail for mail in reversed(desk.mails("ann@example.org")) if ", due " in mail["Subject"])
    desk.reply(report, text)
    desk.answer()
    return " ".join(text_of(desk.last()).split())


def kept(desk: Desk) -> dict[int, str]:
    """Return what is kept and was not used yet, by turn."""
    with desk.app.store.reading() as session:
        rows = session.scalars(select(LaterSheet).where(LaterSheet.used.is_(None)).order_by(LaterSheet.turn))
        return {row.turn: row.text for row in rows}


def sheets(desk: Desk) -> list[tuple[str, bool, bool]]:
    """Return the text of each sheet, whether it is accepted, and whether it waits."""
    with desk.app.store.reading() as session:
        rows = session.scalars(select(OrderSheet).order_by(OrderSheet.id)).all()
        return [(row.text.strip(), row.accepted, row.wait) for row in rows]


def told(desk: Desk) -> str:
    """Return subject and text of the newest mail on kept orders."""
    mails = [mail for mail in desk.mails("ann@example.org") if "your orders for" in mail["Subject"]]
    return " ".join(f"{mails[-1]['Subject']} {text_of(mails[-1])}".split())


@pytest.mark.parametrize(
    "line",
    [
        "TURN 3",
        "turn 3:",
        "Turn #3",
        "TURN no. 3",
        "turn three",
        "TURNS 3",
        "Orders for turn 3:",
        "My orders for the turn 3",
        "*TURN 3*",
        "--- Turn 3 ---",
        "=== TURN 3 ===",
        "[Turn 3]",
        "ROUND 3",
        "Round #3:",
        "My orders for round 3",
    ],
)
def test_a_line_names_the_turn_of_those_below_it(desk: Desk, line: str) -> None:
    """The lines below are kept for that turn, and those above are the sheet of the open one."""
    said = send(desk, f"BID 1\n{line}\nBID 4\nWHISPER blue hello\n\nThanks, Ann")

    assert sheets(desk) == [("BID 1", True, False)]
    assert kept(desk) == {3: "BID 4\nWHISPER blue hello"}
    assert 'Orders for round 3: Kept, 2 lines: "BID 4", "WHISPER blue hello".' in said


LABELS = {
    "harvester": ("turn 2", "turn"),
    "singularity": ("move 2", "move"),
    "bubble_singularity": ("round 2, red moving", "round"),
    "singularity_trap": ("turn 2, combat round 1", "turn"),
    "dueling_masters": ("move 2", "move"),
    "gm_adjudicated": ("round 2", "round"),
}
"""Names of turns in the reports of the games, and the word that each has for a turn."""


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("word", ["turn", "round", "move"])
def test_a_turn_is_named_by_the_word_of_the_games_reports(key: str, word: str) -> None:
    """Beside TURN each game has its own word; that of another game stays a line of the sheet, and may be an order."""
    label, own = LABELS[key]
    for line, below in ((f"{word.upper()} 4", ["x"]), (f"{word} 4: x", ["x"]), (f"{word} 2", [])):
        view = {**view_of(key), "label": label}
        present, parts = split_parts(GAMES[key], view, ((1, line), (2, "x")))
        if word in ("turn", own):
            assert [part.name for part in parts] == ([f"{own} 4"] if below else [])
            assert [text for _, text in present] == ([] if below else ["x"])
        else:
            assert (present, parts) == (((1, line), (2, "x")), ())


@pytest.mark.parametrize(
    "line", ["MOVE 3 e4", "MOVE 3 -1,2", "MOVE 3 - e4", "MOVE 3,4", "MOVE 3E", "next move", "MOVE"]
)
def test_an_order_of_moving_names_no_turn(line: str) -> None:
    """In a game of moves too only the number alone, or with a colon behind it, is taken for a turn."""
    view = {**view_of("singularity"), "label": "move 2"}

    assert split_parts(GAMES["singularity"], view, ((1, line),)) == (((1, line),), ())


def test_wait_below_another_games_word_counts(desk: Desk) -> None:
    """MOVE 3 names no turn in a game of rounds: it is refused as an order, and WAIT below it is for the open one."""
    send(desk, "BID 1\nMOVE 3\nWAIT")
    assert [(accepted, wait) for _, accepted, wait in sheets(desk)] == [(True, True)]
    assert kept(desk) == {}

    send(desk, "BID 1\nROUND 3\nBID 4\nWAIT")
    assert [(accepted, wait) for _, accepted, wait in sheets(desk)][1:] == [(True, False)]
    assert kept(desk) == {3: "BID 4\nWAIT"}


def test_the_word_of_the_game_withdraws_too(desk: Desk) -> None:
    """ROUND 3 NONE is TURN 3 NONE, and a round that is over is refused."""
    send(desk, "ROUND 3: BID 4")
    assert kept(desk) == {3: "BID 4"}
    send(desk, "ROUND 3 NONE")
    assert kept(desk) == {}
    assert "round 0 is over: round 1 is open" in send(desk, "ROUND 0\nBID 4")


@pytest.mark.parametrize("line", ["NEXT TURN", "next turn:", "For the next turn", "following turn"])
def test_next_turn_is_the_one_after_the_open_one(desk: Desk, line: str) -> None:
    """NEXT TURN needs no number; without orders for the open turn its sheet stays as it is."""
    send(desk, "BID 1")
    send(desk, f"{line}\nBID 2")

    assert sheets(desk) == [("BID 1", True, False)]
    assert kept(desk) == {2: "NEXT TURN\nBID 2"}
    assert desk.last()["Subject"].startswith("[toy1] Done: Orders for the next turn")


def test_one_of_two_for_the_same_turn_counts(desk: Desk) -> None:
    """Of NEXT TURN and a number that come to mean one turn the number counts, and the other is mailed back."""
    send(desk, "NEXT TURN\nBID 2")
    with desk.app.store.writing() as session:
        row = session.scalars(select(LaterSheet)).one()
        session.add(LaterSheet(seat_id=row.seat_id, turn=1, text="NEXT TURN\nBID 5", author=row.author, at=row.at))
    send(desk, "TURN 2\nBID 3")
    desk.tick(hours=WEEK)
    back = [" ".join(text_of(mail).split()) for mail in desk.mails("ann@example.org") if "not given" in mail["Subject"]]

    assert [text for text, *_ in sheets(desk)] == ["BID 3"]
    assert len(back) == 1
    assert "was not given: you had kept others for this turn." in back[0]
    assert "BID 5" in back[0]
    assert kept(desk) == {}


def test_a_turn_that_was_skipped_is_told(desk: Desk) -> None:
    """Orders for a turn that never asked for any are mailed back at the next report, and never given."""
    send(desk, "TURN 2\nBID 2")
    with desk.app.store.writing() as session:
        session.scalars(select(LaterSheet)).one().turn = 1
    desk.tick(hours=WEEK)

    assert sheets(desk) == []
    assert "no orders were asked of you in it" in text_of(next(m for m in desk.mails() if "not given" in m["Subject"]))


def test_they_become_the_sheet_of_their_turn(desk: Desk) -> None:
    """When the turn opens they are read against its report, mailed back with it, and count until replaced."""
    send(desk, "TURN 2\nBID 4\nWHISPER blue hello\nWHISPER pink hello\nBID 5")
    desk.tick(hours=WEEK)
    said = told(desk)

    assert "your orders for round 2: 3 of 4 still possible" in said
    assert "They were written on Mon 2 Nov, 10:00 CET for this turn." in said
    assert "WHISPER pink hello Pink is not another seat." in said
    assert [each[1:] for each in sheets(desk)] == [(True, True)]
    assert kept(desk) == {}

    assert "dropped BID 4; WHISPER blue hello; BID 5" in send(desk, "BID 3")


def test_what_is_not_possible_any_more_is_told(desk: Desk) -> None:
    """Without one possible order nothing counts, and the mail says so."""
    send(desk, "TURN 2\nBID 400 400")
    send(desk, "TURN 2\nWHISPER pink hello")
    desk.tick(hours=WEEK)

    assert "0 of 1 still possible" in told(desk)
    assert "None of them counts." in told(desk)
    assert sheets(desk) == [("WHISPER pink hello", False, True)]


def test_a_line_that_is_no_order_in_any_turn_is_told_at_once(desk: Desk) -> None:
    """It is not kept, with the nearest valid line; what the report of then decides is not looked at."""
    said = send(desk, "TURN 3\nBIDD 4\nWHISPER pink hello\nBID")

    assert 'Not kept: "BIDD 4". There is no order BIDD. Perhaps: BID 4.' in said
    assert kept(desk) == {3: "WHISPER pink hello"}
    assert desk.last()["Subject"].startswith("[toy1] Not done: Orders for round 3")


def test_slips_are_told_in_the_subject_of_a_receipt(desk: Desk) -> None:
    """A receipt whose part for a later turn has a slip does not say that there is nothing to do."""
    said = send(desk, "BID 1\nTURN 3\nBIDD 4\nBID 3")

    assert "orders for round 3 NOT kept whole" in desk.last()["Subject"]
    assert "Nothing else to do" not in said


def test_a_turn_that_cannot_be_meant_is_told_as_it_was_typed(desk: Desk) -> None:
    """The subject has the line of a part that is refused as it stands in the mail."""
    send(desk, "BID 1\nTURN 0\nBID 3")

    assert "TURN 0 NOT kept whole" in desk.last()["Subject"]


def test_a_newer_part_replaces_the_older_one(desk: Desk) -> None:
    """A part stands for its turn as a whole, ADD adds to it, and nothing below its line or NONE withdraws it."""
    send(desk, "TURN 3\nBID 4")
    replaced = send(desk, "TURN 3\nBID 5")
    added = send(desk, "TURN 3\nADD\nWHISPER blue hello")
    assert kept(desk) == {3: "BID 5\nWHISPER blue hello"}
    none = send(desk, "TURN 3 NONE")
    send(desk, "TURN 4\nBID 1")
    empty = send(desk, "TURN 4\n\nTURN 5")

    assert 'They replace what was kept for it: "BID 4".' in replaced
    assert 'Kept, 2 lines: "BID 5", "WHISPER blue hello".' in added
    assert 'What was kept for round 3 is withdrawn: "BID 5", "WHISPER blue hello".' in none
    assert 'What was kept for round 4 is withdrawn: "BID 1".' in empty
    assert "Nothing is kept for round 5." in empty
    assert kept(desk) == {}


def test_only_slips_replace_nothing(desk: Desk) -> None:
    """A part without one line that can be an order leaves what was kept."""
    send(desk, "TURN 3\nBID 4")
    said = send(desk, "TURN 3\nBIDD 5")

    assert 'What was kept for round 3 before stays: "BID 4".' in said
    assert kept(desk) == {3: "BID 4"}


def test_the_open_turn_may_be_named(desk: Desk) -> None:
    """The lines below the number of the open turn are its sheet, WAIT among them."""
    send(desk, "TURN 1\nBID 3\nWAIT")
    send(desk, "TURN 1: BID 2")

    assert [each[1:] for each in sheets(desk)] == [(True, True), (True, False)]
    assert kept(desk) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("TURN 0\nBID 7", 'round 0 is over: round 1 is open. Neither kept nor given: "BID 7".'),
        ("TURN 22\nBID 7", 'orders are kept for 20 turns ahead: up to TURN 21. Neither kept nor given: "BID 7".'),
        ("TURN 999999999999\nBID 7", "orders are kept for 20 turns ahead"),
        ("TURN\nBID 7", "it is not clear which turn is meant: write TURN 2, or NEXT TURN"),
        ("; TURN 2\nBID 7", "what stands behind ; is a remark: take the ; away to keep them"),
        ("TURN 2 NONE\nBID 7", "it says that nothing is to be kept, and has lines below it"),
        ("TURN 2: BID 4\nBID 7", "it is not clear whether the lines below it are for round 2"),
        ("TURN 2 BID 4\nBID 7", "it is not clear whether the lines below it are for round 2"),
        ("TURN 2\nNO ORDERS", "NO ORDERS is said when round 2 is open"),
        ("TURN 2\nNone.\nBID 7", "it says that nothing is to be kept, and has lines below it. Neither kept nor given"),
        ("TURN 2, 3\nBID 7", "it is not clear whether the lines below it are for round 2"),
        ("TURNS 2 AND 3\nBID 7", "it is not clear whether the lines below it are for round 2"),
    ],
)
def test_what_is_not_clear_is_neither_kept_nor_given(desk: Desk, text: str, said: str) -> None:
    """Lines below a turn that cannot be meant are told, and count for no turn."""
    answer = send(desk, text)

    assert said in answer
    assert kept(desk) == {}
    assert sheets(desk) == []


def test_a_turn_on_each_line(desk: Desk) -> None:
    """Lines that name the turn themselves add up, if nothing stands between them."""
    send(desk, "BID 1\nTURN 2: BID 4\nTURN 2: WHISPER blue hello\nTurn 3 - BID 5\nThanks, Ann")

    assert kept(desk) == {2: "BID 4\nWHISPER blue hello", 3: "BID 5"}
    assert sheets(desk) == [("BID 1", True, False)]


def test_endturn_goes_back_to_the_open_turn(desk: Desk) -> None:
    """As in Atlantis, ENDTURN ends the part, and what stands below it is for the open turn."""
    send(desk, "TURN 2\nBID 4\nENDTURN\nBID 1")

    assert kept(desk) == {2: "BID 4"}
    assert sheets(desk) == [("BID 1", True, False)]


def test_a_turn_twice_in_one_sheet(desk: Desk) -> None:
    """The last part for a turn counts, and the lines of the others are told."""
    said = send(desk, "TURN 2\nBID 4\nTURN 3\nBID 5\nTURN 2\nBID 6")

    assert kept(desk) == {2: "BID 6", 3: "BID 5"}
    assert 'It stands more than once in your mail: the last counts, and not "BID 4".' in said


def test_wait_below_a_turn_is_for_that_turn(desk: Desk) -> None:
    """WAIT or FINAL below a turn says nothing of the open one."""
    send(desk, "BID 1\nTURN 2\nBID 4\nWAIT")
    desk.tick(hours=WEEK)

    assert [each[1:] for each in sheets(desk)] == [(True, False), (True, True)]
    assert "You said WAIT" in told(desk)


def test_a_framed_sheet_has_parts_too(desk: Desk) -> None:
    """Between ORDERS and END the same holds."""
    send(desk, "ORDERS toy1 red\nBID 1\nTURN 2\nBID 4\nEND")

    assert kept(desk) == {2: "BID 4"}
    assert [each[1:] for each in sheets(desk)] == [(True, False)]
    assert "BID 4" not in sheets(desk)[0][0]


def test_orders_above_a_sheet_have_parts_too(desk: Desk) -> None:
    """Orders above a sheet that may be an older one are read in parts as well."""
    send(desk, "BID 2\nTURN 2\nBID 4\n\nORDERS toy1 red\nBID 1\nEND")

    assert kept(desk) == {2: "BID 4"}
    assert [text for text, *_ in sheets(desk)] == ["ORDERS toy1 red\nBID 2\nEND"]


def test_thousands_of_turns(desk: Desk) -> None:
    """A sheet of thousands of lines with turns is answered like another, and keeps what can be kept."""
    said = send(desk, "\n".join(f"TURN {number % 3000}\nBID {number}" for number in range(6000)))

    assert set(kept(desk)) <= set(range(2, 22))
    assert len(said) < 40_000


def test_a_very_long_part(desk: Desk) -> None:
    """More lines than are kept for a turn are refused as a whole."""
    said = send(desk, "TURN 2\n" + "BID 1\n" * 1_500)

    assert "it has 1500 lines, and at most 1000 are kept" in said
    assert kept(desk) == {}


def test_status_and_the_gm_see_what_is_kept(desk: Desk) -> None:
    """A player sees their own in STATUS, and a GM in SHEETS, as any sheet."""
    send(desk, "TURN 3\nBID 4")
    told_red = send(desk, "STATUS")
    gm = "\n".join(desk_sheets(desk))

    assert 'Kept for round 3, 1 line, Mon 2 Nov 2026 10:00 Europe/Berlin (09:00 UTC): "BID 4".' in told_red
    assert "Kept for round 3, 1 line" in gm


def desk_sheets(desk: Desk) -> list[str]:
    """Return the lines of a GM's SHEETS."""
    facts = run_query(desk.app, "toy1", ShowSheets(), desk.now)
    return list(ShowSheets().render(facts, CLI))


def test_a_gm_enters_them_and_takes_them_back(desk: Desk) -> None:
    """The GM keeps orders for a player, who is told; UNDO brings back what was kept before."""
    send(desk, "TURN 3\nBID 4")
    run_action(desk.app, "toy1", KeepOrders("red", ((1, "TURN 3"), (2, "BID 5"))), desk.now)
    desk.tick()
    assert kept(desk) == {3: "BID 5"}
    assert "Your GM has entered orders for later turns of red" in desk.last()["Subject"]
    run_action(desk.app, "toy1", UndoChange(), desk.now)

    assert kept(desk) == {3: "BID 4"}


def test_a_gm_enters_one_or_the_other(desk: Desk) -> None:
    """A sheet by hand is for the open turn, or for later ones."""
    with pytest.raises(CampaignError, match="enter it by itself"):
        run_action(desk.app, "toy1", EnterSheet("red", ((1, "BID 1"), (2, "TURN 3"), (3, "BID 5"))), desk.now)
    with pytest.raises(CampaignError, match="enter them in a sheet of their own"):
        run_action(desk.app, "toy1", KeepOrders("red", ((1, "TURN 1"), (2, "BID 5"))), desk.now)
    with pytest.raises(CampaignError, match=r"\Ait says that nothing is to be kept"):
        run_action(desk.app, "toy1", KeepOrders("red", ((1, "TURN 3 NONE"), (2, "BID 5"))), desk.now)

    assert kept(desk) == {}


def test_after_a_rollback_they_are_used_again(desk: Desk) -> None:
    """A turn that opens anew has the orders that were kept for it, also where they were used before."""
    send(desk, "TURN 2\nBID 4")
    desk.tick(hours=WEEK)
    run_action(desk.app, "toy1", RollBack(1), desk.now)
    desk.tick(hours=WEEK)

    assert [text for text, *_ in sheets(desk)] == ["BID 4", "BID 4"]


def test_what_a_rollback_brings_back_is_kept(desk: Desk) -> None:
    """Orders that were used for a turn which a rollback takes back are told in STATUS, and ADD adds to them."""
    send(desk, "TURN 2\nBID 4")
    desk.tick(hours=WEEK)
    run_action(desk.app, "toy1", RollBack(1), desk.now)
    desk.tick()

    assert 'Kept for round 2, 1 line, Mon 2 Nov 2026 10:00 Europe/Berlin (09:00 UTC): "BID 4".' in send(desk, "STATUS")
    assert 'Kept, 2 lines: "BID 4", "WHISPER blue hello".' in send(desk, "TURN 2\nADD\nWHISPER blue hello")


def test_next_turn_is_not_an_earlier_one_after_a_rollback(desk: Desk) -> None:
    """Orders that were kept for the turn after a later one are not used for a turn before that."""
    desk.tick(hours=WEEK)
    send(desk, "NEXT TURN\nBID 4")
    desk.tick(hours=WEEK)
    run_action(desk.app, "toy1", RollBack(1), desk.now)
    desk.tick(hours=WEEK)
    assert len(sheets(desk)) == 1
    desk.tick(hours=WEEK)

    assert [text for text, *_ in sheets(desk)] == ["BID 4", "BID 4"]


def test_words_that_begin_with_next_turn(desk: Desk) -> None:
    """A part for a turn with a number stays for it, whatever its first line begins with."""
    with desk.app.store.writing() as session:
        seat = session.scalars(select(Seat)).first()
        assert seat is not None
        text = "NEXT TURN I bid"
        session.add(LaterSheet(seat_id=seat.id, turn=3, text=text, author=Author.PLAYER, at=desk.now))
    desk.tick(hours=WEEK)

    assert kept(desk) == {3: "NEXT TURN I bid"}


def test_they_go_with_their_player(desk: Desk) -> None:
    """A seat that is taken over has nothing of what its former player had kept."""
    send(desk, "TURN 2\nBID 4")
    run_action(desk.app, "toy1", GiveSeat("red", "eve@example.org"), desk.now)

    assert kept(desk) == {}


def test_the_journal_tells_the_gm_alone(desk: Desk) -> None:
    """The journal has the use of kept orders as an entry that players may not read."""
    send(desk, "TURN 2\nBID 4")
    desk.tick(hours=WEEK)
    with desk.app.store.reading() as session:
        entries = select(JournalEntry.secret).where(JournalEntry.text.contains("had kept for turn 2"))
        authors = session.scalars(select(OrderSheet.author)).all()

        assert session.scalars(entries).all() == [True]
        assert authors == [Author.PLAYER]
