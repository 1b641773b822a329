"""Several rulings on one turn: blank ones are refused, a second one is merged, and each can be restored."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from sqlalchemy import update

from pbem.actions.base import CLI, DRY_RUN, attempt, do_as_shown, run_action, run_query
from pbem.actions.deadlines import ReleaseCampaign
from pbem.actions.rollback import RollBack
from pbem.actions.ruling import RulingResult, ShowRulingForm, SubmitRuling, read_folder, render_ruling, write_folder
from pbem.actions.withdraw_ruling import DropRuling, RestoreRuling, RulingShown, ShowRuling
from pbem.admin.health import home_status
from pbem.backup.create import create_backup
from pbem.backup.restore import check_backup, restore_home
from pbem.campaign.people import hash_token
from pbem.errors import CampaignError, Conflict
from pbem.scheduler.tick import run_campaign_now
from pbem.store.models import Campaign
from pbem.store.types import HoldKind
from pbem_rules.gm_adjudicated import RULESET
from tests.actions.test_adjudicating import ANN, DUE, GM, held, last_report, rule, war
from tests.actions.test_enclosing import png
from tests.toy.home import Desk, text_of

__all__ = ["war"]

TOKEN = "0123456789abcdef0123456789abcdef"


def mail(desk: Desk, *lines: str) -> str:
    """Mail commands as the GM, and return the answer."""
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).values(gm_token_hash=hash_token(TOKEN)))
    desk.post("\n".join([f"GM toy1 {TOKEN}", *lines, "END"]), sender=GM)
    desk.tick()
    return text_of([each for each in desk.mails(GM) if each["In-Reply-To"]][-1])


def shown(desk: Desk) -> RulingShown:
    """Return the ruling on the open turn."""
    return run_query(desk.app, "toy1", ShowRuling(), desk.now)


def errors(taken: RulingResult) -> list[str]:
    """Return the codes of the errors in a ruling."""
    return [each.code for found in taken.findings.values() for each in found if each.severity == "error"]


def test_a_blank_form_is_no_ruling(war: Desk, tmp_path: Path) -> None:
    """An unfilled form is refused, and the turn still waits: to run it without a ruling is asked about."""
    war.tick(hours=DUE)
    write_folder(run_query(war.app, "toy1", ShowRulingForm(), war.now), tmp_path)
    taken = run_action(war.app, "toy1", read_folder("toy1", tmp_path).submission(), war.now)

    assert (taken.kept, errors(taken), held(war)) == (False, ["blank-ruling"], HoldKind.RULING)
    assert "nothing is told to anybody" in "\n".join(render_ruling(taken, CLI)).lower().replace("\n    ", " ")
    asked = attempt(war.app, "toy1", ReleaseCampaign(), war.now)
    assert asked.read_set is not None
    assert [*ReleaseCampaign().render(asked.facts, DRY_RUN)] == [
        "Would do: release toy1. Turn 1 is due, and is run without a ruling.",
        "Nothing has changed. To do it, add --yes.",
    ]
    assert held(war) == HoldKind.RULING


def test_a_ledger_below_zero_is_shown_first(desk: Desk, tmp_path: Path) -> None:
    """A mailed ruling that takes more than there is shows that, changes nothing, and is done by a YES."""
    (tmp_path / "gold.json").write_text('{"red": {"gold": 5}}')
    desk.app = dataclasses.replace(toy := desk.app, games={"toy": RULESET, RULESET.key: RULESET})
    desk.start(ledgers=str(tmp_path / "gold.json"))
    said = mail(desk, "RULING", "FILE all.txt", "Snow.", "[SET red.gold -= 9]")

    assert "Warning: all.txt, line 2: gold of red would fall below zero, to -4." in said
    assert shown(desk).parts == {}
    desk.reply(desk.last(GM), "YES")
    desk.answer()
    assert shown(desk).parts["game.txt: SET red.gold"] == "SET red.gold -= 9"
    desk.app = toy


def test_a_turn_is_released_without_a_ruling(war: Desk) -> None:
    """Once that is confirmed, the turn is run by the next tick as if nothing had been ruled."""
    war.tick(hours=DUE)
    assert "Turn 1 is due, and is run at once." in mail(war, "RELEASE YES")
    assert home_status(war.app).campaigns[0].turn == 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text", ["", "; nothing", "FILE red.txt", "FILE red.txt\n[RESULT]\n\n[FILE]", "FILE game.txt\nTURN 1"]
)
def test_a_blank_ruling_by_mail_is_refused(war: Desk, text: str) -> None:
    """A blank text is no ruling; `RULING` alone shows the form."""
    war.tick(hours=DUE)
    answer = mail(war, "RULING", *text.splitlines())

    assert (held(war), shown(war).parts) == (HoldKind.RULING, {})
    assert ("You have not ruled on turn 1 of toy1." in answer) == (text == "")
    assert ("GM toy1 TOKEN\nRULING ; toy1, turn 1\nFILE all.txt" in answer) == (text == "")


def test_ruling_alone_shows_what_was_ruled(war: Desk) -> None:
    """The form has the ruling in it; sent back unchanged, it changes nothing."""
    war.tick(hours=DUE)
    rule(war, red="You won.\n[NOTES]\nHe lied.", game="LABEL Spring\nSCORE red 3")
    answer = mail(war, "RULING")
    form = answer.partition("RULING ; toy1, turn 1\n")[2].partition("\nEND")[0]

    assert "Your ruling on turn 1 of toy1, which runs when you release it:" in answer
    assert "You won." in form
    assert "He lied." in form
    assert "\nLABEL Spring\n" in form
    assert form.endswith("\nSCORE red 3")
    assert "Nothing to do: this is your ruling on turn 1 of toy1 as it stands." in mail(
        war, "RULING", *form.splitlines()
    )


def test_a_second_ruling_replaces_what_it_names(war: Desk) -> None:
    """A ruling for blue leaves that for red, its notes, the label and the scores unchanged."""
    war.tick(hours=DUE)
    rule(war, red="You won.", blue="You lost.\n[NOTES]\nHe lied.", game="LABEL Spring\nSCORE red 3\nSCORE blue 1")
    rule(war, blue="[RESULT]\nYou drew.", game="SCORE blue 2")

    assert shown(war).parts == {
        "red.txt [RESULT]": "You won.",
        "blue.txt [RESULT]": "You drew.",
        "blue.txt [NOTES]": "He lied.",
        "game.txt: LABEL": "LABEL Spring",
        "game.txt: SCORE red": "SCORE red 3",
        "game.txt: SCORE blue": "SCORE blue 2",
    }


def test_what_is_replaced_is_told_and_asked_about(war: Desk) -> None:
    """By mail a second ruling needs YES if it replaces something, but not if it only adds."""
    war.tick(hours=DUE)
    mail(war, "RULING YES", "FILE blue.txt", "You lost.")
    added = mail(war, "RULING YES", "FILE red.txt", "You won.")
    asked = mail(war, "RULING", "FILE blue.txt", "You drew.")

    assert "Ruling on turn 1 submitted (adds to that of 22:00). Run it: RELEASE;" in " ".join(added.split())
    assert (
        "Would replace in your ruling on turn 1 of toy1:\n  blue.txt [RESULT]\n    - You lost.\n    + You drew.\n"
        in asked
    )
    assert "Or send the same with: RULING YES 1" in asked
    assert shown(war).parts["blue.txt [RESULT]"] == "You lost."
    done = mail(war, "RULING YES 1", "FILE blue.txt", "You drew.")
    assert "To have it back: RULING BACK" in done
    assert shown(war).parts == {"red.txt [RESULT]": "You won.", "blue.txt [RESULT]": "You drew."}


def test_a_ruling_confirmed_after_the_turn_moved_on(war: Desk) -> None:
    """The YES names the turn that was shown, so that it does not rule on the next."""
    war.tick(hours=DUE)
    rule(war, all="Snow.")
    mail(war, "RULING", "FILE all.txt", "Rain.")
    run_action(war.app, "toy1", ReleaseCampaign(), war.now)
    war.tick()

    late = mail(war, "RULING YES 1", "FILE all.txt", "Rain.")
    assert "turn 1 of toy1, about which you were asked, is no longer open" in late
    assert shown(war).parts == {}


def test_two_rulings_at_once(war: Desk) -> None:
    """A confirmed ruling is refused if the campaign has changed since it was shown."""
    rule(war, all="Snow.")
    second = SubmitRuling({"all.txt": "Rain."})
    tried = attempt(war.app, "toy1", second, war.now)
    rule(war, blue="Gold.")

    assert tried.read_set is not None
    with pytest.raises(Conflict):
        do_as_shown(war.app, "toy1", second, war.now, tried.read_set)
    assert shown(war).parts == {"all.txt [RESULT]": "Snow.", "blue.txt [RESULT]": "Gold."}


def test_forms_have_the_ruling_in_them(war: Desk, tmp_path: Path) -> None:
    """The files of a folder are the whole ruling: unchanged they replace nothing, and parts taken out are removed."""
    war.tick(hours=DUE)
    rule(
        war,
        red='You won.\n[ROLL 2d6 "the gate"]',
        all="[FILE]\n;no remark\n [MAP]",
        game="OUT blue\nTURNS 9\nSCORE red 2",
    )
    before = shown(war).parts
    write_folder(run_query(war.app, "toy1", ShowRulingForm(), war.now), tmp_path)
    again = run_query(war.app, "toy1", read_folder("toy1", tmp_path).submission(), war.now)
    assert (again.same, again.replaced) == (True, ())

    game = tmp_path / "game.txt"
    game.write_text(game.read_text().replace("SCORE red 2\n", ""))
    done = run_action(war.app, "toy1", read_folder("toy1", tmp_path).submission(), war.now)
    assert [(each.part, each.now) for each in done.replaced] == [("game.txt: SCORE red", "")]
    assert shown(war).parts == {part: text for part, text in before.items() if part != "game.txt: SCORE red"}


def test_a_look_does_not_tell_what_dice_would_show(war: Desk) -> None:
    """Dice are rolled only once a ruling counts, so no GM can wait for a preview that suits."""
    rule(war, all="Snow.")
    asked = mail(war, "RULING", "FILE all.txt", "Rain.", '[ROLL 3d6 "the gate"]')

    assert "Reply YES to do it." in asked
    assert "Rolled:" not in asked
    assert "Rolled: 3d6" in mail(war, "RULING YES", "FILE all.txt", "Rain.", '[ROLL 3d6 "the gate"]')


def test_a_ruling_is_dropped_and_brought_back(war: Desk) -> None:
    """After a drop the turn waits again; a restored ruling counts as before."""
    war.tick(hours=DUE)
    rule(war, red="You won.")
    parts = shown(war).parts
    assert "is dropped" in mail(war, "RULING OFF")
    assert (held(war), shown(war).parts, len(shown(war).earlier)) == (HoldKind.RULING, {}, 1)
    assert "counts again" in mail(war, "RULING BACK")
    assert (held(war), shown(war).parts) == (HoldKind.RULED, parts)
    run_action(war.app, "toy1", ReleaseCampaign(), war.now)
    war.tick()
    assert "You won." in last_report(war, ANN)


def test_a_ruling_dropped_before_the_deadline_holds_nothing(war: Desk) -> None:
    """The hold of a ruling ends when it is dropped, and the turn waits when it is due."""
    rule(war, red="You won.")
    run_action(war.app, "toy1", DropRuling(), war.now)

    assert held(war) == HoldKind.NONE
    assert [turn.turn for turn in war.tick(hours=DUE).needs_ruling] == [1]


def test_a_dropped_ruling_does_not_run_by_a_release_before(war: Desk) -> None:
    """If a ruling is dropped after the release, the turn waits for another."""
    war.tick(hours=DUE)
    rule(war, red="You won.")
    run_action(war.app, "toy1", ReleaseCampaign(), war.now)
    run_action(war.app, "toy1", DropRuling(), war.now)

    assert war.tick().resolved == []
    assert held(war) == HoldKind.RULING


def test_any_earlier_ruling_comes_back_by_its_number(war: Desk) -> None:
    """Each replaced ruling is kept once; the one that counts is not offered."""
    for words in ("One.", "Two.", "Three.", "Two."):
        rule(war, all=words)
    assert [number for number, _ in shown(war).earlier] == [1, 3]
    run_action(war.app, "toy1", RestoreRuling(1), war.now)
    assert shown(war).parts == {"all.txt [RESULT]": "One."}
    with pytest.raises(CampaignError, match=r"no earlier ruling 9 .*; there are: 2, 3"):
        run_action(war.app, "toy1", RestoreRuling(9), war.now)


def test_a_ruling_that_was_rolled_back_comes_back(war: Desk) -> None:
    """A rollback opens the turn without its ruling, which can be restored."""
    war.tick(hours=DUE)
    rule(war, all="Snow.")
    run_campaign_now(war.app, "toy1", war.now)
    run_action(war.app, "toy1", RollBack(1), war.now)
    assert shown(war).parts == {}
    run_action(war.app, "toy1", RestoreRuling(), war.now)

    assert shown(war).parts == {"all.txt [RESULT]": "Snow."}


def test_nothing_to_drop_and_nothing_to_bring_back(war: Desk) -> None:
    """Without a ruling the refusal is a sentence, on the command line and by mail."""
    with pytest.raises(CampaignError, match="there is no ruling on turn 1 of toy1"):
        run_action(war.app, "toy1", DropRuling(), war.now)
    with pytest.raises(CampaignError, match="there is no earlier ruling on turn 1 of toy1"):
        run_action(war.app, "toy1", RestoreRuling(), war.now)
    assert "there is no ruling on turn 1 of toy1: nothing was dropped" in mail(war, "RULING OFF")
    assert "nothing stands below RULING OFF" in mail(war, "RULING OFF", "FILE all.txt", "Snow.").replace("\n", " ")


def test_the_status_says_that_a_turn_is_ruled(war: Desk) -> None:
    """The status of a turn that waits for a ruling says how to give it; of one that has it, how to see it."""
    assert not home_status(war.app).campaigns[0].ruled
    war.tick(hours=DUE)
    assert ": needs a ruling. Rule with: RULING" in mail(war, "STATUS")
    rule(war, all="Snow.")

    assert home_status(war.app).campaigns[0].ruled
    assert re.search(r"ruling submitted \w{3} \d+ Nov 2026 .* Run it: RELEASE", " ".join(mail(war, "STATUS").split()))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "text",
    [
        "FILE red.txt\n" + "[RESULT]\n" * 50,
        "FILE game.txt\nREPLACE",
        "FILE game.txt\nREPLACE red.txt",
        "FILE game.txt\nREPLACE ALL",
        "FILE ../../etc/passwd.txt\nx",
        "FILE red.txt\n[PICTURE ../secret.png: x]",
        "FILE game.txt\nWINNER red",
        "\x00\x1b[2J",
        "FILE red.txt\n" + "[SET world.x = 1]\n" * 3,
    ],
)
def test_a_hostile_ruling_leaves_the_first_as_it_was(war: Desk, text: str) -> None:
    """A hostile ruling is answered without a traceback, and nothing of the ruling before is lost."""
    rule(war, red="You won.", game="SCORE red 3")
    before = shown(war).parts
    answer = mail(war, "RULING YES", *text.splitlines())

    assert "Traceback" not in answer
    assert shown(war).parts == before
    assert shown(war).earlier == ()


def test_a_picture_of_the_first_ruling_stays_with_a_second(war: Desk, tmp_path: Path) -> None:
    """A picture of the first ruling can be named again in a second one, and is in the report."""
    war.tick(hours=DUE)
    (tmp_path / "map.png").write_bytes(png("blue"))
    (tmp_path / "red.txt").write_text("[RESULT]\nLook.\n[PICTURE map.png: The pass]\n")
    run_action(war.app, "toy1", read_folder("toy1", tmp_path).submission(), war.now)
    taken = run_action(
        war.app, "toy1", SubmitRuling({"red.txt": "Look again.\n[PICTURE map.png: The pass]\n"}), war.now
    )
    assert taken.kept
    rule(war, blue="Nothing.")
    run_action(war.app, "toy1", ReleaseCampaign(), war.now)
    war.tick()
    (report,) = [each for each in war.mails(ANN) if "Look again." in text_of(each)]

    assert "map.png" in [part.get_filename() for part in report.walk()]


def test_earlier_rulings_are_in_backups(war: Desk, tmp_path: Path) -> None:
    """A backup of a home with an earlier ruling is restored with it."""
    war.tick(hours=DUE)
    rule(war, all="Snow.")
    run_action(war.app, "toy1", DropRuling(), war.now)
    create_backup(war.app.settings, tmp_path / "backup.zip", war.now)

    assert check_backup(tmp_path / "backup.zip", war.now, war.app.games).problems == ()
    assert restore_home(tmp_path / "backup.zip", tmp_path / "new", war.now, war.app.games).problems == ()
