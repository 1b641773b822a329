"""A new action of a GM costs two places: its class and its row."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CLASS = '''"""An example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pbem.actions.arguments import SEAT, GmCommand
from pbem.actions.base import Change, TextResult
from pbem.actions.weight import Harmless
from pbem.campaign.snapshot import Context, add_entry, find_seat_view
from pbem.ruleset.values import SeatName


@dataclass(frozen=True, slots=True)
class PraiseSeat(GmCommand, Change[TextResult]):
    """Praise a seat in the journal."""

    usage = "PRAISE seat"
    weight = Harmless("it takes nothing away")
    seat: Annotated[SeatName, SEAT]

    def do(self, context: Context) -> TextResult:
        """Write the entry."""
        seat = find_seat_view(context.snapshot, self.seat).seat
        campaign = context.snapshot.id
        add_entry(context.session, campaign, context.now, actor="gm", text=f"{seat} played well")
        return TextResult(f"seat {seat} is praised.")
'''

ROW = """        Verb("praise", "seat", "Praise a seat", "PRAISE red", "it stands", "praise:PraiseSeat", before="laud"),
"""

SHOW = """
import sys
from click.testing import CliRunner
from pathlib import Path
from pbem.actions.settings import mail_gm_token
from pbem.campaign.snapshot import Context, load_campaign
from pbem.cli import main
from tests.toy.home import GAMES, open_desk, text_of

with open_desk(Path(sys.argv[1])) as desk:
    desk.begin()
    for words in (["--help"], ["praise", "--help"], ["--home", sys.argv[1], "praise", "toy1", "RED"]):
        print(CliRunner().invoke(main, words, obj=GAMES).output)
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.tick()
    desk.post(text_of(desk.last("gm@example.org")).partition("GM toy1 ")[2].partition("\\n")[0].join(
        ["GM toy1 ", "\\nLAUD blue\\nHELP praise\\nJOURNAL\\nEND"]), sender="gm@example.org")
    desk.tick()
    print(text_of(desk.last("gm@example.org")))
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a copy of the program with an action more."""
    for folder in ("migrations", "templates"):
        tmp_path.joinpath(folder).symlink_to(ROOT / folder)
    shutil.copytree(ROOT / "pbem", tmp_path / "pbem", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pbem/actions/praise.py").write_text(CLASS)
    rows = tmp_path / "pbem/verbs.py"
    rows.write_text(rows.read_text().replace('    "Seats": (\n', f'    "Seats": (\n{ROW}'))
    return tmp_path


def test_an_action_is_a_class_and_a_row(source: Path, tmp_path: Path) -> None:
    """With these two it is in the help, a command, a mail with other words for it, and in HELP by mail."""
    words = [sys.executable, "-P", "-c", SHOW, str(tmp_path / "home")]
    path = os.pathsep.join(map(str, (source, ROOT)))
    done = subprocess.run(words, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=True)

    assert re.search(r"^  praise +Praise a seat$", done.stdout, re.MULTILINE)
    assert "pbem praise trap7 red\n" in done.stdout
    assert "Done: seat red is praised." in done.stdout
    assert "PRAISE blue\n\nSeat blue is praised.\n\nHELP praise\n\nPRAISE seat\nPraise a seat.\n" in done.stdout
    assert re.search(r"red played well.*blue played well", done.stdout, re.DOTALL)


def test_the_guide_names_the_places_of_an_action() -> None:
    """CONTRIBUTING names these two, and no further one."""
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    part = guide.partition("### An action of a GM: 2 places\n")[2].partition("\n### ")[0]

    assert re.findall(r"^\d\. `(\S+)`:", part, re.MULTILINE) == ["pbem/actions/", "pbem/verbs.py"]
