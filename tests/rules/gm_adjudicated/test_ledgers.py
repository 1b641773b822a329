"""Tests of ledgers: their entries, their readers, and their changes by rulings."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from pbem.ruleset import SetupError
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.state import State
from tests.rules.gm_adjudicated.secrecy import scramble
from tests.rules.gm_adjudicated.table import SEATS, faults, new_game, rolls, ruled, turn, view

GIVEN: dict[str, Any] = {
    "seen": {"title": "public", "plot": "gm", "world.winter": "public"},
    "each": {"gold": 40, "title": "Knight"},
    "red": {"ships": ["Argo"], "plot": "poison"},
    "blue": {"gold": 10},
    "world": {"winter": 1, "doom": 7},
}
STATE = new_game(ledgers=GIVEN)


def seen(state: State, seat: str = "red") -> dict[str, dict[str, Any]]:
    """Return the values of the entries that a seat sees, by owner, as they come out of a mail."""
    return {each["of"]: {row["name"]: row["value"] for row in each["entries"]} for each in view(state, seat)["ledgers"]}


def after(**files: str) -> State:
    """Return the game after a turn with such a ruling."""
    state, _ = turn(STATE, ruled(STATE, **files))
    return state


def test_a_seat_sees_its_own_and_what_is_public() -> None:
    """An entry that the file does not name is seen by its seat alone, and of the world by the GM alone (ruling 9)."""
    assert seen(STATE) == {
        "red": {"gold": 40, "title": "Knight", "ships": ["Argo"]},
        "world": {"winter": 1},
        "blue": {"title": "Knight"},
        "green": {"title": "Knight"},
    }
    assert "plot" not in str(seen(STATE)) + str(seen(STATE, "blue"))


@pytest.mark.parametrize(
    ("line", "owner", "name", "value"),
    [
        ("[SET gold -= 5]", "red", "gold", 35),
        ("[SET gold += 5]", "red", "gold", 45),
        ("[SET gold = -3]", "red", "gold", -3),
        ('[SET title = "Duke of Naxos"]', "red", "title", "Duke of Naxos"),
        ("[SET title = Duke]", "red", "title", "Duke"),
        ("[set ships += “Swift, the 2nd”]", "red", "ships", ("Argo", "Swift, the 2nd")),
        ("[SET ships -= Argo]", "red", "ships", ()),
        ("[SET ships = [Argo, Swift]]", "red", "ships", ("Argo", "Swift")),
        ("[SET world.winter = 2]", "world", "winter", 2),
        ("[SET blue.gold+=1]", "blue", "gold", 11),
        ('[SET blue.ships += "Argo"]', "blue", "ships", ("Argo",)),
    ],
)
def test_a_line_changes_an_entry(line: str, owner: str, name: str, value: object) -> None:
    """A name alone is an entry of the file's own seat; a seat may be given an entry of another's."""
    assert after(red=line).ledgers.entries[owner][name] == value


def test_a_line_that_changes_something_is_not_told() -> None:
    """A line that changes a ledger is not part of the text."""
    _, events = turn(STATE, ruled(STATE, red="You pay.\n[SET gold -= 5]\nHe smiles."))

    assert [dict(event.data) for event in events] == [{"text": "You pay.\nHe smiles."}]


def test_all_txt_and_game_txt_change_ledgers_too() -> None:
    """In all.txt and game.txt a name alone is the world's; changes are made in the order of the files."""
    state = after(all="[SET winter += 1]", green="[SET gold = 7]", game="SET green.gold += 1")

    assert (state.ledgers.entries["world"]["winter"], state.ledgers.entries["green"]["gold"]) == (2, 8)


def test_a_report_tells_what_changed_this_turn() -> None:
    """A report shows the value before only for entries that its turn has changed."""
    changed = after(red="[SET gold -= 5]")
    later, _ = turn(changed)

    assert view(changed, "red")["ledgers"][0]["entries"][0] == {"name": "gold", "value": 35, "was": 40}
    assert view(later, "red")["ledgers"][0]["entries"][0] == {"name": "gold", "value": 35}


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ("[SET glod -= 5]", "unknown-name", "did you mean gold?"),
        ("[SET bleu.gold -= 5]", "unknown-name", "did you mean blue?"),
        ("[SET gold = many]", "wrong-kind", "write a whole number such as 5"),
        ('[SET title += "x"]', "wrong-kind", 'write it like: title = "Duke of Naxos"'),
        ("[SET ships -= Agro]", "unknown-name", "did you mean Argo?"),
        ('[SET ships = "Argo" Swift]', "wrong-kind", 'write: "Argo", "Swift"'),
        ("[SET gold]", "missing-word", "write it like: gold -= 5"),
        ("[FILE]\n[SET gold = 5]", "wrong-section", "a line that is meant as it stands begins with a blank"),
        ("SET gold = -5", "no-brackets", "write: [SET gold = -5]"),
        ("SET world.winter -= 2", "no-brackets", "write: [SET world.winter -= 2]"),
    ],
)
def test_a_slip_brings_the_nearest(line: str, code: str, hint: str) -> None:
    """Errors name the nearest right word, and nothing of such a ruling is accepted."""
    _, findings = RULESET.read_ruling(STATE, {"red.txt": line}, rolls())
    (found,) = (each for each in findings["red.txt"] if each.severity == "error")

    assert (found.code, found.hint) == (code, hint)


