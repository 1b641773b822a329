"""Receipts: what a sheet is told, from the view alone."""

from __future__ import annotations

import dataclasses
import re

import pytest

from pbem.ruleset import Dice, Event, TurnInput, View
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.chart import COLOURS
from pbem_rules.singularity_trap.orders import (
    BOOK,
    Build,
    DeclareFaction,
    Fire,
    Move,
    Repair,
    Resign,
    Target,
    Terraform,
)
from pbem_rules.singularity_trap.state import Faction, State
from tests.rules.singularity_trap.builders import codes, dark, findings, given, lines, play, read, ship, view, world

SITE = "J12+5"


def _fleet() -> State:
    return world(
        ship("R101", "J10"),
        ship("R102", "J10", "Scout"),
        ship("R103", "J10", "Terraformer"),
        ship("R104", SITE, weapons=0, drive=0),
        dark("R105", SITE),
        ship("G101", SITE, "Scout"),
        seats=("red", "green", "cyan", "blue"),
        owners={"J10+0": "red"},
        allies=[("red", "blue")],
        points=20,
    )


@pytest.mark.parametrize(
    ("enemy", "sheet", "expected"),
    [
        ("J9", "REPAIR R105 / MOVE R105 N", [(2, "warning", "unknown-ships")]),
        ("J9", "REPAIR R105 / MOVE R105 TO J9", [(2, "warning", "unknown-ships")]),
        ("J9", "REPAIR R105 / MOVE R105 S", []),
        ("J10", "REPAIR R105 / MOVE R105 S", [(2, "warning", "unknown-ships")]),
        ("J9", "MOVE R105 N", [(1, "error", "cannot-move")]),
        ("J9", "MOVE R101 SW", []),
        ("J8", "REPAIR R105 / MOVE R105 N N", []),
    ],
)
def test_a_dark_ship_is_warned_of_unknown_ships(enemy: str, sheet: str, expected: list[tuple[int, str, str]]) -> None:
    """A blind ship that is mended among unknown ships, or moves to some, is warned, by its player's report alone."""
    state = world(ship("R101", "K9"), dark("R105", "J10"), ship("G101", enemy), points=20)

    assert codes(state, "red", sheet) == expected


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        ("MOVE R101 SLIP N 3 N+ UP", []),
        ("MOVE R101", [(1, "error", "no-way")]),
        ("MOVE R101 N N N N", [(1, "error", "cannot-move")]),
        ("MOVE R101 SLIP N 4", [(1, "error", "cannot-move")]),
        ("MOVE R101 JUMP", [(1, "error", "cannot-move")]),
        ("MOVE R102 SLIP N", [(1, "error", "cannot-move")]),
        ("MOVE R102 JUMP JUMP", []),
        ("MOVE R101/R102 SLIP N", [(1, "warning", "cannot-move")]),
        ("MOVE R104 N", [(1, "error", "cannot-move"), (1, "warning", "encounter")]),
        ("MOVE R105 N", [(1, "error", "cannot-move")]),
        ("REPAIR R105 / MOVE R105 N", [(2, "warning", "encounter")]),
        ("REPAIR R104 drive / MOVE R104 N", [(2, "warning", "encounter")]),
        ("MOVE R101 N / MOVE R101 S", [(2, "warning", "replaced")]),
        ("HIDE R101 / MOVE R101 N", [(2, "error", "cannot-move")]),
        ("SCRAP R101 / MOVE R101 N", [(2, "error", "gone")]),
        ("SCRAP R101 / SCRAP R101", [(2, "error", "gone")]),
        ("SCRAP R101 / REPAIR R101", [(2, "error", "gone")]),
        ("SCRAP R101 / HIDE R101", [(2, "error", "cannot-hide")]),
        ("REPAIR R101", [(1, "error", "nothing-damaged")]),
        ("HIDE R105", [(1, "error", "cannot-hide")]),
        ("HIDE R101/R105", [(1, "warning", "cannot-hide")]),
        ("REPAIR R104 1 / HIDE R104", [(2, "error", "cannot-hide")]),
        ("BUILD 3 Cruiser AT J10", [(1, "warning", "too-dear")]),
        ("BUILD 9 Scout AT J10 / REPAIR R104", [(1, "warning", "too-dear")]),
        ("BUILD 9 Scout AT J10 / BUILD Scout AT J10", [(1, "warning", "too-dear"), (2, "error", "too-dear")]),
        ("BUILD 60 Scout AT J10 / BUILD 40 Scout AT J10", [(1, "warning", "too-dear"), (2, "error", "too-many")]),
        ("BUILD Cruiser AT J10 / MOVE NEW1 N", []),
        ("MOVE NEW1 N", [(1, "error", "gone")]),
        ("FIRE R101 AT G101", []),
        ("FIRE R101 AT G999", [(1, "warning", "not-in-sight")]),
        ("FIRE R101 AT B101", [(1, "error", "is-ally"), (1, "warning", "not-in-sight")]),
        ("FIRE R103 AT G101", [(1, "error", "no-weapons")]),
        ("FIRE R104 AT G101", [(1, "error", "no-weapons")]),
        ("FIRE R105 AT G101", [(1, "error", "no-weapons")]),
        ("TARGET blue Scout", [(1, "warning", "is-ally")]),
        ("TARGET Scout / TARGET green", [(2, "warning", "replaced")]),
        ("TERRAFORM R103", []),
        ("TERRAFORM R103 TO magenta", []),
        ("TERRAFORM R103 TO cyan", [(1, "warning", "other-colour")]),
        ("TERRAFORM R101", [(1, "error", "cannot-terraform")]),
        ("TERRAFORM R103 / MOVE R103 N", [(1, "warning", "cannot-terraform")]),
        ("TERRAFORM R103 NO / TERRAFORM R103 TO yellow", [(2, "warning", "replaced")]),
        ("ALLY cyan YES / ALLY cyan NO", [(2, "warning", "replaced")]),
        ("DECLARE FACTION WITH green", [(1, "error", "bad-faction")]),
        ("DECLARE FACTION WITH blue", [(1, "error", "bad-faction")]),
        ("DECLARE EMPIRE WITH blue green", [(1, "error", "bad-faction")]),
        ("RESIGN CONFIRM", [(1, "warning", "resigning")]),
    ],
)
def test_findings(sheet: str, expected: list[tuple[int, str, str]]) -> None:
    """An impossible line is an error, a doubtful one a warning; the rest is accepted without a word."""
    assert codes(_fleet(), "red", sheet) == expected


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ("MOVE R999 N", "unknown-name", "possible: R101, R102, R103, R104, R105"),
        ("MOVE R101 NNE", "unknown-name", "ways: N NE"),
        ("MOVE R101 TO A1", "no-space", "the nearest space is A10+0"),
        ("MOVE R101 TO J4+99", "no-space", "the nearest space is J4+9"),
        ("MOVE R101 TO red-gat", "no-space", "did you mean red-gate?"),
        ("BUILD Criuser AT J10", "unknown-name", "did you mean Cruiser?"),
        ("BUILD Cruiser AT J9", "not-yours", "the nearest of yours is J10+0"),
        ("BUILD Cruiser AT J1", "not-yours", "in that column and row yours is J1+9"),
        ("BUILD Cruiser AT nowhere", "unknown-name", "yours: J1+9, J10+0"),
        ("FIRE R101 AT R102", "own-ship", ""),
        ("FIRE R101 AT X102", "bad-ship-id", "possible: G (green), C (cyan), B (blue)"),
        ("FIRE R101 AT everyone", "bad-ship-id", ""),
        ("ALLY red YES", "unknown-name", ""),
        ("HIDE NEW1", "unknown-name", ""),
        ("RESIGN", "unconfirmed", "to leave the game, write on a line of its own: RESIGN CONFIRM"),
    ],
)
def test_words_that_cannot_be_read(line: str, code: str, hint: str) -> None:
    """A word that means nothing is an error with the nearest valid thing."""
    (found,) = findings(_fleet(), "red", line)

    assert (found.code, found.severity) == (code, "error")
    assert hint in found.hint


