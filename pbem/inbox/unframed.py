"""A GM's commands without a frame: plain lines of a reply, the first of which is a command.

Nothing else says that such lines are commands, so the first must be one as a whole:
"Hold on, I will look" and "Run is fine for me" begin like one and are words.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pbem.actions.arguments import SEAT, SEAT_OR_NONE, FreeText, GmCommand, TextBlock
from pbem.actions.base import Change
from pbem.actions.deadlines import HoldCampaign, SetSchedule, weekday_of
from pbem.actions.gm_forms import GmHelp
from pbem.campaign.courtesies import Manners
from pbem.campaign.house_rules import HOUSE_RULES
from pbem.errors import CampaignError
from pbem.inbox.frames import GmFrame
from pbem.inbox.gm_commands import is_slip, parse_gm_frame, read_command
from pbem.mail.reply_parser import is_end
from pbem.ruleset.order_types import OrderType

_MOST_TOPICS = 2
"""Words behind HELP; more are a sentence."""

_WORDY = (HoldCampaign, SetSchedule)
"""Commands that take whatever words there are."""


def read_unframed(
    campaign: str, lines: Sequence[str], *, code: str = "", names: Collection[str] = ()
) -> GmFrame | None:
    """Return the commands of a reply as a frame for `parse_gm_frame`; None if its first line is no command.

    Greetings and thanks around commands are left out. A first line that is a mistyped command is one: what
    is made of the frame tells what is wrong with it, and does nothing.

    Args:
        campaign: The campaign of the mail that was answered.
        lines: The lines that the GM typed, without quotations.
        code: The code of that mail.
        names: The words of the GM's name, in small letters (`sender_names`).
    """
    numbered = tuple(enumerate(lines, start=1))
    left = Manners(names=names, is_order=_is_command).courtesies(numbered)
    first = next((at for at, (number, line) in enumerate(numbered) if line.strip() and number not in left), None)
    if first is None or not (_is_command(lines[first]) or is_slip(lines[first])):
        return None
    ends = [at for at, (_, line) in enumerate(numbered) if is_end(line)]
    inside = numbered[first : ends[-1] if ends else None]
    whole = GmFrame(campaign, "", inside, code)
    # Words below a text belong to it.
    if parse_gm_frame(whole).texts:
        return whole
    return GmFrame(campaign, "", tuple(each for each in inside if each[0] not in left), code)


def _is_command(line: str) -> bool:
    """Return True if a line is a command as a whole, and no sentence that begins like one."""
    order = read_command(line)
    if order is None or (line.rstrip().endswith("?") and not _only_shows(order)):
        return False
    return line.split()[0].isupper() or not _is_prose(order)


def _only_shows(order: GmCommand) -> bool:
    if isinstance(order, GmHelp):
        return True
    try:
        return not isinstance(order.wish(TextBlock()), Change)
    except CampaignError:
        return False


def _is_prose(order: GmCommand) -> bool:
    """Return True if the free words of a command, whose verb is not in capitals, may be a sentence."""
    verb = OrderType.of(type(order))
    kinds = [(name, kind) for name, kind in verb.kinds.items() if isinstance(kind, FreeText)]
    free = [word for name, kind in kinds if kind not in (SEAT, SEAT_OR_NONE) for word in verb.words_of(order, name)]
    if isinstance(order, GmHelp):
        return len(free) > _MOST_TOPICS
    return bool(free) and (isinstance(order, _WORDY) or not _is_value(free[0]))


def _is_value(word: str) -> bool:
    """Return True for a number, dice, a time, or a house rule."""
    name = word.partition("=")[0].lower()
    return any(sign.isdigit() for sign in word) or name in HOUSE_RULES or weekday_of(word) is not None
