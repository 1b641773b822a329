"""Commands that prove an archive, in its house or anywhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import click

from pbem.archive.held import by_campaign
from pbem.archive.reading import MOST_FILE
from pbem.archive.verify import find_campaigns
from pbem.archive.verify import verify as verify_archive
from pbem.campaign.proof import prove
from pbem.commands.common import known_games, open_home, show
from pbem.commands.group import Command
from pbem.commands.options import home_option, json_option
from pbem.console.bar import progress
from pbem.console.proof import proof_lines, verified_lines


@click.command(cls=Command)
@click.argument("name")
@json_option
@home_option
def replay(name: str, as_json: bool, home: Path | None) -> None:
    """Prove a campaign's archive: resolve every turn again and compare."""
    with open_home(home) as house, progress() as bar:
        proof = prove(house, name, progress=bar)
    show(proof, proof_lines(proof), as_json=as_json)


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
    known, found = _read_seed(seed), find_campaigns(archive, campaign)
    if records and len(found) > 1:
        raise click.BadParameter(f"say whose record it is: {', '.join(name for _, name in found)}")
    held = by_campaign(_read_reports(reports), [name for _, name in found])
    with progress() as bar:
        verified = [
            verify_archive(
                folder,
                name,
                games=known_games(),
                seed=known,
                reports=held.get(name),
                records=records,
                on_turn=lambda done, total: bar("replaying", done, total),
            )
            for folder, name in found
        ]
    for each in verified:
        show(each, verified_lines(each), as_json=as_json)


def _read_reports(files: Sequence[BinaryIO]) -> Mapping[str, bytes]:
    """Return the reports by the names of their files, of two alike by the path; of a large file only the beginning."""
    reports: dict[str, bytes] = {}
    for file in files:
        name = Path(file.name).name
        reports[file.name if name in reports else name] = file.read(MOST_FILE)
    return reports


def _read_seed(seed: str) -> bytes | None:
    try:
        return bytes.fromhex(seed) or None
    except ValueError:
        raise click.BadParameter("write it as it stands in the last reports: hexadecimal digits") from None
