"""Commands for bots: the arena, in which they play each other, and a bot that has a seat by mail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from pbem.actions.create import read_options
from pbem.actions.weight import Harmless
from pbem.bots.arena import MOST_TURNS, ArenaResult, Tally, arena_plot, open_arena, play_arena
from pbem.bots.by_mail import BotPass, answer_reports, play_command, play_game
from pbem.cli import completion
from pbem.cli.command import NEW, Call, command
from pbem.cli.options import FILE, pairs_option
from pbem.cli.output import check_picture_name, progress, write_picture
from pbem.config import checked_address, load_settings
from pbem.games import find_game
from pbem.mail.mailbox import PROCESSED
from pbem.text import count_noun

MOST_LISTED = 12
"""Seats of the table of wins, the most first."""


@command(
    "pbem arena harvester --bots standard random --games 4 --plot wins.png",
    NEW,
    help="They play without mail and database, and move on by a seat with each game. The same seed gives the same "
    "games.",
)
@click.argument("game", shell_complete=completion.games)
@click.argument("more", metavar="[BOT]..", nargs=-1)
@click.option(
    "--bots",
    multiple=True,
    metavar="BOT",
    help="Bots of the game, or module:function of your own. [default: all of the game]",
)
@click.option("--games", type=click.IntRange(1, 1_000_000), default=100, show_default=True, help="So many games.")
@click.option("--seats", type=int, help="So many seats in each. [default: four, where the game takes them]")
@pairs_option("--option", "options", "NAME=VALUE", "An option of the game; see: pbem games KEY")
@click.option("--seed", metavar="TEXT", default="arena", show_default=True, help="Another word, other games.")
@click.option(
    "--turns", type=click.IntRange(1), default=MOST_TURNS, show_default=True, help="End a game after so many turns."
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Play in so many processes.")
@click.option("--plot", type=FILE, help="Draw the wins, game by game, into this file, an SVG or PNG.")
def arena(
    call: Call,
    *,
    game: str,
    more: tuple[str, ...],
    bots: tuple[str, ...],
    games: int,
    seats: int | None,
    options: dict[str, str],
    seed: str,
    turns: int,
    jobs: int,
    plot: Path | None,
) -> None:
    if plot is not None:
        check_picture_name(plot)
    ruleset = find_game(call.games, game)
    opened = open_arena(
        ruleset,
        (*bots, *more),
        options=read_options(ruleset, options),
        seats=seats,
        seed=seed,
        most_turns=turns,
    )
    with progress() as bar:
        result = play_arena(opened, games, jobs=jobs, progress=bar)
    picture = arena_plot(result) if plot is not None else None
    if plot is not None and picture is not None:
        write_picture(plot, picture)
    call.print(result, arena_lines(result))


def arena_lines(result: ArenaResult) -> Iterator[str]:
    games = len(result.games)
    yield f"{result.title}: {count_noun(games, 'game')} with {count_noun(len(result.seats), 'seat')}."
    yield ""
    yield "Wins by bot:"
    yield from _tally_lines(result.bots)
    yield "Wins by seat:"
    yield from _tally_lines(result.seats)
    yield ""
    yield f"Draws: {result.draws}. Not ended when the turns were over: {result.unfinished}."
    lengths = {name: f"{number:g}" for name, number in result.lengths.items()}
    yield "Turns a game: {fewest} to {most}, median {median}, mean {mean}.".format(**lengths)
    yield f"{count_noun(result.turns, 'turn')} in {result.seconds:.1f} seconds, {result.turns_per_second:.0f} a second."
    for fault in result.faults:
        what = "order not accepted" if fault.kind == "not accepted" else "exception"
        many = "orders not accepted" if fault.kind == "not accepted" else ""
        yield f"Warning: {fault.bot}: {count_noun(fault.count, what, many)}. First: {fault.first}"


def _tally_lines(tallies: Iterable[Tally]) -> Iterator[str]:
    ranked = sorted(tallies, key=lambda each: -each.won)
    width = max(len(each.name) for each in ranked[:MOST_LISTED])
    for each in ranked[:MOST_LISTED]:
        yield f"  {each.name:<{width}}  {each.won:>6} of {each.played:>6}  {each.share:>6.1%}"
    if len(ranked) > MOST_LISTED:
        yield f"  and {len(ranked) - MOST_LISTED} more"


@command(
    "pbem bot orders@example.org --home mybot --command 'python3 mybot.py'",
    Harmless("it sends sheets, and a later one replaces them"),
    help="They come from ADDRESS to the mailbox that is named in the pbem.toml of the bot's own folder. A command "
    "gets the report as JSON, and prints a sheet. Each call looks at the mailbox once, as cron would have it. "
    "Exits 1 if a report could not be answered; later calls try again.",
)
@click.argument("address")
@click.option("--bot", "name", metavar="BOT", default="standard", show_default=True, help="The game's bot that plays.")
@click.option("--command", "program", metavar="TEXT", help="Run this instead, without a shell, for each report.")
@click.option("--timeout", type=click.IntRange(1, 3600), default=60, show_default=True, help="Seconds for each report.")
def bot(call: Call, address: str, *, name: str, program: str | None, timeout: int) -> None:
    settings = load_settings(call.home)
    gm = checked_address(address)
    play = (
        play_game(call.games, name, timeout)
        if program is None
        else play_command(call.games, program, timeout, settings)
    )
    done = answer_reports(settings, gm, play, call.now)
    call.print(done, _pass_lines(done), sound=not done.problems)


def _pass_lines(done: BotPass) -> Iterator[str]:
    yield from (f"{each}." for each in done.sent)
    yield from (f"Passed over: {each}." for each in done.passed_over)
    yield from (f"Problem: {each}." for each in done.problems)
    if done.others:
        yield f"{count_noun(done.others, 'other mail')} moved to {PROCESSED}."
    if done == BotPass():
        yield "Nothing to do."
