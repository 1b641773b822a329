"""A bot by mail, in Maildirs: what it answers, hostile mails and commands, kills, and two at once."""

from __future__ import annotations

import datetime as dt
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from pbem.bots.by_mail import ANSWERS, MOST_A_PASS, BotPass, Play, answer_reports, play_command, play_game
from pbem.cli import main
from pbem.config import Settings, load_settings
from pbem.errors import ConfigError
from pbem.mail import maildir
from pbem.store.models import OrderSheet
from tests.patience import PATIENCE
from tests.toy.home import GAMES, MONDAY, Desk, is_report, text_of

ROOT = Path(__file__).parents[2]
ORDERS = "orders@example.org"
ANN = "ann@example.org"
SECONDS = 30


@dataclass
class BotHome:
    """Ann's bot: a folder of its own, with her mailbox."""

    desk: Desk
    folder: Path
    taken: int = 0

    @property
    def settings(self) -> Settings:
        """Its settings."""
        return load_settings(self.folder)

    def fetch(self) -> None:
        """Bring the mail to Ann from the home to her mailbox."""
        for mail in self.desk.mails(ANN)[self.taken :]:
            self.put(bytes(mail))
            self.taken += 1

    def put(self, raw: bytes) -> None:
        """Put a mail into her mailbox."""
        maildir.MaildirTransport(self.folder / "inbox").send(ANN, raw)

    def run(self, play: Play | None = None, gm: str = ORDERS) -> BotPass:
        """Look at the mailbox once."""
        return answer_reports(self.settings, gm, play or self.game(), self.desk.now)

    def game(self, name: str = "standard", seconds: float = SECONDS) -> Play:
        """Return the player of a bot of the game."""
        return play_game(GAMES, name, seconds)

    def program(self, source: str, seconds: float = SECONDS) -> Play:
        """Return the player of a program in Python."""
        (self.folder / "bot.py").write_text(source)
        command = shlex.join([sys.executable, str(self.folder / "bot.py")])
        return play_command(GAMES, command, seconds, self.settings)

    def sent(self) -> list[bytes]:
        """Return the mails that the bot has sent."""
        return [path.read_bytes() for path in sorted((self.folder / "sent" / "new").glob("*"))]

    def deliver(self) -> None:
        """Bring all that the bot has sent to the home, and let that tick."""
        for raw in self.sent():
            maildir.MaildirTransport(self.desk.home / "post" / "inbox").send(ORDERS, raw)
        for path in (self.folder / "sent" / "new").glob("*"):
            path.unlink()
        self.desk.tick()

    def waiting(self) -> int:
        """Return the number of mails in her mailbox."""
        return len(list((self.folder / "inbox" / "new").glob("*")))

    def sheets(self) -> list[OrderSheet]:
        """Return the sheets that the home has."""
        with self.desk.app.store.reading() as session:
            return list(session.scalars(select(OrderSheet).order_by(OrderSheet.id)))


def make_folder(folder: Path, **others: str) -> Path:
    """Return a folder of a bot."""
    folder.mkdir()
    values = {"address": ANN, "inbox": "maildir:inbox", "carrier": "maildir:sent", **others}
    (folder / "pbem.toml").write_text("".join(f'{name} = "{value}"\n' for name, value in values.items()))
    return folder


@pytest.fixture
def bot(desk: Desk, tmp_path: Path) -> BotHome:
    """Return Ann's bot, with her first report in its mailbox."""
    desk.start()
    made = BotHome(desk, make_folder(tmp_path / "bot"))
    made.fetch()
    return made


def report(bot: BotHome) -> EmailMessage:
    """Return Ann's newest report."""
    return [mail for mail in bot.desk.mails(ANN) if is_report(mail)][-1]


def changed(mail: EmailMessage, change: Callable[[dict[str, Any]], object] | bytes = b"", **headers: str) -> bytes:
    """Return a report with other headers, or with its data changed or replaced."""
    new = EmailMessage()
    for name in ("From", "To", "Reply-To", "Subject", "Message-ID"):
        if value := headers.get(name.replace("-", "_"), str(mail[name])):
            new[name] = value
    new.set_content("A report.")
    data = change
    if callable(change):
        (part,) = [part for part in mail.walk() if part.get_content_subtype() == "json"]
        document = json.loads(part.get_payload(decode=True))  # type: ignore[arg-type]
        change(document)
        data = json.dumps(document).encode()
    assert isinstance(data, bytes)
    new.add_attachment(data, "application", "json", filename="toy1-red.json")
    return bytes(new)


