"""What a chain reaction brings: points, markers, stations, bubbles (rulings 13, 17, 18, 22)."""

from __future__ import annotations

from rules.bubble_singularity.play import Play
from rules.bubble_singularity.reacting import LONGEST

CONTROL_LENGTH = 3
HARVEST_LENGTH = 2
AFFINITY_POINTS = 2


def scoring(play: Play) -> None:
    """Points and markers for the mover, and control of the stations in the chain."""
    chain, table, seat = play.chain, play.table, play.seat
    if not chain.pops:
        return
    extra, further = _extras(play)
    chain.length = len(chain.pops) + chain.nodes + chain.begun_beside_research
    scored = chain.length + further
    affine = chain.beside_node and table.has(seat, "affinity")
    points = table.rules.points(scored) + (AFFINITY_POINTS if affine else 0)
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
        cut=len(chain.pops) == LONGEST and bool(chain.queue),
    )
    play.pending = chain.nodes if not table.rules.beginner else 0
    if chain.length >= CONTROL_LENGTH:
        _take_control(play)


def _extras(play: Play) -> tuple[list[str], int]:
    """Why a chain counts for more than its pops, and the length that counts for its score alone."""
    chain, seat = play.chain, play.seat
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


def _take_control(play: Play) -> None:
    for station in play.chain.stations:
        before = play.table.control.get(station)
        if before != play.seat:
            play.table.control[station] = play.seat
            play.tell("controlled", who=play.seat, station=station, before=before)


def harvesting(play: Play) -> None:
    """Energy Harvest brings a bubble from the bag for a chain of length 2 or more."""
    if play.chain.length < HARVEST_LENGTH or not play.table.has(play.seat, "harvest"):
        return
    colour = play.draw("harvest")
    if colour is None:
        play.end("bag")
    else:
        play.table.gain(play.seat, colour)
        play.tell("harvested", who=play.seat, colour=colour)
