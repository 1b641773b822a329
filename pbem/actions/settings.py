"""Actions for the settings of a campaign: GM, mail token, journal and house rules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

from sqlalchemy import select, update

from pbem.actions.arguments import GmCommand, Typed
from pbem.actions.base import Change, Channel, Harmless, Query, Reversible, TextResult
from pbem.campaign.history import add_entry
from pbem.campaign.house_rules import HOUSE_RULES, parse_house_rules
from pbem.campaign.house_rules import HouseRules as Policy
from pbem.campaign.notices import CampaignMailer
from pbem.campaign.people import generate_token, hash_token
from pbem.campaign.snapshot import Context
from pbem.errors import CampaignError
from pbem.mail.headers import require_address
from pbem.report.notices import GmToken
from pbem.ruleset.order_types import FILLED_IN
from pbem.store.models import Campaign, Turn
from pbem.store.models import JournalEntry as Row
from pbem.text import format_time, wrap


@dataclass(frozen=True, slots=True)
class GmInfo:
    """The GM of a campaign; `mailed` if a new token is on its way to them."""

    campaign: str
    gm: str
    mailed: bool = False


@dataclass(frozen=True, slots=True)
class ShowGm(Query[GmInfo]):
    """Show who the GM is."""

    def look(self, context: Context) -> GmInfo:
        """Return the GM's address."""
        return GmInfo(context.snapshot.name, context.snapshot.gm)

    def render(self, facts: GmInfo, channel: Channel) -> Iterator[str]:
        mailed = "; a new token goes to him with the next tick" if facts.mailed else ""
        yield f"The GM of {facts.campaign} is {facts.gm}{mailed}."


@dataclass(frozen=True, slots=True)
class ChangeGm(Change[GmInfo]):
    """Change the GM's address; the old token is void."""

    command = "gm"
    weight = Reversible("pbem gm NAME --address ADDRESS")
    address: str

    def do(self, context: Context) -> GmInfo:
        """Change the address. Raises CampaignError if it is the GM's already."""
        snapshot = context.snapshot
        gm = require_address(self.address, "the GM", context.app.settings.address)
        if gm.lower() == snapshot.gm.lower():
            raise CampaignError(f"{gm} is the GM of {snapshot.name} already")
        # The former GM has the token, and it alone authenticates a GM (decision 8).
        values = {"gm": gm, "gm_token_hash": ""}
        context.session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(values))
        said = f"{gm} is the GM now; it was {snapshot.gm}"
        add_entry(context.session, snapshot.id, context.now, actor="gm", text=said, secret=True)
        return GmInfo(snapshot.name, gm)

    def render(self, facts: GmInfo, channel: Channel) -> Iterator[str]:
        return ShowGm().render(facts, channel)


@dataclass(frozen=True, slots=True)
class MailToken(GmCommand, Change[GmInfo]):
    """Get a new token; this one is void then."""

    usage = "TOKEN"
    command = "gm"
    weight = Harmless("the same GM gets another token")

    def do(self, context: Context) -> GmInfo:
        """Queue the mail with a new token."""
        mail_gm_token(context)
        return GmInfo(context.snapshot.name, context.snapshot.gm, mailed=True)

    def render(self, facts: GmInfo, channel: Channel) -> Iterator[str]:
        return ShowGm().render(facts, channel)


def mail_gm_token(context: Context) -> None:
    """Mail the GM a new token, with all commands that it allows; the old one is void."""
    session, app, snapshot, now = context.session, context.app, context.snapshot, context.now
    token = generate_token()
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(gm_token_hash=hash_token(token)))
    act = add_entry(session, snapshot.id, now, actor="gm", text="the GM was mailed a new token", secret=True)
    page = GmToken(campaign=snapshot.name, token=token, address=app.settings.address)
    mailer = CampaignMailer.of(app, snapshot)
    mail = mailer.mail(snapshot.gm, "your token as the GM", page, ("gm token", act), kind="welcome")
    mailer.send(session, now, mail)


@dataclass(frozen=True, slots=True)
class JournalLine:
    """An entry of a campaign's journal. Players may not read it if it is `secret`."""

    at: dt.datetime
    actor: str
    text: str
    secret: bool


