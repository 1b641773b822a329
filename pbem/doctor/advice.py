"""What to do about the failures of mail servers and databases, told from the words in which they come."""

from __future__ import annotations

import re

_ADVICE = tuple(
    (re.compile(pattern, re.IGNORECASE), advice)
    for pattern, advice in (
        (
            r"hostname mismatch|ip address mismatch|not valid for",
            "the server's certificate is for another name: write the host in {setting} as it stands in the certificate",
        ),
        (
            r"certificate has expired|not yet valid",
            "look at this machine's clock; if it is right, the server's certificate must be renewed",
        ),
        (
            r"certificate.verify.failed",
            "this machine does not know who signed the server's certificate: name the authority's file with tls_ca",
        ),
        (
            r"tls_ca",
            "the file must hold certificates in PEM form",
        ),
        (
            r"wrong.version.number|unexpected.eof|record.layer|starttls.{0,30}not supported|command.{0,30}starttls",
            "port and scheme do not fit: ports 993 and 465 begin with TLS (imaps, smtps), 143 and 587 with STARTTLS",
        ),
        (
            r"refuses the access token",
            "look at the user in {setting}, and have the command of {setting}_oauth sign in anew for a fresh token",
        ),
        (
            r"refuses the login|authenticat",
            "look at the user in {setting} and at {setting}_password; large providers want an app password",
        ),
        (
            r"name or service not known|name resolution|nodename|no address associated",
            "the host in {setting} is misspelt, or this machine's name service (DNS) does not work",
        ),
        (
            r"connection refused",
            "nothing listens there: look at host and port in {setting}, and whether the server is up",
        ),
        (
            r"timed out|unreachable|no route",
            "the server cannot be reached: look at host and port in {setting}, at the network and at firewalls",
        ),
        (
            r"mailbox doesn.t exist|nonexistent|unknown mailbox|no such mailbox",
            "the folder at the end of {setting} does not exist; the usual one is INBOX",
        ),
    )
)
"""The first that fits is meant: the more telling come first."""


_OF_DATABASES = tuple(
    (re.compile(pattern, re.IGNORECASE), advice)
    for pattern, advice in (
        (
            r"disk is full",
            "free some space where the database lies; nothing is lost, the next tick goes on",
        ),
        (
            r"malformed|not a database",
            "it is damaged: keep it as it is, and {restore}",
        ),
        (
            r"database \"[^\"]{1,63}\" does not exist",
            "correct its name in `database` in pbem.toml; for a new home: createdb, pbem init; if lost, {restore}",
        ),
        (
            r"password authentication failed|no password supplied",
            "look at user and password in `database` in pbem.toml; the password may also stand in ~/.pgpass",
        ),
        (
            r"role \"[^\"]{1,63}\" does not exist",
            "make the user (createuser), or correct it in `database` in pbem.toml",
        ),
        (
            r"pg_hba\.conf|peer authentication failed",
            "let the server take this user from this machine: a line of its pg_hba.conf says who may come, and how",
        ),
        (
            r"read-only transaction|read-write mode during recovery",
            "name the primary server in `database`, or reset default_transaction_read_only of this user or database",
        ),
        (
            r"permission denied",
            "grant the user the right to use the database and its schema: it must own its tables",
        ),
        (
            r"translate host name|name or service not known|name resolution",
            "the host in `database` in pbem.toml is misspelt, or this machine's name service (DNS) does not work",
        ),
        (
            r"connection refused|no such file or directory|timed out|timeout expired|unreachable|no route",
            "start the database server, or correct host and port of `database` in pbem.toml",
        ),
        (
            r"readonly|read-only|unable to open",
            "let pbem's user write to the file and to its folder (chown, chmod)",
        ),
        (
            r"locked",
            "another process holds it: see which with fuser, and try again",
        ),
    )
)


def advice_for_database(failure: str, restore: str) -> str:
    """Return how to mend a failure of the database; `restore` is the instruction for one that is lost."""
    found = (advice.format(restore=restore) for pattern, advice in _OF_DATABASES if pattern.search(failure))
    return next(found, "correct `database` in pbem.toml, or start its server; then run: pbem doctor")


def advice_for(failure: str, setting: str) -> str:
    """How to mend a failure of the inbox or carrier; `setting` is its name in pbem.toml."""
    for pattern, advice in _ADVICE:
        if pattern.search(failure):
            return advice.format(setting=setting)
    return f"look at {setting} in pbem.toml, and at what the server's own log says"
