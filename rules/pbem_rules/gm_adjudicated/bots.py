"""Bots: from a mailed view to the lines of a sheet, such as a player might write to the GM."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.ruleset import Bot, Dice, View
from pbem_rules.gm_adjudicated.usages import usages_of

_WHAT = (
    "send the fleet to {place}, and let nobody out",
    "ask {other} for a truce until the harvest; offer ten talents",
    "fortify {place} with whatever timber can be found",
    "have a spy ask in the taverns of {place} what {other} is up to",
    "rest, and keep a good watch on {place}",
)
_PLACES = ("Naxos", "Delos", "Corinth", "the pass", "the north road")


def standard(view: View, dice: Dice) -> list[str]:
    """Return two or three wishes, each with one of the campaign's verbs if it has any."""
    return [_line(view, dice.within("line", view["turn"], count)) for count in range(1 + dice.roll(2, view["turn"]))]


def _line(view: View, dice: Dice) -> str:
    others = [seat for seat in view["seats"] if seat != view["seat"]]
    wish = dice.pick(_WHAT, "what").format(place=dice.pick(_PLACES, "place"), other=dice.pick(others, "other"))
    if not view["verbs"]:
        return wish[:1].upper() + wish[1:]
    verb = dice.pick([verb["verb"] for verb in view["verbs"]], "verb")
    usages = usages_of(view)
    return usages.invent(view, verb, dice, "usage") if verb in usages.words else f"{verb} {wish}"


BOTS: Mapping[str, Bot] = {"standard": standard}
