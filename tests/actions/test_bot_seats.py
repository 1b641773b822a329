"""Seats of absent players, which the game's bot plays until they are back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from pbem.actions.base import CLI, attempt, run_action, run_query
from pbem.actions.open_turn import PreviewTurn
from pbem.actions.rerun import RerunTurn
from pbem.actions.rollback import RollBack
from pbem.actions.run_turn import run_turn
from pbem.actions.seats import GiveSeat, OpenSeat, SeatBot, SwapSeats
from pbem.actions.settings import mail_gm_token
from pbem.actions.sheets import ShowSheets
from pbem.actions.status import ShowStatus
from pbem.actions.undo import UndoChange
from pbem.campaign.archive_sync import prove_archive
from pbem.campaign.people import appoint, end_of, get_or_create_person
from pbem.campaign.snapshot import Context, load_campaign
from pbem.errors import CampaignError
from pbem.ruleset import Dice, View
from pbem.store.models import OrderSheet
from pbem.store.types import HoldKind
from tests.inbox.people import ANN, BOB, CYD, EVE, GM, ask, form, players, snapshot, words
from tests.toy.home import Desk, prepared, text_of
from tests.toy.ruleset import Auction


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Start a campaign of red, blue and green, in which red sends orders as it should."""
    desk.start(seats=("red", "blue", "green"))


def seat_bot(desk: Desk, seat: str = "red") -> str:
    """Let the bot play a seat."""
    return run_action(desk.app, "toy1", SeatBot(seat), desk.now).done


def run(desk: Desk) -> dict[str, Any]:
    """Run the open turn; return its record."""
    after = run_turn(desk.app, "toy1", desk.now, reason="gm")
    assert after is not None
    desk.tick()
    record: dict[str, Any] = json.loads(after.record)
    return record


def sheets(desk: Desk) -> list[str]:
    """Return who wrote each sheet, in the order in which they came."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(OrderSheet.author).order_by(OrderSheet.id)))


def play_by(monkeypatch: pytest.MonkeyPatch, bot: Callable[..., Any]) -> None:
    """Let a function be the standard bot of the game."""
    monkeypatch.setattr(Auction, "bots", {"standard": bot})


def test_it_asks_where_a_player_loses_the_seat_and_all_are_told(desk: Desk) -> None:
    """The former player is told as of any new one, and all others are, also where the journal is the GM's alone."""
    desk.set_rules(journal="gm")
    asked = attempt(desk.app, "toy1", SeatBot("red"), desk.now)

    assert (players(desk)["red"], asked.read_set is None) == (ANN, False)
    assert asked.facts.done == f"let the bot play seat red, in place of {ANN}. All players are notified."
    assert seat_bot(desk).startswith(
        "the bot plays red, from its reports alone. Its player is back? pbem give toy1 red"
    )
    desk.tick()
    assert "You no longer play the seat red of toy1: a bot plays it until your GM gives it" in words(desk.last(ANN))
    for other in (BOB, CYD):
        assert "The seat red of toy1 has no player now: a bot plays it until" in words(desk.last(other))
    status = run_query(desk.app, "toy1", ShowStatus(), desk.now)
    assert any(line.split()[:3] == ["red", "a", "bot"] for line in ShowStatus().render(status, CLI))


