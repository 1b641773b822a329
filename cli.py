"""The command line: one thin function a command. Here alone host and games meet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from pbem import __version__, console
from pbem.campaign.creation import NewCampaign, create
from pbem.campaign.opening import start as start_campaign
from pbem.campaign.proof import prove
from pbem.campaign.status import house_status
from pbem.config import find_home, load_settings
from pbem.demo import MOST_TURNS, play
from pbem.desk.check import check_sheet
from pbem.doctor import examine
from pbem.errors import PbemError
from pbem.founding import found
from pbem.house import by_key, choose_game, open_house
from pbem.rulebook import rulebook
from pbem.ruleset import RulesetError
from pbem.serving import serve as serve_house
from pbem.serving import stopped_by_signals
from pbem.store import migrate as migrate_store
from pbem.tick import Ticked, run_now
from pbem.tick import tick as tick_house
from pbem.upkeep.letters import STATES, list_letters, retry_letter, show_letter
from pbem.upkeep.outbox import list_outbox, retry_mail
from rules import RULESETS

GAMES = by_key(RULESETS)
F = TypeVar("F", bound=Callable[..., Any])


class Commands(click.Group):
    """The commands; what they refuse is one sentence, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command."""
        try:
            return super().invoke(ctx)
        except (PbemError, RulesetError) as error:
            raise click.ClickException(str(error)) from error
        except BrokenPipeError:
            raise  # whoever read along has seen enough; click ends without a word
        except OSError as error:
            raise click.ClickException(f"{error.filename or 'a file'}: {error.strerror or error}") from error


class Moment(click.ParamType[dt.datetime]):
    """A time in ISO 8601; UTC, unless it says otherwise."""

    name = "timestamp"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dt.datetime:
        """The time, aware, and far enough from the ends of the calendar to be reckoned with."""
        try:
            moment = dt.datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a time: write it like 2026-11-06T20:00Z", param, ctx)
        if not 1970 < moment.year < 9000:
            self.fail(f"{value!r} is too far away: use a year from 1971 to 8999", param, ctx)
        return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


class Pair(click.ParamType[tuple[str, str]]):
    """Two words with = between them."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The two words."""
        left, equals, right = str(value).partition("=")
        if not (left.strip() and equals and right.strip()):
            self.fail(f"{value!r} must be written as {self.name}", param, ctx)
        return left.strip(), right.strip()


NUMBER = click.IntRange(1, 2**31 - 1)


class NumberOrAll(click.ParamType[int | str]):
    """A number, or the word all."""

    name = "id|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """The number, or "all"."""
        return "all" if value == "all" else int(NUMBER.convert(value, param, ctx))


def home_option(command: F) -> F:
    """Gives a command its --home; without it the folder with pbem.toml is looked for upwards."""
    text = "The home folder. [default: the nearest with pbem.toml, upwards]"
    return click.option("--home", "home", type=click.Path(path_type=Path, file_okay=False), help=text)(command)


def json_option(command: F) -> F:
    """Gives a command its --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")(command)


def now_option(command: F) -> F:
    """Gives a command its --now."""
    return click.option("--now", type=Moment(), help="Act as at this time. [default: the clock]")(command)


def _home(home: Path | None) -> Path:
    context = click.get_current_context().find_root()
    return home or context.params.get("home") or find_home(Path.cwd())


def _now(now: dt.datetime | None) -> dt.datetime:
    return now or dt.datetime.now(dt.UTC)


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def _say_tick(done: Ticked, *, as_json: bool = False, idle: str = "Nothing to do.") -> None:
    lines = [console.as_json(done)] if as_json else list(console.tick_lines(done))
    _say(lines or filter(None, [idle]))
    for problem in done.problems:
        click.echo(f"Problem: {problem}", err=True)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="pbem", prog_name="pbem")
@home_option
def main(home: Path | None) -> None:
    """Play-by-email turns: order sheets in by mail, batch turns, personal reports out."""


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option("--address", default="orders@example.org", show_default=True, help="The address players write to.")
def init(folder: Path, address: str) -> None:
    """Make a home in FOLDER, or bring one up to this version."""
    settings = found(folder, address)
    click.echo(f"{settings.home} is ready: pbem.toml, database, post folders and archive.")
    click.echo(f"Players write to {settings.address}. Make a campaign with: pbem new")


