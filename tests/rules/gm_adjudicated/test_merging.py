"""Tests of a second ruling on the same turn: it replaces its parts, and forms hold the merged ruling."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

from pbem.ruleset import canonical_json
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.state import State
from tests.rules.gm_adjudicated.table import new_game, rolls, ruled, turn
from tests.rules.gm_adjudicated.test_ledgers import GIVEN

STATE = new_game(ledgers=GIVEN)

WORDS = ("You won.", " [MAP]", "; gone", "", "  indented", "“quoted”", " ;", "FILE", "\t*", " [ROLL 2d6 x]", "END")
DOING = (
    *("[SET red.gold -= 5]", "[SET red.title = \"Duke 'of' Naxos\"]", "[SET red.ships += Swift, Argo]"),
    *("[SET red.ships = []]", "[SET world.winter = 2]", '[ROLL 2d6 "the gate"]', "GM toy1 TOKEN"),
)
COMMANDS = (
    *("LABEL Spring; 1902", "SCORE red 3", "SCORE blue -4", "OUT green", "TURNS 9", "OVER Peace; at last.\nWINNER red"),
    *("SET blue.gold += 3", "SET blue.gold = 1", "SET world.doom -= 2"),
)


def written(chance: random.Random) -> str:
    """Return a file as a GM might write it."""
    sections = chance.sample(["[FILE]", "[MAP]", "[NOTES]"], chance.randrange(4))
    below = [line for heading in sections for line in (heading, *chance.choices(WORDS, k=3))]
    return "\n".join([*chance.choices((*WORDS, *DOING), k=5), *below])


def again(before: Any, **files: str) -> Any:
    """Return the ruling that counts after a second one, with files named as in `ruled`."""
    named = {f"{name}.txt": text for name, text in files.items()}
    ruling, findings = RULESET.read_ruling(STATE, named, rolls(), before=before)
    assert not [each for found in findings.values() for each in found if each.severity == "error"], findings
    return json.loads(canonical_json(ruling))


def parts(ruling: Any, state: State = STATE) -> Mapping[str, str]:
    """Return the parts of a ruling."""
    return RULESET.ruling_parts(state, ruling)


def form(ruling: Any) -> dict[str, str]:
    """Return the files with a ruling in them, by their names without the ending."""
    files = RULESET.ruling_files(STATE, {}, frozenset(), ruling)
    return {name.removesuffix(".txt"): text for name, text in files.items()}


def test_a_blank_form_says_nothing() -> None:
    """A blank form, and one that restates the state, have no parts."""
    assert parts(ruled(STATE, **form(None))) == {}
    assert parts(None) == {}


@pytest.mark.parametrize(
    ("second", "gold"),
    [
        ({"blue": "Words."}, "red.gold -= 5"),
        ({"red": "[SET gold -= 7]"}, "red.gold -= 7"),
        ({"red": "[RESULT]\nWords."}, "red.gold -= 5"),
        ({"game": "SET red.gold = 1"}, "red.gold = 1"),
        ({"game": "SET blue.gold = 1"}, "red.gold -= 5"),
    ],
)
def test_a_change_of_a_ledger_stays_until_it_is_named_again(second: dict[str, str], gold: str) -> None:
    """A change of an entry counts once, in whichever file; a second one replaces it."""
    ruling = again(ruled(STATE, red="You pay.\n[SET gold -= 5]"), **second)

    assert parts(ruling)["game.txt: SET red.gold"] == f"SET {gold}"


def test_an_empty_section_takes_its_words_out() -> None:
    """An empty section removes the words of the first ruling; a section that is not named stays."""
    first = ruled(STATE, red="You won.\n[FILE]\nOne ship.\n[NOTES]\nLies.")

    assert parts(again(first, red="[RESULT]")) == {"red.txt [FILE]": "One ship.", "red.txt [NOTES]": "Lies."}
    assert parts(again(first, red="[FILE]")) == {"red.txt [RESULT]": "You won.", "red.txt [NOTES]": "Lies."}


def test_who_has_won_is_checked_of_both_together() -> None:
    """A winner may be named after the end, but not without one."""
    over = ruled(STATE, game="OVER Peace.")

    assert parts(again(over, game="WINNER red"))["game.txt: WINNER"] == "WINNER red"
    _, findings = RULESET.read_ruling(STATE, {"game.txt": "WINNER red"}, rolls(), before=ruled(STATE, all="Snow."))
    assert [each.code for each in findings["game.txt"]] == ["not-over"]


def test_the_whole_replaces_the_whole() -> None:
    """With REPLACE ALL, the second ruling replaces all of the first."""
    first = ruled(STATE, red="You won.\n[SET gold -= 5]", game="SCORE red 3")

    assert parts(again(first, blue="You lost.", game="REPLACE ALL")) == {"blue.txt [RESULT]": "You lost."}


@pytest.mark.parametrize("seed", range(150))
def test_a_form_reads_as_the_ruling_in_it(seed: int) -> None:
    """A form with a ruling is read as the same ruling, and leads to the same state."""
    chance = random.Random(seed)
    files = {name: written(chance) for name in ("all", "red", "blue")}
    first = ruled(STATE, **files, game="\n".join(chance.sample(COMMANDS, k=4)))
    filled = form(first)
    second = again(first, **filled)

    assert parts(second) == parts(first)
    assert canonical_json(RULESET.dump(turn(STATE, second)[0])) == canonical_json(RULESET.dump(turn(STATE, first)[0]))


def test_a_text_for_two_is_read_by_both_above_their_own() -> None:
    """Its sections go to each of them, and to no one else."""
    ruling = ruled(STATE, **{"red.txt, blue": "You meet.\n[NOTES]\nfriends", "red": "You win.\n[NOTES]\nlies"})

    assert parts(ruling) == {
        "red.txt [RESULT]": "You meet.\n\nYou win.",
        "red.txt [NOTES]": "friends\nlies",
        "blue.txt [RESULT]": "You meet.",
        "blue.txt [NOTES]": "friends",
    }


@pytest.mark.parametrize(
    ("text", "code"),
    [("[SET gold -= 5]", "not-together"), ("[RESULT]\n[RESULT]", "only-one"), ("[MAPP]", "unknown-section")],
)
def test_errors_in_a_text_for_two_are_named_once(text: str, code: str) -> None:
    """They have the name of both files and the line; a change of a ledger would be made twice."""
    _, findings = RULESET.read_ruling(STATE, {"red.txt, blue.txt": text, "all.txt": "Rain."}, rolls())

    assert [(name, each.code) for name, found in findings.items() for each in found] == [("red.txt, blue.txt", code)]


def test_a_text_for_a_seat_that_there_is_not() -> None:
    """The name that is wrong is told with the nearest."""
    _, findings = RULESET.read_ruling(STATE, {"red.txt, bleu.txt": "You meet.", "all.txt": "Rain."}, rolls())

    assert [(each.code, each.hint) for each in findings["red.txt, bleu.txt"]] == [
        ("unknown-file", "did you mean blue.txt?")
    ]
