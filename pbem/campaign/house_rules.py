"""A campaign's house rules for mail, time, people and press: values, defaults and help."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from dataclasses import field as declared
from typing import Any

from pbem.campaign.schedule import parse_duration
from pbem.errors import CampaignError
from pbem.ruleset.fields import suggest_name

OFF = "off"
"""The value of the house rule `site` by which the site shows nothing of a campaign."""


@dataclass(frozen=True, slots=True)
class HouseRule:
    """One house rule: its parser, the allowed values in words, its help, and a check of the value as stored."""

    read: Callable[[str], Any]
    allowed: str
    help: str
    keeps: Callable[[Any], bool]


def _choice(*words: str, help: str) -> HouseRule:  # noqa: A002 - the word of the field it fills
    def read(text: str) -> str:
        if text.lower() not in words:
            raise ValueError
        return text.lower()

    return HouseRule(read, "one of " + ", ".join(words), help, lambda value: value in words)


def _integer(low: int, high: int, *, help: str) -> HouseRule:  # noqa: A002 - the word of the field it fills
    def read(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            raise ValueError
        return number

    return HouseRule(read, f"a whole number from {low} to {high}", help, lambda value: _is_within(low, high, value))


def _boolean(*, help: str) -> HouseRule:  # noqa: A002 - the word of the field it fills
    def read(text: str) -> bool:
        return {"yes": True, "no": False}[text.lower()]

    return HouseRule(read, "yes or no", help, lambda value: isinstance(value, bool))


def _minutes(most_days: int, *, help: str) -> HouseRule:  # noqa: A002 - the word of the field it fills
    def read(text: str) -> int:
        span = parse_duration(text)
        if span is None:
            return {"0": 0}[text]  # KeyError for any other text, which `parse_house_rule` words
        if span > dt.timedelta(days=most_days):
            raise ValueError
        return span // dt.timedelta(minutes=1)

    most = dt.timedelta(days=most_days) // dt.timedelta(minutes=1)
    return HouseRule(read, f"a span from 0m to {most_days}d, like 12h", help, lambda value: _is_within(0, most, value))


def _is_within(low: int, high: int, value: Any) -> bool:
    return type(value) is int and low <= value <= high


def _read_dates(text: str) -> tuple[str, ...]:
    """Return days and spans of days in ISO form: "2026-12-24..2027-01-02,2027-04-05"; or "none"."""
    if text.lower() == "none":
        return ()
    spans = [part.strip() for part in text.split(",") if part.strip()]
    for span in spans:
        first, _, last = span.partition("..")
        if dt.date.fromisoformat(first) > dt.date.fromisoformat(last or first):
            raise ValueError
    return tuple(spans)


def _read_delay(text: str) -> str:
    """Return "off", or a number of turns."""
    if text.lower() == "off":
        return "off"
    if not 0 <= int(text) <= 50:
        raise ValueError
    return str(int(text))


def _reads_as(read: Callable[[str], Any], text: Any, value: Any) -> bool:
    """Return True if a text is read as this value."""
    try:
        return isinstance(text, str) and bool(read(text) == _to_tuple(value))
    except ValueError:
        return False


def _rule(default: Any, rule: HouseRule) -> Any:
    return declared(default=default, metadata={"rule": rule})


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRules:
    """The house rules of one campaign. Spans are whole minutes; `holidays` are days or "first..last"."""

    accept: str = _rule(
        "confirmed",
        _choice(
            *("confirmed", "address", "verified", "code", "token"),
            help="what proves that a mail is its player's. confirmed: a reply code, the token, his address if the"
            " receiving server vouches for it, or else his answer when he is asked; address: his address; verified:"
            " his address, but only if vouched for; code: a reply code or the token; token: the token alone",
        ),
    )
    grace: int = _rule(0, _minutes(14, help="how long after its deadline a turn still waits for sheets"))
    least: int = _rule(720, _minutes(14, help="the least time between a report and its deadline"))
    holidays: tuple[str, ...] = _rule(
        (),
        HouseRule(
            _read_dates,
            "days like 2026-12-24..2027-01-02,2027-04-05",
            "days on which no deadline falls",
            lambda value: (
                isinstance(value, list) and _reads_as(_read_dates, ",".join(map(str, value)) or "none", tuple(value))
            ),
        ),
    )
    absence_days: int = _rule(21, _integer(0, 90, help="how many days in a row a player may be absent"))
    extension: int = _rule(2880, _minutes(30, help="how much time an extension gives when none is named"))
    extensions: int = _rule(2, _integer(0, 20, help="how often players may extend one turn by vote"))
    vote: str = _rule("half", _choice("none", "half", "all", help="how many of the players must ask to extend"))
    mass: int = _rule(
        60, _integer(1, 101, help="percent of at least three awaited seats without a sheet that hold the turn")
    )
    late: str = _rule("private", _choice("private", "public", help="whether all are told who is late"))
    nmr_open: int = _rule(
        0, _integer(0, 50, help="missed sheets in a row after which a seat goes to a standby; 0: never")
    )
    nmr_remove: int = _rule(0, _integer(0, 50, help="missed sheets in a row after which a seat is removed; 0: never"))
    review: bool = _rule(False, _boolean(help="whether each turn waits for the GM's release before it is run"))
    signup: bool = _rule(False, _boolean(help="whether anyone may ask for a seat by mail"))
    press: str = _rule(
        "signed", _choice("off", "signed", "anonymous", help="letters between players, and with what names")
    )
    press_with: str = _rule("mail", _choice("mail", "report", help="whether press goes out at once or with the report"))
    pages: str = _rule(
        "no",
        _choice(
            *("no", "attached", "link"),
            help="whether reports also come as pages for a browser, with a desk for orders: as files, or as links to"
            " the site, if there is one; what a player says by FORMAT counts more",
        ),
    )
    diary: bool = _rule(True, _boolean(help="whether players may keep a diary that is opened at the end"))
    journal: str = _rule("players", _choice("gm", "players", help="who may read the journal of the campaign"))

    site: str = _rule(
        "replay",
        _choice(
            *("off", "news", "replay", "all"),
            help="what the club's site shows, if there is one. off: nothing; news: what all players know; replay: that,"
            " and when the game is over all orders, dice, news and diaries; all: also letters between players, and the"
            " archive with all sheets as they came",
        ),
    )
    spectators: str = _rule(
        "0",
        HouseRule(
            _read_delay,
            "off, or a whole number of turns from 0 to 50",
            "how many turns late the site shows strangers what all players know of the board, where the game says what"
            " that is",
            lambda value: _reads_as(_read_delay, value, value),
        ),
    )

    @property
    def delay(self) -> int | None:
        """The number of turns by which the site shows public views late; None if it does not show them."""
        return None if self.spectators == "off" else int(self.spectators)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> HouseRules:
        """Return the house rules from what `Campaign.policy` holds."""
        return cls(**{name: _to_tuple(value) for name, value in data.items()})

    @property
    def grace_time(self) -> dt.timedelta:
        """`grace` as a span."""
        return dt.timedelta(minutes=self.grace)


def _to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


HOUSE_RULES: Mapping[str, HouseRule] = {each.name: each.metadata["rule"] for each in fields(HouseRules)}
"""Every house rule by its name."""


def check_kept(data: Any) -> None:
    """Raise CampaignError unless these are house rules as `Campaign.policy` holds them."""
    if not isinstance(data, dict):
        raise CampaignError("the house rules are not a JSON object of rules by name")
    for name, value in data.items():
        if name not in HOUSE_RULES:
            raise CampaignError(f'no house rule "{name}". {suggest_name(name, sorted(HOUSE_RULES), "House rules")}')
        if not HOUSE_RULES[name].keeps(value):
            raise CampaignError(
                f"the house rule {name} cannot be {str(value)[:40]!r}: it is {HOUSE_RULES[name].allowed}"
            )


def parse_house_rules(given: Mapping[str, str]) -> dict[str, Any]:
    """Return house rules as `Campaign.policy` holds them. Raises CampaignError naming the allowed values."""
    return {name: parse_house_rule(name, text) for name, text in given.items()}


def parse_house_rule(name: str, text: str) -> Any:
    """Return the value of one house rule. Raises CampaignError naming the allowed values."""
    if name not in HOUSE_RULES:
        raise CampaignError(f'no house rule "{name}". {suggest_name(name, sorted(HOUSE_RULES), "House rules")}')
    rule = HOUSE_RULES[name]
    try:
        return rule.read(text.strip())
    except (ValueError, KeyError):
        raise CampaignError(f"{name} cannot be {text!r}: it is {rule.allowed} ({rule.help})") from None
