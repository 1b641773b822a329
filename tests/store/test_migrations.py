"""Migrations make the tables of the models, on SQLite and PostgreSQL, and can be reversed."""

from __future__ import annotations

import datetime as dt
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, select
from sqlalchemy.orm import Session

from pbem.campaign.house_rules import check_kept
from pbem.campaign.snapshot import hold_reason
from pbem.errors import CampaignError, ConfigError, StoreError
from pbem.ruleset.serialization import canonical_json
from pbem.store.migrate import FOLDER, downgrade, knows_revision, migrate, require_current_schema, schema_is_current
from pbem.store.models import (
    Base,
    Campaign,
    ExtensionVote,
    OrderSheet,
    OutgoingMail,
    Person,
    Report,
    Seat,
    Turn,
    WithdrawnTurns,
)
from pbem.store.session import Store
from pbem.store.types import HoldKind

PNG = bytes(range(256))


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Yield a database without tables, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.sqlite'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


def tables(url: str) -> set[str]:
    """Return the names of all tables in a database."""
    store = Store(url)
    try:
        return set(inspect(store.engine).get_table_names())
    finally:
        store.close()


def test_the_migrations_make_what_the_models_say(any_store: Store) -> None:
    """A comparison of the migrated tables with the models finds no difference in types, indexes or constraints."""
    with any_store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})

        assert compare_metadata(context, Base.metadata) == []


def test_partial_indexes_have_the_conditions_that_the_models_say(tmp_path: Path) -> None:
    """An index of a table has the condition in its model, and one without has none."""
    migrate(url := f"sqlite:///{tmp_path / 'new.sqlite'}")
    engine = create_engine(url)
    made = {
        each["name"]: str(each["dialect_options"].get("sqlite_where", ""))
        for table in Base.metadata.tables
        for each in inspect(engine).get_indexes(table)
    }
    engine.dispose()
    said = {each.name: each.info.get("where", "") for table in Base.metadata.tables.values() for each in table.indexes}

    assert made == said
    assert any(said.values())


def test_the_names_of_the_migrations_begin_with_their_revisions(tmp_path: Path) -> None:
    """The revisions are known by the names of the files: they are those that alembic reads in them, in one line."""
    steps = list(ScriptDirectory(str(FOLDER)).walk_revisions())
    migrate(url := f"sqlite:///{tmp_path / 'new.sqlite'}")

    assert [step.revision for step in steps] == sorted((step.revision for step in steps), reverse=True)
    assert [Path(step.path).name[:5] for step in steps] == [f"{step.revision}_" for step in steps]
    assert all(knows_revision(step.revision) for step in steps)
    assert schema_is_current(url)


def test_up_and_down(empty_url: str) -> None:
    """All upgrades make every table; all downgrades leave none but Alembic's own."""
    migrate(empty_url)
    made = tables(empty_url)
    downgrade(empty_url, "base")

    assert made == {*Base.metadata.tables, "alembic_version"}
    assert tables(empty_url) == {"alembic_version"}


def test_a_database_that_went_past_steps_is_given_what_they_bring(empty_url: str) -> None:
    """A database that came to 0013 when that followed 0010 gets the column `pages` and the table of sealed pages."""
    migrate(empty_url, "0010")
    store = Store(empty_url)
    with store.writing() as session:
        session.connection().exec_driver_sql(_BATCHES)
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '0013'")
    migrate(empty_url)

    there = inspect(store.engine)
    assert "pages" in {column["name"] for column in there.get_columns("person")}
    assert tables(empty_url) == {*Base.metadata.tables, "alembic_version"}
    store.close()


_BATCHES = "CREATE TABLE batch (id INTEGER NOT NULL PRIMARY KEY, made_at TIMESTAMP, request TEXT, answer TEXT)"


def test_a_migrated_database_is_current(empty_url: str) -> None:
    """A migrated database is current, also when it is migrated again; one whose tables were dropped is not."""
    migrate(empty_url)
    migrate(empty_url, create=False)
    current = schema_is_current(empty_url)
    downgrade(empty_url, "base")

    assert (current, schema_is_current(empty_url)) == (True, False)


