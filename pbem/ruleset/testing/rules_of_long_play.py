"""A game is played for a long time through the whole program."""

from __future__ import annotations

from pathlib import Path

from pbem.ruleset.testing.database import migrated
from pbem.ruleset.testing.held import Held, in_a_process, rule

AGAIN = 4
"""The part of the turns, one in so many, that is played once more under another hash seed."""


class LongPlayRules(Held):
    """A game is played for a long time through the whole program."""

    soak_turns = 100
    """Turns to play at the least, in as many campaigns as that takes."""

    @rule(
        "Read the fault at the end of the output: it arose in resolve, view, parse or a template, on a "
        "sheet that a player could send. If the two runs differ, something depends on the order of a set."
    )
    def test_nothing_players_send_breaks_a_campaign(self, tmp_path: Path) -> None:
        """Random legal sheets and garbage, turn after turn: no fault, all proved; other hash seeds change no state."""
        turns = {"1": self.soak_turns, "2": self.soak_turns // AGAIN}
        for seed in turns:
            (tmp_path / seed).mkdir()
            (tmp_path / seed / "pbem.sqlite").write_bytes(migrated())
        running = [
            in_a_process("pbem.ruleset.testing.soak", self.ruleset, str(most), str(tmp_path / seed), hash_seed=seed)
            for seed, most in turns.items()
        ]

        printed = [process.communicate() for process in running]

        assert [process.returncode for process in running] == [0, 0], "".join(said[1][-2_000:] for said in printed)
        played, again = (said[0].split() for said in printed)
        assert again == played[: len(again)]
        assert (len(again) >= turns["2"], len(played) >= turns["1"]) == (True, True)
