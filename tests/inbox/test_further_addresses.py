"""Players who write from several addresses: ALSO."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from pbem.actions.base import run_action
from pbem.actions.seats import GiveSeat
from pbem.actions.start import StartCampaign
from pbem.campaign.people import find_person
from pbem.store.models import Campaign, JournalEntry, Person
from tests.inbox.people import ANN, BOB, EVE, GM, ask, confirm, form, players, reports, words
from tests.inbox.trusting import version_taken
from tests.toy.home import Desk, prepared, text_of

WORK = "ann@work.example"


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Start a campaign of red and blue."""
    form(desk, "red", "blue", signup="on")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()


def add(desk: Desk, address: str = WORK) -> str:
    """Add an address of Ann's; return the answer to the confirmation from there."""
    ask(desk, f"ALSO {address}")
    confirm(desk, ANN)
    return confirm(desk, address)


def test_mail_from_a_further_address_is_the_players(desk: Desk) -> None:
    """Once it is confirmed from both, a sheet from there counts by its sender; all mail goes to the first."""
    add(desk)
    assert f"Mail from {WORK} counts as yours from now on, and all mail goes to {ANN}." in words(desk.last(WORK))
    count = len(desk.mails(WORK))
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=WORK.upper())
    desk.answer()

    assert version_taken(text_of(desk.last(ANN))) == 1
    assert "which is not the seat's address" not in words(desk.last(ANN))
    assert f"All mail goes to {ANN}, and mail from {WORK} is yours as well." in ask(desk, "ALSO", ANN)
    assert len(desk.mails(WORK)) == count
    assert players(desk)["red"] == ANN


def test_a_question_names_the_address_from_which_the_mail_came(desk: Desk) -> None:
    """The player is asked about a mail from the further address, not from the first."""
    add(desk)
    desk.post("LEAVE", sender=WORK)
    desk.answer()

    assert f"From {WORK}, for the seat red in toy1" in words(desk.last(ANN))


@pytest.mark.parametrize("steps", [1, 2])
def test_nothing_counts_before_it_is_confirmed_from_there(desk: Desk, steps: int) -> None:
    """Neither the wish nor the YES of the first address makes another one the player's."""
    ask(desk, f"ALSO {EVE}")
    if steps == 2:
        confirm(desk, ANN)
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=EVE)
    desk.answer()

    assert "That is not the address of your seat" in words(desk.last(ANN))


def test_a_forged_wish_asks_the_player_alone(desk: Desk) -> None:
    """A writer in a player's name adds no address of their own, and gets no mail by it."""
    ask(desk, f"ALSO {EVE}")

    assert "If it was not you" in words(desk.last(ANN))
    assert desk.mails(EVE) == []


@pytest.mark.parametrize("address", [BOB, GM])
def test_an_address_that_is_in_use(desk: Desk, address: str) -> None:
    """The address of another player or of a GM is refused, which only its owner learns; all that is said is that."""
    ask(desk, f"ALSO {address}")
    told = confirm(desk, ANN)
    assert f"{address} was mailed a code." in told
    said = confirm(desk, address)

    assert f"{address} is in use here, so it cannot be one of another's addresses." in said
    with desk.app.store.reading() as session:
        assert set(session.scalars(select(Person.also))) == {""}


def test_an_address_of_another_persons(desk: Desk) -> None:
    """A further address of one player cannot become that of another, or their first."""
    add(desk)
    for command in ("ALSO", "ADDRESS"):
        ask(desk, f"{command} {WORK}", BOB)
        confirm(desk, BOB)
        code = words(desk.last(WORK)).rpartition("CONFIRM ")[2].split()[0]
        desk.post(f"CONFIRM {code}", sender=WORK)
        desk.answer()
        assert "in use here" in words(desk.last(ANN))

    assert players(desk) == {"red": ANN, "blue": BOB}