def test_only_who_says_so_makes_tables(empty_url: str) -> None:
    """An upgrade creates no tables where there are none, as after the file was lost, unless asked to."""
    with pytest.raises(ConfigError, match="restore the newest backup"):
        migrate(empty_url, create=False)
    migrate(empty_url)
    downgrade(empty_url, "base")
    with pytest.raises(ConfigError, match="has no tables of pbem: restore the newest backup"):
        migrate(empty_url, create=False)

    assert tables(empty_url) == {"alembic_version"}


def test_a_newer_database_is_refused(empty_url: str) -> None:
    """A database at an unknown revision is not current, and migrating it is refused in a sentence."""
    migrate(empty_url)
    store = Store(empty_url)
    with store.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    store.close()

    assert not schema_is_current(empty_url)
    for act in (migrate, require_current_schema):
        with pytest.raises(
            ConfigError, match=r"newer pbem, to migration 9999; this one knows those to 0\d{3}: install"
        ):
            act(empty_url)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """A database file that cannot be created is a sentence, not a traceback."""
    with pytest.raises(ConfigError, match="cannot be used: unable to open database file"):
        migrate(f"sqlite:///{tmp_path / 'missing' / 'pbem.sqlite'}")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    """A file of another kind is a sentence too, and left as it was."""
    (tmp_path / "pbem.sqlite").write_text("To be or not to be, that is the question. " * 50)

    for act in (migrate, schema_is_current):
        with pytest.raises(StoreError, match="cannot be used: file is not a database"):
            act(f"sqlite:///{tmp_path / 'pbem.sqlite'}")


def test_seats_of_one_address_become_one_person(empty_url: str) -> None:
    """Seats filled before there were people get one person for each address, regardless of case."""
    migrate(empty_url, "0001")
    store = Store(empty_url)
    with store.writing() as session:
        session.connection().exec_driver_sql(_OLD_CAMPAIGN)
        for seat, address in (("red", "Ann@example.org"), ("blue", "bob@example.org"), ("green", "ann@example.org")):
            session.connection().exec_driver_sql(_OLD_SEAT.format(seat=seat, address=address))
    migrate(empty_url)

    with store.reading() as session:
        people = {seat.name: seat.person_id for seat in session.scalars(select(Seat))}
        assert people["red"] == people["green"] != people["blue"]
        assert session.scalars(select(Person.key).order_by(Person.key)).all() == ["ann@example.org", "bob@example.org"]
    store.close()


def test_campaigns_begun_before_there_were_words_keep_their_dice(empty_url: str) -> None:
    """Started campaigns have no dice words; players of forming ones get a code to choose one with."""
    migrate(empty_url, "0001")
    store = Store(empty_url)
    with store.writing() as session:
        session.connection().exec_driver_sql(_OLD_CAMPAIGN)
        forming = _OLD_CAMPAIGN.replace("(1, 'old1'", "(2, 'old2'").replace("'running'", "'forming'")
        session.connection().exec_driver_sql(forming)
        seat = _OLD_SEAT.format(seat="red", address="ann@example.org")
        for statement in (seat, seat.replace("VALUES (1", "VALUES (2")):
            session.connection().exec_driver_sql(statement)
    migrate(empty_url)

    with store.reading() as session:
        assert session.scalars(select(Campaign.dice_words)).all() == [[], []]
        codes = session.scalars(select(Seat.dice_code).order_by(Seat.campaign_id)).all()
        assert [len(code) for code in codes] == [0, 16]
    store.close()


