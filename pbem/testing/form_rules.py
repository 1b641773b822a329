"""Rules for order forms: lines composed from the form's data alone must be read as intended."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.ruleset.choices import Choice
from pbem.ruleset.dice import Dice
from pbem.ruleset.order_tree import MOST_BYTES, Node, next_nodes, order_form, write_line
from pbem.ruleset.order_types import Order, OrderType, arguments
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json, through_json
from pbem.ruleset.tokenizer import quote_word, split_words
from pbem.ruleset.values import Json, View
from pbem.testing.play import SEED, games, standard_game
from pbem.testing.suite import RulesetTests, rule

MOST_CHOSEN = 3
"""The most words for a field of many, and for a word made of several."""

# Not \d, which takes digits of every script in Python, and those of ASCII alone in JavaScript.
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")


class NothingToChoose(Exception):
    """Raised when a page has nothing to offer for a field."""


class FormLine(NamedTuple):
    """A line composed for an order, and the words chosen for each field."""

    order: str
    text: str
    chosen: Mapping[str, Sequence[str]]


def generate_lines(desk: Json, dice: Dice) -> Iterator[FormLine]:
    """Yield lines of each verb in the form data: the shortest, the longest, and some with random parts.

    A verb yields none if a field of it must be filled in and cannot be.
    """
    for verb in desk["verbs"]:
        for at, share in enumerate((0, 2, 1, 1)):
            writer = _LineWriter(desk["kinds"], dice.within(verb["name"], at), share)
            try:
                yield FormLine(verb["name"], " ".join(writer.words(verb["parts"])), writer.chosen)
            except NothingToChoose:
                continue


class _LineWriter:
    """Fills in the parts of one line; optional parts are written with probability `share` / 2."""

    def __init__(self, kinds: Json, dice: Dice, share: int) -> None:
        self.chosen: dict[str, list[str]] = {}
        self._kinds, self._dice, self._share, self._drawn = kinds, dice, share, 0

    def words(self, parts: Sequence[Json]) -> list[str]:
        """Return the words of the parts; raise NothingToChoose if a field cannot be filled in."""
        return [word for part in parts for word in self._part(part)]

    def _part(self, part: Json) -> list[str]:
        if "word" in part:
            return [part["word"]]
        if "optional" not in part:
            form = self._kinds[part["kind"]]["form"]
            self.chosen[part["field"]] = words = self._many(form) if part["many"] else [self._word(form)]
            return [word if form.get("verbatim") else quote_word(word) for word in words]
        if self._below(2) >= self._share:
            return []
        # Words of a part that is left out after all must not be compared with the order.
        before = dict(self.chosen)
        try:
            return self.words(part["optional"])
        except NothingToChoose:
            self.chosen = before
            return []

    def _many(self, form: Json) -> list[str]:
        rounds = 1 + self._below(MOST_CHOSEN)
        forms = form["of"] if form["type"] == "in-turn" else [form]
        return [self._word(each) for _ in range(rounds) for each in forms]

    def _word(self, form: Json) -> str:
        if form["type"] == "several":
            count = form["least"] + self._below(MOST_CHOSEN)
            chosen = dict.fromkeys(self._word(form["of"]) for _ in range(count * MOST_CHOSEN))
            if len(chosen) < form["least"]:
                raise NothingToChoose
            return str(form["glue"].join(list(chosen)[:count]))
        if form["type"] in ("either", "in-turn"):
            return self._word_of_any(form["of"])
        if form["type"] == "number":
            if form["high"] < form["low"]:
                raise NothingToChoose
            return str(form["low"] + self._below(form["high"] - form["low"] + 1))
        return self._pick(form["values"] if form["type"] == "choice" else form["samples"])

    def _word_of_any(self, forms: Sequence[Json]) -> str:
        """Return a word of one of these forms, among those that offer any."""
        first = self._below(len(forms))
        for form in (*forms[first:], *forms[:first]):
            try:
                return self._word(form)
            except NothingToChoose:
                continue
        raise NothingToChoose

    def _pick(self, words: Sequence[str]) -> str:
        if not words:
            raise NothingToChoose
        return words[self._below(len(words))]

    def _below(self, count: int) -> int:
        # Dice are keyed: without a number of its own each draw would be the same.
        self._drawn += 1
        return self._dice.below(count, self._drawn)


def fits(form: Json, word: str) -> bool:
    """Return True if a word, in any case, fits a form, as far as a page can tell."""
    if form["type"] == "choice":
        return word.casefold() in (value.casefold() for value in form["values"])
    if form["type"] == "number":
        return bool(_INTEGER.fullmatch(word)) and form["low"] <= int(word) <= form["high"]
    if form["type"] == "several":
        parts = word.split(form["glue"])
        return len(parts) >= form["least"] and all(fits(form["of"], part) for part in parts)
    if form["type"] == "free":
        return not form["pattern"] or bool(re.fullmatch(form["pattern"], word, re.IGNORECASE))
    return any(fits(each, word) for each in form["of"])


def misread(verb: OrderType, order: Order, line: FormLine, view: View) -> list[str]:
    """Describe the fields of an order that differ from the words chosen; fields of free words are not compared."""
    found = []
    for part in arguments(verb.parts):
        kind, words = verb.kinds[part.name], line.chosen.get(part.name)
        if words is not None and not kind.form(view).to_json().get("verbatim"):
            meant = tuple(kind.read(word, view) for word in words)
            value = getattr(order, part.name)
            found += [f"{part.name}: {value}, not {meant}"] if value != (meant if part.many else meant[0]) else []
    return found


def missing(verb: OrderType, order: Order, view: View) -> list[str]:
    """Return the words of an order that its forms do not accept, with their fields: "ship: R101"."""
    found = []
    for part in arguments(verb.parts):
        value = getattr(order, part.name)
        if value is not None and value != ():
            form = verb.kinds[part.name].form(view).to_json()
            words = map(verb.kinds[part.name].write, value if part.many else (value,))
            found += [f"{part.name}: {word}" for word in words if not fits(form, word)]
    return found


UNREADABLE = {
    "unconfirmed",
    "unknown-verb",
    "unknown-name",
    "missing-word",
    "extra-words",
    "ambiguous",
    "ambiguous-verb",
}
"""Codes of findings on lines that are no orders at all; a game may refuse others."""

PLAIN = re.compile(r"[A-Za-z0-9\[\](){}?*+,.|/ -]*")
"""Characters of patterns that mean the same in every language of regular expressions."""

MOST_VIEWS = 25

MOST_TRIED = 250
"""Lines of trees that are tried with `parse`, of all views together."""


class PageRules(RulesetTests):
    """Rules for the data of order forms and the spots on pictures."""

    @rule(
        "Let read of each kind take all words that its form offers, whatever the view; let samples fit their pattern."
    )
    def test_what_a_form_offers_is_read(self) -> None:
        """A word that a page puts up for choice is one that its kind reads."""
        for view in _views(self.ruleset):
            for verb in self.ruleset.orders.verbs:
                for kind in verb.kinds.values():
                    form = kind.form(view)
                    for word in form.offers():
                        assert fits(form.to_json(), word), (kind.shown, word)
                        kind.read(word, view)

    @rule("Write patterns of letters, digits, sets, groups, | and counts alone: no backslash, no ^, no $.")
    def test_a_pattern_is_read_alike_by_all_clients(self) -> None:
        """Text typed in a page's field is judged by the same expression in any language."""
        for view in _views(self.ruleset):
            for form in _forms(self.ruleset.desk(view)):
                pattern = form.get("pattern", "")
                assert PLAIN.fullmatch(pattern), pattern
                re.compile(pattern)

    @rule(
        "Give each kind a form of words that can be written in a line of their own verb, and let desk offer no verb "
        "of which no line is read; two orders that look alike must not be mistaken for each other."
    )
    def test_a_line_put_together_on_a_page_is_that_order(self) -> None:
        """A client that knows nothing but the desk writes lines that are read as the orders that were chosen."""
        book = self.ruleset.orders
        for at, view in enumerate(_views(self.ruleset)):
            for line in generate_lines(through_json(self.ruleset.desk(view)), Dice(SEED).within(at)):
                parsed = book.parse(view, [(1, line.text)])
                assert parsed.errors == (), line
                assert [book.to_json(order)["order"] for order in parsed.orders] == [line.order], line
                (verb,) = (verb for verb in book.verbs if verb.name == line.order)
                assert misread(verb, parsed.orders[0], line, view) == [], line
                # A game may refuse here what the rest of the sheet lacks; only a line that is no order breaks the rule.
                found = [each for each in self.ruleset.parse(view, [(1, line.text)]).errors if each.code in UNREADABLE]
                assert found == [], line

    @rule(
        "Narrow forms and desk to what may be of use now, and no further: let both have every word and every order of "
        "a sensible sheet."
    )
    def test_what_the_bot_orders_can_be_put_together_on_a_page(self) -> None:
        """Of all that the standard bot writes, no verb is missing on the desk, and no word in its form."""
        for step in standard_game(self.ruleset).steps:
            for seat, parsed in step.parsed.items():
                view = step.views[seat]
                offered = {verb["word"] for verb in self.ruleset.desk(view)["verbs"]}
                for order in parsed.orders:
                    (verb,) = (each for each in self.ruleset.orders.verbs if each.order is type(order))
                    assert verb.word in offered, order
                    assert missing(verb, order, view) == [], order

    @rule(
        "Let desk return the data of orders.desk, of all orders or of some, for every view; let no choice have a word "
        "twice."
    )
    def test_every_view_has_a_desk(self) -> None:
        """Also who is asked for nothing, or has lost, gets a desk, with each verb and each word of a choice once."""
        for view in itertools.chain.from_iterable(game.views() for game in games(self.ruleset)):
            desk = through_json(self.ruleset.desk(view))
            usages = [verb["usage"] for verb in desk["verbs"]]
            assert len(usages) == len(set(usages))
            assert {verb["name"] for verb in desk["verbs"]} <= {verb.name for verb in self.ruleset.orders.verbs}
            assert set(_kinds(desk["verbs"])) == set(desk["kinds"])
            for values in _all_choices(desk):
                assert len(values) == len(set(values)), values

    @rule(
        "Give a spot three corners or more within its picture, a title on one line, and names that an order may hold: "
        "each once, printable, without |."
    )
    def test_a_spot_lies_on_its_picture_and_has_a_name(self) -> None:
        """A spot that can be tapped can be seen, and means something."""
        for view in _views(self.ruleset):
            for picture in self.ruleset.pictures(view):
                for spot in picture.spots:
                    assert len(spot.points) >= 3, spot
                    assert all(0 <= x <= picture.width and 0 <= y <= picture.height for x, y in spot.points), spot
                    assert spot.title.strip()
                    assert spot.title.isprintable()
                    assert spot.names
                    assert len(spot.names) == len(set(spot.names))
                    assert all(name.strip() and name.isprintable() and "|" not in name for name in spot.names)

    @rule(
        "Give everything of a kind a spot once anything of it has one; what is on no picture belongs in another form."
    )
    def test_what_can_be_chosen_can_be_tapped(self) -> None:
        """Of the words of a choice either all are names of spots, in one picture or another, or none."""
        for view in _views(self.ruleset):
            named = {name for picture in self.ruleset.pictures(view) for spot in picture.spots for name in spot.names}
            for values in map(set, _all_choices(self.ruleset.desk(view))):
                assert not values & named or values <= named, sorted(values - named)

    @rule(
        "Let choices offer verbs of desk alone, and few enough words for the bounds of pbem.ruleset.order_tree: what "
        "goes beyond them has to be typed. Equal branches count once for the bytes, not for the words."
    )
    def test_a_page_has_the_verbs_that_choices_offers(self) -> None:
        """Each verb that choices offers is one of the desk, and within the bounds of a page."""
        for view, form in _order_forms(self.ruleset):
            offered = [choice.word for choice in self.ruleset.choices(view, ()) if isinstance(choice, Choice)]
            assert len(offered) == len(set(offered)), offered
            assert set(offered) <= {verb["word"] for verb in form["verbs"]}, offered
            assert offered == [root["word"] for root in form["tree"]][: len(offered)], offered
            assert len(canonical_json({name: form[name] for name in ("tree", "shared", "made")})) <= MOST_BYTES

    @rule(
        "Let choices lead to lines that parse takes by themselves, and mark the words of others with after, or with "
        "takes; let view_with make the unit that the line with makes names."
    )
    def test_a_line_of_the_tree_is_taken(self) -> None:
        """Each line that choices lead to is an order; one for a made unit is, behind the line that makes it."""
        forms = _order_forms(self.ruleset)
        for view, form in forms:
            lines = list(tree_lines(form))
            makers = {line.makes: line.text for line in reversed(lines) if line.makes is not None}
            for line in lines[:: 1 + len(lines) * len(forms) // MOST_TRIED]:
                sheet = [line.text] if line.made is None else [makers[line.made], line.text]
                parsed = self.ruleset.parse(view, list(enumerate(sheet, 1)))
                # What hangs on another line may be refused without it, but is an order.
                errors = [each for each in parsed.errors if not line.hangs_on or each.code in UNREADABLE]
                assert errors == [], sheet

    @rule("Give each place of a Choice, and each step of its path, a tap target on a picture of the report.")
    def test_a_place_of_the_tree_can_be_tapped(self) -> None:
        """Places that a page lights up, and draws arrows along, are on one of its pictures."""
        for view, form in _order_forms(self.ruleset):
            if spots := _spots(self.ruleset, view):
                for node in all_nodes(form):
                    places = {*node.get("path", "").split(), *([node["place"]] if "place" in node else [])}
                    assert places <= spots, (node, sorted(places - spots))

    @rule(
        "Let the unit of a Need have a tap target with its name, or name its place; let its start be the beginning of "
        "lines that choices lead to, and its slot that of these lines."
    )
    def test_a_need_can_be_met(self) -> None:
        """Each need of the agenda leads to orders that meet it, and to a place on the map if it is about a unit."""
        for view, form in _order_forms(self.ruleset):
            spots = _spots(self.ruleset, view)
            lines = list(tree_lines(form))
            for need in form["agenda"]:
                assert not spots or "unit" not in need or {need["unit"], need.get("place")} & spots, need
                for start in need["start"].split("|"):
                    begun = tuple(split_words(start))
                    found = [line for line in lines if line.made is None and line.words[: len(begun)] == begun]
                    assert begun, need
                    assert found, need
                    orders = self.ruleset.parse(view, [(1, found[0].text)]).orders
                    slots = {self.ruleset.orders.slot(order) for order in orders}
                    assert slots <= {need["slot"]}, (need, slots)
            for unit in form["made"]:
                starts = unit["need"]["start"].split("|") if unit["need"] else []
                assert {next(iter(split_words(start))) for start in starts} <= {node["word"] for node in unit["tree"]}


def _order_forms(ruleset: AnyRuleset) -> list[tuple[View, Json]]:
    """Return views that ask for orders with their order forms, spread over the games."""
    return [(view, through_json(order_form(ruleset, view))) for view in _views(ruleset)]


def _spots(ruleset: AnyRuleset, view: View) -> set[str]:
    """Return the names that can be tapped."""
    return {name for picture in ruleset.pictures(view) for spot in picture.spots for name in spot.names}


def _views(ruleset: AnyRuleset) -> list[View]:
    """Return views that ask for orders, spread over the games."""
    asked = [view for game in games(ruleset) for step in game.steps for view in step.views.values() if view["awaited"]]
    return asked[:3] + asked[3 :: max(1, len(asked) // MOST_VIEWS)]


def _kinds(parts: Any) -> Iterator[str]:
    """Yield the ids of the kinds that parts, or the parts of verbs, use."""
    for part in parts:
        if "kind" in part:
            yield part["kind"]
        yield from _kinds(part.get("parts", part.get("optional", ())))


def _all_choices(desk: Json) -> Iterator[list[str]]:
    """Return the words of each choice in the form data."""
    return (form["values"] for form in _forms(desk) if form["type"] == "choice")


def _forms(desk: Json) -> Iterator[Json]:
    """Yield all forms in the form data, with those inside others."""
    for kind in desk["kinds"].values():
        yield from _nested_forms(kind["form"])


def _nested_forms(form: Json) -> Iterator[Json]:
    yield form
    inner = form.get("of", [])
    for each in inner if isinstance(inner, list) else [inner]:
        yield from _nested_forms(each)


class TreeLine(NamedTuple):
    """A line of a tree: its words, the nodes that lead to it, and the index of the made unit that it is for, if any."""

    words: tuple[str, ...]
    nodes: tuple[Node, ...]
    made: int | None = None

    @property
    def text(self) -> str:
        """The line as a sheet has it."""
        return write_line(self.words)

    @property
    def makes(self) -> int | None:
        """The index of the unit that the line makes, if it makes one."""
        return next((node["makes"] for node in self.nodes if "makes" in node), None)

    @property
    def hangs_on(self) -> bool:
        """Return True if the line is possible only with another line of the sheet."""
        return any("after" in node or isinstance(node.get("takes"), str) for node in self.nodes)


def tree_lines(form: Json) -> Iterator[TreeLine]:
    """Yield every line of a form's tree, those of made units too.

    A number stands for itself with its least and its greatest value. Of the words behind
    one that `takes` several, the first so many make one line; behind one that takes as
    many as another line has, each word makes a line of its own.
    """
    for root in form["tree"]:
        yield from _lines(form, root, TreeLine((), ()))
    for index, unit in enumerate(form["made"]):
        for node in unit["tree"]:
            begun = TreeLine((node["word"],), (), index)
            yield from _lines(form, {**node, "word": unit["name"]}, begun)


def all_nodes(form: Json) -> Iterator[Node]:
    """Yield every node of the data once, also those of branches that are shared."""
    waiting = [*form["tree"], *form["shared"], *(node for unit in form["made"] for node in unit["tree"])]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting.append(each.get("next", []))
        elif isinstance(each, list):
            waiting += each
        elif isinstance(each, str):
            waiting += [{"word": word} for word in each.split(" ")]


def _lines(form: Json, node: Node, begun: TreeLine) -> Iterator[TreeLine]:
    behind = next_nodes(form, node)
    for word in [node["word"]] if "word" in node else sorted({node["low"], node["high"]}):
        line = TreeLine((*begun.words, str(word)), (*begun.nodes, node), begun.made)
        if not behind or "ends" in node:
            yield line
        takes = node.get("takes", 1)
        if behind and takes not in (0, 1) and isinstance(takes, int):
            chosen = behind[:takes]
            words = tuple(str(each.get("word", each.get("low"))) for each in chosen)
            yield TreeLine((*line.words, *words), (*line.nodes, *chosen), begun.made)
            continue
        for each in behind:
            yield from _lines(form, each, line)
