"""Rules for turns: resolved repeatably, in any order of arrival, to the end of the game.

`main` prints the hash of each state, so that a test can compare processes.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.deadlines import release
from pbem.actions.ruling import SubmitRuling
from pbem.actions.start import StartCampaign
from pbem.app import App, open_app
from pbem.archive.record import turn_dice
from pbem.campaign.archive_sync import prove_archive
from pbem.campaign.snapshot import Context, load_campaign, load_last_reports
from pbem.config import load_settings, write_default_settings
from pbem.games import code_place
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset, TurnInput
from pbem.ruleset.serialization import canonical_json, through_json
from pbem.ruleset.values import Json, SeatName, View
from pbem.scheduler.tick import run_campaign_now, tick
from pbem.scheduler.work import TickResult
from pbem.store.migrate import migrate
from pbem.store.models import InboxMessage, Turn
from pbem.store.types import CampaignState, MessageState
from pbem.testing import hash_seeds
from pbem.testing.hash_seeds import differing, load_game, results
from pbem.testing.play import (
    HOSTILE,
    SEED,
    Game,
    Step,
    crowded_game,
    default_options,
    games,
    number_lines,
    other_games,
    standard,
    standard_game,
    usual_seats,
)
from pbem.testing.suite import RulesetTests, in_a_process, in_scripts, migrated_database, rule


class TurnRules(RulesetTests):
    """Rules for running turns: repeatable, in any order of arrival, to an end."""

    @rule(
        "Make load(dump(state)) equal the state, at any turn: no floats, no sets without order, no keys "
        "that are not strings. With frozen dataclasses BaseRuleset does it."
    )
    def test_a_state_survives_storage_each_turn(self) -> None:
        """A stored state is loaded as the same state, to the byte, at every turn."""
        for game in games(self.ruleset):
            for state, _ in game.worlds():
                data = self.ruleset.dump(state)
                loaded = self.ruleset.load(through_json(data), self.ruleset.version)
                assert loaded == state
                assert canonical_json(self.ruleset.dump(loaded)) == canonical_json(data)

    @rule("Use no chance but the dice, no clock, no memory between calls; sort before you act.")
    def test_resolving_twice_gives_the_same_bytes(self) -> None:
        """The same state, orders and dice give the same next state and events, also from storage."""
        for game in (*games(self.ruleset), crowded_game(self.ruleset)):
            for step in _sample_steps(game):
                # Loaded, as replay and rerun have nothing but what was stored.
                stored = self.ruleset.load(through_json(self.ruleset.dump(step.state)), self.ruleset.version)
                after, events = self.ruleset.resolve(stored, step.turn, turn_dice(SEED, step.number))
                assert canonical_json(self.ruleset.dump(after)) == canonical_json(self.ruleset.dump(step.after))
                assert events == step.events

    @rule("Set has_dice = False only if nothing is left to chance: no draw, no shuffled deck, no random set-up.")
    def test_a_game_without_dice_follows_from_its_orders(self) -> None:
        """Reports of a game that is said to have no dice show no seal, so none of its turns may use any."""
        if not self.ruleset.has_dice:
            for step in standard_game(self.ruleset).steps:
                after, events = self.ruleset.resolve(step.state, step.turn, Dice(b"other dice"))
                assert canonical_json(self.ruleset.dump(after)) == canonical_json(self.ruleset.dump(step.after))
                assert events == step.events

    @rule("Return a new state (dataclasses.replace) and change nothing of the one given.")
    def test_resolving_leaves_its_input_alone(self) -> None:
        """A resolver that altered the old state would spoil rerun and replay."""
        for game in games(self.ruleset):
            for step in _sample_steps(game):
                # As text: a state compared with itself would be equal, whatever was changed in it.
                before = canonical_json(self.ruleset.dump(step.state)), repr(step.turn)
                self.ruleset.resolve(step.state, step.turn, turn_dice(SEED, step.number))
                assert (canonical_json(self.ruleset.dump(step.state)), repr(step.turn)) == before

    @rule("Go through turn.orders sorted by seat, or in the order of seats of the state, never as they come.")
    def test_the_order_of_arrival_does_not_matter(self) -> None:
        """The order in which sheets arrive decides nothing, least of all where all want the same."""
        for game in (*games(self.ruleset), crowded_game(self.ruleset)):
            for step in _sample_steps(game):
                late_first = TurnInput(
                    dict(reversed(list(step.turn.orders.items()))), step.turn.missing, step.turn.removed
                )
                after, events = self.ruleset.resolve(step.state, late_first, turn_dice(SEED, step.number))
                assert canonical_json(self.ruleset.dump(after)) == canonical_json(self.ruleset.dump(step.after))
                assert events == step.events

    @rule(
        "Let standing await at least one seat while the game runs, and none when it is over, with a "
        "reason then and only then; winners are seats, and whoever is awaited is told."
    )
    def test_seats_are_awaited_until_the_game_is_over(self) -> None:
        """A running game always awaits someone at the table; a finished one nobody, and it has a reason."""
        for game in games(self.ruleset):
            for state, _ in game.worlds():
                standing = self.ruleset.standing(state)
                assert standing.over == (not standing.awaiting)
                assert standing.awaiting <= set(game.seats)
                assert set(standing.winners) <= set(game.seats)
                assert standing.told is None or standing.awaiting <= standing.told <= set(game.seats)
                assert bool(standing.reason) == standing.over

    @rule("Take the seats of turn.removed out of play, and end the game if none can go on.")
    def test_a_removed_seat_is_awaited_no_more(self) -> None:
        """When the GM takes a seat out, the game goes on without it or ends."""
        game = standard_game(self.ruleset)
        seat, step = game.seats[-1], game.steps[0]
        orders = {other: sheet for other, sheet in step.turn.orders.items() if other != seat}

        after, _ = self.ruleset.resolve(
            step.state, TurnInput(orders, removed=frozenset({seat})), turn_dice(SEED, step.number)
        )

        assert seat not in self.ruleset.standing(after).awaiting

    @rule("Let the bot write only what its view allows.")
    def test_the_standard_bot_writes_only_lines_that_are_taken(self) -> None:
        """The bot plays like a player who reads the receipts: no line of it is ever refused."""
        for game in (standard_game(self.ruleset), *other_games(self.ruleset)):
            for step in game.steps:
                assert {seat: parsed.errors for seat, parsed in step.parsed.items() if parsed.errors} == {}

    @rule(
        "Sort every set before you go through it, and call neither hash() nor id(): what is named here depends on "
        "them. A dict or a list that was made by going through a set has its order, too."
    )
    def test_no_hash_seed_changes_a_game(self) -> None:
        """A turn comes out the same in processes that order their sets differently, also where all want the same."""
        request = _record_turns(self.ruleset, [*games(self.ruleset), crowded_game(self.ruleset)])
        ours = dict(results(self.ruleset, request))

        for printed, faults in in_scripts(Path(hash_seeds.__file__), json.dumps(request), HASH_SEEDS):
            assert printed, faults[-2_000:]
            assert differing(ours, printed) == []

    @rule(
        "Take all chance from the dice, all else from what a function is given: no random, no time, no files, no "
        "print, and neither hash() nor id()."
    )
    def test_a_game_asks_nothing_outside(self) -> None:
        """All that a game's code calls while a turn is made is named with its line, if it could differ another time."""
        step = standard_game(self.ruleset).steps[-1]
        with outside_calls(self.ruleset) as found:
            self.ruleset.setup(default_options(self.ruleset), usual_seats(self.ruleset), Dice(SEED))
            after, events = self.ruleset.resolve(step.state, step.turn, turn_dice(SEED, step.number))
            for view in (self.ruleset.view(after, seat, events) for seat in usual_seats(self.ruleset)):
                self.ruleset.parse(view, number_lines(self.ruleset.template(view)))
                self.ruleset.turn_summary(view)
                self.ruleset.pictures(view)
                self.ruleset.text_map(view)
            for view in step.views.values():
                self.ruleset.bots["standard"](view, Dice(SEED))
        assert sorted(found) == []


