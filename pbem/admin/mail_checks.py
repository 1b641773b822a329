"""Checks of inbox, carrier and stored mail for the doctor, with advice for repair."""

from __future__ import annotations

import datetime as dt
import re
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from pbem.admin.checks import CheckResult, failure, find_advice, format_utc_minute, ok, warning
from pbem.admin.processed import FULL_PERCENT, describe_quota
from pbem.admin.round_trip import check_test
from pbem.config import Settings, reaches
from pbem.config_values import Dkim, MailUrl, Secret, is_server_name
from pbem.errors import ConfigError, MailError
from pbem.inbox.junk import describe_junk, find_ours
from pbem.mail.authentication import newest_proven
from pbem.mail.fetch import check_transport, examine_inbox
from pbem.mail.mailbox import MailboxFacts
from pbem.mail.received import suggested_server, taken_at
from pbem.mail.transport import DkimSigner, verify_signature
from pbem.store.models import InboxMessage
from pbem.store.session import Store
from pbem.store.types import UNREADABLE
from pbem.text import count_noun

# The first pattern that matches counts, in any case, so the more specific ones come first.
_MAIL_ADVICE = [
    (re.compile(pattern, re.IGNORECASE), advice)
    for pattern, advice in {
        r"hostname mismatch|ip address mismatch|not valid for": (
            "the server's certificate is for another name: write the host in {setting} as it stands in the certificate"
        ),
        r"certificate has expired|not yet valid": (
            "look at this machine's clock; if it is right, the server's certificate must be renewed"
        ),
        r"certificate.verify.failed": (
            "this machine does not know who signed the server's certificate: name the authority's file with tls_ca"
        ),
        r"tls_ca": "the file must hold certificates in PEM form",
        r"speaks no tls|unexpected.eof|record.layer|starttls.{0,30}not supported|command.{0,30}starttls": (
            "port and scheme do not fit: ports 993 and 465 begin with TLS (imaps, smtps), 143 and 587 with STARTTLS"
        ),
        r"refuses the access token": (
            "look at the user in {setting}, and have the command of {setting}_oauth sign in anew for a fresh token"
        ),
        r"refuses the login|authenticat": (
            "look at the user in {setting} and at {setting}_password; large providers want an app password"
        ),
        r"name or service not known|name resolution|nodename|no address associated": (
            "the host in {setting} is misspelt, or this machine's name service (DNS) does not work"
        ),
        r"connection refused": (
            "nothing listens there: look at host and port in {setting}, and whether the server is up"
        ),
        r"timed out|unreachable|no route": (
            "the server cannot be reached: look at host and port in {setting}, at the network and at firewalls"
        ),
        r"mailbox doesn.t exist|nonexistent|unknown mailbox|no such mailbox": (
            "the folder at the end of {setting} does not exist; the usual one is INBOX"
        ),
    }.items()
]


def mail_advice(failure: str, setting: str) -> str:
    """Return how to mend a failure of the inbox or carrier; `setting` is its name in pbem.toml."""
    usual = "look at {setting} in pbem.toml, and at what the server's own log says"
    return find_advice(_MAIL_ADVICE, failure, usual).format(setting=setting)


LATEST = 20
"""The newest messages in which the field of the receiving server is looked for."""

_DIFFERENT = dt.timedelta(minutes=10)


def check_stored_mail(settings: Settings) -> Iterator[CheckResult]:
    """Yield what stored mail tells of the receiving server: word on senders, time of arrival, and the newest test."""
    with closing(Store(settings.database)) as store, suppress(*UNREADABLE), store.reading() as session:
        if settings.authserv_id:
            yield _check_authserv_id(session, settings)
        yield from _check_arrival(session, settings.received_by)
        yield from check_test(session, settings)


def _check_arrival(session: Session, server: str) -> Iterator[CheckResult]:
    """Yield when a mail counts as come, with the newest as an example."""
    columns = select(InboxMessage.id, InboxMessage.raw, InboxMessage.received_at)
    rows = session.execute(columns.order_by(InboxMessage.id.desc()).limit(LATEST)).all()
    if server:
        yield from _check_received_by(server, rows)
        return
    for row in rows[:1]:
        taker = suggested_server(row.raw)
        taken = taken_at(row.raw, taker)
        if taken is None or not is_server_name(taker):
            return
        example = f"message {row.id}: {_format_second(row.received_at)}"
        shown = f'its Received field by "{taker}" says {_format_second(taken)}'
        said = f"a mail came when the mailbox says ({example}); {shown}"
        mend = f'to have what the server says, write received_by = "{taker}" in pbem.toml: docs/hosting.md'
        differs = abs(taken - row.received_at) > _DIFFERENT
        yield warning("received_by", said, mend) if differs else ok("received_by", said)


