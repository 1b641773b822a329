"""Rulings of a GM for games that a person adjudicates: files, checks and submission.

A due turn of such a game is held instead of run. The GM writes the ruling into
text files, which can be submitted repeatedly; when the turn is released, it is
run with the newest ruling. Only `run_campaign_now` runs a turn without one.

Rulings that were replaced, dropped or rolled back are kept, and can be shown and
restored.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize
from zoneinfo import ZoneInfo

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.actions.base import Channel, PreviewedChange, Query, diff_lines
from pbem.actions.deadlines import hold
from pbem.actions.player_words import PlayerWords, forward_files, load_player_words, render_player_words
from pbem.actions.weight import Confirmed
from pbem.app import App
from pbem.campaign.deadlines import DueTurn, held_for_rulings, recheck_due
from pbem.campaign.files import save_attachments
from pbem.campaign.history import current_rolls, save_rolls
from pbem.campaign.notices import GM, describe_fault, gm_moment, post, was_posted
from pbem.campaign.questions import unanswered_questions
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    Context,
    OpenTurn,
    add_entry,
    load_campaign,
    load_open_turn,
    locked_campaign,
    require_running,
)
from pbem.campaign.turns import load_before, turn_input
from pbem.errors import CampaignError
from pbem.mail.headers import reply_code
from pbem.mail.message import AttachedFile
from pbem.mail.mime import decode_text
from pbem.mail.reply_parser import normalise_text
from pbem.report.attachments import CheckedAttachment, check_attachments
from pbem.report.notices import RulingDigest
from pbem.ruleset.order_types import Finding
from pbem.ruleset.protocol import Adjudicated, TurnInput
from pbem.ruleset.rolls import Roll
from pbem.ruleset.serialization import json_sha256
from pbem.ruleset.values import MAX_ATTACHMENT_BYTES, Json, SeatName
from pbem.store.models import Campaign, JournalEntry, PendingRequest, Turn
from pbem.store.types import HoldKind, RequestKind
from pbem.text import as_sentence, count_noun, format_time_short, shorten, wrap
from pbem.util import isolated

RULING = RequestKind.RULING
"""The kind of a `PendingRequest` that keeps a ruling. Its code is mailed to no one."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A ruling on the open turn that does not count; `at` is the time when it was replaced or dropped."""

    number: int
    at: dt.datetime
    ruling: Json


def keep_earlier(context: Context, turn: OpenTurn) -> None:
    """Keep the ruling that counted until now, if there is one, unless an equal one is kept already."""
    session, snapshot, ruling = context.session, context.snapshot, turn.ruling
    # Changing back and forth between two rulings must not fill the list of earlier ones.
    if ruling is None or any(each.ruling == ruling for each in earlier_rulings(session, snapshot, turn)):
        return
    code = reply_code(secrets.token_bytes(32), RULING)
    # The code is mailed to no one, but the daily limit of codes reads `to` and `by` of every request.
    data = {"turn_id": turn.id, "ruling": ruling, "to": "", "by": ""}
    session.add(PendingRequest(kind=RULING, code=code, campaign_id=snapshot.id, data=data, created_at=context.now))
    session.flush()


def earlier_rulings(session: Session, snapshot: CampaignSnapshot, turn: OpenTurn) -> list[Earlier]:
    """Return the rulings that counted once, oldest first: those before a rollback to this state, then those since."""
    withdrawn = select(Turn.resolved_at, Turn.ruling).where(
        Turn.campaign_id == snapshot.id,
        Turn.number == turn.number,
        Turn.withdrawal_id.is_not(None),
        Turn.state_hash == turn.state_hash,
    )
    kept = select(PendingRequest.created_at, PendingRequest.data).where(
        PendingRequest.campaign_id == snapshot.id, PendingRequest.kind == RULING
    )
    rolled_back = [
        (at or turn.opened_at, ruling) for at, ruling in session.execute(withdrawn.order_by(Turn.id)) if ruling
    ]
    replaced = [
        (at, data["ruling"])
        for at, data in session.execute(kept.order_by(PendingRequest.id))
        if data["turn_id"] == turn.id
    ]
    return [Earlier(number, at, ruling) for number, (at, ruling) in enumerate([*rolled_back, *replaced], start=1)]


