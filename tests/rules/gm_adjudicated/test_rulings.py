"""Tests of rulings: the GM's files, and errors in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.state import State
from tests.rules.gm_adjudicated.table import SEATS, VERBS, faults, new_game, read, rolls, ruled, turn, view

STATE = new_game(verbs=VERBS, briefing={"all": "It is 1805.", "red": "; odd\n[MAP]\nYou are France."})


def test_files_left_as_they_were_written_change_nothing() -> None:
    """A ruling of unchanged files keeps every file and map, and tells no seat anything."""
    after, events = turn(STATE, ruled(STATE, **_untouched()))

    assert events == ()
    assert [view(after, seat)["shared"] for seat in SEATS] == ["It is 1805."] * 3
    assert view(after, "red")["file"] == " ; odd\n [MAP]\nYou are France."


def _untouched() -> dict[str, str]:
    return files_of(STATE)


def files_of(state: State, **sheets: str) -> dict[str, str]:
    """Return the files for the open turn, named without their ending; seats have sent these lines, or nothing."""
    orders = {seat: read(state, line).orders for seat, line in sheets.items()}
    missing = frozenset(SEATS) - set(orders)
    return {name.removesuffix(".txt"): text for name, text in RULESET.ruling_files(state, orders, missing).items()}


def test_there_is_a_file_for_each_reader() -> None:
    """There is a file for each seat, one for all, and one for the game."""
    assert set(_untouched()) == {"game", "all", *SEATS}


def test_a_seats_file_has_its_dossier_above() -> None:
    """A seat's file has its sheet and its last result as remarks, which are not told again."""
    begun = new_game(verbs=VERBS)
    told, _ = turn(begun, ruled(begun, red="Forty men were lost.\n\nThe pass is yours. " + "Snow. " * 30))
    files = files_of(told, red="March to the pass")
    after, events = turn(told, ruled(told, **files))

    assert "\n; RED\n;   MARCH to the pass\n;\n; Told last:\n;   Forty men were lost.\n" in files["red"]
    assert "; BLUE\n;   no sheet came\n" in files["blue"]
    assert max(map(len, files["red"].splitlines())) < 73
    assert events == ()
    assert view(after, "red") == {**view(told, "red"), "turn": 3, "label": "turn 3"}


def test_notes_stand_there_again_until_they_are_changed() -> None:
    """Notes stay in the GM's files of their seat, and appear nowhere else."""
    noted, _ = turn(STATE, ruled(STATE, red="[NOTES]\nlies to everybody", all="[NOTES]\nsnow until May"))
    kept, _ = turn(noted, ruled(noted, **files_of(noted)))
    gone, _ = turn(kept, ruled(kept, red="[NOTES]\n"))

    assert "\n[NOTES]\nlies to everybody\n" in files_of(kept)["red"]
    assert "\n[NOTES]\nsnow until May\n" in files_of(kept)["all"]
    assert "lies" not in str([view(kept, seat) for seat in SEATS]) + files_of(kept)["blue"]
    assert "lies" not in files_of(gone)["red"]
    assert "May" in files_of(gone)["all"]


def test_a_section_goes_to_its_reader() -> None:
    """RESULT is told once; FILE and MAP are in all later reports."""
    after, _ = turn(STATE, ruled(STATE, red="Forty men\nwere lost.\n[FILE]\nNaxos: 900 men\n[MAP]\nN --- C"))

    assert (view(after, "red")["file"], RULESET.text_map(view(after, "red"))) == ("Naxos: 900 men", "N --- C")
    assert view(after, "blue")["file"] == ""


def test_an_empty_section_takes_out_and_a_missing_one_leaves() -> None:
    """An empty section removes its text; a missing one keeps it."""
    first, _ = turn(STATE, ruled(STATE, red="[FILE]\nnine ships\n[MAP]\nN --- C"))
    second, _ = turn(first, ruled(first, red="[MAP]\n; none any more\n"))

    assert (view(second, "red")["file"], view(second, "red")["map"]) == ("nine ships", "")


def test_a_seats_own_map_takes_the_place_of_the_one_for_all() -> None:
    """A seat with a map of its own sees that, and all others the shared one."""
    after, _ = turn(STATE, ruled(STATE, all="[MAP]\nshared", red="[MAP]\nhis own"))

    assert [view(after, seat)["map"] for seat in SEATS] == ["his own", "shared", "shared"]


def test_remarks_and_layout() -> None:
    """The GM's remarks and control characters are removed; blanks and empty lines stay."""
    ruling = ruled(STATE, red="; ask Bob\n\n  two\tcolumns\n\nnext\x1b[0m \n")

    assert ruling["seats"]["red"]["result"] == "  two   columns\n\nnext[0m"


