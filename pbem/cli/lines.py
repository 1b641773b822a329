"""Lines for people, of facts that no action renders: backups, mail, proofs and games."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pbem.actions.base import format_utc, render_reading
from pbem.actions.status import ImportStatus, render_confirmed
from pbem.admin.mail import COUNTS, DeliveryCounts, MessageDetail, MessageList, SavedMessage, UndeliveredMail
from pbem.campaign.snapshot import format_player_count
from pbem.report.answers import accepted_part
from pbem.text import as_sentence, count_noun, format_table, format_time, quote_lines, wrap

if TYPE_CHECKING:
    from pbem.actions.open_turn import Preview
    from pbem.actions.open_turn import PreviewFiles as PreviewWritten
    from pbem.actions.ruling import WrittenFiles as RulingWritten
    from pbem.admin.checks import Diagnosis
    from pbem.archive.replay import ReplayProof
    from pbem.archive.verify import LocatedFile, TurnRun, VerifyResult
    from pbem.backup.create import BackupCreated
    from pbem.backup.restore import BackupCheck, RestoreResult
    from pbem.backup.transfer import ExportResult, ImportResult
    from pbem.cli.sheet_check import Check
    from pbem.games import InstalledGames
    from pbem.ruleset.protocol import AnyRuleset


def made_lines(made: BackupCreated) -> Iterator[str]:
    """Yield what is in a backup, and what is not."""
    yield f"{made.path}: {made.bytes:,} bytes, {count_noun(len(made.campaigns), 'campaign')}."
    if made.lacking:
        lacking = count_noun(made.lacking, "turn")
        yield wrap(f"In the archive, {lacking} incomplete or not written yet; the database in the backup has them.")
    yield from _left_out_lines(made.left_out)
    if made.removed:
        yield f"Removed: {', '.join(made.removed)}"
    if made.verified is None:
        yield f"Next: pbem verify {shlex.quote(str(made.path))}"


def checked_lines(checked: BackupCheck) -> Iterator[str]:
    """Yield what was proved of a backup, and what is wrong."""
    yield f"{checked.path}: made {format_time(checked.made, 'UTC')} by pbem {checked.pbem}."
    for each in checked.campaigns:
        proved = "not all proved" if each.unproved else "proved to the last result"
        yield f"{each.campaign}: {count_noun(each.turns, 'turn')}, {proved}."
        yield from (wrap(f"  {reason}", "  ") for reason in each.unproved)
    yield from _fault_lines(checked)
    if not checked.problems:
        yield f"Verified: all files match, the database is intact, {_proved(checked)}."


def _proved(checked: BackupCheck) -> str:
    proved = sum(not each.unproved for each in checked.campaigns)
    of = f"{proved} of " if proved < len(checked.campaigns) else ""
    return f"{of}{count_noun(len(checked.campaigns), 'campaign')} proved"


def restored_lines(restored: RestoreResult) -> Iterator[str]:
    """Yield what was restored, what is missing, and what to do next."""
    made = format_time(restored.made, "UTC")
    yield f"{restored.home} (backup of {made}) is inactive: it reads, runs and sends nothing."
    if restored.held:
        yield wrap(
            f"On hold until released: {', '.join(restored.held)}. Players and GMs are notified once the home is active."
        )
    if restored.mails:
        yield wrap(
            f"{count_noun(restored.mails, 'mail')} not sent when the backup was made, and perhaps sent since. "
            "List them: pbem outbox; send them: pbem outbox all --retry"
        )
    yield from (wrap(f"Missing: {each}.") for each in restored.lacks)
    yield from (wrap(f"Changed in pbem.toml, to keep to the home: {each}.") for each in restored.moved)
    yield from reaching_lines(restored.reaches)
    yield from _fault_lines(restored)
    yield ""
    yield "In the new home:"
    steps = (
        (
            "Make sure that the old home does not run any more, and put in place what is missing. Restore only backups "
            "of your own. A campaign of another's home: pbem import."
        ),
        "pbem doctor",
        (
            f"Messages that came after {made} and were read by the old home are in its mailbox's folder Processed: "
            "move them back to the inbox. Those that are known are not processed twice."
        ),
        "pbem restore --activate, which asks, and then pbem tick, which reads the mail.",
        "pbem status; for each campaign on hold: pbem deadline, if its deadline is near, and pbem release.",
    )
    yield from (wrap(f"{number}. {step}", "   ") for number, step in enumerate(steps, start=1))
    yield f"Next: pbem --home {shlex.quote(str(restored.home))} restore --activate"


def reaching_lines(reaches: Sequence[str]) -> Iterator[str]:
    """Yield what a home will run and reach."""
    yield "Once it is active, by its pbem.toml:"
    yield from (wrap(f"- {each}", "  ") for each in reaches)


def exported_lines(exported: ExportResult) -> Iterator[str]:
    """Yield what was exported, and what to do with it."""
    name = exported.campaign
    yield f"{exported.path}: {exported.bytes:,} bytes. {name} is played at {exported.to} now, and here no more."
    yield wrap(
        "Players who write here are told so. The file has its seeds, sheets and reports: take it to the other home "
        "yourself, and import it there:"
    )
    yield f"  pbem import {shlex.quote(exported.path.name)}"
    yield f"If it cannot be played there, undo: pbem undo {name}"


def imported_lines(imported: ImportResult) -> Iterator[str]:
    """Yield what was imported, and what to do next."""
    name = imported.campaign
    yield f"{name} is played here from now on; it came from {imported.came_from}, and turn {imported.turn} is open."
    yield wrap(f"Asked to confirm: {', '.join(imported.asked) or 'no player'}. The GM is mailed a token.")
    yield from (wrap(f"Not proved here: {reason}") for reason in imported.unproved)
    waiting = render_confirmed(ImportStatus((), imported.asked))
    yield f"On hold. {waiting} Release: pbem release {name}"


def _fault_lines(found: BackupCheck | RestoreResult) -> Iterator[str]:
    yield from (f"Not installed here: {game}." for game in found.unknown)
    yield from _left_out_lines(found.left_out)
    yield from (wrap(f"Problem: {as_sentence(problem)}") for problem in found.problems)


def _left_out_lines(left_out: tuple[str, ...]) -> Iterator[str]:
    yield from (wrap(f"Not in the backup: {each}.") for each in left_out)


def diagnosis_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield a line for each check, and a last one that sums up."""
    for each in diagnosis.checks:
        stop = "" if each.text.endswith((".", "?", "!")) else "."
        fix = f"{stop} Fix: {each.mend}" if each.mend else ""
        yield f"{each.result:<8} {each.name}: {each.text}{fix}"
    yield f"{count_noun(diagnosis.problems, 'problem')}, {count_noun(diagnosis.warnings, 'warning')}."


