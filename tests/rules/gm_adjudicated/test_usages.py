"""Tests of verbs with arguments: declaration, receipt, order form, and reading of stored lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pbem.ruleset import Dice, Json, SetupError, canonical_json
from pbem.ruleset.order_tree import MOST_BYTES, order_form
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.bots import standard
from tests.rules.gm_adjudicated.table import codes, new_game, read, texts, view

DECLARED: dict[str, Any] = {
    "lists": {"place": ["Naxos", "Delos", "the pass"]},
    "MARCH": {"usage": "MARCH <army:number 1..9> TO <place> [<pace:slow|fast>]", "help": "an army goes to a place"},
    "SAIL": {"usage": "SAIL <ship:word> VIA <place...>"},
    "GIVE": {"usage": "GIVE <gold:number> TO <who:seat>"},
    "TELL": {"usage": "TELL <who:seat> <words:text>"},
    "SCOUT": {"usage": "SCOUT <place> <words:text>"},
    "BUILD": "whatever you like",
}
STATE = new_game(verbs=DECLARED)


@pytest.mark.parametrize(
    ("typed", "taken"),
    [
        ("MARCH 2 TO Naxos", "MARCH 2 TO Naxos"),
        ("1. March: 2 to the pass, fast", 'MARCH 2 TO "the pass" fast'),
        ("march two naxos", "MARCH 2 TO Naxos"),
        ("sai Argo via naxos and delos", "SAIL Argo VIA Naxos Delos"),
        ('SAIL "Argo the 2nd" VIA naxos', 'SAIL "Argo the 2nd" VIA Naxos'),
        ("GIVE 40 TO blue", "GIVE 40 TO blue"),
        ('tell Blue "wait, friend"; then #3, burn', 'TELL blue "wait, friend"; then #3, burn'),
        ("TELL blue   come; now", "TELL blue come; now"),
        ("tell blue: come: now", "TELL blue come: now"),
        ("TELL blue come: now", "TELL blue come: now"),
        ("MARCH 2 TO pass", 'MARCH 2 TO "the pass"'),
        ("MARCH 2 TO a pass slow", 'MARCH 2 TO "the pass" slow'),
        ("MARCH 2 to the Naxos", "MARCH 2 TO Naxos"),
        ('SAIL Argo VIA "the Delos", pass', 'SAIL Argo VIA Delos "the pass"'),
        ("SCOUT pass: is it held: yes or no?", 'SCOUT "the pass" is it held: yes or no?'),
        ("BUILD a tower, quickly", "BUILD a tower, quickly"),
        ("Ask the abbot, politely.", "Ask the abbot, politely."),
        ("SAY march is a cold month", "SAY march is a cold month"),
    ],
)
def test_a_line_is_taken_as_its_usage_has_it(typed: str, taken: str) -> None:
    """A line is stored as its usage writes it, and is read again as the same; a text keeps every sign."""
    assert texts(read(STATE, typed)) == [taken]
    assert texts(read(STATE, taken)) == [taken]


def test_a_report_says_which_lines_count_as_words() -> None:
    """A line in no verb's form is listed with that, and with the form; the others have nothing said of them."""
    lines = ["MARCH 2 TO Naxos", "MARCH is a cold month", "We burn the mill.", "SAY we wait", "BUILD a tower"]
    orders = read(STATE, *lines).orders

    assert RULESET.order_outcomes(view(STATE, "red"), orders) == [
        "",
        "in your own words, not in the form MARCH army TO place [pace]",
        "in your own words",
        "",
        "",
    ]
    plain = new_game()
    assert RULESET.order_outcomes(view(plain, "red"), read(plain, "We burn the mill.").orders) == [""]


