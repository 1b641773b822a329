"""The contract between host and games, and the value types that pass through it."""

from pbem.ruleset.base import BaseRuleset
from pbem.ruleset.canonical import canonical, digest
from pbem.ruleset.contract import (
    Adjudicated,
    AnyRuleset,
    Bot,
    Event,
    Json,
    Option,
    Picture,
    Ruleset,
    RulesetError,
    SaveError,
    Seat,
    Seats,
    SetupError,
    Standing,
    TurnInput,
    View,
    all_views,
    heard,
)
from pbem.ruleset.dice import Dice, seal
from pbem.ruleset.hints import suggest
from pbem.ruleset.kinds import Kind, Listed, Refused, Whole, Word, bounded, choose
from pbem.ruleset.orders import Entry, Finding, OrderBook, Parsed
from pbem.ruleset.tokens import join_lines, split_words
from pbem.ruleset.verbs import DROPS_BAD, Order

__all__ = [
    "DROPS_BAD",
    "Adjudicated",
    "AnyRuleset",
    "BaseRuleset",
    "Bot",
    "Dice",
    "Entry",
    "Event",
    "Finding",
    "Json",
    "Kind",
    "Listed",
    "Option",
    "Order",
    "OrderBook",
    "Parsed",
    "Picture",
    "Refused",
    "Ruleset",
    "RulesetError",
    "SaveError",
    "Seat",
    "Seats",
    "SetupError",
    "Standing",
    "TurnInput",
    "View",
    "Whole",
    "Word",
    "all_views",
    "bounded",
    "canonical",
    "choose",
    "digest",
    "heard",
    "join_lines",
    "seal",
    "split_words",
    "suggest",
]
