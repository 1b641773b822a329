"""The word of a player whose only opponent is late: the turn runs, or waits (house rule `late=opponents`)."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.actions.arguments import SeatCommand
from pbem.actions.base import TextResult
from pbem.actions.deadlines import set_deadline
from pbem.actions.run_turn import request_run
from pbem.actions.weight import Harmless
from pbem.campaign.deadlines import BY_CLAIM, OpenTurnStatus, load_open_turns, may_be_claimed
from pbem.campaign.house_rules import OPPONENTS
from pbem.campaign.prospects import find_cover
from pbem.campaign.snapshot import Context, add_entry, find_seat_view, require_running
from pbem.errors import CampaignError
from pbem.ruleset.values import SeatName
from pbem.text import format_time


@dataclass(frozen=True, slots=True)
class ClaimTurn(SeatCommand):
    """Have the turn run without your opponent's orders, which are late, where the campaign leaves that to you."""

    usage = "CLAIM"
    weight = Harmless("the time for the orders that it leaves out is over")

    def do(self, context: Context) -> TextResult:
        """Save the request of a run for the next tick. Raises CampaignError unless the turn waits for this player."""
        waiting = _claimed(context, self.seat)
        add_entry(
            context.session, context.snapshot.id, context.now, actor=self.seat, text=f"claimed turn {waiting.turn}"
        )
        request_run(context, BY_CLAIM)
        return TextResult(f"The turn is run without orders of {waiting.missing[0]}, as soon as all messages are read.")


@dataclass(frozen=True, slots=True)
class LetWait(SeatCommand):
    """Give your opponent, whose orders are late, as much more time as an extension has."""

    usage = "WAITS"
    weight = Harmless("more time takes nothing from anybody")

    def do(self, context: Context) -> TextResult:
        """Move the deadline. Raises CampaignError unless the turn waits for this player."""
        waiting, snapshot = _claimed(context, self.seat), context.snapshot
        assert waiting.deadline is not None
        new = max(waiting.deadline, context.now) + snapshot.policy.extension_time
        why = f"{self.seat} lets {waiting.missing[0]} have more time."
        set_deadline(context, waiting, waiting.deadline, new, actor=self.seat, why=why)
        due = format_time(new, snapshot.zone_for(find_seat_view(snapshot, self.seat)))
        return TextResult(f"{waiting.missing[0]} has more time. Orders are due {due}.")


def _claimed(context: Context, seat: SeatName) -> OpenTurnStatus:
    """Return the open turn, which waits for the word of a seat. Raises CampaignError if it does not."""
    snapshot = context.snapshot
    require_running(snapshot)
    if snapshot.policy.late != OPPONENTS:
        raise CampaignError(f"in {snapshot.name} turns wait for no word of an opponent")
    (waiting,) = load_open_turns(context.session, snapshot.name)
    if waiting.claimant != seat or not may_be_claimed(waiting, context.now):
        raise CampaignError("nobody is late whom the turn waits for, so there is nothing to decide")
    if find_cover(context, waiting)[0]:
        raise CampaignError(f"{waiting.missing[0]} has time of their own for this turn, which comes first")
    return waiting
