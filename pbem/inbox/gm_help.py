"""HELP for a GM: the list of commands, a line each, and one command with an example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbem.actions.registry import GM_COMMANDS
from pbem.inbox.gm_synonyms import also_understood, as_gm_command
from pbem.report.answers import GmCommandHelp, GmHelpPage
from pbem.ruleset.fields import nearest

UNDO_UNTIL_RUN = "UNDO, until the turn is run"
_SHOWS = "it only shows"


@dataclass(frozen=True, slots=True)
class GmWord:
    """A command of a GM as HELP explains it.

    `example` has the lines of a frame that can be sent as they are, but for names. `undo` is the command that reverses
    it, or the reason why there is none. `old` are words of earlier versions.
    """

    usage: str
    summary: str
    example: tuple[str, ...]
    undo: str
    more: str = ""
    old: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """The first word."""
        return self.usage.split()[0]


_TOPICS: tuple[tuple[str, tuple[GmWord, ...]], ...] = (
    (
        "To see how things stand",
        (
            GmWord("HELP [word]", "List the commands, or explain one", ("HELP RULING",), _SHOWS),
            GmWord(
                "STATUS [STATS]",
                "Show turn, sheets, deadline and mail that is stuck",
                ("STATUS STATS",),
                _SHOWS,
                "STATS has sheets and when they came, how long turns took, and who may drop out; with a picture.",
                ("STATS", "SEATS"),
            ),
            GmWord(
                "JOURNAL [turn] [PRESS]",
                "Show what was done, when and by whom",
                ("JOURNAL 1", "JOURNAL PRESS"),
                _SHOWS,
                "With the number of a turn it shows what was done while that was open; with PRESS, what people wrote.",
                ("PRESS",),
            ),
        ),
    ),
    (
        "Time and turns",
        (
            GmWord(
                "DEADLINE [24h | moment]",
                "Show or change the deadline of the open turn",
                ("DEADLINE 24h",),
                UNDO_UNTIL_RUN,
                "A span such as 24h or 3d is added; a moment is written 2026-12-24T20:00, or as a day of the week. "
                "You are asked if it would be earlier, or later by more than two usual turns.",
            ),
            GmWord(
                "SET [rule=value ..]",
                "Show or change house rules, such as the schedule",
                ("SET grace=12h late-list=players",),
                "UNDO",
                'The schedule is set by a line of its own: SET schedule="FRI 20:00 Europe/Berlin".',
                ("RULE", "POLICY"),
            ),
            GmWord("HOLD [reason]", "Run no turn until RELEASE", ("HOLD back on Monday",), "RELEASE"),
            GmWord("RELEASE", "Let turns run again", ("HOLD", "RELEASE"), "HOLD"),
            GmWord(
                "START",
                "Start the campaign and send the first reports",
                ("START",),
                "it cannot be undone, since the first reports are sent",
                "You are asked if a seat is open, which would be left out.",
            ),
            GmWord("RUN", "Run the open turn now", ("RUN",), "ROLLBACK turn"),
            GmWord(
                "PREVIEW [REAL]",
                "Compute the open turn; send nothing to players",
                ("PREVIEW",),
                _SHOWS,
                "You get all reports, with other dice than the turn will have. REAL rolls those; players read of it.",
            ),
        ),
    ),
    (
        "Seats",
        (
            GmWord(
                "INVITE address [AS seat]",
                "Invite a person to play",
                ("INVITE eve@example.org",),
                "UNDO, until it is accepted",
            ),
            GmWord(
                "GIVE seat TO address",
                "Give a seat to a person",
                ("GIVE red TO eve@example.org",),
                "GIVE seat TO the former player",
                "You are asked if it is occupied.",
                ("SEAT",),
            ),
            GmWord(
                "OPEN seat",
                "Take a seat from its player, and offer it",
                ("OPEN red",),
                "GIVE seat TO the former player",
                "The first standby gets it.",
            ),
            GmWord("PAUSE seat", "Stop waiting for a seat's orders", ("PAUSE red",), "RESUME seat"),
            GmWord("RESUME seat", "Wait for a seat's orders again", ("RESUME red",), "PAUSE seat"),
            GmWord("REMOVE seat", "Take a seat out of the game when the turn is run", ("REMOVE red",), UNDO_UNTIL_RUN),
        ),
    ),
    (
        "Words to players",
        (
            GmWord(
                "ANNOUNCE [TO seats] [IN REPORT]",
                "Write to players, at once or with the next report",
                ("ANNOUNCE TO red IN REPORT", "The harbour master is away until Monday."),
                "UNDO, for a text that waits for a report; what was mailed cannot be undone",
                "The text stands below. Without TO it is for all; without a text you see what waits for the reports.",
                ("TEXT", "TEXTS"),
            ),
            GmWord(
                "ANSWER [number [TO ALL | ALLIES]]",
                "List questions of players, or answer one",
                ("ANSWER",),
                "what was mailed cannot be undone",
                "The answer stands below ANSWER and the number. A plain reply to the mail of a question does the same.",
                ("REPLY", "QUESTIONS"),
            ),
        ),
    ),
    (
        "Deciding a turn",
        (
            GmWord(
                "RULING",
                "Show, write or submit the ruling on the open turn",
                ("RULING", "FILE all.txt", "It snowed."),
                UNDO_UNTIL_RUN,
                "The form stands below it; files of the mail go with it. Alone it shows the form, with the ruling that "
                "counts. What the form does not name stays of an earlier ruling. OFF drops the ruling, BACK has an "
                "earlier one again.",
            ),
            GmWord(
                "ROLL [dice words]",
                "Roll the campaign's dice, or list rolls",
                ("ROLL 3d6+2 ann storms the gate",),
                "a roll is final, so that it is not rolled again until it suits",
                "Alone, or with the number of a turn, it lists what was rolled.",
                ("ROLLS",),
            ),
        ),
    ),
    (
        "Correcting mistakes",
        (
            GmWord(
                "SHEET [seat]",
                "Show a seat's order sheet, or enter one",
                ("SHEET red",),
                UNDO_UNTIL_RUN,
                "With order lines below it enters them for the seat; you are asked if they replace others. "
                "SHEET seat BACK enters again what it had before.",
                ("SHEETS",),
            ),
            GmWord(
                "RERUN [seat]",
                "Run the last turn again with another sheet",
                ("RERUN",),
                "RERUN with the former sheet",
                "The order lines below count as the seat's sheet. You are shown first whose report changes.",
            ),
            GmWord(
                "UNDO [entry]",
                "Undo the last change that can be undone",
                ("PAUSE red", "UNDO"),
                "send the command again",
                "JOURNAL has the numbers of entries that can be undone. You are asked if players were mailed.",
                ("FORWARD", "DROP"),
            ),
            GmWord(
                "ROLLBACK [turn | REPAIR]",
                "Reopen an earlier turn; alone, list turns",
                ("ROLLBACK",),
                UNDO_UNTIL_RUN,
                "REPAIR goes back to the last turn that is consistent.",
                ("MEND",),
            ),
            GmWord(
                "STATE",
                "Get the game state as a file, or change it",
                ("STATE",),
                "UNDO, until the next run",
                "With a JSON Patch (RFC 6902) or the whole state below, it changes it; you are shown every difference.",
                ("PATCH",),
            ),
            GmWord(
                "FORK turn [seat]",
                "Try a turn in a copy; players read of it",
                ("FORK 1",),
                "the campaign stays as it is",
                "You get all reports, with the order lines below as the seat's sheet.",
            ),
        ),
    ),
    (
        "Your token",
        (GmWord("TOKEN", "Get a new token; the old one is void then", ("TOKEN",), "another token replaces it"),),
    ),
)

GM_WORDS: tuple[GmWord, ...] = tuple(word for _, words in _TOPICS for word in words)
"""All commands, in the order of HELP."""

# The more used ones first: of two that are as near to a mistyped word the first is offered.
_USED = ("STATUS", "HELP", "DEADLINE", "RULING", "HOLD", "RELEASE", "RUN", "SHEET", "ANNOUNCE")
_OFTEN = (*_USED, *(each.word for each in GM_WORDS if each.word not in _USED))


def nearest_command(typed: str) -> str:
    """Return the command for which a word was mistyped, one of today before one of earlier versions; "" if none is."""
    known = [verb.word for verb in GM_COMMANDS.verbs]
    now = [word for word in _OFTEN if word in known]
    return nearest(typed, now) or _swapped(typed, now) or nearest(typed, known) or ""


def _swapped(typed: str, words: Sequence[str]) -> str:
    """Return the first word that has the same letters in another order; "" if there is none."""
    return next((word for word in words if len(word) > 3 and sorted(word) == sorted(typed.upper())), "")


def explain(words: Sequence[str], campaign: str) -> GmHelpPage:
    """Return HELP on one command of a campaign's GM, or the list where the words behind HELP name none."""
    typed = as_gm_command(" ".join(words)).split()[:1] or [""]
    word = typed[0].upper()
    found = next((each for each in GM_WORDS if word == each.word or word in each.old), None)
    near = nearest_command(word) if word and found is None else ""
    return GmHelpPage(
        campaign=campaign,
        unknown=word if word and found is None else "",
        hint=near,
        one=_help_on(found) if found else None,
        topics=() if found else tuple(_listed()),
    )


def _help_on(word: GmWord) -> GmCommandHelp:
    return GmCommandHelp(
        usage=word.usage,
        help=" ".join(filter(None, (f"{word.summary}.", word.more))),
        also=tuple(dict.fromkeys((*also_understood(word.word), *word.old))),
        example=word.example,
        undo=word.undo,
    )


def _listed() -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    for title, words in _TOPICS:
        yield title, tuple((each.usage, each.summary) for each in words)


def help_lines(page: GmHelpPage) -> Iterator[str]:
    """Yield HELP as plain lines, for an answer to several commands."""
    if page.unknown:
        yield f'"{page.unknown}" is not a command.' + (f" Did you mean {page.hint}?" if page.hint else "")
    if page.one:
        yield from (page.one.usage, page.one.help, *page.one.example)
    for title, commands in page.topics:
        yield title
        yield from (f"- {usage}: {summary}" for usage, summary in commands)
