"""Mail commands that only show something: HELP, STATUS, HISTORY, RULES and resent reports.

People who play nowhere learn only which campaigns take players by mail, as anyone may.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.base import format_days
from pbem.actions.players import tell_absence_left
from pbem.actions.welcome import RESENT, find_report, resend_report
from pbem.campaign.deadlines import OpenTurnStatus, load_open_turns, may_be_claimed, time_left, waiting_sheets
from pbem.campaign.guide import answer_in, guide_example
from pbem.campaign.history import Labels, labels_named, load_turn_labels, match_turns, relabel
from pbem.campaign.invitations import board_file
from pbem.campaign.later_orders import describe_kept, load_kept
from pbem.campaign.people import deputies_of, standby_position
from pbem.campaign.snapshot import SeatView, find_seat_view, load_campaign
from pbem.errors import CampaignError
from pbem.games import rulebook
from pbem.inbox.authenticate import reads_as_order
from pbem.inbox.command_parser import (
    COMMANDS,
    REFERENCE,
    VERBS,
    History,
    Requester,
    Resend,
    Rules,
    ShowStandings,
    Status,
)
from pbem.inbox.context import MessageContext, Outcome
from pbem.inbox.newcomers import offer_games
from pbem.inbox.rate_limits import ANSWERS_A_DAY, sent_today, was_sent
from pbem.inbox.replies import answer, bare_subject, mailer_of
from pbem.inbox.seat_lookup import KnownSeat, find_seat, games_of, is_known, seats_of, taking_players
from pbem.mail.compose import MailPart
from pbem.report.answers import DIGEST_SHOWN, Answer, CommandResult, Help, HelpOnVerb, OrderHelp, RulebookPage
from pbem.report.markdown import UNBROKEN, as_html, as_text, find_sections, sections
from pbem.report.notices import Page
from pbem.ruleset.fields import nearest
from pbem.ruleset.orders import SHORTEST_ABBREVIATION, OrderParser
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import split_words
from pbem.ruleset.values import SeatName
from pbem.store.models import Absence, Campaign, Deputy, JournalEntry, OrderSheet, Person, Seat, Standby
from pbem.store.types import CampaignState, StandbyState
from pbem.text import count_noun, describe_rest, format_time, own_zone

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

_HELP = re.compile(r"\A\s*+help\b(.*+)", re.IGNORECASE)

_OTHER_WORDS = {word: verb.word for verb in COMMANDS.verbs for word in verb.order.also}

_MOST_WORDS = 2
"""Words after HELP: more are a sentence, and no verb."""


def find_help(context: MessageContext) -> tuple[str, ...] | None:
    """Return the words after HELP in a message that asks for it; None if it does not ask.

    HELP is its whole subject, or begins its text; a subject without text is read
    like one. In a game of free words a sentence in a reply may be an order.
    """
    subject, message = bare_subject(context.message.subject), context.message
    if subject.lower() == "help":
        return ()
    typed = [
        (at, line) for at, line in enumerate(message.lines, 1) if line.strip() and not line.lstrip().startswith(">")
    ]
    number, line = typed[0] if typed else (1, subject)
    if (found := _HELP.match(line)) is None:
        return None
    words = tuple(split_words(found[1]))
    is_order = words and not _find_verb(context, words) and reads_as_order(context, (number, line))
    return None if is_order else words


def send_help(mail: Reading) -> Outcome:
    """Answer a message that asks for help."""
    context, words = mail.context, mail.help or ()
    sender = context.message.sender
    if sender is None:
        return f"help; {context.silent('no sender can be read')}", False
    page: Page
    if explained := _find_verb(context, words):
        page = HelpOnVerb(orders=explained, others=_other_verbs(context, explained))
    elif told := answer_in(" ".join(words)):
        page = Answer(address=context.address, done=(CommandResult(" ".join(("HELP", *words)), told),))
    else:
        page = _build_guide(context, words)
    return "help; " + answer(context, sender, page, kind="help"), False


def _build_guide(context: MessageContext, words: Sequence[str]) -> Help:
    orders, seats = _game_orders(context), _own_seats(context)
    unknown = words[0] if len(words) == 1 else ""
    near = nearest(unknown, [*sorted(VERBS), *(order.verb for order in orders)]) if unknown else None
    games = {seat.campaign: context.app.games.get(seat.game) for seat in seats[:1]}
    ruleset = next(iter(games.values()), None)
    page = Help(
        address=context.address,
        commands=REFERENCE,
        orders=orders,
        unknown=unknown,
        hint=near or "",
        example=guide_example(ruleset) if ruleset else None,
        answers=ANSWERS_A_DAY,
        dice=ruleset.has_dice if ruleset else True,
    )
    return replace(page, campaign=seats[0].campaign, seat=seats[0].seat) if seats else page


def _find_verb(context: MessageContext, words: Sequence[str]) -> tuple[OrderHelp, ...]:
    """Return the orders and commands that a verb names, in full or abbreviated; none for a sentence."""
    if not 0 < len(words) <= _MOST_WORDS:
        return ()
    typed = _OTHER_WORDS.get(words[0].upper(), words[0].upper())
    known = (*_game_orders(context), *_describe_orders(COMMANDS, ""))
    cut = [order for order in known if len(typed) >= SHORTEST_ABBREVIATION and order.verb.startswith(typed)]
    named = [order for order in known if order.verb == typed] or cut
    if not named and len(words) == 1:
        named = [order for order in _report_orders(context) if order.verb == typed]
    return tuple(named)


def _answered(context: MessageContext) -> tuple[str, str] | None:
    """Return the campaign, with its game, of the mail of ours that a message answers; None if it answers none."""
    found = [*context.codes.reports, *context.codes.of("ask", "invite", "offer", "form")]
    return next(((each.campaign, each.game) for each in found if each.campaign), None)


def _own_seats(context: MessageContext) -> list[KnownSeat]:
    """Return the sender's seats: of the campaign whose mail the message answers, or else of all."""
    seats, answered = seats_of(context.session, context.message.sender), _answered(context)
    return [seat for seat in seats if answered is None or seat.campaign == answered[0]]


