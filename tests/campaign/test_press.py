"""Texts of people in reports: announcements of the GM, the newspaper, press that goes with reports, diaries."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action, run_query
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.press import Announce, AnnounceInReport, ShowPress, Text
from pbem.actions.rollback import RollBack
from pbem.actions.run_turn import always, run_turn
from pbem.actions.start import StartCampaign
from pbem.campaign.archive_sync import prove_archive
from pbem.campaign.press import MOST_CHARACTERS, sanitise_text
from pbem.errors import CampaignError
from pbem.ruleset import View
from pbem.store.models import JournalEntry
from pbem.util import MASK, redact_all
from tests.toy.home import Desk, open_desk, text_of
from tests.toy.ruleset import Auction

ANN, BOB, CYD = "ann@example.org", "bob@example.org", "cyd@example.org"
THREE = ("red", "blue", "green")


def put(desk: Desk, words: str, seat: str | None = None) -> Text:
    """Add an announcement of the GM."""
    return run_action(desk.app, "toy1", AnnounceInReport(words, (seat,) if seat else ()), desk.now)[0]


def run(desk: Desk) -> None:
    """Run the open turn and send its reports."""
    assert run_turn(desk.app, "toy1", desk.now, reason="test", still=always)
    desk.tick()


def report(desk: Desk, to: str = ANN) -> str:
    """Return the text of the newest report to an address."""
    reports = [mail for mail in desk.mails(to) if any(part.get_content_subtype() == "json" for part in mail.walk())]
    return text_of(reports[-1])


def archived(desk: Desk, number: int, seat: str) -> str:
    """Return all that the archive keeps of a seat's report, as one text."""
    folder = desk.home / "turns" / "toy1" / f"{number:04d}" / "reports"
    return "\n".join(path.read_text() for path in sorted(folder.glob(f"{seat}.*")))


def test_a_text_for_all_stands_in_all_reports(desk: Desk) -> None:
    """An announcement is in every report that opens the next turn, below the events, and in no later one."""
    desk.begin()
    put(desk, "The harbour is closed.")
    run(desk)

    told = report(desk)
    assert told.index("WHAT HAPPENED") < told.index("FROM YOUR GM\n\n| The harbour is closed.\n")
    assert "| The harbour is closed." in report(desk, BOB)
    run(desk)
    assert "harbour" not in report(desk)


def test_a_text_for_one_seat_is_for_that_alone(desk: Desk) -> None:
    """An announcement to one seat is in no other seat's mail or archived file."""
    desk.begin()
    put(desk, "You found a map.", "red")
    run(desk)

    assert "| You found a map." in report(desk)
    assert "map" not in "".join(map(text_of, desk.mails(BOB)))
    assert "You found a map." in archived(desk, 1, "red")
    assert "You found a map." not in archived(desk, 1, "blue")


def test_a_text_may_open_the_first_turn(desk: Desk) -> None:
    """Announcements made before the start are in the first reports."""
    seats = [("red", ANN), ("blue", BOB)]
    wanted = NewCampaign(
        name="toy1", game="toy", gm="gm@example.org", seats=seats, deadline="DAILY 20:00 UTC", options={}
    )
    create_campaign(desk.app, wanted, desk.now)
    put(desk, "Welcome, all of you.")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.tick()

    assert "| Welcome, all of you." in report(desk)


def test_a_text_to_one_seat_is_no_entry_for_players(desk: Desk) -> None:
    """The journal has announcements to all; those to one seat are secret entries."""
    desk.begin()
    put(desk, "for all")
    put(desk, "for one", "red")

    with desk.app.store.reading() as session:
        acts = session.execute(select(JournalEntry.text, JournalEntry.secret).order_by(JournalEntry.id)).all()[-2:]
    assert [tuple(act) for act in acts] == [
        ("text 1 for all put into the reports that open turn 2", False),
        ("text 2 for red put into the reports that open turn 2", True),
    ]


def test_a_text_to_nobody_is_refused(desk: Desk) -> None:
    """An unknown seat is answered with the nearest name."""
    desk.begin()

    with pytest.raises(CampaignError, match=r'toy1 has no seat "rde"\. Did you mean red\?'):
        put(desk, "hello", "rde")


def test_a_game_that_is_over_has_no_more_reports(desk: Desk) -> None:
    """After the end the GM is told that no report will bring the announcement."""
    desk.begin(rounds="1")
    run(desk)

    with pytest.raises(CampaignError, match="campaign toy1 is over: it sends no more reports"):
        put(desk, "hello")


def test_news_stand_in_the_next_reports_of_all(desk: Desk) -> None:
    """The news of a turn are, signed, in the reports that open the next turn and in no others."""
    desk.begin()
    desk.post("NEWS\nPeace in our time.")
    desk.post("NEWS\nWar!", sender=BOB)
    desk.tick()
    run(desk)
    paper = "NEWSPAPER\n\nred:\n\n| Peace in our time.\n\nblue:\n\n| War!\n"

    assert paper in report(desk)
    assert paper in report(desk, BOB)
    run(desk)
    assert "NEWSPAPER" not in report(desk)