def _check_received_by(server: str, rows: Sequence[Row[int, bytes, dt.datetime]]) -> Iterator[CheckResult]:
    by_field: dict[bool, list[Row[int, bytes, dt.datetime]]] = {True: [], False: []}
    for row in rows:
        by_field[taken_at(row.raw, server) is not None].append(row)
    taken, lacking = by_field[True], by_field[False]
    mend = (
        'name it as it stands behind "by" in the topmost Received field of such a mail, several together as '
        '"*.example.org"; where it is missing a sender could write it'
    )
    if taken:
        example = f"message {taken[0].id}, {_format_second(taken[0].received_at)}"
        yield ok("received_by", f'a mail came when "{server}" took it, by its Received field: {example}')
    if lacking:
        some = f"{len(lacking)} of the newest {count_noun(len(rows), 'message')}, such as message {lacking[0].id}"
        said = f'{some}, have no Received field of "{server}" with a date, and came when the mailbox says'
        yield warning("received_by", said, mend)


def _format_second(at: dt.datetime) -> str:
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S} UTC"


def _check_authserv_id(session: Session, settings: Settings) -> CheckResult:
    """Check that the mail server adds its verdict on senders, by the newest mail of a GM from outside."""
    name = settings.authserv_id
    proven = newest_proven(session, name, settings.received_by)
    if proven is None:
        said = f"""whether "{name}" adds its word on senders is not known: no mail of a GM came from outside"""
        mend = (
            "run: pbem doctor --send with the GM's address, and reply from there, by another server than this one; "
            "where a server adds none, anybody can write it"
        )
        return warning("authserv_id", said, mend)
    mail = f"message {proven.inbox_id}, from the GM, of {format_utc_minute(proven.received_at)}"
    if proven.stamped:
        read = f" ({proven.fields} fields read together)" if proven.fields > 1 else ""
        return ok("authserv_id", f'{mail}, bears the word of "{name}" on its sender: {proven.verdict}{read}')
    said = f'{mail}, does not bear the word of "{name}": anybody can write it, so none counts'
    mend = (
        'name the server as it stands after "Authentication-Results:" on top of a mail from outside, or take '
        "authserv_id out of pbem.toml if there is no such line; then mail and look once more"
    )
    return failure("authserv_id", said, mend)


_PROBE = b"From: orders@example.org\r\nSubject: probe\r\n\r\nprobe\r\n"


def check_mail(settings: Settings, now: dt.datetime, *, database: bool = False) -> Iterator[CheckResult]:
    """Yield the checks of inbox, carrier, signature and address; a server whose secret is missing is not tried.

    With a `database` that can be used the folder for junk is searched for codes.
    Of a home that is not active no server is asked at all.
    """
    # The settings of a restored home may be a stranger's: until it is reopened, no server is asked (decision 37).
    if not settings.active:
        mend = "see that all of it is right, correct it in pbem.toml, then: pbem restore --activate"
        yield warning("inactive", "this home is inactive, and uses none of the following before it is activated", mend)
        yield from (warning("inactive", each, "") for each in reaches(settings.home))
        return
    yield from _check_inbox(settings, now, database=database)
    yield from _check_carrier(settings)
    if settings.dkim is not None:
        yield _check_signature(settings.dkim, settings.domain)
    yield _check_domain(settings.domain)


def _check_inbox(settings: Settings, now: dt.datetime, *, database: bool) -> Iterator[CheckResult]:
    url = settings.inbox_url
    secrets = _check_secrets(inbox_password=settings.inbox_password, inbox_oauth=settings.inbox_oauth)
    yield from secrets
    if any(check.result == "problem" for check in secrets):
        return
    try:
        facts = examine_inbox(settings, now)
    except (ConfigError, MailError) as error:
        yield failure("inbox", str(error), mail_advice(str(error), "inbox"))
        return
    yield ok("inbox", f"{url.path or url.server}: {_describe_waiting(facts.arrivals)}")
    if facts.abilities is not None:
        yield _describe_server(settings, facts, facts.abilities)
    yield from _check_moving(facts)
    if database and facts.junk:
        yield from _check_junk(settings, facts)


def _describe_server(settings: Settings, facts: MailboxFacts, abilities: Collection[str]) -> CheckResult:
    """Return what follows from what an IMAP server can."""
    if "MOVE" in abilities:
        moving = f"stored mail is moved to {facts.processed} (MOVE)"
    elif "UIDPLUS" in abilities:
        moving = f"it has no MOVE: stored mail is copied to {facts.processed} and then deleted (UIDPLUS)"
    else:
        moving = (
            f"it has neither MOVE nor UIDPLUS: stored mail is copied to {facts.processed}, and stays in the inbox "
            "marked as deleted until a mail program empties that"
        )
    room = ", ".join(map(str, facts.quotas)) + " are used (QUOTA)" if facts.quotas else "it tells no limit of its room"
    lines = (
        moving,
        "new mail is noticed at once (IDLE)"
        if "IDLE" in abilities
        else f"new mail is noticed every {settings.poll_seconds} s (no IDLE)",
        room,
        "a missing right is named beforehand (ACL)" if "ACL" in abilities else "it tells no rights (no ACL)",
    )
    return ok("inbox server", "; ".join(lines))


