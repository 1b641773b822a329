"""A demo of a game that a GM judges, with rulings, pictures and files."""

from __future__ import annotations

import email
import email.policy
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.demo import run_demo
from pbem.errors import GameError
from tests.testing import slips
from tests.testing.toy import FogPatrol


def test_the_gm_of_a_demo_rules(tmp_path: Path) -> None:
    """Each seat is mailed its result and pictures; a replay of the archive proves it; the rulings are kept."""
    home = tmp_path / "demo"
    result = CliRunner().invoke(main, ["demo", str(home), "--game", "gm_adjudicated", "--turns", "1"])

    assert "replay        passed: 1 turn resolved again" in result.output
    assert f"the rulings   {home / 'rulings'}" in result.output
    assert re.search(r"its picture   .*/0001/enclosed/\w+\.png\n", result.output)
    assert (home / "rulings" / "1" / "ness.svg").is_file()
    assert json.loads((home / "briefing.json").read_text())["heron"].startswith("You are the harbour master.")
    mails = [
        email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        for path in sorted((home / "post" / "sent" / "new").iterdir())
    ]
    (heron,) = [mail for mail in mails if "the second night" in str(mail["Subject"]) and "heron" in mail["To"]]
    names = [part.get_filename() for part in heron.walk() if part.get_filename()]
    assert names[:2] == ["ness.png", "keepers-log.md"]
    assert "the great lens is gone" in " ".join(heron.get_body(("plain",)).get_content().split())  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (
            slips.StumblingBot,
            r"the bot of red fails in turn 1: KeyError: 'fleet', at tests/testing/slips\.py, ",
        ),
        (
            slips.RareBranch,
            r"Fog Patrol fails: .* turn 5 could not be run \(KeyError: .*slips\.py, line ",
        ),
        (slips.TextBot, "Fog Patrol fails: most sheets of the bots for turn 1 do not count"),
    ],
)
def test_a_game_that_fails_ends_its_demo_in_a_sentence(game: type[FogPatrol], said: str, tmp_path: Path) -> None:
    """It names the bot or the turn, and the line of the game's code; the demo goes on no more."""
    with pytest.raises(GameError, match=said):
        run_demo(tmp_path / "demo", {"toy": game()}, game="toy", turns=9)
