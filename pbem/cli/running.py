"""Commands for running a campaign: deadlines, house rules, holds, turns, seats and words to players."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import click

from pbem.actions.base import CLI, run_action, run_query
from pbem.actions.deadlines import (
    ExtendDeadline,
    HoldCampaign,
    ReleaseCampaign,
    ShowDeadlines,
)
from pbem.actions.open_turn import Preview, PreviewRealDice, PreviewTurn, write_preview
from pbem.actions.press import Announce, AnnounceInReport, ShowPress, ShowTexts
from pbem.actions.press_delivery import EVERYBODY
from pbem.actions.questions import AUDIENCES, SENDER, AnswerQuestion, ShowQuestions
from pbem.actions.run_turn import RequestRun
from pbem.actions.seats import GiveSeat, OpenSeat, PauseSeat, RemoveSeat, ResumeSeat
from pbem.actions.settings import ChangeGm, MailToken, NameGm, SetHouseRule, ShowGm, ShowHouseRules, ShowJournal
from pbem.admin.health import home_status, require_active
from pbem.app import App
from pbem.cli import completion
from pbem.cli.call import Call
from pbem.cli.command import SHOWS, command, group
from pbem.cli.lines import preview_facts, preview_folder_lines
from pbem.cli.options import FOLDER, NUMBER, WORDS, KeyValueParam, by_name, campaign, seat
from pbem.cli.output import print_error, print_lines, progress
from pbem.cli.tick import print_tick
from pbem.errors import PbemError
from pbem.ruleset.tokenizer import split_words
from pbem.scheduler.tick import run_campaign_now
from pbem.scheduler.worker_status import has_workers


@command(
    "pbem deadline trap7 24h",
    (ExtendDeadline,),
    help="It is changed by a span like 24h or 3d, or to a moment like 24 Dec 20:00 or Fri 20:00, by the campaign's "
    "clocks; players are notified. The schedule of later turns is a house rule: pbem set NAME schedule=..",
)
@campaign
@click.argument("time", nargs=-1, metavar="[TIME]")
def deadline(call: Call, name: str, time: tuple[str, ...]) -> None:
    if time:
        call.act(name, ExtendDeadline(" ".join(time)))
    else:
        call.show(name, ShowDeadlines())


@command('pbem set trap7 grace=12h schedule="SAT 20:00 Europe/Berlin"', (SetHouseRule,), name="set")
@campaign
@click.argument(
    "rules",
    nargs=-1,
    type=KeyValueParam("RULE=VALUE"),
    callback=by_name,
    shell_complete=completion.house_rules,
    metavar="[RULE=VALUE]...",
)
def set_(call: Call, name: str, rules: dict[str, str]) -> None:
    if rules:
        call.act(name, SetHouseRule(rules))
    else:
        call.show(name, ShowHouseRules())


@command('pbem hold trap7 "back on Monday"', (HoldCampaign,), help="Its players are notified, with your REASON.")
@campaign
@click.argument("reason", default="")
def hold(call: Call, name: str, reason: str) -> None:
    call.act(name, HoldCampaign(reason))


@command("pbem release trap7", (ReleaseCampaign,))
@click.argument("name", required=False, shell_complete=completion.campaigns)
@click.option("--all", "every", is_flag=True, help="Release all campaigns that are on hold.")
def release(call: Call, name: str | None, *, every: bool) -> None:
    if every == (name is not None):
        raise click.UsageError("give a NAME or --all")
    if name is not None:
        call.act(name, ReleaseCampaign())
        return
    with call.open() as app:
        names = [each.name for each in home_status(app).campaigns if each.hold and not each.moved_to]
        released = [each for each in names if _release(call, app, each)]
    lines = [] if call.as_json or names else ["Nothing to do: no campaign is on hold."]
    call.print({"released": released}, lines, sound=len(released) == len(names))


def _release(call: Call, app: App, name: str) -> bool:
    """Release one of several campaigns; return False, and print the reason, if that cannot be done."""
    wish = ReleaseCampaign()
    try:
        facts = call.perform(app, name, wish)
    except PbemError as error:
        print_error(f"Not done: {name}: {error}")
        return False
    if not call.as_json:
        print_lines(wish.render(facts, CLI))
    return True


@command("pbem run trap7", (RequestRun,), log=True)
@campaign
def run(call: Call, name: str) -> None:
    with call.open() as app, progress() as bar:
        require_active(app)
        call.ask_before(app, name, RequestRun())
        done = run_campaign_now(app, name, call.now, progress=bar)
        # Workers share the lock that a tick takes alone, so the run is left to them (decision 22).
        if done.busy and has_workers(app):
            wish = RequestRun()
            asked = run_action(app, name, wish, call.now)
            call.print(asked, wish.render(asked, CLI))
            return
    print_tick(call, done, sound=not done.busy)


@command("pbem preview trap7 --to look", (PreviewRealDice,))
@campaign
@click.option("--to", type=FOLDER, help="Write all reports into this folder.")
@click.option("--real-dice", is_flag=True, help="Roll the dice that the turn will have; the next reports tell it.")
def preview(call: Call, name: str, *, to: Path | None, real_dice: bool) -> None:
    with call.open() as app:
        if real_dice:
            made = call.perform(app, name, PreviewRealDice())
            assert isinstance(made, Preview)
        else:
            made = run_query(app, name, PreviewTurn(), call.now)
    lines = [*PreviewTurn().render(made, CLI), *(preview_folder_lines(write_preview(made, to)) if to else ())]
    call.print(preview_facts(made), lines, paged=True)


@command("pbem seat give trap7 red eve@example.org", (GiveSeat,))
@campaign
@seat
@click.argument("address")
def give(call: Call, name: str, seat: str, address: str) -> None:
    """Give a seat to a person."""
    call.act(name, GiveSeat(seat, address))


@command("pbem seat open trap7 cyan", (OpenSeat,), name="open")
@campaign
@seat
def open_(call: Call, name: str, seat: str) -> None:
    """Take a seat from its player and offer it."""
    call.act(name, OpenSeat(seat))


@command("pbem seat pause trap7 cyan", (PauseSeat,))
@campaign
@seat
def pause(call: Call, name: str, seat: str) -> None:
    """Stop waiting for a seat's orders."""
    call.act(name, PauseSeat(seat))