HASH_SEEDS = ("0", "1", "2", "3")
"""Several, as two strings in a set have the same order under one seed of two."""


def _record_turns(ruleset: AnyRuleset, played: Iterable[Game]) -> Json:
    """Return some turns of games, the later ones too, as `hash_seeds.results` takes them."""
    turns = [
        {
            "game": number,
            "number": step.number,
            "seats": list(game.seats),
            "state": through_json(ruleset.dump(step.state)),
            "orders": {seat: list(map(ruleset.orders.to_json, sheet)) for seat, sheet in step.turn.orders.items()},
            "missing": sorted(step.turn.missing),
            "lines": [ruleset.orders.line(order) for sheet in step.turn.orders.values() for order in sheet][:9],
        }
        for number, game in enumerate(played)
        for step in game.steps[:2] + game.steps[2::4]
    ]
    return {
        "class": f"{type(ruleset).__module__}:{type(ruleset).__qualname__}",
        "seed": SEED.hex(),
        "options": default_options(ruleset),
        "seats": list(usual_seats(ruleset)),
        "turns": turns,
    }


def _sample_steps(game: Game) -> tuple[Step, ...]:
    """Return the first steps of a game and some later ones."""
    return game.steps[:5] + game.steps[5::6]


TURNS_A_CAMPAIGN = 25
START = dt.datetime(2026, 11, 2, 9, tzinfo=dt.UTC)
PACE = dt.timedelta(hours=12)