def renamed(**fields: str) -> Callable[[dict[str, Any]], object]:
    """Return a change of a report's fields."""
    return lambda document: document.update(fields)


def same(document: dict[str, Any]) -> None:
    """Change nothing."""


def test_a_bot_plays_a_turn_by_mail(bot: BotHome) -> None:
    """Its sheet is accepted for its seat by the reply code; the next report is answered in its turn."""
    done = bot.run()
    assert done.sent == ("toy1 red, round 1: sheet sent",)
    bot.deliver()
    (sheet,) = bot.sheets()
    bot.desk.tick(hours=24 * 5)
    bot.fetch()

    assert [order["order"] for order in sheet.orders] == ["bid", "whisper"]
    assert bot.run().sent == ("toy1 red, round 2: sheet sent",)


def test_a_report_is_answered_once(bot: BotHome) -> None:
    """The mailbox is empty after a pass; the next one has nothing to do, and receipts are not answered."""
    bot.run()
    bot.deliver()
    bot.fetch()
    again = bot.run()

    assert (again.sent, again.problems, bot.sent()) == ((), (), [])
    assert bot.waiting() == 0
    assert not list((bot.folder / ANSWERS).iterdir())


def test_a_report_whose_turn_is_closed_is_passed_over(bot: BotHome) -> None:
    """Of several that waited, those whose deadline has passed are not answered."""
    bot.desk.tick(hours=24 * 5)
    bot.fetch()
    done = bot.run()

    assert done.sent == ("toy1 red, round 2: sheet sent",)
    assert "toy1 red, round 1: there is nothing to send" in done.passed_over


def test_a_forged_report_does_not_take_the_place_of_a_true_one(bot: BotHome) -> None:
    """A later mail in the campaign's name, with a reply code of its own, keeps no report from being answered."""
    bot.put(changed(report(bot), lambda data: data.update(label="round 9"), Reply_To="orders+forged@example.org"))

    assert "toy1 red, round 1: sheet sent" in bot.run().sent


def test_the_end_of_a_game_is_not_answered(bot: BotHome) -> None:
    """A report of a finished game asks for nothing."""
    bot.run()
    for path in (bot.folder / "sent" / "new").iterdir():
        path.unlink()
    bot.put(changed(report(bot), lambda data: data["view"].update(over=True, awaited=False)))

    done = bot.run()
    assert done.sent == ()
    assert "toy1 red, round 1: there is nothing to send" in done.passed_over


def test_a_command_reads_the_report_and_prints_lines(bot: BotHome) -> None:
    """The JSON of the report is on standard input; what is printed is the sheet."""
    play = bot.program("import json, sys\nprint('BID', json.load(sys.stdin)['view']['purse'] - 1)\n")
    bot.run(play)
    bot.deliver()
    (sheet,) = bot.sheets()

    assert sheet.orders[0]["coins"] > 5


def test_a_command_prints_a_sheet_as_json(bot: BotHome) -> None:
    """Orders as objects are written as lines; an empty list is an empty sheet."""
    bot.run(bot.program("""print('[{"order": "bid", "coins": 4}]')"""))
    assert b"\nBID 4\n" in bot.sent()[0]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import time\ntime.sleep(600)", "has not ended after 1 seconds"),
        ("import sys\nsys.exit('no idea')", "ended with status 1: no idea"),
        ("import os\nos.kill(os.getpid(), 9)", "ended with status -9"),
        ("import sys\nsys.stdout.buffer.write(bytes(range(256)))", "no text in UTF-8"),
        ("print('BID 1\\x1b[2J')", "its sheet is no text"),
        ("while True: print('BID 1' * 9999)", "printed more than 200000 bytes"),
        ("import sys\nwhile True: print('BID 1' * 9999, file=sys.stderr)", "printed more than 200000 bytes"),
        ("print('BID 1\\n' * 3000)", "its sheet has 3000 lines, and may have 2000"),
        ("""print('[{"order": "conquer"}]')""", "printed JSON that is no sheet of Toy Auction"),
        ("print('[[' * 90000)", "printed JSON that is no sheet of Toy Auction"),
    ],
)
def test_a_command_that_fails_is_told_and_tried_again(bot: BotHome, source: str, said: str) -> None:
    """Nothing is sent, the report stays in the mailbox, and a later pass answers it."""
    done = bot.run(bot.program(source, seconds=1 if "sleep" in source else SECONDS))

    (problem,) = done.problems
    assert said in problem
    assert problem.startswith("toy1 red, round 1: ")
    assert (bot.sent(), bot.waiting()) == ([], 1)
    assert bot.run().sent == ("toy1 red, round 1: sheet sent",)


