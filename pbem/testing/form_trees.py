"""The lines of an order form's tree, for tests of what games let a page offer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pbem.ruleset.order_tree import Node, next_nodes, write_line
from pbem.ruleset.values import Json


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
