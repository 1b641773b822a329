"""What the command line takes is read by mail as people write it: lists, spans, moments, for all commands."""

from __future__ import annotations

import datetime as dt

import pytest

from pbem.actions.base import run_action
from pbem.actions.deadlines import ExtendDeadline
from pbem.actions.registry import GM_COMMANDS
from pbem.actions.settings import mail_gm_token
from pbem.campaign.deadlines import open_turns
from pbem.campaign.snapshot import Context, load_campaign
from pbem.inbox.command_parser import COMMANDS, find_commands
from pbem.inbox.frames import GmFrame
from pbem.inbox.gm_lines import parse_gm_frame
from tests.inbox.people import GM
from tests.toy.home import Desk

MARKS = ("1. ", "2) ", "(3) ", "- ", "* ", "• ", "  ")


def parse_gm(*lines: str) -> list[str]:
    """Return the commands of a GM's frame as they are shown, and the texts of its findings."""
    parsed = parse_gm_frame(GmFrame("toy1", "", tuple(enumerate(lines, start=1)))).parsed
    return [*map(GM_COMMANDS.line, parsed.orders), *(finding.text for finding in parsed.findings)]


@pytest.mark.parametrize("example", sorted({line for verb in GM_COMMANDS.verbs for line in verb.examples}))
def test_a_gms_command_may_stand_in_a_list(example: str) -> None:
    """Each command of the registry is read behind a number or bullet, and in small letters, as without."""
    verb, _, rest = example.partition(" ")
    meant = parse_gm(example)

    assert {tuple(parse_gm(f"{mark}{verb.lower()} {rest}")) for mark in MARKS} == {tuple(meant)}
    assert len(meant) == 1


@pytest.mark.parametrize("example", sorted({line for verb in COMMANDS.verbs for line in verb.examples}))
def test_a_players_command_may_stand_in_a_list(example: str) -> None:
    """Each command of players is found behind a number or bullet, as without."""
    plain = find_commands([example], {"toy1"})
    marked = [find_commands([f"{mark}{example}"], {"toy1"}) for mark in MARKS]

    assert plain is not None
    assert [found and found.parse().orders for found in marked] == [plain.parse().orders] * len(MARKS)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *[("DEADLINE 2026-12-24 20:00", "2026-12-24T20:00"), ("deadline 2026-12-24 at 20:00", "2026-12-24T20:00")],
        *[("DEADLINE 24 Dec 2026 20:00", "2026-12-24T20:00"), ("DEADLINE 24.12.2026, 8.30", "2026-12-24T08:30")],
        *[("DEADLINE Thu 24 Dec 20:00", "--12-24T20:00"), ("DEADLINE 2026-12-24 20:00Z", "2026-12-24T20:00Z")],
        *[("DEADLINE 2026-12-24T20:00+01:00", "2026-12-24T20:00+01:00"), ("extend to 24.12. 20:00", "--12-24T20:00")],
        *[("DEADLINE +24h", "24h"), ("deadline 24 hours", "24h"), ("DEADLINE by 2 days", "2d")],
        *[("extend by 2 days", "2d"), ("extend for 90 minutes", "90m"), ("DEADLINE + 1 week", "7d")],
        *[("DEADLINE 24 hours YES 2", "24h YES 2"), ("DEADLINE Friday", "Friday")],
        *[("DEADLINE tomorrow 20:00", '"tomorrow 20:00"'), ("deadline 8pm", "20:00"), ("DEADLINE in 24 hours", "24h")],
        *[("DEADLINE Fri 20:00", '"Fri 20:00"'), ('DEADLINE "Fri 20:00" YES 2', '"Fri 20:00" YES 2')],
    ],
)
def test_times_are_read_as_people_write_them(typed: str, meant: str) -> None:
    """A span in words, and a day in any spelling with a clock time, are one word of DEADLINE."""
    assert parse_gm(typed) == [f"DEADLINE {meant}"]


@pytest.mark.parametrize(
    "typed", ["2026-11-09 20:00", "2026-11-09T20:00", "--11-09T20:00", "+72h", "2026-11-09T19:00Z"]
)
def test_the_action_takes_each_form(desk: Desk, typed: str) -> None:
    """On the command line and by mail alike, by the clocks of the campaign."""
    desk.begin()
    run_action(desk.app, "toy1", ExtendDeadline(typed, sure="YES"), desk.now)

    (turn,) = open_turns(desk.app)
    assert turn.deadline == dt.datetime(2026, 11, 9, 19, tzinfo=dt.UTC)


def test_a_listed_deadline_is_set_by_reply(desk: Desk) -> None:
    """A GM replies with a list to a mail of the program: all of it is done."""
    desk.begin()
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.answer()
    desk.reply(desk.last(GM), "1. deadline 2026-11-09 20:00\n2. hold: snow\n\nThanks\nGus")
    desk.answer()
    done = desk.last(GM)

    assert done["Subject"].startswith("[toy1] Done: 2 commands")
    (turn,) = open_turns(desk.app)
    assert turn.deadline == dt.datetime(2026, 11, 9, 19, tzinfo=dt.UTC)
