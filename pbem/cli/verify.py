"""The command that proves an archive, the campaigns of a home, or a backup."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

import click

from pbem.archive.reader import MOST_FILE
from pbem.archive.verify import VerifyResult, find_campaigns, group_by_campaign
from pbem.archive.verify import verify as verify_archive
from pbem.backup.restore import check_backup
from pbem.campaign.archive_sync import begun, prove_archive
from pbem.cli import completion
from pbem.cli.command import SHOWS, Call, command
from pbem.cli.lines import checked_lines, proof_lines, verified_lines
from pbem.cli.output import print_error, progress, to_json
from pbem.errors import PbemError

Proof = TypeVar("Proof")


@command(
    "pbem verify turns",
    SHOWS,
    help="PATH is the folder of an archive, or the file of a backup; without it, the campaigns of the home are "
    "verified. Chain, files, sheets and seal are checked, and with the seed every turn is run again. Exits 1 "
    "if anything differs.",
)
@click.argument("path", type=click.Path(path_type=Path, exists=True), required=False)
@click.option(
    "--campaign", "name", metavar="NAME", shell_complete=completion.campaigns, help="Verify only this campaign."
)
@click.option("--seed", default="", metavar="HEX", help="The seed of the dice, if the archive does not have it yet.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.File("rb"),
    help="The .json file of a report that you were mailed: it must be in the archive, as it is. May be repeated.",
)
@click.option(
    "--record",
    "records",
    multiple=True,
    metavar="HASH",
    help="The hash of a record, as a report has it: the archive must have it. May be repeated.",
)
def verify(
    call: Call,
    *,
    path: Path | None,
    name: str | None,
    seed: str,
    reports: Sequence[BinaryIO],
    records: Sequence[str],
) -> None:
    if (path is None or path.is_file()) and (seed or reports or records):
        raise click.UsageError("--seed, --report and --record are for the folder of an archive: give it as PATH")
    if path is None:
        _verify_home(call, name)
    elif path.is_file():
        with progress() as bar:
            checked = check_backup(path, call.now, call.games, progress=bar)
        call.print(checked, checked_lines(checked), sound=not checked.problems)
    else:
        _verify_archive(call, path, name, _read_seed(seed), reports, records)


def _verify_home(call: Call, name: str | None) -> None:
    with call.open() as app, progress() as bar:
        names = begun(app) if name is None else (name,)
        _print_each(call, names, lambda each: prove_archive(app, each, progress=bar), proof_lines)


def _verify_archive(
    call: Call,
    archive: Path,
    name: str | None,
    seed: bytes | None,
    reports: Sequence[BinaryIO],
    records: Sequence[str],
) -> None:
    found = {name: folder for folder, name in find_campaigns(archive, name)}
    # Hashes do not say of which campaign they are; reports do.
    if records and len(found) > 1:
        raise click.BadParameter(f"say whose record it is, with --campaign: {', '.join(found)}")
    held = group_by_campaign(_read_reports(reports), list(found))
    with progress() as bar:

        def verify_one(each: str) -> VerifyResult:
            return verify_archive(
                found[each],
                each,
                games=call.games,
                seed=seed,
                reports=held.get(each),
                records=records,
                on_turn=lambda done, total: bar("replaying", done, total),
            )

        _print_each(call, found, verify_one, verified_lines)


def _print_each(
    call: Call, names: Collection[str], prove: Callable[[str], Proof], render: Callable[[Proof], Iterable[str]]
) -> None:
    """Print the proof of each campaign; an error is printed under its name, and the others go on.

    Exits with code 1 if any failed.

    Raises:
        PbemError: If there is only one campaign, and its proof fails.
    """
    proofs: list[Proof] = []
    lines: list[str] = []
    failed: dict[str, str] = {}
    # One archive that differs does not keep the others from being proved.
    for name in names:
        try:
            proof = prove(name)
        except PbemError as error:
            if len(names) == 1:
                raise
            failed[name] = str(error)
            if not call.as_json:
                print_error(f"Not done: {name}: {error}")
        else:
            proofs.append(proof)
            lines += render(proof)
    if failed and not call.as_json:
        print_error(f"{len(failed)} of {len(names)} campaigns not proved.")
    only = to_json(proofs[0]) if len(proofs) == 1 else {}
    call.print({**only, "campaigns": proofs, "failed": failed}, lines, sound=not failed)


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