def _other_verbs(context: MessageContext, explained: Sequence[OrderHelp]) -> tuple[str, ...]:
    """Return the verbs of the games of some orders, without these orders' own."""
    games, told = {order.game for order in explained}, {order.verb for order in explained}
    verbs = (order.verb for order in _game_orders(context) if order.game in games)
    return tuple(verb for verb in dict.fromkeys(verbs) if verb not in told)


def _report_orders(context: MessageContext) -> Iterator[OrderHelp]:
    """Yield the orders that the newest reports to the sender offer: a campaign may have verbs of its own."""
    for known in _own_seats(context):
        place = find_seat(context.session, known.campaign, known.seat)
        if place is not None and place.status == CampaignState.RUNNING:
            ruleset = context.app.game(place.game)
            for verb in ruleset.desk(place.view)["verbs"]:
                told = (verb["usage"], verb["help"], tuple(verb["examples"]))
                yield OrderHelp(verb["word"], f"{ruleset.title}, in the campaign {place.campaign}", *told)


def _game_orders(context: MessageContext) -> tuple[OrderHelp, ...]:
    """Return the orders of the game whose mail the message answers, or else of all games of the sender.

    These are those in which the sender is a player, deputy or GM.
    """
    answered = _answered(context)
    games = [answered[1]] if answered else games_of(context.session, context.message.sender or "", context.now).values()
    rulesets = [context.app.game(key) for key in dict.fromkeys(games)]
    return tuple(order for ruleset in rulesets for order in _describe_orders(ruleset.orders, ruleset.title))


def _describe_orders(book: OrderParser, game: str) -> Iterator[OrderHelp]:
    for verb in book.verbs:
        yield OrderHelp(verb.word, game, verb.usage, verb.help, verb.examples)


LARGE_A_DAY = 20
"""Reports and rulebooks are large: nobody is mailed more of one of the two on request in a day."""

UNPROVEN_LARGE_A_DAY = 3
"""The same for messages without proof, which anyone could have written."""

MOST_OFFERED = 20
"""Reports offered in answer to RESEND with a name that none has."""

MOST_ACTS = 200
"""Entries of a journal in one mail, the newest."""

_REPORT_COMES = "this report comes already, in a mail of its own"
_ENOUGH_REPORTS = "you have had {most} reports again today; please ask tomorrow."
_WITH_A_KEY = " With your token, or in a reply to your report, you may ask for more."
_RULES_COME = "these rules come already, in a mail of their own"
_ENOUGH_RULES = "you have had {most} mails with rules today; please ask tomorrow"


def show_status(asked: Requester, _: Status) -> str:
    """Return the state of the person's seats, and what else they are in."""
    if asked.person is None:
        return "This address plays in no campaign here."
    seats = seats_of(asked.context.session, asked.person.address)
    told = [
        *(_describe_seat(asked.context, each.campaign, each.seat) for each in seats),
        *_describe_waiting(asked.context, asked.person),
        *_describe_deputising(asked.context, asked.person),
    ]
    return "\n".join(told) or "You play in no campaign now, and wait for none."


