"""What a player writes: letters, news and diary; and whose press he wishes to get."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sqlalchemy import update
from sqlalchemy.orm import Session

from pbem.acts.act import Deed, Harmless, Reversible, Scene
from pbem.acts.arguments import SEAT, SeatCommand
from pbem.acts.press.mailing import send_letter
from pbem.acts.press.writing import goes_at_once, put_diary, put_news, read_recipients, room_left
from pbem.campaign.labels import open_label
from pbem.campaign.press.passing import Passed, passable
from pbem.campaign.press.pieces import PRESS, UNSIGNED, Piece, muted_seats, readers
from pbem.campaign.snapshot import CampaignSnapshot, Place, find_place
from pbem.errors import CampaignError
from pbem.ruleset.values import Seat
from pbem.store.models import SeatRow
from pbem.text import counted, joined, when
from pbem.util import MASK


@dataclass(frozen=True, slots=True)
class WriteLetter(SeatCommand):
    """Write to other seats, or ALL; what stands below, up to END or a signature, is passed on."""

    usage = "PRESS TO to..."
    takes_text = True
    weight = Harmless("words that are sent overwrite nothing")
    to: Annotated[Sequence[str], SEAT]
    unsigned: ClassVar[bool] = False

    def do(self, scene: Scene) -> Deed:
        """Mails it, or keeps it for the next reports."""
        snapshot, own, passed = scene.snapshot, find_place(scene.snapshot, self.seat), passable(self.text)
        to = read_recipients(snapshot, self.to)
        piece = Piece(kind=PRESS, sender=own, text=passed.text, to=to, unsigned=self.unsigned)
        at = send_letter(scene.session, scene.house, snapshot, piece, scene.now)
        room = "" if goes_at_once(snapshot, piece) else _room(scene, own)
        said = f"{_delivery(snapshot, piece, at, scene.now)}{_vacant(snapshot, piece)}{room}"
        return Deed("\n".join([said, *_mask_notes(passed)]))


@dataclass(frozen=True, slots=True)
class WriteUnsigned(WriteLetter):
    """The same, without your name, where the campaign allows it."""

    usage = "UNSIGNED TO to..."
    weight = Harmless("words that are sent overwrite nothing")
    unsigned = True


@dataclass(frozen=True, slots=True)
class WriteNews(SeatCommand):
    """Put what stands below into the newspaper that goes with the next reports."""

    usage = "NEWS"
    takes_text = True
    weight = Harmless("words that are sent overwrite nothing")

    def do(self, scene: Scene) -> Deed:
        """Keeps it for the next reports."""
        snapshot, own, passed = scene.snapshot, find_place(scene.snapshot, self.seat), passable(self.text)
        put_news(scene.session, snapshot, own, passed.text, scene.now)
        said = f"Your news, signed {own.seat}, stand in the newspaper of the next reports, for all seats of"
        return Deed("\n".join([f"{said} {snapshot.name}.{_room(scene, own)}", *_mask_notes(passed)]))


@dataclass(frozen=True, slots=True)
class WriteDiary(SeatCommand):
    """Enter what stands below into your diary, which is opened when the game is over."""

    usage = "DIARY"
    takes_text = True
    weight = Harmless("words that are added overwrite nothing")

    def do(self, scene: Scene) -> Deed:
        """Enters it."""
        snapshot, own, passed = scene.snapshot, find_place(scene.snapshot, self.seat), passable(self.text)
        put_diary(scene.session, snapshot, own, passed.text, scene.now)
        kept = f"Entered into the diary of {own.seat}, {open_label(scene.session, snapshot, own.id)}."
        opened = f"All diaries of {snapshot.name} are opened to all when the game is over, and not before."
        return Deed("\n".join([f"{kept} {opened}", *_mask_notes(passed)]))


@dataclass(frozen=True, slots=True)
class Mute(SeatCommand):
    """Get no more press from a seat."""

    usage = "MUTE whom"
    weight = Reversible("", "UNMUTE seat")
    whom: Annotated[str, SEAT]

    def do(self, scene: Scene) -> Deed:
        """Keeps it from him."""
        snapshot, own, whom = scene.snapshot, find_place(scene.snapshot, self.seat), _writer(scene.snapshot, self.whom)
        if whom == own.seat:
            raise CampaignError("nobody can mute himself: name another seat")
        _set_muted(scene.session, own, _muted(scene, own) | {whom})
        if whom == UNSIGNED:
            return Deed(f"You get no more unsigned letters in {snapshot.name}. UNMUTE UNSIGNED brings them back.")
        return Deed(
            f"You get no more letters and news of {whom} in {snapshot.name}, and {whom} is not told. "
            f"Letters that {whom} does not sign still reach you. UNMUTE {whom} takes this back."
        )


@dataclass(frozen=True, slots=True)
class Unmute(SeatCommand):
    """Get press from a seat again."""

    usage = "UNMUTE whom"
    weight = Reversible("", "MUTE seat")
    whom: Annotated[str, SEAT]

    def do(self, scene: Scene) -> Deed:
        """Lets it reach him."""
        snapshot, own, whom = scene.snapshot, find_place(scene.snapshot, self.seat), _writer(scene.snapshot, self.whom)
        muted = _muted(scene, own)
        _set_muted(scene.session, own, muted - {whom})
        what = "unsigned letters" if whom == UNSIGNED else f"the press of {whom}"
        return Deed(f"You get {what} in {snapshot.name}" + (" again." if whom in muted else ": that was not muted."))


def _muted(scene: Scene, own: Place) -> frozenset[Seat]:
    return muted_seats(scene.session, scene.snapshot).get(own.id, frozenset())


def _set_muted(session: Session, own: Place, muted: frozenset[Seat]) -> None:
    session.execute(update(SeatRow).where(SeatRow.id == own.id).values(muted=sorted(muted)))


def _writer(snapshot: CampaignSnapshot, word: str) -> Seat:
    """Whose press is meant: a seat's, or that of nobody in particular."""
    return UNSIGNED if word.lower() == UNSIGNED else find_place(snapshot, word).seat


def _delivery(snapshot: CampaignSnapshot, piece: Piece, at: dt.datetime | None, now: dt.datetime) -> str:
    """Who gets a letter, when, and what they are told of its writer."""
    everybody = "all seats, yours as well" if piece.unsigned else "all other seats"
    whom = everybody if piece.to is None else joined(piece.to)
    what = "Your unsigned letter" if piece.unsigned else f"Your letter, signed {piece.byline},"
    if at is None:
        return f"{what} goes with the next reports of {snapshot.name}, to {whom}."
    time = "at once" if at == now else f"on the hour, {when(at, snapshot.schedule.zone)},"
    return f"{what} goes by mail {time} to {whom}."


def _room(scene: Scene, own: Place) -> str:
    """A sentence on how much more a seat may put into the next reports."""
    return f" Your seat has room for {room_left(scene.session, scene.snapshot, own)} characters more in them."


def _vacant(snapshot: CampaignSnapshot, piece: Piece) -> str:
    """A sentence on the seats written to where nobody sits."""
    vacant = [place.seat for place in readers(snapshot, piece) if not place.address]
    return f" Nobody sits at {joined(vacant)} now." if vacant else ""


def _mask_notes(passed: Passed) -> list[str]:
    if not passed.masked:
        return []
    stood = f"In {counted(passed.masked, 'line')} stood what looks like a key or the head of a mail"
    return [f"{stood}; it was passed on as {MASK}."]
