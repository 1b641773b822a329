"""Small mails of the host: one function each, which returns a `Notice`.

To add one, write its function here and a call of it into `SAMPLES`: `pbem doctor`
and the tests of layout and words then look at it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Literal

from pbem.report.notices import Block, Miss, Notice
from pbem.ruleset.values import SeatName
from pbem.text import as_sentence, count_noun, few_seats, format_behind, format_due, format_time_short, join_names


def panel(kind: Literal["due", "ok", "no"], head: str, more: str = "") -> Block:
    """Return what a reader has to see first; `more` is a sentence or two on it."""
    return Block("panel", (kind, head, more))


def bullets(*items: object) -> Block:
    """Return a list of things, each in its words as text."""
    return Block("bullets", (items,))


def form(*lines: str) -> Block:
    """Return lines to be copied, or as another program wrote them."""
    return Block("form", (lines,))


def commands(*pairs: tuple[str, str]) -> Block:
    """Return pairs of words to send and what they do."""
    return Block("commands", (pairs,))


def note(text: str) -> Block:
    """Return a paragraph that is less important."""
    return Block("note", (text,))


def said(text: str, level: int = 0) -> Block:
    """Return what a person wrote, with its headings from `level` on."""
    return Block("said", (text, level))


_LONGEST_PREVIEW, _LEEWAY = 120, 5
"""Characters of a person's words that lists of mails show; no few at the end are cut off."""


def _preview(words: str) -> str:
    """Return the beginning of what a person wrote, on one line, for lists of mails."""
    line = " ".join(words.split())
    cut = line[: _LONGEST_PREVIEW - 3].rsplit(" ", 1)[0]
    return line if len(line) <= _LONGEST_PREVIEW + _LEEWAY else f"{cut}..."


def _who_sent(missing: Sequence[SeatName], came: Sequence[SeatName]) -> Block:
    return bullets(f"Without a sheet: {join_names(missing) or 'none'}", f"With a sheet: {join_names(came) or 'none'}")


def held(*, why: str, gm: str) -> Notice:
    """To all players: the GM has put the campaign on hold; `why` is the GM's reason, if any."""
    return Notice(
        subject=f"on hold: {why}" if why else "on hold",
        title="On hold",
        preheader="No turn is run until your GM releases the game. Orders are still accepted and answered.",
        blocks=(
            panel("ok", "No turn is run until your GM releases the game", "The deadline does not matter meanwhile."),
            *([f"The reason: {as_sentence(why)}"] if why else []),
            (
                "There is nothing you need to do. Orders are still accepted and answered. "
                f"A mail tells you when the game goes on; questions go to {gm}."
            ),
        ),
    )


_GOES_ON = {
    "run": "The turn is run very soon",
    "claim": "The turn waits for late orders, or the word of a player",
    "held": "The turn is run once your GM has looked at it",
    "ruling": "The turn is run once your GM has decided it",
    "all-in": "The turn is run as soon as all orders are in",
}
"""The next that happens to a turn which waits until no certain time (`pbem.campaign.prospects`)."""

_UNTIL = {"grace": "Late orders count until", "settled": "All orders are in, and may be changed until"}


def released(*, next_: str, until: dt.datetime | None, passed: dt.datetime | None, zone: str) -> Notice:
    """To all players: the GM has released the campaign.

    Args:
        next_: The next that happens to the open turn (`pbem.campaign.prospects.Next`).
        until: The time until when it waits, if that is certain.
        passed: Its deadline, if that has passed meanwhile.
        zone: The time zone of the readers.
    """
    head, due, more = _GOES_ON.get(next_, ""), "", ""
    if until:
        head = f"{_UNTIL.get(next_, 'Due')} {format_due(until, zone)}"
        due, more = f", due {format_time_short(until, zone)}", format_behind(until, zone)
    more += "The hold is over."
    if passed:
        more += f" The deadline, {format_due(passed, zone)}, has passed meanwhile."
    elif until:
        more += " The deadline is as it was."
    preheader = f"The hold is over. {head}."
    blocks = (panel("due", head, more),)
    return Notice(subject=f"goes on{due}", title="The game goes on", preheader=preheader, blocks=blocks)