@main.command()
@home_option
def migrate(home: Path | None) -> None:
    """Bring the database up to this version."""
    migrate_store(load_settings(_home(home)).database)
    click.echo("The database is of this version.")


@main.command()
@click.argument("name")
@click.option("--game", required=True, metavar="KEY", help="What is played; see: pbem games")
@click.option("--gm", required=True, metavar="ADDRESS", help="Whom to tell of problems.")
@click.option("--seat", "seats", multiple=True, required=True, type=Pair("SEAT=ADDRESS"), help="Who sits where.")
@click.option("--option", "options", multiple=True, type=Pair("NAME=VALUE"), help="A house rule; see: pbem games")
@click.option("--deadline", required=True, help='When turns are due: "FRI 20:00 Europe/Berlin", "EVERY 12h".')
@click.option("--settle", default=30, show_default=True, help="Minutes to wait after the last sheet is in.")
@now_option
@home_option
def new(
    *,
    name: str,
    game: str,
    gm: str,
    seats: tuple[tuple[str, str], ...],
    options: tuple[tuple[str, str], ...],
    deadline: str,
    settle: int,
    now: dt.datetime | None,
    home: Path | None,
) -> None:
    """Make a campaign called NAME."""
    given = dict(options)
    if len(given) < len(options):
        raise click.BadParameter("an option is given twice", param_hint="--option")
    wanted = NewCampaign(
        name=name, game=game, gm=gm, seats=seats, deadline=deadline, options=given, settle_minutes=settle
    )
    with open_house(_home(home), GAMES) as house:
        create(house, wanted, _now(now))
    click.echo(f"Campaign {name} is made. Start it with: pbem start {name}")


@main.command()
@click.argument("name")
@now_option
@home_option
def start(name: str, now: dt.datetime | None, home: Path | None) -> None:
    """Start a campaign: set it up and queue its first reports."""
    with open_house(_home(home), GAMES) as house:
        started = start_campaign(house, name, _now(now))
    _say(console.started_lines(started))


@main.command()
@now_option
@json_option
@home_option
@click.pass_context
def tick(context: click.Context, now: dt.datetime | None, as_json: bool, home: Path | None) -> None:
    """Poll, answer, remind, resolve what is due, archive and send: the scheduled job."""
    with open_house(_home(home), GAMES) as house, console.progress() as progress:
        done = tick_house(house, _now(now), progress=progress)
    _say_tick(done, as_json=as_json)
    context.exit(1 if done.problems else 0)


@main.command()
@home_option
def serve(home: Path | None) -> None:
    """Stay up and tick every poll_seconds, until SIGTERM."""
    with open_house(_home(home), GAMES) as house, stopped_by_signals() as stop:
        click.echo(f"Serving {house.settings.home}; a tick every {house.settings.poll_seconds} seconds.")
        serve_house(house, clock=lambda: _now(None), stop=stop, told=lambda done: _say_tick(done, idle=""))
    click.echo("Stopped.")


@main.command()
@click.argument("name")
@now_option
@json_option
@home_option
@click.pass_context
def run(context: click.Context, name: str, now: dt.datetime | None, as_json: bool, home: Path | None) -> None:
    """Resolve a campaign's open turn now."""
    with open_house(_home(home), GAMES) as house, console.progress() as progress:
        done = run_now(house, name, _now(now), progress=progress)
    _say_tick(done, as_json=as_json)
    context.exit(1 if done.problems or done.busy else 0)


@main.command()
@click.argument("name", required=False)
@json_option
@home_option
def status(name: str | None, as_json: bool, home: Path | None) -> None:
    """Show who has sent, who is awaited, deadlines, and mail not delivered."""
    with open_house(_home(home), GAMES) as house:
        found_status = house_status(house, name)
    _say([console.as_json(found_status)] if as_json else console.status_lines(found_status))


