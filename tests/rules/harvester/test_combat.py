"""Combat: winners, wrecks and conquests (rulings 4, 6 and 8)."""

from __future__ import annotations

from tests.rules.harvester.table import position, resources, ruler, told, turn, where


def test_the_higher_total_destroys_all_opponents() -> None:
    """The combat abilities of all units of a side in a hex are added up; the highest total wins."""
    state = position({"ann": {"S1": (2, 0), "S2": (2, 1)}, "bob": {"L1": (3, 0)}})

    after, _ = turn(state, {"ann": ["MOVE S1 E", "MOVE S2 NE"]})

    assert where(after, "ann", "S1") == where(after, "ann", "S2") == (3, 0)
    assert where(after, "bob", "L1") is None


def test_movers_may_lose() -> None:
    """A unit that enters a hex of stronger enemies is destroyed there."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"L1": (3, 0)}})

    after, _ = turn(state, {"ann": ["MOVE S1 E"]})

    assert where(after, "ann", "S1") is None
    assert where(after, "bob", "L1") == (3, 0)


def test_equal_totals_keep_the_movers_out() -> None:
    """On a tie the moving units do not enter the hex, and the units there stay."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"S1": (3, 0)}})

    after, _ = turn(state, {"ann": ["MOVE S1 E E E"]})

    assert where(after, "ann", "S1") == (2, 0)
    assert where(after, "bob", "S1") == (3, 0)


def test_both_movers_stay_out_on_a_tie() -> None:
    """If both sides move into an empty hex with equal totals, neither gets in."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"S1": (4, 0)}})

    after, _ = turn(state, {"ann": ["MOVE S1 E"], "bob": ["MOVE S1 W"]})

    assert (where(after, "ann", "S1"), where(after, "bob", "S1")) == ((2, 0), (4, 0))


def test_the_highest_of_three_wins_alone() -> None:
    """With three sides in a hex, the strictly highest total destroys both others, however strong they are together."""
    state = position({"ann": {"G": (3, 0)}, "bob": {"L1": (2, 0)}, "cyd": {"L1": (4, 0)}})

    after, _ = turn(state, {"bob": ["MOVE L1 E"], "cyd": ["MOVE L1 W"]})

    assert where(after, "ann", "G") == (3, 0)
    assert where(after, "bob", "L1") is where(after, "cyd", "L1") is None


def test_who_steps_back_meets_whoever_followed() -> None:
    """A unit that steps back on a tie is in its old hex again when the units that followed are judged."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"S1": (3, 0)}, "cyd": {"C1": (1, 0)}})

    after, _ = turn(state, {"ann": ["MOVE S1 E"], "cyd": ["MOVE C1 E"]})

    assert where(after, "ann", "S1") == (2, 0)
    assert where(after, "cyd", "C1") is None


def test_enemies_who_would_swap_hexes_meet_on_the_border() -> None:
    """They are judged first; the loser falls where it came from, and the winner goes on."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"C1": (3, 0)}})

    after, events = turn(state, {"ann": ["MOVE S1 E E"], "bob": ["MOVE C1 W"]})

    assert where(after, "ann", "S1") == (4, 0)
    assert (where(after, "bob", "C1"), resources(after, (3, 0))) == (None, 1)
    assert told(events, "bob", "fought")[0]["border"] == "W"


def test_on_a_tie_nobody_crosses_the_border() -> None:
    """Equal enemies who would swap hexes both stay where they are."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"S1": (3, 0)}})

    after, _ = turn(state, {"ann": ["MOVE S1 E"], "bob": ["MOVE S1 W"]})

    assert (where(after, "ann", "S1"), where(after, "bob", "S1")) == ((2, 0), (3, 0))


def test_friends_swap_hexes_freely() -> None:
    """Units of one side pass each other."""
    state = position({"ann": {"S1": (2, 0), "S2": (3, 0)}})

    after, _ = turn(state, {"ann": ["MOVE S1 E", "MOVE S2 W"]})

    assert (where(after, "ann", "S1"), where(after, "ann", "S2")) == ((3, 0), (2, 0))


def test_faster_units_pass_a_hex_before_slower_ones_come() -> None:
    """A unit takes its steps in the first impulses; one that enters a hex later meets only units still there."""
    state = position({"ann": {"C1": (2, 0)}, "bob": {"G": (4, 0)}})

    after, _ = turn(state, {"ann": ["MOVE C1 SE E E"], "bob": ["MOVE G W"]})

    assert (where(after, "ann", "C1"), where(after, "bob", "G")) == ((4, 1), (3, 0))


def test_subservients_of_one_ruler_do_not_attack_each_other() -> None:
    """They may share a hex in peace."""
    units = {"bob": {"S1": (3, 0)}, "cyd": {"L1": (4, 0)}}
    state = position(units, rulers={"bob": "ann", "cyd": "ann"})

    after, events = turn(state, {"bob": ["MOVE S1 E"]})

    assert where(after, "bob", "S1") == where(after, "cyd", "L1") == (4, 0)
    assert told(events, "bob", "fought") == []