_OLD_CAMPAIGN = (
    "INSERT INTO campaign (id, name, game, version, options, gm, schedule, settle_minutes, status, turn, seed,"
    " mail_key, created_at) VALUES (1, 'old1', 'toy', 1, '{}', 'gm@example.org', 'DAILY 20:00 UTC', 30, 'running', 1,"
    " '', '', '2026-01-01 00:00:00')"
)
_OLD_SEAT = (
    "INSERT INTO seat (campaign_id, name, address, token_hash, status, nmr_in_a_row, nmr_total)"
    " VALUES (1, '{seat}', '{address}', '', 'playing', 0, 0)"
)


def test_mails_sent_before_are_gone_through_again(empty_url: str) -> None:
    """Mails sent before are processed again, to keep their text alone; messages received are not."""
    migrate(empty_url, "0007")
    store = Store(empty_url)
    with store.writing() as session:
        for state in ("sent", "bounced"):
            session.connection().exec_driver_sql(_OLD_MAIL.format(state=state))
    migrate(empty_url)

    with store.reading() as session:
        found = session.execute(select(OutgoingMail.state, OutgoingMail.masked_at)).all()
        assert {state: at is None for state, at in found} == {"sent": True, "bounced": False}
    store.close()


_OLD_MAIL = (
    "INSERT INTO outgoing (kind, recipient, provider, form, message_id, raw, state, attempts, not_before, created_at,"
    " reply, masked_at) VALUES ('report', 'ann@example.org', 'example.org', 'whole', '{state}', '', '{state}', 1,"
    " '2026-01-01 00:00:00', '2026-01-01 00:00:00', '', '2026-01-09 00:00:00')"
)


def test_a_campaign_with_a_past_goes_down_and_up_again(empty_url: str) -> None:
    """A downgrade keeps seats with their addresses and live turns with their sheets; withdrawn turns are lost."""
    migrate(empty_url)
    store = Store(empty_url)
    with store.writing() as session:
        _fill(session)
    store.close()
    downgrade(empty_url, "0001")
    migrate(empty_url)

    store = Store(empty_url)
    with store.reading() as session:
        seats = session.scalars(select(Seat).order_by(Seat.id))
        assert [seat.address for seat in seats] == ["Ann@example.org", ""]
        assert session.scalars(select(Person.key)).all() == ["ann@example.org"]
        assert [(turn.number, turn.shelf_id) for turn in session.scalars(select(Turn))] == [(1, None)]
        assert [sheet.text for sheet in session.scalars(select(OrderSheet))] == ["live"]
        assert session.scalars(select(Report.files)).all() == [{"red.txt": b"told", "red.map.png": PNG}]
    store.close()


def _fill(session: Session) -> None:
    """Insert a campaign with a player and an open seat, and a withdrawn turn beside the live one."""
    now = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    session.connection().exec_driver_sql(_CAMPAIGN)
    ann = Person(address="Ann@example.org", key="ann@example.org", created_at=now)
    red = Seat(campaign_id=1, name="red", token_hash="", person=ann)
    blue = Seat(campaign_id=1, name="blue", token_hash="", status="open")
    shelf = WithdrawnTurns(campaign_id=1, kind="rollback", first=1, at=now)
    session.add_all([red, blue, shelf])
    session.flush()
    for text, shelf_id in (("shelved", shelf.id), ("live", None)):
        turn = Turn(campaign_id=1, shelf_id=shelf_id, number=1, awaited=[], state=b"{}", state_hash="", opened_at=now)
        session.add(turn)
        session.flush()
        told = {"turn_id": turn.id, "seat_id": red.id}
        read = {"accepted": True, "wait": False, "digest": "", "orders": [], "findings": []}
        session.add(OrderSheet(**told, **read, version=1, text=text, received_at=now))
        session.add(
            Report(**told, code=text, message_id=text, view=b"{}", files={"red.txt": b"told", "red.map.png": PNG})
        )
        session.add(ExtensionVote(**told, at=now))


_CAMPAIGN = (
    _OLD_CAMPAIGN.replace(" settle_minutes,", "")
    .replace(" 30,", "")
    .replace(
        "created_at)",
        "created_at, policy, gm_token_hash, hold_kind, hold_reason, moved_to, era, dice_words, origin, gm_name)",
    )
    .replace("'2026-01-01 00:00:00')", "'2026-01-01 00:00:00', '{}', '', 'none', '', '', 0, '[]', 0, '')")
)