@pytest.mark.parametrize(
    ("typed", "code", "hint"),
    [
        ("MARCH 2 TO Naxso", "unknown-name", "Naxso is not a place; did you mean Naxos?"),
        ("MARCH 12 TO Naxos", "out-of-bounds", "the nearest is 9"),
        ("MARCH many TO Naxos", "not-a-number", "write: MARCH <army> TO <place> [slow|fast]"),
        ("MARCH 2 TO Naxos fats", "unknown-name", "did you mean fast?"),
        ("GIVE 40 TO bleu", "unknown-name", "did you mean blue?"),
        ("TELL nobody come", "unknown-name", "possible: red, blue, green"),
        ("TELL bleu: come", "unknown-name", "did you mean blue?"),
        ("SCOUT the pass for snow", "unknown-name", "put a name with blanks in quotes"),
        ("TELL blue", "missing-word", "write: TELL <who> <words>..."),
        ("MARCH is a cold month", "not-a-number", "write: MARCH <army> TO <place> [slow|fast]"),
    ],
)
def test_a_line_that_is_not_in_its_form_counts_as_words(typed: str, code: str, hint: str) -> None:
    """A wrong argument is warned of, with the nearest right one; the line counts as it stands (ruling 1)."""
    parsed = read(STATE, typed)

    assert (texts(parsed), parsed.errors) == ([typed], ())
    assert codes(parsed) == [(1, code)]
    assert hint in parsed.findings[0].hint
    assert texts(read(STATE, *texts(parsed))) == [typed]


def test_the_warning_names_the_form() -> None:
    """The receipt says which form a line is not in, and who reads it."""
    warned = read(STATE, "march many to Naxos").findings[0]

    assert warned.text == "not in the form MARCH army TO place [pace]; your GM reads it as it stands"


def test_what_could_be_read_otherwise_counts_as_words() -> None:
    """A line is left as it stands if what its form writes could be read in another way."""
    state = new_game(verbs={"lists": {"place": ["Naxos"]}, "GO": {"usage": "GO [<how:word>] [VIA <place>]"}})

    assert texts(read(state, "GO fast via Naxos")) == ["GO fast VIA Naxos"]
    assert texts(read(state, "GO - Naxos (")) == ["GO Naxos ("] == texts(read(state, "GO Naxos ("))
    assert codes(read(state, "GO - Naxos (")) == [(1, "ambiguous")]


def test_the_form_has_the_arguments_and_what_they_may_be() -> None:
    """The sheet has a line for each verb, and unchanged it orders nothing."""
    lines = RULESET.template(view(STATE, "red"))

    assert "; MARCH <army> TO <place>" in lines
    assert "; TELL <who> <words>" in lines
    assert "; BUILD" in lines
    assert read(STATE, *lines).entries == ()


def test_a_page_offers_what_each_argument_may_be() -> None:
    """A page offers numbers within bounds, names of lists, seats, and words; every order is a line."""
    desk = RULESET.desk(view(STATE, "red"))
    kinds = {kind["shown"]: kind["form"] for kind in desk["kinds"].values()}

    assert [verb["word"] for verb in desk["verbs"]] == ["MARCH", "SAIL", "GIVE", "TELL", "SCOUT", "BUILD", "SAY"]
    assert {verb["name"] for verb in desk["verbs"]} == {"line"}
    assert kinds["army"] == {"type": "number", "low": 1, "high": 9}
    assert kinds["place"] == {"type": "choice", "values": ["Naxos", "Delos", "the pass"]}
    assert kinds["who"]["values"] == ["red", "blue", "green"]
    assert kinds["words"]["verbatim"]
    for verb in desk["verbs"]:
        parsed = read(STATE, *verb["examples"])
        assert (len(parsed.entries), parsed.errors) == (len(verb["examples"]), ())


def test_bots_write_verbs_with_arguments() -> None:
    """All lines of bots are accepted, and read again as the same."""
    seen = view(STATE, "red")
    lines = [line for number in range(40) for line in standard({**seen, "turn": number}, Dice(b"bots"))]
    parsed = read(STATE, *lines)

    assert parsed.errors == ()
    assert {line.split()[0] for line in texts(parsed)} >= {"MARCH", "SAIL", "GIVE", "TELL", "BUILD"}
    assert texts(read(STATE, *texts(parsed))) == texts(parsed)


