"""The secrets of The Umpire's Pen from a seat: the sheets of others, and the GM's words to them."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping

from pbem.ruleset import Attachment, SeatName
from pbem_rules.gm_adjudicated.ledgers import GM, Entries, Ledgers
from pbem_rules.gm_adjudicated.state import Player, ReportTexts, State

WORDS = ("the fleet", "waits", "MARCH", "gold;", "under the bridge,", "tonight", "for", "an answer")

PUBLIC = (
    "open_scores",
    "players.*.playing",
    "turn",
    "turns",
)
"""What all players know."""


def scramble(state: State, seat: SeatName, rnd: random.Random) -> State:
    """Return the same game with other files, maps, pictures, sheets and secret scores of the other seats.

    The GM's own notes differ too, even those about the seat itself.
    """
    players = {
        each: dataclasses.replace(player if each == seat else _other(state, player, rnd), notes=_text(rnd))
        for each, player in state.players.items()
    }
    return dataclasses.replace(state, players=players, notes=_text(rnd), ledgers=_ledgers(state, seat, rnd))


def elsewhere(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, dict[SeatName, list[str]]]:
    """Return a scrambled game, and other sheets of the other seats."""
    sheets = {each: _lines(rnd) for each in state.playing if each != seat}
    return scramble(state, seat, rnd), sheets


def _ledgers(state: State, seat: SeatName, rnd: random.Random) -> Ledgers:
    """Return the ledgers with other entries, and more of them, where the seat does not see them."""
    seen = {owner["of"]: {row["name"] for row in owner["entries"]} for owner in state.ledgers.shown_to(seat)}

    def scrambled(entries: Mapping[str, Entries]) -> dict[str, Entries]:
        kept = {
            owner: {name: value for name, value in own.items() if name in seen.get(owner, ())}
            for owner, own in entries.items()
        }
        return {owner: own | {f"plot{rnd.randrange(9)}": rnd.randrange(99)} for owner, own in kept.items()}

    secret = {f"plot{number}": GM for number in range(9)}
    ledgers = state.ledgers
    if not ledgers.entries:
        return ledgers
    return Ledgers(scrambled(ledgers.entries), scrambled(ledgers.before), {**ledgers.seen, **secret})


def _other(state: State, player: Player, rnd: random.Random) -> Player:
    score = player.score if state.open_scores else rnd.randrange(100)
    known = ReportTexts(_text(rnd), _text(rnd), with_file=_enclosed(rnd), with_map=_enclosed(rnd))
    return dataclasses.replace(player, known=known, sheet=tuple(_lines(rnd)), score=score, told=_text(rnd))


def _enclosed(rnd: random.Random) -> tuple[Attachment, ...]:
    """Return up to three pictures and files."""
    return tuple(
        Attachment(f"{rnd.choice(WORDS)}.png", "image/png", f"{rnd.getrandbits(256):064x}", 900, rnd.randrange(90))
        for _ in range(rnd.randrange(4))
    )


def _text(rnd: random.Random) -> str:
    return "\n".join(_lines(rnd))


def _lines(rnd: random.Random) -> list[str]:
    return [" ".join(rnd.choices(WORDS, k=rnd.randint(1, 6))) for _ in range(rnd.randrange(4))]