def test_lines_with_errors_are_not_taken() -> None:
    """Only the other lines of the sheet are accepted."""
    parsed = RULESET.parse(view(_fleet(), "red"), lines("MOVE R101 JUMP / MOVE R102 N / NONSENSE"))

    assert [entry.line for entry in parsed.entries] == [2]


@pytest.mark.parametrize(
    "failed",
    [
        "BUILD Scoot AT J1+9",
        "BUILD Scout AT J9",
        "BUILD 1 Scout AT nowhere",
        "bui",
        "BUILT Scout AT J1+9",
        "BUILD \\ ; \\",
    ],
)
def test_a_failed_build_line_keeps_its_number(failed: str) -> None:
    """The second BUILD of a sheet is NEW2, whether or not the first was understood (ruling 43)."""
    sheet = f"; prices / {failed} / BUILD Scout AT J1+9 / MOVE NEW2 N"
    parsed = RULESET.parse(view(world(), "red"), lines(sheet))
    restated = RULESET.parse(view(world(), "red"), lines("\n".join(map(BOOK.line, parsed.orders))))

    assert parsed.orders == restated.orders == (Build("Scout", "J1+9", first=2), Move(("NEW2",), None, None, ("N",)))
    assert [each.text for each in parsed.findings if each.code == "new-name"] == ["on this sheet it is called NEW2"]