HOLDS = {
    "": ("none", "", ""),
    "paused by the GM": ("gm", "", ""),
    "paused by the GM: back on Monday: \u2192 snow": ("gm", "back on Monday: \u2192 snow", ""),
    "3 of 4 sheets have not come": ("missing", "3 of 4 sheets have not come", ""),
    "not one mail has come in since the turn opened": ("no_mail", "", ""),
    "every seat is open or paused, so nobody would send orders": ("no_players", "", ""),
    "it awaits your review": ("review", "", ""),
    "it awaits the GM's ruling": ("ruling", "", ""),
    "it has the GM's ruling, and goes on when he releases it": ("ruled", "", ""),
    "paused by the GM: it stands again as it did Mon 2 Nov, since its home was restored from a backup. Reports": (
        *("restored", "it stands again as it did Mon 2 Nov, since its home was restored from a backup. Reports"),
        "",
    ),
    "paused by the GM: it has moved here, and goes on when its GM says so": (
        *("imported", "it has moved here, and goes on when its GM says so"),
        "",
    ),
    "words of a version that is forgotten": ("review", "words of a version that is forgotten", ""),
}
"""By the sentence in the old database: kind, reason, and the address of a campaign that has moved."""

REASONS = {
    "gm": "",
    "no_mail": "no mail has come in since the turn opened",
    "no_players": "every seat is open or paused, so no orders would come",
    "review": "needs your review",
    "ruling": "needs a ruling",
    "ruled": "ruling submitted",
}
"""The reasons of holds without one of their own, by kind."""


def test_holds_become_kinds_and_reasons(before: str) -> None:
    """Every sentence of a hold is parsed once, and described as such; the downgrade leads back to it."""
    asked = "SELECT {} FROM campaign ORDER BY id"
    for number, held in enumerate((*HOLDS, "play@example.net")):
        execute(before, _campaign_of_0020(number, held, "running" if held in HOLDS else "moved"))
    old = execute(before, asked.format("held"))
    migrate(before)

    found = execute(before, asked.format("hold_kind, hold_reason, moved_to"))
    assert found == [*HOLDS.values(), ("none", "", "play@example.net")]
    on_hold = found[1:-1]
    reasons = [hold_reason(HoldKind(kind), reason) for kind, reason, _ in on_hold]
    assert reasons == [reason or REASONS[kind] for kind, reason, _ in on_hold]
    downgrade(before, "0020")
    assert execute(before, asked.format("held")) == old


VALUES = {
    "person.pages": {"no": "off", "attached": "attached", "link": "link"},
    "applicant.status": {"listed": "waiting", "seated": "seated", "withdrawn": "left"},
    "request.kind": {"join": "join", "newaddress": "new_address", "moved": "import", "letter": "message"},
    "shelf.kind": {"rollback": "rollback", "rerun": "rerun", "forward": "undo", "mend": "repair"},
    "press.kind": {"letter": "press", "news": "news", "diary": "diary"},
    "letter.state": {"new": "new", "done": "processed", "quarantined": "quarantined"},
    "outgoing.state": {"queued": "queued", "failed": "failed", "replaced": "superseded"},
    "outgoing.form": {"whole": "full", "plain": "text"},
}
"""By column: the values before and after."""

# A row of each table of the version before.
_ROWS = {
    "person": "(address, key, fallback, plain, calendar, created_at) VALUES ('', {n}, '', false, true, {at})",
    "applicant": "(campaign_id, person_id, wish, words, status, created_at) VALUES (1, {n}, '', '', '', {at})",
    "request": "(kind, code, data, message_id, created_at) VALUES ('', {n}, '', '', {at})",
    "shelf": "(campaign_id, kind, first, at) VALUES (1, '', 1, {at})",
    "press": "(campaign_id, turn, kind, anonymous, text, at) VALUES (1, 1, '', false, '', {at})",
    "letter": (
        "(mailbox, uid_validity, uid, sha256, received_at, raw, state, note)"
        " VALUES ('', '', {n}, {n}, {at}, '', '', '')"
    ),
    "outgoing": (
        "(kind, recipient, provider, form, message_id, raw, state, attempts, not_before, created_at, reply)"
        " VALUES ('', '', '', '', {n}, '', '', 1, {at}, {at}, '')"
    ),
}