def other_rulings(turn: OpenTurn, known: list[Earlier]) -> list[Earlier]:
    """Return the earlier rulings that differ from the one that counts."""
    return [each for each in known if each.ruling != turn.ruling]


def choose_earlier(name: str, turn: OpenTurn, known: list[Earlier], number: int | None) -> Earlier:
    """Return the earlier ruling of a number; without one, the newest that is not the one that counts.

    Raises:
        CampaignError: If there is none.
    """
    others = other_rulings(turn, known)
    chosen = [each for each in others if number in (None, each.number)]
    if chosen:
        return chosen[-1]
    numbers = ", ".join(str(each.number) for each in others) or "none"
    which = (
        "no earlier ruling" if number is None else f"no earlier ruling {number} that differs from the one that counts"
    )
    raise CampaignError(f"there is {which} on turn {turn.number} of {name}; there are: {numbers}")


_FILE = re.compile(r"\A\s*+FILE\s++(\S+\.txt)\s*+", re.IGNORECASE)
_LONGEST_FILE_LINE = 400
"""Characters of a line that begins a text for several readers."""
_REMARK = "#"


def format_ruling(files: Mapping[str, str], remarks: str = "") -> str:
    """Return the files of a ruling as one text, with the remarks above them."""
    said = "".join(f"{_REMARK} {line}".rstrip() + "\n" for line in remarks.splitlines())
    return said + "".join(f"FILE {name}\n{text.rstrip()}\n\n" for name, text in files.items())


def parse_ruling(lines: Iterable[str]) -> dict[str, str]:
    """Return the files in a text; that of several readers is named like "red.txt, blue.txt".

    Raises CampaignError if anything but remarks stands above the first.
    """
    files: dict[str, list[str]] = {}
    inside: list[str] | None = None
    for line in lines:
        if name := file_name(line):
            inside = files.setdefault(name, [])
            inside += filter(None, [line.partition(":")[2].strip()])  # "FILE red: You win."
        elif inside is not None:
            inside.append(line)
        elif line.strip() and not line.lstrip().startswith(_REMARK):
            reader = line.partition(":")[0].split()  # "red: You win."
            example = reader[0] if ":" in line and len(reader) == 1 else "all.txt"
            raise CampaignError(f"{line.strip()!r} belongs to no file: begin each with a line like FILE {example}")
    return {name: "\n".join(text) + "\n" for name, text in files.items()}


def file_name(line: str) -> str:
    """Return the name of the file that a line begins, or the names with ", " between them; "" if it begins none.

    Behind a colon the text may begin.
    """
    if match := _FILE.fullmatch(line):
        return match[1].lower()
    head = line.partition(":")[0].lower()
    words = head.split(maxsplit=60) if line.startswith("FILE ") and len(head) <= _LONGEST_FILE_LINE else []
    names = [name for word in words[1:] if word not in ("and", "&") for name in word.split(",") if name]
    return ", ".join(dict.fromkeys(name if name.endswith(".txt") else f"{name}.txt" for name in names))


DIGEST = "digest.txt"
"""The file with all sheets, beside those of the ruling."""

WHOLE = "ruling.txt"
"""A file with the whole ruling, for GMs who prefer a single file; FILE lines begin its parts."""

WHOLE_RULING = "the ruling"
"""The name under which findings on all files together are listed."""

_BLANK = Finding(
    0,
    "error",
    "blank-ruling",
    "nothing is told to anybody, and nothing is changed",
    "write what comes of the turn below a [RESULT]; a turn of which nothing comes is run without a ruling",
)
_FORM = re.compile(r"\s{0,9}GM\s{1,9}\S{1,40}\s{1,9}\S{1,64}\s{0,9}", re.IGNORECASE)
_PASSED_OVER = "passed-over"
_LOGO = "this picture stands in the mail's own text, and no line of the ruling shows it: it was left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFiles:
    """The files of a ruling, written to a folder; those in `left` were there already and are unchanged.

    `kept` is the subfolder to which overwritten files with other text were moved; None if there were none.
    """

    campaign: str
    turn: int
    folder: Path
    written: tuple[str, ...]
    left: tuple[str, ...]
    kept: Path | None = None