def test_a_side_adds_up_the_strengths_of_its_subservients() -> None:
    """Subservients of one ruler that meet an enemy together fight together."""
    units = {"bob": {"S1": (3, 0)}, "cyd": {"S1": (5, 0)}, "dan": {"H": (9, -9), "L1": (4, 0)}}
    state = position(units, rulers={"bob": "ann", "cyd": "ann"})

    after, _ = turn(state, {"bob": ["MOVE S1 E"], "cyd": ["MOVE S1 W"]})

    assert where(after, "dan", "L1") is None


def test_destroyed_units_leave_resources() -> None:
    """A General leaves 4 resources in the hex where it is destroyed: as many as its scanner rating."""
    state = position({"ann": {"L1": (2, 0), "L2": (2, 0)}, "bob": {"G": (3, 0)}})

    after, _ = turn(state, {"ann": ["MOVE L1 E", "MOVE L2 E"]})

    assert resources(after, (3, 0)) == 4


def test_a_harvester_alone_is_conquered() -> None:
    """A Harvester has no combat ability: any enemy that enters its hex conquers it. It is not destroyed."""
    state = position({"ann": {"C1": (2, 0)}, "bob": {"H": (3, 0)}})

    after, events = turn(state, {"ann": ["MOVE C1 E"]})

    assert ruler(after, "bob") == "ann"
    assert where(after, "bob", "H") == where(after, "ann", "C1") == (3, 0)
    assert told(events, "bob", "conquered") == [{"by": "ann"}]
    assert told(events, "ann", "won-over") == [{"who": "bob", "by": "ann"}]


def test_a_guard_saves_its_harvester() -> None:
    """A guard that is as strong keeps enemies out, a stronger one destroys them."""
    tied = position({"ann": {"S1": (2, 0)}, "bob": {"H": (3, 0), "S1": (3, 0)}})
    held = position({"ann": {"S1": (2, 0)}, "bob": {"H": (3, 0), "L1": (3, 0)}})

    assert where(turn(tied, {"ann": ["MOVE S1 E"]})[0], "ann", "S1") == (2, 0)
    assert where(turn(held, {"ann": ["MOVE S1 E"]})[0], "ann", "S1") is None


def test_an_outfought_guard_is_destroyed_and_its_harvester_conquered() -> None:
    """The winners take the hex: the guard falls, the Harvester is conquered."""
    state = position({"ann": {"L1": (2, 0)}, "bob": {"H": (3, 0), "S1": (3, 0)}})

    after, _ = turn(state, {"ann": ["MOVE L1 E"]})

    assert ruler(after, "bob") == "ann"
    assert where(after, "bob", "S1") is None


def test_a_harvester_that_drives_into_enemies_is_conquered() -> None:
    """A Harvester is conquered also if it enters the enemy's hex."""
    state = position({"ann": {"C1": (-5, 0)}}, resources={(-5, 0): 1})

    after, _ = turn(state, {"bob": ["TARGET -5,0"]})

    assert ruler(after, "bob") == "ann"
    assert where(after, "bob", "H") == (-5, 0)


def test_a_harvester_may_be_conquered_on_a_border() -> None:
    """An enemy that would swap hexes with a Harvester outfights it; the Harvester stays where it came from."""
    state = position({"ann": {"C1": (-5, 0)}}, resources={(-5, 0): 1})

    after, _ = turn(state, {"bob": ["TARGET -5,0"], "ann": ["MOVE C1 W"]})

    assert ruler(after, "bob") == "ann"
    assert where(after, "bob", "H") == where(after, "ann", "C1") == (-6, 0)


def test_of_a_loss_on_the_border_and_one_in_the_hex_the_latter_counts() -> None:
    """A player who met a Harvester on its border does not rule it if it then lost to others in its hex (ruling 8)."""
    state = position({"ann": {"C1": (-5, 0)}, "cyd": {"G": (-7, 0)}}, resources={(-5, 0): 1})

    after, events = turn(state, {"bob": ["TARGET -5,0"], "ann": ["MOVE C1 W"], "cyd": ["MOVE G E"]})

    assert ruler(after, "bob") == "cyd"
    assert told(events, "bob", "conquered") == [{"by": "cyd"}]


def test_each_who_fought_is_told_whom() -> None:
    """The report of a fight has the hex, outcome, own strength, enemies by player and kind, and own losses."""
    state = position({"ann": {"L1": (2, 0)}, "bob": {"H": (3, 0), "S1": (3, 0), "C1": (3, 0)}})

    _, events = turn(state, {"ann": ["MOVE L1 E"]})

    (won,) = told(events, "ann", "fought")
    assert (won["outcome"], won["strength"], won["lost"]) == ("tied", 3, "")
    assert won["enemies"] == "bob HSC"


