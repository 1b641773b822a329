"""Parts of the planet in pictures: what a view tells of their hexes, as marks."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from pbem.ruleset import Label, Mark, Point, SeatName, Sprite, SpriteInstance, TapTarget, View, draw_line
from pbem_rules.common.hexes import Hex, disc, distance, step
from pbem_rules.common.summary import counted, listed
from pbem_rules.harvester import sprites
from pbem_rules.harvester.atlas import UNKNOWN, Atlas, Sighting
from pbem_rules.harvester.memory import lost_foes, moves, old_riches
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.routes import written
from pbem_rules.harvester.sprites import TALL, WIDE
from pbem_rules.harvester.units import HARVESTER, MOVE, SLOT
from pbem_rules.harvester.units import NAMES as UNITS

LETTERED = 12
"""Owners that get a letter: those of the nearest contacts."""

WIDEST = 11
"""Hexes around the Harvester up to which the chart grows for what orders may name: places in reach, and targets."""

SIDES = ("own", "friend", "foe")

_MIGHT = "HGLSC"
_HARVESTER = UNITS[HARVESTER]
_NOTHING = "nothing known"

Crowd = list[tuple[str, str]]
"""Owners, and the names of their units or their kinds."""


class Scene:
    """A view's facts by hex; `away` is the offset from the Harvester to each hex with units, now or before."""

    def __init__(self, view: View) -> None:
        self.view, self.atlas = view, Atlas(view)
        self.dust = {(q, r) for q, r in view["dust"]}
        self.crowds = _crowds(view)
        self.fights = {(event["q"], event["r"]) for event in view["events"] if event["kind"] == "fought"}
        self.captured = _captured(view)
        self.ways = sorted(set(moves(view).values()))
        self.riches = {each.spot: each.resources for each in reversed(old_riches(view))}
        self.lost: dict[Hex, tuple[int, Crowd]] = {}
        # Those seen last come first, and older ones on the same hex are not drawn.
        for each in lost_foes(view):
            ago, crowd = self.lost.setdefault(each.spot, (each.ago, []))
            crowd.extend((each.owner, kind) for kind in each.units if each.ago == ago)
        self.away = {spot: self.atlas.away(spot) for spot in (*self.crowds, *self.lost)}
        self.letters = self._letters()

    def knows(self, spot: Hex) -> bool:
        """Return True if scanners tell of a hex now."""
        return spot in self.atlas.sightings or spot in self.dust

    def tells(self, spot: Hex) -> bool:
        """Return True if anything is known of a hex, also from earlier reports."""
        return self.knows(spot) or spot in self.lost or spot in self.riches

    def shows(self, spot: Hex) -> bool:
        """Return True if a hex is drawn: anything is known of it, or a unit may be sent there."""
        return self.tells(spot) or spot in self.goals

    @cached_property
    def paces(self) -> dict[Hex, int]:
        """The hexes of own defence units, and the most steps that one there takes in a turn."""
        paces: dict[Hex, int] = {}
        for unit in self.view["units"]:
            spot = unit["q"], unit["r"]
            paces[spot] = max(paces.get(spot, 0), int(MOVE[SLOT[unit["unit"]]]))
        return paces

    @cached_property
    def goals(self) -> frozenset[Hex]:
        """The hexes no farther from own units than these go in a turn."""
        return frozenset().union(*(self.around(spot, pace) for spot, pace in self.paces.items()))

    def around(self, spot: Hex, radius: int) -> set[Hex]:
        """Return the hexes within a distance of another."""
        return {self.atlas.named(step(spot, way)) for way in disc(radius)}

    def names(self, spot: Hex) -> tuple[str, ...]:
        """Return the words for orders that mean a hex or its contents: own units, then the hex itself."""
        own = [name for _, name in self.crowds.get(spot, {}).get("own", ()) if name != _HARVESTER]
        return (*own, written(spot))

    def words(self, spot: Hex) -> str:
        """Return what is known of a hex, in words."""
        return f"{written(spot)}: {', '.join(self._contents_words(spot)) or _NOTHING}"

    @cached_property
    def telling(self) -> frozenset[Hex]:
        """The hexes about which more is known than that they are scanned."""
        return frozenset({*self.crowds, *self.lost, *self.riches, *self.dust, *self.atlas.crags, *self.atlas.marked})

    def _contents_words(self, spot: Hex) -> Iterator[str]:
        for side, crowd in self.crowds.get(spot, {}).items():
            yield f"your {listed([name for _, name in crowd])}" if side == "own" else f"{side} {grouped(crowd)}"
        if spot in self.lost:
            ago, crowd = self.lost[spot]
            yield f"foe {grouped(crowd)} seen {counted(ago, 'turn')} ago"
        seen = self.atlas.sightings.get(spot)
        if seen and seen.resources > 0:
            yield counted(seen.resources, "resource")
        elif spot in self.riches:
            yield f"{counted(self.riches[spot], 'resource')}, counted before"
        elif seen and seen.marked and seen.resources == UNKNOWN:
            yield "something to gather, or a Harvester"
        if spot in self.atlas.crags:
            yield "crags"
        if spot in self.dust:
            yield "dust"

    def letters_of(self, crowd: Crowd) -> str:
        """Return the letters of the owners in a crowd; an ellipsis for those that have none."""
        return "".join(sorted({self.letters.get(owner, "…") for owner, _ in crowd}))

    def _letters(self) -> dict[str, str]:
        """Return a letter for the owners of the nearest contacts, and of the nearest foes seen before."""
        far = {spot: distance(way, (0, 0)) for spot, way in self.away.items()}
        contacts = [(far[each["q"], each["r"]], each["owner"]) for each in self.view["contacts"]]
        lost = [(far[spot], owner) for spot, (_, crowd) in self.lost.items() for owner, _ in crowd]
        owners = list(dict.fromkeys(owner for _, owner in (*sorted(contacts), *sorted(lost))))[:LETTERED]
        return dict(zip(sorted(owners), "ABCDEFGHIJKLMNOPQRSTUVWXYZ", strict=False))


