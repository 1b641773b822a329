"""An exported campaign may come from a stranger: any line and any content of it is refused by name, or harmless."""

from __future__ import annotations

import itertools
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pbem.admin.health import home_status
from pbem.archive.record import file_hash
from pbem.backup.files import CONTENT, LINES
from pbem.backup.lines import MOST_LINE, exported_columns, exported_tables, read_lines
from pbem.backup.transfer import import_campaign
from pbem.errors import BackupError, PbemError
from pbem.store.columns import facts_of
from pbem.store.models import Campaign, OutgoingMail, Report, Seat
from pbem.store.types import CanonicalJson
from tests.actions.history import rows
from tests.backup.hostile import Facts, forged, lines_of, with_lines, with_member
from tests.backup.test_hostile import member
from tests.backup.test_moving import Moved, another_home, moved
from tests.sampling import Sampler
from tests.servers.processes import server_folder
from tests.toy.home import Desk

__all__ = ["moved"]

Lines = list[Facts]


@pytest.fixture(scope="module")
def refusing(moved: Moved) -> Iterator[Desk]:
    """Yield a home that imports no campaign: each of these tests leaves it unchanged."""
    with server_folder("refusing") as folder, another_home(folder / "new", moved.old) as desk:
        yield desk


@pytest.fixture
def new(moved: Moved, tmp_path: Path) -> Iterator[Desk]:
    """Yield a home into which a campaign can be imported, with one of its own."""
    with another_home(tmp_path / "new", moved.old) as desk:
        yield desk


def refuse(desk: Desk, file: Path) -> str:
    """Return the sentence of a refused import, which has left nothing."""
    with pytest.raises(PbemError) as caught:
        import_campaign(desk.app, file, desk.now)
    assert [row.name for row in rows(desk, Campaign)] == ["toy2"]
    assert [path.name for path in desk.app.settings.archive.iterdir()] == ["toy2"]
    return str(caught.value)


def first(lines: Lines, table: str) -> Facts:
    """Return the first line of a table."""
    return next(line for line in lines if line["table"] == table)


def setting(table: str, **values: object) -> Callable[[Lines], object]:
    """Return a change of the first line of a table."""
    return lambda lines: first(lines, table).update(values)


def last(table: str, **values: object) -> Callable[[Lines], object]:
    """Return a change of the last line of a table."""
    return lambda lines: first(lines[::-1], table).update(values)


