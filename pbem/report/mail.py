"""A report as a mail."""

from __future__ import annotations

from pbem.post.codes import plus_address, subject_tag
from pbem.post.writing import Mail, Part
from pbem.report.facts import ReportFacts, ReportParts


def report_mail(parts: ReportParts, facts: ReportFacts, *, recipient: str, message_id: str, topic: str = "") -> Mail:
    """The mail of a report, ready for the outbox: pressing Reply on it is enough to send orders.

    It takes the place of one with the same `topic` that has not gone yet.
    """
    data = Part(name=f"{facts.campaign}-{facts.seat}.json", content_type="application/json", content=parts.data)
    pictures = tuple(
        Part(name=f"{name}.png", content_type="image/png", content=png, content_id=facts.content_id(name))
        for name, _, png in parts.pictures
        if png is not None
    )
    return Mail(
        recipient=recipient,
        subject=f"{subject_tag(facts.campaign, facts.code)} {parts.subject}",
        text=parts.text,
        html=parts.html,
        message_id=message_id,
        reply_to=plus_address(facts.address, facts.code),
        parts=(*pictures, data),
        automatic="auto-generated",
        kind="report",
        topic=topic,
    )
