"""The replay of a game that is over: everything, and nothing that was meant for few."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.questions import AnswerQuestion
from pbem.app import open_app
from pbem.archive.verify import verify
from pbem.site.publish import publish, publish_changes
from pbem.store.models import Press
from pbem.store.types import PressKind
from tests.site.test_club import HOSTILE, files, site
from tests.toy.home import GAMES, Desk, make_home, text_of

HOME = "c/toy1/replay"


def played(desk: Desk, *unsigned: str, **rules: str) -> None:
    """Play a game of two rounds with press of all kinds, to its end; unsigned press comes before all other."""
    desk.start(rounds="2", rules=rules)
    desk.reply(desk.last(), "BID 7")
    for text in unsigned:
        desk.reply(desk.last(), f"UNSIGNED TO blue\n{text}\nEND")
    desk.reply(desk.last(), f"NEWS\n{HOSTILE}\nEND")
    desk.reply(desk.last(), "PRESS TO blue\nLet us part the coins.\nEND")
    desk.reply(desk.last(), "DIARY\nI shall not part them.\nEND")
    desk.tick(hours=24 * 7)
    desk.tick(hours=24 * 7)


def diaries(desk: Desk) -> list[list[object]]:
    """Return the texts of all diaries in the replay on the site of the home."""
    publish_changes(desk.app, desk.now)
    found = [opening(desk.home / "www", number)["diaries"] for number in (1, 2, 3)]
    return [entry["text"] for entries in found for entry in entries]


@pytest.fixture
def ended(tmp_path: Path) -> Iterator[Desk]:
    """Yield a game that is over, whose home has a site."""
    settings = make_home(tmp_path / "home") / "pbem.toml"
    settings.write_text(f'{settings.read_text()}\nsite = "www"\nsite_url = "https://play.example.org/"\n')
    with open_app(settings.parent, GAMES) as app:
        desk = Desk(app)
        played(desk)
        yield desk


def test_a_last_word_joins_the_replay(ended: Desk) -> None:
    """The last report asks for it; a reply is in the replay, whose address the answer has, also if it was written."""
    last = ended.last()
    asked = " ".join(text_of(last).split())
    assert "For a week your words below the line DIARY, in reply to this report, are added to the replay" in asked
    assert diaries(ended) == [[["p", "I shall not part them."]]]
    ended.reply(last, "DIARY\nI had nothing.\nEND")
    ended.tick(hours=24 * 6)

    assert "https://play.example.org/c/toy1/replay/index.html" in text_of(ended.last())
    assert diaries(ended) == [[["p", "I shall not part them."]], [["p", "I had nothing."]]]


@pytest.mark.parametrize(
    ("sender", "rule"), [("eve@example.net", "address"), ("eve@example.net", "code"), ("ann@example.org", "confirm")]
)
def test_a_code_that_the_archive_has_proves_no_last_word(ended: Desk, sender: str, rule: str) -> None:
    """The archive of a game that is over may be public: the player is asked, and their YES adds it."""
    ended.set_rules("toy1", authentication=rule)
    last = ended.last()
    assert re.findall(r"[+](\w+)@", last["Reply-To"])[0] in (
        ended.home / "turns" / "toy1" / "0002" / "reports" / "red.html"
    ).read_text(encoding="utf-8")
    ended.reply(last, "DIARY\nI cheated.\nEND", sender=sender)
    ended.tick()
    assert diaries(ended) == [[["p", "I shall not part them."]]]
    assert "did you send this? Reply YES" in ended.last()["Subject"]
    ended.reply(ended.last(), "YES")
    ended.tick()

    assert diaries(ended) == [[["p", "I shall not part them."]], [["p", "I cheated."]]]


@pytest.mark.parametrize(
    ("days", "rule", "why"), [(8, "replay", "taken for 7 days"), (1, "news", "stand in its last report")]
)
def test_a_last_word_that_nobody_would_read_is_refused(ended: Desk, days: int, rule: str, why: str) -> None:
    """After a week, or where no replay is shown, the answer says so, and nothing is kept."""
    last = ended.last()
    ended.set_rules("toy1", site=rule)
    ended.tick(hours=24 * days)
    ended.reply(last, "DIARY\nI had nothing.\nEND")
    ended.tick()

    assert why in " ".join(text_of(ended.last()).split())
    with ended.app.store.reading() as session:
        assert session.scalars(select(Press.text).where(Press.kind == PressKind.DIARY)).all() == [
            "I shall not part them."
        ]


def opening(root: Path, number: int) -> Any:
    """Return the data of an opening in the replay."""
    script = (root / HOME / f"turns/{number:04d}.js").read_text()
    head = f"pbem.turn({number},"
    assert script.startswith(head)
    return json.loads(script.removeprefix(head).rstrip().removesuffix(")"))


def test_there_is_no_replay_before_the_end(desk: Desk) -> None:
    """Before the end the site has no file of a replay."""
    desk.begin()
    desk.tick(hours=24 * 7)

    assert not (site(desk) / HOME).exists()


def test_at_the_end_all_is_open(desk: Desk) -> None:
    """The replay has each seat's report and orders, their outcomes, and what people wrote."""
    played(desk)
    root = site(desk)

    second = opening(root, 2)
    assert second["label"] == "round 2"
    assert second["seats"]["red"]["orders"] == [["BID 7", "bid 7 for the prize", "You won."]]
    assert second["seats"]["blue"]["missed"]
    assert second["seats"]["blue"]["happened"] != []
    assert [word["kind"] for word in second["words"]] == ["news"]
    assert opening(root, 1)["diaries"][0]["text"] == [["p", "I shall not part them."]]