VALUES: dict[str, Callable[[Lines], object]] = {
    'campaign, /name: expected a name of 1 to 40 of a-z, 0-9 and -, got "../toy"': setting("campaign", name="../toy"),
    "campaign, /gm: expected an address like ann@example.org": setting("campaign", gm="gm"),
    "cannot be the address of a person: orders are sent there": setting("campaign", gm="play@club.example.net"),
    'campaign, /gm_name: expected a name that mails can show, or none, got "Eve\\nBcc:': setting(
        "campaign", gm_name="Eve\nBcc: x@example.com"
    ),
    '/schedule: expected a schedule: "whenever" is not a schedule': setting("campaign", schedule="whenever"),
    '/policy: no house rule "graze". Did you mean grace': setting("campaign", policy={"graze": 1}),
    "/policy: the house rules are not a JSON object": setting("campaign", policy=[]),
    "/seed: expected 16 to 64 bytes in hexadecimal digits": setting("campaign", seed="00"),
    "/revision: expected a whole number from 0 to 100000, got 1000000": setting("campaign", revision=1_000_000),
    "campaign, /mail_key: is not known here": setting("campaign", mail_key="00" * 32),
    "campaign, /status: is not known here": setting("campaign", status="over"),
    "campaign, /created_at: expected a time with its zone": setting("campaign", created_at="2026-11-02T09:00:00"),
    "its mail would be taken for a program's": setting("person", address="mailer-daemon@example.org"),
    "person, /pages: expected a word of off, attached, link": setting("person", pages="always"),
    "person, /fallback: expected an address like ann@example.org, or none": setting("person", fallback="a,b@c.de"),
    'seat, /name: expected a seat of red, blue, green, got "violet"': setting("seat", name="violet"),
    "seat, /token_hash: is not known here": setting("seat", token_hash="0" * 64),
    "seat, /person_id: expected the number of a line of person, of which 3 come": setting("seat", person_id=4),
    "seat, /campaign_id: expected the number of a line of campaign": setting("seat", campaign_id=True),
    'seat, /muted/0: expected a seat of red, blue, green, got "violet"': setting("seat", muted=["violet"]),
    "turn, /state: nothing in the file has the hash": last("turn", state="0" * 64),
    'turn, /record: expected a SHA-256 in hexadecimal digits, got "../../x"': setting("turn", record="../../x"),
    "turn, /record: the archive has no such record of turn 9": setting("turn", number=9),
    "report, /view: is not known here": setting("report", view="{}"),
    "report, /files: expected red.json and other files of red": setting("report", files=[["../x", "0" * 64]]),
    "report, /message_id: expected a Message-ID in angle brackets": setting("report", message_id="<a\n@b>"),
    "sheet, /text: it is not the one that turn 1 has in the archive": setting("sheet", text="BID 9"),
    "sheet, /orders: turn 1 was run with others": setting("sheet", orders=[]),
    "sheet, /orders: Toy Auction has no such orders": setting("sheet", orders=[{}]),
    "sheet, /orders: expected a list of at most 100,000 objects": setting("sheet", orders=[1]),
    "sheet, /author: expected a word of player, deputy, gm": setting("sheet", author="me"),
    "sheet, /inbox_id: is not known here": setting("sheet", inbox_id=1),
    "question, /text: expected a text of at most 4,000,000 characters, got null": setting("question", text=None),
    "question, /number: expected a whole number from 0 to 100000": setting("question", number=-1),
    "act, /undo: is not known here": setting("act", undo={}),
    "turn, /deadline: expected a time with its zone": last("turn", deadline="9999-12-31T23:59:59+00:00"),
    "by its state orders are awaited from blue, green, red": last("turn", awaited=["red"]),
}  # fmt: skip
"""Changes of a line, and what the refusal says of them."""


@pytest.mark.parametrize("said", VALUES)
def test_a_line_that_is_not_as_it_has_to_be_is_named(moved: Moved, refusing: Desk, tmp_path: Path, said: str) -> None:
    """The refusal names file, line and field, and says what is expected; nothing is left."""
    lines = lines_of(moved.file)
    VALUES[said](lines)

    told = refuse(refusing, with_lines(moved.file, tmp_path / "forged.zip", lines))
    assert said in told
    assert told.startswith(f"{tmp_path / 'forged.zip'}: ")
    assert "campaign toy1, turn 3" in told or f"{LINES}, line " in told


def twice(table: str) -> Callable[[Lines], Lines]:
    """Return a change by which the last line of a table is there twice."""

    def change(lines: Lines) -> Lines:
        at = max(number for number, line in enumerate(lines) if line["table"] == table)
        return [*lines[: at + 1], lines[at], *lines[at + 1 :]]

    return change


def without(table: str) -> Callable[[Lines], Lines]:
    """Return a change by which the last line of a table is missing."""

    def change(lines: Lines) -> Lines:
        at = max(number for number, line in enumerate(lines) if line["table"] == table)
        return lines[:at] + lines[at + 1 :]

    return change


def is_seat(line: Facts) -> bool:
    """Return True for a line of a seat."""
    return str(line["table"]) == "seat"


ORDERS: dict[str, Callable[[Lines], list[Any]]] = {
    "there is one campaign": twice("campaign"),
    "seat: there is such a row here already": twice("seat"),
    "turn: there is such a row here already": twice("turn"),
    "question: there is such a row here already": twice("question"),
    "other seats than its archive: red, blue": lambda lines: [
        line for line in lines if line["table"] in ("campaign", "person") or line.get("name") in ("red", "blue")
    ],
    "other seats than its archive: blue, red, green": lambda lines: [
        *(line for line in lines if line["table"] in ("campaign", "person")),
        *sorted(filter(is_seat, lines), key=lambda line: "blue red green".index(line["name"])),
    ],
    "is inconsistent: turn 3 lacks the report of": without("report"),
    "lines of person come before those after it": lambda lines: [*lines, first(lines, "person")],
    "expected the number of a line of campaign, of which 0 come": lambda lines: [first(lines, "seat")],
    "has no line of the table campaign": lambda lines: [first(lines, "person")],
    "has no line": lambda _: [],
    "line 1: /table: expected a table": lambda _: ["campaign"],
    "line 2: /table: expected a table": lambda lines: [lines[0], {"table": ["seat"]}],
    "line 3: /table: expected a table": lambda lines: [*lines[:2], {"table": "outgoing", "raw": "x"}],
    "line 4: campaign": lambda lines: [*lines[:3], {"table": "campaign"}],
}
"""Changes of the list of lines, and what the refusal says of them."""


