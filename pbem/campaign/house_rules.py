"""A campaign's house rules: identity, time, absence, holds, missed sheets, people, press and views.

Stored keys are the field names of `HouseRules`; printed names have "-" for "_". The schedule is a
house rule with a column of its own.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from dataclasses import field as declared
from typing import Any

from pbem.campaign.schedule import Schedule, parse_duration
from pbem.errors import CampaignError
from pbem.mail.headers import parse_address
from pbem.ruleset.fields import nearest

OFF = "off"
"""The value of a house rule for none, never and not at all."""

ALWAYS = "always"
"""The value of the house rule `hold` by which each turn waits for the GM's release."""

_OFF_WORDS = (OFF, "no", "none", "never")
_DAY = 24 * 60
_USUAL_HOLD = 60
_MOST_HOLIDAYS = 366
_LONGEST_TITLE, _LONGEST_SCHEDULE = 80, 120
_SHOWN = 40
_NUMBER = re.compile("[0-9]{1,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRule:
    """One house rule: the allowed values in words, how a value is read and shown, its group and its help.

    `read` raises ValueError or KeyError. `keeps` checks a value as stored. `words` are the values that are words.
    """

    allowed: str
    read: Callable[[str], Any]
    keeps: Callable[[Any], bool]
    show: Callable[[Any], str] = str
    words: tuple[str, ...] = ()
    group: str = ""
    help: str = ""


def _rule(group: str, default: Any, rule: HouseRule, help: str) -> Any:  # noqa: A002 - the word of the field it fills
    return declared(default=default, metadata={"rule": replace(rule, group=group, help=help)})


def _choice(*words: str) -> HouseRule:
    """Return a rule whose value is one of some words."""
    known = {word: word for word in words}
    known |= dict.fromkeys(_OFF_WORDS, OFF) if OFF in words else {}
    return HouseRule(
        allowed="one of " + ", ".join(words),
        read=lambda text: known[text.lower()],
        keeps=lambda value: value in words,
        words=words,
    )


_SWITCH = HouseRule(
    allowed="on or off",
    read=lambda text: {"on": True, "yes": True, OFF: False, "no": False}[text.lower()],
    keeps=lambda value: isinstance(value, bool),
    show=lambda value: "on" if value else OFF,
    words=("on", OFF),
)


def _span(most_days: int, *, least: int = 0) -> HouseRule:
    """Return a rule whose value is a span in minutes; if `least` is 0, that is off."""
    return HouseRule(
        allowed=f"{'1m' if least else 'off, or 1m'} to {most_days}d, like 12h",
        read=lambda text: _require(_read_minutes(text), least, most_days * _DAY),
        keeps=lambda value: _is_within(least, most_days * _DAY, value),
        show=_show_minutes,
        words=() if least else (OFF,),
    )


def _read_minutes(text: str) -> int:
    if _is_off(text):
        return 0
    span = parse_duration(text)
    if span is None:
        raise ValueError
    return span // dt.timedelta(minutes=1)


def _show_minutes(minutes: int) -> str:
    if not minutes:
        return OFF
    unit, size = next(each for each in (("d", _DAY), ("h", 60), ("m", 1)) if minutes % each[1] == 0)
    return f"{minutes // size}{unit}"


def _number(least: int, most: int, unit: str = "", of: str = "") -> HouseRule:
    """Return a rule whose value is a whole number, with a unit; if `least` is 0, that is off."""
    return HouseRule(
        allowed=f"{least or f'off, or 1{unit}'} to {most}{unit}{of}",
        read=lambda text: _require(0 if _is_off(text) else _read_number(text, unit), least, most),
        keeps=lambda value: _is_within(least, most, value),
        show=lambda value: f"{value}{unit}" if value else OFF,
        words=() if least else (OFF,),
    )


def _is_off(text: str) -> bool:
    return text == "0" or text.lower() in _OFF_WORDS


def _read_number(text: str, unit: str = "") -> int:
    """Return a number before an optional unit. Raises ValueError for other text, such as digits that are not ASCII."""
    digits = text.lower().removesuffix(unit)
    if not _NUMBER.fullmatch(digits):
        raise ValueError
    return int(digits)


def _require(number: int, least: int, most: int) -> int:
    if not least <= number <= most:
        raise ValueError
    return number


def _is_within(least: int, most: int, value: Any) -> bool:
    return type(value) is int and least <= value <= most


def _text(allowed: str, read: Callable[[str], str], *words: str) -> HouseRule:
    """Return a rule whose value is stored as a text that is read as itself."""
    return HouseRule(allowed=allowed, read=read, keeps=lambda value: _reads_as(read, value, value), words=words)


def _reads_as(read: Callable[[str], Any], text: Any, value: Any) -> bool:
    """Return True if a text is read as this value."""
    try:
        return isinstance(text, str) and bool(read(text) == value)
    except ValueError:
        return False


def _read_title(text: str) -> str:
    """Return a title in one line; "" for that of the game. Raises ValueError for characters that are not printed."""
    # A line break is refused, not replaced: it could begin another header of a mail.
    if len(text) > _LONGEST_TITLE or not text.isprintable():
        raise ValueError
    return "" if text.lower() in _OFF_WORDS else text.strip()


def _read_contact(text: str) -> str:
    """Return an address to be published. Raises ValueError."""
    if text.lower() in _OFF_WORDS:
        return OFF
    address = parse_address(text)
    if address is None:
        raise ValueError
    return address


def _read_schedule(text: str) -> str:
    """Return a schedule as it is stored. Raises CampaignError."""
    schedule = Schedule.read(text).text
    if len(schedule) > _LONGEST_SCHEDULE:
        raise CampaignError(f"a schedule has {_LONGEST_SCHEDULE} characters at most, these are {len(schedule)}")
    return schedule


def _read_hold(text: str) -> str:
    if text.lower() == ALWAYS:
        return ALWAYS
    return OFF if _is_off(text) else f"{_require(_read_number(text, '%'), 1, 100)}%"


def _read_delay(text: str) -> str:
    """Return "off", or a number of turns."""
    return OFF if text.lower() in _OFF_WORDS else str(_require(_read_number(text), 0, 50))


def _read_dates(text: str) -> tuple[str, ...]:
    """Return days and spans of days in ISO form: "2026-12-24..2027-01-02,2027-04-05"; or "off"."""
    if text.lower() in _OFF_WORDS:
        return ()
    spans = [part.strip() for part in text.split(",") if part.strip()]
    for span in spans:
        first, _, last = span.partition("..")
        if dt.date.fromisoformat(first) > dt.date.fromisoformat(last or first):
            raise ValueError
    _require(len(spans), 1, _MOST_HOLIDAYS)
    return tuple(spans)


_DATES = HouseRule(
    allowed="off, or days like 2026-12-24..2027-01-02,2027-04-05",
    read=_read_dates,
    keeps=lambda value: isinstance(value, list) and _reads_as(_read_dates, _show_dates(value), tuple(value)),
    show=lambda value: _show_dates(value),
    words=(OFF,),
)


def _show_dates(days: Sequence[object]) -> str:
    return ",".join(map(str, days)) or OFF


OPPONENTS = "opponents"
"""The value of `late` by which the opponent of a late player decides."""

_IDENTITY, _TIME, _MORE_TIME, _ABSENCE = "Identity", "Time", "More time", "Absence"
_HOLDS, _MISSED, _PEOPLE, _VIEWS = "Holds", "Missed sheets", "People and press", "Views"


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRules:
    """The house rules of one campaign, but for its schedule.

    Spans are whole minutes, `absence` and `absence_year` are in days, 0 is off; `holidays`
    are days or "first..last". `title` is "" for that of the game.
    """

    title: str = _rule(
        _IDENTITY,
        "",
        _text(f"a text of 1 to {_LONGEST_TITLE} characters in one line, or off for the game's title", _read_title),
        "the campaign's name in status and mails",
    )
    authentication: str = _rule(
        _IDENTITY,
        "confirm",
        _choice("confirm", "address", "verified", "code", "token"),
        "proof that a mail is its player's; confirm: code, token, verified address, or an answer when asked",
    )
    min_time: int = _rule(_TIME, 720, _span(14), "least time from a report to its deadline")
    settle: int = _rule(_TIME, 30, _span(7), "time for second thoughts after the last sheet is in")
    grace: int = _rule(_TIME, 0, _span(14), "time after the deadline in which missing sheets still count")
    holidays: tuple[str, ...] = _rule(_TIME, (), _DATES, "days on which no deadline falls")
    extension: int = _rule(_MORE_TIME, 2880, _span(30, least=1), "time that an extension gives if none is named")
    extension_votes: str = _rule(
        _MORE_TIME, "half", _choice(OFF, "half", "all"), "players who must ask before a turn is extended by vote"
    )
    extension_limit: int = _rule(_MORE_TIME, 2, _number(1, 20), "times that players may extend one turn by vote")
    bank: int = _rule(
        _MORE_TIME,
        0,
        _span(90),
        "each player's own time, which covers missed deadlines, a day at a time; all are told",
    )
    absence: int = _rule(_ABSENCE, 21, _number(0, 90, "d"), "longest absence in a row that a player may announce")
    absence_year: int = _rule(_ABSENCE, 0, _number(0, 365, "d"), "days of absence that a player may announce in a year")
    hold: str = _rule(
        _HOLDS,
        f"{_USUAL_HOLD}%",
        _text("off, 1% to 100% of the sheets, or always", _read_hold, OFF, ALWAYS),
        "missing sheets, of at least three, that hold a due turn; always: each turn waits for the GM",
    )
    open_after_missed: int = _rule(
        _MISSED,
        0,
        _number(0, 50, of=" in a row"),
        "missed sheets in a row after which a seat goes to a standby",
    )
    remove_after_missed: int = _rule(
        _MISSED, 0, _number(0, 50, of=" in a row"), "missed sheets in a row after which a seat is removed"
    )
    late: str = _rule(
        _MISSED,
        "run",
        _choice("run", OPPONENTS),
        "a missed deadline in a game of two; opponents: the turn waits until the other says CLAIM or WAITS",
    )
    late_list: str = _rule(_MISSED, "gm", _choice("gm", "players"), "who is told whose sheets are missing")
    signup: bool = _rule(_PEOPLE, False, _SWITCH, "anyone may ask for a seat by mail")
    journal: str = _rule(_PEOPLE, "players", _choice("players", "gm"), "who may read the campaign's journal")
    press: str = _rule(
        _PEOPLE, "signed", _choice("signed", OFF, "anonymous"), "messages between players; anonymous allows both"
    )
    press_delivery: str = _rule(
        _PEOPLE, "now", _choice("now", "report"), "press is mailed at once, or with the next report"
    )
    page: str = _rule(
        _VIEWS,
        OFF,
        _choice(OFF, "attached", "link"),
        "reports as pages for a browser too; FORMAT of a player counts more",
    )
    site: str = _rule(
        _VIEWS,
        "replay",
        _choice("replay", OFF, "news", "full"),
        "what the web site shows; replay: all orders once the game is over; full: press and sheets too",
    )
    contact: str = _rule(
        _VIEWS,
        OFF,
        _text("off, or an address", _read_contact, OFF),
        "the GM's address on the web site, for those who want to play; without it none is shown",
    )
    spectators: str = _rule(
        _VIEWS,
        "0",
        _text("off, or 0 to 50 turns late", _read_delay, OFF),
        "turns by which the web site shows strangers the board late",
    )

    @property
    def delay(self) -> int | None:
        """The number of turns by which the site shows public views late; None if it does not show them."""
        return None if self.spectators == OFF else int(self.spectators)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> HouseRules:
        """Return the house rules from what `Campaign.policy` holds."""
        return cls(**{name: _to_tuple(value) for name, value in data.items()})

    @property
    def least_time(self) -> dt.timedelta:
        """`min_time` as a span."""
        return dt.timedelta(minutes=self.min_time)

    @property
    def grace_time(self) -> dt.timedelta:
        return dt.timedelta(minutes=self.grace)

    @property
    def extension_time(self) -> dt.timedelta:
        return dt.timedelta(minutes=self.extension)

    @property
    def bank_time(self) -> dt.timedelta:
        return dt.timedelta(minutes=self.bank)

    @property
    def settle_time(self) -> dt.timedelta:
        return dt.timedelta(minutes=self.settle)

    @property
    def hold_percent(self) -> int | None:
        """The percentage of missing sheets that holds a turn; None if no number does."""
        # Where each turn is held anyway, the GM is still told of many missing sheets.
        return {OFF: None, ALWAYS: _USUAL_HOLD}[self.hold] if self.hold in (OFF, ALWAYS) else int(self.hold[:-1])


def _to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


SCHEDULE = "schedule"
"""The house rule that is not among `HouseRules`, since each campaign has its own, in a column."""

_STORED: Mapping[str, HouseRule] = {each.name: each.metadata["rule"] for each in fields(HouseRules)}


_SCHEDULE_RULE = replace(
    _text("a schedule like FRI 20:00 Europe/Berlin", _read_schedule), group=_TIME, help="when turns are due"
)
_GROUPS = (_IDENTITY, _TIME, _MORE_TIME, _ABSENCE, _HOLDS, _MISSED, _PEOPLE, _VIEWS)

HOUSE_RULES: Mapping[str, HouseRule] = dict(
    sorted({SCHEDULE: _SCHEDULE_RULE, **_STORED}.items(), key=lambda named: _GROUPS.index(named[1].group))
)
"""Every house rule by its name, group by group."""

_PROOF = {"address": 0, "verified": 1, "confirm": 1, "code": 2, "token": 3}
"""The values of `authentication`; a greater number is more proof."""


def is_less_proof(wanted: str, known: str) -> bool:
    """Return True if one value of `authentication` asks for less proof than another."""
    return _PROOF[wanted] < _PROOF[known]


def printed_name(name: str) -> str:
    """Return the name of a house rule as it is printed: "min-time"."""
    return name.replace("_", "-")


def check_kept(data: Any) -> None:
    """Raise CampaignError unless these are house rules as `Campaign.policy` holds them."""
    if not isinstance(data, dict):
        raise CampaignError("the house rules are not a JSON object of rules by name")
    for name, value in data.items():
        if name not in _STORED:
            raise _unknown(name)
        if not _STORED[name].keeps(value):
            raise _unfit(name, str(value))


def parse_house_rules(given: Mapping[str, str]) -> dict[str, Any]:
    """Return house rules by field, as `Campaign.policy` holds them, and the schedule.

    Raises:
        CampaignError: If a name or value is invalid, or a rule is given twice; it names the allowed ones.
    """
    parsed: dict[str, Any] = {}
    for typed, text in given.items():
        name = typed.strip().lower().replace("-", "_")
        if name in parsed:
            raise CampaignError(f"{printed_name(name)} is given twice: give it once")
        parsed[name] = parse_house_rule(name, text)
    return parsed


def parse_house_rule(name: str, text: str) -> Any:
    """Return the value of one house rule. Raises CampaignError naming the allowed values."""
    if name not in HOUSE_RULES:
        raise _unknown(name)
    try:
        return HOUSE_RULES[name].read(text.strip())
    except (ValueError, KeyError):
        raise _unfit(name, text) from None


def _unknown(name: str) -> CampaignError:
    near = nearest(printed_name(name), [printed_name(each) for each in HOUSE_RULES])
    hint = f"Did you mean {near}?" if near else "List them: pbem help house-rules (by mail: SET)"
    return CampaignError(f"no house rule {_quote(printed_name(name))}. {hint}")


def _unfit(name: str, text: str) -> CampaignError:
    return CampaignError(f"{printed_name(name)} cannot be {_quote(text)}. {expected_value(name)}")


def expected_value(name: str) -> str:
    """Return what the value of a house rule may be, in a sentence. Raises CampaignError if there is no such rule."""
    rule = HOUSE_RULES.get(name.replace("-", "_"))
    if rule is None:
        raise _unknown(name)
    return f"Expected: {rule.allowed} ({rule.help})"


def _quote(text: str) -> str:
    """Return the beginning of a text in quotes, without characters that would steer a terminal or break a line."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:_SHOWN])
    return f'"{shown}{"…" if len(text) > _SHOWN else ""}"'
