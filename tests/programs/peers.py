"""Order files of other programs, as those read them, for the table of `docs/coming-from-other-games.md`.

    python -m tests.programs.peers --eressea SOURCE BUILD
    python -m tests.programs.peers

The first runs Eressea's server, built from its source by cmake, and the package diplomacy, which it installs into a
temporary folder, and keeps what they took in `peers.json`; the second makes the table of that again.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.inbox.letters import receive

HERE = Path(__file__).parent
FOUND = HERE / "peers.json"
PAGE = HERE.parents[1] / "docs" / "coming-from-other-games.md"
DIPLOMACY = "1.1.2"

_OTHERS = ("eressea", "diplomacy")

Lines = tuple[str, ...]


@dataclass(frozen=True)
class Habit:
    """Something that players write, in the orders of each program; none where its files have no such thing."""

    name: str
    ours: Lines
    eressea: Lines = ()
    diplomacy: Lines = ()


HABITS = (
    Habit("small letters", ("move s2 w",), ("einheit 1", "nach osten"), ("a par - bur",)),
    Habit("verb cut short", ("MOV S2 W",), ("EINHEIT 1", "LER Hieb"), ("A PAR H",)),
    Habit("words between", ("MOVE S2 to W",), ("EINHEIT 1", "NACH nach Osten"), ("Army Paris moves to Burgundy",)),
    Habit("a line that goes on", ("MOVE S2 \\", "W"), ("EINHEIT 1", "NACH \\", "Osten")),
    Habit("`@`", ("@MOVE S2 W",), ("EINHEIT 1", "@ARBEITE"), ("@A PAR - BUR",)),
    Habit("remark behind `;`", ("MOVE S2 W ; home",), ("EINHEIT 1", "NACH Osten ; heim"), ("A PAR - BUR ; home",)),
    Habit("order behind `;`", ("; MOVE S2 W",), ("EINHEIT 1", "; NACH Osten"), ("; A PAR - BUR",)),
    Habit("remark behind `//`", ("MOVE S2 W // home",), ("EINHEIT 1", "NACH Osten // heim"), ("A PAR - BUR // home",)),
    Habit("remark behind `#`", ("MOVE S2 W # home",), ("EINHEIT 1", "NACH Osten # heim"), ("A PAR - BUR # home",)),
    Habit("quotes", ('MOVE "S2" W',), ("EINHEIT 1", 'BENENNE EINHEIT "Die Wache"'), ('A PAR - "BUR"',)),
    Habit("number in brackets", ("MOVE S2 [2] W",), ("EINHEIT Wache [1]", "NACH Osten")),
    Habit(
        "two orders on a line",
        ("MOVE S2 W; MOVE C1 E",),
        ("EINHEIT 1", "NACH Osten; ARBEITE"),
        ("A PAR - BUR; A MAR - SPA",),
    ),
    Habit(
        "two orders of a unit",
        ("MOVE S2 W", "MOVE S2 E"),
        ("EINHEIT 1", "NACH Osten", "NACH Westen"),
        ("A PAR - BUR", "A PAR - PIC"),
    ),
    Habit("two blocks of a unit", (), ("EINHEIT 1", "NACH Osten", "EINHEIT 2", "ARBEITE", "EINHEIT 1", "NACH Westen")),
    Habit("unknown verb", ("MOVEE S2 W",), ("EINHEIT 1", "NACHH Osten"), ("A PAR GOES BUR",)),
)

_WORLD = """
package.path = 'scripts/?.lua;scripts/?/init.lua;' .. package.path
require 'eressea'
require 'eressea.xmlconf'
for at = 0, {last} do
  eressea.game.reset()
  local plain = region.create(0, 0, 'plain')
  local own = faction.create('human', 'ann@example.org', 'de')
  own.password, own.id = 'secret', 42
  local units = {{unit.create(own, plain, 1), unit.create(own, plain, 1)}}
  for number, each in ipairs(units) do each.id = number; each:clear_orders() end
  eressea.read_orders('orders-' .. at)
  for _, each in ipairs(units) do
    for _, order in ipairs(each.orders or {{}}) do print('TAKEN', at, order) end
  end
