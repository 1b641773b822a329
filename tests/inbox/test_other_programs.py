"""Lines as players of other programs write them: none is lost, and what is not certain is no order."""

from __future__ import annotations

import pytest

from tests.inbox.letters import FREE, GAMES, good_orders, new_order, receive

PLAYED = [key for key in GAMES if key != FREE]


def taken(key: str, *lines: str) -> list[str]:
    """Return the lines of which orders came."""
    return [order.source for order in receive(key, lines).reading.restated]


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("end", ["#end", "#END", "# end"])
def test_orders_below_the_end_of_a_template_are_told(key: str, end: str) -> None:
    """A line #end with orders below it is an error, so that the turn waits; without any it is a remark."""
    orders = good_orders(key)

    above, below = receive(key, [*orders, end]), receive(key, [end, *orders])

    assert above.reading.parsed.errors == ()
    assert [error.code for error in below.reading.parsed.errors] == ["below-end"]
    assert below.wrong == [end]


@pytest.mark.parametrize("line", ["MOVE S2[17] W", "MOVE S2 [2] W", "S2[2] W", "MOVE S2[17] W ; [3]"])
def test_a_number_in_brackets_is_no_number_of_steps(line: str) -> None:
    """The number of a unit in brackets makes no order; the line without it is offered."""
    (error,) = receive("harvester", [line]).reading.parsed.errors

    assert taken("harvester", line) == []
    assert "has no meaning here" in error.text
    assert error.corrected.endswith("S2 W")


@pytest.mark.parametrize("line", ["C1 C C2 - W", "L1 L L2 - W", "MOVE C1 C C2 W"])
def test_a_convoy_moves_nobody(line: str) -> None:
    """A convoy of Diplomacy is refused."""
    assert taken("harvester", line) == []
    assert receive("harvester", [line]).wrong == [line]


@pytest.mark.parametrize("line", ["C1 C2 - W", "C1, C C2 - W", "scouts C1 C2 W"])
def test_units_named_together_move(line: str) -> None:
    """Units that are named one after the other all move."""
    assert len(receive("harvester", [line]).reading.parsed.entries) == 2


@pytest.mark.parametrize(("lines", "counts"), [(("WAIT", "FINAL"), "FINAL"), (("Final", "wait please"), "WAIT")])
@pytest.mark.parametrize("key", GAMES)
def test_of_wait_and_final_the_last_counts(key: str, lines: tuple[str, str], counts: str) -> None:
    """A sheet with both words has a note on which of them counts."""
    orders = good_orders(key)

    both, one = receive(key, [*orders, *lines]), receive(key, [*orders, lines[1]])

    assert f"Your sheet says WAIT and FINAL: the last of them counts, {counts}." in both.notes
    assert both.sheet.wait is (counts == "WAIT")
    assert not any("counts" in note for note in one.notes)


@pytest.mark.parametrize("head", ["press to seat2", "PRESS TO seat2, seat3:", "Press to all", "broadcast"])
@pytest.mark.parametrize("end", ["endpress", "END PRESS", "endbroadcast", "signoff"])
def test_a_letter_among_free_words_is_no_order(head: str, end: str) -> None:
    """A letter that stands among orders for the GM is refused as a whole, and the orders around it count."""
    lines = ["The fleet sails to Corinth", head, "Trust me this once", end, "The envoy rides to Argos"]

    received = receive(FREE, lines)

    assert taken(FREE, *lines) == [lines[0], lines[4]]
    (error,) = received.reading.parsed.errors
    assert received.wrong == [head]
    assert '"Trust me this once"' in error.text


def test_a_letter_without_an_end_is_refused_at_its_first_line() -> None:
    """Nobody can say where a letter without an end ends: its first line alone is refused, and the error says so."""
    lines = ["press to seat2", "The fleet sails to Corinth"]

    (error,) = receive(FREE, lines).reading.parsed.errors

    assert taken(FREE, *lines) == lines[1:]
    assert "what stands below it was read" in error.text


@pytest.mark.parametrize("line", ["Press to the south with all men", "Broadcast the news of victory in Corinth"])
def test_words_that_begin_like_a_letter_are_orders(line: str) -> None:
    """A sentence in which no seat is named is an order."""
    assert taken(FREE, line) == [line]


@pytest.mark.parametrize("lines", [("#1 march to Rome", "#2 hold the pass"), ("# march to Rome",)])
def test_lines_with_a_number_sign_are_told(lines: tuple[str, ...]) -> None:
    """Lines of free words behind # are named as left out."""
    received = receive(FREE, [*lines, "The envoy rides to Argos"])

    assert all(received.accounts_for(line) for line in lines)


@pytest.mark.parametrize("form", ["#1 {}", "#2: {}", "WAIT; {}", "FINAL ; {}", "Final # {}"])
@pytest.mark.parametrize("key", GAMES)
def test_an_order_behind_a_number_or_a_word_for_this_program_is_told(key: str, form: str) -> None:
    """An order behind #1, or behind WAIT and the sign of a remark, is named as left out."""
    order = new_order(key)

    received = receive(key, [form.format(order)])

    assert taken(key, form.format(order)) == []
    assert received.reading.left_out
    assert any(order in note for note in received.notes)


@pytest.mark.parametrize("end", [", WAIT", ", wait please.", ". Final."])
@pytest.mark.parametrize("key", PLAYED)
def test_a_word_for_this_program_on_the_line_of_an_order_is_refused(key: str, end: str) -> None:
    """WAIT behind a comma is no part of an order, and is not passed over."""
    first, *_ = good_orders(key)

    (error,) = receive(key, [f"{first}{end}"]).reading.parsed.errors

    assert error.text == "WAIT and FINAL count on a line of their own"


@pytest.mark.parametrize("lines", [("# MOVE L1 NE",), ("MOVE S1 NE;NE",), ("MOVE S1 NE; move L1 NE next turn",)])
def test_a_receipt_does_not_say_that_all_is_done_where_a_remark_reads_as_an_order(lines: tuple[str, ...]) -> None:
    """The headline gives way to what was left out."""
    assert receive("harvester", ["MOVE S2 NE", *lines]).reading.left_out
    assert not receive("harvester", ["MOVE S2 NE ; to the hill", "# good luck"]).reading.left_out


@pytest.mark.parametrize("mark", ["#", "//", "%"])
@pytest.mark.parametrize("key", PLAYED)
def test_orders_on_one_line_are_told(key: str, mark: str) -> None:
    """Of two orders parted by the sign of a remark the second is an error."""
    first, other, *_ = ("PLACE E5", "PLACE F5") if key == "singularity" else good_orders(key)

    (error,) = receive(key, [f"{first} {mark} {other}"]).reading.parsed.errors

    assert other in error.text
