"""The answer to every act and every question, by the kind of its facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pbem.acts.act import Deed
from pbem.acts.gm import WhoIsGm
from pbem.acts.journal import Journal
from pbem.acts.opening import Started
from pbem.acts.past.forking import Compared, Forked, WhatIf
from pbem.acts.past.impact import Impact
from pbem.acts.past.mending import Mended
from pbem.acts.past.patching import Patched, State
from pbem.acts.past.preview import Preview
from pbem.acts.past.rolling import Rolled
from pbem.acts.past.sheets import SheetsShown
from pbem.acts.people.roster import HouseRules, Roster
from pbem.acts.press.from_gm import PressBook, Reached, Text, Texts
from pbem.acts.ruling.adjudicating import Taken
from pbem.acts.ruling.rolling import RollBook
from pbem.acts.ruling.rolling import Rolled as DiceRolled
from pbem.acts.ruling.withdrawing import Dropped, Restored, RulingShown
from pbem.acts.time.holding import Held
from pbem.acts.time.scheduling import Deadlines
from pbem.housekeeping.statistics import Statistics
from pbem.housekeeping.status import CampaignStatus
from pbem.report import Receipt
from pbem.telling import campaigns, past, press, statistics, turns
from pbem.telling.door import Door

ANSWERS: Mapping[type, Callable[[Any, Door], Iterator[str]]] = {
    Deed: campaigns.deed_lines,
    Started: campaigns.started_lines,
    Held: campaigns.held_lines,
    Deadlines: campaigns.deadline_lines,
    Roster: campaigns.roster_lines,
    HouseRules: campaigns.rule_lines,
    WhoIsGm: campaigns.gm_lines,
    Journal: campaigns.journal_lines,
    CampaignStatus: campaigns.status_lines,
    Statistics: statistics.statistics_lines,
    Text: press.text_lines,
    Texts: press.texts_lines,
    Reached: press.reached_lines,
    PressBook: press.press_lines,
    Preview: turns.preview_lines,
    State: turns.state_lines,
    Receipt: turns.entered_lines,
    SheetsShown: turns.sheets_lines,
    Patched: past.patched_lines,
    Taken: turns.ruling_lines,
    RulingShown: turns.shown_ruling_lines,
    Dropped: turns.dropped_lines,
    Restored: turns.restored_lines,
    DiceRolled: turns.rolled_lines,
    RollBook: turns.rolls_lines,
    Rolled: past.rolled_lines,
    Mended: past.mended_lines,
    Impact: past.impact_lines,
    Forked: past.forked_lines,
    Compared: past.compared_lines,
    WhatIf: past.what_if_lines,
}


def told(facts: Any, door: Door) -> Iterator[str]:
    """What is said of the facts that an act or a question came back with, line by line."""
    return ANSWERS[type(facts)](facts, door)
