"""The game that a demo plays: four people of Grey Ness, five nights, and a GM whose words are all in this file.

Each night has the lines of its players, the GM's texts for each file of the
ruling, and the attached files. To add to a night, write more lines into its
texts, as a GM would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pbem.ruleset import Demo, Dice, Json, SeatName, View
from pbem_rules.gm_adjudicated import bots
from pbem_rules.gm_adjudicated.forms import GAME, file_of
from pbem_rules.gm_adjudicated.story_maps import chart, seal

SEATS = ("heron", "otter", "raven", "gannet")

VERBS = {
    "GO": "to a place, on foot or by boat",
    "SEARCH": "a place, and what for",
    "ASK": "somebody, about something",
    "TELL": "somebody something",
}

BRIEFING = {
    "all": """\
Grey Ness, November 1823. The brig Margaret Hale has struck the Ness in
the fog. All hands were saved, but nobody can say why the lamp was dark,
and Amos Pike, who keeps it, has not been seen since.

In five nights the mail packet comes down from the north. If the lamp is
dark then, she will strike as well.""",
    "heron": """\
You are the harbour master. The lamp is in your charge, and the Board in
London will ask you about it.""",
    "otter": """\
You land what pays no duty. Forty casks of yours were in the brig's hold,
and on none of her papers. If anybody finds them, you have never seen them
before.""",
    "raven": """\
You are the doctor. The captain lies in your back room with three broken
ribs, and talks in his fever of a chest that must not get wet.""",
    "gannet": """\
You are Amos Pike's daughter, and the best pilot on this coast. Your
father's boat is gone from the slip.""",
}

LEDGERS: Mapping[str, Mapping[str, Json]] = {
    "seen": {"casks": "own", "found": "own", "world.nights": "public"},
    "heron": {"found": []},
    "otter": {"casks": 0},
    "world": {"nights": 5},
}
"""The ledgers of the demo; `nights` counts down until the packet comes."""

_LOG = """\
# Log of the light at Grey Ness

- 2 November. Wind NW, clear. Lit 4.40, burned till 7.10. Oil 3 gallons.
- 3 November. Wind N, showers. Lit 4.38, burned till 7.12. A letter for me by the carrier.
- 4 November. Wind none. Lit 4.36. Visitor at nine, who stayed an hour. Told him no.
- 5 November. Fog. Visitor again. God forgive me.

*(The page after this one has been cut out with a knife.)*
"""


@dataclass(frozen=True, slots=True)
class Night:
    """A turn: the lines of each seat's sheet, the texts of the ruling by file, and the attached files by name."""

    sheets: Mapping[SeatName, tuple[str, ...]]
    texts: Mapping[str, str]
    beside: Mapping[str, str] = field(default_factory=dict)


