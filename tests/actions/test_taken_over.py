"""A game started elsewhere and continued here: turns, reports and archive begin with the number it has reached."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pbem.actions.base import run_action, run_query
from pbem.actions.create import NewCampaign, create_campaign, read_data, read_texts
from pbem.actions.fork import ShowFork
from pbem.actions.rerun import EditState, ShowState
from pbem.actions.rollback import RollBack
from pbem.actions.start import StartCampaign
from pbem.archive.record import folder_name, setup_dice, turn_dice
from pbem.archive.replay import replay
from pbem.archive.verify import find_campaigns, verify
from pbem.campaign.archive_sync import prove_archive
from pbem.cli import main
from pbem.errors import CampaignError, ReplayError
from pbem.ruleset import Json, TurnInput, canonical_json
from pbem.ruleset.serialization import through_json
from pbem.testing.play import SEED, Game, play, standard
from pbem_rules.dueling_masters import RULESET as DUEL
from pbem_rules.gm_adjudicated import RULESET as PEN
from pbem_rules.harvester import RULESET as HARVESTER
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.orders import Place
from tests.toy.home import MONDAY, Desk, is_report, open_desk, text_of

GAMES = {each.key: each for each in (RULESET, HARVESTER, PEN, DUEL)}
SEATS = [("red", "ann@example.org"), ("blue", "bob@example.org")]


@cache
def cut() -> Json:
    """Return a game of Singularity after thirteen turns."""
    state = RULESET.setup({}, RULESET.seats.names, setup_dice(SEED))
    for number, cell in enumerate(
        ["d6", "d7", "d8", "e5", "e6", "e7", "e8", "f5", "f6", "f7", "f8", "g5", "g6"], start=1
    ):
        mover = RULESET.standing(state).awaiting
        orders = {seat: (Place(cell),) for seat in mover}
        state, _ = RULESET.resolve(state, TurnInput(orders), turn_dice(SEED, number))
    return through_json(RULESET.dump(state))


@cache
def sand() -> Game:
    """Return a game of Harvester whose fifth turn is open."""
    return play(HARVESTER, standard, 4)


def wanted(**changes: Any) -> NewCampaign:
    """Return a campaign that continues as turn 14, but for the changes."""
    facts: dict[str, Any] = {
        "name": "toy1",
        "game": "singularity",
        "gm": "gm@example.org",
        "seats": SEATS,
        "deadline": "FRI 20:00 Europe/Berlin",
        "options": {},
        "policy": {"authentication": "address"},
        "turn": 14,
    }
    return NewCampaign(**facts | changes)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Yield a campaign imported at turn 14, of which that turn has been played."""
    with open_desk(tmp_path_factory.mktemp("taken-over") / "home", games=GAMES) as desk:
        create_campaign(desk.app, wanted(state=cut()), MONDAY, seed=SEED)
        run_action(desk.app, "toy1", StartCampaign(), MONDAY)
        desk.tick()
        desk.tick(hours=7 * 24)
        yield desk


@pytest.fixture
def archive(begun: Desk, tmp_path: Path) -> Path:
    """Return a copy of its archive, to be damaged."""
    shutil.copytree(begun.home / "turns", tmp_path / "turns")
    return tmp_path / "turns"


def refused(desk: Desk, **changes: Any) -> str:
    """Return the reason for which such a campaign cannot be created."""
    with pytest.raises(CampaignError) as error:
        create_campaign(desk.app, wanted(**{"name": "other"} | changes), MONDAY)
    return str(error.value)


def test_the_first_reports_tell_that_it_goes_on(begun: Desk) -> None:
    """Text and HTML of the first reports name the first turn here; those of the next turn do not."""
    first, second = ([text_of(mail) for mail in begun.mails(to) if is_report(mail)] for _, to in SEATS)

    for reports in (first, second):
        assert "Its first turn here is turn 14;" in reports[0]
        assert "The game begins." not in reports[0]
        assert "goes on here" not in reports[1]
    html = (begun.home / "turns/toy1/0013/reports/red.html").read_text()
    assert "Its first turn here is turn 14;" in html