@pytest.mark.parametrize("said", ORDERS)
def test_lines_are_those_of_one_campaign(moved: Moved, refusing: Desk, tmp_path: Path, said: str) -> None:
    """Lines that are missing, doubled, unknown or in another order are refused in a sentence."""
    lines = ORDERS[said](lines_of(moved.file))

    told = refuse(refusing, with_lines(moved.file, tmp_path / "forged.zip", lines))
    assert said.partition(": campaign")[0] in told


RAW = {
    "not UTF-8": b'{"table":"\xff"}\n',
    "no JSON": b"table: campaign\n",
    "cut": b'{"table":"campaign"',
    "deep": b'{"table":' + b"[" * 100_000 + b"\n",
    "a number without end": b'{"table":' + b"9" * 100_000 + b"}\n",
    "NaN": b'{"table":NaN}\n',
    "NUL": b'{"table":"\\u0000"}\n',
    "half of a character": b'{"table":"\\ud800"}\n',
    "an empty line": b"\n",
    "an archive": b"PK\x03\x04" * 9,
}


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW)
def test_a_file_of_no_lines_is_refused(moved: Moved, refusing: Desk, tmp_path: Path, raw: bytes) -> None:
    """Any bytes in the place of the lines are refused with the number of the line."""
    assert f"{LINES}, line 1: it is no JSON" in refuse(refusing, forged(moved.file, tmp_path / "b.zip", {LINES: raw}))


def test_a_line_without_end_is_not_read(moved: Moved, refusing: Desk, tmp_path: Path) -> None:
    """A line that is longer than any is refused before it is parsed, and so is a file that is too long."""
    long = forged(moved.file, tmp_path / "long.zip", {LINES: b" " * (MOST_LINE + 2)})
    bare = forged(moved.file, tmp_path / "bare.zip", without=LINES)
    huge = with_member(bare, tmp_path / "huge.zip", member(LINES, file_size=900_000_000))

    assert "line 1: it has more than 64,000,000 bytes" in refuse(refusing, long)
    assert f"{LINES} is longer than 512,000,000 bytes" in refuse(refusing, huge)
    assert f"has no {LINES}" in refuse(refusing, bare)


def test_content_has_the_hash_of_its_name(moved: Moved, refusing: Desk, tmp_path: Path) -> None:
    """Other content under a hash is not taken for it, and no other file is content."""
    with zipfile.ZipFile(moved.file) as old:
        others = {name: b"{}" for name in old.namelist() if name.startswith(CONTENT)}

    assert "/state: nothing in the file has the hash" in refuse(
        refusing, forged(moved.file, tmp_path / "b.zip", others)
    )
    assert f"has '{CONTENT}x', which is no plain file" in refuse(
        refusing, forged(moved.file, tmp_path / "c.zip", {CONTENT + "x": b""})
    )


def test_a_state_that_no_turn_led_to_is_refused(moved: Moved, refusing: Desk, tmp_path: Path) -> None:
    """Neither a state of its writer's own, nor that of another turn, takes the place of the open turn's."""
    lines = lines_of(moved.file)
    turns = [line for line in lines if line["table"] == "turn"]
    state = json.dumps({"rich": True}).encode()
    turns[-1]["state"] = file_hash(state)
    own = with_lines(moved.file, tmp_path / "own.zip", lines, state)
    turns[-1]["state"] = next(line["state"] for line in turns if line["number"] == 2)

    assert "turn, /state: no record in the archive led to it" in refuse(refusing, own)
    assert "turn 3 has another state than turn 2 led to" in refuse(
        refusing, with_lines(moved.file, tmp_path / "other.zip", lines)
    )


