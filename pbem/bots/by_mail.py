"""A bot that has a seat by mail: it reads the reports in its mailbox, and answers them with order sheets.

Every step can be killed. A report stays in the mailbox until its answer was sent. The
answer is kept in a file before that, and sent again from there with the same bytes,
by which the receiving home knows that it has it already.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pbem.bots.match import seed_of
from pbem.campaign.order_sheets import open_report
from pbem.campaign.snapshot import is_campaign_name
from pbem.config import SECRETS, Settings
from pbem.config_values import FILE_NAME
from pbem.errors import PARSE_ERRORS, ConfigError, PbemError, RulesetError, describe_error
from pbem.mail.authentication import authentication_verdict
from pbem.mail.compose import NewMail, compose
from pbem.mail.fetch import open_mailbox
from pbem.mail.headers import message_id, parse_address
from pbem.mail.mailbox import Mailbox, RawMessage
from pbem.mail.message import Message, is_truncated, list_attachments, parse_headers
from pbem.mail.mime import head_of, header_fields
from pbem.mail.transport import Transport, open_transport
from pbem.report.data import ReportDataError, read_report_data
from pbem.ruleset.dice import Dice
from pbem.ruleset.orders import MAX_LINES
from pbem.ruleset.protocol import AnyRuleset, bot_lines
from pbem.ruleset.values import is_plain_seat
from pbem.text import count_noun, cut_at_word
from pbem.util import TimeLimitExceeded, redact_secrets, run_with_time_limit, write_atomically

ANSWERS = "answers"
"""The folder in the bot's home with answers that may have been sent, and the attempts at those that have failed."""

MOST_A_SEAT, MOST_A_PASS = 5, 50
"""Reports that one pass answers, of a seat and in all: anyone can write many in the name of a campaign."""

PAUSES = (0, 0, 10, 60, 360, 1440)
"""Minutes after a failed attempt at a report until the next; after as many and one more it is given up."""

MOST_PRINTED = 200_000
"""Bytes that a command may print."""

_LOOK_AGAIN = 0.02
"""Seconds after which a running command is looked at again."""

_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class BotError(PbemError):
    """Raised when a bot or a command has no sheet for a report; the text says why."""


@dataclass(frozen=True, slots=True)
class ReceivedReport:
    """A report in the mailbox: the mail, the data of its attachment, and that attachment itself."""

    mail: RawMessage
    message: Message
    reply_to: str
    data: Mapping[str, Any]
    attachment: bytes

    @property
    def key(self) -> str:
        """The name of its files: the same mail has the same answer, wherever it lies."""
        return hashlib.sha256(self.mail.raw).hexdigest()

    @property
    def where(self) -> str:
        """The campaign, the seat and the moment, for messages."""
        return f"{self.data['campaign']} {self.data['seat']}, {cut_at_word(self.data['label'], 62)}"

    def is_over(self, now: dt.datetime) -> bool:
        """Return True if no sheet can count: the game is over, or the deadline of the turn has passed."""
        deadline = self.data.get("deadline")
        return bool(self.data["view"]["over"]) or (deadline is not None and _read_time(deadline) < now)


def _read_time(text: str) -> dt.datetime:
    """Return a time in ISO 8601, in UTC unless it has an offset. Raises ValueError."""
    moment = dt.datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