def test_a_report_that_always_fails_is_tried_at_growing_intervals(bot: BotHome) -> None:
    """Failures are counted, pauses grow, and in the end the report is given up and moved away."""
    runs = bot.folder / "runs"
    failing = bot.program(f"open({str(runs)!r}, 'a').write('x')\nraise SystemExit(1)")
    bot.put(changed(report(bot), lambda data: data.pop("deadline")))
    told = [bot.run(failing).problems for _ in range(4)]
    assert len(runs.read_text()) == 2 * 3
    assert "3 attempts failed; the next is after 2026-" in told[3][0]

    for _ in range(5):
        bot.desk.now += dt.timedelta(days=1)
        done = bot.run(failing)

    assert done.passed_over == ("toy1 red, round 1: given up after 7 attempts",) * 2
    assert (len(runs.read_text()), bot.waiting(), list((bot.folder / ANSWERS).iterdir())) == (2 * 7, 0, [])


def test_a_flood_of_reports_runs_the_command_a_few_times(bot: BotHome) -> None:
    """Of 150 forged reports a pass answers the newest of each seat, and the true one in a later pass."""
    for number in range(150):
        bot.put(changed(report(bot), renamed(label=f"forged {number}")))
    done = bot.run()

    assert [each.partition(", ")[2] for each in done.sent] == [f"forged {n}: sheet sent" for n in range(149, 144, -1)]
    assert done.problems == ("146 more reports wait: a pass answers 5 of a seat and 50 in all",)
    assert (len(bot.sent()), bot.waiting()) == (5, 146)


def test_a_pass_has_a_bound_for_all_seats(bot: BotHome) -> None:
    """Forged reports of many seats are bounded as well."""
    for number in range(MOST_A_PASS + 3):
        bot.put(changed(report(bot), renamed(seat=f"seat{number}")))

    assert len(bot.run().sent) == MOST_A_PASS


def test_a_command_without_output_sends_nothing(bot: BotHome) -> None:
    """It has nothing to say to this report, which is done with."""
    done = bot.run(bot.program(""))

    assert (done.sent, done.problems, bot.waiting()) == ((), (), 0)


def test_a_command_that_hangs_takes_its_children_with_it(bot: BotHome) -> None:
    """The whole group of processes is killed."""
    note = bot.folder / "pid"
    bot.run(
        bot.program(
            "import subprocess, sys\n"
            f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
            f"open({str(note)!r}, 'w').write(str(child.pid))\n"
            "child.wait()\n",
            seconds=5,
        )
    )
    until = time.monotonic() + PATIENCE
    state = Path(f"/proc/{note.read_text()}/stat")
    while state.exists() and state.read_text().split()[2] != "Z" and time.monotonic() < until:
        time.sleep(0.05)

    assert not state.exists() or state.read_text().split()[2] == "Z"


