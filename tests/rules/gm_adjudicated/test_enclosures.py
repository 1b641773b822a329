"""Tests of pictures and files in a ruling: their readers, their duration, and errors in their lines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.ruleset import MAX_ATTACHMENT_BYTES, AttachedFiles, Attachment, Dice, TurnInput
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.state import State
from pbem_rules.gm_adjudicated.story import NIGHTS, SEATS, options, rule
from tests.rules.gm_adjudicated.table import new_game, rolls, turn, view

STATE = new_game()


def picture(name: str, *, size: int = 900, mark: str = "a") -> Attachment:
    """Return a picture attached to a ruling; pictures of different `mark` have different contents."""
    return Attachment(name, "image/png", mark * 64, size, 64, 48)


COAST, FORT = picture("The coast.png", mark="a"), picture("fort.png", mark="b")
RULES = Attachment("rules.pdf", "application/pdf", "c" * 64, 500)


def beside(*some: Attachment) -> AttachedFiles:
    """Return the attachments of a ruling, by name."""
    return {each.name: each for each in some}


def taken(state: State, brought: AttachedFiles, **files: str) -> State:
    """Return the state after a ruling without errors."""
    ruling, findings = RULESET.read_ruling(
        state, {f"{name}.txt": text for name, text in files.items()}, rolls(), brought
    )
    assert not [each for some in findings.values() for each in some if each.severity == "error"], findings
    return turn(state, ruling)[0]


def faults(brought: AttachedFiles, state: State = STATE, **files: str) -> dict[str, list[tuple[int, str, str]]]:
    """Return the errors in such files, by file: line, code and hint."""
    _, findings = RULESET.read_ruling(state, {f"{name}.txt": text for name, text in files.items()}, rolls(), brought)
    errors = {
        name: [(each.line, each.code, each.hint) for each in some if each.severity == "error"]
        for name, some in findings.items()
    }
    return {name: some for name, some in errors.items() if some}


def shown(state: State, seat: str) -> dict[str, list[str]]:
    """Return the names of the attachments that a seat sees, by place."""
    places = RULESET.enclosures(view(state, seat))
    return {place: [each.name for each in some] for place, some in places.items() if some}


def test_a_line_shows_a_picture_to_its_readers() -> None:
    """A picture appears with its caption in its section, for its readers alone, and not in the text."""
    ruling, _ = RULESET.read_ruling(
        STATE,
        {"red.txt": "Look.\n[PICTURE fort.png: Its walls: high]\n[attach RULES.pdf]"},
        rolls(),
        beside(FORT, RULES),
    )
    after, events = turn(STATE, ruling)

    (fort, rules) = RULESET.enclosures(view(after, "red", events))["result"]
    assert (fort.caption, fort.shown, rules.shown) == ("Its walls: high", True, False)
    assert view(after, "red", events)["events"][0]["text"] == "Look."
    assert RULESET.enclosures(view(after, "blue", events))["result"] == ()


def test_what_is_for_all_is_shown_to_all() -> None:
    """Every seat has the pictures for all."""
    after = taken(STATE, beside(COAST), all="[FILE]\n[PICTURE the COAST.png]\n")

    assert [shown(after, seat) for seat in ("red", "blue")] == [{"shared": ["The coast.png"]}] * 2


def test_a_picture_stays_until_its_section_is_changed() -> None:
    """A picture stays while its section is left out or repeated, and goes when the section is emptied."""
    first = taken(STATE, beside(FORT), red="[MAP]\n[PICTURE fort.png: Its walls]")
    form = RULESET.ruling_files(first, {}, frozenset())["red.txt"]
    second = taken(taken(first, {}, red="Nothing new."), {}, red=form)
    third = taken(second, {}, red="[MAP]\n")

    assert "\n[MAP]\n[PICTURE fort.png: Its walls]\n" in form
    assert [shown(state, "red") for state in (first, second, third)] == [{"map": ["fort.png"]}] * 2 + [{}]


def test_another_file_of_a_name_takes_its_place() -> None:
    """An attachment replaces an earlier one of the same name."""
    first = taken(STATE, beside(FORT), red="[MAP]\n[PICTURE fort.png]")
    second = taken(first, beside(picture("FORT.png", mark="d")), red="[MAP]\n[PICTURE fort.png]")

    assert [each.sha256[0] for each in RULESET.enclosures(view(second, "red"))["map"]] == ["d"]


def test_a_seats_own_picture_takes_the_place_of_the_map_for_all() -> None:
    """A seat's own map replaces the one for all, which comes back when it is removed."""
    first = taken(STATE, beside(COAST, FORT), all="[MAP]\n[PICTURE The coast.png]", red="[MAP]\n[PICTURE fort.png]")
    second = taken(first, {}, red="[MAP]\n")

    assert [shown(first, seat)["map"] for seat in ("red", "blue")] == [["fort.png"], ["The coast.png"]]
    assert shown(second, "red")["map"] == ["The coast.png"]