end
"""

_PLAY = """
import json, sys
from diplomacy import Game
for lines in json.load(sys.stdin):
    game = Game()
    game.set_orders("FRANCE", lines)
    print(json.dumps([game.get_orders("FRANCE"), [str(error) for error in game.error]]))
"""


def run_eressea(source: Path, build: Path) -> list[list[str]]:
    """Return the orders that Eressea's server takes of each file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("conf", "res", "scripts"):
            (folder / part).symlink_to((source / part).resolve())
        (folder / "reports").mkdir()
        settings = "[game]\nid = 2\nstart = 0\nemail = a@example.org\nsender = E\nname = E\nlocales = de,en\n"
        (folder / "eressea.ini").write_text(f"{settings}[lua]\nrules = e2\ninstall = .\npaths = .:scripts\n")
        (folder / "world.lua").write_text(_WORLD.format(last=len(HABITS) - 1))
        for at, habit in enumerate(HABITS):
            lines = ('ERESSEA 16 "secret"', *habit.eressea, "NÄCHSTER")
            (folder / f"orders-{at}").write_text("\n".join(lines) + "\n")
        done = _run([build.resolve() / "eressea" / "eressea", "-v0", "world.lua"], folder)
    taken: list[list[str]] = [[] for _ in HABITS]
    for at, order in re.findall(r"^TAKEN\t(\d+)\t(.*)$", done, re.MULTILINE):
        taken[int(at)].append(order)
    return taken


def run_diplomacy() -> list[list[Any]]:
    """Return the orders that the package takes of each list, and what it says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _run([sys.executable, "-m", "venv", "own"], folder)
        _run(["own/bin/python", "-m", "pip", "install", "-q", f"diplomacy=={DIPLOMACY}"], folder)
        given = json.dumps([habit.diplomacy for habit in HABITS])
        return [json.loads(line) for line in _run(["own/bin/python", "-c", _PLAY], folder, given).splitlines()]


def _run(command: Sequence[str | Path], folder: Path, given: str = "") -> str:
    return subprocess.run(command, cwd=folder, input=given, capture_output=True, text=True, check=True).stdout


def table() -> str:
    """Return the table: what each program takes of a habit, and what is taken here."""
    found = json.loads(FOUND.read_text())
    head = f"| habit | Eressea {found['eressea']} | diplomacy {found['diplomacy']} | here, in Harvester |\n"
    head += "|---|---|---|---|\n"
    rows = zip(HABITS, found["taken"], strict=True)
    return head + "".join(
        f"| {' | '.join((habit.name, *(_cell(getattr(habit, name), its[name]) for name in _OTHERS), _ours(habit)))} |\n"
        for habit, its in rows
    )


def _cell(lines: Lines, taken: Sequence[str]) -> str:
    if not lines:
        return ""
    return f"{_code(line for line in lines if not line.startswith(('EINHEIT', 'einheit')))}: {_code(taken) or 'none'}"


def _ours(habit: Habit) -> str:
    if not habit.ours:
        return ""
    received = receive("harvester", habit.ours)
    taken = _code(order.source for order in received.reading.restated) or "none"
    told = ", told" if received.wrong or received.notes else ""
    return f"{_code(habit.ours)}: {taken}{told}"


def _code(lines: Any) -> str:
    return ", ".join(f"`{line.strip()}`" for line in lines)


def write(page: str) -> str:
    """Return a page with its table as it is now."""
    return re.sub(r"(<!-- peers -->\n\n)(?:\|.*\n)*", lambda found: found[1] + table(), page)


def main() -> None:
    """Run the other programs if asked to, and write the table."""
    parser = argparse.ArgumentParser(prog="tests.programs.peers", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--eressea", nargs=2, type=Path, metavar=("SOURCE", "BUILD"))
    options = parser.parse_args()
    if options.eressea:
        source, build = options.eressea
        revision = _run(["git", "rev-parse", "--short=7", "HEAD"], source).strip()
        both = zip(run_eressea(source, build), run_diplomacy(), strict=True)
        taken = [{"eressea": one, "diplomacy": other[0], "said": other[1]} for one, other in both]
        found = {"eressea": revision, "diplomacy": DIPLOMACY, "taken": taken}
        FOUND.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(write(PAGE.read_text()))


if __name__ == "__main__":
    main()