def test_press_with_the_report_reaches_whom_it_is_for(desk: Desk) -> None:
    """With press-delivery=report no separate mail is sent, and only the recipients read the message."""
    desk.start(seats=THREE, rules={"press_delivery": "report"})
    desk.post("PRESS TO blue\nLet us deal.")
    desk.tick()
    answer = text_of(desk.last())
    run(desk)

    assert "MESSAGES\n\nred, to blue:\n\n| Let us deal.\n" in report(desk, BOB)
    assert "goes with the next reports of toy1, to blue." in answer
    others = [*map(text_of, desk.mails(CYD)), archived(desk, 1, "green"), archived(desk, 1, "red")]
    assert not any("Let us deal" in text for text in others)
    assert not any("Press" in mail["Subject"] for mail in desk.mails())


def without_keys(mail: tuple[str, str]) -> str:
    """Return a mail without its random parts: credentials, and the salted hash of a record."""
    return re.sub(r"\b[0-9a-f]{64}\b", "record", redact_all(str(mail)))


@pytest.mark.parametrize("delivery", ["now", "report"])
def test_whoever_is_not_written_to_cannot_tell_that_anything_was(tmp_path: Path, delivery: str) -> None:
    """All mail of a third player is the same, except for credentials, whether or not two others exchange press."""
    worlds = []
    for letters in ((), ("PRESS TO blue\nA pact!", "DIARY\nA pact with blue.")):
        with open_desk(tmp_path / str(len(letters))) as desk:
            desk.begin(seats=THREE, rules={"press_delivery": delivery})
            for letter in letters:
                desk.post(letter)
            desk.tick()
            run(desk)
            worlds.append([(mail["Subject"], text_of(mail)) for mail in desk.mails(CYD)])

    assert list(map(without_keys, worlds[0])) == list(map(without_keys, worlds[1]))


def test_unsigned_press_stands_last_and_by_its_text(desk: Desk) -> None:
    """The position of an unsigned message in a report does not disclose when it was written."""
    desk.begin(seats=THREE, rules={"press": "anonymous", "press_delivery": "report"})
    for text in ("UNSIGNED TO green\nzebra", "PRESS TO green\nmiddle", "UNSIGNED TO green\nant"):
        desk.post(text)
    desk.tick()
    run(desk)

    expected = (
        "MESSAGES\n\nred, to green:\n\n| middle\n\nAnonymous, to green:\n\n| ant\n\nAnonymous, to green:\n\n| zebra\n"
    )
    assert expected in report(desk, CYD)


def test_muted_press_is_in_no_report(desk: Desk) -> None:
    """A player who muted a seat gets none of its press and news; unsigned press is muted only by MUTE UNSIGNED."""
    desk.begin(seats=THREE, rules={"press": "anonymous", "press_delivery": "report"})
    desk.post("MUTE red", sender=BOB)
    desk.post("MUTE unsigned", sender=CYD)
    desk.tick()
    for text in ("PRESS TO ALL\nsigned", "NEWS\nheadline", "UNSIGNED TO ALL\nwhisper"):
        desk.post(text)
    desk.tick()
    run(desk)

    found = [
        [word for word in ("signed", "headline", "whisper") if f"| {word}" in report(desk, to)] for to in (BOB, CYD)
    ]
    assert found == [["whisper"], ["signed", "headline"]]


def test_who_is_told_in_turn_misses_nothing(desk: Desk) -> None:
    """A seat that gets no report for a turn finds its news and announcements in its next one."""
    desk.begin(pace="in_turn")
    desk.post("NEWS\nfirst")
    desk.tick()
    run(desk)
    put(desk, "second")
    run(desk)

    assert "| first" in report(desk, BOB)
    assert "| second" not in report(desk, BOB)
    assert "| first" in report(desk)
    assert "| second" in report(desk)


def test_diaries_are_opened_at_the_end(desk: Desk) -> None:
    """Diaries are in the last reports, seat by seat, and in no earlier ones."""
    desk.begin(rounds="2")
    desk.post("DIARY\nI lied to red.", sender=BOB)
    desk.post("DIARY\nBlue is honest.")
    desk.tick()
    run(desk)
    before = [*map(text_of, desk.mails(ANN)), archived(desk, 1, "red"), archived(desk, 1, "blue")]
    run(desk)

    assert not any("I lied" in text for text in before)
    diaries = "DIARIES\n\nred, round 1:\n\n| Blue is honest.\n\nblue, round 1:\n\n| I lied to red.\n"
    assert diaries in report(desk)
    assert diaries in report(desk, BOB)