def test_a_failed_build_of_several_keeps_all_their_numbers() -> None:
    """Two cruisers that were not understood would have been NEW1 and NEW2."""
    parsed = RULESET.parse(view(world(), "red"), lines("BUILD 2 Crusher AT J1+9 / BUILD 2 Scout AT J1+9 / MOVE NEW4 N"))

    assert parsed.orders[0] == Build("Scout", "J1+9", 2, first=3)
    assert not [each for each in parsed.errors if each.line > 1]


def test_a_build_without_points_is_refused_and_keeps_its_number() -> None:
    """A ship that cannot be paid for is refused, with those that can be; NEW2 is the ship of the second line."""
    sheet = ["BUILD Basestar AT J1+9", "BUILD Cruiser AT J1+9", "MOVE NEW2 S"]
    parsed = RULESET.parse(view(world(points=5, owners={"J1+9": "red"}), "red"), list(enumerate(sheet, 1)))

    assert [BOOK.line(order) for order in parsed.orders] == ["BUILD Cruiser AT J1+9 AS NEW2", "MOVE NEW2 S"]
    assert [(each.line, each.text, each.hint) for each in parsed.errors] == [
        (1, "one Basestar costs 15 points, with 10 left", "possible: Terraformer (5), Scout (6), Cruiser (10)")
    ]


def test_a_number_is_given_once() -> None:
    """A line that names its ships by numbers that are given already is refused, and told the next."""
    (found,) = findings(world(), "red", "BUILD 2 Scout AT J1+9 / BUILD Scout AT J1+9 AS NEW2")

    assert (found.line, found.code, found.hint) == (2, "number-taken", "the next is NEW3")


def test_two_colours_for_one_planet_contradict_each_other() -> None:
    """The later line is an error that names the earlier; the earlier stands (ruling 44)."""
    workers = [ship(key, "J10", "Terraformer") for key in ("R101", "R102", "R103")]
    state = world(*workers, owners={"J10+0": "red"})
    sheet = "TERRAFORM R101 TO magenta / TERRAFORM R103 / TERRAFORM R102 TO yellow"

    (found,) = findings(state, "red", sheet)

    assert (found.line, found.severity, found.code) == (3, "error", "two-colours")
    assert found.text == "line 1 has the planet at J10+0 changed to magenta, and it cannot become yellow too"
    assert codes(state, "red", sheet.replace("R102", "R101")) == [(3, "warning", "replaced")]
    assert codes(state, "red", sheet + " / MOVE R102 N") == [(3, "warning", "cannot-terraform")]
    assert play(state, red=sheet).colour("J10+0") == "magenta"


def test_a_refused_line_replaces_nothing() -> None:
    """The receipt on the other lines is as if the refused one had not been written."""
    sheet = "MOVE R101 N / MOVE R101 JUMP / TERRAFORM R103 / MOVE R103 N N N"

    assert codes(_fleet(), "red", sheet) == [(2, "error", "cannot-move"), (4, "error", "cannot-move")]


def test_an_off_map_step_is_foreseen() -> None:
    """A way that leaves the map where the player can know it is a warning with the last space."""
    (found,) = findings(world(ship("R101", "J2+9")), "red", "MOVE R101 N N")

    assert (found.code, found.text) == ("off-map", "R101 would leave the map after J1+9, and stops there")