def deadline_moved(*, old: dt.datetime, new: dt.datetime, closes: dt.datetime, zone: str, why: str) -> Notice:
    """To all players: the open turn has another deadline, and `why`. `closes` is the end of its grace, if any."""
    due = f"Due {format_due(new, zone)}"
    late = f" Late orders count until {format_due(closes, zone)}." if closes > new else ""
    return Notice(
        # Without the number of the turn: that counts combat rounds, and would tell everyone of a fight (decision 1).
        subject=f"{'more' if new > old else 'less'} time: due {format_time_short(new, zone)}",
        title="More time" if new > old else "Less time",
        preheader=f"{due}. Orders that you have sent still count.",
        blocks=(
            panel("due", due, f"{format_behind(new, zone)}Before: {format_due(old, zone)}."),
            f"{why} Orders that you have sent still count, and you may send new ones until then.{late}",
        ),
    )


def covered_by_bank(*, campaign: str, turn: int, why: str, due: dt.datetime, zone: str) -> Notice:
    """To the GM: the turn waits longer, by the time banks of players, for which `why` names them."""
    return Notice(
        subject=f"turn {turn} waits: due {format_time_short(due, zone)}",
        to_gm=True,
        title=f"Turn {turn} waits",
        preheader=why,
        blocks=(
            panel("due", f"Due {format_due(due, zone)}", f"{format_behind(due, zone)}All players are told."),
            f"{why} To run the turn now:",
            form(f"pbem run {campaign}"),
            note("By mail: RUN."),
        ),
    )


def rescheduled(*, old: str, new: str, deadline: dt.datetime | None, zone: str) -> Notice:
    """To all players: later turns have other deadlines. `deadline` is that of the open turn, which stays."""
    stays = "Each report says when its orders are due."
    if deadline:
        stays = f"The current deadline stays: {format_due(deadline, zone)}. The new schedule begins with the next turn."
    return Notice(
        subject="new schedule" if ", " in new else f"new schedule: {new}",
        title="New schedule",
        preheader=f"Turns are due {new} from now on, and no longer {old}.",
        blocks=(panel("due", f"Turns are due {new}", f"Before: {old}."), stays),
    )


def waiting_for_others(*, label: str, closes: dt.datetime, zone: str, late: Sequence[SeatName]) -> Notice:
    """After the deadline, to a seat whose sheet is in: the seats that the turn still waits for, and until when."""
    waits = f"The turn waits for {join_names(late)}, until {format_due(closes, zone)} at the latest."
    return Notice(
        subject=f"{label} waits for {few_seats(late)}",
        title="The turn waits",
        about=(label,),
        preheader=f"Nothing to do for you: the turn waits for {join_names(late)}.",
        blocks=(panel("ok", "Nothing to do for you", "Your orders are in."), f"The deadline has passed. {waits}"),
    )


def claim_or_wait(*, label: str, late: SeatName, more: str) -> Notice:
    """To the opponent of a late player of two: whether the turn runs is theirs to say."""
    return Notice(
        subject=f"{late} is late: CLAIM or WAITS?",
        title=f"{late} is late",
        about=(label,),
        preheader=f"No orders came from {late}. The turn waits for your word.",
        blocks=(
            panel("due", "The turn waits for your word", f"No orders came from {late} in time."),
            f"Reply CLAIM to have the turn run without them, or WAITS to give {late} {more} more.",
            "Orders that come before your word count.",
        ),
    )


def may_be_claimed(*, label: str, opponent: SeatName) -> Notice:
    """To a late player of two, and what becomes of the turn."""
    return Notice(
        subject=f"your orders are late: {label} waits for {opponent}'s word",
        title="Your orders are late",
        about=(label,),
        preheader=f"{opponent} may have the turn run without your orders.",
        blocks=(
            panel("due", "Your orders still count", f"Until {opponent} claims the turn, which may be at any time."),
            "Reply with one order a line. The turn runs soon after they are in.",
        ),
    )


def opponent_decides(*, campaign: str, turn: int, late: SeatName, opponent: SeatName) -> Notice:
    """To the GM: the turn waits for the word of the opponent of a late player."""
    return Notice(
        subject=f"turn {turn} waits for {opponent}: {late} is late",
        to_gm=True,
        title=f"Turn {turn} waits for {opponent}",
        preheader=f"{late} is late, and {opponent} was asked: CLAIM or WAITS?",
        blocks=(
            panel("due", f"No orders came from {late} in time", f"{opponent} was asked: CLAIM or WAITS?"),
            "To run the turn now, or to give everybody more time:",
            form(f"pbem run {campaign}", f"pbem deadline {campaign} 24h"),
            note("By mail: RUN, DEADLINE 24h."),
        ),
    )