def test_its_turns_are_numbered_from_the_first(begun: Desk) -> None:
    """The set-up has the number before the first turn, so the archive has no folders of turns played elsewhere."""
    assert sorted(path.name for path in (begun.home / "turns/toy1").iterdir()) == ["0013", "0014"]
    record = json.loads((begun.home / "turns/toy1/0013/turn.json").read_bytes())
    assert (record["number"], record["previous"], record["given"]) == (13, "", cut())
    assert run_query(begun.app, "toy1", ShowState(), begun.now).turn == 15


def test_its_archive_is_proved(begun: Desk) -> None:
    """All turns are resolved again from the given state, with the campaign's own dice and words."""
    proved = prove_archive(begun.app, "toy1")
    verified = verify(begun.home / "turns", "toy1", games=GAMES)

    assert (proved.turns, proved.reports, verified.turns) == (1, 4, 1)
    assert find_campaigns(begun.home / "turns" / "toy1") == [(begun.home / "turns", "toy1")]


def test_another_state_in_its_record_is_found(archive: Path) -> None:
    """A changed state in the record breaks the chain."""
    path = archive / "toy1/0013/turn.json"
    record = json.loads(path.read_bytes())
    record["given"]["forfeit_after"] = 0
    path.write_bytes(canonical_json(record) + b"\n")

    with pytest.raises(ReplayError, match=r"turn 13: 0013/turn\.json has hash"):
        verify(archive, "toy1", games=GAMES)


def test_a_forged_state_is_refused_by_its_game(archive: Path) -> None:
    """A state that no GM could have given is refused even if all hashes fit."""
    path = archive / "toy1/0013/turn.json"
    record = json.loads(path.read_bytes())
    record["given"]["moves"] = record["given"]["moves"][:1] * 2
    path.write_bytes(canonical_json(record) + b"\n")
    shutil.rmtree(archive / "toy1/0014")

    with pytest.raises(ReplayError, match=r"turn 13 cannot be resolved again.*/moves/1: expected each but once"):
        replay(archive, "toy1", ruleset=RULESET, seed=SEED, head=None)


def test_an_archive_without_its_set_up_is_found(archive: Path) -> None:
    """Turns without the set-up are not a valid archive."""
    shutil.rmtree(archive / "toy1/0013")

    with pytest.raises(ReplayError, match="turn 0: expected the folder 0000, found 0014"):
        verify(archive, "toy1", games=GAMES)


def test_a_set_up_between_turns_is_found(archive: Path) -> None:
    """A record with a given state is that of a set-up, so it must be the first."""
    path = archive / "toy1/0014/turn.json"
    path.write_bytes(canonical_json({**json.loads(path.read_bytes()), "given": cut()}) + b"\n")

    with pytest.raises(ReplayError, match="turn 14: its record is that of a set-up, but turns come before it"):
        verify(archive, "toy1", games=GAMES)


def test_a_patch_is_looked_at_like_a_state_from_elsewhere(begun: Desk) -> None:
    """All faults of a patch are listed by path, not just the first; a patch may end the game."""
    state = run_query(begun.app, "toy1", ShowState(), begun.now).state
    wrong = state | {"moves": [*state["moves"], "d6"], "forfeit_after": 100}

    with pytest.raises(CampaignError) as error:
        run_query(begun.app, "toy1", EditState(wrong), begun.now)
    ended = state | {"result": {"winners": ["red"], "how": ["resigned"]}}
    patched = run_query(begun.app, "toy1", EditState(ended), begun.now)

    said = str(error.value)
    assert "refuses this state:" in said
    assert "/forfeit_after: expected a whole number from 0 to 99, got 100" in said
    assert "/moves/13: expected each but once" in said
    assert [each.path for each in patched.edit.differences] == ["/result"]


