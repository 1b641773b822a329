"""A GM rolls the campaign's dice for something that he has to judge, and looks at what was rolled.

A roll cannot be taken back: the journal has it, the record of its turn will, and
the same words rolled again are a second roll.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pbem.acts.act import Act, Harmless, Question, Scene
from pbem.acts.arguments import TURN, Free, GmCommand, Typed, Words
from pbem.acts.channel import Channel
from pbem.campaign.rolls import keep_rolls, load_rolls, open_rolls
from pbem.campaign.snapshot import check_running
from pbem.errors import CampaignError
from pbem.ruleset.fields import Refused
from pbem.ruleset.rolls import Roll, count_of
from pbem.store.types import Phase
from pbem.text import wrapped

_DICE = Free("dice", "dice such as 3d6+2, d20, d%, 4dF, 4d6k3 or 2d20kl1", "3d6+2")


@dataclass(frozen=True, slots=True)
class RollBook:
    """What was rolled in a turn, the oldest first."""

    campaign: str
    turn: int
    rolls: tuple[Roll, ...]

    def told(self, roll: Roll) -> str:
        """One of the rolls in words."""
        return roll.told(count_of(self.rolls, roll.label))


@dataclass(frozen=True, slots=True)
class Rolled:
    """A roll that was made just now."""

    campaign: str
    turn: int
    roll: Roll


@dataclass(frozen=True, slots=True)
class RollDice(GmCommand, Act[Rolled]):
    """Roll the campaign's dice for something, in the open turn. It stands: the same words again are a second roll."""

    usage = "ROLL dice label..."
    command = "roll"
    typed = Typed(
        "Roll DICE such as 3d6+2 for what LABEL says, in the open turn; it stands, and anyone can check it at the end.",
        json=True,
    )
    weight = Harmless("it overwrites nothing, and is final so that nobody rolls until it suits")
    dice: Annotated[str, _DICE]
    label: Annotated[str, Words("words", "what the roll is for", "ann storms the gate")]

    def do(self, scene: Scene) -> Rolled:
        """Rolls. Raises CampaignError if no turn is open, or these are no dice."""
        check_running(scene.snapshot)
        rolls = open_rolls(scene.session, scene.snapshot)
        try:
            roll = rolls.roll(self.dice, self.label)
        except Refused as refused:
            raise CampaignError(f"{refused.text}: {refused.hint}") from None
        keep_rolls(scene.session, scene.snapshot, rolls.fresh, scene.now)
        return Rolled(scene.snapshot.name, scene.snapshot.turn, roll)

    def render(self, facts: Rolled, channel: Channel) -> Iterator[str]:
        yield wrapped(facts.roll.told(facts.roll.number), "    ")
        said = (
            f"It stands for turn {facts.turn} of {facts.campaign}; the journal has it, and the record of the turn will."
        )
        yield wrapped(said)


@dataclass(frozen=True, slots=True)
class ShowRolls(GmCommand, Question[RollBook]):
    """See what you rolled in a turn; without its number, in the open one."""

    usage = "ROLLS [turn]"
    command = "rolls"
    typed = Typed("Show what was rolled in a campaign's open turn, or in another TURN.", json=True)
    turn: Annotated[int | None, TURN] = None

    def look(self, scene: Scene) -> RollBook:
        """All rolls of the turn, also of one that was taken back since. Raises CampaignError before the start."""
        snapshot = scene.snapshot
        if snapshot.status == Phase.FORMING:
            raise CampaignError(f"campaign {snapshot.name} has not begun: nothing was rolled")
        last = snapshot.turn - (snapshot.status == Phase.OVER)
        turn = last if self.turn is None else self.turn
        return RollBook(snapshot.name, turn, load_rolls(scene.session, snapshot, turn))

    def render(self, facts: RollBook, channel: Channel) -> Iterator[str]:
        if not facts.rolls:
            yield f"Nothing was rolled in turn {facts.turn} of {facts.campaign}."
        for roll in facts.rolls:
            yield wrapped(facts.told(roll), "    ")