def test_a_picture_alone_is_an_answer() -> None:
    """A seat that is shown a picture counts as told."""
    _, findings = RULESET.read_ruling(STATE, {"red.txt": "[PICTURE fort.png]"}, rolls(), beside(FORT))

    assert sorted(findings) == ["blue.txt", "green.txt"]


def test_a_line_that_a_mail_program_has_broken_is_one() -> None:
    """A caption that a mail program has wrapped is joined."""
    after = taken(
        STATE, beside(FORT), red="[FILE]\n[PICTURE fort.png: Its walls as they were\nbefore the fire]\nStones."
    )

    assert RULESET.enclosures(view(after, "red"))["file"][0].caption == "Its walls as they were before the fire"
    assert view(after, "red")["file"] == "Stones."


def test_a_bracket_left_open_takes_no_heading_with_it() -> None:
    """An open bracket is an error, and the sections below it are read."""
    text = "[PICTURE fort.png: Its walls\n[FILE]\nStones."

    assert faults(beside(FORT), red=text)["red.txt"] == [(1, "unfinished", "keep it on one line")]


def test_words_in_brackets_are_words() -> None:
    """Bracketed words that name no file, and indented lines, stay words, also in the next form."""
    after = taken(STATE, beside(FORT), red="[PICTURE fort.png]\n[FILE]\n[Enter the guard]\n [PICTURE fort.png]")

    assert view(after, "red")["file"] == "[Enter the guard]\n [PICTURE fort.png]"
    again = taken(after, {}, red=RULESET.ruling_files(after, {}, frozenset())["red.txt"])
    assert view(again, "red")["file"] == view(after, "red")["file"]


NAMES: Sequence[tuple[str, tuple[int, str, str]]] = (
    ("[PICTURE frot.png]", (1, "no-such-file", "did you mean fort.png?")),
    ("[PICTURE rules.pdf]", (1, "no-picture", "to send it as a file, write: [ATTACH rules.pdf]")),
    ("[PICTRUE fort.png]", (1, "unknown-line", "did you mean PICTURE?")),
    ("[PICTURE fort.png: walls", (1, "unfinished", "keep it on one line")),
    ("[PICTURE ]", (1, "missing-word", "write: [PICTURE <name>]")),
    (f"[PICTURE fort.png: {'x' * 301}]", (1, "too-long", "")),
    ("[NOTES]\n[PICTURE fort.png]", (2, "no-reader", "move the line up")),
)


@pytest.mark.parametrize(("text", "fault"), NAMES, ids=[text[:24] for text, _ in NAMES])
def test_a_slip_is_named_by_its_line(text: str, fault: tuple[int, str, str]) -> None:
    """An error gives the line, and the nearest right word."""
    assert faults(beside(FORT, RULES), red=text)["red.txt"] == [fault]


def test_a_file_that_no_line_names_is_told_of() -> None:
    """An attachment without a line is an error, with the name that may be meant, or an example."""
    assert faults(beside(FORT), red="[PICTURE forts.png]")["fort.png"] == [
        (0, "unnamed-file", "did you mean forts.png?")
    ]
    hint = "show it by a line such as [PICTURE fort.png: what it is]"
    assert faults(beside(FORT), red="Well.") == {"fort.png": [(0, "unnamed-file", hint)]}


def test_what_the_host_refuses_is_told_by_the_host() -> None:
    """A line with an attachment that the host has refused is no error of the ruling."""
    assert faults({"fort.png": None}, red="[PICTURE fort.png]") == {}


