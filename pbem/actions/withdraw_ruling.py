"""Actions that show and drop the current ruling, and restore an earlier one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

from pbem.actions.arguments import NUMBER, SURE, GmCommand, TextBlock, Wish
from pbem.actions.base import Change, Channel, PreviewedChange, Query
from pbem.actions.ruling import (
    Earlier,
    OpenRuling,
    Replaced,
    RulingForm,
    ShowRulingForm,
    choose_earlier,
    count_ruling,
    earlier_rulings,
    open_ruling,
    other_rulings,
    parse_ruling,
    render_replaced,
    replaced_parts,
    ruled_parts,
    ruling_by_mail,
)
from pbem.actions.weight import Confirmed, Reversible
from pbem.campaign.snapshot import Context
from pbem.errors import CampaignError
from pbem.mail.mailbox import MAX_GM_MAIL
from pbem.ruleset.fields import KeywordField
from pbem.ruleset.values import format_size
from pbem.text import format_time, wrap


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingShown:
    """The parts of the ruling that counts by name, none if there is none, and number and time of earlier rulings.

    `form` is the form for the GM, with that ruling in it.
    """

    campaign: str
    turn: int
    zone: str
    parts: Mapping[str, str]
    earlier: tuple[tuple[int, dt.datetime], ...]
    form: RulingForm


@dataclass(frozen=True, slots=True)
class Dropped:
    """A ruling that no longer counts."""

    campaign: str
    turn: int


@dataclass(frozen=True, slots=True)
class Restored:
    """An earlier ruling that counts again, and the parts of the one before that it changes."""

    campaign: str
    turn: int
    number: int
    replaced: tuple[Replaced, ...]


@dataclass(frozen=True, slots=True)
class ShowRuling(Query[RulingShown]):
    """Show the ruling on the open turn."""

    def look(self, context: Context) -> RulingShown:
        """Return the ruling, and the form with it. Raises CampaignError unless its GM decides the turn."""
        open_ = open_ruling(context)
        known = earlier_rulings(context.session, context.snapshot, open_.turn)
        return RulingShown(
            campaign=context.snapshot.name,
            turn=context.snapshot.turn,
            zone=context.snapshot.schedule.zone,
            parts=ruled_parts(open_),
            earlier=tuple((each.number, each.at) for each in other_rulings(open_.turn, known)),
            form=ShowRulingForm().look(context),
        )

    def render(self, facts: RulingShown, channel: Channel) -> Iterator[str]:
        turn, name = facts.turn, facts.campaign
        if facts.parts:
            yield f"Your ruling on turn {turn} of {name}, which runs when you release it:"
        else:
            yield f"You have not ruled on turn {turn} of {name}."
        if channel.by_mail:
            yield wrap("To rule, or to change the ruling, send this form with your token in it:")
            yield ""
            yield from (f"GM {name} TOKEN", *facts.form.mailed.splitlines())
            yield ""
        else:
            for part, text in facts.parts.items():
                yield f"{part}:"
                yield from (f"    {line}" for line in text.splitlines())
        if facts.parts:
            yield f"To drop it: {channel.either(f'pbem ruling {name} --drop', 'RULING OFF')}"
        elif not channel.by_mail:
            yield f"To rule: pbem ruling {name} --edit"
        for number, at in facts.earlier:
            back = channel.either(f"pbem ruling {name} --restore {number}", f"RULING BACK {number}")
            yield f"Earlier ruling {number}, replaced or dropped {format_time(at, facts.zone)}. To have it back: {back}"


@dataclass(frozen=True, slots=True)
class DropRuling(Change[Dropped]):
    """Drop the ruling on the open turn, which waits for another."""

    weight = Reversible("pbem ruling NAME --restore", "RULING BACK")
    kind = "ruling"

    def do(self, context: Context) -> Dropped:
        """Drop the ruling, and keep it with the earlier ones. Raises CampaignError if there is none."""
        snapshot, turn = context.snapshot, open_ruling(context).turn
        if turn.ruling is None:
            raise CampaignError(f"there is no ruling on turn {snapshot.turn} of {snapshot.name}: nothing was dropped")
        count_ruling(context, turn, None)
        return Dropped(snapshot.name, snapshot.turn)

    def render(self, facts: Dropped, channel: Channel) -> Iterator[str]:
        back = channel.either(f"pbem undo {facts.campaign}", "RULING BACK")
        dropped = f"the ruling on turn {facts.turn} of {facts.campaign} is dropped, and the turn waits for another."
        yield channel.fact(f"{dropped} To have it back: {back}")


@dataclass(frozen=True, slots=True)
class RestoreRuling(PreviewedChange[Restored]):
    """Let an earlier ruling on the open turn count again: that of a number, or the newest that does not count."""

    weight = Confirmed("what was ruled since", "pbem ruling NAME --restore")
    kind = "ruling"
    number: int | None = None

    def asks(self, context: Context, facts: Restored) -> bool:
        """Return True if parts of the ruling that counts would be replaced."""
        return bool(facts.replaced)

    def look(self, context: Context) -> Restored:
        """Return what would change. Raises CampaignError if there is no such ruling."""
        open_, earlier = self._choose(context)
        return self._facts(context, open_, earlier)

    def do(self, context: Context) -> Restored:
        """Restore the ruling; the one that counted is kept."""
        open_, earlier = self._choose(context)
        facts = self._facts(context, open_, earlier)
        count_ruling(context, open_.turn, earlier.ruling)
        return facts

    def _choose(self, context: Context) -> tuple[OpenRuling, Earlier]:
        open_ = open_ruling(context)
        known = earlier_rulings(context.session, context.snapshot, open_.turn)
        return open_, choose_earlier(context.snapshot.name, open_.turn, known, self.number)

    def _facts(self, context: Context, open_: OpenRuling, earlier: Earlier) -> Restored:
        name, turn = context.snapshot.name, context.snapshot.turn
        parts = open_.ruleset.ruling_parts(open_.state, earlier.ruling)
        return Restored(name, turn, earlier.number, replaced_parts(ruled_parts(open_), parts))

    def render(self, facts: Restored, channel: Channel) -> Iterator[str]:
        turn, name = facts.turn, facts.campaign
        yield from render_replaced(turn, name, facts.replaced, channel)
        release = channel.either(f"pbem release {name}", "RELEASE")
        done = f"the earlier ruling {facts.number} on turn {turn} of {name} counts again. Run it: {release}"
        yield channel.undone or channel.fact(done)


@dataclass(frozen=True, slots=True)
class RulingCommand(GmCommand):
    """Rule on the open turn, in a game that you adjudicate, with the filled-in form below.

    What it does not name stays of an earlier ruling, unless it says REPLACE ALL, as the
    form does. Alone it shows the form, and what you have ruled. OFF drops the ruling, BACK brings an earlier one back.
    """

    usage = "RULING [what] [number] [sure [asked]]"
    takes_text = True
    takes_files = True
    what: Annotated[str | None, KeywordField(("OFF", "BACK"))] = None
    number: Annotated[str | None, NUMBER] = None
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def wish(self, text: TextBlock) -> Wish:
        """Return the action: submit, drop, restore or show the ruling."""
        number = None if self.number is None else int(self.number)
        if self.what != "BACK" and number is not None:
            raise CampaignError(f"to have an earlier ruling back, write: RULING BACK {number}")
        if self.what is not None and text.words:
            raise CampaignError(f"nothing stands below RULING {self.what}: it is not known what to do with it")
        if self.what == "OFF":
            return DropRuling()
        if self.what == "BACK":
            return RestoreRuling(number)
        # A picture in the text of a mail may be the logo of its writer, and is no ruling.
        if not (text.words or text.cut or any(not each.inline for each in text.attached)):
            return ShowRuling()
        if text.cut:
            raise CampaignError(
                "the mail is too big, and only its beginning was read: make pictures smaller, or have the ruling read "
                f"from a folder; with all its files a mail may have {format_size(MAX_GM_MAIL)}"
            )
        return ruling_by_mail(parse_ruling(line for _, line in text.lines), text.attached)