def test_a_command_is_run_without_a_shell_and_without_passwords(bot: BotHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a command or a mail is read by a shell; the password of the mailbox is not in its environment."""
    monkeypatch.setenv("BOT_PASSWORD", "hush-hush")
    with (bot.folder / "pbem.toml").open("a") as file:
        file.write('inbox_password = { env = "BOT_PASSWORD" }\n')
    trap = bot.folder / "trap"
    play = play_command(GAMES, f"echo BID 3; touch {trap} $(touch {trap}) `touch {trap}`", SECONDS, bot.settings)
    bot.put(changed(report(bot), same, Subject=f"[toy1] $(touch {trap})", Message_ID=f"<`touch {trap}`@x>"))
    bot.run(play)
    bot.run(bot.program("import os, sys\nsys.exit('BOT_PASSWORD' in os.environ)"))

    assert not trap.exists()
    assert b"BID 3; touch" in bot.sent()[0]


@pytest.mark.parametrize("command", ["", "'unclosed", "/no/such/program"])
def test_a_command_that_cannot_be_run_is_told(bot: BotHome, command: str) -> None:
    """The error is a sentence, and the report stays."""
    try:
        (said,) = bot.run(play_command(GAMES, command, SECONDS, bot.settings)).problems
    except ConfigError as error:
        said = str(error)

    assert "command" in said
    assert bot.waiting() > 0


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"From": "mallory@example.net"}, "it is not from orders@example.org"),
        ({"From": "orders@example.org.example.net"}, "it is not from orders@example.org"),
        ({"From": '"orders@example.org" <mallory@example.net>'}, "it is not from orders@example.org"),
        ({"From": "orders@example.org, mallory@example.net"}, "it is not from orders@example.org"),
        ({"From": ""}, "it is not from orders@example.org"),
        ({"Reply_To": "mallory@example.net"}, "answers to it would not go to orders@example.org"),
        ({"Reply_To": "orders+x@example.net"}, "answers to it would not go to orders@example.org"),
        ({"Reply_To": "ordersx+1@example.org"}, "answers to it would not go to orders@example.org"),
        ({"Reply_To": "orders+1@example.org, mallory@example.net"}, "answers to it would not go to"),
        ({"Reply_To": ""}, "answers to it would not go to orders@example.org"),
    ],
)
def test_a_forged_report_brings_no_sheet(bot: BotHome, headers: dict[str, str], said: str) -> None:
    """Only the campaign's address asks, and only it is answered: nothing is run, and no orders go elsewhere."""
    forged = changed(report(bot), same, **headers)
    bot.run()
    for path in (bot.folder / "sent" / "new").iterdir():
        path.unlink()
    bot.put(forged)
    done = bot.run(bot.program(f"open({str(bot.folder / 'ran')!r}, 'w')"))

    assert any(said in each for each in done.passed_over)
    assert (done.sent, bot.sent(), bot.waiting()) == ((), [], 0)
    assert not (bot.folder / "ran").exists()


def test_two_reply_addresses_are_one_too_many(bot: BotHome) -> None:
    """A second Reply-To, which a mail program might use, makes a report useless."""
    raw = changed(report(bot), same)
    bot.run()
    bot.put(b"Reply-To: mallory@example.net\n" + raw)

    assert any("would not go to" in each for each in bot.run().passed_over)


def test_the_mail_server_has_to_vouch_where_it_can(bot: BotHome) -> None:
    """With authserv_id a report counts only with its word; a sender's own word below it does not count."""
    with (bot.folder / "pbem.toml").open("a") as file:
        file.write('authserv_id = "mx.example.org"\n')
    word = b"Authentication-Results: mx.example.org; dmarc=%s header.from=example.org\n"
    raw = changed(report(bot), same)
    assert bot.run().sent == ()
    bot.put(word % b"fail" + word % b"pass" + raw)
    assert any("does not vouch" in each for each in bot.run().passed_over)
    bot.put(word % b"pass" + raw)

    assert bot.run().sent == ("toy1 red, round 1: sheet sent",)


DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    "change",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b'"text"',
        DEEP,
        b'{"format": 99}',
        lambda data: data.pop("view"),
        lambda data: data.update(view=[]),
        lambda data: data.update(view={}),
        lambda data: data["view"].update(over="no"),
        lambda data: data.update(campaign="x\nEND\nORDERS other blue"),
        lambda data: data.update(campaign="../../etc"),
        lambda data: data.update(seat="red blue"),
        lambda data: data.update(seat=None),
        lambda data: data.update(deadline="tomorrow"),
        lambda data: data.update(deadline=5),
    ],
)
def test_a_damaged_report_is_passed_over(bot: BotHome, change: Any) -> None:
    """Whatever is attached, the pass goes on and says that it was not read."""
    bot.run()
    bot.put(changed(report(bot), change))
    done = bot.run()

    assert any("a report was not read: " in each for each in done.passed_over)
    assert (done.sent, done.problems, bot.waiting()) == ((), (), 0)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(game="chess"),
        lambda data: data.update(game_version=99),
        lambda data: [data["view"].pop("purse"), data.update(campaign="other")],
        lambda data: data["view"].update(others=[]),
        lambda data: data.update(label="\x1b]0;x\x07" + "x" * 100_000),
    ],
)
def test_a_view_that_a_bot_cannot_use_is_told(bot: BotHome, change: Any) -> None:
    """A game or version that is not here, and data on which the bot fails, are problems of one short line."""
    bot.run()
    bot.put(changed(report(bot), change))
    done = bot.run()

    told = [*done.problems, *done.sent]
    assert len(told) == 1
    assert len(told[0]) < 400


