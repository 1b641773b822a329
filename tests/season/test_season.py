"""Test of twelve turns of The Singularity Trap for six, by real mails, with all that befalls a campaign.

Players are late or away, have a deputy, change their address, miss turns, are
replaced, and leave. Turns are extended by the players and by the GM, held,
reviewed, rolled back and rerun. In the end the archive proves itself.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

import pytest

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.settings import mail_gm_token
from pbem.actions.start import StartCampaign
from pbem.actions.status import CampaignStatus
from pbem.admin.health import home_status
from pbem.app import open_app
from pbem.archive.verify import verify
from pbem.campaign.archive_sync import prove_archive
from pbem.campaign.snapshot import Context, load_campaign
from pbem.games import installed_games
from tests.mail_servers.conftest import MakeSettings
from tests.season.table import NAME, START, Season, subjects, text_of
from tests.servers.mail import MailServer

DAY = dt.timedelta(days=1)
HOUSE_RULES = {"signup": "on", "grace": "12h", "open_after_missed": "2", "press": "anonymous", "late_list": "players"}


@pytest.fixture
def season(mail_server: MailServer, make_settings: MakeSettings) -> Iterator[Season]:
    """Yield an installation on the running mail system, and a campaign with four of its six seats taken."""
    mail_server.empty()
    settings = make_settings(inbox=mail_server.inbox("orders"), carrier=mail_server.carrier("orders"))
    with open_app(settings.home, installed_games()) as app:
        season = Season(app, mail_server)
        for seat, account in (("red", "ann"), ("yellow", "bob"), ("green", "cyn"), ("cyan", "dee")):
            season.sit(seat, account)
        create_campaign(app, _wanted(season), START, seed=b"a season of twelve turns")
        yield season


def _wanted(season: Season) -> NewCampaign:
    return NewCampaign(
        name=NAME,
        game="singularity_trap",
        gm=season.server.address("gm"),
        seats=[(seat, season.server.address(account)) for seat, account in season.who.items()],
        deadline="FRI 20:00 Europe/Berlin",
        options={"alliances": "no"},
        policy=HOUSE_RULES,
        open=2,
    )


@pytest.mark.in_turn
def test_a_season(season: Season) -> None:
    """All of it happens as it should, and after twelve turns the archive is proved."""
    for happens in (
        *(_two_sign_up, _it_begins, _a_sheet_comes_late, _somebody_goes_away, _a_deputy_plays),
        *(_players_want_more_time, _somebody_moves, _somebody_vanishes, _somebody_leaves, _all_mail_is_lost),
        *(_the_gm_rolls_back, _the_gm_runs_a_turn_again, _the_gm_looks_first, _it_is_proved),
    ):
        happens(season)


def _status(season: Season) -> CampaignStatus:
    return home_status(season.app, NAME).campaigns[0]


def _join(season: Season, account: str) -> str:
    """Let a person join by mail and confirm; return the answer."""
    season.write(account, f"JOIN {NAME}")
    season.tick()
    season.reply(account, season.read(account)[-1], "Yes, please!")
    season.tick()
    return text_of(season.read(account)[-1])


def _two_sign_up(season: Season) -> None:
    """Two strangers get the free seats by mail; a third becomes a standby; the GM is mailed a token."""
    said = [_join(season, account) for account in ("eve", "fay", "gus")]
    season.sit("blue", "eve")
    season.sit("magenta", "fay")
    with season.app.store.writing() as session:
        mail_gm_token(Context(session, season.app, load_campaign(session, NAME), season.now))
    season.tick()
    found = re.search(rf"GM {NAME} ([0-9a-f]+)", text_of(season.read("gm")[-1]))

    assert ["Nothing to do now." in text for text in said] == [True, True, False]
    assert "You are number 1 on its standby list" in said[2]
    assert found is not None
    season.gm_token = found[1]


def _it_begins(season: Season) -> None:
    """Turn 1 is played by all six and run when the last sheet is in."""
    run_action(season.app, NAME, StartCampaign(), season.now)
    season.tick()

    assert [turn.reason for turn in season.play().resolved] == ["all_in"]


def _friday(season: Season) -> dt.datetime:
    """Return the deadline of the open turn."""
    deadline = _status(season).deadline
    assert deadline is not None
    return deadline


def _a_sheet_comes_late(season: Season) -> None:
    """Turn 2: cyan is late; all are told, and the sheet counts in the hours of grace."""
    season.sheets(but=("cyan",))
    season.tick(hours=1)
    late = season.tick(until=_friday(season) + DAY / 24)
    season.read("dee")
    season.sheet("cyan")
    season.tick(hours=1)
    done = season.tick(hours=1)

    assert (late.resolved, len(done.resolved)) == ([], 1)
    assert any("The turn waits for cyan" in text_of(mail) for mail in season.read("ann"))
    assert "No orders from you" not in text_of(season.read("dee")[-1])


def _somebody_goes_away(season: Season) -> None:
    """Turn 3: green announces an absence; the deadline set already stays, the next one avoids the absence."""
    current = _friday(season)
    first, last = current.date() - DAY, current.date() + 9 * DAY
    season.insist("cyn", f"ABSENT {first} TO {last}")
    season.tick()
    unmoved = _friday(season)
    season.play()

    assert (unmoved, _friday(season)) == (current, current + 14 * DAY)
    assert _status(season).turn == 4


def _a_deputy_plays(season: Season) -> None:
    """Turn 4: yellow names a deputy, who confirms and sends the sheet; both get the receipt."""
    until = season.now.date() + 20 * DAY
    season.insist("bob", f"DEPUTY {season.server.address('hal')} UNTIL {until}")
    season.reply("hal", season.read("hal")[-1], "Yes")
    season.tick()
    season.sheets(but=("yellow",))
    framed = f"ORDERS {NAME} yellow\nEND"
    season.insist("hal", framed)

    assert "No orders, as you sent it" in text_of(season.read("hal")[-1])
    assert "No orders, as you sent it" in text_of(season.read("bob")[-1])
    assert len(season.tick(hours=1).resolved) == 1


def _players_want_more_time(season: Season) -> None:
    """Turn 5: three of six ask for more time and get it; the GM gives a day more by mail."""
    before = _friday(season)
    for account in ("ann", "bob", "eve"):
        season.insist(account, "EXTEND")
    season.tick()
    voted = _friday(season)
    season.command("EXTEND 24h")
    season.tick()

    assert (voted - before, _friday(season) - voted) == (2 * DAY, DAY)
    season.play()


def _somebody_moves(season: Season) -> None:
    """Turn 6: ann plays from another address, once it is confirmed from the old one and from the new one."""
    season.write("ann", f"ADDRESS {season.server.address('amy')}")
    season.tick()
    for account in ("ann", "amy"):
        (asked,) = [mail for mail in season.read(account) if "CONFIRM" in text_of(mail)]
        season.reply(account, asked, "Yes")
        season.tick()
    season.who["red"] = "amy"
    season.players["red"].address = season.server.address("amy")
    season.play()

    assert any(", due " in subject for subject in subjects(season.read("amy")))
    assert not any(", due " in subject for subject in subjects(season.read("ann"))[1:])


def _somebody_vanishes(season: Season) -> None:
    """Turn 7 and turn 8: cyan misses two deadlines, and the first standby gets the seat."""
    for _ in range(2):
        season.sheets(but=("cyan",))
        season.tick(hours=1)
        season.tick(until=_friday(season) + DAY)
    season.sit("cyan", "gus")
    mails = season.read("gus")
    season.read("dee")

    assert _status(season).turn == 9
    assert [seat.address for seat in _status(season).seats if seat.seat == "cyan"] == [season.server.address("gus")]
    assert any(", due " in subject for subject in subjects(mails))
    assert season.players["cyan"].token


def _somebody_leaves(season: Season) -> None:
    """Turn 9: magenta leaves the seat; the GM gives it to the former deputy, who continues it."""
    season.insist("fay", "LEAVE")
    season.command(f"SEAT magenta TO {season.server.address('hal')}")
    season.tick()
    season.sit("magenta", "hal")

    assert any("Seat magenta of" in text_of(mail) for mail in season.read("bob"))
    assert len(season.play().resolved) == 1


def _all_mail_is_lost(season: Season) -> None:
    """Turn 10: hardly a sheet comes by the deadline; the turn is held until the GM gives more time."""
    season.sheets(but=("red", "yellow", "green", "cyan", "blue"))
    season.tick(hours=1)
    held = season.tick(until=_friday(season) + DAY)
    season.command("EXTEND 3d")
    season.tick()

    assert held.resolved == []
    assert any("Without a sheet" in text_of(mail) or "held" in text_of(mail) for mail in season.read("gm"))
    season.play(but=("magenta",))
    assert _status(season).turn == 11


def _the_gm_rolls_back(season: Season) -> None:
    """Turn 11: the GM rolls back to turn 10 and undoes that; all players are told which turn counts."""
    season.command("ROLLBACK 10 YES")
    season.tick()
    back = _status(season).turn
    season.command("UNDO YES")
    season.tick()

    assert (back, _status(season).turn) == (10, 11)
    assert len(season.play().resolved) == 1


def _the_gm_runs_a_turn_again(season: Season) -> None:
    """Turn 11 is rerun with another sheet for red: seats that see a difference get a corrected report, others none."""
    season.command("RERUN red\n; no orders at all")
    season.tick()
    asked = text_of(season.read("gm")[-1])
    for account in season.who.values():
        season.read(account)
    season.command("RERUN red YES\n; no orders at all")
    season.tick()
    told = {seat: subjects(season.read(account)) for seat, account in season.who.items()}

    touched = {seat for seat in told if f" {seat}: corrected report, version 2" in asked}
    assert "red" in touched
    assert {seat for seat, each in told.items() if any("CORRECTED" in subject for subject in each)} == touched


def _the_gm_looks_first(season: Season) -> None:
    """Turn 12: players write to each other, the GM to all; the GM reviews the reports before the turn runs."""
    season.insist("eve", "UNSIGNED TO ALL\nBeware of red!")
    season.insist("amy", "NEWS\nRed has always been peaceful.")
    season.command("SET hold always\nANNOUNCE IN REPORT\nThis is the last turn of the year.")
    season.sheets()
    season.tick(hours=1)
    held = season.tick(hours=1)
    season.command("PREVIEW")
    season.tick()
    preview = season.read("gm")[-1]
    season.command("RELEASE")
    done = season.tick()
    report = text_of(season.read("bob")[-1])

    assert (held.resolved, len(done.resolved)) == ([], 1)
    assert len(list(preview.iter_attachments())) == 6
    assert "This is the last turn of the year." in report
    assert "Red has always been peaceful." in report


def _it_is_proved(season: Season) -> None:
    """Twelve turns are in the archive; they are proved here, and by the archive alone."""
    with season.app.store.reading() as session:
        seed = load_campaign(session, NAME).seed
    verified = verify(season.app.settings.archive, NAME, games=installed_games(), seed=seed)

    assert _status(season).turn == 13
    assert prove_archive(season.app, NAME).turns == 12
    assert (verified.turns, verified.unproved) == (12, ())
    assert home_status(season.app, NAME).quarantined == 0
