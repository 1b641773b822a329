"""Words of a GM from the command line: texts for reports, messages to players, and the list of press."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from pbem.cli import main
from tests.toy.home import Desk, text_of


def pbem(desk: Desk, *words: str, typed: str = "") -> Result:
    """Run a command in the toy's home."""
    return CliRunner().invoke(main, ["--home", str(desk.home), *words], input=typed)


def test_a_text_is_put_in_listed_and_taken_out(desk: Desk, tmp_path: Path) -> None:
    """A file or standard input becomes a text; without one, all texts are listed; undo removes the newest."""
    desk.begin()
    file = tmp_path / "words.txt"
    file.write_text("The harbour is closed.\n")
    pbem(desk, "announce", "toy1", "in", "report", "--text", str(file))

    put_in = pbem(desk, "announce", "toy1", "to", "red", "in", "report", "--text", "-", typed="Only you.\n").output
    assert put_in == "Your text is number 2, and stands in the reports that open turn 2, for red.\n"
    assert pbem(desk, "announce", "toy1").output == (
        "1  waits for the reports that open turn 2, for all\n| The harbour is closed.\n"
        "2  waits for the reports that open turn 2, for red\n| Only you.\n"
    )
    pbem(desk, "undo", "toy1", "--yes")
    texts = json.loads(pbem(desk, "announce", "toy1", "--json").output)["texts"]
    assert [(text["id"], text["seat"]) for text in texts] == [(1, "")]


def test_a_gm_writes_to_his_players(desk: Desk) -> None:
    """`announce` mails words to the named seats, and `journal --press` lists all press with its true senders."""
    desk.begin(rules={"press": "anonymous"})
    desk.post("UNSIGNED TO blue\nBoo.")
    desk.tick()

    said = pbem(
        desk, "announce", "toy1", "to", "red,blue", "--text", "-", "--now", "2026-11-02T10:30Z", typed="Be quick."
    ).output
    assert said == "2 mails queued, to red and blue. Next: pbem tick\n"
    desk.tick(hours=2)
    assert "| Be quick." in text_of(desk.last())
    assert pbem(desk, "journal", "toy1", "press").output == (
        "1  turn 1, 2026-11-02 09:00 UTC: press by red (anonymous) to blue\n| Boo.\n"
        "2  turn 1, 2026-11-02 10:30 UTC: press by the GM to red and blue\n| Be quick.\n"
    )


def test_words_to_nobody_are_refused(desk: Desk) -> None:
    """An unknown seat is refused with the nearest, and so is an empty text."""
    desk.begin()

    refused = pbem(desk, "announce", "toy1", "to", "blu", "--text", "-", typed="Hi.").output
    assert 'toy1 has no seat "blu". Did you mean blue?' in refused
    empty = pbem(desk, "announce", "toy1", "in", "report", "--text", "-", typed="\n").output
    assert "the file of --text has no text" in empty
