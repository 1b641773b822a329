"""Reports, receipts and other mails of the host, rendered as text, HTML, JSON and pictures."""

from pbem.report.answers import (
    FindingWithLine,
    Help,
    Receipt,
    Refusal,
    RestatedOrder,
    SheetDifference,
    compare,
    restate,
    tell_findings,
)
from pbem.report.data import ReportDataError, read_report_data, report_data, write_report_data
from pbem.report.facts import (
    Correction,
    DiceDisclosure,
    DiceWord,
    DrawnPicture,
    OrderOutcome,
    PressSection,
    QuotedText,
    RenderedReport,
    ReportFacts,
    SheetUsed,
)
from pbem.report.notices import MailReturned, Page, Reminder, TurnFailed, Welcome
from pbem.report.pictures import render_png
from pbem.report.pool import Job
from pbem.report.renderer import Renderer

__all__ = [
    "Correction",
    "DiceDisclosure",
    "DiceWord",
    "DrawnPicture",
    "FindingWithLine",
    "Help",
    "Job",
    "MailReturned",
    "OrderOutcome",
    "Page",
    "PressSection",
    "QuotedText",
    "Receipt",
    "Refusal",
    "Reminder",
    "RenderedReport",
    "Renderer",
    "ReportDataError",
    "ReportFacts",
    "RestatedOrder",
    "SheetDifference",
    "SheetUsed",
    "TurnFailed",
    "Welcome",
    "compare",
    "read_report_data",
    "render_png",
    "report_data",
    "restate",
    "tell_findings",
    "write_report_data",
]