def message_lines(listed: MessageList) -> Iterator[str]:
    """Yield the messages asked for, a line each, and whether there are more."""
    rows = [
        (
            each.id,
            format_utc(each.received_at),
            each.state,
            _shorten(each.sender or "?"),
            _shorten(each.subject),
            _last_line(each.note),
        )
        for each in listed.messages
    ]
    yield from format_table(rows, "id", "received (UTC)", "state", "from", "subject", "note").splitlines()
    if listed.total > len(rows):
        yield f"The newest {len(rows)} of {listed.total} messages; more: --limit"


def shown_lines(message: MessageDetail) -> Iterator[str]:
    """Yield one message as the inbox reads it, and what became of it."""
    head = list(head_lines(message))
    at = head.index("") if "" in head else len(head)
    yield from (*head[:at], "", message.text or "(no text)", *head[at:])


def head_lines(message: MessageDetail) -> Iterator[str]:
    """Yield what is told of a message: its head, and below a blank line what became of it."""
    yield f"Message {message.id}, {message.state}, received {format_utc(message.received_at)} UTC"
    yield f"From:    {message.sender or 'an unreadable sender'}"
    yield f"To:      {', '.join(message.recipients)}"
    yield f"Subject: {message.subject}"
    if message.automatic:
        yield f"Not to be answered: {message.automatic}."
    yield from (wrap(as_sentence(note)) for note in message.notes)
    if message.note:
        yield from ("", "Result:", *(f"  {line}" for line in message.note.splitlines()))