Play = Callable[[ReceivedReport], Sequence[str] | None]
"""Returns the lines of a sheet for a report, None to send none. Raises BotError, or any error of the host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPass:
    """The result of one pass: sheets sent, reports that got none, the number of other mails, and problems."""

    sent: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    others: int = 0
    problems: tuple[str, ...] = ()


def answer_reports(settings: Settings, gm: str, play: Play, now: dt.datetime) -> BotPass:
    """Answer the reports from the address `gm` in the mailbox of the settings, newest first; empty the mailbox.

    A report stays if it could not be answered, and is tried again by later passes, at growing
    intervals (`PAUSES`). Several of one seat are all answered, as a forged one must not take
    another's place, but no more a pass than `MOST_A_SEAT` and `MOST_A_PASS`: the others wait.

    Raises:
        ConfigError: The settings cannot be used, or another pass is running.
        MailError: The mailbox cannot be used.
    """
    _require_own_folder(settings, gm)
    with (
        _alone(settings.home),
        closing(open_mailbox(settings)) as mailbox,
        closing(open_transport(settings)) as carrier,
    ):
        return _Pass(settings, gm, play, now, mailbox, carrier).run()


def _require_own_folder(settings: Settings, gm: str) -> None:
    """Raise ConfigError for a home with campaigns: the mail of its players must not be taken for a bot's."""
    database = Path(settings.database.removeprefix("sqlite:///"))
    if settings.address.lower() == gm.lower() or database.exists() or settings.archive.exists():
        raise ConfigError(
            f"{settings.home} is a home with campaigns: make a folder for the bot, with a {FILE_NAME} that has the "
            "bot's own address, inbox and carrier"
        )


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Let no other pass use the same home inside the block."""
    with (home / FILE_NAME).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"another pbem bot is running in {home}: wait until it has ended") from None
        yield


class _Pass:
    def __init__(
        self, settings: Settings, gm: str, play: Play, now: dt.datetime, mailbox: Mailbox, carrier: Transport
    ) -> None:
        self._settings, self._gm, self._play, self._now = settings, gm, play, now
        self._folder = settings.home / ANSWERS
        self._mailbox, self._carrier = mailbox, carrier
        self._sent: list[str] = []
        self._passed_over: list[str] = []
        self._problems: list[str] = []
        self._kept: set[str] = set()
        self._others = 0

    def run(self) -> BotPass:
        reports = self._newest()
        if waiting := len(self._kept) - len(reports):
            self._problems.append(
                f"{waiting} more reports wait: a pass answers {MOST_A_SEAT} of a seat and {MOST_A_PASS} in all"
            )
        for report in reports:
            self._handle(report)
        self._delete_answers()
        return BotPass(
            sent=tuple(self._sent),
            passed_over=tuple(self._passed_over),
            others=self._others,
            problems=tuple(self._problems),
        )

    def _newest(self) -> list[ReceivedReport]:
        """Return the reports of this pass, newest first, and move all mail that is none away."""
        newest: list[ReceivedReport] = []
        for batch in self._mailbox.batches():
            others = []
            for mail in batch:
                report = find_report(mail, self._gm, self._settings.authserv_id, self._settings.received_by)
                if isinstance(report, ReceivedReport):
                    self._kept.add(report.key)
                    newest = _with_newer(newest, report)
                    continue
                self._passed_over += [report] if report else []
                self._others += not report
                others.append(mail)
            if others:
                self._mailbox.finish(others)
        return newest

    def _handle(self, report: ReceivedReport) -> None:
        """Answer a report, and move it away at once; one that cannot be answered stays."""
        try:
            passed_over = self._answer(report)
        except (PbemError, RulesetError) as error:
            self._problems.append(f"{report.where}: {describe_error(error)}")
            return
        (self._passed_over if passed_over else self._sent).append(f"{report.where}: {passed_over or 'sheet sent'}")
        self._kept.discard(report.key)
        self._mailbox.finish([report.mail])

    def _answer(self, report: ReceivedReport) -> str:
        """Send the sheet for a report; return why none was sent, "" if one was."""
        file = self._folder / f"{report.key}.eml"
        try:
            raw = file.read_bytes()
        except FileNotFoundError:
            tried = _read_attempts(self._attempts_file(report))
            if len(tried) > len(PAUSES):
                return f"given up after {len(tried)} attempts"
            lines = None if report.is_over(self._now) else self._try(report, tried)
            if lines is None:
                return "there is nothing to send"
            raw = self._compose(report, lines)
            write_atomically(file, raw)
        self._carrier.send(report.reply_to, raw)
        return ""

    def _attempts_file(self, report: ReceivedReport) -> Path:
        return self._folder / f"{report.key}.tried"

    def _try(self, report: ReceivedReport, tried: Sequence[dt.datetime]) -> Sequence[str] | None:
        """Return the lines for a report, None for none; count the attempt first, as it may kill the pass.

        Raises BotError where it fails, and until the pause after the last failure is over.
        """
        until = tried[-1] + dt.timedelta(minutes=PAUSES[len(tried) - 1]) if tried else self._now
        if self._now < until:
            raise BotError(f"{count_noun(len(tried), 'attempt')} failed; the next is after {until:%Y-%m-%d %H:%M %Z}")
        self._folder.mkdir(exist_ok=True)
        attempts = "\n".join(each.isoformat() for each in (*tried, self._now))
        write_atomically(self._attempts_file(report), attempts.encode())
        return self._play(report)

    def _delete_answers(self) -> None:
        """Delete what is kept of reports that have left the mailbox, also by a pass that was killed."""
        for file in self._folder.glob("*"):
            if file.stem not in self._kept:
                file.unlink(missing_ok=True)

    def _compose(self, report: ReceivedReport, lines: Sequence[str]) -> bytes:
        """Return the reply to a report. Its frame makes an empty sheet one, and keeps all lines together."""
        data, address = report.data, self._settings.address
        # Of the report's own name: a copy of it that comes again has the same answer.
        key = report.message.message_id.encode() or report.mail.raw
        framed = [f"ORDERS {data['campaign']} {data['seat']}", *lines, "END"]
        mail = NewMail(
            recipient=report.reply_to,
            subject=f"Re: {report.message.subject}",
            text="\n".join(framed),
            message_id=message_id(hashlib.sha256(key).digest(), address.rpartition("@")[2], "bot", *framed),
            reply_to=address,
            in_reply_to=report.message.message_id,
            automatic="",  # what is marked as automatic is not answered (RFC 3834), and there should be a receipt
        )
        return compose(mail, sender=address, sender_name=self._settings.sender_name, at=self._now)


def _with_newer(newest: Sequence[ReceivedReport], report: ReceivedReport) -> list[ReceivedReport]:
    """Return reports with a newer one before them, within the bounds of a pass."""
    seat = (report.data["campaign"], report.data["seat"])
    of_seat = [each for each in newest if (each.data["campaign"], each.data["seat"]) == seat]
    surplus = of_seat[MOST_A_SEAT - 1 :]
    return [report, *(each for each in newest if each not in surplus)][:MOST_A_PASS]


def _read_attempts(file: Path) -> list[dt.datetime]:
    """Return the times of the attempts at a report; none if there were none, or the file is damaged."""
    try:
        return [dt.datetime.fromisoformat(line) for line in file.read_text().split()]
    except (OSError, ValueError):
        return []


def find_report(mail: RawMessage, gm: str, authserv_id: str = "", received_by: str = "") -> ReceivedReport | str:
    """Return the report in a mail, or why it is none that may be answered; "" for mail without a report.

    A forged one must neither run a bot nor have its sheet sent to a stranger. With an
    `authserv_id` the mail server has to vouch for the sender. Never raises.
    """
    message = parse_headers(mail.raw)
    files = [file for file in list_attachments(mail.raw) if file.name.endswith(".json")]
    if not files:
        return "a mail was too large to be read" if is_truncated(mail.raw) else ""
    if (message.sender or "").lower() != gm.lower():
        return f"a report was not read: it is not from {gm}"
    if authserv_id and authentication_verdict(mail.raw, authserv_id, message.sender, received_by) != "pass":
        return f"a report was not read: the mail server does not vouch that it is from {gm}"
    fields = [value for name, value in header_fields(head_of(mail.raw)) if name.lower() == "reply-to"]
    reply_to = parse_address(fields[0]) if len(fields) == 1 else None
    if reply_to is None or not _belongs_to(reply_to, gm):
        return f"a report was not read: answers to it would not go to {gm}"
    try:
        data = read_report_data(files[0].content)
    except ReportDataError as error:
        return f"a report was not read: {error}"
    if not _is_usable(data):
        return "a report was not read: it is damaged"
    return ReceivedReport(mail, message, reply_to, data, files[0].content)


def _is_usable(data: Mapping[str, Any]) -> bool:
    """Return True if the data of a report name a campaign, a seat and a deadline, and say if orders are asked for."""
    named = is_campaign_name(data["campaign"]) and is_plain_seat(data["seat"])
    try:
        _read_time(data.get("deadline") or "2000-01-01")
    except (TypeError, ValueError):
        return False
    return named and all(isinstance(data["view"].get(key), bool) for key in ("over", "awaited"))


def _belongs_to(address: str, gm: str) -> bool:
    """Return True if an address is that of the campaign, alone or with a reply code."""
    local, _, domain = address.lower().rpartition("@")
    own, _, own_domain = gm.lower().rpartition("@")
    return domain == own_domain and (local == own or local.startswith(f"{own}+"))


def play_game(games: Mapping[str, AnyRuleset], name: str, seconds: float) -> Play:
    """Return a player that asks a bot of the reported game, for at most so many seconds of processor time."""

    def play(report: ReceivedReport) -> Sequence[str] | None:
        ruleset, data = open_report(games, report.attachment)
        if name not in ruleset.bots:
            raise BotError(f"{ruleset.title} has no bot {name!r}. Its bots: {', '.join(ruleset.bots) or 'none'}")
        dice = Dice(seed_of("bot", data["campaign"], data["seat"], report.message.message_id))
        try:
            lines = run_with_time_limit(seconds, lambda: bot_lines(ruleset.bots[name], data["view"], dice))
        except TimeLimitExceeded:
            raise BotError(f"the bot {name} has no sheet after {seconds:g} seconds") from None
        except Exception as error:  # a bot may raise anything
            raise BotError(f"the bot {name} fails: {type(error).__name__}: {cut_at_word(str(error), 200)}") from error
        return _require_mailable(lines) if lines or data["view"]["awaited"] else None

    return play


def play_command(games: Mapping[str, AnyRuleset], command: str, seconds: float, settings: Settings) -> Play:
    """Return a player that runs a command for each report: its JSON on standard input, a sheet on standard output.

    The sheet is lines, or JSON as in docs/formats.md; without output there is none. The
    command is run without a shell, and without the environment variables that hold
    passwords of the settings.

    Raises:
        ConfigError: The command cannot be read.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"--command cannot be read: {error}") from None
    if not words:
        raise ConfigError("--command names no program")

    def play(report: ReceivedReport) -> Sequence[str] | None:
        printed = _run(words, report.attachment, seconds, settings).strip()
        if not printed:
            return None
        return _require_mailable(
            _lines_of_json(games, report, printed) if printed.startswith("[") else printed.splitlines()
        )

    return play