def test_a_number_below_zero_is_warned_of() -> None:
    """A number below zero is warned of, counting earlier changes; the ruling is accepted all the same."""
    lines = "[SET gold -= 30]\n[SET gold -= 20]"

    assert faults(STATE, red=lines) == {"red.txt": [(2, "below-zero")]}
    assert after(red=lines).ledgers.entries["red"]["gold"] == -10


def test_without_ledgers_nothing_can_be_changed() -> None:
    """A change without ledgers is an error that names their option."""
    assert faults(new_game(), game="SET red.gold = 5") == {"game.txt": [(1, "no-ledgers")]}


def test_the_gm_has_all_of_it_before_him() -> None:
    """Digest and files have the whole ledger and its readers; unchanged files change nothing."""
    digest = RULESET.digest(STATE, {}, frozenset(SEATS))
    files = RULESET.ruling_files(STATE, {}, frozenset(SEATS))
    same, _ = turn(STATE, ruled(STATE, **{name.removesuffix(".txt"): text for name, text in files.items()}))

    assert "RED\n  no sheet came\n  = gold: 40 (own)\n  = title: Knight (public)\n" in digest
    assert "  = plot: poison (gm)\n" in digest
    assert digest.endswith("THE WORLD\n  = winter: 1 (public)\n  = doom: 7 (gm)\n")
    assert ";   ships: Argo (own)\n" in files["red.txt"]
    assert "; SET red.gold = …\n" in files["game.txt"]
    assert same.ledgers == STATE.ledgers


def test_a_table_is_read_as_an_object_is() -> None:
    """In a table, cells are numbers if a whole column is, lists if a | is in it, and no entries if empty."""
    rows = [
        {"seat": "seen", "gold": "own", "ships": "public", "winter": ""},
        {"seat": "world.seen", "gold": "", "ships": "", "winter": "public"},
        {"seat": "red", "gold": "40", "ships": "Argo|Swift", "winter": ""},
        {"seat": "blue", "gold": "35", "ships": "Thera|", "winter": ""},
        {"seat": "world", "gold": "", "ships": "", "winter": "1"},
    ]

    assert seen(new_game(ledgers=rows)) == {
        "red": {"gold": 40, "ships": ["Argo", "Swift"]},
        "world": {"winter": 1},
        "blue": {"ships": ["Thera"]},
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rde": {}}, "did you mean red"),
        ({"red": 5}, "must be an object of seats"),
        ({"red": {"gold": 1.5}}, "red.gold must be a whole number"),
        ({"red": {"gold": True}}, "red.gold must be a whole number"),
        ({"red": {"Gold coins": 1}}, "cannot have 'Gold coins'"),
        ({"red": {"gold": 1}, "blue": {"gold": "one"}}, "a number of red, and a text of blue"),
        ({"red": {"gold": 1}, "seen": {"glod": "own"}}, "did you mean gold"),
        ({"red": {"gold": 1}, "seen": {"gold": "publik"}}, "did you mean public"),
        ({"world": {"doom": 1}, "seen": {"world.doom": "own"}}, "cannot be seen by 'own'"),
        ([{"gold": "4"}], "whose first heading is seat"),
    ],
)
def test_ledgers_that_cannot_be_kept_are_refused(given: object, said: str) -> None:
    """Invalid ledgers are refused before the game begins, with the nearest valid word."""
    with pytest.raises(SetupError, match=said):
        new_game(ledgers=given)


def test_a_seat_learns_nothing_of_what_it_does_not_see() -> None:
    """The view of a seat does not depend on entries that it does not see."""
    state, _ = turn(STATE, ruled(STATE, red="[SET plot = wine]", blue="[SET gold -= 5]", green="[SET title = Duke]"))
    worlds = [scramble(state, "red", random.Random(number)) for number in range(5)]

    assert all(view(world, "red") == view(state, "red") for world in worlds)
    assert len({str(world.ledgers.entries) for world in worlds}) > 1


def test_ledgers_survive_storage() -> None:
    """Ledgers are stored and loaded unchanged, in their order."""
    state = after(red="[SET gold -= 5]")

    assert RULESET.load(json.loads(json.dumps(RULESET.dump(state))), RULESET.version) == state