def saved_lines(saved: SavedMessage) -> Iterator[str]:
    """Yield where a message was saved, with its files."""
    yield f"Done: message {saved.id} saved in {saved.folder}:"
    yield from (f"  {name}" for name in saved.files)


def outbox_lines(mails: Sequence[UndeliveredMail]) -> Iterator[str]:
    """Yield the undelivered mail, two lines each, the second with the carrier's last reply."""
    if not mails:
        yield "No undelivered mail."
    for mail in mails:
        tries = count_noun(mail.attempts, "try", "tries")
        coming = f"next {format_utc(mail.next_try)} UTC" if mail.next_try else "no more tries"
        yield f"{mail.id}  {mail.recipient}  {mail.subject}"
        yield f"    {mail.state}, {tries}, {coming}" + (f": {mail.reply}" if mail.reply else "")


def ledger_lines(accounts: Sequence[DeliveryCounts]) -> Iterator[str]:
    """Yield the fate of each reader's mail: a table, then the last reply for those who have trouble."""
    if not accounts:
        yield "No mail."
        return
    rows = [
        (
            each.campaign or "-",
            ", ".join(each.seats) or "-",
            each.address,
            *(getattr(each, name) for name in COUNTS),
        )
        for each in accounts
    ]
    yield from format_table(rows, "campaign", "seat", "address", *COUNTS).splitlines()
    for each in accounts:
        if each.bounced or each.refused or each.retried:
            yield f"{each.address}: {each.reply}"


def retried_mails(ids: Sequence[int]) -> list[str]:
    if not ids:
        return ["Nothing to do: no mail is undelivered."]
    return [f"Done: {count_noun(len(ids), 'mail')} due now.", "Next: pbem tick"]


def _shorten(text: str, room: int = 40) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _last_line(note: str) -> str:
    """Return the line of a note that says most: of a traceback, the last."""
    return next((line.strip() for line in reversed(note.splitlines()) if line.strip()), "")


def proof_lines(proof: ReplayProof) -> Iterator[str]:
    """Yield the result of a replay."""
    over = ", to the end of the game" if proof.over else ""
    yield f"{proof.campaign}: the set-up and {count_noun(proof.turns, 'turn')} run again{over}; every hash agrees."
    yield f"{count_noun(proof.reports, 'report')} hold what the rules let their seats know."
    if proof.withdrawn:
        yield f"{count_noun(proof.withdrawn, 'turn')} withdrawn: as when that was done."
    yield f"Newest record: {proof.head}"


def verified_lines(verified: VerifyResult) -> Iterator[str]:
    """Yield the result of verifying an archive by itself."""
    turns, files = count_noun(verified.turns, "turn"), count_noun(verified.files, "file")
    yield f"{verified.campaign}: {turns}, {files}, {count_noun(verified.sheets, 'sheet')} used."
    yield "The chain of records, all files, and the checksum of every sheet agree."
    yield f"Dice seal of the start: {verified.seal}"
    if verified.words:
        own = ", ".join(each.seat for each in verified.words if each.own) or "none"
        yield wrap(f"Dice words, the same in all first reports; from players: {own}.")
    if verified.rolls:
        rolled = f"Rolled by the GM: {count_noun(verified.rolls, 'roll')}, none left out by its number."
        yield rolled if verified.unproved else f"{rolled} Each follows from the seed."
    if not verified.unproved:
        over = ", to the end of the game" if verified.over else ""
        yield f"The seed has this seal, and every turn was run again with it{over}: all results agree."
    for reason in verified.unproved:
        yield wrap(f"Not proved yet: {reason}")
    if verified.patched:
        yield f"Changed by the GM after the rules: turn {', '.join(map(str, verified.patched))}."
    if verified.withdrawn:
        yield f"Withdrawn turns: {verified.withdrawn}. Every run of those turns:"
        again = {run.turn for run in verified.runs if run.withdrawn}
        yield from (_run_line(run) for run in verified.runs if run.turn in again)
    if verified.unnamed:
        yield wrap(
            f"Not proved yet: that nothing is missing of the turns withdrawn last ({verified.unnamed} of these): "
            "the record of the next turn will show it."
        )
    for held in verified.held:
        yield _held_line(held)
    yield f"Newest record: {verified.head}"


