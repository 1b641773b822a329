"""The orders of Bubble Singularity; a sheet of several plays a whole turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pbem.ruleset import Order, OrderMark, OrderParser
from pbem_rules.bubble_singularity import kinds
from pbem_rules.bubble_singularity.abilities import ABILITIES, title
from pbem_rules.bubble_singularity.kinds import EXTRA, NONE
from pbem_rules.bubble_singularity.reading import rewrite

_CLOCK = {"CW": "clockwise", "CCW": "counter-clockwise"}


def pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return words two by two; an odd last one is paired with an empty word."""
    return [(words[at], words[at + 1] if at + 1 < len(words) else "") for at in range(0, len(words), 2)]


@dataclass(frozen=True, slots=True)
class Start(Order):
    """Before the first turn: the spaces you would like to start on, best first.

    In the order of joining, each player gets the first one whose side is still free.
    """

    usage = "START spaces..."
    slot = "start"
    mark = OrderMark("piece", at="spaces")
    spaces: Annotated[tuple[str, ...], kinds.START]

    def words(self) -> str:
        return "your Mari starts on " + ", else on ".join(self.spaces)


@dataclass(frozen=True, slots=True)
class Keep(Order):
    """Choose what you keep when you are asked, best first: one of the ability cards drawn, or two bubbles.

    In the sheet of a turn it is a standing list: now and in later turns you are not asked where it names all the
    choices, until you send another. Two colours are the two bubbles; more are a list, best first.
    """

    usage = "KEEP what..."
    slot = "keep"
    what: Annotated[tuple[str, ...], kinds.KEPT]

    def words(self) -> str:
        cards = ", else ".join(title(name) for name in self.what if name in ABILITIES)
        colours = [name for name in self.what if name not in ABILITIES]
        # Two colours are the two bubbles to keep, more are a ranking (ruling 26).
        bubbles = (" and " if len(colours) == 2 else ", else ").join(colours)
        return f"you keep {'; of bubbles '.join(filter(None, [cards, bubbles]))}"


@dataclass(frozen=True, slots=True)
class Move(Order):
    """Move your Mari, one way for each space; Quantum Drift allows NE, SE, SW and NW too."""

    usage = "MOVE ways..."
    slot = "move"
    mark = OrderMark("path")
    ways: Annotated[tuple[str, ...], kinds.STEP]

    def words(self) -> str:
        return f"your Mari moves {', '.join(self.ways)}"


@dataclass(frozen=True, slots=True)
class Bubbles(Order):
    """Name what you place on each space your Mari enters, in order.

    A colour; `blue+` to add one of your own colour by Bubble Resonance; `none` where a space may go without.
    """

    usage = "BUBBLES what..."
    slot = "bubbles"
    mark = OrderMark("piece", along="move")
    what: Annotated[tuple[str, ...], kinds.PLACED]

    def words(self) -> str:
        shown = (word.replace(EXTRA, " and one more of your own") for word in self.what)
        return "on the spaces entered you place " + ", ".join("nothing" if word == NONE else word for word in shown)


@dataclass(frozen=True, slots=True)
class Rotate(Order):
    """Action A: turn the card under your Mari by a quarter and push all bubbles on it along its arrows."""

    usage = "ROTATE turn"
    slot = "action"
    mark = OrderMark("note", label="{turn}")
    turn: Annotated[str, kinds.TURN]

    def words(self) -> str:
        return f"you rotate your card {_CLOCK[self.turn]} and push its bubbles"


@dataclass(frozen=True, slots=True)
class Pull(Order):
    """Action B: pull all bubbles of the space beside you to your own."""

    usage = "PULL way"
    slot = "action"
    mark = OrderMark("target", at="way")
    way: Annotated[str, kinds.PULLED]

    def words(self) -> str:
        return f"you pull the bubbles of the space {self.way} of you"


@dataclass(frozen=True, slots=True)
class Send(Order):
    """Choose the bubbles that a ROTATE pushes along each arrow, as `SEND blue N, red E`; the others go by default."""

    usage = "SEND pairs..."
    slot = "send"
    pairs: Annotated[tuple[str, ...], kinds.BUBBLE_AND_WAY]

    def words(self) -> str:
        return "the push sends " + ", ".join(f"{colour} {way}" for colour, way in pairs(self.pairs))