def _require_mailable(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines of a sheet. Raises BotError if they cannot be mailed as one."""
    if not all(isinstance(line, str) for line in lines):
        raise BotError("what it returned is no list of lines")
    if len(lines) > MAX_LINES:
        raise BotError(f"its sheet has {len(lines)} lines, and may have {MAX_LINES}")
    if bad := next((line for line in lines if _CONTROLS.search(line) or "\n" in line or "\r" in line), None):
        raise BotError(f"its sheet is no text: it has {cut_at_word(repr(bad), 80)}")
    return lines


def _lines_of_json(games: Mapping[str, AnyRuleset], report: ReceivedReport, printed: str) -> list[str]:
    ruleset, _ = open_report(games, report.attachment)
    try:
        return [ruleset.orders.line(ruleset.orders.from_json(order)) for order in json.loads(printed)]
    except PARSE_ERRORS as error:
        raise BotError(f"it printed JSON that is no sheet of {ruleset.title}: {cut_at_word(str(error), 80)}") from None


def _run(words: Sequence[str], given: bytes, seconds: float, settings: Settings) -> str:
    """Return what a command prints. Raises BotError if it fails, takes too long, or prints what is no text."""
    # Files, not pipes: a command that reads or writes nothing cannot block, and one that prints without end is seen.
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(given)
        stdin.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - the operator's own command, without a shell
                words, stdin=stdin, stdout=stdout, stderr=stderr, env=_without_secrets(settings), start_new_session=True
            )
        except (OSError, ValueError) as error:
            raise BotError(f"the command {words[0]!r} cannot be run: {error}") from None
        try:
            _wait(process, seconds, (stdout, stderr))
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        stdout.seek(0)
        stderr.seek(0)
        printed, said = stdout.read(), stderr.read().decode("utf-8", "replace").strip()
    if process.returncode:
        last = redact_secrets(cut_at_word(said.rpartition("\n")[2], 200))
        raise BotError(f"the command ended with status {process.returncode}" + (f": {last}" if last else ""))
    try:
        return printed.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BotError("the command printed what is no text in UTF-8") from None


def _wait(process: subprocess.Popen[bytes], seconds: float, files: Sequence[IO[bytes]]) -> None:
    until = time.monotonic() + seconds
    while process.poll() is None:
        if time.monotonic() > until:
            raise BotError(f"the command has not ended after {seconds:g} seconds")
        _check_size(files)
        time.sleep(_LOOK_AGAIN)
    _check_size(files)


def _check_size(files: Sequence[IO[bytes]]) -> None:
    if any(os.fstat(file.fileno()).st_size > MOST_PRINTED for file in files):
        raise BotError(f"the command printed more than {MOST_PRINTED} bytes")


def _without_secrets(settings: Settings) -> dict[str, str]:
    secrets = {secret.env for name in SECRETS if (secret := getattr(settings, name)) is not None}
    return {name: value for name, value in os.environ.items() if name not in secrets}
