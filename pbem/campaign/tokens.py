"""Tokens: the word by which a player may write from any address. Only its hash is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from sqlalchemy import update
from sqlalchemy.orm import Session

from pbem.store.models import SeatRow
from pbem.util import TOKEN_BYTES


def draw_token() -> str:
    """A new token, to be mailed once and not kept."""
    return secrets.token_hex(TOKEN_BYTES)


def hash_token(token: str) -> str:
    """What is kept of a token: the hex SHA-256 of its lower-case form."""
    return hashlib.sha256(token.lower().encode()).hexdigest()


def token_fits(token: str, kept: str) -> bool:
    """Whether a word is the token of this hash, found out in a time that tells nothing."""
    return bool(token) and hmac.compare_digest(hash_token(token), kept)


def new_token(session: Session, seat_id: int) -> str:
    """A new token for a seat, to be mailed once; the one before is of no use from now on."""
    token = draw_token()
    session.execute(update(SeatRow).where(SeatRow.id == seat_id).values(token_hash=hash_token(token)))
    return token
