"""The archive: every turn's record, sheets and reports, and the proof that they belong together."""

from pbem.archive.files import SheetReceived, archive_turn, turn_files
from pbem.archive.record import (
    file_hash,
    setup_dice,
    setup_record,
    state_hash,
    turn_dice,
    turn_record,
)
from pbem.archive.replay import ReplayProof, replay

__all__ = [
    "ReplayProof",
    "SheetReceived",
    "archive_turn",
    "file_hash",
    "replay",
    "setup_dice",
    "setup_record",
    "state_hash",
    "turn_dice",
    "turn_files",
    "turn_record",
]