def test_its_sheet_is_that_of_the_bot_for_the_mailed_report(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot is given the report of the seat and nothing else; its sheet is like any, so the seat misses none."""
    seen: list[tuple[View, Dice]] = []

    def bot(view: dict[str, Any], dice: Dice) -> list[str]:
        seen.append((json.loads(json.dumps(view)), dice))
        view.clear()
        return ["BID 2", "WHISPER blue deal"]

    play_by(monkeypatch, bot)
    seat_bot(desk)
    record = run(desk)

    assert [view["seat"] for view, _ in seen] == ["red"]
    assert snapshot(desk).dice_seed not in [dice.seed for _, dice in seen]
    assert record["sheets"]["red"]["version"] == 1
    assert record["missing"] == ["blue", "green"]
    assert [order["order"] for order in record["orders"]["red"]] == ["bid", "whisper"]
    assert sheets(desk) == ["bot"]
    assert prove_archive(desk.app, "toy1").turns == 1
    assert "you no longer play red" in desk.last(ANN)["Subject"]


def test_a_sheet_of_the_player_counts_first(desk: Desk) -> None:
    """Orders that the player has sent for the open turn count; the bot orders from the next turn on."""
    desk.post("ORDERS toy1 red\nBID 7\nEND")
    desk.answer()
    asked = attempt(desk.app, "toy1", SeatBot("red"), desk.now)
    seat_bot(desk)

    assert "Sheet 1, which it has sent, still counts for this turn." in asked.facts.done
    assert run(desk)["sheets"]["red"]["version"] == 1
    assert sheets(desk) == ["player"]
    run(desk)
    assert sheets(desk) == ["player", "bot"]


def test_no_turn_waits_for_it(desk: Desk) -> None:
    """A turn runs once the players have sent their sheets, with the bot's; without any player it is held."""
    seat_bot(desk)
    seat_bot(desk, "green")
    desk.post("ORDERS toy1 blue\nBID 1\nEND", sender=BOB)
    desk.tick()
    assert snapshot(desk).turn == 1
    desk.tick(hours=1)
    assert (snapshot(desk).turn, sheets(desk)) == (2, ["player", "bot", "bot"])

    seat_bot(desk, "blue")
    desk.tick(hours=24 * 14)
    assert (snapshot(desk).turn, snapshot(desk).hold_kind) == (2, HoldKind.NO_PLAYERS)


def test_the_player_has_the_seat_back(desk: Desk) -> None:
    """GIVE, or SEAT with an address, ends it for all to hear; the player gets the newest report, and orders again."""
    seat_bot(desk)
    run(desk)
    desk.set_rules(journal="gm")
    run_action(desk.app, "toy1", GiveSeat("red", ANN), desk.now)
    desk.tick()
    desk.post("ORDERS toy1 red\nBID 3\nEND")
    desk.answer()

    assert players(desk)["red"] == ANN
    assert "The seat red of toy1 has a new player" in words(desk.last(BOB))
    run(desk)
    assert sheets(desk) == ["bot", "player"]


def test_a_deputy_of_the_former_player_is_told(desk: Desk) -> None:
    """Whoever stood in for the player does no longer, and hears of it; one who gets the seat hears of that alone."""
    for line, told in ((SeatBot("red"), True), (GiveSeat("red", EVE), False)):
        run_action(desk.app, "toy1", GiveSeat("red", ANN), desk.now) if not told else None
        with desk.app.store.writing() as session:
            eve = get_or_create_person(session, EVE, desk.now)
            red = load_campaign(session, "toy1").places[0]
            appoint(session, red.id, eve, desk.now, end_of("2026-11-20", "Europe/Berlin"))
        before = len(desk.mails(EVE))
        run_action(desk.app, "toy1", line, desk.now)
        desk.tick()
        said = " ".join(words(mail) for mail in desk.mails(EVE)[before:])
        assert ("You no longer stand in for the seat red of toy1." in said) == told
        assert ("You play red in toy1" in said) != told


def test_a_gm_types_it_by_mail(desk: Desk) -> None:
    """SEAT has the words BOT, or an address as GIVE has; each is asked about, with who would lose the seat."""
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.tick()
    (token,) = re.findall(r"^GM toy1 ([0-9a-f]+)$", text_of(desk.last(GM)), re.MULTILINE)

    for line, said in (
        ("SEAT red BOT", f"Let the bot play seat red, in place of {ANN}"),
        ("seat red to bot yes", "he bot plays red"),
        ("SEAT red BOT", "the bot plays red already"),
        (f"SEAT red TO {ANN}", f"{ANN} plays red"),
        (f"seat red {EVE} YES", f"{EVE} plays red"),
        ("HELP SEAT", "SEAT seat BOT | address"),
    ):
        assert said in ask(desk, f"GM toy1 {token}\n{line}\nEND", GM)
    assert players(desk)["red"] == EVE


def test_undo_gives_the_seat_back_until_its_mails_have_gone(desk: Desk) -> None:
    """The player has it again; later, the command that helps is named."""
    seat_bot(desk)
    run_action(desk.app, "toy1", UndoChange(), desk.now)
    assert players(desk)["red"] == ANN
    seat_bot(desk)
    desk.tick()

    with pytest.raises(CampaignError, match=rf"mailed to those concerned\. Instead: pbem give toy1 red to {ANN}"):
        run_action(desk.app, "toy1", UndoChange(), desk.now)


def test_a_bot_that_fails_stops_no_turn(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it raises or returns, the turn is run without orders of the seat, and the GM is told why once."""

    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError

    def raising(error: BaseException) -> Callable[..., Any]:
        def bot(_view: View, _dice: Dice) -> list[str]:
            raise error

        return bot

    seat_bot(desk)
    said = []
    for bot in (
        raising(KeyError("home")),
        raising(SystemExit(3)),
        raising(Odd()),
        lambda _view, _dice: "BID 2",
        lambda _view, _dice: [7],
        lambda _view, _dice: ["BID 2"] * 1_001,
        lambda _view, _dice: ["FLY home"],
    ):
        run_action(desk.app, "toy1", RollBack(1), desk.now) if snapshot(desk).turn > 1 else None
        play_by(monkeypatch, bot)
        record = run(desk)
        assert record["missing"] == ["blue", "green", "red"]
        said.append(words(desk.last(GM)))

    for text, why in zip(
        said,
        (
            *("KeyError: 'home'", "SystemExit", "Odd", "TypeError: it must return a list of lines"),
            *("TypeError: it must return", "ValueError: its sheet has 1001 lines", "none of its orders is possible"),
        ),
        strict=True,
    ):
        assert f"Turn 1 was run without orders of red, since its bot failed: {why}" in text
    assert sheets(desk) == []


def test_a_bot_that_never_returns_stops_no_turn(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot has five seconds of the processor's time; then the turn is run without its orders, and the GM is told."""

    def endless(_view: View, _dice: Dice) -> list[str]:
        while True:
            pass

    play_by(monkeypatch, endless)
    seat_bot(desk)
    record = run(desk)

    assert "red" in record["missing"]
    assert "its bot failed: it has no sheet after 5 seconds of the processor's time" in words(desk.last(GM))


def test_orders_of_a_bot_that_are_refused_are_left_out(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others of its sheet count."""
    play_by(monkeypatch, lambda _view, _dice: ["FLY home", "BID 2"])
    seat_bot(desk)

    assert len(run(desk)["orders"]["red"]) == 1


def test_previews_have_its_orders_and_keep_nothing(desk: Desk) -> None:
    """A preview is that of a turn with the bot's sheet, which is saved with the run alone."""
    seat_bot(desk)
    preview = run_query(desk.app, "toy1", PreviewTurn(), desk.now)

    assert "red" not in preview.opening.missing
    assert sheets(desk) == []


def test_a_turn_that_was_run_is_run_again_with_the_same_sheet(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rerun and rollback use the sheet that was saved, whatever the bot would order by now."""
    seat_bot(desk)
    first = run(desk)
    play_by(monkeypatch, lambda _view, _dice: ["BID 9"])
    run_action(desk.app, "toy1", RerunTurn(), desk.now)
    run_action(desk.app, "toy1", RollBack(1), desk.now)
    again = run(desk)

    assert (again["orders"], again["state_after"]) == (first["orders"], first["state_after"])
    shown = run_query(desk.app, "toy1", ShowSheets(), desk.now)
    assert shown.seats[0].counts is None
    assert prove_archive(desk.app, "toy1").turns == 1


def test_such_a_seat_is_not_offered_to_others(desk: Desk) -> None:
    """Nobody who asks for a seat gets it; opened, it goes to the first standby, and the bot goes along in a swap."""
    desk.set_rules(signup="on")
    seat_bot(desk)
    ask(desk, "JOIN toy1 AS red", EVE)
    desk.reply(desk.last(EVE), "Yes")
    desk.tick()
    assert players(desk)["red"] == ""
    run_action(desk.app, "toy1", SwapSeats("red", "blue"), desk.now)
    assert [place.bot for place in snapshot(desk).places] == [False, True, False]
    assert "goes to eve@example.net" in attempt(desk.app, "toy1", OpenSeat("blue"), desk.now).facts.done.lower()
    run_action(desk.app, "toy1", OpenSeat("blue"), desk.now)
    assert players(desk) == {"red": BOB, "blue": EVE, "green": CYD}


def test_it_is_for_campaigns_that_run(desk: Desk) -> None:
    """Before the start, for a removed seat, or twice, it is refused with a sentence."""
    seat_bot(desk)
    with pytest.raises(CampaignError, match="the bot plays red already"):
        seat_bot(desk)
    form(desk, "red", "blue", name="toy2")
    with pytest.raises(CampaignError, match="campaign toy2 is forming: it has no open turn"):
        run_action(desk.app, "toy2", SeatBot("red"), desk.now)
