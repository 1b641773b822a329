"""Mail commands of a GM that stand for one of several actions: a word alone shows, with a value it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Self

from pbem.actions.arguments import NUMBER, SEAT, SURE, FreeText, GmCommand, TextBlock, Wish
from pbem.actions.open_turn import ShowRolls
from pbem.actions.press import Announce, AnnounceInReport, ShowPress, ShowTexts
from pbem.actions.rerun import EditState, ShowState
from pbem.actions.settings import SetHouseRule, ShowHouseRules, ShowJournal
from pbem.actions.statistics import ShowStatistics
from pbem.actions.status import ShowStatus
from pbem.campaign.house_rules import expected_value
from pbem.errors import CampaignError
from pbem.ruleset.fields import KeywordField
from pbem.ruleset.serialization import parse_json


@dataclass(frozen=True, slots=True)
class GmHelp(GmCommand):
    """List the commands, or explain one of them."""

    usage = "HELP [about...]"
    about: Annotated[tuple[str, ...], FreeText("word", "a command", "RULING")] = ()


@dataclass(frozen=True, slots=True)
class StatusCommand(GmCommand):
    """See how the campaign stands; with STATS, whose sheets came when, and how long turns took."""

    usage = "STATUS [what]"
    what: Annotated[str | None, KeywordField(("STATS",))] = None

    def wish(self, text: TextBlock) -> Wish:
        return ShowStatistics() if self.what else ShowStatus()


@dataclass(frozen=True, slots=True)
class JournalCommand(GmCommand):
    """See what was done, when and by whom, in all or while a turn was open; with PRESS, what people wrote."""

    usage = "JOURNAL [turn] [what]"
    turn: Annotated[str | None, NUMBER] = None
    what: Annotated[str | None, KeywordField(("PRESS",))] = None

    def wish(self, text: TextBlock) -> Wish:
        turn = None if self.turn is None else int(self.turn)
        return ShowPress(turn) if self.what else ShowJournal(turn)


@dataclass(frozen=True, slots=True)
class SetCommand(GmCommand):
    """Change house rules, such as the schedule; alone, it lists them with their values."""

    usage = "SET [settings...]"
    examples = ("SET grace=12h", 'SET schedule="FRI 20:00 Europe/Berlin"', "SET")
    acts = (SetHouseRule,)
    settings: Annotated[tuple[str, ...], FreeText("rule=value", "a house rule with its value", "grace=12h")] = ()

    @property
    def has_yes(self) -> bool:
        """True if YES stands behind the values."""
        return self.settings[-1:] == ("YES",)

    def with_yes(self, turn: int) -> Self:
        """Return the command with YES behind the values."""
        return self if self.has_yes else replace(self, settings=(*self.settings, "YES"))

    def wish(self, text: TextBlock) -> Wish:
        """Return the change, or without a value the list. Raises CampaignError for a rule without a value."""
        given = self._values()
        return SetHouseRule(given) if given else ShowHouseRules()

    def _values(self) -> Mapping[str, str]:
        """Return the values by their rules, as in `grace=12h site=full` or `grace 12h`."""
        words = self.settings[:-1] if self.has_yes else self.settings
        given: dict[str, list[str]] = {}
        rule = ""
        for word in words:
            name, equals, value = word.partition("=")
            if equals or not given:
                rule = name.lower()
                if rule in given:
                    raise CampaignError(f"{rule} is given twice: {' '.join(given[rule])} and {value}")
                given[rule] = [value] if value else []
            else:
                given[rule].append(word)
        if empty := [rule for rule, values in given.items() if not values]:
            raise CampaignError(f"{empty[0]} has no value. {expected_value(empty[0])}")
        # A comma is a blank to the parser: days are a list, and a schedule or a title is one text.
        return {rule: ("," if rule == "holidays" else " ").join(values) for rule, values in given.items()}


@dataclass(frozen=True, slots=True)
class AnnounceCommand(GmCommand):
    """Mail the text below to all players at once, or to some; IN REPORT puts it into the next reports.

    Without a text it lists what waits for reports.
    """

    usage = "ANNOUNCE [TO to...] [IN place]"
    acts = (Announce, AnnounceInReport)
    takes_text = True
    to: Annotated[tuple[str, ...], SEAT] = ()
    place: Annotated[str | None, KeywordField(("REPORT",))] = None

    def wish(self, text: TextBlock) -> Wish:
        """Return the announcement, or without a text and readers the list. Raises CampaignError."""
        if not text.words and not (self.to or self.place):
            return ShowTexts()
        return AnnounceInReport(text.needed, self.to) if self.place else Announce(text.needed, self.to)


@dataclass(frozen=True, slots=True)
class RollsCommand(GmCommand):
    """See what you rolled in the open turn, or in another."""

    usage = "ROLL [turn]"
    turn: Annotated[str | None, NUMBER] = None

    def wish(self, text: TextBlock) -> Wish:
        return ShowRolls(None if self.turn is None else int(self.turn))


@dataclass(frozen=True, slots=True)
class StateCommand(GmCommand):
    """Get the state of the open turn as a file; with a JSON Patch (RFC 6902) or a whole state below, change it."""

    usage = "STATE [sure [asked]]"
    examples = ("STATE",)
    takes_text = True
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def wish(self, text: TextBlock) -> Wish:
        """Return the change, or without a text the query. Raises CampaignError if what stands below is not JSON."""
        if not text.words:
            return ShowState()
        try:
            return EditState(parse_json(text.words))
        # RecursionError: JSON nested deeply enough exhausts the stack of the parser.
        except (ValueError, RecursionError) as error:
            raise CampaignError(f"what stands below STATE is not JSON ({error})") from None