@dataclass(frozen=True, slots=True)
class Pop(Order):
    """Choose the bubbles that a pop on a space sends along each arrow; the others go by default.

    `blue EE` sends one two spaces by Cascade Control. A second line for the space is for its second pop.
    """

    usage = "POP space pairs..."
    mark = OrderMark("note", of="space")
    space: Annotated[str, kinds.SPACE]
    pairs: Annotated[tuple[str, ...], kinds.BUBBLE_AND_FAR_WAY]

    def words(self) -> str:
        return f"a pop on {self.space} sends " + ", ".join(f"{colour} {way}" for colour, way in pairs(self.pairs))


@dataclass(frozen=True, slots=True)
class Swap(Order):
    """Choose the neighbour that an unstable card changes places with after its pop; a second line is for the second."""

    usage = "SWAP space way"
    mark = OrderMark("note", of="space")
    space: Annotated[str, kinds.SPACE]
    way: Annotated[str, kinds.WAY]

    def words(self) -> str:
        return f"after a pop the unstable card on {self.space} changes places with the one {self.way} of it"


@dataclass(frozen=True, slots=True)
class Draw(Order):
    """Choose the two decks of your ability cards, if a pop on a node brings you any; else the lot decides."""

    usage = "DRAW one other"
    slot = "draw"
    one: Annotated[str, kinds.DECK]
    other: Annotated[str, kinds.OTHER_DECK]

    def words(self) -> str:
        return f"ability cards come from the decks {self.one} and {self.other}"


@dataclass(frozen=True, slots=True)
class UseFolder(Order):
    """Space Folder: turn any card by a quarter; nothing is pushed."""

    usage = "USE FOLDER space turn"
    slot = "folder"
    mark = OrderMark("note", of="space", label="{turn}")
    space: Annotated[str, kinds.SPACE]
    turn: Annotated[str, kinds.TURN]

    def words(self) -> str:
        return f"Space Folder turns {self.space} {_CLOCK[self.turn]}"


@dataclass(frozen=True, slots=True)
class UseAttractor(Order):
    """Singularity Attractor: a node comes two spaces towards your Mari, on the way you name or the straightest."""

    usage = "USE ATTRACTOR node [ways...]"
    slot = "attractor"
    mark = OrderMark("note", of="node", label="attracted")
    node: Annotated[str, kinds.NODE]
    ways: Annotated[tuple[str, ...], kinds.TOWARDS] = ()

    def words(self) -> str:
        way = f" by {', '.join(self.ways)}" if self.ways else ""
        return f"Singularity Attractor draws the node on {self.node} towards you{way}"


@dataclass(frozen=True, slots=True)
class UseDirector(Order):
    """Bubble Director: a bubble of your colour goes from a space to the next one that way."""

    usage = "USE DIRECTOR space way"
    slot = "director"
    mark = OrderMark("target", of="space")
    space: Annotated[str, kinds.SPACE]
    way: Annotated[str, kinds.EAST]

    def words(self) -> str:
        return f"Bubble Director moves a bubble of yours from {self.space} {self.way}"


@dataclass(frozen=True, slots=True)
class UseResearch(Order):
    """Research station, as your action: draw 3 bubbles; you are then asked which 2 you keep."""

    usage = "USE RESEARCH"
    slot = "action"

    def words(self) -> str:
        return "at the research station you draw 3 bubbles and keep 2"


@dataclass(frozen=True, slots=True)
class UseSelect(Order):
    """Research station, controller's bonus: take up to 3 bubbles of your choice from the bag."""

    usage = "USE SELECT bubbles..."
    slot = "select"
    bubbles: Annotated[tuple[str, ...], kinds.FOUND]

    def words(self) -> str:
        return f"you take {', '.join(self.bubbles)} from the bag"


@dataclass(frozen=True, slots=True)
class UseTeleport(Order):
    """Transit station, as your action: your Mari goes to any free space."""

    usage = "USE TELEPORT space"
    slot = "action"
    mark = OrderMark("target", at="space")
    space: Annotated[str, kinds.SPACE]

    def words(self) -> str:
        return f"your Mari teleports to {self.space}"