def _check_junk(settings: Settings, facts: MailboxFacts) -> Iterator[CheckResult]:
    with closing(Store(settings.database)) as store, suppress(*UNREADABLE), store.reading() as session:
        if said := describe_junk(facts.junk_folder, find_ours(session, settings.address, facts.junk)):
            mend = (
                "the next pbem tick reads them"
                if settings.fetch_junk
                else (
                    "move them to the inbox, or write fetch_junk = true in pbem.toml; and tell the mail server that "
                    "they are no junk"
                )
            )
            yield warning("junk", said, mend)


def _describe_waiting(arrivals: Collection[dt.datetime]) -> str:
    """Return the number of mails that wait, and the day of the oldest: a mailbox may have been in use before."""
    count = count_noun(len(arrivals), "mail waits", "mails wait")
    return f"{count} there" + (f", the oldest of {min(arrivals):%-d %b %Y}" if arrivals else "")


def _check_moving(facts: MailboxFacts) -> Iterator[CheckResult]:
    """Check that mail can be moved from the inbox to Processed, and new mail can come, as far as the server tells."""
    for each in facts.lacks:
        mend = "have the owner of the mailbox grant it (IMAP ACL): until then stored mail cannot be moved to Processed"
        yield failure("inbox rights", each, mend)
    for quota in facts.quotas:
        if quota.percent >= FULL_PERCENT:
            mend = "delete old mail in Processed (keep_processed in pbem.toml does it), or have the quota raised"
            yield warning("inbox quota", describe_quota(quota), mend)


def _check_carrier(settings: Settings) -> Iterator[CheckResult]:
    url = settings.carrier_url
    secrets = _check_secrets(carrier_password=settings.carrier_password, carrier_oauth=settings.carrier_oauth)
    yield from secrets
    if url.scheme != "maildir" and all(check.result != "problem" for check in secrets):
        yield _try_server("carrier", url, lambda: _greet_carrier(settings, url))


def _greet_carrier(settings: Settings, url: MailUrl) -> str:
    check_transport(settings)
    return f"it takes the login of {url.user}" if url.user else "it answers, and asks for no login"


def _check_secrets(**secrets: Secret | None) -> list[CheckResult]:
    """Check that the secrets that are set can be read; whether they are right is not known."""
    return [_check_secret(setting, secret) for setting, secret in secrets.items() if secret is not None]


def _check_secret(setting: str, secret: Secret) -> CheckResult:
    try:
        value = secret.read(setting)
    except ConfigError as error:
        what = "set the variable where pbem runs, in cron or systemd too" if secret.env else "run the command by hand"
        return failure(setting, str(error), what)
    if value != value.strip():
        return warning(setting, "it begins or ends with a blank", "take the blank away, unless it is meant")
    return ok(setting, "it can be had")


def _try_server(name: str, url: MailUrl, attempt: Callable[[], str]) -> CheckResult:
    where = url.path or url.server
    try:
        return ok(name, f"{where}: {attempt()}")
    except (ConfigError, MailError) as error:
        return failure(name, str(error), mail_advice(str(error), name))


def _check_signature(dkim: Dkim, domain: str) -> CheckResult:
    """Check that a signed mail is verified by the key in DNS."""
    try:
        signed = DkimSigner(dkim).sign(_PROBE)
    except ConfigError as error:
        return failure("dkim", str(error), "make a key, or take dkim out of pbem.toml")
    where = f"{dkim.selector}._domainkey.{dkim.domain}"
    if not verify_signature(signed):
        mend = f"publish the public half of the key as a TXT record of {where}"
        return warning("dkim", f"the key published at {where} is not found, or is another one", mend)
    if domain != dkim.domain and not domain.endswith(f".{dkim.domain}"):
        mend = "sign with the domain of `address`; else the signature does not speak for the sender (DMARC)"
        return warning("dkim", f"mail from {domain} is signed for {dkim.domain}", mend)
    return ok("dkim", f"mail is signed for {dkim.domain}, and the published key proves it")


def _check_domain(domain: str) -> CheckResult:
    """Warn if the domain has no address, which is only a doubt: it may take mail (MX) all the same."""
    try:
        socket.getaddrinfo(domain, None)
    except (OSError, UnicodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is no name"
        mend = "if players' mail comes back, correct `address` in pbem.toml, or this machine's name service (DNS)"
        return warning("address", f"the domain {domain} is not found: {said}", mend)
    return ok("address", f"the domain {domain} is found")