@dataclass(frozen=True, slots=True)
class Journal:
    """All journal entries of a campaign, oldest first."""

    campaign: str
    zone: str
    entries: tuple[JournalLine, ...]


@dataclass(frozen=True, slots=True)
class ShowJournal(GmCommand, Query[Journal]):
    """See all that was done to the campaign, when, and by whom."""

    usage = "JOURNAL"
    command = "journal"
    typed = Typed("Show all that was done to a campaign, when, and by whom.", json=True)
    turn: Annotated[int | None, FILLED_IN] = None

    def look(self, context: Context) -> Journal:
        """Return the whole journal, or what was done while a turn was open. Raises CampaignError if there is none."""
        snapshot = context.snapshot
        acts = select(Row.at, Row.actor, Row.text, Row.secret).where(Row.campaign_id == snapshot.id).order_by(Row.id)
        if self.turn is not None:
            opened, run = _open_time(context, self.turn)
            acts = acts.where(Row.at >= opened, *[Row.at <= run] * (run is not None))
        entries = tuple(JournalLine(*row) for row in context.session.execute(acts))
        return Journal(snapshot.name, snapshot.schedule.zone, entries)

    def render(self, facts: Journal, channel: Channel) -> Iterator[str]:
        for entry in facts.entries:
            secret = "  (secret)" if entry.secret else ""
            yield f"{format_time(entry.at, facts.zone)}  {entry.actor}: {entry.text}{secret}"


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
    """A house rule of a campaign: its value in words, the allowed values, and what it does."""

    name: str
    value: str
    allowed: str
    help: str
    default: bool


@dataclass(frozen=True, slots=True)
class HouseRuleList:
    """The house rules of a campaign."""

    campaign: str
    rules: tuple[HouseRuleLine, ...]


@dataclass(frozen=True, slots=True)
class SetHouseRule(Change[TextResult]):
    """Change house rules of a campaign, given as names and typed values."""

    command = "policy"
    weight = Reversible("pbem policy NAME RULE=VALUE", "SET rule=value")
    given: Mapping[str, str]

    def do(self, context: Context) -> TextResult:
        """Change the house rules from now on. Raises CampaignError if a name or value is invalid."""
        changed = parse_house_rules(self.given)
        campaign = context.session.get_one(Campaign, context.snapshot.id)
        # A new dict: SQLAlchemy does not see changes inside of a JSON value.
        campaign.policy = {**campaign.policy, **changed}
        said = ", ".join(f"{name} {in_words(name, value)}" for name, value in changed.items())
        add_entry(context.session, context.snapshot.id, context.now, actor="gm", text=f"house rules: {said}")
        return TextResult(f"House rules of {context.snapshot.name} from now on: {said}.")


@dataclass(frozen=True, slots=True)
class ShowHouseRules(Query[HouseRuleList]):
    """See the house rules of the campaign."""

    def look(self, context: Context) -> HouseRuleList:
        """Return all house rules."""
        return HouseRuleList(context.snapshot.name, tuple(policy_lines(context.snapshot.policy)))

    def render(self, facts: HouseRuleList, channel: Channel) -> Iterator[str]:
        for rule in facts.rules:
            yield f"{rule.name}={rule.value}" + ("" if rule.default else "  (changed)")
            yield f"    {wrap(f'{rule.help}: {rule.allowed}', '    ')}"


def policy_lines(policy: Policy) -> Iterator[HouseRuleLine]:
    """Yield every house rule."""
    usual = Policy()
    for name, rule in HOUSE_RULES.items():
        value = getattr(policy, name)
        yield HouseRuleLine(
            name=name,
            value=in_words(name, value),
            allowed=rule.allowed,
            help=rule.help,
            default=value == getattr(usual, name),
        )


def in_words(name: str, value: object) -> str:
    """Return the value of a house rule as a GM types it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and HOUSE_RULES[name].allowed.startswith("a span"):
        unit, minutes = next(each for each in (("d", 1440), ("h", 60), ("m", 1)) if value % each[1] == 0)
        return f"{value // minutes}{unit}"
    return ",".join(value) or "none" if isinstance(value, tuple | list) else str(value)
