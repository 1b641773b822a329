"""The pages of the guide are executed: commands are pasted into a shell, and mails that they show are sent and read.

    python -m tests.docs.guide

writes the outputs anew that differ from those shown. In an output … stands for what differs from run to run.

A comment before a block says what becomes of it:

- `<!-- now TIME -->`: commands from here on act as at this time;
- `<!-- type WORDS -->`: typed at the question of the next block, a line each at `/`;
- `<!-- reply ADDRESS -->`: the block answers the last mail to this person;
- `<!-- reply ADDRESS: WORDS -->`: it answers the last one that has these words in its subject;
- `<!-- mail ADDRESS -->`: the block is a new mail of this person to the order address;
- `<!-- shown ADDRESS -->`: the block is the beginning of the last mail to this person, or with `: WORDS` as above;
- `<!-- run -->`: the lines of the comment are commands that a reader need not see; so is their output;
- `<!-- file NAME -->`: the block is the file of this name.

TOKEN in a mail stands for the newest token that its sender was mailed.
"""

from __future__ import annotations

import email
import email.policy
import itertools
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path

from tests.docs.terminal import Terminal, terminal
from tests.docs.warm import NOW, warm_pbem

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide"
PAGES = ("first-evening.md", "running-a-campaign.md", "when-something-went-wrong.md", "umpiring.md")
"""The pages that are executed; reference.md is made from the code."""

_PART = re.compile(
    r"^<!-- (?P<told>\w+) ?(?P<given>.*?) *-->\n|^```(?P<kind>[a-z]+)\n(?P<block>.*?)^```\n", re.DOTALL | re.MULTILINE
)
_TOKEN = re.compile(r"^(?:> ?)?GM \S+ ([0-9a-f]{8,})\s*$", re.MULTILINE)
_FAILED = re.compile(r"^(?:Error|Not done|Usage|Traceback|bash)", re.MULTILINE)
_ORDERS = "orders@example.org"

