"""Python looks for rubbish each time that much has been made; where all of it stays it looks in vain."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def rubbish_left(*, for_good: bool = False) -> Iterator[None]:
    """Lets rubbish lie until the end of the block; only that in circles, as all other goes by itself.

    If `for_good`, whatever there is by then stays, and is never looked through.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if for_good:
            gc.freeze()
        if was:
            gc.enable()
