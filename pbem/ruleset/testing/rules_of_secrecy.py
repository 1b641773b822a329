"""Nothing mailed to a seat depends on what the seat may not know."""

from __future__ import annotations

from pathlib import Path

from pbem.app import TEMPLATES
from pbem.report.renderer import Reporter
from pbem.ruleset.testing.envelope import all_mail_leaks
from pbem.ruleset.testing.held import Held, rule
from pbem.ruleset.testing.leaks import find_leaks, moments
from pbem.ruleset.testing.play import games, standard_game

MOMENTS = 24


class SecrecyRules(Held):
    """Nothing mailed to a seat depends on what the seat may not know."""

    @rule(
        "Build the view by adding what the seat may know, in an order made of nothing else; give events "
        "to those who may hear of them, without running numbers; draw dice by keys; let parse judge by "
        "the view. Each leak listed has the level (L1 shown, L2 answered, L3 reported next turn), the "
        "reader, the turn, the place and the difference. If your scrambler changed what the seat may "
        "know, mend the scrambler."
    )
    def test_no_game_leaks(self) -> None:
        """Reports, receipts and what becomes of orders are the same in worlds that differ in secrets alone."""
        assert list(find_leaks(games(self.ruleset), self.secrecy, count=MOMENTS)) == []

    @rule(
        "Let scramble change what is hidden: move, add, drop, alter and renumber it. A game that hides "
        "nothing between turns says Secrecy(scramble, open=True)."
    )
    def test_worlds_are_really_scrambled(self) -> None:
        """A suite that compared a world with itself would find nothing; only an open game has nothing to scramble."""
        watched = moments(games(self.ruleset), self.secrecy, MOMENTS)

        scrambled = [self.secrecy.scramble(each.state, each.seat, each.rnd()) != each.state for each in watched]

        assert any(scrambled) is not self.secrecy.open

    @rule(
        "See what differs in the mail (L4) or comes up in it (L5): subject, text, HTML, data, a picture, "
        "its size. Templates, pictures and maps may use the view and nothing else."
    )
    def test_no_mail_leaks(self, tmp_path: Path) -> None:
        """Receipt and report are the same to the byte, whatever others have, do and write."""
        with Reporter([TEMPLATES], {self.ruleset.key: self.ruleset}) as reporter:
            found = list(all_mail_leaks(standard_game(self.ruleset), self.secrecy, tmp_path, reporter))

        assert found == []