def soak(ruleset: AnyRuleset, turns: int, folder: Path) -> Iterator[str]:
    """Play at least so many turns, in as many campaigns as that takes; yield the hash of every state."""
    path = write_default_settings(folder, "orders@example.org")
    path.write_text(path.read_text().replace("pictures = true", "pictures = false"))
    migrate(load_settings(folder).database)
    with open_app(folder, {ruleset.key: ruleset}) as app:
        played = 0
        for number in itertools.count():
            hashes = _play_campaign(app, ruleset, f"soak{number}")
            yield from hashes
            played += len(hashes) - 1
            if played >= turns:
                return


def _play_campaign(app: App, ruleset: AnyRuleset, name: str) -> list[str]:
    """Play one campaign, to its end or to the cap; prove its archive, and check that no message was quarantined."""
    dice, now = Dice(name.encode()), START
    seats = usual_seats(ruleset)
    wanted = NewCampaign(
        name=name,
        game=ruleset.key,
        gm="gm@example.org",
        seats=[(seat, f"{seat}@example.org") for seat in seats],
        deadline="EVERY 12h",
        options={option: str(value) for option, value in default_options(ruleset).items() if value is not None},
        # Sheets of the suite show an address alone, about which the player would usually be asked (decision 14).
        policy={"authentication": "address"},
    )
    create_campaign(app, wanted, now, seed=dice.seed)
    run_action(app, name, StartCampaign(), now)
    for turn in range(TURNS_A_CAMPAIGN):
        for seat, view in _mailed_views(app, name):
            _post_sheets(app, ruleset, name, seat, view, dice.within(turn, seat))
        assert not tick(app, now).problems
        now += PACE
        done = tick(app, now)
        assert not done.problems
        # A turn is held if 60 % of the sheets are missing, until its GM lets it run.
        if done.on_hold:
            assert not run_campaign_now(app, name, now).problems
        if done.needs_ruling:
            assert not _submit_ruling(app, name, now, dice.within(turn, "gm")).problems
        if _is_over(app, name):
            break
    prove_archive(app, name)
    with app.store.reading() as session:
        assert not session.scalars(
            select(InboxMessage.note).where(InboxMessage.state == MessageState.QUARANTINED)
        ).all()
        snapshot = load_campaign(session, name)
        hashes = select(Turn.state_hash).where(Turn.campaign_id == snapshot.id).order_by(Turn.number)
        return list(session.scalars(hashes))


def _submit_ruling(app: App, name: str, now: dt.datetime, dice: Dice) -> TickResult:
    """Submit a ruling of random text for all seats; if it cannot be read, run the turn without one."""
    with app.store.reading() as session:
        snapshot = load_campaign(session, name)
    names = ["all.txt", *(f"{seat}.txt" for seat in snapshot.seats)]
    files = {file: "\n".join(dice.pick(list(HOSTILE.values()), file)) for file in names}
    games = ["", f"SCORE {snapshot.seats[0]} 5\nLABEL The storm", "OVER", "LABEL \x00\x1b", "SCORE ½"]
    kept = run_action(app, name, SubmitRuling({**files, "game.txt": dice.pick(games, "game")}), now).kept
    with app.store.writing() as session:
        release(Context(session, app, snapshot, now))
    return tick(app, now) if kept else run_campaign_now(app, name, now)


def _is_over(app: App, name: str) -> bool:
    with app.store.reading() as session:
        return load_campaign(session, name).status == CampaignState.OVER


def _mailed_views(app: App, name: str) -> list[tuple[SeatName, View]]:
    """Return the view in each player's last report."""
    with app.store.reading() as session:
        reports = load_last_reports(session, load_campaign(session, name))
    return [(seat, json.loads(report.view)) for seat, report in reports.items()]