@dataclass(frozen=True, slots=True)
class UseTransfer(Order):
    """Transit station, controller's bonus: one bubble goes from any space to any other."""

    usage = "USE TRANSFER colour FROM start TO end"
    slot = "transfer"
    mark = OrderMark("target", of="start", at="end")
    colour: Annotated[str, kinds.COLOUR]
    start: Annotated[str, kinds.SPACE]
    end: Annotated[str, kinds.SPACE_TO]

    def words(self) -> str:
        return f"a {self.colour} bubble goes from {self.start} to {self.end}"


@dataclass(frozen=True, slots=True)
class UseConvert(Order):
    """Energy station, as your action: up to 3 bubbles on spaces beside it become yours, such as `B1 red, A2 green`."""

    usage = "USE CONVERT pairs..."
    slot = "action"
    mark = OrderMark("piece", at="pairs", label="own")
    pairs: Annotated[tuple[str, ...], kinds.SPACE_AND_COLOUR]

    def words(self) -> str:
        return "you convert " + ", ".join(f"{colour} on {space}" for space, colour in pairs(self.pairs))


@dataclass(frozen=True, slots=True)
class UseIgnite(Order):
    """Energy station, controller's bonus: a pop with just one bubble of your colour, on the station or beside it."""

    usage = "USE IGNITE space"
    slot = "ignite"
    mark = OrderMark("target", at="space")
    space: Annotated[str, kinds.SPACE]

    def words(self) -> str:
        return f"you ignite {self.space}"


@dataclass(frozen=True, slots=True)
class UseDeploy(Order):
    """Defense station, as your action: place 2 of your bubbles on any spaces, such as `red B2, blue C3`."""

    usage = "USE DEPLOY pairs..."
    slot = "action"
    mark = OrderMark("piece", at="pairs", label="+")
    pairs: Annotated[tuple[str, ...], kinds.COLOUR_AND_SPACE]

    def words(self) -> str:
        return "you place " + ", ".join(f"{colour} on {space}" for colour, space in pairs(self.pairs))


@dataclass(frozen=True, slots=True)
class UseBlock(Order):
    """Defense station, controller's bonus: in the next turn of another player that action may not be chosen."""

    usage = "USE BLOCK player action"
    slot = "block"
    player: Annotated[str, kinds.OTHER_SEAT]
    action: Annotated[str, kinds.ACTION]

    def words(self) -> str:
        return f"you block {self.action} for {self.player}"


@dataclass(frozen=True, slots=True)
class Resign(Order):
    """Leave the game for good; your Mari is taken off the board."""

    usage = "RESIGN CONFIRM"
    slot = "resign"
    grave = True
    ends_seat = "you would leave the game for good, and your Mari be taken off the board"

    def words(self) -> str:
        return "you leave the game"


ORDERS = OrderParser(
    (
        *(Start, Keep, Move, Bubbles, Rotate, Pull, Send, Pop),
        *(UseFolder, UseAttractor, UseDirector, Draw),
        *(UseResearch, UseSelect, UseTeleport, UseTransfer, UseConvert, UseIgnite, UseDeploy, UseBlock),
        *(Swap, Resign),
    ),
    rewrite=rewrite,
)

ABILITY_OF: dict[type[Order], str] = {UseFolder: "folder", UseAttractor: "attractor", UseDirector: "director"}
"""The ability each use belongs to."""

STATION_ACTIONS: dict[type[Order], str] = {
    UseResearch: "research",
    UseTeleport: "transit",
    UseConvert: "energy",
    UseDeploy: "defense",
}
"""The active effect of each station: an action, as ROTATE and PULL are."""

STATION_BONUSES: dict[type[Order], str] = {
    UseSelect: "research",
    UseTransfer: "transit",
    UseIgnite: "energy",
    UseBlock: "defense",
}
"""The bonus of each station's controller."""


def action_word(order: Order) -> str:
    """Return the word by which USE BLOCK names an action: ROTATE, PULL or STATION."""
    return "STATION" if type(order) in STATION_ACTIONS else type(order).__name__.upper()
