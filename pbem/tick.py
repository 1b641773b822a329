"""The scheduled job: poll, answer, remind, resolve what is due, archive, send.

Each stage commits on its own and can be killed anywhere; the next tick goes on
from there. One tick runs at a time in a home.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import fcntl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from sqlalchemy import func, select

from pbem.acts.ruling.adjudicating import awaits_ruling, send_digests
from pbem.acts.turns.run_requests import asked_runs, is_asked
from pbem.acts.turns.turnrun import Still, at_any_rate, run_turn
from pbem.campaign.archiving import archive_left
from pbem.campaign.due import BY_GM, Due, due
from pbem.campaign.restoring import restore
from pbem.campaign.snapshot import check_running, load_campaign
from pbem.desk.answer import Tally, answer_letters
from pbem.errors import PbemError, StoreError
from pbem.house import House
from pbem.housekeeping.health import stuck_mail
from pbem.housekeeping.problems import report_problem
from pbem.housekeeping.reminding import remind
from pbem.housekeeping.reviewing import hold_back, may_run
from pbem.housekeeping.watching import watch_polls
from pbem.logbook import tell
from pbem.masking import without_secrets
from pbem.post.carriers import open_carrier
from pbem.post.forgetting import forget_tokens
from pbem.post.intake import poll
from pbem.post.mailbox import open_mailbox
from pbem.post.sending import Sent, send_due
from pbem.progress import Progress, silent
from pbem.store.models import Campaign, Outgoing, Turn
from pbem.store.states import UNSENT

LOCK = "tick.lock"

MOST_NAMED = 3
"""Things in the inbox that are no mail, named in one sentence."""


@dataclass(slots=True)
class Ticked:
    """What a tick did; nothing, if another was at work (`busy`). `problems` are sentences for the GM.

    Turns that fell due and wait from now on: `held` for a word of their GM, `awaiting` for his ruling.
    """

    busy: bool = False
    polled: int = 0
    answered: Tally = field(default_factory=Tally)
    reminded: int = 0
    resolved: list[Due] = field(default_factory=list)
    held: list[Due] = field(default_factory=list)
    awaiting: list[Due] = field(default_factory=list)
    archived: int = 0
    sent: Sent = field(default_factory=Sent)
    problems: list[str] = field(default_factory=list)


def tick(house: House, now: dt.datetime, *, live: bool = False, progress: Progress = silent) -> Ticked:
    """Does all that is to be done now.

    If the mailbox cannot be read no turn is resolved by its deadline and nobody
    is reminded, since sheets may be lying there; turns whose sheets are all in
    go on. If `now` is the clock's (`live`), deadlines also wait after an outage.
    """
    done = Ticked()
    with _alone(house) as alone:
        if not alone:
            done.busy = True
            return done
        with _told(done, now):
            readable = _poll(house, now, done)
            outage = watch_polls(house, now, readable=readable) if live else None
            done.answered = answer_letters(house, now, progress=progress)
            forget_tokens(house.store, now)
            if readable:
                done.reminded, problems = remind(house, now)
                done.problems += problems
            turns = _sifted(house, due(house, now, by_deadline=readable, outage=outage), now, done)
            _resolve(house, [*asked_runs(house, now), *turns], now, done, progress, at_word=is_asked)
            done.problems += send_digests(house, now)
            _archive(house, now, done)
            _send(house, now, done, progress)
    return done


def run_now(house: House, name: str, now: dt.datetime, *, progress: Progress = silent) -> Ticked:
    """Resolves a campaign's open turn on the GM's word, after reading the mail; archives and sends.

    Raises CampaignError when there is no open turn, PostError when the mailbox
    cannot be read.
    """
    done = Ticked()
    with _alone(house) as alone:
        if not alone:
            done.busy = True
            return done
        with _told(done, now):
            number = _open_number(house, name)  # the one he means: a letter that is read now may open another
            _poll_mailbox(house, now, done)
            done.answered = answer_letters(house, now, progress=progress)
            forget_tokens(house.store, now)
            _resolve(house, [Due(name, number, BY_GM)], now, done, progress, at_word=at_any_rate)
            _archive(house, now, done)
            _send(house, now, done, progress)
    return done


@contextmanager
def _told(done: Ticked, now: dt.datetime) -> Iterator[None]:
    """Tells the log of the tick in the block. No problem repeats a password, whoever was so careless."""
    tell("tick began", now=now)
    began = time.monotonic()
    try:
        yield
    except Exception as error:
        tell("tick stopped", level="error", fault=error)
        raise
    done.problems = [without_secrets(problem) for problem in done.problems]
    for problem in done.problems:
        tell("problem", level="error", text=problem)
    tell(
        "tick ended",
        seconds=round(time.monotonic() - began, 3),
        polled=done.polled,
        **{name: getattr(done.answered, name) for name in ("letters", "sheets", "set_aside", "unanswered")},
        reminded=done.reminded,
        resolved=len(done.resolved),
        archived=done.archived,
        **{name: getattr(done.sent, name) for name in ("sent", "retried", "failed")},
    )


def _open_number(house: House, name: str) -> int:
    with house.store.reading() as session:
        snapshot = load_campaign(session, name)
    check_running(snapshot)
    return snapshot.turn


@contextmanager
def _alone(house: House) -> Iterator[bool]:
    """Whether this process is the only one ticking, in this home and on its database."""
    with _only_here(house) as only, house.store.alone() if only else nullcontext(False) as alone:
        if not alone:
            tell("tick left undone: another is at work")
        yield alone


@contextmanager
def _only_here(house: House) -> Iterator[bool]:
    """The lock of the home, which ends with the process, however that ends."""
    with (house.settings.home / LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _poll_mailbox(house: House, now: dt.datetime, done: Ticked) -> None:
    mailbox = open_mailbox(house.settings)
    try:
        done.polled = poll(house.store, mailbox, now)
        done.problems += filter(None, [_left_alone(mailbox.left_alone())])
    finally:
        mailbox.close()


def _left_alone(things: Sequence[str]) -> str:
    """The sentence on what lies in the inbox and is no mail; "" if nothing does."""
    if not things:
        return ""
    count = f"{len(things)} things in the inbox are" if len(things) > 1 else "1 thing in the inbox is"
    left = "were" if len(things) > 1 else "was"
    more = ", and others" if len(things) > MOST_NAMED else ""
    return f"{count} no mail that can be read and {left} left alone: {', '.join(things[:MOST_NAMED])}{more}"


def _poll(house: House, now: dt.datetime, done: Ticked) -> bool:
    try:
        _poll_mailbox(house, now, done)
    except PbemError as error:
        done.problems.append(f"{error}; turns wait for it, even past their deadlines")
        return False
    return True


def _sifted(house: House, turns: Sequence[Due], now: dt.datetime, done: Ticked) -> list[Due]:
    """The turns due that need not wait for their GM."""
    sifted = hold_back(house, turns, now)
    for turn in sifted.held:
        tell("turn held", campaign=turn.campaign, turn=turn.turn)
    done.held = sifted.held
    done.problems += sifted.problems
    return sifted.free


def _resolve(
    house: House, turns: Sequence[Due], now: dt.datetime, done: Ticked, progress: Progress, *, at_word: Still
) -> None:
    """Runs turns. Those by the clock must be due still when they are run; for those of a GM, `at_word` is asked."""
    for count, turn in enumerate(turns, start=1):
        try:
            _run(house, turn, now, done, at_word=at_word)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one game's fault must not stop the other campaigns
            tell("turn not resolved", level="error", fault=error, campaign=turn.campaign, turn=turn.turn)
            done.problems.append(report_problem(house, turn, error, now))
        progress("resolving", count, len(turns))


def _run(house: House, turn: Due, now: dt.datetime, done: Ticked, *, at_word: Still) -> None:
    by_gm = turn.reason == BY_GM
    still = at_word if by_gm else may_run(house, turn, now)
    if not by_gm and awaits_ruling(house, turn, now):
        done.awaiting.append(turn)
        tell("turn awaits its GM's ruling", campaign=turn.campaign, turn=turn.turn)
    elif run_turn(house, turn.campaign, now, reason=turn.reason, number=turn.turn, still=still):
        done.resolved.append(turn)
        tell("turn resolved", **dataclasses.asdict(turn), state=_state_hash(house, turn))
    elif by_gm:
        said = "was not run, since the campaign has changed at this very moment; look at it, and try again"
        done.problems.append(f"campaign {turn.campaign}: turn {turn.turn} {said}")


def _state_hash(house: House, turn: Due) -> str | None:
    """The hash of the state that a turn's run has led to."""
    opened = select(Turn.state_hash).join(Campaign, Campaign.id == Turn.campaign_id)
    here = (Campaign.name == turn.campaign, Turn.number == turn.turn + 1, Turn.shelf_id.is_(None))
    with house.store.reading() as session:
        return session.scalar(opened.where(*here))


def _archive(house: House, now: dt.datetime, done: Ticked) -> None:
    done.archived, problems = archive_left(house, now)
    done.problems += problems
    done.problems += restore(house)


def _send(house: House, now: dt.datetime, done: Ticked, progress: Progress) -> None:
    with house.store.reading() as session:
        waiting = select(func.count()).where(Outgoing.state.in_(UNSENT), Outgoing.not_before <= now)
        total = session.scalar(waiting) or 0
    try:
        carrier = open_carrier(house.settings)
        try:
            done.sent = send_due(
                house.store,
                carrier,
                now,
                pace=house.settings.pace,
                connections=house.settings.connections,
                on_sent=_counter(progress, total),
            )
        finally:
            carrier.close()
    except PbemError as error:
        done.problems.append(f"mail cannot be sent now: {error}")
    if done.sent.trouble:
        done.problems.append(f"mail cannot be sent now: {done.sent.trouble}")
        with house.store.reading() as session:
            done.problems += filter(None, [stuck_mail(session)])


def _counter(progress: Progress, total: int) -> Callable[[], None]:
    sent = 0

    def count() -> None:
        nonlocal sent
        sent += 1
        progress("sending", sent, total)

    return count
