"""Scores of chain reactions: points, markers, stations, bubbles (rulings 13, 17, 18, 22)."""

from __future__ import annotations

from pbem_rules.bubble_singularity.asking import conclude
from pbem_rules.bubble_singularity.play import Chain, Play

CONTROL_LENGTH = 3
HARVEST_LENGTH = 2
AFFINITY_POINTS = 2


def scoring(play: Play) -> None:
    """Score each chain of the turn by itself, and count the cards that pops on nodes bring."""
    for number, chain in enumerate(play.chains, 1):
        _score(play, chain, number)
    if not play.table.rules.beginner:
        play.pending = sum(chain.nodes for chain in play.chains)


def _score(play: Play, chain: Chain, number: int) -> None:
    """Give the mover points and markers, and control of the stations in a chain."""
    table, seat = play.table, play.seat
    extra, further = _extras(play, chain)
    chain.length = len(chain.pops) + chain.nodes + chain.begun_beside_research
    # Reaction Amplifier counts for the score alone, not for control or Energy Harvest (rulings 13, 22 and 30).
    scored = chain.length + further
    affine = chain.beside_node and table.has(seat, "affinity")
    points = table.rules.points(scored) + (AFFINITY_POINTS if affine else 0)
    # The marker of the Universe does not depend on the length (ruling 30).
    markers = (scored >= table.rules.marker_length) + chain.universe
    player = table.players[seat]
    after = table.change(seat, points=player.points + points, markers=player.markers + markers)
    play.tell(
        "scored",
        who=seat,
        pops=len(chain.pops),
        length=scored,
        extra=extra,
        points=points,
        markers=markers,
        total=after.points,
        cut=chain in play.waiting.values(),
        chain=number,
    )
    if chain.length >= CONTROL_LENGTH:
        _take_control(play, chain)


def _extras(play: Play, chain: Chain) -> tuple[list[str], int]:
    """Return the reasons why a chain counts for more than its pops, and the length that counts for its score alone."""
    seat = play.seat
    extra = [f"+{chain.nodes} for pops on nodes"] if chain.nodes else []
    if chain.begun_beside_research:
        extra.append("+1 for beginning beside the research station")
    amplified = play.table.has(seat, "amplifier")
    if amplified:
        extra.append("+1 by Reaction Amplifier")
    if chain.beside_node and play.table.has(seat, "affinity"):
        extra.append("2 points more by Node Affinity")
    if chain.universe:
        extra.append("a marker more for the Universe")
    return extra, int(amplified)


def _take_control(play: Play, chain: Chain) -> None:
    for station in chain.stations:
        before = play.table.control.get(station)
        if before != play.seat:
            play.table.control[station] = play.seat
            play.tell("controlled", who=play.seat, station=station, before=before)


def harvesting(play: Play) -> None:
    """Draw a bubble for each chain that Energy Harvest counts (ruling 17)."""
    for number in _harvests(play):
        if play.result is None:
            _harvest(play, number)


def harvested(play: Play) -> int:
    """Return the number of bubbles that Energy Harvest brings, if the bag holds as many."""
    return len(_harvests(play))


def _harvests(play: Play) -> list[int]:
    """Return the chains for which Energy Harvest brings a bubble, by their index in the turn (ruling 17)."""
    if not play.table.has(play.seat, "harvest"):
        return []
    return [number for number, chain in enumerate(play.chains) if chain.length >= HARVEST_LENGTH]


def _harvest(play: Play, number: int) -> None:
    # The first chain keeps the key of a turn with one chain, so that records replay.
    colour = play.draw("harvest", *([number] if number else []))
    if colour is None:
        conclude(play, "bag")
    else:
        play.table.gain(play.seat, colour)
        play.tell("harvested", who=play.seat, colour=colour)