def test_a_report_of_another_seat_is_refused(moved: Moved, refusing: Desk, tmp_path: Path) -> None:
    """A seat gets neither the report of another, nor one of another turn."""
    lines = lines_of(moved.file)
    reports = [line for line in lines if line["table"] == "report"]
    mine, others = reports[0], next(line for line in reports if line["seat_id"] != reports[0]["seat_id"])
    later = next(line for line in reversed(reports) if line["seat_id"] == mine["seat_id"])
    saved = mine["files"]
    mine["files"] = others["files"]
    swapped = with_lines(moved.file, tmp_path / "swapped.zip", lines)
    mine["files"], later["files"] = saved, saved

    assert "report, /files: expected red.json and other files of red" in refuse(refusing, swapped)
    assert "in the archive has this report of red" in refuse(
        refusing, with_lines(moved.file, tmp_path / "later.zip", lines)
    )


def files_in(home: Path) -> set[Path]:
    """Return all files of a home but its archive, and those that its database needs."""
    return {path for path in home.rglob("*") if "turns" not in path.parts and not path.name.startswith("pbem.sqlite")}


def test_nothing_else_is_unpacked(moved: Moved, new: Desk, tmp_path: Path) -> None:
    """Settings, templates, mail and a database in the file of a campaign are not looked at."""
    planted = {
        "templates/receipt.txt.j2": b"{{ 1 / 0 }}",
        "pbem.toml": b'address = "eve@example.net"',
        "mail/inbox/new/1": b"From: eve@example.net\n\nSTATUS",
        "database.sqlite": b"x",
        "files/key": b"x",
    }
    before = files_in(new.home)
    import_campaign(new.app, forged(moved.file, tmp_path / "forged.zip", planted), new.now)

    assert files_in(new.home) == before
    assert {row.name for row in rows(new, Campaign)} == {"toy1", "toy2"}


def test_an_archive_of_another_campaign_is_refused(moved: Moved, refusing: Desk, tmp_path: Path) -> None:
    """The name in the manifest, that of the folder, that of the records and that of the line are one."""
    with zipfile.ZipFile(moved.file) as old:
        archive = {name: old.read(name) for name in old.namelist() if name.startswith("turns/")}
    second = {name.replace("toy1", "toy2"): raw for name, raw in archive.items()}

    def name_it(facts: Facts) -> None:
        facts["campaigns"][0]["name"] = "toy2"

    other = forged(moved.file, tmp_path / "two.zip", second)
    assert "does not hold one campaign" in refuse(refusing, other)
    only = forged(moved.file, tmp_path / "only.zip", second, without="turns/toy1/", change=name_it)
    assert "tells of turn 0 of toy1, expected turn 0 of toy2" in refuse(refusing, only)
    lines = lines_of(moved.file)
    first(lines, "campaign")["name"] = "toy3"
    assert "campaign, /name: its archive is of toy1" in refuse(
        refusing, with_lines(moved.file, tmp_path / "line.zip", lines)
    )


def test_the_writer_of_the_file_does_not_know_its_codes(moved: Moved, new: Desk) -> None:
    """The mail key is new, and so are the codes of all seats, of former players too."""
    with moved.old.app.store.reading() as session:
        older, key = set(session.scalars(select(Report.code))), session.scalar(select(Campaign.mail_key))
    import_campaign(new.app, moved.file, new.now)

    with new.app.store.reading() as session:
        codes = set(session.scalars(select(Report.code)))
        assert session.scalar(select(Campaign.mail_key).where(Campaign.name == "toy1")) != key
        assert set(session.scalars(select(Seat.token_hash).join(Campaign).where(Campaign.name == "toy1"))) == {""}
    assert codes.isdisjoint(older)


def test_a_campaign_brings_no_mail(moved: Moved, new: Desk) -> None:
    """The import mails the GM and each player once, and nobody else."""
    before = {mail.message_id for mail in rows(new, OutgoingMail)}
    import_campaign(new.app, moved.file, new.now)

    sent = [mail.recipient for mail in rows(new, OutgoingMail) if mail.message_id not in before]
    assert set(sent) == {"ann@example.org", "bob@example.org", "cyd@example.org", "gm@example.org"}