def _run_line(run: TurnRun) -> str:
    what = f"turn {run.turn}" if run.turn else "the set-up"
    at = format_time(dt.datetime.fromisoformat(run.resolved), "UTC")
    return f"  {what}, run {at}: " + (f"withdrawn, record {run.record}" if run.withdrawn else "counts")


def _held_line(held: LocatedFile) -> str:
    place = f"turn {held.turn}, which was withdrawn" if held.withdrawn else f"turn {held.turn}"
    if held.what == "report":
        return wrap(f"The report {held.name} is that of {place}, as it was mailed.")
    return f"The record of {place} is there: {held.name}"


def check_lines(check: Check) -> Iterator[str]:
    """Yield what a receipt would say of a sheet: notes, findings, and the orders in words."""
    part = accepted_part(check.orders, check.findings, accepted=check.accepted)
    yield f"{check.campaign}, {check.label}, seat {check.seat}: {part}."
    for note in check.notes:
        yield wrap(as_sentence(note))
    if check.courtesies:
        yield wrap(f"Not orders: {quote_lines(check.courtesies)}.")
    yield from render_reading(check.findings, check.orders)
    if check.missing:
        yield from ("", "To know:", *(f"- {wrap(as_sentence(item), '  ')}" for item in check.missing))


def game_lines(games: Iterable[AnyRuleset]) -> Iterator[str]:
    """Yield the installed games, with their options."""
    for number, game in enumerate(games):
        if number:
            yield ""
        yield f"{game.key}: {game.title}, by {game.designer}"
        yield f"  {wrap(as_sentence(game.summary), '  ')}"
        yield f"  {format_player_count(game.seats)} players" + (
            f": {', '.join(game.seats.names)}" if game.seats.names else ""
        )
        yield f"  {wrap('pace: ' + game.pace, '  ')}"
        for option in game.options:
            usually = f"; usually {option.usually}" if option.usually else ""
            text = f"--option {option.name}=…  {option.help}: {option.allowed}{usually}"
            yield f"  {wrap(text, '    ')}"


def game_facts(games: Iterable[AnyRuleset], installed: InstalledGames) -> list[dict[str, Any]]:
    """Return installed games with their packages, for scripts; `version` is that of the rules and saves."""
    names = ("key", "title", "designer", "version", "summary", "pace", "seats", "options")
    return [{name: getattr(game, name) for name in names} | {"package": installed.package(game.key)} for game in games]


def preview_facts(made: Preview) -> dict[str, Any]:
    """Return what a preview found, without its reports, for scripts."""
    names = ("campaign", "turn", "at", "sheets", "missing", "events", "over", "reason", "ruled", "real_dice")
    return {name: getattr(made, name) for name in names}


def preview_folder_lines(written: PreviewWritten) -> Iterator[str]:
    """Yield where a preview was written."""
    yield f"Written to {written.folder}"
    if written.changed is not None:
        yield f"Changed since the last preview there: {', '.join(written.changed) or 'nothing'}"


def ruling_folder_lines(written: RulingWritten) -> Iterator[str]:
    """Yield what was written for a GM's ruling, and how to go on."""
    yield wrap(f"Turn {written.turn} of {written.campaign}; written to {written.folder}: {', '.join(written.written)}.")
    if written.left:
        yield wrap(f"Left as they are: {', '.join(written.left)}. To write them anew: --force")
    if written.kept is not None:
        yield f"What you had written in them is in {written.kept}"
    yield f"Fill them in. Next: pbem ruling {written.campaign} {written.folder}"
