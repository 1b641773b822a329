"""The corpus of mails: each an .eml file as some mail program writes it, beside a .txt file of the expected result.

The .txt file begins with a word about the mail and what else is expected,
field by field, then after a blank line the expected text:

    about: Thunderbird, orders below the quoted report
    sender: ann@example.org        (as here if left out; "none")
    automatic: ...                 (nothing if left out)
    note: 4 quoted lines were left out.

    MOVE S1 N 2
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

ANN = "ann@example.org"


@dataclass(frozen=True)
class Meant:
    """Expected result of parsing a mail."""

    text: str
    notes: tuple[str, ...]
    sender: str | None
    automatic: str


def mails() -> list[Path]:
    """Return all mails of the corpus, by name."""
    return sorted(CORPUS.glob("*.eml"))


def meant(mail: Path) -> Meant:
    """Return the expected result for a mail."""
    head, _, text = mail.with_suffix(".txt").read_text(encoding="utf-8").partition("\n\n")
    fields = [line.split(": ", 1) for line in head.split("\n")]
    sender = next((value for name, value in fields if name == "sender"), ANN)
    return Meant(
        text=text.removesuffix("\n"),
        notes=tuple(value for name, value in fields if name == "note"),
        sender=None if sender == "none" else sender,
        automatic=next((value for name, value in fields if name == "automatic"), ""),
    )
