"""What the command line says: facts as plain lines, or as JSON for scripts."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from pbem.archive import ReplayProof
from pbem.campaign.creation import players_allowed
from pbem.campaign.opening import Started
from pbem.campaign.status import CampaignStatus, HouseStatus, SeatStatus, Undelivered
from pbem.demo import DemoResult
from pbem.desk.check import Check
from pbem.doctor import Diagnosis
from pbem.progress import Progress, silent
from pbem.report import Told
from pbem.report.wording import columns, sentence, when, wrapped
from pbem.ruleset import AnyRuleset, Standing
from pbem.tick import Ticked
from pbem.upkeep.letters import LetterFacts, LetterShown
from pbem.upkeep.outbox import Held


def as_json(facts: Any) -> str:
    """Facts as JSON: records become objects, times ISO 8601 in UTC, paths text."""
    return json.dumps(_plain(facts), indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    return str(value) if isinstance(value, Path) else value


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar on the terminal that errors go to; nothing anywhere else."""
    if not sys.stderr.isatty():
        yield silent
        return
    bar = _Bar()
    yield bar
    bar.finish()


class _Bar:
    """One line at a time: a new stage of the work begins a new one. Without a total, it counts."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self.finish()
            self._stage = stage
            self._bar = click.progressbar(length=total, label=stage, file=sys.stderr, show_pos=True) if total else None
        if self._bar is not None:
            self._bar.update(done - self._bar.pos)
        else:
            click.echo(f"\r{stage} {done}", nl=False, err=True)

    def finish(self) -> None:
        """Ends the line shown, if there is one."""
        if self._bar is not None:
            self._bar.render_finish()
        elif self._stage:
            click.echo(err=True)
        self._stage, self._bar = "", None


def started_lines(started: Started) -> Iterator[str]:
    """What the start of a campaign did."""
    yield f"Campaign {started.campaign} has begun with {', '.join(started.seats)}."
    yield f"Turn 1 is due {when(started.deadline, started.zone)}."
    yield f"Dice seal: {started.seal}"
    yield f"{_count(2 * len(started.seats), 'mail')} queued, a welcome and a report for each seat. Send: pbem tick"


def proof_lines(proof: ReplayProof) -> Iterator[str]:
    """What a replay proved."""
    over = ", to the end of the game" if proof.over else ""
    yield f"{proof.campaign}: the set-up and {_count(proof.turns, 'turn')} resolved again{over}; every hash agrees."
    yield f"{_count(proof.reports, 'report')} hold what the rules let their seats know."
    yield f"Newest record: {proof.head}"


def tick_lines(done: Ticked) -> Iterator[str]:
    """What a tick did, a line for each stage that did anything."""
    if done.busy:
        yield "Another tick is at work here; this one did nothing."
    before = done.answered
    facts = [
        (done.polled, f"{_count(done.polled, 'letter')} came in."),
        (before.letters, f"{_count(before.letters, 'letter')} dealt with: {_count(before.sheets, 'order sheet')}."),
        (before.set_aside, f"{_count(before.set_aside, 'letter')} set aside; see: pbem letters"),
        (done.reminded, f"{_count(done.reminded, 'reminder')} written."),
        *((1, f"{turn.campaign}: turn {turn.turn} resolved ({turn.reason}).") for turn in done.resolved),
        (done.archived, f"{_count(done.archived, 'turn')} archived late."),
        (done.sent.sent, f"{_count(done.sent.sent, 'mail')} sent."),
        (done.sent.retried, f"{_count(done.sent.retried, 'mail')} to be tried again."),
        (done.sent.failed, f"{_count(done.sent.failed, 'mail')} could not be delivered; see: pbem outbox"),
    ]
    yield from (line for number, line in facts if number)


def status_lines(status: HouseStatus) -> Iterator[str]:
    """All campaigns, and what mail is stuck."""
    if not status.campaigns:
        yield "There are no campaigns; make one with: pbem new"
    for number, campaign in enumerate(status.campaigns):
        if number:
            yield ""
        yield from _campaign_lines(campaign)
    yield from _undelivered_lines(status.undelivered, "")
    if status.set_aside:
        yield f"{_count(status.set_aside, 'letter')} set aside; see: pbem letters --state quarantined"


def _campaign_lines(campaign: CampaignStatus) -> Iterator[str]:
    where = {"forming": "not started", "running": f"turn {campaign.turn}", "over": f"over after turn {campaign.turn}"}
    yield f"{campaign.name}: {campaign.title}, {where[campaign.status]}"
    if campaign.deadline is not None:
        yield f"  deadline: {when(campaign.deadline, campaign.zone)}  [{campaign.schedule}]"
    elif campaign.status == "forming":
        yield f"  deadlines: {campaign.schedule}; start it with: pbem start {campaign.name}"
    if campaign.result is not None:
        winners = ", ".join(campaign.result.winners) or "nobody"
        yield f"  won by {winners}: {campaign.result.reason}"
    rows = [
        (seat.seat, seat.address, _sheet(seat), f"{seat.nmr_in_a_row} in a row, {seat.nmr_total} in all")
        for seat in campaign.seats
    ]
    yield from (f"  {line}" for line in columns(rows, "seat", "address", "sheet", "missed").splitlines())
    yield from _undelivered_lines(campaign.undelivered, "  ")


def _sheet(seat: SeatStatus) -> str:
    if not seat.playing:
        return "removed"
    if seat.sheet is not None:
        return f"version {seat.sheet}" + (", says WAIT" if seat.wait else "")
    return "awaited" if seat.awaited else "-"


def _undelivered_lines(mails: Sequence[Undelivered], indent: str) -> Iterator[str]:
    for mail in mails:
        tries = f", {_count(mail.attempts, 'try', 'tries')}" if mail.attempts else ""
        reply = f": {mail.reply}" if mail.reply else ""
        yield f"{indent}not delivered to {mail.recipient} ({mail.state}{tries}){reply}"


def letter_lines(letters: Sequence[LetterFacts]) -> Iterator[str]:
    """The letters there are, a line each."""
    if not letters:
        yield "There are no such letters."
        return
    rows = [
        (
            each.id,
            _utc(each.received_at),
            each.state,
            _short(each.sender or "?"),
            _short(each.subject),
            _last(each.note),
        )
        for each in letters
    ]
    yield from columns(rows, "id", "came (UTC)", "state", "from", "subject", "note").splitlines()


def shown_lines(letter: LetterShown) -> Iterator[str]:
    """One letter as the desk reads it, and what became of it."""
    yield f"Letter {letter.id}, {letter.state}, came {_utc(letter.received_at)} UTC"
    yield f"From:    {letter.sender or 'an unreadable sender'}"
    yield f"To:      {', '.join(letter.recipients)}"
    yield f"Subject: {letter.subject}"
    if letter.automatic:
        yield f"Not to be answered: {letter.automatic}."
    yield from (wrapped(sentence(note)) for note in letter.notes)
    yield from ("", letter.text or "(no text)")
    if letter.note:
        yield from ("", "What became of it:", *(f"  {line}" for line in letter.note.splitlines()))


def retried_letter(letter_id: int) -> str:
    """What was done to a letter."""
    return f"Letter {letter_id} is new again; the next tick deals with it."


def outbox_lines(mails: Sequence[Held]) -> Iterator[str]:
    """The mail not delivered, two lines each: whose it is, and what the carrier said."""
    if not mails:
        yield "Everything is delivered."
    for mail in mails:
        tries = _count(mail.attempts, "try", "tries")
        coming = f"next {_utc(mail.next_try)} UTC" if mail.next_try else "no more to come"
        yield f"{mail.id}  {mail.recipient}  {mail.subject}"
        yield f"    {mail.state}, {tries}, {coming}" + (f": {mail.reply}" if mail.reply else "")


def retried_mails(ids: Sequence[int]) -> str:
    """What was done to the outbox."""
    if not ids:
        return "No mail waits or has failed."
    return f"{_count(len(ids), 'mail')} due now; send with: pbem tick"


def diagnosis_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """A line for each thing examined, and a last one that sums up."""
    for check in diagnosis.checks:
        stop = "" if check.text.endswith((".", "?", "!")) else "."
        mend = f"{stop} To mend: {check.mend}" if check.mend else ""
        yield f"{check.result:<8} {check.name}: {check.text}{mend}"
    yield f"{_count(diagnosis.problems, 'problem')}, {_count(diagnosis.warnings, 'warning')}."


def _utc(at: dt.datetime) -> str:
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M}"


def _short(text: str, room: int = 40) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _last(note: str) -> str:
    """The line of a note that tells most: of a traceback, the last."""
    return next((line.strip() for line in reversed(note.splitlines()) if line.strip()), "")


def check_lines(check: Check) -> Iterator[str]:
    """What a receipt would say of a sheet: notes, findings, and the orders in words."""
    taken = "would be taken" if check.accepted else "would not be taken"
    yield f"{check.campaign}, {check.label}, seat {check.seat}: this sheet {taken}."
    yield f"{_count(len(check.orders), 'order')}, {_count(check.errors, 'line')} not understood."
    for note in check.notes:
        yield wrapped(sentence(note))
    for finding in check.findings:
        yield from ("", *finding_lines(finding))
    if check.orders:
        yield ""
    for order in check.orders:
        yield f"{order.line:4d}  {wrapped(sentence(order.words), '      ')}"
    if check.missing:
        yield from ("", "To know:", *(f"- {wrapped(sentence(item), '  ')}" for item in check.missing))


def finding_lines(finding: Told) -> Iterator[str]:
    """A finding, as receipts show it."""
    yield f"Line {finding.line}: {finding.source}" if finding.line else "The whole sheet:"
    for text in filter(None, (finding.text, finding.hint)):
        yield f"    {wrapped(sentence(text), '    ')}"


def game_lines(games: Iterable[AnyRuleset]) -> Iterator[str]:
    """The games there are, with their options."""
    for number, game in enumerate(games):
        if number:
            yield ""
        yield f"{game.key}: {game.title}, by {game.designer}"
        yield f"  {wrapped(sentence(game.summary), '  ')}"
        yield f"  {players_allowed(game.seats)} players" + (
            f": {', '.join(game.seats.names)}" if game.seats.names else ""
        )
        yield f"  {wrapped('pace: ' + game.pace, '  ')}"
        for option in game.options():
            text = f"--option {option.name}=…  {option.help}: {option.allowed}; usually {_default(option.default)}"
            yield f"  {wrapped(text, '    ')}"


def game_facts(games: Iterable[AnyRuleset]) -> list[dict[str, Any]]:
    """The games there are, for scripts."""
    return [
        {
            "key": game.key,
            "title": game.title,
            "designer": game.designer,
            "version": game.version,
            "summary": game.summary,
            "pace": game.pace,
            "seats": game.seats,
            "options": list(game.options()),
        }
        for game in games
    ]


def _default(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def demo_lines(result: DemoResult) -> Iterator[str]:
    """What happened in a demo, and where to look."""
    facts = [
        ("turns", str(result.turns)),
        ("order sheets", f"{result.sheets}, {result.slips} of them with a slip on purpose"),
        ("receipts", f"{result.sheets}, with {_count(result.errors, 'line')} not understood"),
        ("reports", f"{result.reports}, with {_count(result.pictures, 'picture')}"),
        ("mails sent", str(result.mails)),
        ("replay", f"passed: {_count(result.proved, 'turn')} resolved again from the archive, all hashes equal"),
        ("standing", _standing(result.standing)),
    ]
    looks = [
        ("a report", result.report),
        ("its picture", result.picture),
        ("a receipt", result.receipt),
        ("the archive", result.archive),
    ]
    yield f"{result.game}, played by mail"
    yield ""
    yield from (f"  {name:<13} {value}" for name, value in facts)
    yield ""
    yield from (f"  {name:<13} {path}" for name, path in looks if path is not None)


def _standing(standing: Standing) -> str:
    if standing.over:
        winners = ", ".join(standing.winners)
        return f"won by {winners}: {standing.reason}" if winners else f"nobody has won: {standing.reason}"
    scores = sorted(standing.scores.items(), key=lambda score: (-score[1], score[0]))
    return "still playing" + (": " if scores else "") + ", ".join(f"{seat} {score}" for seat, score in scores)


def _count(number: int, noun: str, nouns: str = "") -> str:
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"