def overdue_digest(
    *,
    campaign: str,
    turn: int,
    deadline: dt.datetime,
    closes: dt.datetime,
    zone: str,
    late: Sequence[SeatName],
    came: Sequence[SeatName],
) -> Notice:
    """To the GM, at a deadline that is followed by a grace: the seats without a sheet."""
    until = format_due(closes, zone)
    was_due = f"It was due {format_due(deadline, zone)}. It is run sooner once all of them have sent."
    return Notice(
        subject=f"{count_noun(len(late), 'sheet')} missing, turn {turn}",
        to_gm=True,
        title=f"{count_noun(len(late), 'sheet')} missing",
        about=(f"turn {turn}",),
        preheader=f"The turn waits until {until} for {join_names(late)}.",
        blocks=(
            panel("due", f"The turn waits until {until}", f"{format_behind(closes, zone)}{was_due}"),
            _who_sent(late, came),
            "Those who are late are notified. To give everybody more time, or to run the turn now:",
            form(f"pbem deadline {campaign} 24h", f"pbem run {campaign}"),
            note("By mail: DEADLINE 24h, RUN."),
        ),
    )


def turn_held(
    *,
    campaign: str,
    turn: int,
    why: str,
    review: bool,
    deadline: dt.datetime | None,
    zone: str,
    missing: Sequence[SeatName],
    came: Sequence[SeatName],
) -> Notice:
    """To the GM: a due turn is held until the GM decides. `why` is a clause.

    `review`: the GM has asked to see each turn first; otherwise something is wrong with the sheets.
    """
    when = f" ({format_due(deadline, zone)})" if deadline else ""
    if review:
        reason = "You asked to see each turn before it is run. Sheets are still accepted meanwhile."
    elif not (missing or came):
        reason = "The game would play itself. Give a seat to a player, then release the turn; or release it as it is."
    else:
        # Only a hold for missing sheets warns of lost mail.
        reason = (
            "That looks more like a fault than like forgetfulness: mail may be lost on its way, or a mailbox may be "
            "full. So the turn is not run, and no one loses by it. Sheets are still accepted and answered; your "
            "players are not notified."
        )
    return Notice(
        subject=f"turn {turn} on hold: {why}",
        to_gm=True,
        title=f"Turn {turn} on hold",
        preheader=f"{as_sentence(why)} The turn is not run until you release it.",
        blocks=(
            panel("no", as_sentence(why), f"The turn is due{when}, and is not run until you release it."),
            _who_sent(missing, came),
            reason,
            "You can do this:",
            commands(
                (f"pbem preview {campaign} --to FOLDER", "see all reports as they would be if it were run now"),
                (f"pbem release {campaign}", "run the turn as it is"),
                (f"pbem deadline {campaign} 2d", "give more time, and notify all players"),
                (f"pbem status {campaign}", "see who has sent"),
            ),
            (
                "By mail the same are PREVIEW, which brings all reports as files, RELEASE, DEADLINE 2d and STATUS, "
                "each in a reply to this mail. A preview rolls other dice than the turn will have."
            ),
        ),
    )


def turn_failed(*, campaign: str, label: str, problem: str, log: str, at: dt.datetime, zone: str) -> Notice:
    """To the GM: a turn could not be resolved. `problem` is one sentence; the file `log` has the traceback."""
    return Notice(
        subject=f"{label} could not be run",
        to_gm=True,
        preheader=f"{as_sentence(problem)} Nothing was changed, and no one was mailed.",
        blocks=(
            panel("no", "Nothing was changed, and no one was mailed", f"Tried at {format_due(at, zone)}."),
            form(as_sentence(problem)),
            f"The traceback is in the log of the program: {log}.",
            (
                "The turn stands as it was, with every sheet received, and your other campaigns go on. New sheets "
                "are still accepted and answered."
            ),
            "Once the cause is removed, the next tick runs the turn by itself. To look, and to run it at once:",
            form(f"pbem status {campaign}", f"pbem run {campaign}"),
        ),
    )


def bot_failed(*, campaign: str, seat: SeatName, turn: int, fault: str) -> Notice:
    """To the GM: the bot that plays a seat has no orders for a turn; `fault` is the reason in words."""
    return Notice(
        subject=f"the bot of {seat} has sent no orders",
        to_gm=True,
        blocks=(
            f"Turn {turn} was run without orders of {seat}, since its bot failed:",
            form(fault),
            "The bot is asked again each turn. To enter a sheet for the seat, or to give it to a player:",
            form(f"pbem sheet {campaign} {seat} --text FILE", f"pbem give {campaign} {seat} to ADDRESS"),
        ),
    )


def kept_not_used(*, label: str, why: str, lines: Sequence[str]) -> Notice:
    """To a player: what they had kept for a turn was not given. `label` is the turn that is open, `why` the reason."""
    return Notice(
        subject="not given: what you kept for a later turn",
        title="Not given: what you kept for a later turn",
        about=(label,),
        blocks=(
            f"What you had kept for a later turn was not given: {why}. It is not kept any longer.",
            "To give it now, send these lines:",
            form(*lines),
        ),
    )


