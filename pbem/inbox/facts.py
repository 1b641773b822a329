"""The facts of a message, by which the table of routes tells what it is.

Each is read by one cheap test, once, and only if a row asks for it: most messages are
replies to a report, of which three facts decide. What was found on the way, such as
the commands, stays here for the handler.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from functools import cached_property

from sqlalchemy import bindparam, func, select

from pbem.actions.questions import AnswerCommand, AskGm, may_wish, wished_seat
from pbem.campaign.courtesies import sender_names
from pbem.campaign.people import is_in_time, is_open
from pbem.inbox.authenticate import are_orders, find_orders
from pbem.inbox.codes import Code as CodeFound
from pbem.inbox.command_parser import CommandList, find_press, find_request, first_line
from pbem.inbox.consent.effects import STEPS, act_of, read_answer_to
from pbem.inbox.consent.reader import Said
from pbem.inbox.context import MessageContext, OpenedMessage
from pbem.inbox.frames import GmFrame, Names, SheetText, find_sheet, may_quote_ours
from pbem.inbox.gm_lines import asked_help, read_command, read_unframed
from pbem.inbox.newcomers import find_join_wish
from pbem.inbox.our_frames import find_forms
from pbem.inbox.queries import find_help
from pbem.inbox.quoted_originals import strip_our_text
from pbem.inbox.replies import bare_subject
from pbem.inbox.routes import Code, First, Frame, Machine, Sender
from pbem.inbox.seat_lookup import SeatContext, find_seat, games_of, is_known, load_seat, seat_names, seats_of
from pbem.mail.machines import RECALL
from pbem.store.models import Campaign, InboxMessage, OutgoingMail, PendingRequest, Press, Question, Seat
from pbem.store.types import CampaignState, RequestKind

_HELP = re.compile(r"\A\s*+help\b", re.IGNORECASE)

_OF_GM = select(Campaign).where(
    func.lower(Campaign.gm) == bindparam("gm"), Campaign.status.not_in((CampaignState.OVER, CampaignState.MOVED))
)
_ANSWERS = ("ANSWER", *AnswerCommand.also)


LONGEST_UNREAD = dt.timedelta(days=14)
"""Time after which a stranger's mail is not answered."""