NIGHTS = (
    Night(
        sheets={
            "heron": (
                "SEARCH the lighthouse, from the oil store up to the lamp room",
                "ASK the carrier who has had letters from London this month",
            ),
            "otter": ("GO to the wreck at low water, with two men and no lantern", "Bring off what casks we can."),
            "raven": (
                "ASK the captain what is in the chest",
                "Sit up with him and write down what he says in his sleep.",
            ),
            "gannet": (
                "SEARCH the slip for anything that father left",
                "TELL raven to send for me if he is brought in",
            ),
        },
        texts={
            "all.txt": """\
[RESULT]
A grey morning. The Margaret Hale lies on the Ness with her back broken,
and half the village has come to look at her. The lamp was dark last
night, too. How the sea runs, high for rough:
[ROLL 2d6 "the sea on the first night"]
[SET nights -= 1]
[MAP]
[PICTURE ness.svg: Grey Ness, and the Margaret Hale as she lies]
""",
            "heron.txt": """\
[RESULT]
The oil store is full and the wicks are trimmed. But up in the lamp room
the great lens is gone from its frame. Four brass screws lie in a saucer,
side by side: nobody was in a hurry here. The log is on its desk, a page
cut out.

The carrier had one letter from London, for Amos Pike.
[SET found = "four brass screws", "the keeper's log"]
[FILE]
Of the log you have made a fair copy.
[ATTACH keepers-log.md: the keeper's log, as far as it goes]
[NOTES]
Suspects the Board's own agent. He is right.
""",
            "otter.txt": """\
[RESULT]
All forty casks are there and dry. You bring eleven to the sea cave before
the moon comes out and sends you home. In the after cabin there is a clean
square in the dust, as large as a table: whatever stood there left by the
stern window before you came.
[SET casks += 11]
[FILE]
The other casks are in the wreck, as long as there is one.
[MAP]
[PICTURE cave.svg: Your own chart. The sea cave is on nobody else's]
""",
            "raven.txt": """\
[RESULT]
"Glass," says the captain. "All of it glass. Keep it dry." Towards morning
he says a name: Mr. Lavery. In the lining of his coat you find a bill of
lading for one chest, scientific, with a seal that you have not seen
before.
[PICTURE seal.svg: The seal on the bill of lading]
""",
            "gannet.txt": """\
[RESULT]
The painter of his boat is coiled on the slip, not cut: he went of his own
will. His oilskins hang on their nail. A man who leaves without them does
not mean to go far, and with the ebb of that night a boat drifts round to
the cliffs.

Raven has sent word: he has only the captain.
""",
            "game.txt": "LABEL the second night\nSCORE heron 2\nSCORE otter 3\nSCORE raven 2\nSCORE gannet 1\n",
        },
        beside={
            "ness.svg": chart("wreck"),
            "cave.svg": chart("wreck", "cave"),
            "seal.svg": seal(),
            "keepers-log.md": _LOG,
        },
    ),
    Night(
        sheets={
            "heron": (
                "ASK everybody at the Ship Inn about a visitor on the 4th and the 5th",
                "Put two men on the wreck.",
            ),
            "otter": ("GO to the wreck again, and have my cousin sing outside the Ship until all is ashore",),
            "raven": ("TELL heron of the name Lavery, and show him the seal", "ASK him what is missing from the lamp"),
            "gannet": ("GO along the cliffs by boat, at slack water, and look into every hole",),
        },
        texts={
            "all.txt": """\
[RESULT]
Rain. The harbour master has put a watch on the wreck, and the whole
village knows by now that the great lens is gone from the lamp.
[SET nights -= 1]
""",
            "heron.txt": """\
[RESULT]
A Mr. Lavery took the room over the porch on the 4th and left on the 6th,
on foot, with nothing in his hands. He had the Board's seal on his papers.
The doctor comes to you in the rain and lays the same seal on your table:
it stands on the bill of lading of the Margaret Hale.

So the lens was sold, to be shipped in secret; and the ship that came for
it struck, because it was gone.
[SET found += "a sight of the seal"]
[FILE]
Lavery bought the lens. He left on foot, so somebody else has it.
[NOTES]
Knows of the Board's agent now. Does not look for Pike among the living.
""",
            "otter.txt": """\
[RESULT]
Your cousin sings like a gate, and the watch goes to make him stop. He
knows as many verses as this:
[ROLL 3d6 "verses that the cousin sings"]
You land nineteen casks more. Then a lantern comes down the cliff path,
and you leave the rest.
[SET casks += 19]

In your cave somebody has been at the water barrel, and has slept on your
sails.
[FILE]
Somebody has slept in the cave. You have told nobody.
""",
            "raven.txt": """\
[RESULT]
Heron goes white when he sees the seal: it is that of the Board's own
agent. He tells you in return that the great lens is missing. The captain
is better, and afraid. "It never came aboard," he says. "The old man was
to bring it in his boat. He did not come, and we stood in too close to
look for him."
""",
            "gannet.txt": """\
[RESULT]
Below the south cliffs, where the swell makes a noise like a cough, there
is a hole that no chart has. His boat lies in it, drawn up and covered
with weed, and on the thwart is a heel of bread not a day old. Then the
tide sends you out.
[MAP]
[PICTURE boat.svg: What you have seen below the cliffs]
""",
            "game.txt": "LABEL the third night\nSCORE heron 4\nSCORE otter 5\nSCORE raven 4\nSCORE gannet 4\n",
        },
        beside={"boat.svg": chart("wreck", "boat")},
    ),
    Night(
        sheets={
            "heron": (
                "ASK Otter, politely, what he heard at the wreck",
                "TELL Gannet that her father is not a thief to me yet",
            ),
            "otter": ("GO to the cave with a lantern and a bottle, and wait there for whoever sleeps on my sails",),
            "raven": ("ASK the captain to put it in writing, and to sign it", "GO to Gannet and tell her what he says"),
            "gannet": ("GO back to the hole at low water, alone, with father's oilskins and something hot",),
        },
        texts={
            "all.txt": """\
[RESULT]
It blows from the north-east. At low water the Margaret Hale went to
pieces, and ten casks came ashore below the church, to the great joy of
the parish. What the vicar made of his share, in shillings:
[ROLL 2d20 "what the vicar makes of his cask"]
[SET nights -= 1]
""",
            "heron.txt": """\
[RESULT]
Otter is not at home, and his wife says that he is visiting the sick. You
leave word for Gannet. It is the first kind one that the Pikes have had
this week.
""",
            "otter.txt": """\
[RESULT]
It is Amos Pike who comes in out of the dark, and he is too tired to run.
He has not sold the lens. He took Lavery's money, thought better of it in
the fog, and rowed it in here instead of out to the ship. "I heard her
strike," he says. It stands behind your casks, in its chest, without a
scratch.

Then a boat grates on the shingle: his daughter.
[FILE]
The lens is in your cave, and so is Amos Pike.
[NOTES]
Would rather be rid of the lens than of the casks.
""",
            "raven.txt": """\
[RESULT]
The captain signs. You carry his paper to Gannet's house through the wind
and find the fire lit and nobody in. You leave it under the clock.
[FILE]
You hold: the bill of lading; the captain's word in writing, of which
Gannet has the fair copy.
""",
            "gannet.txt": """\
[RESULT]
Your father is there, and Otter with him, and thirty casks, and the lens.
All three look at you as if you were the tide. He weeps when he sees the
oilskins.

Under the clock at home lies the captain's word, signed: the chest never
came aboard. So nobody has stolen anything yet.
[FILE]
The lens is in Otter's cave. So are the casks, which you have not seen.
[MAP]
[PICTURE cave.svg: The sea cave, which is now on your chart as well]
""",
            "game.txt": "LABEL the fourth night\nSCORE heron 5\nSCORE otter 7\nSCORE raven 6\nSCORE gannet 8\n",
        },
        beside={"cave.svg": chart("cave", "boat")},
    ),
    Night(
        sheets={
            "heron": ("SEARCH nothing tonight; clean the frame of the lens, and lay the four screws ready",),
            "otter": ("TELL Gannet my men will carry the chest, if nobody ever asks what else is in the cave",),
            "raven": (
                "TELL heron that the captain has signed, and what",
                "Have blankets and my bag at the lighthouse.",
            ),
            "gannet": ("TELL Otter yes", "GO with the chest by sea on the last of the flood, round the Ness"),
        },
        texts={
            "all.txt": """\
[RESULT]
The wind has dropped. The packet was seen off Scar Point at dusk, a night
early, and standing south.
[SET nights -= 1]
[MAP]
[PICTURE packet.svg: The packet, as she was seen at dusk]
""",
            "heron.txt": """\
[RESULT]
At four in the morning there are steps on the stair, many of them, and
something heavy. You look at the wall while it is set down. When you turn
round there are only Gannet, the doctor, and a chest.
""",
            "otter.txt": """\
[RESULT]
Six men who have carried worse for less. Nobody looked at anybody. Your
thirty casks are inland by now, and the cave is swept.
[SET casks = 0]
[FILE]
[MAP]
""",
            "raven.txt": """\
[RESULT]
You needed the blankets: Amos Pike was in the boat. He will live. Heron
read the captain's paper twice, folded it, and put it where he keeps what
London gets.
""",
            "gannet.txt": """\
[RESULT]
You took her round the Ness in the dark, with so many hands of water
under the keel:
[ROLL 2d4 "hands of water under the keel"]
The chest did not get wet. Four brass screws lay ready in a saucer.
[FILE]
The lens is in the lamp room, in its chest.
[NOTES]
Wins, if the lamp is lit before the packet comes.
[MAP]
""",
            "game.txt": "LABEL the fifth night\nSCORE heron 7\nSCORE otter 9\nSCORE raven 8\nSCORE gannet 11\n",
        },
        beside={"packet.svg": chart("packet")},
    ),
    Night(
        sheets={
            "heron": ("Set the lens, and let Gannet light the lamp", "TELL London that it was under repair"),
            "otter": ("GO to the church for once, and sit at the back",),
            "raven": ("ASK Amos Pike to eat something", "Watch for the packet."),
            "gannet": ("Light it.",),
        },
        texts={
            "all.txt": """\
[RESULT]
At 4.31, by the new page of the log, the light of Grey Ness was lit. The
packet saw it at five, put her helm down, and passed the Ness with a mile
of water to spare. She had sixty people aboard, and none of them ever
knew. Miles at which she saw it:
[ROLL 2d6+3 "how far the light is seen"]
[SET nights -= 1]
[MAP]
[PICTURE light.svg: The light of Grey Ness, and the packet going by]
""",
            "heron.txt": (
                "[RESULT]\nThe Board has written to commend your zeal. Mr. Lavery has been sent to Malta.\n"
                "[NOTES]\nNever asked about the casks.\n"
            ),
            "otter.txt": "[RESULT]\nThe vicar thanked the unknown giver of ten casks, and looked at the back.\n",
            "raven.txt": "[RESULT]\nHe ate. Then he asked for his log, and a new pen.\n",
            "gannet.txt": "[RESULT]\nYou held the match. Your father, in his oilskins, kept the door shut.\n",
            "game.txt": (
                "LABEL the morning after\nSCORE heron 9\nSCORE otter 10\nSCORE raven 10\nSCORE gannet 14\n"
                "WINNER gannet\nOVER The lamp of Grey Ness is lit again.\n"
            ),
        },
        beside={"light.svg": chart("light", "packet")},
    ),
)


