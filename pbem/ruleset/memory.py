"""What seats remember from report to report: a line of scores, for any game."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.ruleset.contract import Json

KEPT = 200
"""Scores remembered; in a longer game the first are forgotten."""


def scored(before: Mapping[str, Json], of: str, by: str, number: int, score: int) -> Json:
    """The `scores` of a memory with one more: of planets, say, by turn. A second one of a turn takes the first's place.

    `before` is the memory of the report before.
    """
    last = before.get("scores", {"turns": []})["turns"]
    return {"of": of, "by": by, "turns": [*(each for each in last if each[0] != number), [number, score]][-KEPT:]}
