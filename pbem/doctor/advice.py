"""What to do about the failures of mail servers, told from the words in which they come."""

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


def advice_for(failure: str, setting: str) -> str:
    """How to mend a failure of the inbox or carrier; `setting` is its name in pbem.toml."""
    for pattern, advice in _ADVICE:
        if pattern.search(failure):
            return advice.format(setting=setting)
    return f"look at {setting} in pbem.toml, and at what the server's own log says"