def test_a_way_through_an_uncharted_jump_is_not_foreseen() -> None:
    """The exit is not known, so the receipt does not tell the end; through a charted jump it does."""
    state = world(ship("R101", "J10", "Scout"))
    jumped = play(state, red="MOVE R101 JUMP").state
    back = dataclasses.replace(jumped, ships={"R101": ship("R101", "J10", "Scout")})
    end = view(back, "red")["charts"][0]["exit"]
    off = "UP" if end.endswith("+9") else "N"

    assert codes(state, "red", "MOVE R101 JUMP N") == []
    assert [each.code for each in findings(back, "red", f"MOVE R101 JUMP {off}")] in ([], ["off-map"])


def test_an_unseen_target_may_be_named() -> None:
    """A ship may be met after movement, so any well-written id of another player is taken."""
    parsed = RULESET.parse(view(_fleet(), "red"), lines("FIRE R101 AT g777"))

    assert parsed.orders == (Fire(("R101",), ("G777",)),)


def test_a_receipt_foresees_unpaid_ships() -> None:
    """A player is warned when points will not pay for the ships."""
    state = world(*(ship(f"R10{n}", "J10") for n in range(9)), points=0)

    (found,) = findings(state, "red", "MOVE R101 N")

    assert found.text == "5 points cannot pay for 9 ships: 4 will be scrapped"


def test_a_receipt_names_new_ships_and_the_rest_of_the_purse() -> None:
    """Notes tell what new ships are called on this sheet, and what will be saved."""
    parsed = RULESET.parse(view(world(points=30), "red"), lines("BUILD Scout AT J1+9 / BUILD 2 Cruiser AT J1+9"))

    notes = [(each.line, each.text) for each in parsed.findings if each.severity == "note"]
    assert notes == [
        (0, "9 points will be left to save"),
        (1, "on this sheet it is called NEW1"),
        (2, "on this sheet they are called NEW2 to NEW3"),
    ]


def test_who_writes_stay_hears_that_it_is_a_move() -> None:
    """A player who means "leave it there" would lose what only stationary ships do (rulings 11 and 12)."""
    state = world(ship("R101", "J10"), ship("R102", "J10"))

    assert codes(state, "red", "R101 stay / MOVE R102 N STAY") == [(1, "warning", "stays")]
    (found,) = findings(state, "red", "R101 stays where it is")
    assert found.hint.startswith("a ship without a MOVE stays where it is")


def test_a_sentence_of_a_player_about_himself_is_no_resignation() -> None:
    """A line with I is read as what follows; only a player who says that they give up is told how to."""
    assert codes(world(points=30), "red", "I build a scout") == []
    assert findings(world(), "red", "I quit")[0].hint == "to leave the game, write on a line of its own: RESIGN CONFIRM"
    assert findings(world(), "red", "hello")[0].hint.startswith("possible: DECLARE, SCRAP, REPAIR")


def test_words_that_are_no_orders_are_repeated_as_they_were_typed() -> None:
    """A receipt repeats them so also where the line was read once more as people talk."""
    assert [each.text for each in findings(world(), "red", "Ann")] == ["there is no order Ann"]


def test_a_receipt_says_where_moves_end() -> None:
    """Players can check vectors by the spaces they lead to, as far as they know them."""
    fleet = [ship("R101", "J10"), ship("R102", "J10", "Scout"), ship("R103", "J10"), dark("R104", "J10")]
    sheet = "MOVE R101 SLIP N+ 2 UP / MOVE R102 S JUMP / MOVE R103 N / MOVE R103/R104 SE"

    (note,) = [each for each in RULESET.parse(view(world(*fleet), "red"), lines(sheet)).findings if each.code == "ends"]

    assert note.text == "moves end, if nothing stops them, at: R101 J8+3, R102 beyond a jump from J11+0, R103 K10+0"


def test_a_purse_of_one_is_told_in_the_singular() -> None:
    """A receipt says 1 point, not 1 points."""
    note = RULESET.parse(view(world(points=2), "red"), lines("BUILD Scout AT J1+9")).findings[0]

    assert note.text == "1 point will be left to save"


def test_factions_are_checked_by_what_is_known() -> None:
    """A declaration with enough planets and a known alliance is taken; whether two others are allied is not known."""
    state = given(world(seats=RULESET.seats.names, allies=[("red", "green"), ("red", "blue")]), 26, "red")

    assert codes(state, "red", "DECLARE FACTION WITH green") == []
    assert codes(state, "red", "DECLARE FACTION WITH green blue") == [(1, "warning", "if-allied")]
    assert codes(state, "red", "DECLARE EMPIRE WITH green blue") == []
    assert codes(state, "red", "DECLARE EMPIRE WITH green green") == [(1, "error", "bad-faction")]
    twice = "DECLARE EMPIRE WITH green blue / DECLARE EMPIRE WITH blue green"
    assert codes(state, "red", twice) == [(2, "error", "bad-faction")]


