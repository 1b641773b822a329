#!/usr/bin/python3
"""The player, as the editor of a mail program: types into a draft what the case asks for.

    player DRAFT

The variables WAY (top, bottom, form, asis) and TYPED (lines) say what is typed where. A draft
may have header fields: it then begins with one, or with remarks behind #, and may end them by a
line of dashes; a blank To gets the address ORDERS. `form` deletes the semicolons in front of the
orders in TYPED, and nothing else, whatever marks are in front of them.
"""

import os
import re
import sys

# The editor runs in the system of the mail program, with the Python and the modules that are there.
path = [name for name in sys.argv[1:] if not name.startswith(("+", "-"))][-1]
with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:  # noqa: PTH123
    lines = file.read().replace("\r\n", "\n").split("\n")


def body_of(lines: list[str]) -> int:
    """Return the number of the first line of the draft that is no header field."""
    first = next((line for line in lines if not line.startswith("#")), "")
    if not re.match(r"[A-Za-z-]+:( |$)", first):
        return 0
    for at, line in enumerate(lines):
        if not line or re.fullmatch(r"-{4,}.*|--text follows this line--", line):
            return at + 1
    return len(lines)


if os.path.exists(done := f"{os.environ['HOME']}/typed"):  # noqa: PTH110 - alpine calls its editor again when the cursor comes back
    sys.exit()
with open(done, "w"):  # noqa: PTH123
    pass
typed, way, start = os.environ["TYPED"].split("\n"), os.environ["WAY"], body_of(lines)
lines[:start] = [f"To: {os.environ['ORDERS']}" if line.rstrip() == "To:" else line for line in lines[:start]]
if way == "top":
    lines[start:start] = [*typed, ""]
elif way == "bottom":
    end = next((at for at in range(len(lines) - 1, start - 1, -1) if lines[at] == "-- "), len(lines))
    while end > start and not lines[end - 1].strip():
        end -= 1
    lines[end:] = ["", *typed, *lines[end:], ""]
elif way == "form":
    freed = 0
    for at, line in enumerate(lines):
        found = next((order for order in typed if line.rstrip().endswith(f"; {order}")), "")
        if found and not line.endswith("counts"):
            lines[at] = line.replace(f"; {found}", found)
            freed += 1
    if not freed:
        print("player: the form is not in the draft", file=sys.stderr)
elif way != "asis":
    sys.exit(f"player: no way {way}")
with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:  # noqa: PTH123
    file.write("\n".join(lines))
