"""Actions for the settings of a campaign: GM, mail token, journal and house rules."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import select, update

from pbem.actions.arguments import GmCommand
from pbem.actions.base import Change, Channel, PreviewedChange, Query, TextResult
from pbem.actions.deadlines import change_schedule
from pbem.actions.undo import undoable_entries
from pbem.actions.weight import Confirmed, Harmless, Reversible
from pbem.campaign.house_rules import (
    HOUSE_RULES,
    OFF,
    SCHEDULE,
    is_less_proof,
    parse_house_rules,
    printed_name,
)
from pbem.campaign.house_rules import HouseRules as Policy
from pbem.campaign.notices import GM, post
from pbem.campaign.people import generate_token, hash_token
from pbem.campaign.schedule import Schedule
from pbem.campaign.snapshot import CampaignSnapshot, Context, add_entry
from pbem.errors import CampaignError
from pbem.mail.headers import require_address, require_name, with_name
from pbem.mail.outbox import end_gm_codes
from pbem.report import small
from pbem.store.models import Campaign, Turn
from pbem.store.models import JournalEntry as Row
from pbem.text import format_time, wrap


@dataclass(frozen=True, slots=True)
class GmInfo:
    """The GM of a campaign, and the `former` one if that changes; `mailed` if a new token is on its way to them."""

    campaign: str
    gm: str
    mailed: bool = False
    name: str = ""
    former: str = ""


@dataclass(frozen=True, slots=True)
class ShowGm(Query[GmInfo]):
    """Show who the GM is."""

    def look(self, context: Context) -> GmInfo:
        return GmInfo(context.snapshot.name, context.snapshot.gm, name=context.snapshot.gm_name)

    def render(self, facts: GmInfo, channel: Channel) -> Iterator[str]:
        mailed = "; a new token is queued for them" if facts.mailed else ""
        yield f"The GM of {facts.campaign} is {with_name(facts.name, facts.gm)}{mailed}."


@dataclass(frozen=True, slots=True)
class ChangeGm(PreviewedChange[GmInfo]):
    """Change the GM's address; the old token is void."""

    weight = Confirmed("the campaign and its token, to the GM", "pbem gm NAME --address ADDRESS")
    kind = "gm"
    address: str

    def look(self, context: Context) -> GmInfo:
        """Return the new GM. Raises CampaignError if the address is the GM's already."""
        snapshot = context.snapshot
        gm = require_address(self.address, "the GM", context.app.settings.address)
        if gm.lower() == snapshot.gm.lower():
            raise CampaignError(f"{gm} is the GM of {snapshot.name} already")
        return GmInfo(snapshot.name, gm, former=snapshot.gm)

    def do(self, context: Context) -> GmInfo:
        snapshot, facts = context.snapshot, self.look(context)
        gm = facts.gm
        # The former GM has the token, and it alone authenticates a GM (decision 8); the name was theirs.
        values = {"gm": gm, "gm_name": "", "gm_token_hash": ""}
        context.session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(values))
        end_gm_codes(context.session, snapshot.id)
        said = f"{gm} is the GM now; it was {snapshot.gm}"
        add_entry(context.session, snapshot.id, context.now, actor="gm", text=said, secret=True)
        return facts

    def render(self, facts: GmInfo, channel: Channel) -> Iterator[str]:
        if channel.undone:
            yield channel.fact(f"make {facts.gm} the GM of {facts.campaign}, in place of {facts.former}.")
            yield f"The token of {facts.former} is void from then on."
            yield channel.undone
        else:
            yield channel.fact(f"{facts.gm} is the GM of {facts.campaign} (was {facts.former}). The old token is void.")


@dataclass(frozen=True, slots=True)
class NameGm(Change[GmInfo]):
    """Change the name that mails show beside the GM's address; "" for none."""

    weight = Reversible("pbem gm NAME --name TEXT")
    called: str

    def do(self, context: Context) -> GmInfo:
        """Change the name. Raises CampaignError if it cannot be shown as one."""
        snapshot = context.snapshot
        called = require_name(self.called, "the GM") if self.called.strip() else ""
        context.session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(gm_name=called))
        said = f"the GM is called {called}" if called else "the GM has no name"
        add_entry(context.session, snapshot.id, context.now, actor="gm", text=said)
        return GmInfo(snapshot.name, snapshot.gm, name=called)

    def render(self, facts: GmInfo, channel: Channel) -> Iterator[str]:
        return ShowGm().render(facts, channel)