def test_a_report_takes_only_so_much() -> None:
    """The attachments of one report are limited, including earlier ones and those for all."""
    great = [picture(f"{number}.png", size=MAX_ATTACHMENT_BYTES, mark=str(number)) for number in range(3)]
    standing = taken(STATE, beside(*great[:2]), red="[MAP]\n[PICTURE 0.png]\n[PICTURE 1.png]")

    assert faults(beside(great[2]), standing, all="[PICTURE 2.png]") == {"red.txt": [(0, "too-much", "")]}


def test_a_turn_takes_only_so_much() -> None:
    """The attachments of one ruling are limited."""
    seats = [f"seat{number}" for number in range(9)]
    state = RULESET.setup({}, seats, Dice(b"test"))
    great = [picture(f"{number}.png", size=MAX_ATTACHMENT_BYTES, mark=str(number)) for number in range(9)]
    files = {f"{seat}.txt": f"[PICTURE {number}.png]" for number, seat in enumerate(seats)}
    _, findings = RULESET.read_ruling(state, files, rolls(), beside(*great))

    assert [each.code for each in findings["all.txt"]] == ["too-much"]


PIECES = st.lists(
    st.sampled_from(["[", "PICTURE", "ATTACH", "[ATTACH", " ", ":", "fort.png", "]", "\n", "[MAP]", ";", "x"])
)


@given(PIECES.map("".join))
def test_no_lines_make_the_reader_fall(text: str) -> None:
    """Any brackets lead to findings, and to a ruling that can be resolved and written again."""
    ruling, _ = RULESET.read_ruling(STATE, {"red.txt": text, "all.txt": text}, rolls(), beside(FORT))
    after, _ = turn(STATE, ruling)

    again = RULESET.ruling_files(after, {}, frozenset())
    assert (
        RULESET.read_ruling(after, again, rolls(), {})[0]["seats"]["red"]["with_map"]
        == ruling["seats"]["red"]["with_map"]
    )


def test_the_story_of_the_demo_is_told_to_its_end() -> None:
    """The demo's sheets are accepted, its rulings have no errors, all attachments are shown, and the story ends."""
    state = RULESET.setup(options(SEATS), SEATS, Dice(b"demo"))
    for number, night in enumerate(NIGHTS, start=1):
        orders = {}
        for seat, lines in night.sheets.items():
            parsed = RULESET.parse(view(state, seat), list(enumerate(lines, 1)))
            assert not parsed.errors
            orders[seat] = parsed.orders
        files, lying = rule(number, RULESET.ruling_files(state, orders, frozenset()))
        brought = {name: picture(name, mark=f"{at:x}") for at, name in enumerate(lying)}
        rolled = rolls()
        ruling, findings = RULESET.read_ruling(state, files, rolled, brought)
        assert {each.severity for some in findings.values() for each in some} <= {"note"}
        state, _ = RULESET.resolve(state, TurnInput(orders, ruling=ruling, rolls=tuple(rolled.fresh)), Dice(b"demo"))

    assert RULESET.standing(state).winners == ("gannet",)


def test_every_night_of_the_demo_has_all_that_a_gm_can_do() -> None:
    """Every night has words for all, a roll, notes, a change of a ledger, and a picture."""
    for night in NIGHTS:
        whole = "".join(night.texts.values())
        assert {*night.texts} >= {"all.txt", "game.txt", *(f"{seat}.txt" for seat in SEATS)}
        assert [each for each in ("[ROLL ", "[NOTES]", "[SET ", "[PICTURE ") if each not in whole] == []


def test_the_gm_of_the_demo_rules_for_any_seats() -> None:
    """Other seats get the words for all, which the GM is told, and only the attachments that are shown."""
    state = RULESET.setup(options(["otter", "two"]), ["otter", "two"], Dice(b"demo"))
    files, lying = rule(1, RULESET.ruling_files(state, {}, frozenset()))

    brought = {name: picture(name, mark=f"{at:x}") for at, name in enumerate(lying)}

    assert (set(files), set(lying)) == ({"game.txt", "all.txt", "otter.txt", "two.txt"}, {"ness.svg", "cave.svg"})
    findings = RULESET.read_ruling(state, files, rolls(), brought)[1]
    assert [(file, each.code) for file, found in findings.items() for each in found] == [("two.txt", "untold")]
