"""`pbem.toml` is read strictly, and every refusal says what to write instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pbem.config import find_home, load_settings, write_default_settings
from pbem.config_values import FILE_NAME, Dkim, RateLimit, Secret, SendingLimits
from pbem.errors import ConfigError
from pbem.util import redact_all


def write(home: Path, *lines: str) -> None:
    """Write a `pbem.toml` with an address and these lines."""
    (home / FILE_NAME).write_text("\n".join(['address = "orders@example.org"', *lines]))


def refusal(home: Path, *lines: str) -> str:
    """Return the sentence with which these lines are refused."""
    write(home, *lines)
    with pytest.raises(ConfigError) as error:
        load_settings(home)
    return str(error.value)


def test_the_file_written_by_init_is_read(tmp_path: Path) -> None:
    """The commented default file needs no server and keeps everything in the home folder."""
    write_default_settings(tmp_path, "orders@example.org")
    settings = load_settings(tmp_path)

    assert settings.address == "orders@example.org"
    assert settings.domain == "example.org"
    assert settings.database == f"sqlite:///{tmp_path / 'pbem.sqlite'}"
    assert (settings.inbox_url.path, settings.carrier_url.path) == ("post/inbox", "post/sent")
    assert (settings.archive, settings.templates, settings.tls_ca) == (tmp_path / "turns", None, None)


def test_an_address_alone_is_enough(tmp_path: Path) -> None:
    """All other settings have the defaults that the commented file shows."""
    write(tmp_path)
    short = load_settings(tmp_path)
    (tmp_path / FILE_NAME).unlink()
    write_default_settings(tmp_path, "orders@example.org")

    assert load_settings(tmp_path) == short


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    """Default settings never overwrite existing ones."""
    write(tmp_path)

    with pytest.raises(ConfigError, match="exists already"):
        write_default_settings(tmp_path, "other@example.org")


def test_the_home_is_found_from_below(tmp_path: Path) -> None:
    """A command given in a folder below the home finds it."""
    write(tmp_path)
    (tmp_path / "post" / "sent").mkdir(parents=True)

    assert find_home(tmp_path / "post" / "sent") == tmp_path.resolve()


def test_no_home_is_told_with_the_way_to_make_one(tmp_path: Path) -> None:
    """Outside of any home the message names the command that makes one."""
    with pytest.raises(ConfigError, match="pbem init"):
        find_home(tmp_path)


def test_own_templates_are_used_where_they_are(tmp_path: Path) -> None:
    """A folder `templates` in the home is used without being named."""
    (tmp_path / "templates").mkdir()
    write(tmp_path)

    assert load_settings(tmp_path).templates == tmp_path / "templates"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('adress = "a@b.org"', "'adress' is not a setting; did you mean address?"),
        ('xyz = "1"', "'xyz' is not a setting; settings are address, sender_name"),
        ("poll_seconds = 1", "poll_seconds must be a whole number from 5 to 86400, not 1"),
        ("poll_seconds = true", "poll_seconds must be a whole number from 5 to 86400, not True"),
        ('pictures = "yes"', "pictures must be true or false, not 'yes'"),
        ('sender_name = "two\\nlines"', "sender_name must be one line of text in quotes"),
        ('inbox = "maildir:"', 'inbox names no folder; write "maildir:post/inbox"'),
        (
            'inbox = "pop3://ann@example.org"',
            "inbox is 'pop3://ann@example.org'; possible are maildir:folder, imap://user@host",
        ),
        ('inbox = "imaps://example.org:99999"', "inbox is not a URL: Port out of range"),
        ('carrier = "imaps://ann@example.org"', "possible are maildir:folder, smtp://user@host"),
        ('carrier = "smtps://ann:secret@example.org"', "carrier must not hold a password; use carrier_password"),
        ('inbox_password = "secret"', "inbox_password must not be written in the file; use inbox_password = { env"),
        ('inbox_password = { enw = "A" }', 'inbox_password must be { env = "NAME" } or { command'),
        (
            'inbox_password = { command = "echo \'a" }',
            "the command of inbox_password cannot be read: No closing quotation",
        ),
        ('database = "mysql://host/name"', "database is 'mysql://host/name'; write \"sqlite:///pbem.sqlite\""),
        ('database = "sqlite://"', "database is 'sqlite://'; write"),
        (
            'database = "postgresql://ann:secret@host/name"',
            "database must not hold a password; PostgreSQL reads PGPASSWORD",
        ),
        ("jobs = 0", "jobs must be a whole number from 1 to 64, not 0"),
        ("keep_processed = 0", "keep_processed must be a whole number from 1 to 3650, not 0"),
        ("connections = 0", "connections must be a whole number from 1 to 10, not 0"),
        ('inbox_oauth = { env = "A" }', 'inbox_oauth must be { command = "…" }, a command that prints an access token'),
        (
            'carrier_password = { env = "A" }\ncarrier_oauth = { command = "a" }',
            "carrier needs carrier_password or carrier_oauth, not both",
        ),
        ("pace = 20", "pace must be a table: [pace], and below it lines such as per_minute = 20"),
        ("[pace]\nper_week = 20", "'per_week' is not a limit of [pace]; expected one of per_minute, per_hour, per_day"),
        ("[pace]\nper_day = 0", "per_day in [pace] must be a whole number from 1 to 1000000, not 0; leave it out"),
        ('[pace."gmail.com"]\nper_day = "many"', 'per_day in [pace."gmail.com"] must be a whole number'),
        ('dkim = { domain = "example.org" }', 'dkim must be { domain = "…", selector = "…", key_file = "…" }'),
        (
            'dkim = { domain = "example org", selector = "a", key_file = "b" }',
            "domain in dkim must be a name as in DNS, not 'example org'",
        ),
        ('dkim = { domain = "example.org", selector = "a", key_file = "b" }', "b, which is not a file"),
        ('templates = "nowhere"', "which is not a folder"),
        ('tls_ca = "nowhere.pem"', "which is not a file"),
        ("inbox = ", "is not valid TOML"),
    ],
)
def test_refusals(tmp_path: Path, line: str, sentence: str) -> None:
    """A setting that cannot be used is refused by name, with what is allowed or the nearest name."""
    assert sentence in refusal(tmp_path, line)


def test_no_sentence_repeats_a_password(tmp_path: Path) -> None:
    """A password written in the wrong place is not printed."""
    lines = [
        'inbox = "pop3://ann:secret@example.org"',
        'carrier_password = "secret"',
        'database = "mysql://a:secret@b/c"',
    ]

    assert not [line for line in lines if "secret" in refusal(tmp_path, line)]


def test_a_missing_or_bad_address(tmp_path: Path) -> None:
    """Without an address, or with one that mail cannot go to, there are no settings."""
    for text, sentence in (("", "has no address"), ('address = "orders"', "must be a mail address such as")):
        (tmp_path / FILE_NAME).write_text(text)
        with pytest.raises(ConfigError, match=sentence):
            load_settings(tmp_path)


def test_server_urls(tmp_path: Path) -> None:
    """A server URL may leave out port and folder, and may have an address as user."""
    write(
        tmp_path,
        'inbox = "imaps://ann@example.org@mail.example.org"',
        'carrier = "smtp+starttls://ann%40x@mail.example.org"',
    )
    settings = load_settings(tmp_path)

    inbox, carrier = settings.inbox_url, settings.carrier_url
    assert (inbox.user, inbox.server, inbox.folder, inbox.tls) == (
        "ann@example.org",
        "mail.example.org:993",
        "INBOX",
        True,
    )
    assert (carrier.user, carrier.server, carrier.starttls) == ("ann@x", "mail.example.org:587", True)


def test_postgresql_is_named_shortly(tmp_path: Path) -> None:
    """`postgresql://` is enough; the driver is added."""
    write(tmp_path, 'database = "postgresql://ann@host/name"')

    assert load_settings(tmp_path).database == "postgresql+psycopg://ann@host/name"


def test_a_secret_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password is read from the named variable; a missing one is reported by name."""
    secret = Secret(env="PBEM_TEST_PASSWORD")
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "open sesame")
    assert secret.read("inbox_password") == "open sesame"

    monkeypatch.delenv("PBEM_TEST_PASSWORD")
    with pytest.raises(ConfigError, match=r"inbox_password .* PBEM_TEST_PASSWORD, which is not set"):
        secret.read("inbox_password")