def test_a_gm_does_not_read_diaries_before_the_end(desk: Desk) -> None:
    """The list of press tells a GM who wrote what, but has diaries only when the game is over."""
    desk.begin(rounds="1", rules={"press": "anonymous"})
    desk.post("UNSIGNED TO blue\nboo")
    desk.post("DIARY\nmine")
    desk.tick()
    during = run_query(desk.app, "toy1", ShowPress(), desk.now).press
    run(desk)
    after = run_query(desk.app, "toy1", ShowPress(), desk.now).press

    assert [(each.seat, each.anonymous, each.to, each.text) for each in during] == [("red", True, ("blue",), "boo")]
    assert [each.text for each in after] == ["boo", "mine"]


def test_press_that_comes_during_a_run_is_not_lost(desk: Desk) -> None:
    """News that arrive while the reports are being rendered are in the reports of that very run."""
    moments = iter([True])

    class Interrupted(Auction):
        """Lets news arrive when the first report is rendered."""

        def text_map(self, view: View) -> str:
            if next(moments, False):
                desk.post("NEWS\nlate edition")
                desk.tick()
            return super().text_map(view)

    desk.start()
    run_turn(dataclasses.replace(desk.app, games={"toy": Interrupted()}), "toy1", desk.now, reason="test")
    desk.tick()

    assert "| late edition" in report(desk)
    assert "| late edition" in report(desk, BOB)


def test_a_turn_that_is_run_again_brings_the_same_words(desk: Desk) -> None:
    """After a rollback, news and announcements are in the reports again, with what was written since."""
    desk.begin()
    put(desk, "The harbour is closed.")
    desk.post("NEWS\nWar!")
    desk.tick()
    run(desk)
    run_action(desk.app, "toy1", RollBack(1), desk.now)
    desk.post("NEWS\nPeace!")
    desk.tick()
    run(desk)

    assert "NEWSPAPER\n\nred:\n\n| War!\n\nred:\n\n| Peace!\n" in report(desk)
    assert "| The harbour is closed." in report(desk)


def test_words_are_no_part_of_a_reports_data(desk: Desk) -> None:
    """The JSON of a report is the game's own; archives of turns with press replay."""
    desk.begin()
    put(desk, "The harbour is closed.")
    desk.post("NEWS\nWar!")
    desk.tick()
    run(desk)

    data = json.loads((desk.home / "turns" / "toy1" / "0001" / "reports" / "red.json").read_text())
    assert "War!" not in json.dumps(data)
    assert prove_archive(desk.app, "toy1").turns == 1


def test_a_broadcast_goes_out_at_once(desk: Desk) -> None:
    """A GM's message to players is mailed whatever the policy on press, and answers go to the GM."""
    desk.begin(seats=THREE, rules={"press": "off"})
    reached = run_action(desk.app, "toy1", Announce("Be quick.", ("red", "BLUE")), desk.now).to
    desk.tick()

    assert reached == ("red", "blue")
    assert "From your GM\nToy Auction · toy1 · to red and blue\n\n| Be quick.\n" in text_of(desk.last(BOB))
    assert "write to gm@example.org" in text_of(desk.last(BOB))
    assert not any("Be quick" in text_of(mail) for mail in desk.mails(CYD))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("From: the Queen of all", "From: the Queen of all"),
        ("From: Ann <ann@example.org>", f"From: {MASK}"),
        ("Reply-To: ann@example.org", f"Reply-To: {MASK}"),
        ("> X-Mailer: Pigeon 2.1", f"> X-Mailer: {MASK}"),
        ("She received: gold", "She received: gold"),
        ("ORDERS toy1 red hunter2", f"ORDERS toy1 red {MASK}"),
        ("my token is 0123456789abcdef0123", f"my token is {MASK}"),
        ("orders+abcdefghij234567@example.org", f"orders+{MASK}@example.org"),
        ("a\tb\x07c\u200bd\u202ee", "a   bcde"),
    ],
)
def test_only_plain_words_pass(line: str, shown: str) -> None:
    """Header fields, credentials and invisible characters are not passed on; plain words are."""
    assert sanitise_text(line).text == shown


def test_masks_are_counted() -> None:
    """The author can be told how many lines were masked."""
    passed = sanitise_text("Received: from here\nhello\n\n\n\nMessage-ID: <x@example.org>\n")

    assert passed.text == f"Received: {MASK}\nhello\n\nMessage-ID: {MASK}"
    assert passed.masked == 2


@pytest.mark.parametrize("text", ["", " \n\t\n", "\u200b", "x" * (MOST_CHARACTERS + 1)])
def test_nothing_and_too_much_are_refused(text: str) -> None:
    """A text without words, or of more than 8,000 characters, is refused with the limit."""
    with pytest.raises(CampaignError, match=r"there are no words|8000 at the most"):
        sanitise_text(text)
