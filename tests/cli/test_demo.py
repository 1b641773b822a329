"""A demo of a game that a GM judges, with rulings, pictures and files."""

from __future__ import annotations

import email
import email.policy
import json
import re
from pathlib import Path

from click.testing import CliRunner

from pbem.cli import main


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
