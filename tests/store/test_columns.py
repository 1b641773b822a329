"""Facts of columns: an example table is copied, exported, forked, undone and compared by its declaration alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import ForeignKey, String, Table, insert, select, update
from sqlalchemy.exc import StatementError
from sqlalchemy.orm import Mapped, mapped_column

from pbem.actions.base import run_action
from pbem.actions.fork import ForkCampaign
from pbem.backup.lines import read_lines, write_lines
from pbem.campaign.optimistic_lock import _planned_rows, load_read_set
from pbem.campaign.row_changes import changed_rows, load_rows, read_changes, restore_rows, write_changes
from pbem.store.columns import Leaves, Undo, Undoing, column, facts, table_facts
from pbem.store.copy import copy_to_file
from pbem.store.models import Base
from pbem.store.session import Store
from pbem.store.types import string_enum
from tests.actions.history import begin, play, snapshot
from tests.toy.home import Desk, open_desk

ROOT = Path(__file__).parents[2]


class Metal(StrEnum):
    """The values of a column of the example."""

    GOLD = "gold"
    TIN = "tin"


@pytest.fixture(scope="module")
def badge() -> Iterator[Table]:
    """Yield an example table, declared in the one place in which tables are."""

    class Badge(Base):
        """A mark that a seat gets in a turn."""

        __tablename__ = "badge"
        __table_args__ = facts(Leaves.HISTORY, Undoing(adds=True, removes=True))

        id: Mapped[int] = mapped_column(primary_key=True)
        seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
        inbox_id: Mapped[int | None] = mapped_column(ForeignKey("inbox.id"))
        turn: Mapped[int] = column(until=0, planned=True)
        metal: Mapped[Metal] = column(string_enum(Metal, 8), undo=Undo.SET, planned=True)
        code: Mapped[str] = column(String(32), left="")

    table = Base.metadata.tables["badge"]
    _planned_rows.cache_clear()
    yield table
    Base.metadata.remove(table)
    _planned_rows.cache_clear()


def migrate(desk: Desk, badge: Table) -> None:
    """Create the example's table, as its migration would."""
    with desk.app.store.writing() as session:
        badge.create(session.connection())


@pytest.fixture
def played(tmp_path: Path, badge: Table) -> Iterator[Desk]:
    """Yield a campaign whose turn 2 is open, and another one, with a badge in each turn."""
    with open_desk(tmp_path / "home") as desk:
        migrate(desk, badge)
        begin(desk, rounds="5")
        desk.start(name="toy2")
        play(desk, {"red": "BID 2"})
        for number, (seat, turn) in enumerate([(1, 1), (2, 2), (4, 1)], start=1):
            give(desk, badge, id=number, seat_id=seat, turn=turn)
        yield desk


def give(desk: Desk, badge: Table, **values: Any) -> None:
    """Insert a row of the example."""
    with desk.app.store.writing() as session:
        session.execute(insert(badge).values(**{"metal": Metal.TIN, "code": "secret", **values}))


def rows_of(store: Store, badge: Table) -> list[tuple[Any, ...]]:
    """Return seat, turn, metal and code of all rows of the example."""
    with store.reading() as session:
        return [tuple(row[1:2] + row[3:]) for row in session.execute(select(badge).order_by(badge.c.id))]


def test_a_word_that_is_in_no_list_is_not_written(played: Desk, badge: Table) -> None:
    """The enumeration of a column is the one list of its values: another value is refused at the write."""
    with pytest.raises(StatementError, match="not among the defined enum values"):
        give(played, badge, seat_id=1, turn=2, metal="lead")


def test_an_export_has_the_rows_of_its_campaign(played: Desk, badge: Table, tmp_path: Path) -> None:
    """A copy has all rows, one that leaves the home those of one campaign, without what its columns leave behind."""
    copy_to_file(played.app.settings.database, tmp_path / "copy")
    with closing(Store(f"sqlite:///{tmp_path / 'copy'}")) as copied:
        assert len(rows_of(copied, badge)) == 3

    with played.app.store.reading() as session, (tmp_path / "lines").open("wb") as file:
        write_lines(session, 1, file, lambda _: None)

    lines = read_lines(tmp_path / "lines", own="orders@example.org", seats=["red", "blue", "green"])
    assert [line.values for line in lines if line.table is badge] == [
        {"seat_id": 1, "turn": 1, "metal": "tin"},
        {"seat_id": 2, "turn": 2, "metal": "tin"},
    ]


def test_a_fork_has_the_rows_up_to_its_turn(played: Desk, badge: Table, tmp_path: Path) -> None:
    """A fork of turn 1 has no badge of turn 2, and none of another campaign."""
    with open_desk(tmp_path / "there") as there:
        migrate(there, badge)
        run_action(played.app, "toy1", ForkCampaign(1, there.app), played.now)

        assert rows_of(there.app.store, badge) == [(1, 1, "tin", "")]


def test_undoing_sets_the_rows_back(played: Desk, badge: Table) -> None:
    """A row that was changed is set back, one that was added goes, and one that was removed comes back whole."""
    before = rows_of(played.app.store, badge)
    with played.app.store.writing() as session:
        was = load_rows(session, 1, ["badge"])
        session.execute(update(badge).where(badge.c.id == 1).values(metal=Metal.GOLD))
        session.execute(badge.delete().where(badge.c.id == 2))
        session.execute(insert(badge).values(id=9, seat_id=1, turn=2, metal=Metal.GOLD, code=""))
        changes = read_changes(write_changes(changed_rows(was, load_rows(session, 1, ["badge"]))))
        assert [each.id for each in changes] == [1, 2, 9]

        restore_rows(session, 1, changes)

    assert rows_of(played.app.store, badge) == before


@pytest.mark.parametrize(
    ("changed", "row", "differs"),
    [
        pytest.param({"metal": Metal.GOLD}, 2, True, id="planned"),
        pytest.param({"code": "other"}, 2, False, id="not planned"),
        pytest.param({"metal": Metal.GOLD}, 3, False, id="of another campaign"),
    ],
)
def test_what_is_planned_from_is_compared(
    played: Desk, badge: Table, changed: dict[str, Any], row: int, *, differs: bool
) -> None:
    """A plan is void once a planned column of the campaign has changed, and only then."""
    with played.app.store.reading() as session:
        before = load_read_set(session, snapshot(played))
    with played.app.store.writing() as session:
        session.execute(update(badge).where(badge.c.id == row).values(**changed))

    with played.app.store.reading() as session:
        assert (load_read_set(session, snapshot(played)) != before) is differs


def test_the_guide_for_contributors_counts_the_places() -> None:
    """CONTRIBUTING.md says that a table is two places: what the tests above declare, and its migration."""
    text = (ROOT / "CONTRIBUTING.md").read_text()

    assert "### A table: 2 places" in text
    assert all(word in text for word in ("`facts(…)`", "`column(…)`", "`left`", "`undo`", "`until`", "`planned`"))


def test_every_table_says_how_far_its_rows_go() -> None:
    """A table without facts fails here, and not at an export; one that actions change has columns that are set back."""
    for table in Base.metadata.tables.values():
        undoing = table_facts(table).undo
        assert undoing is None or undoing.removes or any(each.info["facts"].undo for each in _with_facts(table))


def _with_facts(table: Table) -> list[Any]:
    return [each for each in table.columns if "facts" in each.info]