def test_values_become_the_standard_words(before: str) -> None:
    """Renamed values are changed in every row, all others stay; the downgrade leads back to the same."""
    execute(before, _campaign_of_0020(1, "", "running"))
    for table, row in _ROWS.items():
        for number in range(1, 5):
            execute(before, f"INSERT INTO {table} " + row.format(n=f"'{number}'", at="'2026-01-01 00:00:00'"))
    for column, values in VALUES.items():
        table, name = column.split(".")
        for number, value in enumerate(values, start=1):
            execute(before, f"UPDATE {table} SET {name} = '{value}' WHERE id = {number}")
    migrate(before)

    assert _read(before) == {column: [*values.values()] for column, values in VALUES.items()}
    downgrade(before, "0020")
    assert _read(before) == {column: [*values] for column, values in VALUES.items()}


def _read(url: str) -> dict[str, list[object]]:
    asked = {column: "SELECT {2} FROM {0} ORDER BY id".format(*column.partition(".")) for column in VALUES}
    return {column: [value for (value,) in execute(url, asked[column]) if value] for column in VALUES}


RULES: list[tuple[dict[str, Any], int, dict[str, Any]]] = [
    ({}, 30, {}),
    (
        {"accept": "confirmed", "least": 60, "vote": "none", "extensions": 3, "absence_days": 0, "grace": 90},
        0,
        {
            "authentication": "confirm",
            "min_time": 60,
            "extension_votes": "off",
            "extension_limit": 3,
            "absence": 0,
            "grace": 90,
            "settle": 0,
        },
    ),
    ({"accept": "address", "mass": 101}, 45, {"authentication": "address", "hold": "off", "settle": 45}),
    ({"mass": 50, "holidays": ["2026-12-24"]}, 30, {"hold": "50%", "holidays": ["2026-12-24"]}),
    (
        {"review": True, "late": "public", "nmr_open": 2, "nmr_remove": 0, "press": "off"},
        30,
        {"hold": "always", "late_list": "players", "open_after_missed": 2, "remove_after_missed": 0, "press": "off"},
    ),
    (
        {"late": "private", "press_with": "mail", "pages": "no", "site": "all", "signup": True, "spectators": "off"},
        30,
        {
            "late_list": "gm",
            "press_delivery": "now",
            "page": "off",
            "site": "full",
            "signup": True,
            "spectators": "off",
        },
    ),
    ({"press_with": "report", "pages": "link"}, 10080, {"press_delivery": "report", "page": "link", "settle": 10080}),
]
"""House rules and settling minutes of version 0.1, and what is stored of them today."""


def _rules_of_0024(url: str, policies: list[tuple[str, object]]) -> None:
    migrate(url, "0024")
    for number, (policy, settle) in enumerate(policies, start=1):
        row = _CAMPAIGN_OF_0024.replace("(1, 'old1'", f"({number}, 'old{number}'")
        execute(url, row.replace("POLICY", policy.replace("'", "''")).replace("SETTLE", str(settle)))