@main.command()
@click.option("--state", type=click.Choice(STATES), help="Only letters in this state.")
@click.option("--show", type=NUMBER, metavar="ID", help="Print one letter, its keys masked.")
@click.option("--retry", type=NUMBER, metavar="ID", help="Let the next tick try a quarantined letter again.")
@json_option
@home_option
def letters(*, state: str | None, show: int | None, retry: int | None, as_json: bool, home: Path | None) -> None:
    """List the letters that came, show one, or try one again."""
    if sum(choice is not None for choice in (state, show, retry)) > 1:
        raise click.UsageError("give one of --state, --show and --retry")
    with open_house(_home(home), GAMES) as house:
        if retry is not None:
            retry_letter(house.store, retry)
            _say([console.as_json({"retried": [retry]}) if as_json else console.retried_letter(retry)])
        elif show is not None:
            shown = show_letter(house.store, show)
            _say([console.as_json(shown)] if as_json else console.shown_lines(shown))
        else:
            listed = list_letters(house.store, state)
            _say([console.as_json({"letters": listed})] if as_json else console.letter_lines(listed))


@main.command()
@click.option("--retry", type=NumberOrAll(), metavar="ID|all", help="Make one mail, or all, due now.")
@now_option
@json_option
@home_option
def outbox(*, retry: int | str | None, now: dt.datetime | None, as_json: bool, home: Path | None) -> None:
    """List the mail that is not delivered, or have it tried again now."""
    with open_house(_home(home), GAMES) as house:
        if retry is None:
            listed = list_outbox(house.store)
            _say([console.as_json({"mails": listed})] if as_json else console.outbox_lines(listed))
        else:
            retried = retry_mail(house.store, _now(now), retry if isinstance(retry, int) else None)
            _say([console.as_json({"retried": retried}) if as_json else console.retried_mails(retried)])


@main.command()
@now_option
@json_option
@home_option
@click.pass_context
def doctor(context: click.Context, now: dt.datetime | None, as_json: bool, home: Path | None) -> None:
    """Try everything a home needs, and say how to mend what is wrong. Exits 1 if there is a problem."""
    with console.progress() as progress:
        diagnosis = examine(_home(home), _now(now), progress=progress)
    _say([console.as_json(diagnosis)] if as_json else console.diagnosis_lines(diagnosis))
    context.exit(1 if diagnosis.problems else 0)


@main.command()
@json_option
def games(as_json: bool) -> None:
    """List what can be played, with its house rules."""
    _say([console.as_json(console.game_facts(RULESETS))] if as_json else console.game_lines(RULESETS))


@main.command()
@click.argument("game")
def rules(game: str) -> None:
    """Print a game's rulebook."""
    click.echo(rulebook(choose_game(GAMES, game)))


@main.command()
@click.argument("sheet", type=click.File("rb"))
@click.option("--report", required=True, type=click.File("rb"), help="The .json file attached to the report.")
@json_option
@click.pass_context
def check(context: click.Context, sheet: Any, report: Any, as_json: bool) -> None:
    """Check an order sheet against a report, without sending it. Exits 1 if a line is not understood."""
    checked = check_sheet(GAMES, sheet.read(), report.read())
    _say([console.as_json(checked)] if as_json else console.check_lines(checked))
    context.exit(1 if checked.errors else 0)


@main.command()
@click.argument("name")
@json_option
@home_option
def replay(name: str, as_json: bool, home: Path | None) -> None:
    """Prove a campaign's archive: resolve every turn again and compare."""
    with open_house(_home(home), GAMES) as house, console.progress() as progress:
        proof = prove(house, name, progress=progress)
    _say([console.as_json(proof)] if as_json else console.proof_lines(proof))


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--game", default=RULESETS[0].key, show_default=True, metavar="KEY", help="What is played.")
@click.option("--seats", type=int, help="How many play. [default: four, where the game takes them]")
@click.option("--turns", type=click.IntRange(1), default=MOST_TURNS, help="Stop after so many. [default: to the end]")
@click.option("--seed", default="demo", show_default=True, help="Another word, another game.")
def demo(folder: Path, game: str, seats: int | None, turns: int, seed: str) -> None:
    """Play a campaign by mail in FOLDER, bots mailing real order sheets."""
    with console.progress() as progress:
        result = play(folder, GAMES, game=game, seats=seats, turns=turns, seed=seed, progress=progress)
    _say(console.demo_lines(result))


if __name__ == "__main__":
    main()