def sheet_missed(
    *,
    seat: SeatName,
    label: str,
    in_a_row: int,
    opens_in: int | None,
    removed_in: int | None,
    gm: str,
    address: str,
) -> Notice:
    """To a player: the turn `label` was run without their sheet, for the `in_a_row`th time.

    `in_a_row` counts this player alone: not what the seat's former player missed. `opens_in` and `removed_in` are the
    number of further misses after which the seat is opened or removed; None where that never happens.
    """

    def after(more: int) -> str:
        return "the next missed turn" if more == 1 else f"{more} more missed turns in a row"

    times = f" You have missed {in_a_row} turns in a row." if in_a_row > 1 else ""
    return Notice(
        subject=f"no orders from you, {label}",
        title=f"You missed {label}",
        about=(seat,),
        preheader="No orders from you came in time. Your report says what happened without them.",
        blocks=(
            panel("no", "No orders came from you in time", f"Your report says what happened without them.{times}"),
            *([f"After {after(opens_in)} your seat goes to another player."] if opens_in else []),
            *([f"After {after(removed_in)} your seat leaves the game."] if removed_in else []),
            f"If you did send orders, they have not arrived: please write to {gm}.",
            f"If you need a break, reply with one of these, or send it to {address}:",
            commands(
                (
                    "ABSENT 2026-12-20 TO 2027-01-03",
                    "your days away: turns wait for you, as far as the rules of this campaign allow",
                ),
                ("PAUSE", "turns do not wait for you, until RESUME"),
                ("LEAVE", "you give your seat up"),
            ),
        ),
    )


def others_missed(*, missed: Sequence[SeatName]) -> Notice:
    """To all others, where the campaign shows it: the seats whose sheets did not come."""
    said = f"No orders came from {join_names(missed)} in the last turn."
    blocks = (f"{said} It was run without them.",)
    subject = f"no orders from {few_seats(missed)}"
    return Notice(subject=subject, title="Orders were missing", preheader=said, blocks=blocks)


def missed_digest(*, turn: int, missed: Sequence[Miss]) -> Notice:
    """To the GM after a run: the seats whose sheets did not come, and the consequences."""
    return Notice(
        subject=f"no orders in turn {turn}: {few_seats([miss.seat for miss in missed])}",
        to_gm=True,
        title=f"Turn {turn}: {count_noun(len(missed), 'sheet')} missed",
        preheader=f"Turn {turn} was run without orders of {join_names([miss.seat for miss in missed])}.",
        blocks=(
            f"Turn {turn} was run without orders of:",
            bullets(*missed),
            (
                "Their players are notified. The house rules open-after-missed and remove-after-missed say what "
                "happens after how many."
            ),
        ),
    )


def report_withdrawn(*, campaign: str, seat: SeatName, label: str) -> Notice:
    """To a player: their last report no longer counts, and none replaces it for now."""
    return Notice(
        subject=f"your report of {label} no longer counts",
        title="A report no longer counts",
        about=(seat, label),
        preheader=f"Your report of {label} no longer counts. No orders are asked of you now.",
        blocks=(
            panel("ok", "No orders are asked of you now", "Your next report comes when it is your turn."),
            (
                f"Your GM corrected something in {campaign}. Your report of {label} no longer counts: as the game "
                "stands now, there is nothing to tell you yet."
            ),
        ),
    )


def mail_returned(
    *,
    campaign: str,
    seats: Sequence[SeatName],
    recipient: str,
    subject: str,
    sent_at: dt.datetime,
    zone: str,
    reason: str,
) -> Notice:
    """To the GM: a mail of the campaign bounced. `seats` are those played from the address that it went to.

    `reason` is one line in the words of the other server; `subject` has no reply code.
    """
    whose = f"It is the address of {join_names(seats)}." if seats else "No seat is played from that address."
    return Notice(
        subject=f"mail to {few_seats(seats) if seats else recipient} came back",
        to_gm=True,
        title="A mail came back",
        about=tuple(seats),
        preheader=f"Not delivered to {recipient}: {reason}",
        blocks=(
            panel("no", f"Not delivered to {recipient}", whose),
            f'The mail was sent on {format_due(sent_at, zone)}; its subject was "{subject}". The other server says:',
            form(reason),
            (
                f"{'The seat stays with its player' if seats else 'No seat is lost'}, every sheet received counts, "
                "and the next mails go to the same address. If this happens again, ask the player in another way "
                "whether the address is right and the mailbox takes mail."
            ),
            "You get this mail once a turn for an address. All mail that came back is listed by:",
            form(f"pbem status {campaign}"),
        ),
    )