def test_house_rules_have_todays_names(empty_url: str) -> None:
    """Each rule is stored under today's name and value; the downgrade leads back to the same rules."""
    _rules_of_0024(empty_url, [(canonical_json(policy).decode(), settle) for policy, settle, _ in RULES])
    asked = "SELECT policy{} FROM campaign ORDER BY id"
    before = execute(empty_url, asked.format(", settle_minutes"))
    migrate(empty_url)

    found = [json.loads(policy) for (policy,) in execute(empty_url, asked.format(""))]
    assert found == [new for _, _, new in RULES]
    for policy in found:
        check_kept(policy)
    downgrade(empty_url, "0024")
    assert execute(empty_url, asked.format(", settle_minutes")) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"review": True, "mass": 40}, {"hold": "always"}),
        ({"review": False}, {"hold": "60%"}),
        ({"extensions": 0, "vote": "all"}, {"extension_votes": "off", "extension_limit": 2}),
        ({"extension": 0}, {"extension": 1}),
        ({"diary": False}, {}),
    ],
)
def test_house_rules_that_are_merged(empty_url: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Two rules that became one, and values that are gone, keep their effect."""
    _rules_of_0024(empty_url, [(canonical_json(old).decode(), 30)])
    migrate(empty_url)

    assert execute(empty_url, "SELECT policy FROM campaign") == [(canonical_json(new).decode(),)]


@pytest.mark.parametrize(
    "policy",
    [
        *("damaged", "[]", "null", "[" * 100_000, '{"mass":"x"}', '{"mass":1e999}', '{"review":[1]}', '{"late":{}}'),
        *('{"graze":1}', '{"accept":[]}', '{"extensions":"0"}', '{"pages":null}', '{"mass":99999999999999999999}'),
    ],
)
def test_house_rules_that_cannot_be_are_kept_for_the_check(empty_url: str, policy: str) -> None:
    """A damaged or invented rule does not stop the migration; the check of the columns names it afterwards."""
    _rules_of_0024(empty_url, [(policy, 30)])
    migrate(empty_url)

    ((stored,),) = execute(empty_url, "SELECT policy FROM campaign")
    with pytest.raises((CampaignError, ValueError, RecursionError)):
        check_kept(json.loads(stored))


def test_a_migration_that_was_killed_is_repeated(before: str) -> None:
    """A migration killed before its commit has changed nothing; the next one does all of it."""
    execute(before, _campaign_of_0020(1, "it awaits your review", "running"))
    killed = subprocess.run([sys.executable, "-c", _KILLED, before], check=False)
    left = execute(before, "SELECT held FROM campaign")
    migrate(before)

    assert (killed.returncode, left) == (-signal.SIGKILL, [("it awaits your review",)])
    assert execute(before, "SELECT hold_kind FROM campaign") == [("review",)]


_KILLED = """
import os, signal, sys
from pbem.store.migrate import migrate
migrate(sys.argv[1], also=lambda _: os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.fixture
def before(empty_url: str) -> str:
    """Yield a database of the version before the standard values."""
    migrate(empty_url, "0020")
    return empty_url


def execute(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Execute a statement as it is; return its rows."""
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            done = connection.exec_driver_sql(statement)
            return [tuple(row) for row in done] if done.returns_rows else []
    finally:
        engine.dispose()


def _campaign_of_0020(number: int, held: str, status: str) -> str:
    row = _CAMPAIGN_OF_0020.replace("(1, 'old1'", f"({number}, 'old{number}'").replace("'running'", f"'{status}'")
    return row.replace("HELD", held.replace("'", "''"))


_CAMPAIGN_OF_0020 = _OLD_CAMPAIGN.replace(
    "created_at)", "created_at, policy, gm_token_hash, held, era, dice_words, origin)"
).replace("'2026-01-01 00:00:00')", "'2026-01-01 00:00:00', '{}', '', 'HELD', 0, '[]', 0)")

_CAMPAIGN_OF_0024 = _OLD_CAMPAIGN.replace(
    "created_at)",
    "created_at, policy, gm_token_hash, hold_kind, hold_reason, moved_to, era, dice_words, origin, gm_name)",
).replace("'2026-01-01 00:00:00')", "'2026-01-01 00:00:00', 'POLICY', '', 'none', '', '', 0, '[]', 0, '')")
_CAMPAIGN_OF_0024 = _CAMPAIGN_OF_0024.replace(" 30,", " SETTLE,")
