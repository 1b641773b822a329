"""Statements built once at import, beside the same statements built for each execution.

    python -m bench.statements [--times 5000]

Three queries on the path of an order sheet, by their width, against an empty SQLite database in memory. Each figure is
microseconds of CPU for one execution; both columns come from the same run. Only statements that run for every message,
seat or turn are worth a module-level constant.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial

from sqlalchemy import Connection, bindparam, case, create_engine, func, select

from pbem.store.models import Base, Campaign, OrderSheet, Seat

COLUMNS = tuple(Campaign.__table__.columns)

SEATS = select(Seat.id, Seat.muted).where(Seat.campaign_id == bindparam("campaign"))
LAST_SHEET = select(func.max(OrderSheet.version), func.max(case((OrderSheet.accepted, OrderSheet.version)))).where(
    OrderSheet.turn_id == bindparam("turn"), OrderSheet.seat_id == bindparam("seat")
)
CAMPAIGN = select(*COLUMNS).where(Campaign.name == bindparam("name"))


def _seats(connection: Connection) -> None:
    connection.execute(select(Seat.id, Seat.muted).where(Seat.campaign_id == 1)).all()


def _last_sheet(connection: Connection) -> None:
    newest = select(func.max(OrderSheet.version), func.max(case((OrderSheet.accepted, OrderSheet.version))))
    connection.execute(newest.where(OrderSheet.turn_id == 1, OrderSheet.seat_id == 2)).all()


def _campaign(connection: Connection) -> None:
    connection.execute(select(*COLUMNS).where(Campaign.name == "duel")).all()


def microseconds(execute: Callable[[], object], times: int) -> float:
    """Return the CPU time of one call, in microseconds, after a first call that is not counted."""
    execute()
    began = time.process_time()
    for _ in range(times):
        execute()
    return (time.process_time() - began) / times * 1e6


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both columns for each query."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=5000)
    times = parser.parse_args(arguments).times
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    print("microseconds of CPU an execution")
    print(f"{'query':<24}{'prebuilt':>10}{'built':>10}")
    with engine.connect() as connection:
        queries = {
            "two columns": (lambda: connection.execute(SEATS, {"campaign": 1}).all(), _seats),
            "two aggregates": (lambda: connection.execute(LAST_SHEET, {"turn": 1, "seat": 2}).all(), _last_sheet),
            "a whole row": (lambda: connection.execute(CAMPAIGN, {"name": "duel"}).all(), _campaign),
        }
        for name, (prebuilt, build) in queries.items():
            once, each = microseconds(prebuilt, times), microseconds(partial(build, connection), times)
            print(f"{name:<24}{once:>10.0f}{each:>10.0f}")


if __name__ == "__main__":
    main()