@dataclass(frozen=True, slots=True)
class MailToken(GmCommand, Change[GmInfo]):
    """Get a new token; this one is void then."""

    usage = "TOKEN"
    weight = Harmless("the same GM gets another token")
    kind = "token"

    def do(self, context: Context) -> GmInfo:
        """Queue the mail with a new token."""
        mail_gm_token(context)
        return GmInfo(context.snapshot.name, context.snapshot.gm, mailed=True, name=context.snapshot.gm_name)

    def render(self, facts: GmInfo, channel: Channel) -> Iterator[str]:
        return ShowGm().render(facts, channel)


def mail_gm_token(context: Context) -> None:
    """Mail the GM a new token, with all commands that it allows; the old one is void."""
    session, app, snapshot, now = context.session, context.app, context.snapshot, context.now
    token = generate_token()
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(gm_token_hash=hash_token(token)))
    end_gm_codes(session, snapshot.id)
    act = add_entry(session, snapshot.id, now, actor="gm", text="the GM was mailed a new token", secret=True)
    page = small.gm_token(campaign=snapshot.name, token=token, address=app.settings.address, seat=snapshot.seats[0])
    post(context, GM, page, id_=("gm token", act), kind="welcome")


@dataclass(frozen=True, slots=True)
class JournalLine:
    """An entry of a campaign's journal. Players may not read it if it is `secret`.

    `undoable`: it is of a change that can be undone now, by the number of the `entry`.
    """

    at: dt.datetime
    actor: str
    text: str
    secret: bool
    entry: int
    undoable: bool = False


@dataclass(frozen=True, slots=True)
class Journal:
    """All journal entries of a campaign, oldest first."""

    campaign: str
    zone: str
    entries: tuple[JournalLine, ...]


_COLUMNS = 100
"""Columns of a line of the journal."""


@dataclass(frozen=True, slots=True)
class ShowJournal(Query[Journal]):
    """See all that was done to the campaign, when, and by whom; with a `turn`, while that was open."""

    turn: int | None = None

    def look(self, context: Context) -> Journal:
        """Return the whole journal, or what was done while a turn was open. Raises CampaignError if there is none."""
        snapshot = context.snapshot
        columns = (Row.at, Row.actor, Row.text, Row.secret, Row.id)
        acts = select(*columns).where(Row.campaign_id == snapshot.id).order_by(Row.id)
        if self.turn is not None:
            opened, run = _open_time(context, self.turn)
            acts = acts.where(Row.at >= opened, *([] if run is None else [Row.at <= run]))
        undoable = undoable_entries(context)
        entries = tuple(JournalLine(*row, row.id in undoable) for row in context.session.execute(acts))
        return Journal(snapshot.name, snapshot.schedule.zone, entries)

    def render(self, facts: Journal, channel: Channel) -> Iterator[str]:
        for entry in facts.entries:
            secret = "  (secret)" if entry.secret else ""
            undo = channel.either(f"pbem undo {facts.campaign} {entry.entry}", f"UNDO {entry.entry}")
            mark = f"  (undo: {undo})" if entry.undoable else ""
            line = f"{format_time(entry.at, facts.zone)}  {entry.actor}: {entry.text}{secret}"
            if len(line) > _COLUMNS:
                line = wrap(line, "    ", _COLUMNS)
            # The command stays whole, to be copied.
            fits = len(line.rpartition("\n")[2]) + len(mark) <= _COLUMNS
            yield line + mark if fits else f"{line}\n    {mark.strip()}"


def _open_time(context: Context, number: int) -> tuple[dt.datetime, dt.datetime | None]:
    """Return when a turn was opened, and run; of one that was withdrawn and opened again, the first and last time."""
    turns = select(Turn.opened_at, Turn.resolved_at).where(
        Turn.campaign_id == context.snapshot.id, Turn.number == number
    )
    rows = context.session.execute(turns.order_by(Turn.id)).all()
    if not rows:
        raise CampaignError(f"{context.snapshot.name} has no turn {number}")
    return min(row.opened_at for row in rows), rows[-1].resolved_at


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRuleLine:
    """A house rule of a campaign: its group, its value in words, the allowed values, and what it does.

    `default` is True if the value is `default_value`; the schedule has no such value.
    """

    name: str
    group: str
    value: str
    allowed: str
    help: str
    default: bool
    default_value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRuleList:
    """The house rules of a campaign."""

    campaign: str
    house_rules: tuple[HouseRuleLine, ...]