def test_the_game_as_a_whole() -> None:
    """Each command of game.txt takes effect with the turn."""
    game = "turn 1\nLABEL Spring 1806\nSCORE Red 12\nSCORE blue: -3\nOUT green:\nTURNS 30\n"

    after, _ = turn(STATE, ruled(STATE, game=game))

    shown = view(after, "red")
    assert (shown["label"], shown["turns"], shown["out"]) == ("Spring 1806", 30, ["green"])
    assert shown["scores"] == {"red": 12, "blue": -3, "green": 0}
    assert RULESET.standing(after).awaiting == {"red", "blue"}


def test_the_gm_ends_the_game() -> None:
    """OVER ends the game with a reason, and WINNER names the winners."""
    after, _ = turn(STATE, ruled(STATE, game="OVER Peace was made, at last.\nWINNER red, blue:"))

    standing = RULESET.standing(after)
    assert (standing.over, standing.winners, standing.reason) == (True, ("red", "blue"), "Peace was made, at last.")


GAME_FAULTS = {
    "SCOER red 3": (1, "unknown-command"),
    "SCORE rde 3": (1, "unknown-name"),
    "SCORE red many": (1, "not-a-number"),
    "SCORE red 1\nSCORE red 2": (2, "only-one"),
    "LABEL x": (1, "bad-label"),
    "TURN 4": (1, "other-turn"),
    "TURN four": (1, "not-a-number"),
    "TURNS -1": (1, "not-a-number"),
    "OUT": (1, "missing-word"),
    "OVER": (1, "missing-word"),
    "OVER a\nOVER b": (2, "only-one"),
    "WINNER red": (0, "not-over"),
}


@pytest.mark.parametrize("text", GAME_FAULTS)
def test_a_slip_in_game_txt_is_named_by_its_line(text: str) -> None:
    """An unreadable line is reported by file and line, and nothing raises."""
    assert faults(STATE, game=text) == {"game.txt": [GAME_FAULTS[text]]}


READER_FAULTS = {
    "well\n[RESLT]\nx": (2, "unknown-section"),
    "[FILE]\na\n[file]\nb": (3, "only-one"),
    "[MAP]\n" + "x" * 81: (2, "too-wide"),
    "[FILE]\n" + "word " * 10_000: (1, "too-long"),
}


@pytest.mark.parametrize("text", READER_FAULTS)
def test_a_slip_in_a_readers_file_is_named_by_its_line(text: str) -> None:
    """Headings and limits of the sections are checked too."""
    assert faults(STATE, red=text) == {"red.txt": [READER_FAULTS[text]]}


def test_the_files_of_another_turn_are_refused_with_a_reason() -> None:
    """Files of the turn before are refused: they would tell its results again."""
    later, _ = turn(STATE, ruled(STATE))

    assert faults(later, **_untouched()) == {"game.txt": [(3, "other-turn")]}


def test_a_misspelt_file_is_told_of() -> None:
    """A file without a reader is an error, with the nearest name."""
    _, findings = RULESET.read_ruling(STATE, {"gren.txt": "You win."}, rolls())

    (found,) = findings["gren.txt"]
    assert (found.severity, found.hint) == ("error", "did you mean green.txt?")


def test_a_seat_told_nothing_is_told_of() -> None:
    """The GM is warned of each seat that is told nothing, unless there are words to all."""
    _, findings = RULESET.read_ruling(STATE, {"red.txt": "Well done."}, rolls())
    _, none = RULESET.read_ruling(STATE, {"all.txt": "It rained."}, rolls())

    assert sorted(findings) == ["blue.txt", "green.txt"]
    assert none == {}


@given(st.dictionaries(st.sampled_from(["game.txt", "all.txt", "red.txt", "ALL.TXT", "x"]), st.text(max_size=300)))
def test_no_file_makes_the_reader_fall(files: dict[str, str]) -> None:
    """Any files lead to findings, and to a ruling that can be resolved."""
    ruling, _ = RULESET.read_ruling(STATE, files, rolls())

    after, _ = turn(STATE, ruling)
    assert after.turn == 2


COMMANDS = st.lists(
    st.sampled_from(
        ["TURN", "LABEL", "SCORE", "OUT", "TURNS", "WINNER", "OVER", "red", "blue", "7", "-1", "[FILE]", ";"]
    )
)


@given(st.lists(COMMANDS, max_size=8))
def test_no_commands_make_the_reader_fall(lines: list[list[str]]) -> None:
    """Commands in any order and with any words are read or refused."""
    ruling, _ = RULESET.read_ruling(STATE, {"game.txt": "\n".join(map(" ".join, lines))}, rolls())

    assert turn(STATE, ruling)[0].turn == 2