def test_press_is_opened_only_where_the_gm_says_so(desk: Desk) -> None:
    """By default neither the replay nor anything else has press to some seats, and the archive is not published."""
    played(desk)
    kept = files(site(desk))
    desk.set_rules(site="full")
    opened = files(site(desk))

    assert b"part the coins" not in b"".join(kept.values())
    assert b"part the coins" in opened[f"{HOME}/turns/0002.js"]
    assert [name for name in kept if name.endswith(".zip")] == []


def test_answers_to_all_are_in_the_replay(desk: Desk) -> None:
    """Questions that were answered to all are there, without the name of their seat; others only where all is open."""
    desk.start(rounds="2")
    for question in ("May ships dock?", "May I bid twice?"):
        desk.reply(desk.last(), f"ASK GM\n{question}\nEND")
        desk.tick()
    run_action(desk.app, "toy1", AnswerQuestion(1, "They may.", "ALL"), desk.now)
    run_action(desk.app, "toy1", AnswerQuestion(2, "You may not."), desk.now)
    desk.tick(hours=24 * 7)
    desk.tick(hours=24 * 7)

    kept = opening(site(desk), 2)["words"]
    assert [(word["kind"], word["by"], word["text"]) for word in kept] == [
        ("question", "a player", [["p", "May ships dock?"]]),
        ("question", "the GM", [["p", "They may."]]),
    ]
    assert b"May I bid twice" not in b"".join(files(site(desk)).values())
    desk.set_rules(site="full")
    assert [word["to"] for word in opening(site(desk), 2)["words"]] == [[], [], ["red"], ["red"]]


def test_the_place_of_unsigned_press_tells_nothing(desk: Desk) -> None:
    """The place of unsigned press discloses, as in reports, neither its time nor its writer."""
    played(desk, "Written first.", "As the second.", press="anonymous", site="full")

    letters = [word for word in opening(site(desk), 2)["words"] if word["kind"] == "press"]
    assert [letter["by"] for letter in letters] == ["red", "", ""]
    assert [letter["text"] for letter in letters[1:]] == [[["p", "As the second."]], [["p", "Written first."]]]


def test_the_proof_can_be_taken_home(desk: Desk, tmp_path: Path) -> None:
    """The page has seal, seed and newest record, and the archive beside it is verified by them."""
    played(desk, site="full")
    root = site(desk)
    page = (root / HOME / "index.html").read_text()
    (archive,) = (root / HOME).glob("*.zip")
    with zipfile.ZipFile(archive) as file:
        file.extractall(tmp_path / "taken")

    verified = verify(tmp_path / "taken", "toy1", games=GAMES)
    assert verified.unproved == ()
    assert verified.seal in page
    assert verified.head in page
    assert f'href="{archive.name}"' in page


def test_a_replay_is_made_once(desk: Desk) -> None:
    """A replay changes only with its house rule."""
    played(desk)
    first = publish(desk.app, desk.home / "public", desk.now)
    again = publish(desk.app, desk.home / "public", desk.now)
    desk.set_rules(site="full")
    other = publish(desk.app, desk.home / "public", desk.now)

    assert (first.replays, again.replays, again.files) == (1, 0, 0)
    assert other.replays == 1


def test_words_are_data(desk: Desk) -> None:
    """Text of a player is a string in a script, and nowhere HTML in a page."""
    played(desk)
    root = site(desk)

    assert opening(root, 2)["words"][0]["text"] == [["p", HOSTILE]]
    assert all(b"<script>alert" not in raw for name, raw in files(root).items() if name.endswith(".html"))
