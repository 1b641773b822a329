"""The mail of a report."""

from __future__ import annotations

from pbem.report import DrawnPicture, ReportParts, report_mail
from tests.report.toy import facts

PARTS = ReportParts(
    seat="red",
    subject="Toy Fair: round 2, report for red",
    text="text",
    html="<p>html</p>",
    data=b"{}\n",
    pictures=(DrawnPicture("purse", "Your purse", b"png"), DrawnPicture("map", "The map", None)),
)


def test_reply_code_goes_out_in_subject_and_reply_address() -> None:
    """Pressing Reply is enough: the code stands in the subject's tag and in the Reply-To."""
    mail = report_mail(PARTS, facts(), recipient="ann@example.org", message_id="<1@example.org>")

    assert mail.subject == "[fair1 abcdefghijklmnop] Toy Fair: round 2, report for red"
    assert mail.reply_to == "orders+abcdefghijklmnop@example.org"


def test_parts_of_the_mail() -> None:
    """Drawn pictures go inline under the ids the HTML uses, the data as a file named for campaign and seat."""
    mail = report_mail(PARTS, facts(), recipient="ann@example.org", message_id="<1@example.org>")

    assert [(part.name, part.content_id) for part in mail.parts] == [
        ("purse.png", facts().content_id("purse")),
        ("fair1-red.json", ""),
    ]


def test_what_it_is_for_the_outbox() -> None:
    """A report is of that kind, and takes the place of one on the same topic."""
    mail = report_mail(PARTS, facts(), recipient="ann@example.org", message_id="<1@example.org>", topic="report fair1")

    assert (mail.kind, mail.topic) == ("report", "report fair1")
