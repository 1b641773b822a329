"""Where an answer is read: at the machine's screen or in a mail; what is to be typed to go on differs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Door:
    """The way by which somebody wished something, and is answered.

    `undone` tells how to have done what he has only looked at; it is "" where it was done.
    """

    by_mail: bool = False
    undone: str = ""

    @property
    def done(self) -> bool:
        """Whether what is told was done."""
        return not self.undone

    def either(self, screen: str, mail: str) -> str:
        """Of two wordings that which is right here."""
        return mail if self.by_mail else screen

    def queued(self, what: str, it: str = "it") -> str:
        """A sentence that something is on its way; at the screen, with the command that sends `it`."""
        return self.either(f"{what}; send {it}: pbem tick", f"{what}.")


SCREEN = Door()
ASKED = Door(undone="Nothing has changed yet.")
"""A terminal, at which confirmation is asked for below."""

LOOKED = Door(undone="Nothing was changed. To do it, add --yes.")
"""The screen, without a terminal to ask at."""


def mail_door(undone: str = "") -> Door:
    """A mail; `undone` is the command that does what was only looked at."""
    return Door(by_mail=True, undone=undone and f"Nothing was changed. To do it, send the same with: {undone}")