def test_nobody_can_go_back_before_its_first_turn(begun: Desk) -> None:
    """Rollback and fork are refused for turns that were played elsewhere."""
    with pytest.raises(CampaignError, match="toy1 has no turn 13 to go back to: it can be 14 to 14"):
        run_query(begun.app, "toy1", RollBack(13), begun.now)
    with pytest.raises(CampaignError, match="toy1 has no turn 13 to start from: it can be 14 to 15"):
        run_query(begun.app, "toy1", ShowFork(13), begun.now)


def test_a_lost_folder_is_written_again(begun: Desk) -> None:
    """A tick writes a lost folder of the set-up again, but expects none of turns played elsewhere."""
    shutil.rmtree(begun.home / "turns" / "toy1" / folder_name(13))

    problems = begun.tick(live=True).problems

    assert [problem for problem in problems if "toy1" in problem] == [
        "campaign toy1: turn 13 was lost or cut in the archive; it was written again from the database"
    ]
    assert prove_archive(begun.app, "toy1").turns == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"turn": 14}, "without a state a game begins with turn 1, not 14"),
        ({"state": cut(), "options": {"size": "7"}}, "option size cannot be given with a state"),
        ({"state": {**cut(), "mvoes": []}}, "/mvoes: is not known here"),
        ({"state": {**cut(), "size": 99}}, "/size: expected a whole number from 3 to 26, got 99; the nearest is 26"),
        ({"state": [], "turn": None}, "the whole: expected an object, got a list of 0"),
        ({"texts": {}}, "Singularity cannot be begun from texts: give a state of it with --state"),
        ({"game": "gm_adjudicated", "state": {}}, "write texts, and give their folder with --from"),
    ],
)
def test_what_cannot_be_gone_on_with_is_named(begun: Desk, changes: dict[str, Any], said: str) -> None:
    """The error has the place, what was expected and the nearest value; nothing is stored."""
    assert said in refused(begun, **changes)


def test_a_turn_that_the_game_counts_is_the_first(begun: Desk) -> None:
    """If reports call it turn 5, the first turn here has that number, and can have no other."""
    game = sand()
    state = through_json(HARVESTER.dump(game.last[0]))
    seats = [(seat, f"{seat}@example.org") for seat in game.seats]

    assert "the state is of turn 5 of Harvester, not of turn 14: say --turn 5" in refused(
        begun, game="harvester", state=state, seats=seats
    )
    assert "/seats: expected those of the campaign" in refused(
        begun, game="harvester", state=state, seats=[("zoe", "zoe@example.org"), *seats[1:]]
    )
    made = create_campaign(
        begun.app, wanted(name="sand", game="harvester", state=state, seats=seats, turn=None), MONDAY
    )
    assert made.first == 5


def test_a_seat_of_the_state_that_nobody_has_taken_holds_up_the_start(begun: Desk) -> None:
    """An open seat that the state knows prevents the start; in other games it would be dropped."""
    seats = [f"seat{number}" for number in range(1, 6)]
    state = through_json(HARVESTER.dump(HARVESTER.setup({}, seats, setup_dice(SEED))))
    taken = [(seat, f"{seat}@example.org") for seat in seats[:4]]
    create_campaign(begun.app, wanted(name="five", game="harvester", state=state, seats=taken, open=1, turn=1), MONDAY)

    with pytest.raises(CampaignError, match="/seats: expected those of the campaign"):
        run_action(begun.app, "five", StartCampaign(), MONDAY)


