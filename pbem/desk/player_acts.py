"""What a player's commands about his seat wish: of each the act."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbem.acts.act import Act, Deed, Scene
from pbem.acts.people.playing import AppointDeputy, ChooseWord, DismissDeputy, Leave, Rest
from pbem.acts.press.from_players import Mute, Unmute, WriteDiary, WriteLetter, WriteNews
from pbem.acts.time.absence import EndAbsences, NoteAbsence
from pbem.acts.time.extending import AskForTime
from pbem.campaign.snapshot import locked_campaign
from pbem.desk import commands as by_mail
from pbem.desk.requests import Asked

WISHES: Mapping[type[by_mail.Command], Callable[[Asked, Any], Act[Deed]]] = {
    by_mail.Leave: lambda asked, _: Leave(asked.spot.seat),
    by_mail.Pause: lambda asked, _: Rest(asked.spot.seat),
    by_mail.Resume: lambda asked, _: Rest(asked.spot.seat, paused=False),
    by_mail.ChooseWord: lambda asked, order: ChooseWord(asked.spot.seat, order.said),
    by_mail.AppointDeputy: lambda asked, order: AppointDeputy(
        asked.spot.seat, order.address, order.last, asked.case.account
    ),
    by_mail.NoDeputy: lambda asked, _: DismissDeputy(asked.spot.seat),
    by_mail.Absent: lambda asked, order: NoteAbsence(asked.spot.seat, order.first, order.last or order.first),
    by_mail.Present: lambda asked, _: EndAbsences(asked.spot.seat),
    by_mail.Extend: lambda asked, _: AskForTime(asked.spot.seat),
    by_mail.WritePress: lambda asked, order: WriteLetter(asked.spot.seat, asked.text, order.seats),
    by_mail.WriteUnsigned: lambda asked, order: WriteLetter(asked.spot.seat, asked.text, order.seats, unsigned=True),
    by_mail.WriteNews: lambda asked, _: WriteNews(asked.spot.seat, asked.text),
    by_mail.WriteDiary: lambda asked, _: WriteDiary(asked.spot.seat, asked.text),
    by_mail.Mute: lambda asked, order: Mute(asked.spot.seat, order.seat),
    by_mail.Unmute: lambda asked, order: Unmute(asked.spot.seat, order.seat),
}
"""What each command wishes, whose letter has shown that it is its writer's seat."""


def perform(asked: Asked, order: by_mail.Command) -> str:
    """Does what a command about a seat asks; returns what to answer. Raises CampaignError."""
    case = asked.case
    snapshot = locked_campaign(case.session, asked.spot.campaign)
    wish = WISHES[type(order)](asked, order)
    return wish.do(Scene(case.session, case.house, snapshot, case.now)).done