def gm_token(*, campaign: str, token: str, address: str, seat: SeatName) -> Notice:
    """To a GM: the token that proves their messages, with the commands of a first evening, for a seat as an example."""
    return Notice(
        subject="your token as the GM",
        to_gm=True,
        preheader=f"You can run {campaign} by mail. Keep the token to yourself.",
        blocks=(
            (
                f"You can run {campaign} by mail: reply to any mail about it with a command. In a mail of its own, to "
                f"{address}, your commands stand in a frame that holds your token:"
            ),
            form(f"GM {campaign} {token}", "STATUS", "END"),
            (
                "Keep this mail, and keep the token to yourself: anyone who has it is the GM. It stands in no other "
                "mail, and any that you were mailed before is void."
            ),
            commands(
                ("HELP", "all commands, a line each; HELP RULING explains one, with an example"),
                ("STATUS", "the turn, its sheets, and mail that is stuck"),
                ("DEADLINE 24h", "more time for the open turn"),
                ("HOLD reason", "run no turn until RELEASE"),
                ("RUN", "run the turn now"),
                (f"SHEET {seat}", "the sheet of a seat; with order lines below, enter them"),
                ("ANNOUNCE", "mail the text below to all players"),
                (f"PAUSE {seat}", "do not wait for a seat"),
                (f"GIVE {seat} TO eve@example.org", "give a seat to a person"),
            ),
            (
                "You may write several commands, one a line. They are done all together or not at all, and the "
                "answer goes to this address only. A command with a text takes all lines below it, so it comes last. "
                "What you do stands in the campaign's journal."
            ),
            note(
                "Where something would be lost you are shown first what a command would do. A reply YES from this "
                "address does it."
            ),
        ),
    )


def mail_in_junk(*, folder: str, mails: Sequence[str]) -> Notice:
    """To the GM, once a day: mail with a valid code lies in the folder for junk; `mails` are senders and subjects."""
    return Notice(
        subject="mail in the folder for junk",
        title=f"{count_noun(len(mails), 'mail')} in the folder for junk",
        to_gm=True,
        preheader="The mail server took a player's mail for junk, so that it was not read.",
        blocks=(
            panel("no", f"Not read: {count_noun(len(mails), 'mail')} in {folder}", "It has a code of this campaign."),
            bullets(*mails),
            (
                "Move it to the inbox of the order mailbox, and it is read as of the time when it came. With "
                "fetch_junk = true in pbem.toml that is done for you. Tell the mail server that such mail is no junk."
            ),
        ),
    )


def mailbox_test(*, address: str) -> Notice:
    """To whoever is asked by `pbem doctor --send`: the way there works, and a reply proves the way back."""
    return Notice(
        subject="a test: please reply",
        title="Please reply to this mail",
        preheader="A test of the mailbox. Press Reply, then Send; you need not write anything.",
        blocks=(
            panel("due", "Press Reply, then Send", "You need not write anything."),
            (
                f"This is a test: it shows that mail of {address} reaches you. Your reply shows that yours comes back, "
                "when it came, and what the mail server says of its sender."
            ),
            "Whoever runs the program sees it with pbem doctor, after the next pbem tick. You get no answer.",
        ),
    )


def not_processed(*, address: str) -> Notice:
    """To a sender whose message could not be processed because of a fault in the program."""
    return Notice(
        subject="",
        title="Please send it once more",
        preheader="Your mail has arrived, but a fault here kept it from being read. Nothing in it counts.",
        blocks=(
            panel("no", "Nothing in your mail counts", "It has arrived, but a fault here kept it from being read."),
            (
                "Your mail is kept, and the GM is notified. Please send your orders once more, as plain text, to "
                f"{address}. Orders that were accepted before still count. If this answer comes again, "
                "write to your GM."
            ),
        ),
    )


def quarantined(*, number: int, sender: str, subject: str, problem: str) -> Notice:
    """To a GM: a message was quarantined; `subject` is its own. `problem` is one sentence."""
    who = sender or "an unreadable sender"
    return Notice(
        subject=f"message {number} quarantined",
        title=f"Message {number} quarantined",
        preheader=f"It could not be processed: {as_sentence(problem)}",
        blocks=(
            panel("no", "A message could not be processed", f'From {who}, with the subject "{subject}".'),
            form(as_sentence(problem)),
            (
                "Nothing in it counts. It is kept whole, with a note for whoever removes the cause. Its sender, if "
                "known, was asked to send it again; all other mail goes on."
            ),
            "To print it, and to have the next tick process it again once the cause is removed:",
            form(f"pbem inbox {number}", f"pbem inbox {number} --retry"),
        ),
        footer="This mail goes to the GMs of all running campaigns.",
    )


