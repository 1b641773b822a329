"""The night on servers: PostgreSQL, Dovecot and Postfix, all reset before every kill."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pbem.app import open_app
from pbem.config import load_settings
from pbem.config_values import FILE_NAME
from pbem.scheduler.tick import tick
from pbem.scheduler.work import TickResult
from tests.faults.local import Night, change_settings, copy_home
from tests.faults.night import GAMES, LATER, NIGHT, small_night
from tests.faults.outcome import Outcome, astray, idle, outcome
from tests.servers.mail import DOMAIN, MailServer
from tests.servers.postgres import PostgresServer
from tests.servers.relay import relaying
from tests.toy.home import make_home

PLAYERS = ("ann", "bob", "gm")


@dataclass(frozen=True)
class ServerNight(Night):
    """A home before its night, and the servers it uses. The database at `template` is for copying."""

    template: str
    letters: list[bytes]
    mail: MailServer
    postgres: PostgresServer

    @contextmanager
    def fresh(self) -> Iterator[Path]:
        """Yield a copy of the home with its own database, the messages in the inbox, and no other mail anywhere."""
        home = copy_home(self.home, "copy")
        self.mail.empty()
        self.mail.append("orders", self.letters)
        with self.postgres.fresh_database(like=self.template) as url:
            change_settings(home, database=url)
            yield home

    def length(self, setting: str, service: str) -> int:
        """Return the bytes that an undisturbed tick exchanges with the service of a setting."""
        with self.fresh() as home:
            return self._over_a_line(home, setting, service, None)[1]

    def after_broken_line(self, setting: str, service: str, limit: int) -> Outcome:
        """Return the outcome of the night if the line to a service breaks after so many bytes, in all of its tick."""
        with self.fresh() as home:
            done, _ = self._over_a_line(home, setting, service, limit)
            assert done.problems
            # Once all mail is stored the poll is good, although the line breaks while it is moved away.
            assert setting != "inbox" or done.resolved == [] or done.polled == len(self.letters)
            return self.recovered(home)

    def _over_a_line(self, home: Path, setting: str, service: str, limit: int | None) -> tuple[TickResult, int]:
        """Run a tick over a line that breaks, and restore the setting; return the result and the bytes passed."""
        usual = getattr(load_settings(home), setting)
        with relaying(self.mail.ports[service], limit=limit) as relay:
            user = "orders@" if service == "imap" else ""
            change_settings(home, **{setting: f"{service}://{user}127.0.0.1:{relay.port}"})
            with open_app(home, GAMES) as app:
                done = tick(app, NIGHT)
        change_settings(home, **{setting: usual})
        return done, relay.passed

    def recovered(self, home: Path) -> Outcome:
        """Tick until nothing is left to do; return the outcome. No mail is astray, and no message is left."""
        with open_app(home, GAMES) as app:
            tick(app, NIGHT + LATER)
            assert idle(tick(app, NIGHT + 2 * LATER))
            wrong = astray(app, self._delivered())
            assert not wrong, wrong
            assert self.mail.mails("orders") == []
            assert set(self.mail.mails("orders", folder="Processed")) == set(self.letters)
            return outcome(app)

    def _delivered(self) -> Iterator[tuple[str, bytes]]:
        self.mail.settle()
        for account in PLAYERS:
            yield from ((self.mail.address(account), raw) for raw in self.mail.mails(account))


@contextmanager
def preparing(folder: Path, mail: MailServer, postgres: PostgresServer) -> Iterator[ServerNight]:
    """Prepare a small night in a folder, while the block runs."""
    with postgres.fresh_database() as template:
        home = make_home(folder / "servers" / "home", database=template)
        change_settings(
            home, address=mail.address("orders"), inbox=mail.inbox("orders"), carrier=mail.carrier("orders")
        )
        secret = f'{{ command = "echo {mail.password("orders")}" }}'
        with (home / FILE_NAME).open("a") as file:
            file.write(f'inbox_password = {secret}\ncarrier_password = {secret}\ntls_ca = "{mail.ca_file}"\n')
        yield ServerNight(home, template, small_night(home, domain=DOMAIN), mail, postgres)
