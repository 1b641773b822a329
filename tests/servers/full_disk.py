"""A disk that is full for one process: the kernel refuses its writes with ENOSPC, for any user.

A quota or a small file system needs rights that a container does not have. A
seccomp filter (man 2 seccomp) needs none: it answers the system calls that
write to files, before they reach the file system, as that would when full.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import stat
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# For each machine the numbers of seccomp, of its architecture (AUDIT_ARCH), and of the calls that write.
_WRITES = {
    # write, pwrite64, writev, pwritev, pwritev2, fallocate, sendfile
    "x86_64": (317, 0xC000003E, (1, 18, 20, 296, 328, 285, 40)),
    "aarch64": (277, 0xC00000B7, (64, 68, 66, 70, 287, 47, 71)),
}

_NO_NEW_PRIVILEGES = 38
_SET_FILTER, _ALL_THREADS = 1, 1
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSPC
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_STANDARD_ERROR = 2
_CALL, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16


def fill_disk() -> None:
    """Let every file of this process refuse all writes from now on; open pipes, sockets and terminals accept them.

    So do standard output and error, whatever they are: while tests are captured, files.
    """
    seccomp, machine, writes = _WRITES[platform.machine()]
    open_ = sorted(_open_but_no_files())
    refuse = [(_RETURN, 0, 0, _REFUSE)]
    allow = [(_RETURN, 0, 0, _ALLOW)]
    program = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 0, len(writes) + len(open_) + 4, machine),
        (_LOAD, 0, 0, _CALL),
        *((_EQUAL, len(writes) - number, 0, call) for number, call in enumerate(writes)),
        *allow,
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        *((_EQUAL, len(open_) - number, 0, handle) for number, handle in enumerate(open_)),
        *refuse,
        *allow,
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    filter_ = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    for refused in (
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0),
        libc.syscall(seccomp, _SET_FILTER, _ALL_THREADS, filter_),
    ):
        if refused:
            raise OSError(ctypes.get_errno(), "the kernel takes no filter")


def _open_but_no_files() -> Iterator[int]:
    for path in list(Path("/proc/self/fd").iterdir()):
        with suppress(OSError):  # one of them is the listing itself, which is closed by now
            handle = int(path.name)
            if handle <= _STANDARD_ERROR or not stat.S_ISREG(os.fstat(handle).st_mode):
                yield handle