def two_seats(*, address: str, campaign: str, seat: SeatName) -> Notice:
    """To a player whose mail is for two seats: of its header, if it has one, and of the report that it answers."""
    why = "It has the reply codes of two seats."
    if campaign:
        why = (
            f"Its ORDERS line names seat {seat} in {campaign}, but it answers a report of another seat, or has the "
            "code of one."
        )
    return Notice(
        subject="",
        title="Which seat is it for?",
        preheader="Your mail could be meant for two seats, so nothing in it counts.",
        blocks=(
            panel("no", "Nothing in your mail counts", "It could be meant for two seats."),
            why,
            (
                "Please answer the report of the seat you mean, or send all orders with the token of that seat to "
                f"{address}:"
            ),
            form(f"ORDERS {campaign or 'CAMPAIGN'} {seat or 'SEAT'} TOKEN", "; your orders, one a line", "END"),
        ),
    )


def which_seat(*, address: str, frame: str, lines: Sequence[str], seats: Sequence[tuple[str, SeatName]]) -> Notice:
    """To a player of several `seats`, each with its campaign, whose commands or orders name none of them."""
    said = "You play several seats, and your mail does not say which of them it is for"
    first = [f"{frame} {campaign} {seat}" for campaign, seat in seats]
    return Notice(
        subject="",
        title="For which of your seats?",
        preheader=f"{said}.",
        blocks=(
            (
                f"{said}, so nothing was done. Please send it again as a reply to a report of that seat, or to "
                f"{address} in a frame that begins with one of these lines:"
            ),
            form(*first),
            "For example:",
            form(first[0], *lines, "END"),
        ),
    )


def gm_mismatch(*, campaign: str, sender: str, reply: bool) -> Notice:
    """To a GM: a message in their name came without their token, or as a `reply` to their mail from another address."""
    said = f"A mail from {sender}"
    hint: tuple[str | Block, ...]
    if reply:
        brief, whole = "answered a mail to you as the GM.", f"answered a mail to you as the GM of {campaign}."
        hint = (f"If it was you: reply from this address. If not, someone else can read your mail about {campaign}.",)
    else:
        how = "in your name, without your token."
        brief, whole = f"held commands {how}", f"held commands for {campaign} {how}"
        hint = (
            (
                f'If it was you: the frame is "GM {campaign} TOKEN". To be mailed a new token, which makes the old one '
                "void:"
            ),
            form(f"pbem gm {campaign} --token"),
        )
    return Notice(
        subject="rejected: a mail in your name",
        title="Rejected: a mail in your name",
        preheader=f"{said} {brief} Nothing was done.",
        blocks=(panel("no", "Nothing was done", f"{said} {whole}"), *hint),
        to_gm=True,
    )


_ASKED = {
    "invite": ", whom you invited to ",
    "join": ", who asked to join ",
    "deputy": ", who was asked to be a deputy in ",
    "import": ", who plays in ",
    "message": ", who was asked about a mail for ",
}


def words_for_gm(
    *, campaign: str, kind: str, sender: str, words: str, declined: bool, seated: bool, waits: bool = False
) -> Notice:
    """To a GM: what a person wrote who was asked by mail, for a campaign; a reply goes to that person.

    `kind` is that of the request. `declined`: with it they said NO. `seated`: with it they said YES. `waits`: it was
    neither, and they are asked again.
    """
    who, did = f"{sender}{_ASKED.get(kind, ', of ')}{campaign}", "has declined" if declined else "has said yes"
    settled = declined or seated
    begins = f"{who}, {did}, and writes:" if settled else f"{who}, writes:"
    return Notice(
        subject=f"{sender} has declined" if declined else f"a question from {sender}",
        title="Declined" if declined else "Yes, and a word" if seated else "A question for you",
        preheader=f"{who} {did}." if settled else f"{who} writes.",
        blocks=(
            f"{who} has declined." if declined and not words else begins,
            # Nothing but what that person wrote.
            *([said(words)] if words else []),
            *(["That was no plain YES or NO, so they were asked for one."] if waits else []),
            note(f"To answer, reply to this mail: it goes to {sender}."),
        ),
        footer=f"You are the GM of {campaign}.",
    )


