"""Reports, receipts and the host's other mails: from what a seat may know to text, HTML, JSON and pictures."""

from pbem.report.answers import Help, Receipt, Refusal, Replacement, Restated, Told, compare, restate, tell_findings
from pbem.report.data import ReportDataError, read_report_data, report_data, write_report_data
from pbem.report.facts import (
    Correction,
    DiceTold,
    DiceWord,
    DrawnPicture,
    Ordered,
    ReportFacts,
    ReportParts,
    Said,
    SheetUsed,
    Words,
)
from pbem.report.notices import Bounced, Page, Reminder, TurnProblem, Welcome
from pbem.report.pictures import paint_one
from pbem.report.pool import Job
from pbem.report.renderer import Reporter

__all__ = [
    "Bounced",
    "Correction",
    "DiceTold",
    "DiceWord",
    "DrawnPicture",
    "Help",
    "Job",
    "Ordered",
    "Page",
    "Receipt",
    "Refusal",
    "Reminder",
    "Replacement",
    "ReportDataError",
    "ReportFacts",
    "ReportParts",
    "Reporter",
    "Restated",
    "Said",
    "SheetUsed",
    "Told",
    "TurnProblem",
    "Welcome",
    "Words",
    "compare",
    "paint_one",
    "read_report_data",
    "report_data",
    "restate",
    "tell_findings",
    "write_report_data",
]