def _post_sheets(app: App, ruleset: AnyRuleset, name: str, seat: SeatName, view: View, dice: Dice) -> None:
    """Put a player's mails into the inbox: often a sheet, sometimes two, sometimes nothing or no sheet at all."""
    for count in range(dice.below(3, "mails")):
        luck = dice.within(count)
        lines = [ruleset.orders.invent(view, luck, "line", line) for line in range(luck.below(8, "lines"))]
        if luck.chance(2, 3, "bot"):
            lines[2:2] = standard(ruleset, view, luck)
        if luck.chance(1, 3, "garbage"):
            lines += luck.pick(list(HOSTILE.values()), "which")
        head = f"From: {seat}@example.org\nSubject: {name}\nContent-Type: text/plain; charset=utf-8\n\n"
        sheet = "\n".join([f"ORDERS {name} {seat}", *lines, "END"])
        # Some of the garbage is half of a surrogate pair, which UTF-8 cannot write.
        raw = (head + sheet).encode(errors="replace")
        if luck.chance(1, 10, "torn"):
            raw = raw[luck.below(len(raw), "from") :]
        inbox = app.settings.home / "post" / "inbox"
        inbox.mkdir(parents=True, exist_ok=True)
        (inbox / f"{name}-{seat}-{count}.eml").write_bytes(raw)


def main() -> None:
    """Soak one game: its class, the turns, and the folder to play in."""
    game, turns, folder = sys.argv[1:]
    for state_hash in soak(load_game(game), int(turns), Path(folder)):
        sys.stdout.write(f"{state_hash}\n")


AGAIN = 4
"""One in so many turns is played once more under another hash seed."""


class LongPlayRules(RulesetTests):
    """A game is played for a long time through the whole program."""

    soak_turns = 100
    """Turns to play at least, in as many campaigns as that takes."""

    @rule(
        "Read the fault at the end of the output: it arose in resolve, view, parse or a template, on a "
        "sheet that a player could send. If the two runs differ, something depends on the order of a set."
    )
    def test_nothing_players_send_breaks_a_campaign(self, tmp_path: Path) -> None:
        """Random legal sheets and garbage, turn after turn: no fault, all proved; other hash seeds change no state."""
        turns = {"1": self.soak_turns, "2": self.soak_turns // AGAIN}
        for seed in turns:
            (tmp_path / seed).mkdir()
            (tmp_path / seed / "pbem.sqlite").write_bytes(migrated_database())
        running = [
            in_a_process("pbem.testing.turn_rules", self.ruleset, str(most), str(tmp_path / seed), hash_seed=seed)
            for seed, most in turns.items()
        ]

        printed = [process.communicate() for process in running]

        assert [process.returncode for process in running] == [0, 0], "".join(said[1][-2_000:] for said in printed)
        played, again = (said[0].split() for said in printed)
        assert again == played[: len(again)]
        assert (len(again) >= turns["2"], len(played) >= turns["1"]) == (True, True)


MODULES = {"random", "secrets", "uuid", "time", "socket", "subprocess", "logging", "tempfile", "shutil"}
"""Modules of which a game may call nothing."""

BUILTINS = {"open", "hash", "id", "input", "print"}
CLOCKS = {"now", "utcnow", "today", "urandom"}
"""Methods of `datetime` and `date`, and the function of `os`, that tell something new each time."""

# Dataclasses and enums hash themselves by hash(), which does no harm as long as no set is gone through.
_OWN_HASH = {"__hash__", "__eq__", "__repr__"}


@contextmanager
def outside_calls(ruleset: AnyRuleset) -> Iterator[set[str]]:
    """Yield a set to which calls in the block are added by which the game's own code asks what it may not.

    Each is told with its place: "time.time at night_market/turn.py, line 31, in search".
    """
    package = type(ruleset).__module__.partition(".")[0]
    found: set[str] = set()

    def watch(frame: FrameType, kind: str, called: Any) -> None:
        if kind == "c_call":
            caller, name = frame, _forbidden(called)
        elif kind == "call" and frame.f_back is not None:
            module = frame.f_globals.get("__name__", "")
            caller, name = frame.f_back, f"{module}.{frame.f_code.co_name}" if module in MODULES else ""
        else:
            return
        own = caller.f_globals.get("__name__", "").partition(".")[0] == package
        if name and own and caller.f_code.co_name not in _OWN_HASH:
            found.add(f"{name} at {code_place(caller, caller.f_lineno)}")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(before)


def _forbidden(called: Any) -> str:
    """Return the name of a built-in function that a game may not call; "" for any other."""
    name, owner = called.__name__, getattr(called, "__self__", None)
    # The owner of a function is its module, that of a method an object or a class.
    home = getattr(owner, "__name__", "") if isinstance(owner, type(sys) | type) else type(owner).__module__
    if home == "builtins":
        return name if name in BUILTINS else ""
    if (
        home.partition(".")[0] in MODULES
        or home == "_random"
        or (name in CLOCKS and home in {"datetime", "date", "posix"})
    ):
        return f"{home.strip('_')}.{name}"
    return ""
