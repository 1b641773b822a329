"""The defaults of `BaseRuleset`, and saves that follow from declarations."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pbem.ruleset import BaseRuleset, Dice, SaveError, Seats, SetupError, View, canonical_json
from pbem.ruleset.protocol import bot_lines
from tests.testing.toy import TOY, Boat, Sea
from tests.toy import Auction

OPTIONS = {"turns": 4, "boats": 2}
SEATS = ("red", "blue")


class Weather(enum.Enum):
    """An enumeration of a few values."""

    FAIR = "fair"
    FOUL = "foul"


@dataclass(frozen=True)
class Port:
    """A record within a record."""

    name: str
    depth: int | None = None


@dataclass(frozen=True)
class World:
    """A state with a field of every type that can be saved."""

    turn: int
    calm: bool
    weather: Weather
    seats: tuple[str, ...]
    spot: tuple[int, str]
    seen: frozenset[str]
    ports: Mapping[str, Port]
    best: Port | None = None


WORLD = World(3, True, Weather.FOUL, ("red", "blue"), (4, "x"), frozenset({"b", "a"}), {"ayr": Port("Ayr", 5)})


class Bare(BaseRuleset[World]):
    """A game that declares nothing but its state."""

    title = "Bare"
    version = 2
    upgrades = (lambda data: {**data, "calm": True},)


def test_a_bot_of_a_seat_that_is_not_awaited_writes_nothing() -> None:
    """The bot is not called, so it need not look whether its seat is awaited."""

    def bot(view: View, dice: Dice) -> list[str]:
        return [f"HOLD {view['units'][0]}"]

    assert bot_lines(bot, {"awaited": True, "units": ["Kite"]}, Dice(b"x")) == ["HOLD Kite"]
    assert bot_lines(bot, {"awaited": False}, Dice(b"x")) == []


def test_a_state_is_saved_by_its_declaration() -> None:
    """Records, tuples, sets, mappings, enums and optional values come back from JSON as they were."""
    data = Bare().dump(WORLD)

    assert Bare().load(json.loads(canonical_json(data)), 2) == WORLD
    assert data["seen"] == ["a", "b"]


def test_equal_states_give_equal_data() -> None:
    """The save of a set or mapping is the same to the byte, in whatever order it was made."""
    ports = {"bath": Port("Bath"), "ayr": Port("Ayr")}
    one = dataclasses.replace(WORLD, ports=ports)
    two = dataclasses.replace(WORLD, ports=dict(reversed(ports.items())), seen=frozenset({"a", "b"}))

    assert json.dumps(Bare().dump(one)) == json.dumps(Bare().dump(two))


@pytest.mark.parametrize(
    "change",
    [
        {"turn": "3"},
        {"turn": True},
        {"turn": 3.0},
        {"weather": "dry"},
        {"spot": [4]},
        {"seats": "red"},
        {"ports": []},
        {"ports": {"ayr": {"name": "Ayr", "wide": 1}}},
        {"best": {}},
        {"more": 1},
    ],
)
def test_data_of_another_shape_are_refused(change: dict[str, Any]) -> None:
    """A save that does not fit the declaration is a SaveError in a sentence, never a strange state."""
    with pytest.raises(SaveError, match="this is not a save of Bare: "):
        Bare().load({**Bare().dump(WORLD), **change}, 2)


def test_what_cannot_be_saved_is_refused_at_once() -> None:
    """A fraction, or a key that is not a string, does not get as far as a save."""
    for value in (0.5, {1: 2}, object()):
        with pytest.raises(TypeError):
            BaseRuleset[Any]().dump(value)


def test_an_old_save_is_brought_up_step_by_step() -> None:
    """Each upgrade leads from one version to the next; an unknown version is refused by its number."""
    old = {name: value for name, value in Bare().dump(WORLD).items() if name != "calm"}

    assert Bare().load(old, 1) == WORLD
    with pytest.raises(SaveError, match="version 3 of Bare; this program reads 1 to 2"):
        Bare().load(old, 3)


def test_a_state_without_a_type_is_told() -> None:
    """A class without the type in brackets is an error that says what to write."""

    class Forgetful(BaseRuleset):  # type: ignore[type-arg]
        title = "Forgetful"

    with pytest.raises(SaveError, match=r"write BaseRuleset\[State\]"):
        Forgetful().load({}, 1)


def test_options_left_out_are_the_usual_ones() -> None:
    """`begin` gets every option, whichever of them the campaign chose."""
    assert TOY.setup({"boats": 1}, SEATS, Dice(b"x")) == TOY.setup({"boats": 1, "turns": 12}, SEATS, Dice(b"x"))


@pytest.mark.parametrize(
    ("seats", "wrong", "told"),
    [
        (Seats(2, 3, ("red", "blue", "green")), ("red",), "2 to 3 of red, blue, green, not by red"),
        (Seats(2, 3, ("red", "blue", "green")), ("red", "red"), "not by red, red"),
        (Seats(2, 3, ("red", "blue", "green")), ("red", "pink"), "not by red, pink"),
        (Seats(2, 2, ("red", "blue")), ("blue", "red"), "red and blue, in this order, not by blue, red"),
        (Seats(2, 2, ("red", "blue")), (), "not by nobody"),
        (Seats(2, 9), ("ann",), "2 to 9 players of different names, not by 1"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(seats: Seats, wrong: tuple[str, ...], told: str) -> None:
    """A SetupError says which seats may play, and which were given."""
    game = Auction()
    game.seats = seats

    with pytest.raises(SetupError, match=f"Toy Auction is played by .*{told}"):
        game.setup({}, wrong, Dice(b"x"))


def test_a_game_without_a_bot_has_one() -> None:
    """The default bot writes lines of the declared orders, and only valid ones."""
    state = Sea(1, 4, SEATS, (Boat(0, "red", "R1", "G7", 2), Boat(1, "blue", "B1", "A1", 2)))
    view = TOY.view(state, "red", ())

    lines = [line for count in range(20) for line in BaseRuleset.bots.fget(TOY)["standard"](view, Dice(b"%d" % count))]  # type: ignore[attr-defined]

    assert {line.split()[0] for line in lines} == {"MOVE", "FIRE"}


def test_the_form_has_a_line_of_each_order() -> None:
    """A game without a template of its own shows the usages as comments."""
    assert BaseRuleset.template(TOY, {}) == ["; MOVE <boat> <N|E|S|W>", "; FIRE <boat> AT <square>"]


def test_a_game_brings_its_templates_and_a_variant_those_of_its_base() -> None:
    """The folder beside the module of the class is found, also for a class derived from it elsewhere."""

    class Variant(type(TOY)):  # type: ignore[misc]
        """The same game with another name."""

    for game in (TOY, Variant()):
        assert game.templates is not None
        assert game.templates.joinpath("events.j2").is_file()