def test_usages_survive_storage() -> None:
    """Usages and their lists are stored and loaded unchanged."""
    assert RULESET.load(json.loads(json.dumps(RULESET.dump(STATE))), RULESET.version) == STATE


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        ("GO <army>", "which is no kind: possible: number, word, seat, text"),
        ("GO <army:nubmer>", "did you mean number"),
        ("GO <army:number 9..1>", "no number from 9 to 1"),
        ("GO <a:seat> <a:seat>", "two arguments called a"),
        ("MARCH <a:seat>", "must begin with GO"),
        ("GO [<a:seat>", "close each"),
        ("GO ] <a:seat>", "a ] without"),
        ("GO <words:text> TO <a:seat>", "has words behind a text"),
        ("GO [<words:text>]", "has words behind a text"),
        ("GO <A B>", "write it like <army:number 1..9>"),
        ("GO <a:slow|>", "as a choice"),
        ("GO TO@ <a:seat>", "a word to type"),
        ("GO <a:seat", "cannot be read"),
    ],
)
def test_usages_that_cannot_be_read_are_refused(usage: str, said: str) -> None:
    """An unreadable usage is refused when the campaign is made, with a correction."""
    with pytest.raises(SetupError, match=said):
        new_game(verbs={"GO": {"usage": usage}})


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"GO": {"usgae": "GO"}}, "did you mean usage"),
        ({"GO": {"usage": 5}}, "must be a list such as"),
        ({"GO": 5}, "must be a list such as"),
        ({"lists": {"Place": ["x"]}}, "cannot be called 'Place'"),
        ({"lists": {"seat": ["x"]}}, "cannot be called 'seat'"),
        ({"lists": {"place": []}}, "must have 1 to 500 names"),
        ({"lists": {"place": ["Naxos", "naxos"]}}, "a name twice"),
        ({"lists": {"place": [None]}}, "names have up to 40"),
    ],
)
def test_a_file_of_verbs_that_cannot_be_used_is_refused(declared: object, said: str) -> None:
    """A file of verbs with an error is refused, and the error is named."""
    with pytest.raises(SetupError, match=said):
        new_game(verbs=declared)


def test_a_page_offers_the_words_that_the_gm_declared() -> None:
    """Numbers, lists and choices are offered word by word; verbs with words of the player's own are typed."""
    form = order_form(RULESET, view(STATE, "red"))
    (march,) = form["tree"]
    (army,) = _behind(form, march)
    (to,) = _behind(form, army)
    places = _behind(form, to)

    assert (march["word"], army["low"], army["high"], to["word"]) == ("MARCH", 1, 9, "TO")
    assert [(node["word"], node["ends"]) for node in places] == [("Naxos", True), ("Delos", True), ("the pass", True)]
    assert _behind(form, places[0]) == [{"word": "slow"}, {"word": "fast"}]
    assert {"SAIL", "GIVE", "TELL", "BUILD", "SAY"} < {verb["word"] for verb in form["verbs"]}


def _behind(form: Json, node: Json) -> Json:
    """Return the nodes behind a node of a tree."""
    found = node["next"] if not isinstance(node["next"], int) else form["shared"][node["next"]]
    return [{"word": word} for word in found.split()] if isinstance(found, str) else found


@pytest.mark.parametrize(
    "usage",
    [
        "{} <one:place>",
        "{} <one:place> <other:place> <third:place>",
        "{} <one:place...>",
        "{} [<a:place>] [<b:number>]",
    ],
)
def test_pages_of_many_words_stay_small(usage: str) -> None:
    """As many verbs and names as a GM may declare do not make the tree of a page larger than its bounds."""
    lists = {"place": [f"{number} {'x' * 30}" for number in range(500)]}
    verbs = [f"GO{chr(65 + number // 26)}{chr(65 + number % 26)}" for number in range(60)]
    state = new_game(verbs={"lists": lists, **{verb: {"usage": usage.format(verb)} for verb in verbs}})
    form = order_form(RULESET, view(state, "red"))

    assert len(form["verbs"]) == 61
    assert len(canonical_json([form["tree"], form["shared"]])) < MOST_BYTES
    assert len(form["tree"]) <= 1


def test_a_page_without_verbs_is_for_words() -> None:
    """Without declared verbs, and without any map, there is nothing to tap: SAY is typed."""
    form = order_form(RULESET, view(new_game(), "red"))

    assert [verb["word"] for verb in form["verbs"]] == ["SAY"]
    assert (form["tree"], form["agenda"], form["purses"]) == ([], [], {})