def player_question(
    *, campaign: str, number: int, by: SeatName, deputy: str, label: str, text: str, alliances: bool, wish: SeatName
) -> Notice:
    """To the GM: a question of a seat, by its number. A plain reply is the answer.

    `deputy` is the address of the deputy who has asked, "" if the player did; `label` names the seat's turn.
    `alliances`: the game has some, so that allies may be answered. `wish` is another seat that they wish to have.
    """
    allies = f"; to answer the allies of {by} too, with TO ALLIES" if alliances else ""
    swap = (
        f"To let the players of {by} and {wish} change places, reply with the first line, or type the second:",
        form(f"SWAP {by} {wish}", f"pbem swap {campaign} {by} {wish}"),
    )
    return Notice(
        subject=f"question {number} from {by}, {label}",
        title=f"Question {number} from {by}",
        about=(label, f"asked by the deputy, {deputy}") if deputy else (label,),
        preheader=_preview(f"{by} asks: {text}"),
        blocks=(
            # Nothing but what its writer wrote.
            said(text),
            f"Press Reply to answer. Your words go by mail to {by} alone, from this program.",
            (
                f"To answer all players, begin your reply with the line TO ALL{allies}. They read the question with "
                "it, and not who asked."
            ),
            *(swap if wish else ()),
            note(f"With your token: ANSWER {number}, and the text below it; ANSWER alone lists all questions."),
        ),
        to_gm=False,  # a plain reply is no command
    )


def gm_reply(*, own: bool, question: str, answer: str, others: bool, to_all: bool, again: bool) -> Notice:
    """To a player: the GM's answer to a question, of their `own` seat or of another, which is not named.

    `others`: more seats than the one that asked read it, and with `to_all` every seat. `again`: it replaces an answer
    that the reader had.
    """
    return Notice(
        subject=f"from the GM: {' '.join(answer.split())}",
        title="Answer of your GM",
        about=("to all" if to_all else "to you and allies" if others else "to you alone",),
        preheader=_preview(answer),
        blocks=(
            *(["This answer replaces the one that you have."] if again else []),
            # Nothing but what their writers wrote.
            said(answer, 2),
            note(f"The question{' that you asked' if own else ' of a player'}:"),
            said(question),
            note(
                "To ask something, reply with ASK GM as the first line, and your words below it. Orders go in reply to "
                "your report."
            ),
        ),
        to_gm=False,
    )


def announcement(*, gm: str, to: Sequence[SeatName], text: str) -> Notice:
    """To players: an announcement of the GM, whose address is `gm`; `to` is empty if it is for all.

    The subject is its first line in words, without the marks of Markdown.
    """
    lines = (line.lstrip("#>-+* \t").replace("*", "").replace("`", "").split() for line in text.split("\n"))
    return Notice(
        subject=f"from the GM: {' '.join(next(filter(None, lines), []))}",
        title="From your GM",
        about=(f"to {join_names(to) or 'all'}",),
        preheader=_preview(text),
        blocks=(said(text, 2), note(f"To answer your GM, write to {gm}. Orders go in reply to your report.")),
        to_gm=False,
    )


FloodOf = Literal["letters", "sheets", "keys"]
"""Things of which too many came in a player's name."""


def too_much_mail(
    *, of: FloodOf, most: int, campaign: str, seat: SeatName, player: str, to_gm: bool, gm: str
) -> Notice:
    """To a player, and to their GM: more than `most` came in the player's name."""
    whose = f"{'the' if to_gm else 'your'} seat {seat} in {campaign}"
    came = {
        "letters": (
            f"More than {most} messages came today from {player}, the address of {whose}, that were alike in what "
            "proves their sender, and had no token or reply code. Anybody can write that address. Those beyond "
            f"{most} are quarantined."
        ),
        "sheets": (
            f"{most} order sheets that were alike in what proves their sender came for {whose}, which is as many as "
            "are accepted. Those that came since are quarantined, and do not count."
        ),
        "keys": (
            f"{most} wrong tokens or reply codes were tried for {whose} today. Nothing was accepted by any of them."
        ),
    }
    hint = (
        '"pbem inbox" lists who wrote, and "pbem inbox ID --retry" processes a message again, on a later day.'
        if to_gm
        else "If these mails are yours, send those that matter again with the token of your welcome mail. If not, "
        f"there is nothing to do; your GM, {gm}, is notified as well."
    )
    own = "Its player's own" if to_gm else "Your own"
    return Notice(
        subject=f"too much mail in the name of {seat}",
        title="Too much mail",
        about=(seat,),
        preheader=f"More mail came in the name of {seat} than is read in a day.",
        blocks=(
            came[of],
            (f"{own} mail is not affected: a sheet with the token counts as always, however many others come."),
            hint,
            note("This mail comes once a day."),
        ),
        to_gm=to_gm,
    )