class Reading:
    """A message as it is read: its facts, and the parts of it that were found for them.

    `came` is the message as it came, `known` the names of all campaigns.
    """

    def __init__(self, came: OpenedMessage, known: Names) -> None:
        self.came, self.known = came, known

    @cached_property
    def machine(self) -> Machine:
        """The kind of its writer."""
        sign = self.came.context.message.machine
        return "recall" if sign == RECALL else sign.kind.value

    @cached_property
    def _stripped(self) -> tuple[MessageContext, SheetText]:
        context, found = self.came.context, self.answered
        # Only what its writer has shown, as the code may be mailed to them: a Message-ID tells no code.
        if found and found.key != found.mailed:
            context = replace(context, answers=found.key)
        quotes = may_quote_ours(context.message.source_lines)
        message = strip_our_text(context.session, context.message, context.codes) if quotes else context.message
        if message is context.message:
            return context, self.came.sheet
        return replace(context, message=message), find_sheet(message.lines, self.known)

    @property
    def context(self) -> MessageContext:
        """The message without what it quotes of ours."""
        return self._stripped[0]

    @property
    def sheet(self) -> SheetText:
        """The sheet in it, without what it quotes of ours."""
        return self._stripped[1]

    @cached_property
    def frame(self) -> Frame:
        """The frame in it."""
        if self.came.gm_sheet:
            return "gm"
        if self.came.context.message.written_by_program:
            return "orders" if self.came.sheet.header else ""
        if self.press:
            return "text"
        if self.sheet.header:
            return "orders"
        return "player" if self.request and self.request.header else ""

    @cached_property
    def press(self) -> CommandList | None:
        """The commands of which the first takes a text, in the message as it came: press may quote our mails."""
        return find_press(self.came.context.message.lines, self.came.sheet, self.known)

    @cached_property
    def request(self) -> CommandList | None:
        """The commands of a player in it, unless it has a sheet."""
        return None if self.sheet.header else find_request(self.context, self.known) or self._wish_for_seat()

    def _wish_for_seat(self) -> CommandList | None:
        """Return the question to the GM that a reply means which only wishes for another seat: "could I be blue?"."""
        context, found = self.context, self.answered
        typed = [line for line in context.message.lines if line.strip()]
        if found is None or not found.is_report or not may_wish(context.message.text):
            return None
        place = load_seat(context.session, found.seat_id)
        game = context.app.game(place.game)
        # In free words an order cannot be told from a wish beside it.
        if place.status == CampaignState.RUNNING and (
            (game.free_text and len(typed) > 1) or find_orders(context, place, self.sheet.lines)
        ):
            return None
        if not wished_seat(context.message.text, place.seat, seat_names(context.session, place.campaign)):
            return None
        return CommandList(None, ((1, AskGm.usage),), texts={1: context.message.text})

    @cached_property
    def answered(self) -> CodeFound | None:
        """The mail that it answers; none for what its sender has confirmed by now."""
        context = self.came.context
        # Who reads the code of a question may send it in words.
        typed = first_line(context.message).lower().split()
        words = typed[1:2] if typed[:1] == ["confirm"] else ()
        codes, confirmed = context.codes, [each for each in context.codes.typed if each.key in words]
        found = [*(each for each in confirmed if each.kind == "ask"), *codes.shown, *confirmed, *codes.named]
        return next(filter(self._counts, found), None)

    def _counts(self, each: CodeFound) -> bool:
        if each.kind == "ask":
            return self.came.context.confirmed is None
        if each.kind == "press":
            return self._press_of(each) is not None
        return each.kind != "answer" or each.state != "old"

    @cached_property
    def code(self) -> Code:
        """The kind of the mail that it answers."""
        if self.answered is None:
            return ""
        if self.answered.is_report and self.answered.state == "stale":
            return "stale"
        closed = (
            self.answered.kind in ("ask", "invite") and self.asked is not None and _is_closed(self.asked, self.context)
        )
        return "spent" if closed else self.answered.kind

    @cached_property
    def asked(self) -> PendingRequest | None:
        """The request that it answers, open or not."""
        kinds, found = ("ask", "invite", "offer", "form"), self.answered
        return self.context.session.get(PendingRequest, found.subject_id) if found and found.kind in kinds else None

    @cached_property
    def question(self) -> Question | None:
        """The question of a player that it answers."""
        found = self.answered
        return self.context.session.get(Question, found.subject_id) if found and found.kind == "question" else None

    @cached_property
    def press_answered(self) -> tuple[Press, SeatContext] | None:
        """The piece of press that it answers, and the seat that got it, if its player of then may write today."""
        return self._press_of(self.answered) if self.answered and self.answered.kind == "press" else None

    def _press_of(self, code: CodeFound) -> tuple[Press, SeatContext] | None:
        session, mail = self.came.context.session, self.came.context.session.get_one(OutgoingMail, code.subject_id)
        words = (mail.topic or "").split()
        if len(words) != 4 or not words[3].isdigit():
            return None
        press, place = session.get(Press, int(words[3])), find_seat(session, words[1], words[2])
        if press is None or place is None or {press.campaign_id, place.campaign_id} != {mail.campaign_id}:
            return None
        # A seat with another player by now: what its former player writes is not for that one to send.
        player = session.scalar(select(Seat.person_id).where(Seat.id == place.seat_id))
        may = player is not None and player == mail.person_id
        return (press, place) if may and place.playing and place.status == CampaignState.RUNNING else None

    @property
    def gm_campaign(self) -> Campaign:
        """The campaign of the mail for a GM that it answers."""
        assert self.answered is not None
        return self.context.session.get_one(Campaign, self.answered.campaign_id)

    @cached_property
    def form(self) -> bool:
        """True if it has the form of a ruling, not as it was mailed."""
        forms = find_forms(self.context.message.source_lines) if self.asked is not None else ()
        sent = self.mail_with_form if forms else None
        return sent is not None and any(form.checksum != sent.data.get("form", "") for form in forms)

    @cached_property
    def mail_with_form(self) -> PendingRequest | None:
        """The mail with the form of a ruling that it answers, or the one that the offer which it answers is about."""
        if self.asked is None or self.asked.kind != RequestKind.GM:
            return self.asked if self.asked is not None and self.asked.kind == RequestKind.DIGEST else None
        code = self.asked.data["digest"]
        digest = select(PendingRequest).where(PendingRequest.kind == RequestKind.DIGEST, PendingRequest.code == code)
        return self.context.session.scalar(digest) if code else None

    @cached_property
    def answer_class(self) -> Said:
        """The class of its answer to what was asked."""
        assert self.asked is not None
        return read_answer_to(self.context, self.asked)

    @cached_property
    def commands(self) -> GmFrame | None:
        """The commands of a GM in it, without a frame."""
        message = self.context.message
        names = sender_names(message.sender_name, message.sender or "")
        return read_unframed("", message.lines, names=names)

    @cached_property
    def help(self) -> tuple[str, ...] | None:
        """The words after HELP; None if it does not ask for help."""
        first = first_line(self.context.message) or bare_subject(self.context.message.subject)
        asks = _HELP.match(first) or bare_subject(self.context.message.subject).lower() == "help"
        return find_help(self.context) if asks and not self.sheet.header else None

    @cached_property
    def first(self) -> First:
        """The kind of its first typed line."""
        if self.code in ("offer", "form", "question", "answer") and self.frame != "player":
            return self._first_of_gm()
        if self.code in ("ask", "spent") and self._agrees():
            return "yes"
        if self.code == "ask" and self._is_order():
            return "order"
        if self.help is not None:
            return "help"
        if self.request is not None and (self.request.parse().orders or self.code not in ("invite", "spent")):
            if self.request.as_sheet() is not None:
                return "orders-command"
            return "command" if self._may_be_command() else "words"
        return "words" if self.context.message.text.strip() else "nothing"

    def _first_of_gm(self) -> First:
        if self.code == "offer":
            step = STEPS["offer"][self.answer_class]
            if step in ("do", "end", "again"):
                return {"do": "yes", "end": "no"}.get(step, "nothing")  # type: ignore[return-value]
        if self.commands is None or (self.code == "question" and not _is_in_capitals(self.commands)):
            return "words" if self.context.message.text.strip() else "nothing"
        return "help" if asked_help(self.commands) is not None else "command"

    def _agrees(self) -> bool:
        asked = self.asked
        if asked is None or asked.kind != RequestKind.MESSAGE:
            return False
        return STEPS[act_of(asked)][self.answer_class] in ("do", "do-tell")

    def _is_order(self) -> bool:
        """Return True if an answer brings orders instead of those asked about."""
        assert self.asked is not None
        if not self.asked.data.get("orders"):
            return False
        place, header = load_seat(self.context.session, self.asked.data["seat_id"]), self.sheet.header
        # The code of the question is proof for its seat alone.
        if header is not None:
            return (header.campaign, header.seat) == (place.campaign, place.seat)
        # In a game that accepts any words as orders, orders cannot be told from chat.
        chat = are_orders(self.context, place, ((1, "No, it is not"),))
        return not chat and are_orders(self.context, place, self.sheet.lines)

    def _may_be_command(self) -> bool:
        """Return False for a GM's words that are a command of players as well: a GM is no player."""
        if self.code or self.sender != "gm" or self.request is None:
            return True
        return any(getattr(order, "for_strangers", False) for order in self.request.parse().orders)

    @cached_property
    def key(self) -> bool:
        """True if it shows a valid token, or the code of a report."""
        return self.came.context.key.startswith(("code ", "token "))

    @cached_property
    def _seats(self) -> frozenset[str]:
        return frozenset(seat.campaign for seat in seats_of(self.came.context.session, self.came.context.sender))

    @cached_property
    def sender(self) -> Sender:
        """The kind of person that its From names; one that the receiving server calls forged is a GM's no more."""
        context = self.came.context
        if self.own_campaign is not None:
            return "gm"
        if self._seats or games_of(context.session, context.sender, context.now):
            return "seat"
        if is_known(context.session, context.message.sender):
            return "person"
        return "past" if self._is_old else "stranger"

    @property
    def _is_old(self) -> bool:
        """True if it came before the first campaign, or long ago: a mailbox may be older than what it is used for."""
        session = self.came.context.session
        came = session.scalar(select(InboxMessage.received_at).where(InboxMessage.id == self.came.context.inbox_id))
        first = session.scalar(select(func.min(Campaign.created_at)))
        return came is not None and came < max(first or came, self.came.context.now - LONGEST_UNREAD)

    @cached_property
    def own_campaign(self) -> Campaign | None:
        """The only campaign of its sender, who is its GM and plays in none."""
        context = self.came.context
        if not context.sender or context.verdict == "fail" or self.key or self._seats:
            return None
        found = context.session.scalars(_OF_GM.limit(2), {"gm": context.sender}).all()
        return found[0] if len(found) == 1 else None

    @cached_property
    def wish(self) -> bool:
        """True if it wishes to join a campaign, in plain words."""
        return self.join is not None

    @cached_property
    def join(self) -> CommandList | None:
        """The JOIN that it means in plain words."""
        return find_join_wish(self.context)


def _is_in_capitals(commands: GmFrame) -> bool:
    """Return True for commands in capitals: in reply to a question words to a player are expected, and ANSWER."""
    line = commands.lines[0][1]
    verb = line.split()[0]
    return verb.isupper() and verb not in _ANSWERS and read_command(line) is not None


def _is_closed(asked: PendingRequest, context: MessageContext) -> bool:
    """Return True if a request can no longer be answered; a NO to an invitation may be undone."""
    if is_open(asked, context.now):
        return False
    return not (act_of(asked) == "welcome" and asked.data.get("declined") and is_in_time(asked, context.now))
