"""Scores of two spam filters for each kind of mail: SpamAssassin, by its local tests, and rspamd, without the network.

    python -m bench.spam [--folder FOLDER]

Debian's packages are unpacked into a temporary folder and run from there; nothing is
installed. The mails are those of the season (`tests.season`), by their kinds in the
outbox, or the files *.eml of a folder, each by its name; of each kind the worst score counts. The last line says
whether all are within the aim. Rules that ask a name server, or judge how
the mail was handed over, say nothing of a mail and are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from email.utils import formatdate
from http.client import HTTPConnection
from pathlib import Path

from tests.patience import PATIENCE
from tests.season.golden import playing
from tests.servers.processes import answers, free_ports, start, stopping, wait_until

AIM, PAGE_AIM = 0.0, 0.5
"""Points that a mail may have, and one with a page as a file. Filters take a mail for spam from five on, or more."""

PACKAGES = ("spamassassin", "rspamd")

WITH_PAGE = ", with a page"
"""End of the kind of a mail that has a page as a file."""

_PAGE = re.compile(rb'^Content-Disposition: attachment; filename="[^"\r\n]*\.html"', re.MULTILINE)
_DATE = re.compile(rb"^Date:[^\r\n]*", re.MULTILINE)

SPAMASSASSIN = """
use Mail::SpamAssassin;
my $filter = Mail::SpamAssassin->new({
  local_tests_only => 1, dont_copy_prefs => 1, userprefs_filename => "/dev/null",
  rules_filename => "$ENV{ROOT}/usr/share/spamassassin", site_rules_filename => "$ENV{ROOT}/etc/spamassassin"});
foreach my $path (@ARGV) {
  open my $file, "<", $path;
  my $status = $filter->check($filter->parse([<$file>]));
  printf "%.2f %s\\n", $status->get_score, $status->get_names_of_tests_hit_with_scores;
}
"""

# Of the network, and of the connection by which a mail came.
_NOT_OF_THE_MAIL = re.compile(r"HFILTER_.*|R_SPF_.*|R_DKIM_.*|DMARC_.*|ARC_.*|RDNS_.*|RBL_.*|ONCE_RECEIVED.*|RCVD_.*")

Score = tuple[float, str]
"""Points, and the rules that gave them."""


def unpack(folder: Path) -> Path:
    """Download the packages with all that they need, and unpack them; return the root they are in.

    Raises:
        SystemExit: apt-get is missing, or does not bring them.
    """
    cache, root = folder / "apt", folder / "root"
    (cache / "archives" / "partial").mkdir(parents=True)
    get = ["apt-get", "-qq", "-o", "Debug::NoLocking=1", "-o", f"Dir::Cache={cache}", "--yes", "--download-only"]
    try:
        subprocess.run([*get, "--no-install-recommends", "install", *PACKAGES], check=True, capture_output=True)  # noqa: S603
        for package in (cache / "archives").glob("*.deb"):
            subprocess.run(["/usr/bin/dpkg", "--extract", package, root], check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(
            f"bench.spam: {' and '.join(PACKAGES)} are missing, and apt-get does not bring them: {error}"
        ) from error
    return root


def spamassassin(root: Path, mails: Iterable[Path]) -> list[Score]:
    """Return the score of each mail by SpamAssassin's local tests."""
    modules = {path.parent for name in ("Mail/SpamAssassin.pm", "HTML/Parser.pm") for path in root.rglob(name)}
    folders = [f"-I{path if path.name != 'Mail' and path.name != 'HTML' else path.parent}" for path in modules]
    perl = root / "usr" / "bin" / "perl"
    found = subprocess.run(  # noqa: S603 - a program of ours, on files of ours
        [perl if perl.exists() else "perl", *folders, "-e", SPAMASSASSIN, *mails],
        env={"ROOT": str(root), "LD_LIBRARY_PATH": _libraries(root), "HOME": str(root), "PATH": os.environ["PATH"]},
        check=True,
        capture_output=True,
        text=True,
    )
    return [(float(points), rules) for points, rules in (line.split(" ", 1) for line in found.stdout.splitlines())]


def _libraries(root: Path) -> str:
    return ":".join(str(path) for path in (*root.glob("usr/lib/*-linux-gnu*"), root / "usr" / "lib" / "rspamd"))


