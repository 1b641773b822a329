"""The archive: records, sheets and reports of every turn, chained by hashes."""

from pbem.archive.json_patch import PatchError, apply_patch, describe_patch, make_patch
from pbem.archive.record import (
    disclose_dice_words,
    drawn_word,
    file_hash,
    mixed_seed,
    rehearsal_seed,
    setup_dice,
    setup_record,
    state_hash,
    turn_dice,
    turn_record,
)
from pbem.archive.replay import ReplayProof, replay
from pbem.archive.writer import SheetReceived, archive_turn, turn_files

__all__ = [
    "PatchError",
    "ReplayProof",
    "SheetReceived",
    "apply_patch",
    "archive_turn",
    "describe_patch",
    "disclose_dice_words",
    "drawn_word",
    "file_hash",
    "make_patch",
    "mixed_seed",
    "rehearsal_seed",
    "replay",
    "setup_dice",
    "setup_record",
    "state_hash",
    "turn_dice",
    "turn_files",
    "turn_record",
]