def test_without_alliances_there_is_nothing_to_set() -> None:
    """In a pure war game ALLY is an error."""
    assert codes(world(alliances=False), "red", "ALLY green YES") == [(1, "error", "no-alliances")]


def test_nothing_is_taken_from_who_is_not_asked() -> None:
    """A sheet of a player not awaited is answered, and nothing of it taken."""
    left = play(world(), red="RESIGN CONFIRM").state

    parsed = RULESET.parse(view(left, "red"), lines("ALLY green YES / RESIGN CONFIRM"))

    assert not parsed.entries
    assert [each.code for each in parsed.findings if each.severity == "error"] == ["not-awaited"]


def test_who_is_not_asked_may_resign() -> None:
    """RESIGN is taken at any time, also in a round of combat asked of others (ruling 42); nothing else is."""
    fleet = [ship("R101", SITE), ship("G101", SITE), ship("G102", SITE), ship("C101", "J3")]
    state = play(dataclasses.replace(world(*fleet, pace="section"), section="movement")).state

    resigned = RULESET.parse(view(state, "cyan"), lines("RESIGN CONFIRM"))
    mixed = RULESET.parse(view(state, "cyan"), lines("MOVE C101 N / RESIGN CONFIRM"))
    after = RULESET.resolve(state, TurnInput({"red": (), "cyan": resigned.orders}), Dice(b"x"))[0]

    assert resigned.orders == mixed.orders == (Resign(),)
    assert not resigned.errors
    assert [each.code for each in mixed.errors] == ["not-awaited"]
    assert not after.players["cyan"].playing


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("mov r101 slip ne− 3 n+ up", Move(("R101",), "NE-", 3, ("N+", "UP"))),
        ("MOVE R101/R102 N", Move(("R101", "R102"), None, None, ("N",))),
        ("MOVE R101 SLIP S", Move(("R101",), "S")),
        ("build 2 scout at red-home", Build("Scout", "J1+9", 2)),
        ("BUILD Scout AT j10", Build("Scout", "J10+0")),
        ("REPAIR R104 2 weapons drive", Repair("R104", 2, ("weapons", "drive"))),
        ("FIRE R101 AT G101, G102", Fire(("R101",), ("G101", "G102"))),
        ("TARGET green, Basestar", Target(("green", "Basestar"))),
        ("TERRAFORM R103 TO mag", Terraform("R103", "magenta")),
        ("DECLARE FACTION WITH blue green", DeclareFaction(("blue", "green"))),
        ("resign confirm", Resign()),
    ],
)
def test_lines_read_and_written(line: str, order: object) -> None:
    """Lines are read without regard to case and commas, and what is written reads as the same order."""
    parsed = BOOK.parse(view(_fleet(), "red"), lines(line))

    assert parsed.orders == (order,)
    assert BOOK.parse(view(_fleet(), "red"), [(1, BOOK.line(parsed.orders[0]))]).orders == (order,)
    assert BOOK.from_json(BOOK.to_json(parsed.orders[0])) == order


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("MOVE R101/R102 SLIP NE- 3 N+ JUMP STAY", "move R101 and R102: slip NE- for 3 spaces, warp N+, jump, stay"),
        ("BUILD 2 Scout AT J10", "build 2 Scouts at J10+0"),
        ("REPAIR R104", "repair all damage of R104"),
        ("REPAIR R104 1 drive weapons", "repair drive and weapons of R104 for at most 1 point"),
        ("HIDE R101", "hide R101"),
        ("SCRAP R101/R102/R103", "scrap R101, R102 and R103"),
        ("FIRE R101 AT G101 G102", "R101 to fire at G101 and G102"),
        ("TARGET green Scout", "shoot first at green, then Scout"),
        ("TERRAFORM R103 TO yellow", "terraform with R103 to yellow"),
        ("TERRAFORM R103 NO", "do not terraform with R103"),
        ("ALLY cyan YES", "alliance with cyan: yes"),
        ("DECLARE FACTION WITH blue", "declare a faction with blue"),
        ("DECLARE EMPIRE WITH blue cyan", "declare an empire over blue and cyan"),
        ("RESIGN CONFIRM", "resign from the game"),
    ],
)
def test_orders_are_restated_in_words(line: str, words: str) -> None:
    """A receipt says every order back in words."""
    (order,) = BOOK.parse(view(_fleet(), "red"), [(1, line)]).orders

    assert order.words() == words