def test_a_secret_from_a_command() -> None:
    """A password is the first line that the command prints."""
    assert Secret(command=r"printf 'open sesame\nuser: ann\n'").read("inbox_password") == "open sesame"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("false", "it ended with status 1"),
        ("pbem-no-such-command", "No such file"),
        ("true", "printed nothing"),
        (r"printf '\377'", "not text"),
    ],
)
def test_a_command_that_fails(command: str, sentence: str) -> None:
    """A command that fails or prints nothing is reported with its setting."""
    with pytest.raises(ConfigError, match=f"inbox_password.*{sentence}"):
        Secret(command=command).read("inbox_password")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cat /nowhere/mail-password", "status 1: cat: /nowhere/mail-password: No such file or directory$"),
        (
            "sh -c 'echo open-sesame; echo gpg: no secret key for open-sesame >&2; exit 2'",
            r"status 2: .* no .* for \*+$",
        ),
        ("sh -c open-sesame", r"status 127: sh: .*\*+: (command )?not found$"),
        ("sh -c 'printf \"\\033[31mred\" >&2; exit 1'", r"status 1: .\[31mred$"),
    ],
)
def test_a_command_that_fails_is_quoted(command: str, said: str) -> None:
    """What a failing command says is shown on one line, without the password, be it printed or typed."""
    with pytest.raises(ConfigError, match=said) as error:
        Secret(command=command).read("inbox_password")

    assert "open-sesame" not in str(error.value)
    assert str(error.value).isprintable()