def test_a_huge_mail_is_left_unread(bot: BotHome) -> None:
    """Of a mail of many megabytes the beginning alone is read, and the next ones are answered all the same."""
    mailbox = bot.folder / "inbox" / "new"
    (mailbox / "0").write_bytes(changed(report(bot), b"[" + b"1," * 5_000_000 + b"1]"))
    (mailbox / "1").write_bytes(os.urandom(100_000))
    done = bot.run()

    assert done.sent == ("toy1 red, round 1: sheet sent",)
    assert bot.waiting() == 0


def test_a_bot_that_does_not_end_is_stopped(bot: BotHome) -> None:
    """A bot of the game has so many seconds of processor time."""

    def endless(view: Any, dice: Any) -> list[str]:
        while True:
            pass

    class Endless(type(GAMES["toy"])):  # type: ignore[misc]
        bots = {"standard": endless}  # noqa: RUF012

    (problem,) = bot.run(play_game({"toy": Endless()}, "standard", 0.2)).problems
    assert "has no sheet after 0.2 seconds" in problem


def test_an_unknown_bot_is_told_with_those_there_are(bot: BotHome) -> None:
    """The report stays for a bot that exists."""
    (problem,) = bot.run(bot.game("grandmaster")).problems

    assert problem.endswith("Toy Auction has no bot 'grandmaster'. Its bots: standard")
    assert bot.waiting() == 1


@pytest.mark.parametrize("address", [ORDERS, ANN])
def test_a_home_with_campaigns_is_no_folder_for_a_bot(desk: Desk, address: str) -> None:
    """The mail of its players stays where it is."""
    desk.begin()
    desk.post("BID 3")
    with pytest.raises(ConfigError, match="is a home with campaigns"):
        answer_reports(desk.app.settings, address, play_game(GAMES, "standard", SECONDS), desk.now)

    assert len(list((desk.home / "post" / "inbox").glob("*.eml"))) == 1


def test_a_carrier_that_fails_loses_nothing(bot: BotHome) -> None:
    """The report stays, and the same sheet goes out once the carrier works, though the bot would play another."""
    count = "import pathlib\nfile = pathlib.Path(__file__ + '.count')\nfile.touch()\n"
    count += "file.write_text(file.read_text() + 'x')\nprint('BID', len(file.read_text()))\n"
    (bot.folder / "sent").write_text("no folder")
    done = bot.run(bot.program(count))
    assert len(done.problems) == 1
    assert bot.waiting() == 1
    (bot.folder / "sent").unlink()
    bot.run(bot.program(count))

    assert b"\nBID 1\n" in bot.sent()[0]


def killed_pass(bot: BotHome, before: str) -> None:
    """Run a pass that is killed before a call of this name in a mailbox or a carrier."""
    source = (
        "import datetime as dt, os, signal, sys\n"
        "from pathlib import Path\n"
        "from pbem.bots import by_mail\n"
        "from pbem.config import load_settings\n"
        "from pbem.mail.maildir import MaildirMailbox, MaildirTransport\n"
        "owner, name = sys.argv[2].split('.')\n"
        "owner = {'mailbox': MaildirMailbox, 'carrier': MaildirTransport, 'pass': by_mail._Pass}[owner]\n"
        "setattr(owner, name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))\n"
        "settings = load_settings(Path(sys.argv[1]))\n"
        "play = by_mail.play_command({}, f'echo BID {os.getpid() % 9}', 60, settings)\n"
        "by_mail.answer_reports(settings, 'orders@example.org', play, dt.datetime.fromisoformat(sys.argv[3]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", source, str(bot.folder), before, bot.desk.now.isoformat()], timeout=PATIENCE, check=False
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("before", ["carrier.send", "mailbox.finish", "pass._delete_answers"])
def test_a_pass_may_be_killed_anywhere(bot: BotHome, before: str) -> None:
    """Killed before it sends, before it marks the report, or before it forgets the answer: the home has one sheet.

    The command prints another sheet each time, and yet the one that may have been sent is sent again.
    """
    bot.run(bot.game("grandmaster"))  # only the report is left
    killed_pass(bot, before)
    for _ in range(2):
        bot.run(play_command(GAMES, "echo BID 9", SECONDS, bot.settings))
    every = bot.sent()
    bot.deliver()

    assert len(bot.sheets()) == 1
    assert len(every) == (2 if before == "mailbox.finish" else 1)
    assert len(set(every)) == 1
    assert bot.waiting() == 0
    assert not list((bot.folder / ANSWERS).iterdir())


