"""Scores of two spam filters for each kind of mail: SpamAssassin, by its local tests, and rspamd, without the network.

    python -m bench.spam [--folder FOLDER]

Debian's packages are unpacked into a temporary folder and run from there; nothing is
installed. The mails are those of the season (`tests.season`), or the files *.eml of a
folder; of each kind the worst score counts. Rules that ask a name server, or judge how
the mail was handed over, say nothing of a mail and are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from email.utils import formatdate
from http.client import HTTPConnection
from pathlib import Path

from pbem.mail.message import parse_headers
from tests.patience import PATIENCE
from tests.season.golden import playing
from tests.servers.processes import answers

AIM, PAGE_AIM = 0.0, 0.5
"""Points that a mail may have, and one with a page as a file. Filters take a mail for spam from five on, or more."""

PACKAGES = ("spamassassin", "rspamd")

# The names that mails have here: by what stands in their subjects, the first that fits.
KINDS = {
    "orders in": r"orders? in\b|NOT accepted|NOTHING accepted",
    "report": r"\bdue\b|the end",
    "answer": r"Done|Not done|\ARe:",
    "invitation, question": r"YES",
    "message": r"message from",
}
"""For each kind of mail a pattern of its subjects; the first that is found counts."""

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

PORT = 11_333
"""The port of rspamd's usual configuration, on loopback."""

# Of the network, and of the connection by which a mail came.
_NOT_OF_THE_MAIL = re.compile(r"HFILTER_.*|R_SPF_.*|R_DKIM_.*|DMARC_.*|ARC_.*|RDNS_.*|RBL_.*|ONCE_RECEIVED.*|RCVD_.*")

Score = tuple[float, str]
"""Points, and the rules that gave them."""


def kind_of(raw: bytes) -> str:
    """Return the kind of a mail, by its subject and whether it has a page."""
    subject = parse_headers(raw).subject
    kind = next((kind for kind, pattern in KINDS.items() if re.search(pattern, subject)), "notice")
    return f"{kind}, with a page" if _PAGE.search(raw) else kind


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
def running_rspamd(root: Path) -> Iterator[None]:
    """Run rspamd while the block runs, with its files beside the root."""
    share, own = root / "usr" / "share" / "rspamd", root.parent / "rspamd"
    (own / "local.d").mkdir(parents=True)
    # No name server answers here, and a question is given up at once.
    (own / "local.d" / "options.inc").write_text(
        'dns { nameserver = ["127.0.0.1:9"]; timeout = 0.1s; retransmits = 1; }\n'
    )
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
    with subprocess.Popen(  # noqa: S603 - Debian's program, with our settings
        [*map(str, command), *(f"--var={name}={path}" for name, path in places.items())],
        env={"LD_LIBRARY_PATH": _libraries(root), "PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait()
            yield
        finally:
            process.terminate()


def _wait() -> None:
    limit = time.monotonic() + PATIENCE
    while not answers(PORT):
        if time.monotonic() > limit:
            raise SystemExit("bench.spam: rspamd does not start")
        time.sleep(0.1)


def rspamd(raw: bytes) -> Score:
    """Return the score of a mail by the rules of rspamd that judge the mail itself."""
    with closing(HTTPConnection("127.0.0.1", PORT, timeout=PATIENCE)) as connection:
        connection.request("POST", "/checkv2", raw)
        hit: Mapping[str, Mapping[str, float]] = json.loads(connection.getresponse().read())["symbols"]
    of_mail = {name: each["score"] for name, each in hit.items() if not _NOT_OF_THE_MAIL.fullmatch(name)}
    points = {name: score for name, score in of_mail.items() if score}
    return sum(points.values()), ",".join(f"{name}={score:g}" for name, score in points.items())


def mails_of(folder: str | None) -> list[bytes]:
    """Return the mails of a folder, or of the season, dated now: filters dislike a time that is long past."""
    if folder:
        found = [path.read_bytes() for path in sorted(Path(folder).glob("*.eml"))]
    else:
        with playing() as season:
            found = [mail.raw for mail in season.club.mails]
    now = f"Date: {formatdate()}".encode()
    return [_DATE.sub(now, raw, count=1) for raw in found]


def main() -> None:
    """Print the worst scores of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="mails to measure, as files *.eml, instead of those of the season")
    mails = mails_of(parser.parse_args().folder)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = unpack(folder)
        paths = [folder / f"{number}.eml" for number in range(len(mails))]
        for path, raw in zip(paths, mails, strict=True):
            path.write_bytes(raw)
        with running_rspamd(root):
            scores = list(zip(spamassassin(root, paths), map(rspamd, mails), strict=True))
    print(f"{'kind of mail':32} {'mails':>5} {'SpamAssassin':>12} {'rspamd':>7}  rules of the worst")
    kinds = list(map(kind_of, mails))
    for kind in sorted(set(kinds)):
        of_kind = [score for score, its in zip(scores, kinds, strict=True) if its == kind]
        first, second = (max(column) for column in zip(*of_kind, strict=True))
        aim = PAGE_AIM if kind.endswith("a page") else AIM
        kept = "" if max(first[0], second[0]) <= aim else f"  (aim: {aim:g})"
        print(f"{kind:32} {len(of_kind):5} {first[0]:12.1f} {second[0]:7.1f}  {first[1]}; {second[1]}{kept}")


if __name__ == "__main__":
    main()
