"""Plays through lists of Debian's list managers, and writes down what comes of it: part of `docs/mail-servers.md`.

    python -m tests.programs.lists [NAME]... [--suite SUITE]

Each list manager is installed in a Debian system of its own, and driven by a file of `lists`. It has two lists: in
"club" are Ann, Bob and the order address, in "closed" Ann alone. Ann has the red seat of a campaign, the lists have two
others. `lists.json` has what came of each mail; all mail for the order address is in the folder KEPT, if that is in
the environment.
"""

from __future__ import annotations

import email
import email.policy
import json
import re
import smtplib
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from email.message import EmailMessage
from email.utils import localtime
from pathlib import Path
from typing import Any

from tests.programs.home import run_pbem
from tests.programs.polling import guessed, run_drivers, serving
from tests.programs.sending import FarServer, Taken, far_server, keep
from tests.programs.system import HERE
from tests.servers.processes import free_ports

FOUND = HERE / "lists.json"

ANN, ORDERS, CLUB = "ann@example.net", "orders@example.org", "club@lists.example.org"
SEATS = {"red": ANN, "cyan": CLUB, "yellow": "closed@lists.example.org"}

QUIET = 6.0
"""Seconds without a mail after which no more are awaited."""

MOST = 60
"""Mails of one case; more are a loop."""


class World:
    """A home, and the mail between it, a list manager and people, for whom it stays in `far`."""

    def __init__(self, home: Path, far: FarServer, port: int, manager: str) -> None:
        self.home, self.far, self.port, self.manager = home, far, port, manager
        self.carried = 0

    def send(self, sender: str, to: str, subject: str, text: str, **fields: str) -> None:
        """Send a mail from a person to an address, with further fields."""
        mail = EmailMessage(policy=email.policy.SMTP)
        mail["From"], mail["To"], mail["Subject"] = sender, fields.pop("To", to), subject
        mail["Date"], mail["Message-ID"] = localtime(), fields.pop("Message_ID", f"<{time.time()}@example.net>")
        for name, value in fields.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        self.far.taken.append(Taken(sender, to, mail.as_bytes()))

    def settle(self) -> list[Taken]:
        """Carry mail, and have the home answer it, until there is no more; return all that went."""
        begin, end = self.carried, time.monotonic() + QUIET
        while time.monotonic() < end and self.carried - begin < MOST:
            new = self.far.taken[self.carried :]
            self.carried += len(new)
            for mail in new:
                self._carry(mail)
            if new:
                run_pbem(self.home, "tick", fails=True)
                end = time.monotonic() + QUIET
            time.sleep(0.3)
        return self.far.taken[begin : self.carried]

    def _carry(self, mail: Taken) -> None:
        if mail.to.endswith("@lists.example.org"):
            with closing(smtplib.SMTP("127.0.0.1", self.port, timeout=60)) as smtp:  # the bridge knows no QUIT
                smtp.sendmail(mail.sender, mail.to, mail.raw)
        elif mail.to.startswith("orders"):
            inbox = self.home / "post" / "inbox"
            inbox.mkdir(parents=True, exist_ok=True)
            head = f"Return-Path: <{mail.sender}>\r\nDelivered-To: {mail.to}\r\n".encode()
            (inbox / f"{len(list(inbox.iterdir())):04}-{time.time()}.eml").write_bytes(head + mail.raw)

    def counts(self, seat: str) -> list[str]:
        """Return the orders that count for a seat."""
        counts = json.loads(run_pbem(self.home, "sheet", "trap", seat, "--json"))["seats"][0]["counts"]
        return list(counts["lines"]) if counts else []

    def order(self, ship: str, seat: str = "red") -> str:
        """Return an order of a seat, for a ship."""
        report = self.report(ANN, by="club" if seat == "cyan" else ORDERS)
        [place] = re.findall(r"^; BUILD \w+ (AT .*)$", text_of(report), re.MULTILINE)
        return f"BUILD {ship} {place}"

    def frame(self, ship: str) -> str:
        """Return a sheet of the red seat with its key, and an order for a ship."""
        [key] = re.findall(r"^ORDERS trap red (\S+)$", text_of(self.report(ANN)), re.MULTILINE)
        return f"ORDERS trap red {key}\n{self.order(ship)}\nEND\n"

    def report(self, reader: str, by: str = ORDERS) -> EmailMessage:
        """Return the first report that a reader has got, from an envelope address that has some words in it."""
        return next(
            parsed
            for mail in self.far.taken
            if mail.to == reader and by in mail.sender and "turn 1" in (parsed := parse(mail.raw))["Subject"]
        )


