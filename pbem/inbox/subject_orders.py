"""Orders in the subject of a message, which is not read as a part of its sheet: they are told to the sender."""

from __future__ import annotations

from collections.abc import Collection

from pbem.campaign.joined_orders import parse_split
from pbem.inbox.context import MessageContext
from pbem.inbox.replies import bare_subject
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import View
from pbem.util import redact_all


def orders_in_subject(context: MessageContext, ruleset: AnyRuleset, view: View, read: Collection[Order] = ()) -> str:
    """Return the subject of a message if it is an order, or several, and not all of them were `read` in its text.

    None is looked for in free words, where any subject could be one.
    """
    subject = "" if ruleset.free_text else bare_subject(context.message.subject)
    # As the subjects of our mails do, and so of nearly all replies, which need not be parsed.
    if not subject or view["label"] in subject or ruleset.orders.ends_seat(subject):
        return ""
    found = parse_split(ruleset, view, [(1, subject)])
    lost = bool(found.orders) and not any(error.line for error in found.errors)
    return redact_all(subject) if lost and not set(found.orders) <= set(read) else ""