@dataclass(frozen=True, slots=True)
class Replaced:
    """A part of a ruling that another replaces: its name, its text before, and the text that counts, "" for none."""

    part: str
    before: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingResult:
    """A ruling as it was read: the findings of each file, and `kept`, which is true if it has no error.

    `rolled` are the rolls made for it; a dry run has none. `replaced` are the parts of
    the ruling before that it changes; with `same` it changes nothing at all. `before`
    is the time at which that was submitted, on the campaign's clocks, "" if there is none.
    """

    campaign: str
    turn: int
    kept: bool
    findings: Mapping[str, tuple[Finding, ...]]
    rolled: tuple[Roll, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    same: bool = False
    before: str = ""

    @property
    def errors(self) -> int:
        """The number of errors, for which the ruling is not used."""
        return sum(finding.severity == "error" for found in self.findings.values() for finding in found)

    @property
    def asks(self) -> bool:
        """True if it counts only once it is confirmed: it replaces a part of another, or the game warns of something.

        That is a seat without words of its own, or a ledger below zero.
        """
        warned = any(
            finding.severity == "warning" and finding.code != _PASSED_OVER
            for found in self.findings.values()
            for finding in found
        )
        return self.kept and not self.same and (bool(self.replaced) or warned)


@dataclass(frozen=True, slots=True)
class RulingForm:
    """A ruling to be filled in: its turn, the revision of its campaign, its files, and the sheets as a digest.

    `mailed` is the same without remarks, as lines of a mail.
    """

    campaign: str
    turn: int
    revision: int
    files: Mapping[str, str]
    digest: str
    mailed: str

    @property
    def text(self) -> str:
        """The files as one text, with the sheets above them as remarks."""
        return format_ruling(self.files, self.digest)


class OpenRuling(NamedTuple):
    """An open turn that its GM decides."""

    snapshot: CampaignSnapshot
    ruleset: Adjudicated
    turn: OpenTurn
    state: Any
    given: TurnInput


def awaits_ruling(app: App, turn: DueTurn, now: dt.datetime) -> bool:
    """Return True if a due turn that was not run must wait for its GM; it is held from then on."""
    with app.store.writing() as session:
        context = Context(session, app, locked_campaign(session, turn.campaign), now)
        waits = recheck_due(session, turn, now) is not None and needs_ruling(context)
        if waits:
            hold(context, HoldKind.RULING)
        return waits


def needs_ruling(context: Context) -> bool:
    """Return True if the GM decides the open turn of the campaign, and has not done so."""
    # A game that a GM decides is a ruleset with these methods; nothing else tells it (decision 10).
    if not isinstance(context.app.game(context.snapshot.game), Adjudicated):
        return False
    return load_open_turn(context.session, context.snapshot).ruling is None


def send_digests(app: App, now: dt.datetime, campaign: str | None) -> list[str]:
    """Mail the sheets of each turn that is held for a ruling to its GM, once, and again when they have changed.

    Returns:
        A sentence for each campaign whose digest failed.
    """
    with app.store.reading() as session:
        names = held_for_rulings(session, campaign)
    problems = []
    for name in names:
        with isolated() as faults:
            _send_digest(app, name, now)
        for fault in faults:
            said = describe_fault(app, name, fault)
            problems.append(f"campaign {name}: its GM could not be sent the sheets ({said})")
    return problems


@dataclass(frozen=True, slots=True)
class SubmitRuling(PreviewedChange[RulingResult]):
    """Take a GM's files, by name, as the ruling on the open turn; with `of`, only on that turn and revision.

    Parts that they do not name stay as in the ruling before. `brought` are the pictures and
    files beside them; `passed_over` are names of inline pictures of a mail that no line of
    the ruling shows.
    """

    weight = Confirmed("what was ruled before", "pbem ruling NAME --restore")
    kind = "ruling"
    files: Mapping[str, str]
    of: tuple[int, int] | None = None
    brought: Mapping[str, CheckedAttachment] = field(default_factory=dict)
    passed_over: tuple[str, ...] = ()

    def asks(self, context: Context, facts: RulingResult) -> bool:
        """Return what the dry run says of it."""
        return facts.asks

    def look(self, context: Context) -> RulingResult:
        """Return how the files read, and whether they could be kept; no dice are rolled."""
        _, _, taken = self._read(context)
        # A dry run rolls nothing, lest a GM confirm only what suits (decision 38).
        return replace(taken, rolled=())

    def do(self, context: Context) -> RulingResult:
        """Keep the ruling if it has no error; then the turn is held until the GM releases it.

        Raises:
            CampaignError: If its GM does not decide the turn, or it is no longer open.
        """
        open_, ruling, taken = self._read(context)
        if taken.kept and not taken.same:
            save_rolls(context.session, context.snapshot, taken.rolled, context.now)
            count_ruling(context, open_.turn, ruling)
            contents = {each.enclosure.sha256: each.content for each in self.brought.values() if each.enclosure}
            save_attachments(context.session, context.snapshot.id, open_.turn.id, contents)
        return taken

    def _read(self, context: Context) -> tuple[OpenRuling, Json, RulingResult]:
        snapshot = context.snapshot
        # An editor may be open for hours, in which the turn is run or rolled back (decision 13).
        if self.of is not None and self.of != (snapshot.turn, snapshot.revision):
            raise CampaignError(
                f"turn {self.of[0]} of {snapshot.name} is no longer the one you ruled on: nothing was taken"
            )
        open_ = open_ruling(context)
        brought = {name: each.enclosure for name, each in self.brought.items()}
        rolls = current_rolls(context.session, snapshot)
        before = open_.turn.ruling
        # It never raises: faults are findings by file and line (decision 10).
        ruling, read = open_.ruleset.read_ruling(open_.state, self.files, rolls, brought, before)
        findings = _add_file_findings(read, self.brought, self.passed_over)
        parts = {} if has_errors(findings) else open_.ruleset.ruling_parts(open_.state, ruling)
        if not has_errors(findings) and not parts:
            findings = {**findings, WHOLE_RULING: (_BLANK,)}
        kept, now = not has_errors(findings), ruled_parts(open_)
        taken = RulingResult(
            campaign=snapshot.name,
            turn=snapshot.turn,
            kept=kept,
            findings=findings,
            rolled=tuple(rolls.fresh) if kept else (),
            replaced=replaced_parts(now, parts) if kept else (),
            same=kept and parts == now,
            before=_clock(submitted_at(context.session, snapshot, before), context),
        )
        return open_, ruling, taken

    def render(self, facts: RulingResult, channel: Channel) -> Iterator[str]:
        return render_ruling(facts, channel)


def render_ruling(taken: RulingResult, channel: Channel) -> Iterator[str]:
    """Yield the findings of a ruling, and what becomes of it."""
    if taken.asks and not channel.done:
        yield channel.fact(f"submit this ruling on turn {taken.turn} of {taken.campaign}.")
    for file, findings in taken.findings.items():
        # Beside an error, such as a misspelt file, a warning is often only what follows from it.
        yield from render_findings(file, (each for each in findings if taken.kept or each.severity == "error"))
    if taken.kept and taken.same:
        yield f"Nothing to do: this is your ruling on turn {taken.turn} of {taken.campaign} as it stands."
    elif taken.kept:
        yield from render_replaced(taken.turn, taken.campaign, taken.replaced, channel)
        yield from (wrap(f"Rolled: {roll.describe(roll.number)}", "    ") for roll in taken.rolled)
        yield channel.undone or _submitted(taken, channel)
    else:
        many = taken.errors > 1
        said = f"{count_noun(taken.errors, 'error')}. Fix {'them' if many else 'it'} and submit again."
        yield channel.either(f"Not done: {said}", said)


def _submitted(taken: RulingResult, channel: Channel) -> str:
    release, run = (channel.either(f"pbem {verb} {taken.campaign}", verb.upper()) for verb in ("release", "run"))
    before = f" ({'replaces' if taken.replaced else 'adds to'} that of {taken.before})" if taken.before else ""
    return channel.fact(f"ruling on turn {taken.turn} submitted{before}. Run it: {release}; before the deadline: {run}")


def _clock(at: dt.datetime | None, context: Context) -> str:
    """Return the time of day by the campaign's clocks, with the date unless it is today."""
    zone = context.snapshot.schedule.zone
    if at is None:
        return ""
    today = at.astimezone(ZoneInfo(zone)).date() == context.now.astimezone(ZoneInfo(zone)).date()
    return f"{at.astimezone(ZoneInfo(zone)):%H:%M}" if today else format_time_short(at, zone)


def render_findings(file: str, findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        line = f", line {finding.line}" if finding.line else ""
        hint = f" {as_sentence(finding.hint)}" if finding.hint else ""
        # Not capitalised: names of seats and of files are in small letters.
        text = finding.text[:1] + as_sentence(finding.text)[1:]
        yield wrap(f"{finding.severity.capitalize()}: {file}{line}: {text}{hint}", "    ")


def render_replaced(turn: int, campaign: str, replaced: Iterable[Replaced], channel: Channel) -> Iterator[str]:
    """Yield the parts of a ruling that another replaces, line by line, and how to restore them."""
    parts = tuple(replaced)
    if not parts:
        return
    yield f"{'Replaced' if channel.done else 'Would replace'} in your ruling on turn {turn} of {campaign}:"
    for each in parts:
        yield f"  {each.part}" + ("" if each.now else ", which is taken out")
        yield from (f"    {wrap(line, '      ')}" for line in diff_lines(each.before, each.now))
    if channel.done:
        back = channel.either(f"pbem undo {campaign}", "RULING BACK")
        yield f"The ruling before is kept. To have it back: {back}"


def has_errors(findings: Mapping[str, tuple[Finding, ...]]) -> bool:
    """Return True if the findings make a ruling unusable."""
    return any(finding.severity == "error" for found in findings.values() for finding in found)


def ruled_parts(open_: OpenRuling) -> Mapping[str, str]:
    """Return the parts of the ruling that counts; none if there is no ruling."""
    ruling = open_.turn.ruling
    return {} if ruling is None else open_.ruleset.ruling_parts(open_.state, ruling)


def replaced_parts(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[Replaced, ...]:
    """Return the parts of the ruling that counts which another would change, with the new text."""
    return tuple(Replaced(part, text, now.get(part, "")) for part, text in before.items() if now.get(part) != text)


@dataclass(frozen=True, slots=True)
class ShowRulingForm(Query[RulingForm]):
    """Show the form of the ruling on the open turn."""

    def look(self, context: Context) -> RulingForm:
        """Return the form, with the current ruling in it, and the sheets.

        Raises:
            CampaignError: As from `open_ruling`.
        """
        open_ = open_ruling(context)
        return RulingForm(
            context.snapshot.name,
            context.snapshot.turn,
            context.snapshot.revision,
            _render_files(open_),
            _render_digest(open_, load_player_words(context, open_.turn)),
            _mailed_form(open_),
        )


def submitted_at(session: Session, snapshot: CampaignSnapshot, ruling: Json) -> dt.datetime | None:
    """Return the time at which the ruling on the open turn was submitted, or restored; None if there is none."""
    if ruling is None:
        return None
    said = JournalEntry.campaign_id == snapshot.id, JournalEntry.text == _journalled(snapshot.turn, ruling)
    return session.scalar(select(JournalEntry.at).where(*said).order_by(JournalEntry.id.desc()).limit(1))


def _journalled(turn: int, ruling: Json) -> str:
    return f"ruled on turn {turn} (digest {json_sha256(ruling)[:12]})"


def _add_file_findings(
    findings: Mapping[str, tuple[Finding, ...]], brought: Mapping[str, CheckedAttachment], passed_over: Sequence[str]
) -> Mapping[str, tuple[Finding, ...]]:
    """Return the findings of a ruling, with those on files beside it that cannot be sent."""
    faults = {
        name: (Finding(0, "error", "unfit-file", f"this file cannot be sent: {each.fault}"),)
        for name, each in brought.items()
        if each.enclosure is None
    }
    logos = {name: (Finding(0, "warning", "passed-over", _LOGO),) for name in passed_over}
    return {**findings, **faults, **logos}


def write_folder(form: RulingForm, folder: Path, *, force: bool = False) -> WrittenFiles:
    """Write the sheets and the files of a ruling into a folder. Existing files stay, or with `force` are moved aside.

    Raises:
        OSError: If the folder cannot be used.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DIGEST).write_text(form.digest, encoding="utf-8")
    there = tuple(file for file in form.files if (folder / file).exists())
    left, kept = ((), _move_aside(form, folder, there)) if force else (there, None)
    for file in form.files.keys() - set(left):
        (folder / file).write_text(form.files[file], encoding="utf-8")
    written = (DIGEST, *(file for file in form.files if file not in left))
    return WrittenFiles(campaign=form.campaign, turn=form.turn, folder=folder, written=written, left=left, kept=kept)


def _move_aside(form: RulingForm, folder: Path, there: Sequence[str]) -> Path | None:
    """Move the files that another text would overwrite into a subfolder; return it, or None if there are none."""
    others = [file for file in there if (folder / file).read_bytes() != form.files[file].encode()]
    if not others:
        return None
    # A half-written ruling must not vanish without a trace.
    aside = next(path for number in count(1) if not (path := folder / f"before-{number}").exists())
    aside.mkdir()
    for file in others:
        (folder / file).rename(aside / file)
    return aside


class RulingFiles(NamedTuple):
    """A ruling in a folder: its text files by name, and the files beside them."""

    files: dict[str, str]
    brought: Mapping[str, CheckedAttachment]

    def submission(self, of: tuple[int, int] | None = None) -> SubmitRuling:
        """Return the action that submits it; `of` as there."""
        return SubmitRuling(self.files, of, self.brought)


def read_folder(name: str, folder: Path) -> RulingFiles:
    """Return the ruling in a folder: its text files, or the parts of the one named `WHOLE`.

    Hidden files and subfolders are ignored.

    Raises:
        CampaignError: If there are no texts, or `WHOLE` and others.
    """
    files = sorted(path for path in folder.glob("[!.]*") if path.is_file())
    paths = [path for path in files if path.suffix.lower() == ".txt" and path.name != DIGEST]
    if not paths:
        raise CampaignError(
            f"there are no files of a ruling in {folder}: write them with: pbem ruling {name} --form {folder}"
        )
    brought = check_attachments((path.name, _read_start(path)) for path in files if path.suffix.lower() != ".txt")
    return RulingFiles(_read_texts(folder, paths), brought)


def _read_texts(folder: Path, paths: Sequence[Path]) -> dict[str, str]:
    texts = {path.name: decode_text(path.read_bytes(), "") for path in paths}
    if WHOLE not in texts:
        return texts
    if len(texts) > 1:
        other = next(file for file in texts if file != WHOLE)
        raise CampaignError(f"{folder} has the whole ruling in {WHOLE}, and {other} besides: take one of them out")
    return parse_ruling(texts[WHOLE].splitlines())


def ruling_by_mail(files: Mapping[str, str], attached: Sequence[AttachedFile]) -> SubmitRuling:
    """Return the action that submits a mailed ruling, with the files of its mail.

    Text files are parts of the ruling, unless the form itself came as one. Inline
    pictures that no line names are left out. Call outside of a transaction: examining
    the files may take long.

    Raises:
        CampaignError: If a file is in the mail's text and attached too.
    """
    texts = dict(files)
    for each in attached:
        name = each.name.lower()
        if name.endswith(".txt") and not _is_mailed_form(each.content):
            if name in texts:
                raise CampaignError(f"{name} stands in the mail's text, and is attached besides: take one of them out")
            texts[name] = decode_text(each.content, "")
    said = " ".join(normalize("NFC", "\n".join(texts.values())).casefold().split())
    others = [each for each in attached if not each.name.lower().endswith(".txt")]
    logos = [each.name for each in others if each.inline and each.name.casefold() not in said]
    # Three SVG files of 226 bytes once took minutes, in which the database was locked.
    brought = check_attachments((each.name, each.content) for each in others if each.name not in logos)
    return SubmitRuling(texts, brought=brought, passed_over=tuple(dict.fromkeys(logos)))


def _is_mailed_form(content: bytes) -> bool:
    """Return True if a text file is the mailed form itself, whose lines were read as the mail's text."""
    return any(_FORM.fullmatch(line) for line in decode_text(content, "").splitlines())


def _read_start(path: Path) -> bytes:
    """Return a file's content; of one that is far too large, enough to see that."""
    with path.open("rb") as file:
        return file.read(2 * MAX_ATTACHMENT_BYTES)


def open_ruling(context: Context) -> OpenRuling:
    """Return the open turn of a campaign whose GM decides it.

    Raises:
        CampaignError: If the game resolves its turns itself, or no turn is open.
    """
    snapshot = context.snapshot
    ruleset = context.app.game(snapshot.game)
    if not isinstance(ruleset, Adjudicated):
        raise CampaignError(f"campaign {snapshot.name} needs no ruling: {ruleset.title} resolves its turns itself")
    require_running(snapshot)
    before = load_before(context)
    state = ruleset.load(json.loads(before.turn.state), snapshot.version)
    return OpenRuling(snapshot, ruleset, before.turn, state, turn_input(before))


def _render_digest(open_: OpenRuling, words: Sequence[PlayerWords], seats: Collection[SeatName] | None = None) -> str:
    """Return the sheets of all seats or of some, and below them what else these wrote."""
    sheets = open_.ruleset.digest(open_.state, open_.given.orders, open_.given.missing, seats)
    besides = render_player_words(words, seats)
    return f"{sheets.rstrip()}\n\n{besides}" if besides else sheets


def _render_files(
    open_: OpenRuling, *, brief: bool = False, seats: Collection[SeatName] | None = None
) -> Mapping[str, str]:
    given = open_.given
    return open_.ruleset.ruling_files(
        open_.state, given.orders, given.missing, open_.turn.ruling, brief=brief, seats=seats
    )


def _mailed_form(open_: OpenRuling, seats: Collection[SeatName] | None = None) -> str:
    """Return the form as it is mailed, of all seats or of some, from RULING to END."""
    # A reply may hold the form of another turn or campaign, so that its first line names both.
    first = f"RULING ; {open_.snapshot.name}, turn {open_.snapshot.turn}"
    return f"{first}\n{format_ruling(_render_files(open_, brief=True, seats=seats)).rstrip()}\nEND"


DIGEST_KIND = RequestKind.DIGEST
"""The kind of a `PendingRequest` with the code of a mail to a GM that has the form of a ruling."""


class SentDigest(NamedTuple):
    """A mail with the sheets of a turn: when it was sent, and a checksum of each seat's sheet."""

    at: dt.datetime
    seen: Mapping[SeatName, str]


def last_digest(session: Session, turn_id: int) -> SentDigest | None:
    """Return the newest mail with the sheets of a turn; None if there is none yet."""
    sent = (
        select(PendingRequest.created_at, PendingRequest.data)
        .where(PendingRequest.kind == DIGEST_KIND)
        .order_by(PendingRequest.id.desc())
    )
    return next(
        (SentDigest(at, data["seen"]) for at, data in session.execute(sent) if data.get("turn_id") == turn_id), None
    )


def _send_digest(app: App, name: str, now: dt.datetime) -> None:
    with app.store.reading() as session:
        context = Context(session, app, load_campaign(session, name), now)
        open_ = open_ruling(context)
        words = load_player_words(context, open_.turn)
        whole = _render_digest(open_, words)
        # With the deadline: after an extension the GM hears again that the turn awaits them, even without a new sheet.
        moment = gm_moment(context.snapshot, "digest", json_sha256(whole), str(open_.turn.deadline))
        if was_posted(context, moment):
            return
        sent = last_digest(session, open_.turn.id)
        seen = {seat: json_sha256(_render_digest(open_, words, (seat,)))[:16] for seat in open_.snapshot.seats}
        changed = () if sent is None else tuple(seat for seat in seen if seen[seat] != sent.seen.get(seat))
        page = _build_page(open_, words, sent.at if sent else None, changed, open_questions(context))
    files = forward_files(words, changed or None)
    page = replace(page, files_left=files.left)
    with app.store.writing() as session:
        snapshot = locked_campaign(session, name)
        context = Context(session, app, snapshot, now)
        # The digest was made without the lock: it is sent only if the turn is still as it was read.
        if was_posted(context, moment) or (snapshot.turn, snapshot.revision, snapshot.hold_kind) != (
            open_.snapshot.turn,
            open_.snapshot.revision,
            open_.snapshot.hold_kind,
        ):
            return
        code = reply_code(secrets.token_bytes(32), DIGEST_KIND)
        # `to` and `by` are empty, so that the daily limit of codes does not count it.
        data = {"turn_id": open_.turn.id, "gm": snapshot.gm.lower(), "seen": seen, "form": form_hash(page.form)}
        session.add(
            PendingRequest(
                kind=DIGEST_KIND,
                code=code,
                campaign_id=snapshot.id,
                data={**data, "to": "", "by": ""},
                message_id=post(context, GM, page, id_=moment, code=code, files=files.parts),
                created_at=now,
            )
        )


def form_hash(form: str) -> str:
    """Return the checksum of a form, whatever blanks and line ends a mail program has made of it."""
    return json_sha256(normalise_text(form).split())


def open_questions(context: Context) -> tuple[str, ...]:
    """Return the questions of players to their GM that are not answered yet, one line each."""
    waiting = unanswered_questions(context.session, context.snapshot)
    return tuple(
        f"{each.number}, from {each.seat}: {shorten(' '.join(each.text.split()), _EXCERPT)}" for each in waiting
    )


_EXCERPT = 120
"""Characters of a question in the mail with the sheets."""


def _build_page(
    open_: OpenRuling,
    words: Sequence[PlayerWords],
    since: dt.datetime | None,
    changed: tuple[SeatName, ...],
    questions: tuple[str, ...],
) -> RulingDigest:
    snapshot = open_.snapshot
    return RulingDigest(
        campaign=snapshot.name,
        turn=snapshot.turn,
        deadline=open_.turn.deadline,
        zone=snapshot.schedule.zone,
        missing=tuple(seat for seat in snapshot.seats if seat in open_.given.missing),
        digest=_render_digest(open_, words, changed or None),
        form=_mailed_form(open_, changed or None),
        help=tuple(open_.ruleset.ruling_help.split("\n\n")),
        ruled=snapshot.hold_kind == HoldKind.RULED,
        changed=changed,
        since=since,
        questions=questions,
    )


def count_ruling(context: Context, turn: OpenTurn, ruling: Json) -> None:
    """Make a ruling on the open turn count, None for none, and keep the one before."""
    session, snapshot = context.session, context.snapshot
    said = _journalled(turn.number, ruling)
    if ruling is None:
        said = f"the ruling on turn {turn.number} is dropped (digest {json_sha256(turn.ruling)[:12]})"
    keep_earlier(context, turn)
    session.execute(update(Turn).where(Turn.id == turn.id).values(ruling=ruling))
    add_entry(session, snapshot.id, context.now, actor="gm", text=said)
    hold_as_ruled(context)


def hold_as_ruled(context: Context) -> None:
    """Hold a turn on which its GM has ruled until its release, if it is not held for another reason.

    Without a ruling it waits for one if it is due; a turn that is not due is open like any other.
    """
    session, turn = context.session, load_open_turn(context.session, context.snapshot)
    before, after = HoldKind.RULING, HoldKind.RULED
    if turn.ruling is None:
        due = turn.deadline is not None and turn.deadline <= context.now
        before, after = HoldKind.RULED, HoldKind.RULING if due else HoldKind.NONE
    elif hold(context, HoldKind.RULED):
        return
    held = update(Campaign).where(Campaign.id == context.snapshot.id, Campaign.hold_kind == before)
    session.execute(held.values(hold_kind=after))
