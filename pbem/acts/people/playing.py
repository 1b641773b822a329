"""What a player may do about his seat: leave it, pause it, name a deputy, add a word to the dice."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from zoneinfo import ZoneInfo

from pbem.acts.act import Confirmed, Deed, Reversible, Scene
from pbem.acts.arguments import ADDRESS, DAY, Free, Proof, SeatCommand
from pbem.acts.people.remailing import recall_copies
from pbem.acts.people.seating import open_seat, pause_seat
from pbem.campaign.journal import note
from pbem.campaign.notices import send_page, send_words
from pbem.campaign.people.confirming import DAYS, ENOUGH_CODES, put_request
from pbem.campaign.people.deputies import MOST_DAYS, dismiss
from pbem.campaign.people.dicewords import choose_word
from pbem.campaign.people.identity import find_person
from pbem.campaign.snapshot import find_place
from pbem.mail.headers import check_address
from pbem.report.answers import Confirmation


@dataclass(frozen=True, slots=True)
class Leave(SeatCommand):
    """Give your seat up. You are asked whether you mean it; then somebody else may take it over."""

    usage = "LEAVE"
    proof = Proof.STRONG
    weight = Confirmed("the seat, to its player", "pbem seat NAME SEAT --to ADDRESS")

    def do(self, scene: Scene) -> Deed:
        """Opens the seat; the first standby gets it."""
        snapshot, place = scene.snapshot, find_place(scene.snapshot, self.seat)
        open_seat(scene, place, "its player has left", actor=place.seat, told=True)
        return Deed(f"You have given up the seat {place.seat} in {snapshot.name}. Thank you for playing!")


@dataclass(frozen=True, slots=True)
class Pause(SeatCommand):
    """Pause: turns no longer wait for you, and the game's defaults are used, until you say RESUME."""

    usage = "PAUSE"
    proof = Proof.STRONG
    weight = Reversible("", "RESUME")

    def do(self, scene: Scene) -> Deed:
        """Pause the seat."""
        snapshot, place = scene.snapshot, find_place(scene.snapshot, self.seat)
        if not pause_seat(scene, place, paused=True, actor=place.seat):
            return Deed(f"Your seat {place.seat} in {snapshot.name} was paused already. RESUME ends it.")
        return Deed(
            f"Your seat {place.seat} in {snapshot.name} is paused: turns no longer wait for you, and the game's "
            "defaults are used unless you send a sheet. You still get every report. RESUME ends it."
        )


@dataclass(frozen=True, slots=True)
class Resume(SeatCommand):
    """End your pause."""

    usage = "RESUME"
    proof = Proof.STRONG
    weight = Reversible("", "PAUSE")

    def do(self, scene: Scene) -> Deed:
        """End the pause of the seat."""
        snapshot, place = scene.snapshot, find_place(scene.snapshot, self.seat)
        if not pause_seat(scene, place, paused=False, actor=place.seat):
            return Deed(f"Your seat {place.seat} in {snapshot.name} was not paused.")
        return Deed(f"Your pause is over: turns of {snapshot.name} wait for {place.seat} again.")


@dataclass(frozen=True, slots=True)
class ChooseWord(SeatCommand):
    """Choose your word for the dice, until the campaign begins; it is mixed with their sealed seed."""

    usage = "DICE said..."
    weight = Reversible("", "DICE said")
    said: Annotated[Sequence[str], Free("words", "words", "hello")]

    def do(self, scene: Scene) -> Deed:
        """Keeps it, in the place of any before."""
        place = find_place(scene.snapshot, self.seat)
        word = choose_word(scene.session, scene.snapshot, place, self.said, scene.now)
        return Deed(
            f"Your word for the dice of {scene.snapshot.name} is now: {word}\n"
            "You may choose another until the campaign begins. Your first report lists the words of all."
        )


@dataclass(frozen=True, slots=True)
class AppointDeputy(SeatCommand):
    """Let somebody else send sheets for your seat until the end of a day, from the address you name."""

    usage = "DEPUTY address UNTIL last"
    proof = Proof.STRONG
    weight = Reversible("", "UNDEPUTE")
    address: Annotated[str, ADDRESS]
    last: Annotated[str, DAY]

    def do(self, scene: Scene) -> Deed:
        """Mails the deputy a code; he stands in once that has come back."""
        session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
        place = find_place(snapshot, self.seat)
        address = check_address(self.address, "a deputy", house.settings.address)
        today = now.astimezone(ZoneInfo(snapshot.schedule.zone)).date()
        if not today <= dt.date.fromisoformat(self.last) <= today + dt.timedelta(days=MOST_DAYS):
            return Deed(
                f"A deputy may stand in from today to a day at most {MOST_DAYS} days ahead, not to {self.last}."
            )
        if address.lower() == place.address.lower():
            return Deed("That is your own address: name that of somebody else.")
        player = find_person(session, place.address)
        assert player is not None
        code = put_request(
            session,
            "deputy",
            now,
            to=address,
            by=player.key,
            data={"seat_id": place.id, "person_id": player.id, "address": address, "until": self.last},
            campaign_id=snapshot.id,
            account=self.account,
        )
        if code is None:
            return Deed(ENOUGH_CODES)
        page = Confirmation(
            kind="deputy",
            code=code,
            address=house.settings.address,
            days=DAYS,
            campaign=snapshot.name,
            seat=place.seat,
            game=house.game(snapshot.game).title,
            about=place.address,
            until=self.last,
        )
        subject = f"Will you stand in for {place.seat}?"
        send_page(session, house, snapshot, now, to=address, subject=subject, page=page, code=code)
        asked = f"{address} was asked to stand in for you to the end of {self.last}"
        return Deed(f"{asked}. You hear of it once that is confirmed.")


@dataclass(frozen=True, slots=True)
class DismissDeputy(SeatCommand):
    """Dismiss your deputy."""

    usage = "UNDEPUTE"
    proof = Proof.STRONG
    weight = Reversible("", "DEPUTY address UNTIL last")

    def do(self, scene: Scene) -> Deed:
        """Ends it, and tells who stood in."""
        session, snapshot, now = scene.session, scene.snapshot, scene.now
        place = find_place(snapshot, self.seat)
        dismissed = dismiss(session, place, now)
        if not dismissed:
            return Deed(f"Nobody stands in for {place.seat} in {snapshot.name}, and nobody is asked to any more.")
        note(session, snapshot.id, now, actor=place.seat, text="has no deputy any more", secret=True)
        recall_copies(session, place)
        said = f"You no longer stand in for the seat {place.seat} of {snapshot.name}. Thank you!"
        for deputy in dismissed:
            send_words(session, scene.house, snapshot, now, said, to=deputy.address, subject="You are relieved")
        ended = f"{dismissed[0].address} no longer stands in for {place.seat} in {snapshot.name}"
        return Deed(f"{ended}, and the reports mailed there open your seat no more.")
