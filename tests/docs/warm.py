"""A `pbem` that is imported already, with all that commands import: each of a document's session is forked from it.

A shell starts it like the program, and gets the same output and exit code; it saves the second or so in which
Python imports the program. tests/skeleton/test_installed.py runs an installed program instead.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

from sqlalchemy.orm import configure_mappers

import pbem
from pbem.games import installed_games

ROOT = Path(__file__).parents[2]
# Bytes of a request: folder, arguments and environment.
_MOST = 200_000

NOW = "GUIDE_NOW"
"""A variable of the environment of a session: the time as of which its commands act, for those with --now."""

_CLIENT = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({path!r})
    request = json.dumps([os.getcwd(), sys.argv, dict(os.environ)]).encode()
    socket.send_fds(server, [request], [0, 1, 2])
    sys.exit(int(server.recv(8)))
"""


@contextmanager
def warm_pbem(program: Path) -> Iterator[None]:
    """Put the program at a path, in an existing folder, while the block runs."""
    path = program.with_name("pbem.socket")
    program.write_text(_CLIENT.format(python=sys.executable, path=str(path)))
    program.chmod(0o755)
    command = [sys.executable, "-m", __name__, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()
        try:
            yield
        finally:
            server.terminate()


def _serve(path: str) -> None:
    from pbem.cli import main

    for module in walk_packages(pbem.__path__, "pbem."):
        if not module.name.startswith(("pbem.cli.skeleton.", "pbem.testing")):  # no modules, or not of commands
            import_module(module.name)
    dict(installed_games())
    configure_mappers()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        gc.freeze()
        print("ready", flush=True)
        while True:
            with server.accept()[0] as client:
                request, files, _, _ = socket.recv_fds(client, _MOST, 3)
                child = os.fork()
                if child == 0:
                    _become(files, *json.loads(request))
                    now = os.environ.get(NOW)
                    main(prog_name="pbem", **({"default_map": _times(main, now)} if now else {}))
                for file in files:
                    os.close(file)
                client.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _times(command: Any, now: str) -> dict[str, Any]:
    """Return the time as the default of each --now of a command and its subcommands."""
    options = {option.name for option in command.params}
    own = {"now": now} if "now" in options else {}
    below = {name: _times(each, now) for name, each in getattr(command, "commands", {}).items()}
    # A command may have the name of an option, such as help.
    return own | {name: times for name, times in below.items() if times and name not in options}


def _become(files: list[int], folder: str, words: list[str], environment: dict[str, str]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words


if __name__ == "__main__":
    _serve(sys.argv[1])