_AT = dt.datetime(2026, 11, 6, 19, tzinfo=dt.UTC)
_LATER = _AT + dt.timedelta(days=2)
_ZONE = "Europe/Berlin"
_TWO = ("red", "blue")

SAMPLES: Sequence[Callable[[], Notice]] = (
    lambda: held(why="I am on a train", gm="gm@example.org"),
    lambda: released(next_="covered", until=_LATER, passed=_AT, zone=_ZONE),
    lambda: deadline_moved(old=_AT, new=_LATER, closes=_LATER, zone=_ZONE, why="Your GM moved the deadline."),
    lambda: covered_by_bank(campaign="trap7", turn=3, why="No orders came from red.", due=_LATER, zone=_ZONE),
    lambda: rescheduled(old="FRI 20:00 UTC", new="EVERY 12h", deadline=_AT, zone=_ZONE),
    lambda: waiting_for_others(label="turn 3", closes=_LATER, zone=_ZONE, late=_TWO),
    lambda: claim_or_wait(label="turn 3", late="red", more="2 days"),
    lambda: may_be_claimed(label="turn 3", opponent="blue"),
    lambda: opponent_decides(campaign="trap7", turn=3, late="red", opponent="blue"),
    lambda: overdue_digest(campaign="trap7", turn=3, deadline=_AT, closes=_LATER, zone=_ZONE, late=_TWO, came=()),
    lambda: turn_held(
        campaign="trap7",
        turn=3,
        why="2 of 2 sheets missing",
        review=False,
        deadline=_AT,
        zone=_ZONE,
        missing=_TWO,
        came=(),
    ),
    lambda: turn_failed(
        campaign="trap7", label="turn 3", problem="the disk is full", log="log/pbem.log", at=_AT, zone=_ZONE
    ),
    lambda: bot_failed(campaign="trap7", seat="red", turn=3, fault="ValueError: no planet is left"),
    lambda: sheet_missed(
        seat="red",
        label="turn 3",
        in_a_row=2,
        opens_in=1,
        removed_in=2,
        gm="gm@example.org",
        address="orders@example.org",
    ),
    lambda: others_missed(missed=_TWO),
    lambda: missed_digest(turn=3, missed=(Miss("red", 1, 2, "the seat is open"), Miss("blue", 2, 2, ""))),
    lambda: report_withdrawn(campaign="trap7", seat="red", label="turn 3"),
    lambda: mail_returned(
        campaign="trap7",
        seats=("red",),
        recipient="ann@example.org",
        subject="turn 3",
        sent_at=_AT,
        zone=_ZONE,
        reason="550 5.1.1 <ann@example.org>: there is no such user here",
    ),
    lambda: not_processed(address="orders@example.org"),
    lambda: kept_not_used(label="turn 8", why="no orders were asked of you in it", lines=("MOVE G E",)),
    lambda: quarantined(number=12, sender="", subject="hello", problem="the disk is full"),
    lambda: two_seats(address="orders@example.org", campaign="trap7", seat="red"),
    lambda: which_seat(
        address="orders@example.org", frame="PLAYER", lines=("PAUSE",), seats=(("trap7", "red"), ("toy1", "blue"))
    ),
    lambda: gm_mismatch(campaign="trap7", sender="eve@example.org", reply=True),
    lambda: words_for_gm(
        campaign="trap7",
        kind="join",
        sender="eve@example.org",
        words="Who plays?",
        declined=False,
        seated=False,
        waits=True,
    ),
    lambda: too_much_mail(
        of="sheets", most=50, campaign="trap7", seat="red", player="ann@example.org", to_gm=False, gm="gm@example.org"
    ),
    lambda: gm_token(campaign="trap7", token="k3yk3yk3y", address="orders@example.org", seat="red"),  # noqa: S106 - an example
    lambda: mail_in_junk(folder="Junk", mails=("ann@example.org: Re: turn 3",)),
    lambda: mailbox_test(address="orders@example.org"),
    lambda: player_question(
        campaign="trap7",
        number=3,
        by="red",
        deputy="eve@example.org",
        label="turn 3",
        text="May I build here?",
        alliances=True,
        wish="blue",
    ),
    lambda: gm_reply(own=True, question="May I?", answer="Yes.", others=True, to_all=False, again=True),
    lambda: announcement(gm="gm@example.org", to=(), text="# Rules\n\nBe nice."),
)
"""A call of each function."""