def test_a_command_that_says_much_is_cut() -> None:
    """Of a long message the beginning is shown."""
    with pytest.raises(ConfigError) as error:
        Secret(command="sh -c 'yes no | head -2000 >&2; exit 1'").read("inbox_password")

    assert len(str(error.value)) < 300


def test_the_pace(tmp_path: Path) -> None:
    """Limits are read for all mail, and for the addresses of single domains."""
    write(tmp_path, "[pace]", "per_minute = 20", "per_day = 400", '[pace."Gmail.com"]', "per_hour = 100")

    assert load_settings(tmp_path).pace == SendingLimits(
        RateLimit(per_minute=20, per_day=400), {"gmail.com": RateLimit(per_hour=100)}
    )


def test_the_commented_lines_can_be_used(tmp_path: Path) -> None:
    """Every line of the default file can be read once its # is removed."""
    path = write_default_settings(tmp_path, "orders@example.org")
    (tmp_path / "dkim.pem").write_text("a key")
    wanted = ("connections", "jobs", "dkim", "[pace", "per_", "inbox_oauth", "carrier_oauth")
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line[2:] if line[2:].startswith(wanted) else line for line in lines))
    settings = load_settings(tmp_path)

    assert settings.dkim == Dkim("example.org", "pbem", tmp_path.resolve() / "dkim.pem")
    assert (settings.connections, settings.pace.domains) == (1, {"gmail.com": RateLimit(per_hour=100)})


def test_jobs_are_as_many_as_processors_unless_told(tmp_path: Path) -> None:
    """A home uses all processors, or fewer if the settings say so."""
    write(tmp_path)
    assert load_settings(tmp_path).jobs == len(os.sched_getaffinity(0))

    write(tmp_path, "jobs = 3")
    assert load_settings(tmp_path).jobs == 3


def test_settings_tell_no_secret(tmp_path: Path) -> None:
    """A command may contain a secret, so it is not shown with the settings."""
    write(tmp_path, 'inbox_password = { command = "echo hunter2" }', 'carrier_oauth = { command = "echo hunter2" }')

    assert "hunter2" not in repr(load_settings(tmp_path))


def test_a_secret_once_read_is_masked() -> None:
    """A secret that was read is masked in all later text, such as a server's answer or a traceback."""
    Secret(command="echo correct-horse-battery").read("inbox_oauth")

    assert redact_all("535 bad password correct-horse-battery") == "535 bad password ********"


@pytest.mark.parametrize("value", ['""', "7", '"two words"', '"mx.example.org;"', '"*"', '"*.org"', '"*example.org"'])
def test_the_name_of_the_mail_server_is_one_word(tmp_path: Path, value: str) -> None:
    """The name of the mail server is compared as written, so the setting must be a possible name."""
    assert "authserv_id must be the first word of the Authentication-Results" in refusal(
        tmp_path, f"authserv_id = {value}"
    )
    assert 'received_by must be the word behind "by"' in refusal(tmp_path, f"received_by = {value}")


@pytest.mark.parametrize("file", ["pbem.sqlite", "pbem.toml", "status", ""])
def test_the_dashboard_is_a_page(tmp_path: Path, file: str) -> None:
    """The dashboard cannot be written over the database or the settings: its name ends in .html."""
    assert "dashboard must be" in refusal(tmp_path, f'dashboard = "{file}"')


@pytest.mark.parametrize("file", ["site/status.html", "site/../site/c/status.html", "link/status.html"])
def test_the_dashboard_is_not_on_the_site(tmp_path: Path, file: str) -> None:
    """The dashboard is private, so it does not lie in the folder of the site, by whatever path."""
    (tmp_path / "site").mkdir()
    (tmp_path / "link").symlink_to("site")

    assert "private" in refusal(tmp_path, 'site = "site"', f'dashboard = "{file}"')


def test_the_dashboard_is_a_path_of_the_home(tmp_path: Path) -> None:
    """The file of the dashboard is named from the home; usually there is none."""
    write(tmp_path, 'dashboard = "status.html"')
    named = load_settings(tmp_path).dashboard
    write(tmp_path)

    assert named == tmp_path / "status.html"
    assert load_settings(tmp_path).dashboard is None