def sheet(view: View, dice: Dice) -> list[str]:
    """Return a player's lines as long as the story goes, and then a bot's."""
    night = NIGHTS[view["turn"] - 1] if view["turn"] <= len(NIGHTS) else None
    if night is None or view["seat"] not in night.sheets or not view["awaited"]:
        return bots.standard(view, dice)
    return list(night.sheets[view["seat"]])


def rule(turn: int, files: Mapping[str, str]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the files of a ruling with the GM's words, and the attached files."""
    if turn > len(NIGHTS):
        return files, {}
    night = NIGHTS[turn - 1]
    texts = {name: text for name, text in night.texts.items() if name in files}
    texts[GAME] = "".join(line for line in texts[GAME].splitlines(keepends=True) if _is_here(line, files))
    told = {name: _with_words(text, texts.get(name, ""), whole=name == GAME) for name, text in files.items()}
    shown = "".join(texts.values())
    return told, {name: content for name, content in night.beside.items() if name in shown}


def _is_here(line: str, files: Mapping[str, str]) -> bool:
    """Return True if a line of game.txt is about the game, or about a seat that is played."""
    command, _, rest = line.partition(" ")
    return command not in ("SCORE", "WINNER") or file_of(rest.split()[0]) in files


def _with_words(form: str, text: str, *, whole: bool) -> str:
    """Return a file with the GM's words: below the remarks of the form, or below the whole form."""
    remarks = form if whole else "".join(line for line in form.splitlines(keepends=True) if line.startswith(";"))
    return f"{remarks}\n{text}" if text else form


def options(seats: Sequence[SeatName]) -> dict[str, Json]:
    """Return the campaign's options, for those who play."""
    here = {"all", "seen", "world", *seats}
    briefing = {seat: text for seat, text in BRIEFING.items() if seat in here}
    ledgers = {owner: entries for owner, entries in LEDGERS.items() if owner in here}
    seen = {name: who for name, who in LEDGERS["seen"].items() if _is_kept(name, ledgers)}
    return {"verbs": VERBS, "briefing": briefing, "ledgers": {**ledgers, "seen": seen}, "turns": len(NIGHTS)}


def _is_kept(name: str, ledgers: Mapping[str, Json]) -> bool:
    """Return True if the world or a seat that is played has an entry of this name."""
    own = name.rpartition(".")[2]
    return any(own in entries for owner, entries in ledgers.items() if owner != "seen")


DEMO = Demo(seats=SEATS, options=options, bot=sheet, rule=rule)
