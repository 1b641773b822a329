"""Access tokens as an identity provider makes them: JSON Web Tokens (RFC 7519), which the tests' Dovecot accepts."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from pathlib import Path

_KEY = b"the key of the identity provider"
_HOUR = 3600


def write_key(folder: Path) -> None:
    """Write the key where Dovecot looks for it: by issuer, algorithm and name."""
    path = folder / "default" / "HS256" / "default"
    path.parent.mkdir(parents=True)
    path.write_bytes(base64.b64encode(_KEY))


def token(user: str, *, age: int = 0) -> str:
    """Return a token for a user that is valid for an hour, made so many seconds ago."""
    made = int(time.time()) - age
    claims = {"sub": user, "iat": made, "nbf": made, "exp": made + _HOUR}
    signed = f"{_part({'typ': 'JWT', 'alg': 'HS256'})}.{_part(claims)}"
    return f"{signed}.{_encoded(hmac.digest(_KEY, signed.encode(), hashlib.sha256))}"


def _part(data: object) -> str:
    return _encoded(json.dumps(data).encode())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
