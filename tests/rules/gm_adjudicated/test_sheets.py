"""Tests of sheets in free words: nearly everything is accepted, and the receipt says how it was read."""

from __future__ import annotations

import pytest

from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.orders import LONGEST_LINE, MOST_LINES
from tests.rules.gm_adjudicated.table import VERBS, codes, new_game, read, ruled, texts, turn, view


def test_words_are_taken_as_they_are() -> None:
    """Commas, quotes, semicolons and signs within a line reach the GM unchanged."""
    line = 'Tell the abbot: "wait, friend"; then burn #3 & leave'

    assert texts(read(new_game(), line)) == [line]


def test_remarks_and_empty_lines_are_no_orders() -> None:
    """A line that begins with a semicolon or # is the player's own remark."""
    parsed = read(new_game(), "; think again", "# so", "", "   ", "Wait")

    assert texts(parsed) == ["Wait"]
    assert parsed.findings == ()


def test_what_a_terminal_would_obey_is_taken_out() -> None:
    """Control characters, zero-width signs and line breaks within a line are removed."""
    assert texts(read(new_game(), "Go\x1b[2J\x07 to\u200b Rome\u2028now\t!")) == ["Go[2J to Rome now !"]


def test_without_verbs_nothing_is_noted() -> None:
    """In a campaign without verbs, free text has no findings."""
    assert read(new_game(), "March on Rome", "MRACH").findings == ()


@pytest.mark.parametrize("typed", ["march to Rome", "MARCH: to Rome", "Marc to Rome", "mArCh,  to   Rome"])
def test_a_declared_verb_is_written_in_full(typed: str) -> None:
    """A verb is case-blind and may be cut short; the order has it in capitals (ruling 1)."""
    assert texts(read(new_game(verbs=VERBS), typed)) == ["MARCH to Rome"]


def test_a_verb_cut_short_is_noted() -> None:
    """A receipt says how an abbreviation was read, and how to write mere words."""
    (found,) = read(new_game(verbs=VERBS), "bui a wall").findings

    assert (found.severity, found.text) == ("note", "read as BUILD")
    assert found.hint == "if it is none, write: SAY bui …"


def test_an_abbreviation_of_two_verbs_is_left_to_the_gm() -> None:
    """A line whose verb is ambiguous is accepted unchanged, with a warning."""
    parsed = read(new_game(verbs=VERBS), "mar Lucia")

    assert texts(parsed) == ["mar Lucia"]
    assert [found.text for found in parsed.findings] == [
        "'mar' could be MARCH or MARRY; the GM reads your words as they are"
    ]


@pytest.mark.parametrize("slip", ["MRACH", "Mach", "marchh", "narch", "MAARCH"])
def test_a_slip_in_a_verb_brings_a_hint(slip: str) -> None:
    """A first word that is one slip away from a verb is warned of; the line is accepted all the same."""
    parsed = read(new_game(verbs=VERBS), f"{slip} to Rome")

    assert texts(parsed) == [f"{slip} to Rome"]
    assert [(found.severity, found.hint) for found in parsed.findings] == [("warning", "did you mean MARCH?")]


def test_lines_without_a_verb_share_one_note() -> None:
    """Lines without a verb, in a campaign with verbs, are accepted and share one note."""
    parsed = read(new_game(verbs=VERBS), "For the king!", "MARCH on", "We are tired.", "So be it.")

    assert len(parsed.entries) == 4
    assert codes(parsed) == [(1, "free-text")]
    assert parsed.findings[0].text.startswith("this line and 2 more begin with no verb")


def test_say_makes_words_of_anything() -> None:
    """After SAY a line is words, whatever they look like, and is read again as the same."""
    state = new_game(verbs=VERBS)
    lines = ["SAY march is a cold month", "SAY END the siege", "SAY ; so he said"]

    assert texts(read(state, *lines)) == lines
    assert read(state, *lines).findings == ()


def test_say_needs_words() -> None:
    """SAY alone is an error."""
    assert codes(read(new_game(), "SAY")) == [(1, "missing-word")]


def test_a_line_longer_than_anyone_reads_is_refused() -> None:
    """A line that is too long is refused (ruling 2)."""
    parsed = read(new_game(), "x" * LONGEST_LINE, "x" * (LONGEST_LINE + 1))

    assert codes(parsed) == [(2, "too-long")]
    assert len(parsed.entries) == 1


def test_a_sheet_longer_than_anyone_reads_is_cut() -> None:
    """A sheet that is too long is cut, and the receipt says where (ruling 2)."""
    parsed = read(new_game(), *["again"] * (MOST_LINES + 5))

    assert len(parsed.entries) == MOST_LINES
    assert codes(parsed) == [(MOST_LINES + 1, "too-much")]


def test_after_the_end_nothing_is_taken() -> None:
    """A sheet for a game that is over is refused."""
    state = new_game()
    over, _ = turn(state, ruled(state, game="OVER Peace"))

    parsed = read(over, "March on")

    assert parsed.entries == ()
    assert codes(parsed) == [(1, "game-over")]


def test_a_report_brings_the_verbs_along() -> None:
    """The sheet of a report has a line for each verb, and unchanged it orders nothing."""
    state = new_game(verbs=VERBS)
    lines = RULESET.template(view(state, "red"))

    assert lines == ["; MARCH", "; BUILD", "; MARRY"]
    assert read(state, *lines).entries == ()


def test_every_line_of_the_form_is_taken_when_filled_in() -> None:
    """A line without its semicolon, gone on with, is an order of its verb."""
    state = new_game(verbs=VERBS)

    for line, verb in zip(RULESET.template(view(state, "red")), VERBS, strict=True):
        parsed = read(state, f"{line.removeprefix('; ')} to Rome")
        assert (texts(parsed), parsed.findings) == ([f"{verb} to Rome"], ())


def test_a_page_offers_the_verbs_of_the_campaign() -> None:
    """A page offers each verb with free words, kept as typed, and SAY last."""
    desk = RULESET.desk(view(new_game(verbs=VERBS), "red"))
    words = {verb["word"]: verb["help"] for verb in desk["verbs"]}

    assert list(words) == [*VERBS, "SAY"]
    assert words["MARCH"] == VERBS["MARCH"]
    assert [verb["parts"] for verb in desk["verbs"]] == [
        [{"word": word}, {"field": "text", "kind": "your-words", "many": True}] for word in words
    ]
    assert desk["kinds"]["your-words"]["form"]["verbatim"]


def test_a_line_put_together_of_a_verb_and_words_is_taken_as_it_stands() -> None:
    """A line of a verb and words keeps its quotes and commas."""
    state = new_game(verbs=VERBS)

    for verb in RULESET.desk(view(state, "red"))["verbs"]:
        line = f'{verb["word"]} north, then "wait"; east'
        assert texts(read(state, line)) == [line]


def test_a_page_offers_nothing_at_the_end() -> None:
    """A page of a game that is over offers no orders."""
    state, _ = turn(new_game(turns=1))

    assert RULESET.desk(view(state, "red"))["verbs"] == []