ACCEPT = "authentication"
"""The house rule that says what proves that a message is its player's."""


@dataclass(frozen=True, slots=True)
class SetHouseRule(PreviewedChange[TextResult]):
    """Change house rules of a campaign, given as names and typed values."""

    weight = Confirmed("the proof that a message is its player's", "pbem set NAME RULE=VALUE")
    kind = "house rules"
    given: Mapping[str, str]

    def asks(self, context: Context, facts: TextResult) -> bool:
        """Return True if messages would be accepted with less proof of their sender."""
        wanted = parse_house_rules(self.given).get(ACCEPT)
        return wanted is not None and is_less_proof(wanted, context.snapshot.policy.authentication)

    def look(self, context: Context) -> TextResult:
        """Return the house rules that would change. Raises CampaignError if a name or value is invalid."""
        changed = parse_house_rules(self.given)
        said = ", ".join(
            f"{printed_name(name)} from {in_words(name, house_rule(context.snapshot, name))} to {in_words(name, value)}"
            for name, value in changed.items()
        )
        less = " Less proof is then asked of who sends orders." if self.asks(context, TextResult("")) else ""
        return TextResult(f"change house rules of {context.snapshot.name}: {said}.{less}")

    def do(self, context: Context) -> TextResult:
        """Change the house rules from now on. Raises CampaignError if a name or value is invalid."""
        changed = parse_house_rules(self.given)
        said = ", ".join(f"{printed_name(name)} {in_words(name, value)}" for name, value in changed.items())
        act = add_entry(context.session, context.snapshot.id, context.now, actor="gm", text=f"house rules: {said}")
        if (schedule := changed.pop(SCHEDULE, None)) is not None:
            change_schedule(context, schedule, act)
        warning = Schedule.read(schedule).warning if schedule else ""
        campaign = context.session.get_one(Campaign, context.snapshot.id)
        # A new dict: SQLAlchemy does not see changes inside of a JSON value.
        campaign.policy = {**campaign.policy, **changed}
        return TextResult(f"house rules changed: {said}. {warning}".rstrip(), undo=context.snapshot.name)


@dataclass(frozen=True, slots=True)
class ShowHouseRules(Query[HouseRuleList]):
    """See the house rules of the campaign."""

    def look(self, context: Context) -> HouseRuleList:
        snapshot = context.snapshot
        title = context.app.game(snapshot.game).title
        lines = tuple(house_rule_lines(partial(house_rule, snapshot), title))
        return HouseRuleList(campaign=context.snapshot.name, house_rules=lines)

    def render(self, facts: HouseRuleList, channel: Channel) -> Iterator[str]:
        for group, rules in itertools.groupby(facts.house_rules, key=lambda rule: rule.group):
            yield group
            for rule in rules:
                usual = "default" if rule.default else f"default: {rule.default_value}"
                value = f'"{rule.value}"' if " " in rule.value else rule.value
                yield f"  {rule.name}={value}" + (f"  ({usual})" if rule.default_value else "")
                yield f"      {wrap(f'{rule.help}: {rule.allowed}', '      ')}"


def house_rule_lines(value_of: Callable[[str], Any], title: str) -> Iterator[HouseRuleLine]:
    """Yield the house rules, group by group, each with the value of its name; `title` is the default of that rule."""
    for name, rule in HOUSE_RULES.items():
        usual = "" if name == SCHEDULE else rule.show(getattr(Policy(), name)) or title
        value = rule.show(value_of(name)) or title
        yield HouseRuleLine(
            name=printed_name(name),
            group=rule.group,
            value=value,
            allowed=rule.allowed,
            help=rule.help,
            default=value == usual,
            default_value=usual,
        )


def house_rule(snapshot: CampaignSnapshot, name: str) -> Any:
    """Return the value of a house rule as `parse_house_rules` has it; the schedule too."""
    return snapshot.schedule.text if name == SCHEDULE else getattr(snapshot.policy, name)


def in_words(name: str, value: Any) -> str:
    """Return the value of a house rule as a GM types it."""
    return HOUSE_RULES[name].show(value) or OFF