class Window:
    """Hexes around one whose middle is at (x, y) in a picture; `ways` lead to them from there.

    `spots` maps the names of its hexes to their middles in pixels; on a small planet, each once.
    """

    def __init__(self, scene: Scene, middle: Hex, ways: Iterable[Hex], x: int, y: int) -> None:
        self.scene, self.atlas, self.middle = scene, scene.atlas, middle
        named = [(self.atlas.named(step(middle, way)), way) for way in ways]
        if len(dict(named)) < len(named):
            # On a small planet several ways lead to one hex; the shortest is kept.
            named = [(spot, way) for spot, way in named if self._away(spot) == way]
        self.spots = {spot: (x + WIDE * q + WIDE // 2 * r, y + TALL * r) for spot, (q, r) in named}

    def _away(self, spot: Hex) -> Hex:
        return self.atlas.planet.named(spot[0] - self.middle[0], spot[1] - self.middle[1], near=(0, 0))

    def owners(self) -> set[SeatName]:
        """Return the owners of units that are shown, now or before."""
        here = self.spots.keys()
        crowds = [crowd for spot in here & self.scene.crowds.keys() for crowd in self.scene.crowds[spot].values()]
        crowds += [self.scene.lost[spot][1] for spot in here & self.scene.lost.keys()]
        return {owner for crowd in crowds for owner, _ in crowd}

    def tapped(self, spots: Iterable[Hex] | None = None) -> Iterator[TapTarget]:
        """Yield a target for taps for every hex that is drawn, or for some of the hexes."""
        for spot in self.spots if spots is None else spots:
            x, y = self.spots[spot]
            if spot in self.scene.telling:
                yield TapTarget(self.scene.names(spot), self.scene.words(spot), _outline(x, y))
            elif self.scene.shows(spot):
                yield _empty(spot, x, y)

    def rows(self) -> Iterator[list[tuple[int, int, Hex]]]:
        """Yield the hexes drawn in each row from west to east: x, y and name."""
        shown = [(y, x, spot) for spot, (x, y) in self.spots.items() if self.scene.shows(spot)]
        for _, row in itertools.groupby(sorted(shown), key=lambda each: each[0]):
            yield [(x, y, spot) for y, x, spot in row]

    def marks(self) -> Iterator[Mark]:
        """Yield all marks, lowest first."""
        seen = {spot: self.atlas.sightings.get(spot) for spot in self.spots if self.scene.shows(spot)}
        known = {spot: sighting for spot, sighting in seen.items() if sighting or spot in self.scene.dust}
        yield from (SpriteInstance(sprites.OLD, *self.spots[spot]) for spot in seen if spot not in known)
        for spot, sighting in known.items():
            yield SpriteInstance(self._ground_of(spot, sighting), *self.spots[spot])
        for spot in known:
            yield from self._seam(spot)
        yield from self._course()
        yield from self._ways()
        for spot, sighting in seen.items():
            yield from self._contents(spot, sighting)

    def _ground_of(self, spot: Hex, sighting: Sighting | None) -> Sprite:
        """Return a hex of its band or ground, with what moved there, as one sprite that many pictures share."""
        if sighting is None:
            return sprites.CRAG if spot in self.atlas.crags else sprites.DUSTY
        clear = sprites.DUSTY if spot in self.scene.dust else sprites.CELLS[sighting.band - 1]
        ground = sprites.CRAG if spot in self.atlas.crags else clear
        return sprites.trodden(ground, sighting.entered) if sighting.moved > 0 else ground

    def _seam(self, spot: Hex) -> Iterator[Mark]:
        """Draw the edges on which the chart is joined, where coordinates change to the opposite side (ruling 15)."""
        x, y = self.spots[spot]
        for way, ends in sprites.UPPER_EDGES.items():
            if self.atlas.beyond_seam(spot, DIRECTIONS[way]):
                yield draw_line([(x + dx, y + dy) for dx, dy in ends], width=4, stroke=sprites.SEAM)

    def _course(self) -> Iterator[Mark]:
        target = self.scene.view["harvester"]["target"]
        if target is None:
            return
        path = [self.atlas.home, *self.atlas.line(self.atlas.home, (target[0], target[1]))]
        for here, there in itertools.pairwise(path):
            if self._are_joined(here, there):
                yield draw_line(
                    [self.spots[here], self.spots[there]], width=3, stroke=sprites.OWN, stroke_dasharray="6 4"
                )

    def _ways(self) -> Iterator[Mark]:
        """Draw the moves of own units this turn, as straight arrows; of one from outside the window its end."""
        for whence, whither in self.scene.ways:
            if whither in self.spots:
                back = [whither, *self.atlas.line(whither, whence)]
                joined = itertools.takewhile(lambda pair: self._are_joined(*pair), itertools.pairwise(back))
                shown = [there for _, there in joined]
                if shown:
                    (x, y), (left, top) = self.spots[whither], self.spots[shown[-1]]
                    arrow = sprites.arrow(x - left, y - top)
                    yield SpriteInstance(arrow, (x + left) // 2, (y + top) // 2)

    def _are_joined(self, here: Hex, there: Hex) -> bool:
        """Return True if two hexes lie side by side in the window: on a small planet they may be at its two ends."""
        if here not in self.spots or there not in self.spots:
            return False
        (x, y), (left, top) = self.spots[here], self.spots[there]
        return abs(x - left) <= WIDE and abs(y - top) <= TALL

    def _contents(self, spot: Hex, sighting: Sighting | None) -> Iterator[Mark]:
        """Draw what is and was in a hex."""
        x, y = self.spots[spot]
        crowded = spot in self.scene.crowds or spot in self.scene.lost
        if spot in self.scene.crowds:
            yield from self._crowd(spot)
        elif spot in self.scene.lost:
            yield from self._lost_badge(spot)
        if sighting or spot in self.scene.riches:
            yield from self._finds(spot, sighting, crowded=crowded)
        if spot in self.scene.captured:
            yield SpriteInstance(sprites.CAPTURED, x - 16, y - 16)
        elif spot in self.scene.fights:
            yield SpriteInstance(sprites.FIGHT, x - 17, y - 17)

    def _crowd(self, spot: Hex) -> Iterator[Mark]:
        """Draw the badges of a hex, its name below them, and the letters of owners above."""
        x, y = self.spots[spot]
        crowds = self.scene.crowds[spot]
        sides = [side for side in SIDES if side in crowds]
        for at, side in enumerate(sides):
            left = x + round(22 * (at - (len(sides) - 1) / 2))
            home = side == "own" and spot == self.atlas.home
            label = badge_label(crowds[side], small=len(sides) > 1)
            yield SpriteInstance(sprites.badge("home" if home else side, 7 * len(label)), left, y - 3)
            yield Label(left, y + 1, label, 11, sprites.WHITE, "middle", bold=True)
            if side != "own":
                yield _word(left, y - 13, self.scene.letters_of(crowds[side]), bold=True)
        yield _word(x, y + 18, written(spot))

    def _lost_badge(self, spot: Hex) -> Iterator[Mark]:
        """Draw a hollow badge of foes seen before: the strongest, the turns since, and their owners above."""
        x, y = self.spots[spot]
        ago, crowd = self.scene.lost[spot]
        label = f"{badge_label(crowd)} {ago}"
        yield SpriteInstance(sprites.badge("lost", 7 * len(label)), x, y - 3)
        yield Label(x, y + 1, label, 11, sprites.FOE, "middle", bold=True)
        yield _word(x, y - 13, self.scene.letters_of(crowd), bold=True)
        yield _word(x, y + 18, written(spot))

    def _finds(self, spot: Hex, seen: Sighting | None, *, crowded: bool) -> Iterator[Mark]:
        """Draw what is in a hex, except units that are known exactly."""
        x, y = self.spots[spot]
        uncounted = bool(seen and seen.resources == UNKNOWN and seen.number > 0)
        px, py = (x + 15, y - 15) if crowded or uncounted else (x, y - 4)
        if spot in self.scene.riches:
            yield SpriteInstance(sprites.COUNTED, px, py)
            yield Label(px, py + 4, str(self.scene.riches[spot]), 11, sprites.RESOURCE, "middle", bold=True)
        elif seen and seen.resources > 0:
            yield SpriteInstance(sprites.PRIZE, px, py)
            yield Label(px, py + 4, str(seen.resources), 11, sprites.WHITE, "middle", bold=True)
        elif seen and seen.resources == UNKNOWN and seen.marked:
            yield SpriteInstance(sprites.PRIZE, px, py)
        elif not uncounted:
            return
        if not crowded:
            yield _word(x, y + 18, written(spot))
        if seen and uncounted:
            yield _word(*((x - 16, y - 12) if crowded else (x, y + 4)), f"{seen.number}?", bold=True)


def _word(x: int, y: int, text: str, *, bold: bool = False) -> Label:
    return Label(x, y, text, 11, sprites.INK, "middle", bold=bold, halo=sprites.PAPER)


@lru_cache(maxsize=8192)
def _empty(spot: Hex, x: int, y: int) -> TapTarget:
    """Return the target of an empty hex, as most are; cached because many players share name and place."""
    return TapTarget((written(spot),), f"{written(spot)}: {_NOTHING}", _outline(x, y))


@lru_cache(maxsize=8192)
def _outline(x: int, y: int) -> tuple[Point, ...]:
    return tuple((x + dx, y + dy) for dx, dy in sprites.CORNERS)


def grouped(crowd: Crowd) -> str:
    """Return units of others by owner: "bob C, cyd S S"."""
    owners = dict.fromkeys(owner for owner, _ in crowd)
    return ", ".join(f"{owner} {' '.join(kind for each, kind in crowd if each == owner)}" for owner in owners)


def _crowds(view: View) -> dict[Hex, dict[str, Crowd]]:
    """Return the units of each hex by side: owners with the names of units, or their kinds."""
    found: dict[Hex, dict[str, Crowd]] = {}

    def add(spot: Sequence[int], side: str, owner: str, names: Sequence[str]) -> None:
        here = found.setdefault((spot[0], spot[1]), {}).setdefault(side, [])
        here.extend((owner, name) for name in names)

    home = view["harvester"]
    add((home["q"], home["r"]), "own", view["seat"], ["H"])
    for unit in view["units"]:
        add((unit["q"], unit["r"]), "own", view["seat"], [unit["unit"]])
    for contact in view["contacts"]:
        add((contact["q"], contact["r"]), contact["side"], contact["owner"], contact["units"])
    return found


def _captured(view: View) -> set[Hex]:
    """Return the hexes of Harvesters that changed hands this turn, the reader's own or one below."""
    won = {event["who"] for event in view["events"] if event["kind"] == "won-over"}
    spots = {(each["q"], each["r"]) for each in view["subservients"] if each["seat"] in won}
    if any(event["kind"] == "conquered" for event in view["events"]):
        spots.add((view["harvester"]["q"], view["harvester"]["r"]))
    return spots


def badge_label(crowd: Crowd, *, small: bool = False) -> str:
    """Return the strongest unit and how many more there are; with `small`, its kind and their number."""
    names = sorted((name for _, name in crowd), key=lambda name: (_MIGHT.index(name[0]), name))
    if small:
        return names[0][0] + (str(len(names)) if len(names) > 1 else "")
    return names[0] + (f"+{len(names) - 1}" if len(names) > 1 else "")
