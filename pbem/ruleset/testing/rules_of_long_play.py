"""A game is played for a long time through the whole program."""

from __future__ import annotations

from pathlib import Path

from pbem.ruleset.testing.database import migrated
from pbem.ruleset.testing.held import Held, in_a_process, rule

SHARES = {"1": 1, "2": 4}
"""Hash seeds, each with the part of the turns that is played under it: where turns differ, early ones do."""


class LongPlayRules(Held):
    """A game is played for a long time through the whole program."""

    soak_turns = 100
    """Turns to play at the least, in as many campaigns as that takes."""

    @rule(
        "Read the fault at the end of the output: it arose in resolve, view, parse or a template, on a "
        "sheet that a player could send. If the two runs differ, something depends on the order of a set."
    )
    def test_nothing_players_send_breaks_a_campaign(self, tmp_path: Path) -> None:
        """Random legal sheets and garbage, turn after turn under two hash seeds: no fault, all proved, all alike."""
        for seed in SHARES:
            (tmp_path / seed).mkdir()
            (tmp_path / seed / "pbem.sqlite").write_bytes(migrated())
        running = [
            in_a_process(
                "pbem.ruleset.testing.soak",
                self.ruleset,
                str(self.soak_turns // share),
                str(tmp_path / seed),
                hash_seed=seed,
            )
            for seed, share in SHARES.items()
        ]

        printed = [process.communicate() for process in running]

        assert [process.returncode for process in running] == [0, 0], printed[0][1][-2_000:]
        whole, part = (states.split() for states, _ in printed)
        assert whole[: len(part)] == part
        assert (len(whole) >= self.soak_turns, len(part) >= self.soak_turns // 4) == (True, True)
