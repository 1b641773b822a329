"""What a line in the text of a command may be besides words: an order of the writer's game, or a command.

Read strictly, since ordinary talk is not to be held back: a line that reads as an
order without a remark, or that has the look of a typed one; a command in its own words.
In a game that accepts free text no line can be told to be an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pbem.actions.arguments import PlayerCommand
from pbem.actions.players import LeaveSeat
from pbem.actions.press import SendPress
from pbem.actions.press_delivery import is_everybody
from pbem.actions.questions import AskGm
from pbem.inbox.command_parser import (
    COMMANDS,
    Confirm,
    Join,
    Resend,
    Rules,
    Withdraw,
    as_parsed,
    begins_text,
    is_in_own_words,
)
from pbem.inbox.frames import header_of
from pbem.inbox.synonyms import words_to_gm
from pbem.ruleset.fields import nearest
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import join_lines, split_words
from pbem.ruleset.values import SeatName, View

_MOST_TYPED = 8
"""Words up to which a line with an error may still be an order that was typed, and no sentence."""

_FREE = (Confirm, Join, LeaveSeat, Resend, Rules, Withdraw)
"""Commands that take any words, so that a sentence may read as one: "Rules are made to be broken"."""

_ID = re.compile(r"\A(?:(?=[^\W\d]*+\d)(?=[\d_]*+[^\W\d_])\w++|[\d+-]++,[\d+-]++)")
_FEW_SEATS = 3
_WAITING = frozenset(("WAIT", "FINAL"))


@dataclass(frozen=True)
class LineReader:
    """Reads the lines of a text of a seat. `playing`: it may give orders now; `view` is that of its newest report."""

    game: AnyRuleset
    view: View
    campaign: str
    seat: SeatName
    seats: Sequence[SeatName]
    playing: bool = True

    @cached_property
    def _verbs(self) -> frozenset[str]:
        return frozenset(word for verb in self.game.orders.verbs for word in (verb.word, *verb.order.also))

    def orders(self, lines: Sequence[str]) -> Iterator[tuple[int, bool]]:
        """Yield the number of each line, and whether it is an order of the seat, from 0 on."""
        joined = list(join_lines(enumerate(lines, start=1)))
        for (number, line), (end, _) in pairwise((*joined, (len(lines) + 1, ""))):
            order = self.is_order(line)
            yield from ((at - 1, order) for at in range(number, end))

    def is_order(self, line: str) -> bool:
        """Return True if a line is an order of the seat; one that ends the seat is never looked for in a text."""
        if not self.playing or self.game.free_text or not split_words(line) or self.game.orders.ends_seat(line):
            return False
        if line.strip() in _WAITING:
            return True
        parsed = self.game.parse(self.view, [(1, line)])
        # Findings without a line are on the sheet as a whole; notes on a line say what it does, or what was left out.
        remarks = [finding for finding in parsed.findings if finding.line]
        clear = not remarks or (len(split_words(line)) <= _MOST_TYPED and all(it.severity == "note" for it in remarks))
        return bool(parsed.entries and clear) or self._is_typed(line)

    def _is_typed(self, line: str) -> bool:
        """Return True if a line looks typed as an order, though it has an error, or more than it needs."""
        words = split_words(line)
        if not 2 <= len(words) <= _MOST_TYPED or words[0].upper() not in self._verbs:
            return False
        return words[0].isupper() or any(_ID.fullmatch(word.rstrip(".,!")) for word in words[1:])

    def is_own_header(self, line: str) -> bool:
        """Return True if a line begins a sheet of the seat."""
        header = header_of(line)
        return header is not None and (header.campaign, header.seat) == (self.campaign, self.seat)

    def is_command(self, line: str) -> bool:
        """Return True if a line is a command in its own words, the first line of a frame, or gives up the seat."""
        if self.game.orders.ends_seat(line):
            return True
        header = header_of(line)
        if header is not None and (header.campaign == self.campaign or header.seat in self.seats):
            return True
        words = split_words(line)
        if not is_in_own_words(line) or not words:
            return False
        if words[0].upper() == "PLAYER":
            framed = header_of(line, "PLAYER")
            return framed is not None and framed.campaign == self.campaign
        if words[0].isupper() and len(words) <= _MOST_TYPED:
            return True
        parsed = COMMANDS.parse({}, [(1, as_parsed(line))])
        if not parsed.entries or parsed.findings or begins_text(line):
            return False
        return not isinstance(parsed.orders[0], _FREE) or all(map(self._is_name, words[1:]))

    def heads_text(self, line: str) -> bool:
        """Return True if a line is meant as a command that has its text below it."""
        if not line.strip() or not begins_text(line):
            return False
        parsed = COMMANDS.parse({}, [(1, as_parsed(line))])
        order = parsed.orders[0] if parsed.orders else None
        if not isinstance(order, PlayerCommand) or isinstance(order, Join):
            return False
        if isinstance(order, AskGm):
            return _names_gm(line)
        if line.split()[0].isupper() or not isinstance(order, SendPress):
            return True
        # "Press to the south with all you have" begins like one, too.
        return any(map(self._may_be_seat, order.to if len(order.to) <= _FEW_SEATS else order.to[:1]))

    def _is_name(self, word: str) -> bool:
        said = word.lower().rstrip(".,:;!")
        return said in (*self.seats, self.campaign) or "@" in said or any(sign.isdigit() for sign in said)

    def _may_be_seat(self, word: str) -> bool:
        return is_everybody(word) or nearest(word, self.seats) is not None


def _names_gm(line: str) -> bool:
    """Return False for words that may be for anyone: "Question: are you with me?", "Ask the GM whether it is so"."""
    begins, colon, _ = line.partition(":")
    words = [word.lower().strip(".,!") for word in begins.split()]
    return words[:2] == ["ask", "gm"] or ("gm" in words and bool(colon or not words_to_gm(line)))