# What differs from run to run: hashes, tokens, reply codes, files of mails, and the folder.
_VARIES = re.compile(r"\b[0-9a-f]{16,}\b|(?<=\[)[0-9A-Za-z]{6,12}(?=\]$)|\S*/(?=home\b)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Difference:
    """An output that a page does not show: the place of its block in the page, and what was printed."""

    start: int
    end: int
    printed: str


@dataclass(slots=True)
class Reader:
    """A reader of a page at a terminal, with mail. `cwd` is where the shell stands."""

    folder: Path
    shell: Terminal
    page: str
    differences: list[Difference] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def read(self) -> None:
        """Do all that the page says, and note what it shows otherwise than it is."""
        told, printed = "", ""
        given = ""
        for part in _PART.finditer(self.page):
            if part["told"] == "now":
                self.paste(f"export {NOW}={part['given']}")
            elif part["told"] == "run":
                self.paste(part["given"])
            elif part["told"]:
                told, given = part["told"], part["given"]
            elif part["kind"] == "sh":
                printed = self.paste(part["block"], *(given.split("/") if told == "type" else ()))
                told = ""
                if not self.page[part.end() :].lstrip("\n").startswith("```text"):
                    self.compare(part.end(), part.end(), "", printed)
            elif told:
                self.use(told, given, part)
                told = ""
            elif part["kind"] == "text":
                self.compare(part.start("block"), part.end("block"), part["block"], printed)

    def use(self, told: str, given: str, part: re.Match[str]) -> None:
        """Do with a block what the comment before it says."""
        who, _, words = given.partition(": ")
        match told:
            case "file":
                (self.home() / given).write_text(part["block"])
            case "mail":
                self.send(who, _ORDERS, "orders", part["block"])
            case "reply":
                mail = self.last(who, words)
                self.send(who, mail["Reply-To"], f"Re: {mail['Subject']}", part["block"], mail["Message-ID"])
            case "shown":
                mail = self.last(who, words)
                body = mail.get_body(("plain",))
                assert body is not None
                text = body.get_content().replace("\r\n", "\n")
                self.compare(
                    part.start("block"), part.end("block"), part["block"], f"Subject: {mail['Subject']}\n\n{text}"
                )
            case _:
                raise ValueError(f"<!-- {told} --> is not known")

    def paste(self, block: str, *typed: str) -> str:
        """Paste a block of commands; return what it printed. Raises AssertionError if the last one fails."""
        errors = self.folder / "errors.txt"
        errors.write_text("")
        printed, status = self.shell.paste(block, *typed)
        told = errors.read_text()
        # The status is that of the last command alone.
        assert (status, _FAILED.findall(told)) == (0, []), f"{block}\n{printed[-3_000:]}\n{told[-3_000:]}"
        return printed.replace("\r\n", "\n")

    def home(self) -> Path:
        """Return the folder in which the shell is."""
        return Path(self.paste("pwd").strip())

    def compare(self, start: int, end: int, shown: str, printed: str) -> None:
        """Note an output that differs from the one shown."""
        pattern = ".*".join(map(re.escape, shown.strip().split("…")))
        if not re.fullmatch(pattern, printed.strip(), re.DOTALL):
            self.differences.append(Difference(start, end, _VARIES.sub("…", printed.strip())))

    def last(self, who: str, words: str) -> EmailMessage:
        """Return the last mail to a person with these words in its subject. Raises LookupError."""
        found = [mail for mail in self.mails(who) if words.casefold() in str(mail["Subject"]).casefold()]
        if found:
            return found[-1]
        raise LookupError(f"no mail to {who} has {words!r} in its subject; {[m['Subject'] for m in self.mails(who)]}")

    def mails(self, who: str) -> list[EmailMessage]:
        """Return all mails to a person, oldest first."""
        found = []
        for path in sorted((self.home() / "post/sent/new").iterdir(), key=lambda each: each.stat().st_mtime_ns):
            mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            assert isinstance(mail, EmailMessage)
            if mail["To"] == who:
                found.append(mail)
        return found

    def send(self, who: str, to: str, subject: str, text: str, answers: str = "") -> None:
        """Put a mail into the inbox, with the token of its sender in place of the word TOKEN."""
        if "TOKEN" in text:
            tokens = [token for mail in self.mails(who) for token in _TOKEN.findall(str(mail.get_body(("plain",))))]
            text = text.replace("TOKEN", tokens[-1])
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = who, to, subject
        mail["Message-ID"] = f"<reader-{next(self._numbers)}@example.org>"
        if answers:
            mail["In-Reply-To"] = answers
        mail.set_content(text)
        (self.home() / f"post/inbox/reader-{next(self._numbers):04}.eml").write_bytes(bytes(mail))


def read_page(name: str, folder: Path) -> list[Difference]:
    """Follow a page in an empty folder; return the outputs that it shows otherwise."""
    (folder / "bin").mkdir()
    environment: Mapping[str, str] = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "NO_COLOR": "1", "TERM": "dumb"}
    with warm_pbem(folder / "bin" / "pbem"), terminal(folder, environment) as shell:
        shell.paste(f"exec 2>{folder / 'errors.txt'}")
        reader = Reader(folder, shell, (GUIDE / name).read_text())
        reader.read()
        return reader.differences


def rewritten(page: str, differences: list[Difference]) -> str:
    """Return a page with the outputs as they are; a block that should show one and shows none gets it below."""
    for each in reversed(differences):
        block = f"{each.printed}\n" if each.start < each.end else f"\n```text\n{each.printed}\n```\n"
        page = page[: each.start] + block + page[each.end :]
    return page


def main() -> None:
    """Write the outputs in all pages anew, where they differ."""
    for name in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            differences = read_page(name, Path(folder))
        path = GUIDE / name
        path.write_text(rewritten(path.read_text(), differences))
        print(f"{name}: {len(differences)} outputs differed")


if __name__ == "__main__":
    main()