def test_a_copy_of_a_report_brings_the_same_sheet(bot: BotHome) -> None:
    """A report that is mailed twice is answered twice by the same mail, which the home takes once."""
    raw = bytes(report(bot))
    bot.run()
    bot.put(b"X-Relay: another way\n" + raw)
    bot.run()
    one, two = bot.sent()
    bot.deliver()

    assert [line for line in one.splitlines() if not line.startswith(b"Date")] == [
        line for line in two.splitlines() if not line.startswith(b"Date")
    ]
    assert len(bot.sheets()) == 1


def command_line(folder: Path, *words: str) -> list[str]:
    """Return the words of the command, at the time of the toy's first turn."""
    return [sys.executable, str(ROOT / "cli.py"), *typed(folder, *words)]


def typed(folder: Path, *words: str) -> list[str]:
    """Return the same without the program."""
    return ["bot", ORDERS, "--home", str(folder), "--now", MONDAY.isoformat(), *words]


def test_two_passes_at_once_send_one_sheet(bot: BotHome) -> None:
    """The second one says that the first is running, and does nothing."""
    command = shlex.join(
        [
            sys.executable,
            "-c",
            f"open({str(bot.folder / 'on')!r}, 'w'); input(open({str(bot.folder / 'go')!r}).read()); print('BID 2')",
        ]
    )
    os.mkfifo(bot.folder / "go")
    with subprocess.Popen(command_line(bot.folder, "--command", command), stdout=subprocess.PIPE, text=True) as first:
        until = time.monotonic() + PATIENCE
        while not (bot.folder / "on").exists() and time.monotonic() < until:
            time.sleep(0.02)
        assert (bot.folder / "on").exists()
        second = subprocess.run(command_line(bot.folder), capture_output=True, text=True, timeout=PATIENCE, check=False)
        (bot.folder / "go").write_text("")
        said, _ = first.communicate(timeout=PATIENCE)

    assert (second.returncode, second.stdout) == (1, "")
    assert "another pbem bot is running" in second.stderr
    assert "toy1 red, round 1: sheet sent." in said
    assert len(bot.sent()) == 1


def output(words: Sequence[str]) -> Result:
    """Return what a command prints; a fault that would be a traceback is raised."""
    return CliRunner(catch_exceptions=False).invoke(main, words)


def test_the_command_tells_what_it_did(bot: BotHome) -> None:
    """Sheets sent, other mail, problems with exit code 1, and nothing to do; also as JSON."""
    failed = output(typed(bot.folder, "--command", "false"))
    done = output(typed(bot.folder, "--command", "echo BID 1", "--json"))
    again = output(typed(bot.folder))

    assert failed.exit_code == 1
    assert "Problem: toy1 red, round 1: the command ended with status 1." in failed.stdout
    assert json.loads(done.stdout)["sent"] == ["toy1 red, round 1: sheet sent"]
    assert again.stdout == "Nothing to do.\n"


@pytest.mark.parametrize("address", ["", "nobody", "a b@example.org", "\udcff@example.org"])
def test_an_address_that_is_none_is_refused(bot: BotHome, address: str) -> None:
    """The mailbox is not touched."""
    words = typed(bot.folder)
    words[1] = address

    assert output(words).exit_code in (1, 2)
    assert bot.waiting() > 0


def test_a_mailbox_that_cannot_be_read_is_told(bot: BotHome, tmp_path: Path) -> None:
    """A folder outside the bot's own that is not there is no empty mailbox."""
    folder = make_folder(tmp_path / "second", inbox=f"maildir:{tmp_path / 'nowhere'}")
    done = output(typed(folder))

    assert done.exit_code == 1
    assert "cannot be read" in done.stderr


def test_the_receipt_tells_of_the_sheet(bot: BotHome) -> None:
    """The home answers the bot as it does a player: what is wrong with its lines is in the receipt."""
    bot.run(play_command(GAMES, "echo BIDD 1", SECONDS, bot.settings))
    bot.deliver()

    assert "NOT accepted" in str(bot.desk.last()["Subject"]) or "BIDD" in text_of(bot.desk.last())
