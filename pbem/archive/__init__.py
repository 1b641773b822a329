"""The archive: every turn's record, sheets and reports, and the proof that they belong together."""

from pbem.archive.dice import drawn_word, mixed_seed, rehearsal_seed, words_told
from pbem.archive.enclosed import enclosed_path, hash_in
from pbem.archive.files import (
    SheetReceived,
    archive_turn,
    bring_back,
    campaigns_there,
    copy_withdrawn,
    is_whole,
    set_aside,
    turn_files,
    turn_folder,
    turns_there,
)
from pbem.archive.patches import Difference, Patch, PatchError, apply_patch, differences, is_patch, make_patch
from pbem.archive.record import (
    Withdrawn,
    file_hash,
    recorded_rolls,
    roll_dice,
    setup_dice,
    setup_record,
    state_hash,
    told_hash,
    turn_dice,
    turn_record,
)
from pbem.archive.replay import ReplayProof, replay

__all__ = [
    "Difference",
    "Patch",
    "PatchError",
    "ReplayProof",
    "SheetReceived",
    "Withdrawn",
    "apply_patch",
    "archive_turn",
    "bring_back",
    "campaigns_there",
    "copy_withdrawn",
    "differences",
    "drawn_word",
    "enclosed_path",
    "file_hash",
    "hash_in",
    "is_patch",
    "is_whole",
    "make_patch",
    "mixed_seed",
    "recorded_rolls",
    "rehearsal_seed",
    "replay",
    "roll_dice",
    "set_aside",
    "setup_dice",
    "setup_record",
    "state_hash",
    "told_hash",
    "turn_dice",
    "turn_files",
    "turn_folder",
    "turn_record",
    "turns_there",
    "words_told",
]