@command("pbem seat resume trap7 cyan", (ResumeSeat,))
@campaign
@seat
def resume(call: Call, name: str, seat: str) -> None:
    """Wait for a seat's orders again."""
    call.act(name, ResumeSeat(seat))


@command("pbem seat remove trap7 red", (RemoveSeat,))
@campaign
@seat
def remove(call: Call, name: str, seat: str) -> None:
    """Take a seat out of the game when the turn is run."""
    call.act(name, RemoveSeat(seat))


seat_ = group("seat", give, open_, pause, resume, remove)


@command(
    'echo "Back Monday" | pbem announce trap7 -',
    (Announce, AnnounceInReport),
    help="The words are those of FILE, or of standard input (-). Without FILE, announcements in reports are listed.",
)
@campaign
@click.argument("file", required=False, type=WORDS)
# Several --to add up: otherwise the last one would replace the others without a word.
@click.option("--to", multiple=True, metavar="SEATS", help="The seats, like red,blue; may be repeated. [default: all]")
@click.option("--in-report", is_flag=True, help="Put the words into the next reports.")
def announce(call: Call, name: str, *, file: TextIO | None, to: tuple[str, ...], in_report: bool) -> None:
    if file is None:
        call.show(name, ShowTexts())
    else:
        seats = split_words(",".join(to or [EVERYBODY]))
        call.act(name, AnnounceInReport(file.read(), seats) if in_report else Announce(file.read(), seats))


@command(
    "pbem answer king1 3 reply.txt --to all",
    (AnswerQuestion,),
    help="The answer to question NUMBER is the words of FILE, or of standard input (-). Without FILE, it is shown.",
)
@campaign
@click.argument("number", required=False, type=NUMBER)
@click.argument("file", required=False, type=WORDS)
@click.option("--to", type=click.Choice([each.lower() for each in AUDIENCES]), help="Who gets it. [default: sender]")
def answer(call: Call, name: str, *, number: int | None, file: TextIO | None, to: str | None) -> None:
    if number is not None and file is not None:
        call.act(name, AnswerQuestion(number, file.read(), (to or SENDER).upper()))
    elif to is not None:
        raise click.UsageError("--to goes with an answer: give NUMBER and FILE too")
    else:
        call.show(name, ShowQuestions(number))


@command("pbem gm trap7 --token", (ChangeGm, NameGm, MailToken))
@campaign
@click.option("--token", is_flag=True, help="Mail the GM a new token, with which they run the campaign by mail.")
@click.option("--address", help="From now on this is the GM's address; the old token is void.")
@click.option("--name", "called", metavar="TEXT", help="The GM's name, which mails show beside the address.")
def gm(call: Call, name: str, *, token: bool, address: str | None, called: str | None) -> None:
    # The address first, as it voids the token: a new one goes to the new address.
    wishes = [
        *([ChangeGm(address)] if address else ()),
        *([] if called is None else [NameGm(called)]),
        *([MailToken()] if token else ()),
    ]
    if not wishes:
        call.show(name, ShowGm())
        return
    with call.open() as app:
        done = [call.perform(app, name, wish) for wish in wishes]
    call.print(done[-1], wishes[-1].render(done[-1], CLI))


@command("pbem journal trap7 --press", SHOWS)
@campaign
@click.option(
    "--turn", type=NUMBER, shell_complete=completion.turns, help="Only what was done while this turn was open."
)
@click.option("--press", is_flag=True, help="Show the press, with its true senders.")
def journal(call: Call, name: str, *, turn: int | None, press: bool) -> None:
    call.show(name, ShowPress(turn) if press else ShowJournal(turn))
