"""Commands that prove an archive: replay in its home, and verify anywhere."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

import click

from pbem.archive.reader import MOST_FILE
from pbem.archive.replay import ReplayProof
from pbem.archive.verify import LocatedFile, TurnRun, VerifyResult, find_campaigns, group_by_campaign
from pbem.archive.verify import verify as verify_archive
from pbem.campaign.archive_sync import begun, prove_archive
from pbem.cli.options import Command, home_option, json_option
from pbem.cli.output import known_games, open_home, print_facts, progress
from pbem.errors import PbemError
from pbem.text import count_noun, format_time, wrap


def proof_lines(proof: ReplayProof) -> Iterator[str]:
    """Yield the result of a replay."""
    over = ", to the end of the game" if proof.over else ""
    yield f"{proof.campaign}: the set-up and {count_noun(proof.turns, 'turn')} resolved again{over}; every hash agrees."
    yield f"{count_noun(proof.reports, 'report')} hold what the rules let their seats know."
    if proof.withdrawn:
        yield f"{count_noun(proof.withdrawn, 'turn')} taken back or run again: as when that was done."
    yield f"Newest record: {proof.head}"


def verified_lines(verified: VerifyResult) -> Iterator[str]:
    """Yield the result of verifying an archive by itself."""
    turns, files = count_noun(verified.turns, "turn"), count_noun(verified.files, "file")
    yield f"{verified.campaign}: {turns}, {files}, {count_noun(verified.sheets, 'sheet')} used."
    yield "The chain of records, all files, and the digest of every sheet agree."
    yield f"Dice seal, told at the start: {verified.seal}"
    if verified.words:
        own = ", ".join(each.seat for each in verified.words if each.own) or "none, all were drawn"
        yield wrap(f"Words mixed into the dice, the same in all first reports; their players' own: {own}.")
    if verified.rolls:
        rolled = f"Rolled by the GM: {count_noun(verified.rolls, 'roll')}, none left out by its number."
        yield rolled if verified.unproved else f"{rolled} Each follows from the seed."
    if not verified.unproved:
        over = ", to the end of the game" if verified.over else ""
        yield f"The seed has this seal, and every turn was resolved again with it{over}: all results agree."
    for reason in verified.unproved:
        yield wrap(f"Not proved yet: {reason}")
    if verified.patched:
        yield f"Changed by the GM after the rules: turn {', '.join(map(str, verified.patched))}."
    if verified.withdrawn:
        yield f"Taken back or run again, and kept beside: {verified.withdrawn}. Every run of those turns:"
        again = {run.turn for run in verified.runs if run.withdrawn}
        yield from (_run_line(run) for run in verified.runs if run.turn in again)
    if verified.unnamed:
        yield wrap(
            f"Not proved yet: that nothing is missing of what was taken back last ({verified.unnamed} of these): "
            "the record of the next turn will tell."
        )
    for held in verified.held:
        yield _held_line(held)
    yield f"Newest record: {verified.head}"


def _run_line(run: TurnRun) -> str:
    what = f"turn {run.turn}" if run.turn else "the set-up"
    at = format_time(dt.datetime.fromisoformat(run.resolved), "UTC")
    return f"  {what}, run {at}: " + (f"withdrawn, record {run.record}" if run.withdrawn else "counts")


def _held_line(held: LocatedFile) -> str:
    place = f"turn {held.turn}, which was taken back or run again" if held.withdrawn else f"turn {held.turn}"
    if held.what == "report":
        return wrap(f"The report {held.name} is that of {place}, as it was mailed.")
    return f"The record of {place} is there: {held.name}"


T = TypeVar("T")


@click.command(cls=Command)
@click.argument("name", required=False)
@json_option
@home_option
def replay(name: str | None, as_json: bool, home: Path | None) -> None:
    """Prove the archive of a campaign, or of all: resolve every turn again and compare."""
    with open_home(home) as app, progress() as bar:
        names = begun(app) if name is None else (name,)
        _show_each(names, lambda each: prove_archive(app, each, progress=bar), proof_lines, as_json=as_json)


@click.command(cls=Command)
@click.argument("archive", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.argument("campaign", required=False)
@click.option("--seed", default="", metavar="HEX", help="The seed of the dice, if the archive does not tell it yet.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.File("rb"),
    help="The .json file of a report that you were mailed: it must be in the archive, as it is. May be given often.",
)
@click.option(
    "--record",
    "records",
    multiple=True,
    metavar="HASH",
    help="The hash of a record that a report tells: the archive must have it. May be given often.",
)
@json_option
def verify(
    archive: Path,
    campaign: str | None,
    seed: str,
    reports: Sequence[BinaryIO],
    records: Sequence[str],
    as_json: bool,
) -> None:
    """Check an archive with nothing but its folder: chain, files, sheets, seal, and with the seed all results."""
    known, found = _read_seed(seed), {name: folder for folder, name in find_campaigns(archive, campaign)}
    # Hashes do not say of which campaign they are; reports do.
    if records and len(found) > 1:
        raise click.BadParameter(f"say whose record it is: {', '.join(found)}")
    held = group_by_campaign(_read_reports(reports), list(found))
    with progress() as bar:

        def verify_one(name: str) -> VerifyResult:
            return verify_archive(
                found[name],
                name,
                games=known_games(),
                seed=known,
                reports=held.get(name),
                records=records,
                on_turn=lambda done, total: bar("replaying", done, total),
            )

        _show_each(found, verify_one, verified_lines, as_json=as_json)


def _show_each(
    names: Collection[str], prove_one: Callable[[str], T], lines: Callable[[T], Iterable[str]], *, as_json: bool
) -> None:
    """Show the proof of each campaign; an error is printed under its name, and the others go on.

    Exits with code 1 if any failed.

    Raises:
        PbemError: If there is only one campaign, and its proof fails.
    """
    failed = 0
    # One archive that differs does not keep the others from being proved.
    for name in names:
        try:
            proof = prove_one(name)
        except PbemError as error:
            if len(names) == 1:
                raise
            failed += 1
            click.echo(f"Error: {name}: {error}", err=True)
        else:
            print_facts(proof, lines(proof), as_json=as_json)
    if failed:
        click.echo(f"{failed} of {len(names)} campaigns not proved.", err=True)
        click.get_current_context().exit(1)


def _read_reports(files: Sequence[BinaryIO]) -> Mapping[str, bytes]:
    """Return the reports by the names of their files, or by path where names are equal; large files are cut."""
    reports: dict[str, bytes] = {}
    for file in files:
        name = Path(file.name).name
        # Bounded: a link to an endless device would fill the memory.
        reports[file.name if name in reports else name] = file.read(MOST_FILE)
    return reports


def _read_seed(seed: str) -> bytes | None:
    try:
        return bytes.fromhex(seed) or None
    except ValueError:
        raise click.BadParameter("write it as it stands in the last reports: hexadecimal digits") from None
