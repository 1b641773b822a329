"""The HTML of a report in the archive shows the files beside it, and a mail of it those that it carries."""

from __future__ import annotations

from dataclasses import replace

from pbem.report.facts import DrawnPicture, RenderedReport, ReportFacts

FACTS = ReportFacts(
    campaign="toy1", seat="red", seats=("red",), deadline=None, zone="UTC", code="ABCDEFG", address="orders@example.org"
)
SAID = "cid:map.0123456789abcdef@pbem.invalid"


def report(html: str) -> RenderedReport:
    """Return a report with a map that was drawn, and a chart that could not be."""
    pictures = (DrawnPicture("map", "A map", b"png"), DrawnPicture("chart", "A chart", None))
    return RenderedReport("red", "turn 1", "text", html, b"{}", pictures)


def mailed(facts: ReportFacts) -> str:
    """Return HTML as it is mailed, with words of a person that look like an address."""
    return f'<img src="cid:{facts.content_id("map")}"><img src="cid:{facts.content_id("chart")}"><p>{SAID}</p>'


def test_a_picture_is_shown_from_the_file_beside() -> None:
    """A picture that was drawn is named as its file is; words and what was not drawn stay as they were."""
    files = report(mailed(FACTS)).files()
    html = files["red.html"].decode()

    assert html.startswith('<img src="red.map.png">')
    assert html.removeprefix('<img src="red.map.png">') == mailed(FACTS).partition(">")[2]
    assert files["red.map.png"] == b"png"


def test_a_report_is_mailed_again_from_its_files() -> None:
    """Pictures get the Content-IDs of the new mail, from a file of today as from one of an older version."""
    again = replace(FACTS, code="HIJKLMN")
    today = report(mailed(FACTS)).files()["red.html"].decode()

    assert again.with_content_ids(today) == again.with_content_ids(mailed(FACTS)) == mailed(again)