def test_without_a_sheet_only_the_doctrine_stays() -> None:
    """A player who sends nothing gets maintenance as the rule has it, and keeps the TARGET doctrine."""
    kept = BOOK.parse(view(_fleet(), "red"), lines("TARGET green / MOVE R101 N / BUILD Scout AT J10")).orders

    assert RULESET.defaults(view(_fleet(), "red"), kept) == (Target(("green",)),)


def test_a_kept_doctrine_forgets_who_has_left() -> None:
    """A doctrine of a turn before names only players still in the game, and is dropped when it names none."""
    shown = view(play(_fleet(), green="RESIGN CONFIRM").state, "red")

    assert RULESET.defaults(shown, (Target(("green", "Scout")),)) == (Target(("Scout",)),)
    assert RULESET.defaults(shown, (Target(("green",)),)) == ()


def test_the_template_is_all_comment_until_filled_in() -> None:
    """The sheet mailed with a report orders nothing by itself, and its lines without the mark are orders."""
    shown = view(_fleet(), "red")
    sheet = RULESET.template(shown)

    assert RULESET.parse(shown, list(enumerate(sheet, 1))).entries == ()
    wanted = [line.removeprefix("; ") for line in sheet if line.startswith("; ")]
    assert len(wanted) > 8
    assert BOOK.parse(shown, list(enumerate(wanted, 1))).findings == ()


def test_the_template_leads_to_the_nearest_planet() -> None:
    """Each ship is offered the nearest planet to be taken, or the way there; built is what the points pay."""
    state = world(ship("R100", "J7+3", "Cruiser"), ship("R101", "J2+8", "Scout"), owners={"J7+3": "red", "J1+9": "red"})

    sheet = RULESET.template(view(state, "red"))
    assert sheet[:3] == ["; BUILD Basestar AT J1+9", "; MOVE R100 TO G7+0", "; MOVE R101 TO J4+6"]


def test_a_space_out_of_reach_is_answered_with_the_way_there() -> None:
    """A move out of reach is answered with the nearest space that is not, as a line to send."""
    (found,) = findings(world(ship("R100", "J10", "Scout")), "red", "R100 TO J1+9")

    assert (found.code, found.corrected) == ("no-course", "MOVE R100 TO J8+2")


@pytest.mark.parametrize(
    ("line", "build"),
    [
        ("build a scout at J10 in orbit", "BUILD Scout AT J10+0"),
        ("BUILD 2 Scout AT J10 AS Enterprise", "BUILD 2 Scout AT J10+0"),
        ("BUILD Scout AT J10 AS NEW2 as agreed with Ann", "BUILD Scout AT J10+0 AS NEW2"),
    ],
)
def test_words_behind_a_build_are_answered_with_the_line_without_them(line: str, build: str) -> None:
    """Words behind the space of a BUILD are named as what is not understood, with the BUILD that is."""
    (found,) = findings(_fleet(), "red", line)

    assert found.code in ("bad-name", "extra-words")
    assert found.corrected == build


def test_what_a_sheet_builds_is_named_before_there_are_ships() -> None:
    """A player without ships who moves a planet hears what their new ship is called."""
    (found,) = findings(world(), "red", "MOVE J7+3")

    assert found.hint == "you have no ships yet; what your sheet builds is called NEW1"


def test_the_template_shows_what_terraformers_will_do() -> None:
    """With a choice of two colours the sheet offers the one that would not be taken by itself."""
    workers = [ship(f"R10{at}", space, "Terraformer") for at, space in enumerate(("J10", "J4+6", "J1+9", "J12"))]
    state = world(*workers, owners={"J10+0": "red", "J4+6": "red"}, colours={"J10+0": "gray", "J4+6": "yellow"})

    sheet = [line for line in RULESET.template(view(state, "red")) if "TERRAFORM" in line]

    assert sheet == ["; TERRAFORM R100 TO magenta", "; TERRAFORM R101 NO"]