def show_standings(asked: Requester, _: ShowStandings) -> str:
    from pbem.site.standings import load_standings, standings_lines  # no other message needs the site

    return "\n".join(standings_lines(load_standings(asked.context.session, asked.context.app)))


def _describe_seat(context: MessageContext, campaign: str, seat: SeatName) -> str:
    """Return one line on a seat: its turn and deadline, the sheet that counts, and what was arranged."""
    snapshot = load_campaign(context.session, campaign)
    place = find_seat_view(snapshot, seat)
    title = context.app.game(snapshot.game).title
    begins = f"{snapshot.name} ({title}), seat {place.seat}"
    if not place.playing:
        return f"{begins}: your seat has left the game."
    if snapshot.status == CampaignState.FORMING:
        seated = sum(bool(each.address) for each in snapshot.playing)
        return f"{begins}: not begun yet; {seated} of {len(snapshot.playing)} seats are taken."
    if snapshot.status == CampaignState.MOVED:
        return f"{begins}: the campaign has moved to {snapshot.moved_to}; write there."
    report = find_report(context.session, snapshot, place)
    assert report is not None
    view = json.loads(report.view)
    waiting = next(iter(load_open_turns(context.session, snapshot.name)))
    zone = snapshot.zone_for(place)
    said = [_describe_deadline(waiting, zone, asked=view["awaited"]), _describe_sheet(context.session, waiting, place)]
    if waiting.claimant == place.seat and may_be_claimed(waiting, context.now):
        late = waiting.missing[0]
        said.append(f"The turn waits for your word: CLAIM runs it without {late}, WAITS gives {late} more time.")
    if waiting.policy.bank:
        left = time_left(context.session, snapshot)[place.seat]
        said.append(f"For deadlines that you miss you have {describe_rest(left, waiting.policy.bank_time)}.")
    said += tell_absence_left(context.session, snapshot, place, context.now)
    said += [describe_kept(row, view["label"], zone) for row in load_kept(context.session, [place.id])]
    said += _describe_arrangements(context, place, zone)
    if waiting.policy.late_list == "players" and waiting.missing:
        said.append(f"No sheet yet from {', '.join(waiting.missing)}.")
    return f"{begins}, {view['label']}: " + " ".join(said)


def _describe_deadline(waiting: OpenTurnStatus, zone: str, *, asked: bool) -> str:
    if waiting.held:
        return "The turn waits for a word of the GM: it is not run before that, and may be run at once then."
    if waiting.deadline is None:
        return "There is no deadline; the GM runs the turn."
    due = format_time(waiting.deadline, zone)
    return f"Orders are due {due}." if asked else f"No orders are asked of you; the turn ends {due}."


def _describe_sheet(session: Session, waiting: OpenTurnStatus, place: SeatView) -> str:
    counting = (
        select(OrderSheet.version, OrderSheet.digest)
        .where(OrderSheet.turn_id == waiting.turn_id, OrderSheet.seat_id == place.id, OrderSheet.accepted)
        .order_by(OrderSheet.version.desc())
        .limit(1)
    )
    sheet = session.execute(counting).first()
    if sheet is None:
        return "No sheet of yours counts."
    counts = f"Your sheet {sheet.version} counts (digest {sheet.digest[:DIGEST_SHOWN]})"
    found = waiting_sheets(session, waiting.turn_id, place.seat).get(place.seat)
    if found is None or waiting.held or not waiting.is_held_by(place.seat):
        return f"{counts}."
    if not found.errors:
        return f"{counts}, and the turn waits for its deadline because of it."
    of_it = f"{count_noun(found.lines, 'line')} of it was not accepted. FINAL if this is all."
    if found.version != sheet.version:
        of_it = f"nothing in your sheet {found.version} was accepted. FINAL alone keeps sheet {sheet.version} as it is."
    return f"{counts}, and the turn waits for your correction until its deadline: {of_it}"


def _describe_arrangements(context: MessageContext, place: SeatView, zone: str) -> Iterator[str]:
    if place.paused:
        yield "Your seat is paused; RESUME ends it."
    for deputy in deputies_of(context.session, [place.id], context.now).get(place.id, []):
        yield f"{deputy.address} stands in for you."
    away = select(Absence).where(Absence.seat_id == place.id, Absence.until > context.now).order_by(Absence.since)
    for absence in context.session.scalars(away):
        yield f"You are absent {format_days(absence.since, absence.until, own_zone(zone))}; PRESENT takes that back."


