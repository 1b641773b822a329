"""Courses: the shortest lawful way of a ship to a space, as far as its player's charts tell.

A course has as few segments as can be. Of several as short the one is chosen
that passes the fewest spaces in which ships may lie that would stop it, then the
one that needs no slip, then the one whose vectors come first in `VECTORS`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pbem_rules.singularity_trap.orders import JUMP
from pbem_rules.singularity_trap.space import VECTORS, Space, StarMap, distance, plus


@dataclass(frozen=True, slots=True, order=True)
class Powers:
    """The abilities of a ship on its way: drive units, and whether it can slip and jump."""

    drive: int
    slip: bool
    jump: bool


@dataclass(frozen=True, slots=True)
class Course:
    """A way: a slip of some spaces along a vector ("" for none), then legs; `passes` are the dangers on it."""

    end: Space
    vector: str = ""
    spaces: int = 0
    legs: tuple[str, ...] = ()
    passes: frozenset[Space] = frozenset()

    @property
    def segments(self) -> int:
        """The number of segments that it takes."""
        return bool(self.vector) + len(self.legs)


@dataclass(frozen=True, slots=True)
class Found:
    """The course chosen, and the dangers that others as short would pass."""

    course: Course
    others: tuple[frozenset[Space], ...]


class Router:
    """All courses of a ship from where it is.

    `dangers` are spaces with ships that may stop it, `exits` the jumps that its player knows.
    """

    def __init__(
        self, board: StarMap, start: Space, powers: Powers, dangers: frozenset[Space], exits: Mapping[Space, Space]
    ) -> None:
        self._board, self._start, self._powers = board, start, powers
        self._dangers, self._exits = dangers, exits
        self._found: dict[Space, dict[frozenset[Space], Course]] = {}
        self._explore()

    def to(self, space: Space) -> Found | None:
        """Return the best course to a space, or None if it cannot be reached in one turn."""
        courses = self._found.get(space)
        if not courses:
            return None
        best = min(courses.values(), key=_worth)
        return Found(best, tuple(passed for passed in courses if passed != best.passes))

    def nearest(self, space: Space) -> Space:
        """Return the space nearest to another that can be reached, which may be where the ship is."""
        return min([self._start, *self._found], key=lambda each: (distance(each, space), each))

    def _explore(self) -> None:
        """Find courses space by space, those with fewest segments first, so that no part of a course is a detour."""
        edge, reached = [Course(self._start)], {self._start}
        while edge:
            following: dict[tuple[Space, bool, frozenset[Space]], Course] = {}
            for course in edge:
                for step in self._steps(course):
                    # Courses that pass other dangers are kept apart, for the receipt to tell of them.
                    key = step.end, bool(step.vector), step.passes
                    if step.end not in reached and (key not in following or _worth(step) < _worth(following[key])):
                        following[key] = step
            edge = list(following.values())
            reached.update(course.end for course in edge)
            for course in edge:
                self._note(course)

    def _note(self, course: Course) -> None:
        known = self._found.setdefault(course.end, {})
        if course.passes not in known or _worth(course) < _worth(known[course.passes]):
            known[course.passes] = course

    def _steps(self, course: Course) -> Iterator[Course]:
        passes = course.passes | ({course.end} & self._dangers)
        if not course.segments and self._powers.slip:
            yield from self._slips(passes)
        if len(course.legs) < self._powers.drive:
            for vector, offset in VECTORS.items():
                yield from self._leg(course, vector, plus(course.end, offset), passes)
            if self._powers.jump and course.end in self._exits:
                yield from self._leg(course, JUMP, self._exits[course.end], passes)

    def _slips(self, passes: frozenset[Space]) -> Iterator[Course]:
        for vector, offset in VECTORS.items():
            # Only the end of a slip can meet anything, and it uses no drive (ruling 12).
            for spaces in range(1, self._powers.drive + 1):
                end = plus(self._start, offset, spaces)
                if self._board.has(end):
                    yield Course(end, vector, spaces, (), passes)

    def _leg(self, course: Course, leg: str, end: Space, passes: frozenset[Space]) -> Iterator[Course]:
        if self._board.has(end):
            yield Course(end, course.vector, course.spaces, (*course.legs, leg), passes)


Exits = tuple[tuple[Space, Space], ...]
"""Jumps that a player knows, as entries and exits."""


@functools.lru_cache(maxsize=256)
def reach(board: StarMap, start: Space, powers: Powers, exits: Exits) -> frozenset[Space]:
    """Return the spaces to which a `Router` has courses, without them."""
    edge = {start}
    if powers.slip:
        ends = (plus(start, offset, far) for offset in VECTORS.values() for far in range(1, powers.drive + 1))
        edge.update(end for end in ends if board.has(end))
    reached = set(edge)
    for _ in range(powers.drive):
        following = set().union(*(_around(board, space) for space in edge))
        if powers.jump:
            following.update(end for entry, end in exits if entry in edge)
        edge = following - reached
        reached |= edge
    return frozenset(reached - {start})


@functools.lru_cache(maxsize=20_000)
def _around(board: StarMap, space: Space) -> tuple[Space, ...]:
    return tuple(beside for offset in VECTORS.values() if board.has(beside := plus(space, offset)))


_PLACES = {leg: place for place, leg in enumerate((*VECTORS, JUMP))}


def _worth(course: Course) -> tuple[int, int, bool, tuple[int, ...]]:
    """Return the sort key of courses: the least is the best."""
    legs = (course.vector, *course.legs) if course.vector else course.legs
    return course.segments, len(course.passes), bool(course.vector), tuple(_PLACES[leg] for leg in legs)
