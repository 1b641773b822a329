"""The files that go with an answer to a GM."""

from __future__ import annotations

from typing import Any

from pbem.acts.past.forking import WhatIf
from pbem.acts.past.patching import State
from pbem.acts.past.preview import Preview
from pbem.post.writing import Part


def attachments(facts: Any) -> tuple[Part, ...]:
    """The reports of a preview, the state of a turn; of most else there are no files."""
    if isinstance(facts, Preview):
        return tuple(_text(f"{report.place.seat}.txt", report.parts.text) for report in facts.reports)
    if isinstance(facts, WhatIf):
        return attachments(facts.preview)
    if isinstance(facts, State):
        return (_text(f"{facts.campaign}-{facts.turn}.json", facts.text),)
    return ()


def _text(name: str, content: str) -> Part:
    return Part(name, "text/plain; charset=utf-8", content.encode())