def _describe_waiting(context: MessageContext, person: Person) -> Iterator[str]:
    """Yield a line for each standby list that a person is on."""
    listed = select(Standby).where(Standby.person_id == person.id, Standby.status == StandbyState.WAITING)
    for applicant in context.session.scalars(listed.order_by(Standby.campaign_id)):
        name = context.session.get_one(Campaign, applicant.campaign_id).name
        yield f"{name}: you are number {standby_position(context.session, applicant)} on the standby list."


def _describe_deputising(context: MessageContext, person: Person) -> Iterator[str]:
    rows = context.session.execute(
        select(Campaign.name, Seat.name)
        .join(Seat, Seat.campaign_id == Campaign.id)
        .join(Deputy, Deputy.seat_id == Seat.id)
        .where(Deputy.person_id == person.id, Deputy.since <= context.now, Deputy.until > context.now)
        .order_by(Deputy.id)
    )
    for campaign, seat in rows:
        yield f"{campaign}: you stand in for the seat {seat}."


def resend(asked: Requester, order: Resend) -> str:
    """Queue a report of the seat once more and return "". Raises CampaignError: why it is not sent."""
    context, place = asked.context, asked.place
    assert place is not None
    snapshot = load_campaign(context.session, place.campaign)
    seat_view = find_seat_view(snapshot, place.seat)
    labels = load_turn_labels(context.session, snapshot, seat_view.id) if order.turn else {}
    turn, full = _split_full(labels, order.turn)
    meant = match_turns(labels, " ".join(turn))
    report = find_report(context.session, snapshot, seat_view, next(iter(meant), None))
    if report is None:
        raise CampaignError(f"there is no report for {seat_view.seat} in {place.campaign} yet")
    if turn and len(meant) != 1:
        raise CampaignError(_ask_which_report(labels, meant))
    begins, key = (
        f"resent {place.seat_id} {context.account} ",
        f"{context.inbox_id} {report.id}{' full' if full else ''}",
    )
    enough = _ENOUGH_REPORTS + ("" if context.proven else _WITH_A_KEY)
    _check_large_mail(context, begins, key, place.address, _REPORT_COMES, enough)
    campaign_context = context.campaign_context(snapshot)
    resend_report(
        campaign_context,
        seat_view,
        report,
        to=place.address,
        key=f"asked {key}",
        kind=RESENT,
        topic=begins + key,
        full=full,
    )
    return ""  # the report is answer enough


def _check_large_mail(context: MessageContext, begins: str, key: str, to: str, comes: str, enough: str) -> None:
    """Raise CampaignError: `comes` for what the message has brought already, `enough` beyond the limit of a day."""
    if was_sent(context, begins + key):
        raise CampaignError(comes)
    most = LARGE_A_DAY if context.proven else UNPROVEN_LARGE_A_DAY
    if sent_today(context, begins, to) >= most:
        raise CampaignError(enough.format(most=most))