@contextmanager
def running_rspamd(root: Path) -> Iterator[int]:
    """Run rspamd with its files beside the root; yield its port, which is free, on loopback."""
    [port] = free_ports(1)
    share, own = root / "usr" / "share" / "rspamd", root.parent / "rspamd"
    (own / "local.d").mkdir(parents=True)
    # No name server answers here, and a question is given up at once.
    (own / "local.d" / "options.inc").write_text(
        'dns { nameserver = ["127.0.0.1:9"]; timeout = 0.1s; retransmits = 1; }\n'
    )
    (own / "local.d" / "worker-normal.inc").write_text(f'bind_socket = "127.0.0.1:{port}";\n')
    for other in ("controller", "proxy"):
        (own / "local.d" / f"worker-{other}.inc").write_text("enabled = false;\n")
    places = {
        "CONFDIR": root / "etc" / "rspamd",
        "RULESDIR": share / "rules",
        "LUALIBDIR": share / "lualib",
        "PLUGINSDIR": share / "plugins",
        "SHAREDIR": share,
        "WWWDIR": share / "www",
        **dict.fromkeys(("LOCAL_CONFDIR", "DBDIR", "RUNDIR", "LOGDIR"), own),
    }
    command = [
        root / "usr" / "bin" / "rspamd",
        "--insecure",
        "--no-fork",
        "--config",
        places["CONFDIR"] / "rspamd.conf",
    ]
    daemon = start(
        [*map(str, command), *(f"--var={name}={path}" for name, path in places.items())],
        own / "output.log",
        env={"LD_LIBRARY_PATH": _libraries(root), "PATH": os.environ["PATH"]},
    )
    with stopping(daemon):
        wait_until(lambda: answers(port), daemon, "rspamd")
        yield port


def rspamd(raw: bytes, port: int) -> Score:
    """Return the score of a mail by the rules of an rspamd that judge the mail itself."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("POST", "/checkv2", raw)
        hit: Mapping[str, Mapping[str, float]] = json.loads(connection.getresponse().read())["symbols"]
    of_mail = {name: each["score"] for name, each in hit.items() if not _NOT_OF_THE_MAIL.fullmatch(name)}
    points = {name: score for name, score in of_mail.items() if score}
    return sum(points.values()), ",".join(f"{name}={score:g}" for name, score in points.items())


def mails_of(folder: str | None) -> list[tuple[str, bytes]]:
    """Return the mails of a folder, or of the season, each with its kind.

    They are dated now: filters dislike a time that is long past.
    """
    if folder:
        found = [(path.stem, path.read_bytes()) for path in sorted(Path(folder).glob("*.eml"))]
    else:
        with playing() as season, closing(sqlite3.connect(season.club.home / "pbem.sqlite")) as database:
            kinds = dict(database.execute("SELECT message_id, kind FROM outgoing"))
            found = [(kinds.get(mail.message["Message-ID"], "other"), mail.raw) for mail in season.club.mails]
    now = f"Date: {formatdate()}".encode()
    return [(_named(kind, raw), _DATE.sub(now, raw, count=1)) for kind, raw in found]


def _named(kind: str, raw: bytes) -> str:
    return f"{kind}{WITH_PAGE}" if _PAGE.search(raw) else kind


def table(scores: Iterable[tuple[str, Score, Score]]) -> Iterator[str]:
    """Yield a line for each kind of mail, with the worst scores of both filters, and one on what is above the aim.

    Args:
        scores: The kind of each mail, its score by SpamAssassin, and that by rspamd.
    """
    by_kind: dict[str, list[tuple[Score, Score]]] = {}
    for kind, *both in scores:
        by_kind.setdefault(kind, []).append((both[0], both[1]))
    above = []
    yield f"{'kind of mail':32} {'mails':>5} {'SpamAssassin':>12} {'rspamd':>7}  rules of the worst"
    for kind, its in sorted(by_kind.items()):
        first, second = (max(column) for column in zip(*its, strict=True))
        yield f"{kind:32} {len(its):5} {first[0]:12.2f} {second[0]:7.2f}  {first[1]}; {second[1]}"
        aim = PAGE_AIM if kind.endswith(WITH_PAGE) else AIM
        if max(first[0], second[0]) > aim:
            above.append(f"{kind} (aim: {aim:g})")
    yield (
        f"Above the aim: {', '.join(above)}."
        if above
        else (f"All are at or below {AIM:g} points, and those with a page at or below {PAGE_AIM:g}.")
    )


def main() -> None:
    """Print the worst scores of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="mails to measure, as files *.eml, instead of those of the season")
    kinds, mails = zip(*mails_of(parser.parse_args().folder), strict=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = unpack(folder)
        paths = [folder / f"{number}.eml" for number in range(len(mails))]
        for path, raw in zip(paths, mails, strict=True):
            path.write_bytes(raw)
        with running_rspamd(root) as port:
            print(
                *table(zip(kinds, spamassassin(root, paths), (rspamd(raw, port) for raw in mails), strict=True)),
                sep="\n",
            )


if __name__ == "__main__":
    main()
