"""The order form of a page: the tree of what can be ordered, unrolled from a game's choices or tried from its forms."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from pbem.ruleset import (
    Amount,
    Choice,
    ChoicePattern,
    Field,
    FreePattern,
    IntegerField,
    KeywordField,
    NameField,
    Need,
    Order,
    OrderParser,
    ParsedSheet,
    Pattern,
    Purse,
    RepeatedPattern,
    canonical_json,
)
from pbem.ruleset.order_tree import MOST_BYTES, MOST_TRIED, next_nodes, order_form
from pbem.ruleset.values import Json, View
from pbem.testing.form_rules import TreeLine, tree_lines
from tests.ruleset.fleet import BOOK, VIEW
from tests.testing.toy import FogPatrol

Hook = Mapping[tuple[str, ...], Sequence[Choice | Amount]]
SEEN: View = {**VIEW, "over": False, "awaited": True}


class Fleet(FogPatrol):
    """The invented orders of the fleet as a game, with a table of choices."""

    orders = BOOK

    def __init__(self, answers: Hook | None = None, book: OrderParser = BOOK) -> None:
        self.answers, self.orders = answers or {}, book

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice | Amount]:
        return self.answers.get(words, ())

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        return self.orders.parse(view, lines)

    def desk(self, view: View) -> Json:
        return self.orders.desk(view)


def form(answers: Hook | None = None, book: OrderParser = BOOK, view: View = SEEN) -> Json:
    """Return the order form of a fleet."""
    return order_form(Fleet(answers, book), view)


def texts(made: Json, verb: str) -> list[str]:
    """Return the lines of a verb."""
    return [line.text for line in tree_lines(made) if line.words[0] == verb and line.made is None]


SAIL: Hook = {
    (): [Choice("SAIL")],
    ("SAIL",): [Choice("Red Star"), Choice("Kite")],
    ("SAIL", "Red Star"): [Choice("VIA")],
    ("SAIL", "Kite"): [Choice("VIA")],
    ("SAIL", "Red Star", "VIA"): [Choice("Ayr"), Choice("Bath")],
    ("SAIL", "Kite", "VIA"): [Choice("Ayr"), Choice("Bath")],
}


def test_choices_are_unrolled_to_lines_with_quotes_where_needed() -> None:
    """Each path through the answers of a game is a line, and a name with a blank is quoted in it."""
    assert texts(form(SAIL), "SAIL") == [
        'SAIL "Red Star" VIA Ayr',
        'SAIL "Red Star" VIA Bath',
        "SAIL Kite VIA Ayr",
        "SAIL Kite VIA Bath",
    ]


def test_words_that_end_the_line_are_one_string() -> None:
    """A row of plain words is written with blanks, and a word with a blank is a node."""
    made = form({**SAIL, ("SAIL", "Kite", "VIA"): [Choice("Ayr"), Choice("San Remo")]})

    star, kite = next_nodes(made, made["tree"][0])
    assert star["next"] == [{"word": "VIA", "next": "Ayr Bath"}]
    assert kite["next"] == [{"word": "VIA", "next": [{"word": "Ayr"}, {"word": "San Remo"}]}]


def test_equal_branches_stand_once_where_that_is_shorter() -> None:
    """What follows each of many words is shared, and a branch used once is not."""
    ships = [f"F{number}" for number in range(100)]
    ports = [Choice(f"P{number}") for number in range(100)]
    made = form({(): [Choice("SAIL")], ("SAIL",): [*map(Choice, ships)], **{("SAIL", ship): ports for ship in ships}})

    assert made["shared"][0] == " ".join(port.word for port in ports)
    assert {node["next"] for node in made["tree"][0]["next"]} == {0}
    assert len(texts(made, "SAIL")) == 10_000


def test_a_node_has_what_the_choice_says_and_nothing_empty() -> None:
    """Place, way, cost, words, and conditions of a choice are in its node; what it leaves open is not."""
    told = Choice("Kite", "K4", ("K2", "K3"), {"points": 2}, "fast", ends=True, takes=2, after="K1", room="alone")
    made = form({(): [Choice("SCRAP")], ("SCRAP",): [told], ("SCRAP", "Kite"): [Choice("F1"), Choice("F10")]})

    assert made["tree"][0] == {
        "word": "SCRAP",
        "next": [
            {
                "word": "Kite",
                "place": "K4",
                "path": "K2 K3",
                "cost": {"points": 2},
                "says": "fast",
                "ends": True,
                "takes": 2,
                "after": "K1",
                "room": "alone",
                "next": "F1 F10",
            }
        ],
    }


def test_an_amount_is_asked_on_with_its_least_value() -> None:
    """A number is one node, and what follows it is what follows its least value."""
    made = form({(): [Choice("LOAD")], ("LOAD",): [Amount(2, 40, {"points": 1})], ("LOAD", "2"): [Choice("FOR")]})

    assert made["tree"][0]["next"] == [{"low": 2, "high": 40, "cost": {"points": 1}, "next": "FOR"}]


def test_the_words_that_a_word_takes_are_not_unrolled() -> None:
    """Behind a word that takes several, each word stands once, without what follows it."""
    asked = {(): [Choice("SCRAP", takes=2)], ("SCRAP",): [Choice("F1"), Choice("F10"), Choice("Kite")]}
    made = form({**asked, ("SCRAP", "F1"): [Choice("Kite")]})

    assert made["tree"][0] == {"word": "SCRAP", "takes": 2, "next": "F1 F10 Kite"}
    assert texts(made, "SCRAP") == ["SCRAP F1 F10"]


class Yard(Fleet):
    """A fleet that lines can add ships to."""

    def view_with(self, view: View, words: tuple[str, ...]) -> View:
        return {**view, "built": words}

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice | Amount]:
        match words:
            case ():
                return [Choice("LOAD"), Choice("SAIL")]
            case ("LOAD",):
                return [Choice("iron"), Choice("Coral")]
            case ("LOAD", _):
                return [Choice("NEW1", makes=True)]
            case ("SAIL",):
                return map(Choice, ["Kite", *view.get("built", ())[2:]])
            case ("SAIL", _):
                return [Choice("Ayr"), Choice("Bath")]
        return []

    def agenda(self, view: View) -> Sequence[Need]:
        built = view.get("built", ())[2:]
        return [Need(f"unit {ship}", f"SAIL {ship}", ship, unit=ship) for ship in ("Kite", *built)]


def test_a_unit_that_lines_make_has_its_branches_and_its_need() -> None:
    """Lines that make equal units lead to one entry, with what can be ordered of it by verb."""
    made = order_form(Yard(), SEEN)

    need = {"slot": "unit NEW1", "start": "SAIL NEW1", "title": "NEW1", "unit": "NEW1"}
    assert made["made"] == [{"name": "NEW1", "need": need, "tree": [{"word": "SAIL", "next": 0}]}]
    assert made["shared"][0] == "Ayr Bath"
    assert [line.makes for line in tree_lines(made) if line.words[0] == "LOAD"] == [0, 0]
    assert [line.text for line in tree_lines(made) if line.made == 0] == ["SAIL NEW1 Ayr", "SAIL NEW1 Bath"]


class EmptyYard(Yard):
    """A fleet without ships that lines can add the first one to."""

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice | Amount]:
        if words == () and "built" not in view:
            return [Choice("LOAD")]
        return super().choices(view, words)


def test_a_made_unit_has_orders_that_no_other_unit_has() -> None:
    """Verbs that only made units have stand with these units."""
    made = order_form(EmptyYard(), SEEN)

    assert "SAIL" not in {root["word"] for root in made["tree"]}
    assert [node["word"] for node in made["made"][0]["tree"]] == ["SAIL"]


def test_a_verb_that_is_typed_has_no_branches_of_made_units() -> None:
    """What is beyond the bounds is left out for all units."""

    class Wide(Yard):
        def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice | Amount]:
            if words == ("SAIL", "Kite"):
                return [Choice(f"word{number}") for number in range(MOST_BYTES // 8)]
            return super().choices(view, words)

    made = order_form(Wide(), SEEN)
    assert "SAIL" not in {root["word"] for root in made["tree"]}
    assert [unit["tree"] for unit in made["made"]] == [[]]


def test_needs_and_purses_are_data_without_what_is_empty() -> None:
    """The agenda stands as the game gives it, and so does what orders are paid from."""

    class Poor(Fleet):
        def agenda(self, view: View) -> Sequence[Need]:
            return [Need("", "HOLD", "Wait", must=True)]

        def purses(self, view: View) -> Mapping[str, Purse]:
            return {"points": Purse(18, "points")}

    made = order_form(Poor(), SEEN)
    assert made["agenda"] == [{"start": "HOLD", "title": "Wait", "must": True}]
    assert made["purses"] == {"points": {"have": 18, "shown": "points"}}


def test_a_seat_that_is_not_awaited_has_no_needs_and_no_purses() -> None:
    """The game is not asked for them, so it need not look whether the seat is awaited."""

    class Asked(Fleet):
        def agenda(self, view: View) -> Sequence[Need]:
            raise AssertionError

        def purses(self, view: View) -> Mapping[str, Purse]:
            raise AssertionError

    made = order_form(Asked(), {**SEEN, "awaited": False})

    assert (made["agenda"], made["purses"]) == ([], {})


def test_verbs_that_a_game_does_not_answer_are_made_from_their_forms() -> None:
    """Each line of words that can be listed is tried, parts that may be left out both ways."""
    made = form(SAIL)

    assert [root["word"] for root in made["tree"]] == ["SAIL", "SCRAP", "SCRATCH", "LOAD", "HOLD"]
    assert texts(made, "HOLD") == ["HOLD"]
    assert {"LOAD iron", "LOAD iron FOR Ayr", 'LOAD Coral AT "San Remo"', 'LOAD corn AT "A,B" FOR Bath'} <= set(
        texts(made, "LOAD")
    )


class Joined(Field):
    """Ships in one word."""

    shown, expected, example = "ships", "ships", "A"

    def __init__(self, form: Pattern) -> None:
        self._form = form

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        return word

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return ["A"]

    def form(self, view: Mapping[str, Any]) -> Pattern:
        return self._form


def book(*fields: Field) -> OrderParser:
    """Return a book with one order of some fields."""
    names = [f"field{'abc'[at]}" for at in range(len(fields))]
    kinds = {name: Annotated[Any, field] for name, field in zip(names, fields, strict=True)}
    space = {"__annotations__": kinds, "usage": " ".join(["GIVE", *names]), "__doc__": "Give.", "__module__": __name__}
    return OrderParser((dataclass(frozen=True)(type("Give", (Order,), space)),))


SHORT, LONG = ChoicePattern(("A", "B")), ChoicePattern(tuple(f"A{number}" for number in range(MOST_TRIED + 1)))


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        ([Joined(SHORT)], ["GIVE A", "GIVE B"]),
        ([Joined(RepeatedPattern(SHORT, "/"))], ["GIVE A", "GIVE B"]),
        ([Joined(RepeatedPattern(SHORT, "/", 2))], []),
        ([Joined(FreePattern(("A", "B")))], []),
        ([Joined(LONG)], []),
        ([IntegerField(3, 10**9 - 1)], []),
        ([IntegerField(-1, 3)], ["GIVE -1", "GIVE 3"]),
        ([KeywordField(("to me", 'a "b" c', "x|y"))], ['GIVE "to me"', "GIVE x|y"]),
    ],
)
def test_a_form_gives_the_lines_that_can_be_listed_and_read(fields: list[Field], lines: list[str]) -> None:
    """Free words and long lists are typed; numbers in a row are one; a word that no line can hold is not offered."""
    assert texts(form(book=book(*fields)), "GIVE") == lines


def test_a_line_that_a_game_refuses_is_not_in_the_tree() -> None:
    """A number between those that are refused is a row of its own."""
    even = NameField("count", "an even number", "2", lambda view: ["2"])
    only = book(even)
    assert order_form(Fleet(book=only), SEEN)["tree"] == [{"word": "GIVE", "next": "2"}]


def endless(words: tuple[str, ...]) -> Iterable[Choice]:
    """Answer every line with two more words."""
    return [Choice("A"), Choice("B")]


def unending(words: tuple[str, ...]) -> Iterable[Choice]:
    """Answer one line with words without an end."""
    return map(Choice, map(str, itertools.count())) if len(words) == 1 else ()


def narrow(words: tuple[str, ...]) -> Iterable[Choice]:
    """Answer every line with one more word."""
    return [Choice("A")]


def wide(words: tuple[str, ...]) -> Iterable[Choice]:
    """Answer one line with more words than fit into a page."""
    return [Choice(f"word{number}") for number in range(MOST_BYTES // 8)] if len(words) == 1 else ()


@pytest.mark.parametrize("hook", [endless, unending, narrow, wide])
def test_a_verb_without_bounds_is_typed_and_the_others_are_not(hook: Any) -> None:
    """Words without an end leave their own verb out of the tree alone."""

    class Wild(Fleet):
        def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice]:
            if not words:
                return [Choice("SAIL"), Choice("HOLD")]
            return hook(words) if words[0] == "SAIL" else ()

    made = order_form(Wild(), SEEN)

    assert "SAIL" not in {root["word"] for root in made["tree"]}
    assert texts(made, "HOLD") == ["HOLD"]
    assert len(canonical_json(made["tree"])) <= MOST_BYTES


def test_a_view_that_is_over_has_no_tree() -> None:
    """At the end nothing can be ordered."""
    made = form(SAIL, view={**SEEN, "over": True})

    assert [made[name] for name in ("tree", "shared", "made", "agenda", "purses")] == [[], [], [], [], {}]


def test_a_line_of_a_tree_is_written_as_a_sheet_has_it() -> None:
    """Words with blanks, commas and comment signs are quoted."""
    assert TreeLine(("SAIL", "San Remo", "#9", "A,B", "x|y"), ()).text == 'SAIL "San Remo" "#9" "A,B" x|y'