def parse(raw: bytes) -> EmailMessage:
    """Return a mail, parsed."""
    return email.message_from_bytes(raw, policy=email.policy.default)


def text_of(mail: EmailMessage) -> str:
    """Return the text of a mail."""
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def sheet(world: World) -> None:
    """Post a sheet of Ann's with its key to the list."""
    world.send(ANN, CLUB, "my orders", world.frame("Scout"))


def words(world: World) -> None:
    """Post an order of Ann's without a key to the list."""
    world.send(ANN, CLUB, "more", world.order("Basestar"))


def quoted(world: World) -> None:
    """Answer as Bob on the list, and quote a sheet with its key."""
    text = "\n".join(f"> {line}" for line in world.frame("Basestar").splitlines())
    world.send("bob@example.net", CLUB, "Re: my orders", f"I would not.\n\nAnn wrote:\n{text}\n")


def twice(world: World) -> None:
    """Answer Ann's report, to the order address and to the list."""
    report = world.report(ANN)
    fields = {"Message_ID": "<twice@example.net>", "In_Reply_To": report["Message-ID"]}
    to = report["Reply-To"].addresses[0].addr_spec
    for receiver in (to, CLUB):
        world.send(ANN, receiver, f"Re: {report['Subject']}", world.order("Cruiser"), To=f"{to}, {CLUB}", **fields)


def seat(world: World) -> None:
    """Answer as Ann the report of the list's own seat, as the list has sent it, with the report below."""
    report = world.report(ANN, by="club")
    below = "\n".join(f"> {line}" for line in text_of(report).splitlines())
    to = report["Reply-To"].addresses[0].addr_spec
    text = f"{world.order('Scout', 'cyan')}\n\nClub wrote:\n{below}\n"
    world.send(ANN, to, f"Re: {report['Subject']}", text, In_Reply_To=report["Message-ID"])


def letter(world: World) -> None:
    """Write to all seats as their GM."""
    run_pbem(world.home, "announce", "trap", "--text", "-", given="The harbour is closed until Monday.\n")
    run_pbem(world.home, "tick")


def subscribe(world: World) -> None:
    """Have the list ask the order address whether it wants to join, as any stranger can."""
    name = "closed-join" if world.manager == "mailman3" else "closed+subscribe"
    world.send(ORDERS, f"{name}@lists.example.org", "subscribe", "subscribe\n")


def probe(world: World) -> None:
    """Have the list send a probe or a notice to the order address, as after mail that came back."""
    world.send(ANN, "club+probe@lists.example.org", "probe", "now\n")


CASES: dict[str, tuple[Callable[[World], None], str, str]] = {
    "sheet": (sheet, "red", "Scout"),
    "words": (words, "red", "Basestar"),
    "quoted": (quoted, "red", "Basestar"),
    "twice": (twice, "red", "Cruiser"),
    "seat": (seat, "cyan", "Scout"),
    "letter": (letter, "", ""),
    "subscribe": (subscribe, "", ""),
    "probe": (probe, "", ""),
}
"""The acts, by names, each with the seat and the ship of the order that would count then."""


TITLES = {
    "sheet": "Ann posts a sheet with its key",
    "words": "Ann posts an order without a key",
    "quoted": "Bob answers, and quotes a sheet with its key",
    "twice": "Ann answers a report to the order address and the list",
    "seat": "Ann answers the report of the list's own seat",
    "letter": "the GM writes to all seats",
    "closed": "reports go to a list that takes mail of members alone",
    "subscribe": "a stranger has the order address join",
    "probe": "mail for the order address has come back to the list",
}
"""The same for the table, where a driver has a guess."""