def test_a_fight_is_told_with_who_won_and_why() -> None:
    """All who fought read which players won with which strength, also the allies of the strongest (ruling 12)."""
    units = {"ann": {"S1": (2, 0)}, "bob": {"S1": (4, 0)}, "cyd": {"C1": (4, -1)}}
    state = position(units, rulers={"bob": "dan", "cyd": "dan"})

    _, events = turn(state, {"ann": ["MOVE S1 E"], "bob": ["MOVE S1 W"], "cyd": ["MOVE C1 SW"]})

    fights = [told(events, seat, "fought") for seat in ("ann", "bob", "cyd")]
    assert [(each["outcome"], each["strength"]) for (each,) in fights] == [("lost", 2), ("won", 3), ("won", 3)]
    assert all((each["best"], each["winners"]) == (3, ["bob", "cyd"]) for (each,) in fights)


def test_of_a_tie_it_is_told_that_nobody_won() -> None:
    """The report of a tie has the highest strength and no winner (ruling 12)."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"S1": (3, 0)}})

    _, events = turn(state, {"ann": ["MOVE S1 E"]})

    assert [(each["best"], each["winners"]) for each in told(events, "bob", "fought")] == [(2, [])]


TOGETHER = {"ann": {"L1": (5, -1)}, "bob": {"H": (5, 0), "S1": (2, 0)}, "cyd": {"H": (0, 6), "S1": (2, 0)}}
"""Units of bob and of the ruler cyd are in one hex; ann's Lieutenant is beside bob's Harvester."""


def test_enemies_left_together_fight_in_the_next_impulse() -> None:
    """When bob is conquered, bob's Soldier and the former ruler's Lieutenant in one hex are enemies (ruling 14)."""
    state = position(TOGETHER | {"cyd": {"H": (0, 6), "L1": (2, 0)}}, rulers={"bob": "cyd"})

    after, events = turn(state, {"ann": ["MOVE L1 SE"]})

    assert (ruler(after, "bob"), where(after, "bob", "S1")) == ("ann", None)
    assert [(each["impulse"], each["winners"]) for each in told(events, "cyd", "fought")] == [(2, ["cyd"])]


def test_nobody_walks_off_from_an_enemy_unjudged() -> None:
    """A Soldier whose companion has just become an enemy is judged before it takes its next step (ruling 14)."""
    units = {"ann": {"H": (-3, 0), "C1": (7, 0)}, "bob": {"H": (5, 0), "S1": (0, 0)}, "dan": {"L1": (2, 0)}}
    state = position(units, rulers={"bob": "cyd", "dan": "cyd"})

    after, _ = turn(state, {"ann": ["MOVE C1 W W"], "bob": ["MOVE S1 E E E"]})

    assert (ruler(after, "bob"), where(after, "bob", "S1")) == ("ann", None)
    assert resources(after, (2, 0)) == 2


def test_a_standoff_is_told_once() -> None:
    """Equal enemies left together stay or walk off, and are told of each other once (ruling 14)."""
    first, events = turn(position(TOGETHER, rulers={"bob": "cyd"}), {"ann": ["MOVE L1 SE"]})
    second, later = turn(first)
    third, _ = turn(second, {"bob": ["MOVE S1 E"]})

    assert [(each["q"], each["r"], each["outcome"]) for each in told(events, "cyd", "fought")] == [(2, 0, "tied")]
    assert told(later, "cyd", "fought") == told(later, "bob", "fought") == []
    assert where(third, "bob", "S1") == (3, 0)


def test_equals_are_judged_again_before_each_further_step() -> None:
    """The unit that has become the weaker of two former equals falls before it can walk off (ruling 14)."""
    units = {"ann": {"S1": (3, 0), "C1": (3, 0)}, "bob": {"L1": (3, 0)}}
    equal, _ = turn(position(units))
    assert where(equal, "ann", "S1") == where(equal, "bob", "L1") == (3, 0)

    after, _ = turn(equal, {"ann": ["DESTROY C1", "MOVE S1 W"]})

    assert (where(after, "ann", "S1"), where(after, "bob", "L1")) == (None, (3, 0))


def test_enemies_left_together_at_the_end_of_a_turn_fight_in_the_next() -> None:
    """A conquest in the fourth impulse is followed by its fights in the first of the next turn (ruling 14)."""
    units = {"ann": {"C1": (9, 0)}, "bob": {"H": (5, 0), "S1": (2, 0)}, "cyd": {"H": (0, 6), "L1": (2, 0)}}
    state, _ = turn(position(units, rulers={"bob": "cyd"}), {"ann": ["MOVE C1 W W W W"]})
    assert (ruler(state, "bob"), where(state, "bob", "S1")) == ("ann", (2, 0))

    after, events = turn(state, {"bob": ["MOVE S1 E"]})

    assert where(after, "bob", "S1") is None
    assert [(each["impulse"], each["winners"]) for each in told(events, "bob", "fought")] == [(1, ["cyd"])]
