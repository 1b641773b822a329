"""The jobs of workers, in the queues that procrastinate keeps in PostgreSQL; SQLite homes know nothing of them."""

from pbem.jobs.deferring import open_waker
from pbem.jobs.tables import QUEUES, add_queues, check_queues, prepare_queues

__all__ = ["QUEUES", "add_queues", "check_queues", "open_waker", "prepare_queues"]
