"""The commands of a GM in a mail, and the frame that holds them.

    GM trap7 TOKEN
    EXTEND 24h
    TEXT TO ALL
    The harbour master is away until Monday.
    END

A command with a text has all that stands below it, so it comes last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbem.actions.arguments import GmCommand, TextBlock
from pbem.actions.registry import GM_ACTIONS
from pbem.campaign.order_sheets import Lines, without_keys_in
from pbem.mail.reply_parser import is_end
from pbem.ruleset.order_types import Parsed
from pbem.ruleset.orders import OrderBook
from pbem.ruleset.tokenizer import split_words

GM_COMMANDS = OrderBook(GM_ACTIONS, loosely=False)
"""All commands a GM may mail."""

_FRAME = re.compile(r"\A\s*+gm\s++(\S{1,40}+)\s++(\S{1,64}+)\s*+", re.IGNORECASE)
_TOKENLIKE = re.compile(r"[0-9a-f]{15,25}", re.IGNORECASE)
"""A token, or one with a slip of the pen in it."""


@dataclass(frozen=True, slots=True)
class GmSheet:
    """A GM's commands as found: of which campaign, with what token, and the numbered lines between GM and END."""

    campaign: str
    key: str
    lines: tuple[tuple[int, str], ...]

    @property
    def shown(self) -> Lines:
        """The lines as they may be told again."""
        return without_keys_in(self.lines)


@dataclass(frozen=True, slots=True)
class GmOrders:
    """The commands of a GM, with what is wrong with them, and the text below the last."""

    parsed: Parsed
    text: TextBlock


def find_gm_sheet(lines: Sequence[str]) -> GmSheet | None:
    """The first GM frame in a text; it ends at the last END, so that a text in it may hold one too."""
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    for at, line in enumerate(lines):
        match = _FRAME.fullmatch(line)
        # "GM is away" may stand in a player's letter or comment, which is not to be lost for it.
        if match and (at == first or _TOKENLIKE.fullmatch(match[2])):
            ends = [end for end in range(at + 1, len(lines)) if is_end(lines[end])]
            inside = lines[at + 1 : ends[-1] if ends else None]
            return GmSheet(match[1].lower(), match[2], tuple(enumerate(inside, start=1)))
    return None


def read_gm_sheet(sheet: GmSheet) -> GmOrders:
    """Its commands, down to the first that takes a text, and that text. Never raises."""
    texted = next((at for at, (_, line) in enumerate(sheet.lines) if _takes_text(line)), len(sheet.lines))
    return GmOrders(GM_COMMANDS.parse({}, sheet.shown[: texted + 1]), TextBlock(sheet.lines[texted + 1 :]))


def _takes_text(line: str) -> bool:
    words = split_words(line)
    return bool(words) and words[0].upper() in _WITH_TEXT


_WITH_TEXT = frozenset(
    verb.word for verb in GM_COMMANDS.verbs if issubclass(verb.order, GmCommand) and verb.order.takes_text
)