def _split_full(labels: Labels, words: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """Split the word FULL off the words after RESEND, unless a report is called so."""
    if not words or match_turns(labels, " ".join(words)):
        return words, False
    for full, turn in ((words[0], words[1:]), (words[-1], words[:-1])):
        if full.casefold() == "full":
            return turn, True
    return words, False


def _ask_which_report(labels: Labels, meant: Sequence[int]) -> str:
    """Ask which of several reports is meant, or for another name than one unknown, with the lines to mail."""
    asked = "several of your reports are called so." if meant else "you had no report that is called so."
    called = dict.fromkeys(labels[number] for number in meant or labels)
    lines = [f"RESEND {label}" for label in list(called)[-MOST_OFFERED:]]
    return "\n".join((f"{asked} Please mail one of these lines:", *lines))


def show_history(asked: Requester, _: History) -> str:
    """Return the journal of the seat's campaign, as far as players may read it."""
    context, place = asked.context, asked.place
    assert place is not None
    snapshot = load_campaign(context.session, place.campaign)
    if snapshot.policy.journal != "players":
        raise CampaignError(f"the journal of {snapshot.name} is kept by its GM, {snapshot.gm_shown}, alone")
    acts = context.session.execute(
        select(JournalEntry.at, JournalEntry.actor, JournalEntry.text)
        .where(JournalEntry.campaign_id == snapshot.id, ~JournalEntry.secret)
        .order_by(JournalEntry.id.desc())
        .limit(MOST_ACTS)
    ).all()
    named = labels_named(context.session, snapshot, [place.seat_id], (act.text for act in acts))
    labels = named.get(place.seat_id, {})
    return "\n".join(
        f"{format_time(at, place.zone)}, {actor}: {relabel(text, labels)}" for at, actor, text in reversed(acts)
    )


def send_rules(asked: Requester, order: Rules) -> str:
    """Queue the rulebook that is asked for and return "". Raises CampaignError: a question which, or why not."""
    context, own = asked.context, games_of(asked.context.session, asked.to, asked.context.now)
    key, words = _split_game(asked, order, own)
    if key:
        return _send_rules(asked, context.app.game(key), words)
    if answered := _answered(context):
        return _send_rules(asked, context.app.game(answered[1]), words)
    if asked.place is not None:
        return _send_rules(asked, context.app.game(asked.place.game), words)
    if len(set(own.values())) == 1:
        return _send_rules(asked, context.app.game(next(iter(own.values()))), words)
    if own:
        raise CampaignError(_ask_which_campaign(context, own, words))
    offer_games(context, asked.to)
    return ""


def _split_game(asked: Requester, order: Rules, own: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Split off the game that comes first among the words, by its campaign or its own name; "" if there is none.

    A person may name their own campaigns and those that take players; one who plays nowhere also a game.
    """
    name = order.about[0].lower() if order.about else ""
    if key := own.get(name) or taking_players(asked.context.session).get(name):
        return key, order.about[1:]
    for number in range(1, 0 if own else len(order.about) + 1):
        words = " ".join(order.about[:number]).lower()
        if key := next((key for key, titles in _titles(asked.context).items() if words in titles), ""):
            return key, order.about[number:]
    return "", order.about


def _titles(context: MessageContext) -> dict[str, tuple[str, ...]]:
    """Return the names by which each game is asked for."""
    titles: dict[str, tuple[str, ...]] = {}
    for key in context.app.games:
        with suppress(CampaignError):  # a game that cannot be used
            title = context.app.game(key).title.lower()
            titles[key] = (key, key.replace("_", " "), key.replace("_", "-"), title)
    return titles


def _ask_which_campaign(context: MessageContext, own: Mapping[str, str], words: tuple[str, ...]) -> str:
    """Ask a player of several games for the one meant, with the lines to mail."""
    lines = [f"{' '.join(('RULES', name, *words))} ({context.app.game(key).title})" for name, key in own.items()]
    return "\n".join(("you are in campaigns of several games. Please mail one of these lines:", *lines))


def _send_rules(asked: Requester, ruleset: AnyRuleset, words: tuple[str, ...]) -> str:
    """Queue the rulebook or its sections about some words and return "". Raises CampaignError: why not, and what is."""
    whole = rulebook(ruleset)
    found = find_sections(whole, words) if words else ()
    if words and not found:
        titles = [f"RULES {each.title}" for each in sections(whole) if each.level > 1]
        there = "It has these sections:" if titles else "RULES alone brings the whole of it."
        nothing = f"nothing in the rulebook of {ruleset.title} speaks of {' '.join(words)}. {there}"
        raise CampaignError("\n".join((nothing, *titles)))
    source = "\n\n".join(section.source for section in found) or whole
    about = f"the rules about {' '.join(words)}" if words else "the rulebook"
    page = RulebookPage(game=ruleset.title, about=about, text=as_text(source, UNBROKEN), html=as_html(source, top=2))
    page, files = (page, ()) if words or asked.place else _with_board(asked.context, page, ruleset)
    # Each message brings each text once.
    begins = f"rules {asked.context.account} "
    text = hashlib.sha256(f"{ruleset.key} {' '.join(words).lower()}".encode()).hexdigest()[:16]
    key = f"{asked.context.inbox_id} {text}"
    _check_large_mail(asked.context, begins, key, asked.to, _RULES_COME, _ENOUGH_RULES)
    known = asked.context.key or is_known(asked.context.session, asked.to)
    id_ = mailer_of(asked.context, None).id_of(begins + key) if known else ""
    part = f"{page.game} {about}"
    answer(asked.context, asked.to, page, id_=id_, kind="rules", part=part, topic=begins + key, files=files)
    return ""


def _with_board(
    context: MessageContext, page: RulebookPage, ruleset: AnyRuleset
) -> tuple[RulebookPage, tuple[MailPart, ...]]:
    """Return a whole rulebook with a picture of a board in play, and the file; without one where there is none."""
    part, shows = board_file(context.app, ruleset)
    if part is None:
        return page, ()
    return replace(page, board=part.content_id, shows=shows), (part,)