def test_an_address_that_is_dropped(desk: Desk) -> None:
    """With OFF, which is confirmed too, mail from an address is nobody's again; it may be added once more."""
    add(desk)
    ask(desk, f"ALSO {WORK} OFF")
    confirm(desk, ANN)
    assert f"Mail from {WORK} is no longer yours" in words(desk.last(WORK))
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=WORK)
    desk.answer()
    assert "That is not the address of your seat" in words(desk.last(ANN))
    add(desk)
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=WORK)
    desk.answer()

    assert version_taken(text_of(desk.last(ANN))) == 1


def test_a_code_is_good_once_and_for_the_address_of_then(desk: Desk) -> None:
    """The same code adds nothing twice, and one that was asked for before a move adds nothing."""
    ask(desk, f"ALSO {WORK}")
    confirm(desk, ANN)
    code = words(desk.last(WORK)).rpartition("CONFIRM ")[2].split()[0]
    ask(desk, "ADDRESS ann@new.example")
    confirm(desk, ANN)
    confirm(desk, "ann@new.example")

    assert "no longer yours here" in ask(desk, f"CONFIRM {code}", WORK)
    assert "this code is not known here" in ask(desk, f"CONFIRM {code}", WORK)


def test_a_further_address_becomes_the_first(desk: Desk) -> None:
    """ADDRESS with one of one's own moves there; the other further ones stay, and the old first one is none."""
    add(desk)
    add(desk, "ann@phone.example")
    ask(desk, f"ADDRESS {WORK}")
    confirm(desk, ANN)
    desk.post(f"CONFIRM {words(desk.last(WORK)).rpartition('CONFIRM ')[2].split()[0]}", sender=WORK)
    desk.answer()

    assert players(desk)["red"] == WORK
    assert f"All mail goes to {WORK}, and mail from ann@phone.example is yours as well." in ask(desk, "ALSO", WORK)
    with desk.app.store.reading() as session:
        person = find_person(session, ANN)
        assert person is not None
        assert person.address == ANN
        assert person.also == ""


def test_a_gm_seats_a_player_by_a_further_address(desk: Desk) -> None:
    """A seat that is given to a further address is its person's, whose first address gets the mail."""
    add(desk)
    run_action(desk.app, "toy1", GiveSeat("blue", WORK), desk.now)
    desk.answer()

    assert players(desk) == {"red": ANN, "blue": ANN}
    assert reports(desk, WORK) == []


def test_an_address_that_becomes_a_gms(desk: Desk) -> None:
    """Mail from the address of a GM is the GM's, whatever else it was."""
    add(desk)
    form(desk, "red", "blue", name="toy2")
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).where(Campaign.name == "toy2").values(gm=WORK))
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=WORK)
    desk.answer()

    assert any("That is not the address of your seat" in words(mail) for mail in desk.mails(ANN))


def test_a_change_is_in_the_journal(desk: Desk) -> None:
    """The GM is told and finds it in the journal; players do not."""
    add(desk)

    with desk.app.store.reading() as session:
        secret = session.scalars(select(JournalEntry.text).where(JournalEntry.secret)).all()
    assert f"The seat red of toy1 is also played from {WORK}." in secret
    assert f"The seat red of toy1 is also played from {WORK}." in words(desk.last(GM))


def test_a_sentence_is_no_command(desk: Desk) -> None:
    """A sentence that begins with the word is none of the command."""
    assert "mail from" not in ask(desk, "Also, may I ask when the turn runs?")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"ALSO {ANN}", "is yours already"),
        (f"ALSO {WORK} OFF", "is not one of your further addresses"),
        ("ALSO orders@example.org", "cannot be the address of a player"),
    ],
)
def test_what_cannot_be_added_or_dropped(desk: Desk, command: str, said: str) -> None:
    """One's own address, one that is none of theirs, and the order address are refused with a sentence."""
    assert said in ask(desk, command)


def test_there_are_at_most_five(desk: Desk) -> None:
    """A sixth further address is refused."""
    for number in range(5):
        add(desk, f"ann{number}@work.example")
        desk.tick(hours=24)

    assert "you have 5 further addresses" in ask(desk, f"ALSO {WORK}")