def test_a_gm_takes_his_game_over_from_texts(begun: Desk, tmp_path: Path) -> None:
    """Briefing, files, maps, notes, scores and the turn's label are read like those of rulings."""
    texts = {
        "all.txt": "It is the third year.\n[MAP]\nNaxos -- Corinth\n[NOTES]\nRed will win.",
        "red.txt": "[FILE]\nOne army.",
        "game.txt": "TURN 14\nLABEL Spring 432\nSCORE red 4\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    pen = replace(wanted(name="king", game="gm_adjudicated"), texts=read_texts(tmp_path))

    create_campaign(begun.app, pen, MONDAY)
    run_action(begun.app, "king", StartCampaign(), MONDAY)

    report = (begun.home / "turns/king/0013/reports/red.txt").read_text()
    assert "Spring 432" in report.splitlines()[0]
    assert all(
        text in report for text in ("It is the third year.", "Naxos -- Corinth", "One army.", "Scores: red 4, blue 0.")
    )
    assert "Red will win." not in report
    assert run_query(begun.app, "king", ShowState(), MONDAY).state["notes"] == "Red will win."


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"rde.txt": "Hello"}, "rde.txt: 'rde.txt' is no file of a ruling: take it out, or name it; did you mean red"),
        ({"red.txt": "[FIEL]\nx"}, "red.txt, line 1: there is no section [FIEL]"),
        ({"game.txt": "TURN 13"}, "game.txt, line 1: these files are for turn 13, and now it is turn 14"),
        ({"game.txt": "OVER Peace."}, "game.txt: OVER ends the game, so there is nothing to play on from"),
        ({"game.txt": "TURNS 14\nOUT red blue"}, "game.txt: OUT leaves nobody in the game"),
        ({"game.txt": "SCORE rde 4"}, "game.txt, line 1: "),
        ({"red.txt": '[ROLL d6 "the gate"]'}, "game.txt: d6 for 'the gate' cannot be rolled before the campaign has"),
        ({"red.txt": "[PICTURE fort.png]"}, "red.txt, line 1: "),
    ],
)
def test_wrong_and_unused_texts_are_named(begun: Desk, texts: dict[str, str], said: str) -> None:
    """The error names file and line, and what would be valid."""
    assert said in refused(begun, game="gm_adjudicated", texts=texts)


def test_the_command_goes_on_with_a_file(begun: Desk, tmp_path: Path) -> None:
    """A state may be given with --state and --turn, but not together with --from, and every fault has a line."""
    (tmp_path / "state.json").write_text(json.dumps(cut()))
    (tmp_path / "wrong.json").write_text(json.dumps(cut() | {"size": "6", "offer": "rde"}))
    seats = [word for seat, address in SEATS for word in ("--seat", f"{seat}={address}")]
    made = ["new", "typed", "--game", "singularity", "--gm", "gm@example.org", *seats, "--schedule", "FRI 20:00 UTC"]

    def typed(*words: str) -> str:
        home = ["--home", str(begun.home)]
        return CliRunner().invoke(main, [*home, *made, "--now", MONDAY.isoformat(), *words], obj=GAMES).output

    assert "cannot go together" in typed("--state", str(tmp_path / "state.json"), "--from", str(tmp_path))
    assert typed("--state", str(tmp_path / "wrong.json")).splitlines() == [
        "Not done: this is no state of Singularity to play on from:",
        '  /size: expected a whole number from 3 to 26, got "6"',
        '  /offer: expected a seat of red, blue, got "rde"; did you mean red?',
    ]
    assert "its first turn here is turn 14." in typed("--state", str(tmp_path / "state.json"), "--turn", "14")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """The error names a state that is no JSON, a text that is none, or a missing file."""
    (tmp_path / "state.json").write_text("{")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")

    with pytest.raises(CampaignError, match=r"state\.json is not JSON"):
        read_data(tmp_path / "state.json")
    with pytest.raises(CampaignError, match=r"none\.json cannot be read"):
        read_data(tmp_path / "none.json")
    with pytest.raises(CampaignError, match=r"photo\.png is not text in UTF-8"):
        read_texts(tmp_path)
    with pytest.raises(CampaignError, match=r"nowhere is no folder"):
        read_texts(tmp_path / "nowhere")