def test_a_large_fleet_moves_by_lines_for_ships_that_are_alike() -> None:
    """Of more than twelve ships up to five that are alike in a space share a line; each ship is on one of them."""
    crowd = [ship(f"R2{at:02}", "J10") for at in range(10, 17)]
    apart = [ship(f"R3{at:02}", f"J{at}") for at in range(12, 16)]
    others = [ship("R400", "J10", drive=2), ship("R401", "J10", "Scout")]
    few, many = (RULESET.template(view(world(*fleet), "red")) for fleet in (crowd, [*crowd, *apart, *others]))
    moves = [line for line in many if line.startswith("; MOVE")]

    assert not any("/" in line for line in few)
    assert [line for line in moves if "/" in line] == [
        "; MOVE R210/R211/R212/R213/R214 TO G10-3",
        "; MOVE R215/R216 TO G10-3",
    ]
    assert sorted(re.findall(r"R\d+", " ".join(moves))) == sorted(each.id for each in (*crowd, *apart, *others))
    assert all(len(line) <= 40 for line in moves)


@pytest.mark.parametrize("pace", ["turn", "section"])
def test_a_form_line_obeyed_is_taken(pace: str) -> None:
    """Without its semicolon each line of the form is that order, and no error; there are no remarks."""
    shown = [
        each for state, events in _campaign(pace) for _, each in RULESET.views(state, sorted(state.awaited), events)
    ]
    forms = [(each, line) for each in shown for line in RULESET.template(each)]
    offered = [(each, line.removeprefix("; ")) for each, line in forms]

    assert all(line.startswith("; ") and "#" not in line and len(line) <= 78 for _, line in forms)
    assert {line.split()[0] for _, line in offered} >= {"REPAIR", "BUILD", "MOVE", "TARGET", "TERRAFORM", "ALLY"}
    assert [line for each, line in offered if _refused(each, line)] == []


def _campaign(pace: str) -> list[tuple[State, tuple[Event, ...]]]:
    """Return moments of a campaign of four bots."""
    state, events, moments = RULESET.setup({"pace": pace}, COLOURS[:4], Dice(b"forms")), tuple[Event, ...](), []
    for step in range(30):
        moments.append((state, events))
        views = RULESET.views(state, sorted(state.awaited), events)
        sheets = {seat: RULESET.bots["standard"](each, Dice(b"forms")) for seat, each in views}
        orders = {seat: read(state, seat, "\n".join(sheet)) for seat, sheet in sheets.items()}
        state, events = RULESET.resolve(state, TurnInput(orders), Dice(b"forms").within(step))
        if state.result:
            break
    return moments


def _refused(shown: View, line: str) -> bool:
    parsed = RULESET.parse(shown, [(1, line)])
    return bool(parsed.errors) or [BOOK.line(order).split()[0] for order in parsed.orders] != line.split()[:1]


def test_only_factions_that_hold_are_offered() -> None:
    """Each ally with planets enough is offered, an empire with two; no faction that stands already.

    None is offered either that may lack an alliance of which its reader does not know.
    """
    state = given(world(seats=COLOURS, allies=[("red", "green"), ("red", "blue")]), 24, "red")
    stands = dataclasses.replace(state, factions=(Faction(("red", "green"), None, 1),))

    assert _declarations(state) == ["WITH blue", "WITH green", "EMPIRE"]
    assert _declarations(stands) == ["WITH blue", "EMPIRE"]
    assert codes(stands, "red", "DECLARE FACTION WITH green") == [(1, "error", "bad-faction")]


def _declarations(state: State) -> list[str]:
    offered = [line for line in RULESET.template(view(state, "red")) if line.startswith("; DECLARE")]
    return ["EMPIRE" if "EMPIRE" in line else line.removeprefix("; DECLARE FACTION ") for line in offered]


def test_every_example_is_an_order_as_players_type_it() -> None:
    """Each example of HELP and the rulebook is read by the rules as that order, and written back the same."""
    ships = ("R472", "J10"), ("R133", "J10"), ("R205", "J10")
    state = world(*(ship(key, space) for key, space in ships), seats=("red", "green", "blue"))
    shown = [(verb, example) for verb in BOOK.verbs for example in verb.examples]

    for verb, example in shown:
        (order,) = BOOK.parse(view(state, "red"), [(1, example)]).orders
        assert type(order) is verb.order
    assert len({example for _, example in shown}) == len(shown)