def test_every_json_column_has_a_form() -> None:
    """JSON of a stranger is checked by its form; only a ruling is left to its game."""
    columns = [column for table in exported_tables() for column in exported_columns(table)]
    free = {str(each) for each in columns if isinstance(each.type, CanonicalJson) and facts_of(each).form is None}

    assert free == {"turn.ruling"}


def test_a_file_of_an_earlier_version_has_the_defaults(moved: Moved, new: Desk, tmp_path: Path) -> None:
    """An export that was written before some columns came is imported, and one of a later version is refused."""
    lines, later = lines_of(moved.file), lines_of(moved.file)
    for line in lines:
        for name in {"gm_name", "muted", "edition", "pages", "paused", "deadline"} & line.keys():
            del line[name]
    first(later, "seat")["wishes"] = []

    assert "seat, /wishes: is not known here" in refuse(new, with_lines(moved.file, tmp_path / "later.zip", later))
    import_campaign(new.app, with_lines(moved.file, tmp_path / "old.zip", lines), new.now)
    assert [seat.muted for seat in rows(new, Seat)] == [[]] * 5


MUTANTS: tuple[object, ...] = (
    None, True, False, 0, 1, -1, 2, 2**31, 2**63, 10**400, 1.5, 1e308, "", "soon", "red", "x" * 10_000,
    "gm@example.org", "2026-11-02T09:00:00+00:00", "0001-01-01T00:00:00+23:59", "0" * 64, [], {},
    [[]], [{}], ["red"], {"a": {}},
    [["red.json", "0" * 64]], [[[[[[]]]]]], "\x1b[31m", "\u202e",
)  # fmt: skip
"""Values that a field may be changed to, besides those of other lines."""


def leaves(lines: Lines) -> list[tuple[int, str]]:
    """Return each field of the first and last line of each table."""
    tables = {line["table"] for line in lines}
    numbers = {
        pick(number for number, line in enumerate(lines) if line["table"] == table)
        for table, pick in itertools.product(tables, (min, max))
    }
    return [(number, name) for number in sorted(numbers) for name in lines[number]]


def test_no_value_of_any_field_is_a_traceback(moved: Moved, tmp_path: Path, sampler: Sampler) -> None:
    """Each field set to each of many values is read, or refused in a printable sentence."""
    lines, path, refused = lines_of(moved.file), tmp_path / LINES, 0
    fields = leaves(lines)
    fields = sampler.sample(fields, len(fields) // 4)
    for number, name in fields:
        for value in MUTANTS:
            changed = [line if at != number else {**line, name: value} for at, line in enumerate(lines)]
            path.write_text("".join(json.dumps(line) + "\n" for line in changed[: number + 1]))
            try:
                list(read_lines(path, own="play@club.example.net", seats=["red", "blue", "green"]))
            except BackupError as error:
                assert str(error).isprintable()  # noqa: PT017 - some of them are allowed
                refused += 1

    assert refused > len(fields) * len(MUTANTS) // 2


FUZZED = 20
"""Tries of each kind. Some hundreds were run when this was written."""


@pytest.mark.sampled(FUZZED // 5)
@pytest.mark.parametrize("seed", range(FUZZED))
def test_no_field_of_a_campaign_stops_the_program(moved: Moved, new: Desk, tmp_path: Path, seed: int) -> None:
    """A campaign with any field changed is refused in a sentence, or is imported and every later tick works."""
    dice, lines = random.Random(seed), lines_of(moved.file)
    table = dice.choice(sorted({line["table"] for line in lines}))
    line = dice.choice([line for line in lines if line["table"] == table])
    field, other = dice.choice([name for name in line if name != "table"]), dice.choice(lines)
    line[field] = dice.choice([*MUTANTS, *other.values(), *other.values()])
    with suppress(PbemError):
        import_campaign(new.app, with_lines(moved.file, tmp_path / "forged.zip", lines), new.now)
    for _ in range(2):
        assert new.tick(hours=24).problems == [], (line["table"], field, line[field])
        home_status(new.app)