def play(world: World) -> dict[str, object]:
    """Do all that there is to do; return what came of each, and what a list makes of a mail."""
    begun = world.settle()
    closed = [mail for mail in begun if mail.to.startswith("closed") or "closed" in mail.sender]
    found: dict[str, object] = {"closed": facts(closed)}
    for name, (act, whose, ship) in CASES.items():
        act(world)
        went = world.settle()
        found[name] = facts(went)
        if whose:
            counts = any(ship in line for line in world.counts(whose))
            found[name] = {"counts": counts, **facts(went)}
    mail = world.report(ANN, by="club")
    keep([each.raw for each in world.far.taken if each.to.startswith("orders")])
    return {"fields": {name: str(mail[name]) for name in ("From", "Reply-To", "Subject")}, "cases": found}


def facts(mails: list[Taken]) -> dict[str, object]:
    """Return the subjects of what the order address got from the list, and of the program's answers to it."""
    answers = [mail.raw for mail in mails if mail.sender == ORDERS and b"\nAuto-Submitted: auto-replied" in mail.raw]
    got = [mail.raw for mail in mails if mail.to == ORDERS]
    return {"got": [*map(_subject, got)], "answers": [*map(_subject, answers)]}


def _subject(raw: bytes) -> str:
    return re.sub(r" \[[a-z2-7]{16}\]", "", str(parse(raw)["Subject"]))


def write(page: str) -> str:
    """Return the page with its table of lists as it is now."""
    above, mark, below = page.partition("<!-- lists -->\n\n")
    rows: dict[tuple[str, str, str, str], list[str]] = {}
    for it in json.loads(FOUND.read_text()):
        for name, title in TITLES.items():
            if guess := guessed(HERE / "lists" / f"{it['server']}.sh", name):
                same = rows.setdefault((it["server"], title, guess, _seen(it["cases"][name])), [])
                same.append(f"{it['version']} ({it['suite']})")
    lines = ["| list manager | what is done | guessed | seen |", "|---|---|---|---|"]
    lines += [f"| {server} {', '.join(same)} | {' | '.join(cells)} |" for (server, *cells), same in rows.items()]
    return above + mark + "\n".join([*lines, ""]) + re.sub(r"\A(?:\|.*\n)*", "", below)


def _seen(case: Mapping[str, Any]) -> str:
    counts = {True: "it counts; ", False: "it does not count; "}[case["counts"]] if "counts" in case else ""
    number = {0: "no answer", 1: "one answer"}.get(len(case["answers"]), f"{len(case['answers'])} answers")
    return f"{counts}{len(case['got'])} from the list, {number}"


def run(driver: Path, suite: str) -> dict[str, object]:
    """Play through the lists of a list manager; return what came of it."""
    port, beyond, inner, rest = free_ports(4)
    with (
        far_server(beyond) as far,
        serving(driver, suite, PORT=port, FAR=beyond, INNER=inner, REST=rest),
        tempfile.TemporaryDirectory() as name,
    ):
        home = Path(name)
        run_pbem(home, "init", ".", "--address", ORDERS)
        settings = (home / "pbem.toml").read_text()
        (home / "pbem.toml").write_text(
            re.sub(r"(?m)^carrier = .*$", f'carrier = "smtp://127.0.0.1:{beyond}"', settings)
        )
        seats = [f"--seat={seat}={address}" for seat, address in SEATS.items()]
        words = ("--game", "singularity_trap", "--gm", "gm@example.net", "--schedule", "FRI 20:00 Europe/Berlin")
        run_pbem(home, "new", "trap", *words, *seats)
        run_pbem(home, "start", "trap")
        run_pbem(home, "tick")
        return play(World(home, far, port, driver.stem))


if __name__ == "__main__":
    run_drivers("lists", __doc__, "lists", FOUND, run, write)
