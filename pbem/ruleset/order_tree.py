"""The order form of a page with everything that can be ordered now: the tree of words that may follow each other.

A page has no server to ask, so `Ruleset.choices` is asked for every beginning of a
line when the page is made. The tree has equal branches once, and is bounded by
counts and bytes, never by the clock: a page follows from its view alone. A verb that
goes beyond a bound is left out of the tree, and offered by typing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from pbem.ruleset.choices import Amount, Choice, Need
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.tokenizer import quote_word
from pbem.ruleset.values import Json, View

MOST_BYTES = 64 * 1024
"""Bytes of the tree as JSON, with what it shares and what its lines make."""

MOST_WORDS = 60_000
"""Words of all branches before equal ones are put together; a single verb has at most half of them."""

MOST_TRIED = 600
"""Lines that are made from forms and tried with `parse`."""

DEEPEST = 60
"""Words of a line."""

Node = dict[str, Any]
"""A node of the tree; its "next" is the number of a branch, its "makes" that of a unit, until they are packed."""


def order_form(ruleset: AnyRuleset, view: View) -> Json:
    """Return `desk` with the tree of choices, the needs and the purses of a view, as docs/formats.md has them."""
    desk = ruleset.desk(view)
    if view["over"] or not desk["verbs"]:
        return typed_form(desk)
    return {
        **desk,
        **_bounded_tree(ruleset, view, desk),
        "agenda": [_need_data(need) for need in needs(ruleset, view)],
        "purses": {name: purse._asdict() for name, purse in ruleset.purses(view).items()} if view["awaited"] else {},
    }


def needs(ruleset: AnyRuleset, view: View) -> Sequence[Need]:
    """Return the agenda of a view; nothing for a seat that is not awaited."""
    return ruleset.agenda(view) if view["awaited"] else ()


def typed_form(desk: Json) -> Json:
    """Return the form of which all orders are typed."""
    return {**desk, "tree": [], "shared": [], "made": [], "agenda": [], "purses": {}}


def _bounded_tree(ruleset: AnyRuleset, view: View, desk: Json) -> Json:
    """Return the packed tree without the branches that make it too large."""
    branches = _Branches()
    unroller = _Unroller(ruleset, view, branches)
    words = dict.fromkeys(verb["word"] for verb in desk["verbs"])
    answered = [choice for choice in ruleset.choices(view, ()) if isinstance(choice, Choice) and choice.word in words]
    roots = [node for node in map(unroller.root, answered) if node]
    left = [verb for verb in desk["verbs"] if verb["word"] not in {choice.word for choice in answered}]
    roots += _roots_of_forms(ruleset, view, {**desk, "verbs": left}, branches)
    typed = {choice.word for choice in answered} - {root["word"] for root in roots}
    data = branches.pack(roots, typed)
    while len(canonical_json(data)) > MOST_BYTES:
        names = {root["word"] for root in roots}
        sizes = [len(canonical_json(branches.pack([root], typed | names - {root["word"]}))) for root in roots]
        typed.add(roots.pop(sizes.index(max(sizes)))["word"])
        data = branches.pack(roots, typed)
    return data


def _need_data(need: Need) -> Json:
    return {name: value for name, value in need._asdict().items() if value}


@dataclass(frozen=True)
class _Made:
    """A unit that lines make, with its need and its branches by verb."""

    name: str
    need: Json
    tree: Sequence[Node]


@dataclass
class _Branches:
    """Branches and made units, each once, by number; the branches within a branch have lower numbers than it."""

    _branches: list[Sequence[Node]] = field(default_factory=list)
    _made: list[_Made] = field(default_factory=list)
    _known: dict[bytes, int] = field(default_factory=dict)

    def number(self, nodes: Sequence[Node]) -> int:
        key = canonical_json(nodes)
        if key not in self._known:
            self._known[key] = len(self._branches)
            self._branches.append(nodes)
        return self._known[key]

    def number_of(self, unit: _Made) -> int:
        if unit not in self._made:
            self._made.append(unit)
        return self._made.index(unit)

    def pack(self, roots: Sequence[Node], typed: set[str]) -> Json:
        """Return the data of a tree with these roots; units that lines make have no branches of the typed verbs."""
        uses, units = self._uses(roots, typed)
        shared: list[Json] = []
        packed: dict[int, Json] = {}

        def node_data(node: Node) -> Node:
            extra = {"next": packed[node["next"]]} if "next" in node else {}
            return {**node, **extra, **({"makes": units.index(node["makes"])} if "makes" in node else {})}

        for number in sorted(uses):
            nodes = [node_data(node) for node in self._branches[number]]
            packed[number] = _row(nodes)
            size, index = len(canonical_json(packed[number])), len(str(len(shared)))
            if (uses[number] - 1) * size > uses[number] * index + 1:
                shared.append(packed[number])
                packed[number] = len(shared) - 1
        made = [self._made[unit] for unit in units]
        return {
            "tree": [node_data(root) for root in roots],
            "shared": shared,
            "made": [
                {
                    "name": unit.name,
                    "need": unit.need,
                    "tree": [node_data(node) for node in unit.tree if node["word"] not in typed],
                }
                for unit in made
            ],
        }

    def _uses(self, roots: Sequence[Node], typed: set[str]) -> tuple[dict[int, int], list[int]]:
        """Return how often each branch of these roots is used, and the units that they make."""
        uses: dict[int, int] = {}
        units: list[int] = []
        waiting = list(roots)
        while waiting:
            node = waiting.pop()
            if "makes" in node and node["makes"] not in units:
                units.append(node["makes"])
                waiting += [each for each in self._made[node["makes"]].tree if each["word"] not in typed]
            if "next" in node:
                number = node["next"]
                if number not in uses:
                    waiting += self._branches[number]
                uses[number] = uses.get(number, 0) + 1
        return uses, sorted(units)


def _row(nodes: list[Node]) -> Json:
    """Return words that end the line and have nothing else as one string, other nodes as they are."""
    words = [str(node.get("word", "")) for node in nodes]
    plain = all(
        len(node) == 1 and word and word == "".join(word.split()) for node, word in zip(nodes, words, strict=True)
    )
    return " ".join(words) if plain else nodes


class _TooMany(Exception):
    """Raised when a verb has more words than its share."""


class _Unroller:
    """Asks a game for the words behind each beginning of a line, and counts them."""

    def __init__(self, ruleset: AnyRuleset, view: View, branches: _Branches) -> None:
        self._ruleset, self._view, self._branches = ruleset, view, branches
        self._left, self._share = MOST_WORDS, 0

    def root(self, choice: Choice) -> Node | None:
        """Return the node of a verb, or None if its branch is too large."""
        self._share = min(self._left, MOST_WORDS // 2)
        before = self._share
        try:
            return self._node(self._view, choice, (choice.word,), makes=True)
        except _TooMany:
            return None
        finally:
            self._left -= before - self._share

    def _node(self, view: View, choice: Choice | Amount, words: tuple[str, ...], *, makes: bool) -> Node:
        """Return the node of a choice; `words` are the line with it."""
        node = _node_data(choice)
        leaves = isinstance(choice, Choice) and choice.takes != 1
        behind = self._next(view, words, makes=makes, leaves=leaves)
        if behind:
            node["next"] = self._branches.number(behind)
        if isinstance(choice, Choice) and choice.makes and makes:
            node["makes"] = self._make(view, words)
        return node

    def _next(self, view: View, words: tuple[str, ...], *, makes: bool, leaves: bool) -> list[Node]:
        """Return the nodes behind the beginning of a line, with nothing behind them if they are leaves."""
        if len(words) > DEEPEST:
            raise _TooMany
        nodes = []
        for choice in self._count_nodes(self._ruleset.choices(view, words)):
            word = choice.word if isinstance(choice, Choice) else str(choice.low)
            nodes.append(_node_data(choice) if leaves else self._node(view, choice, (*words, word), makes=makes))
        return nodes

    def _make(self, view: View, words: tuple[str, ...]) -> int:
        """Return the number of the unit that a line makes, which has the last word as its name."""
        name = words[-1]
        then = self._ruleset.view_with(view, words)
        asked = [_need_data(need) for need in needs(self._ruleset, then) if need.unit == name]
        tree = []
        for verb in self._count_nodes(self._ruleset.choices(then, ())):
            if isinstance(verb, Choice):
                tree += [{**node, "word": verb.word} for node in self._of_unit(then, verb.word, name)]
        return self._branches.number_of(_Made(name, asked[0] if asked else None, tree))

    def _of_unit(self, view: View, verb: str, name: str) -> Iterator[Node]:
        """Yield the node of a unit directly behind a verb, if it stands there."""
        for choice in self._count_nodes(self._ruleset.choices(view, (verb,))):
            if isinstance(choice, Choice) and choice.word == name:
                yield self._node(view, choice, (verb, name), makes=False)
                return

    def _count_nodes(self, choices: Iterable[Choice | Amount]) -> Iterator[Choice | Amount]:
        for choice in choices:
            if not self._share:
                raise _TooMany
            self._share -= 1
            yield choice


def _node_data(choice: Choice | Amount) -> Node:
    """Return a choice as JSON data, without what it leaves open and without what follows."""
    data = choice._asdict()
    if isinstance(choice, Choice):
        node = {"word": data.pop("word")}
        del data["makes"]
        if data["takes"] == 1:
            del data["takes"]
        data["path"] = " ".join(choice.path)
    else:
        node = {"low": data.pop("low"), "high": data.pop("high")}
    data["cost"] = dict(choice.cost)
    return {**node, **{name: value for name, value in data.items() if value}}


def next_nodes(form: Json, node: Node) -> Sequence[Node]:
    """Return the nodes behind a node, unpacked."""
    behind = node.get("next", [])
    behind = form["shared"][behind] if isinstance(behind, int) else behind
    return [{"word": word} for word in behind.split(" ")] if isinstance(behind, str) else behind


# Lines made from forms. Numbers stay numbers in them, so that a row of them becomes one amount.
_Word = str | int
_Lines = Sequence[tuple[_Word, ...]]


class _TypedForm(Exception):
    """Raised for a form whose words cannot be listed: they are typed."""


def _roots_of_forms(ruleset: AnyRuleset, view: View, desk: Json, branches: _Branches) -> list[Node]:
    """Return the nodes of verbs by what `parse` takes of the lines that their forms make.

    The verbs with the fewest lines are tried first.
    """
    counts = {at: _count(verb["parts"], desk["kinds"]) for at, verb in enumerate(desk["verbs"])}
    left = MOST_TRIED
    tries: dict[str, dict[int, _Lines]] = {verb["word"]: {} for verb in desk["verbs"]}
    typed = set()
    for at in sorted(counts, key=lambda at: (counts[at], at)):
        verb = desk["verbs"][at]
        if counts[at] > left:
            # With half of the orders of a verb in the tree, nobody would look for the other half.
            typed.add(verb["word"])
            continue
        left -= counts[at]
        tries[verb["word"]][at] = [
            line for line in _lines(verb["parts"], desk["kinds"]) if _is_taken(ruleset, view, line)
        ]
    nodes = []
    for word, lines in tries.items():
        trie: dict[_Word | None, Any] = {}
        for line in itertools.chain.from_iterable(lines[at] for at in sorted(lines)):
            _insert(trie, line)
        if trie and word not in typed:
            nodes += _trie_nodes(trie, branches)
    return nodes


def _count(parts: Sequence[Json], kinds: Json) -> int:
    """Return the number of lines that parts make; more than are tried if a word of them has to be typed."""
    try:
        return prod(_count_part(part, kinds) for part in parts)
    except _TypedForm:
        return MOST_TRIED + 1


def _count_part(part: Json, kinds: Json) -> int:
    if "word" in part:
        return 1
    if "optional" in part:
        return 1 + prod(_count_part(each, kinds) for each in part["optional"])
    return _count_words(kinds[part["kind"]]["form"])


def _count_words(form: Json) -> int:
    """Return the number of words of a form; raise _Typed if they cannot be listed."""
    match form["type"]:
        case "choice":
            return len(form["values"])
        case "number":
            return max(0, int(form["high"]) - int(form["low"]) + 1)
        case "several" if form["least"] <= 1:
            return _count_words(form["of"])
        case "either":
            return sum(map(_count_words, form["of"]))
    raise _TypedForm


def _lines(parts: Sequence[Json], kinds: Json) -> Iterator[tuple[_Word, ...]]:
    """Yield the lines that parts make."""
    for chosen in itertools.product(*(list(_part_words(part, kinds)) for part in parts)):
        yield tuple(itertools.chain.from_iterable(chosen))


def _part_words(part: Json, kinds: Json) -> Iterator[tuple[_Word, ...]]:
    if "word" in part:
        yield (part["word"],)
    elif "optional" in part:
        yield ()
        yield from _lines(part["optional"], kinds)
    else:
        yield from ((word,) for word in _words(kinds[part["kind"]]["form"]))


def _words(form: Json) -> Iterator[_Word]:
    match form["type"]:
        case "choice":
            yield from form["values"]
        case "number":
            yield from range(form["low"], form["high"] + 1)
        case "several":
            yield from _words(form["of"])
        case "either":
            yield from itertools.chain.from_iterable(map(_words, form["of"]))


def _is_taken(ruleset: AnyRuleset, view: View, words: tuple[_Word, ...]) -> bool:
    return not ruleset.parse(view, [(1, write_line(words))]).errors


def write_line(words: Iterable[_Word]) -> str:
    """Return the line of a sheet that has these words."""
    return " ".join(quote_word(str(word)) for word in words)


def _insert(trie: dict[_Word | None, Any], line: tuple[_Word, ...]) -> None:
    for word in line:
        trie = trie.setdefault(word, {})
    trie[None] = {}


def _trie_nodes(trie: Mapping[_Word | None, Any], branches: _Branches) -> list[Node]:
    """Return the nodes of a trie, in which None marks the end of a line; numbers in a row with one branch are one."""
    nodes: list[Node] = []
    for word, behind in trie.items():
        if word is None:
            continue
        rest: Node = {"ends": True} if None in behind and len(behind) > 1 else {}
        if below := _trie_nodes(behind, branches):
            rest["next"] = branches.number(below)
        if isinstance(word, str):
            nodes.append({"word": word, **rest})
        elif nodes and nodes[-1] == {"low": nodes[-1].get("low"), "high": word - 1, **rest}:
            nodes[-1]["high"] = word
        else:
            nodes.append({"low": word, "high": word, **rest})
    return nodes
