"""A GM rules by replying to the mail with the sheets: the form quoted, above or below, whatever programs make of it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from sqlalchemy import select, update

from pbem.actions.base import run_action, run_query
from pbem.actions.deadlines import ReleaseCampaign
from pbem.actions.rollback import RollBack
from pbem.actions.ruling import SubmitRuling
from pbem.actions.settings import ChangeGm, MailToken
from pbem.actions.withdraw_ruling import ShowRuling
from pbem.campaign.people import hash_token
from pbem.campaign.snapshot import load_campaign
from pbem.inbox.our_frames import choose_form, find_forms
from pbem.scheduler.tick import run_campaign_now
from pbem.store.models import Campaign, InboxMessage, StoredAttachment
from tests.actions.test_adjudicating import ANN, BOB, DUE, GM, sheet, war
from tests.actions.test_enclosing import png
from tests.toy.home import Desk, text_of

__all__ = ["war"]

TOKEN = "0123456789abcdef0123"
WORDS = {"all": "It rained.", "red": "You found gold.", "blue": "You slept.", "green": "You wait."}
SAID = {f"{name}.txt [RESULT]": said for name, said in WORDS.items()}


def digest(desk: Desk) -> EmailMessage:
    """Return the last mail with the sheets of a turn."""
    return [mail for mail in desk.mails(GM) if "HOW TO RULE" in text_of(mail)][-1]


@pytest.fixture
def asked(war: Desk) -> EmailMessage:
    """Return the mail that asks the GM for a ruling."""
    war.tick(hours=DUE)
    return digest(war)


def filled(mail: EmailMessage | str, **words: str) -> str:
    """Return the text of a mail with the GM's words in its form."""
    text = mail if isinstance(mail, str) else text_of(mail)
    for name, said in (words or WORDS).items():
        text = text.replace(f"FILE {name}.txt\n[RESULT]\n", f"FILE {name}.txt\n[RESULT]\n{said}\n")
    return text


def form(mail: EmailMessage, **words: str) -> str:
    """Return the form of a mail alone, with the GM's words in it."""
    return filled("RULING" + text_of(mail).partition("\nRULING")[2].partition("\nEND")[0] + "\nEND\n", **words)


def quoted(text: str) -> str:
    """Return a text as mail programs quote it."""
    return "".join(f"> {line}".rstrip() + "\n" for line in text.splitlines())


def parts(desk: Desk) -> dict[str, str]:
    """Return the parts of the ruling that counts."""
    return dict(run_query(desk.app, "toy1", ShowRuling(), desk.now).parts)


def reply(desk: Desk, mail: EmailMessage, text: str, **changes: str) -> str:
    """Reply to a mail; return the last mail to the GM on one line."""
    desk.reply(mail, text, **changes)
    desk.answer()
    return " ".join(text_of(desk.mails(GM)[-1]).split())


def interleaved(mail: EmailMessage) -> str:
    """Return the mail quoted, with the words typed between the quoted lines."""
    text = quoted(text_of(mail))
    for name, said in WORDS.items():
        text = text.replace(f"> FILE {name}.txt\n> [RESULT]\n", f"> FILE {name}.txt\n> [RESULT]\n{said}\n")
    return f"On Mon, 2 Nov 2026 at 10:00, <orders@example.org> wrote:\n{text}"


def rewrapped(mail: EmailMessage) -> str:
    """Return the mail quoted by a program that breaks long lines in what it quotes, without a mark on the rest."""
    lines = quoted(filled(mail)).splitlines()
    return "\n".join(piece for line in lines for piece in (textwrap.wrap(line, 72) or [""]))


WAYS: dict[str, Callable[[EmailMessage], str]] = {
    "all of it quoted": lambda mail: f"Here it is.\n\nOn 2 Nov 2026, x@example.org wrote:\n{quoted(filled(mail))}",
    "typed between the lines": interleaved,
    "quoted twice": lambda mail: quoted(quoted(filled(mail))),
    "without a blank behind the mark": lambda mail: quoted(filled(mail)).replace("> ", ">"),
    "unmarked, below a header": lambda mail: (
        "\n-----Original Message-----\nFrom: orders@example.org\nSent: Monday\nTo: gm@example.org\nSubject: x\n\n"
        + filled(mail)
    ),
    "the form alone": form,
    "above the mail": lambda mail: f"{form(mail)}\n-- \nEve\n\nOn Mon, x@example.org wrote:\n{quoted(text_of(mail))}",
    "below the mail": lambda mail: f"On Mon, orders@example.org wrote:\n{quoted(text_of(mail))}\n{form(mail)}",
    "above the unmarked mail": lambda mail: f"{form(mail)}\n-----Original Message-----\nFrom: x\n{text_of(mail)}",
    "wrapped": rewrapped,
    "indented marks": lambda mail: re.sub("(?m)^>", " >", quoted(filled(mail))),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", WAYS)
def test_a_form_counts_however_it_is_quoted(war: Desk, asked: EmailMessage, way: str) -> None:
    """The form that was filled in is the ruling, and the answer goes to the GM."""
    said = reply(war, asked, WAYS[way](asked))

    assert parts(war) == SAID, said
    assert "RELEASE" in said


def test_the_lines_of_maps_and_quotations_in_it_stay(war: Desk, asked: EmailMessage) -> None:
    """Only as many marks are taken off as the form has itself; a bar is none."""
    words = "| a | b |\n> said the abbot\n [FILE]"

    reply(war, asked, quoted(form(asked, all=words)))

    assert parts(war) == {"all.txt [RESULT]": words}


def test_a_second_ruling_by_reply_is_asked_about(war: Desk, asked: EmailMessage) -> None:
    """It names the texts that would go, and a YES in the first line of the form does it, in reply to that answer."""
    run_action(war.app, "toy1", SubmitRuling({"all.txt": "Snow."}), war.now)
    would = reply(war, asked, quoted(filled(asked)))
    assert "all.txt [RESULT] - Snow. + It rained." in would
    assert "RULING YES 1" in would
    assert parts(war) == {"all.txt [RESULT]": "Snow."}

    reply(war, war.mails(GM)[-1], form(asked).replace("RULING ;", "RULING YES 1 ;"))
    assert parts(war) == SAID


def test_a_ruling_that_leaves_a_seat_without_text_is_asked_about(war: Desk, asked: EmailMessage) -> None:
    """Each seat without words of its own is named, if others have some or nothing is told to all; a YES does it."""
    would = reply(war, asked, form(asked, all="It rained.", red="You found gold."))
    assert "Warning: blue.txt: no result for blue alone this turn." in would
    assert "RULING YES 1" in would
    assert parts(war) == {}

    reply(war, war.mails(GM)[-1], "YES")
    assert parts(war) == {"all.txt [RESULT]": "It rained.", "red.txt [RESULT]": "You found gold."}


def reply_with_files(desk: Desk, mail: EmailMessage, text: str, *files: tuple[str, bytes]) -> str:
    """Reply to a mail with pictures attached; return the last mail to the GM on one line."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = GM, mail["Reply-To"], f"Re: {mail['Subject']}"
    message["In-Reply-To"], message["Message-ID"] = mail["Message-ID"], "<picture@example.org>"
    message.set_content(text)
    for name, content in files:
        message.add_attachment(content, maintype="image", subtype="png", filename=name)
    (desk.home / "post" / "inbox" / "picture.eml").write_bytes(bytes(message))
    desk.tick()
    return " ".join(text_of(desk.mails(GM)[-1]).split())


LOOK = "Look.\n[PICTURE map.png: The pass]"


def test_pictures_come_with_a_reply(war: Desk, asked: EmailMessage) -> None:
    """A picture that the form names is attached to the reply."""
    reply_with_files(war, asked, quoted(filled(asked, all=LOOK)), ("map.png", png("blue")))

    assert parts(war) == {"all.txt [RESULT]": LOOK}


def test_a_yes_takes_the_pictures_of_the_first_reply(war: Desk, asked: EmailMessage) -> None:
    """A ruling with pictures that replaces another is done by YES alone, though the YES has no picture."""
    run_action(war.app, "toy1", SubmitRuling({"all.txt": "Snow."}), war.now)
    reply_with_files(war, asked, quoted(filled(asked, all=LOOK)), ("map.png", png("blue")))
    offer = war.mails(GM)[-1]
    assert "(reply YES)" in offer["Subject"]
    assert parts(war) == {"all.txt [RESULT]": "Snow."}

    assert "DONE: RULING" in reply(war, offer, "YES")
    assert parts(war) == {"all.txt [RESULT]": LOOK}
    with war.app.store.reading() as session:
        assert len(session.scalars(select(StoredAttachment)).all()) == 1
    assert "accepted before" in reply(war, offer, "YES")


def test_a_yes_after_a_change_is_offered_with_the_pictures_again(war: Desk, asked: EmailMessage) -> None:
    """The new offer still has them, and a YES in a frame with the token does it as well."""
    run_action(war.app, "toy1", SubmitRuling({"all.txt": "Snow."}), war.now)
    reply_with_files(war, asked, quoted(filled(asked, all=LOOK)), ("map.png", png("blue")))
    run_action(war.app, "toy1", SubmitRuling({"all.txt": "Hail."}), war.now)
    with war.app.store.writing() as session:
        session.execute(update(Campaign).values(gm_token_hash=hash_token(TOKEN)))
    assert "toy1 changed meanwhile" in reply(war, war.mails(GM)[-1], "YES")
    assert parts(war) == {"all.txt [RESULT]": "Hail."}

    assert "DONE: RULING" in reply(war, war.mails(GM)[-1], f"GM toy1 {TOKEN}\nYES\nEND")
    assert parts(war) == {"all.txt [RESULT]": LOOK}


def test_a_yes_to_pictures_that_are_no_longer_kept(war: Desk, asked: EmailMessage) -> None:
    """If the message is kept otherwise than it came, nothing is done, and the GM is asked to send it again."""
    run_action(war.app, "toy1", SubmitRuling({"all.txt": "Snow."}), war.now)
    reply_with_files(war, asked, quoted(filled(asked, all=LOOK)), ("map.png", png("blue")))
    with war.app.store.writing() as session:
        newest = session.scalars(select(InboxMessage).order_by(InboxMessage.id.desc())).first()
        assert newest is not None
        newest.raw = newest.raw.partition(b"\n\n")[0] + b"\n\n"

    assert "could not be examined: please send it again" in reply(war, war.mails(GM)[-1], "YES")
    assert parts(war) == {"all.txt [RESULT]": "Snow."}


def test_a_text_for_two_seats_comes_with_a_reply(war: Desk, asked: EmailMessage) -> None:
    """Both of them read it."""
    reply(war, asked, quoted(form(asked).replace("FILE game.txt", "FILE red, green\nYou meet.\n\nFILE game.txt")))

    both = {"red.txt [RESULT]": "You meet.\n\nYou found gold.", "green.txt [RESULT]": "You meet.\n\nYou wait."}
    assert parts(war) == SAID | both


def test_the_form_of_a_late_sheet_is_answered_alike(war: Desk, asked: EmailMessage) -> None:
    """A reply to the mail with a late sheet adds its seat to the ruling."""
    alone = {f"{name}.txt": said for name, said in WORDS.items() if name != "blue"}
    run_action(war.app, "toy1", SubmitRuling(alone), war.now)
    sheet(war, BOB, "Burn the bridge.")
    war.tick(hours=1)

    reply(war, digest(war), quoted(filled(digest(war), blue="It burns.")))

    assert parts(war) == SAID | {"blue.txt [RESULT]": "It burns."}


PROBLEMS: dict[str, tuple[Callable[[EmailMessage], str], str]] = {
    "no form": (lambda _: "Tomorrow, I am on a train.", "there is no form in your mail"),
    "nothing at all": (lambda _: "", "there is no form in your mail"),
    "not filled in": (lambda mail: f"Tomorrow.\n{quoted(text_of(mail))}", "is as it was sent to you"),
    "cut off": (lambda mail: quoted(filled(mail)).partition("> FILE game.txt")[0], "has no END"),
    "two that differ": (lambda mail: f"{form(mail)}\n{form(mail, all='Snow.')}", "two forms in your mail"),
    "another turn": (lambda mail: form(mail).replace("turn 1", "turn 2"), "is that of toy1, turn 2"),
    "another campaign": (lambda mail: form(mail).replace("; toy1", "; toy2"), "is that of toy2, turn 1"),
    "another turn below": (lambda mail: form(mail).replace("TURN 1", "TURN 2"), "these files are for turn 2"),
    "an unknown file": (lambda mail: form(mail).replace("red.txt", "rde.txt"), "Did you mean red.txt"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_is_no_ruling_is_answered(war: Desk, asked: EmailMessage, problem: str) -> None:
    """The answer says what is wrong, and nothing is taken."""
    text, said = PROBLEMS[problem]

    assert said in reply(war, asked, text(asked))
    assert parts(war) == {}


def test_a_ruling_with_an_error_is_not_done(war: Desk, asked: EmailMessage) -> None:
    """Subject and heading say so, above the error; no other command of its mail is done either."""
    wrong = form(asked).replace("red.txt", "rde.txt")
    assert "NOT DONE: RULING. Error: " in reply(war, asked, wrong)
    assert str(war.mails(GM)[-1]["Subject"]).startswith("[toy1] Not done: ruling")
    assert "1 error. Fix it and submit again." in " ".join(text_of(war.mails(GM)[-1]).split())

    with war.app.store.writing() as session:
        session.execute(update(Campaign).values(gm_token_hash=hash_token(TOKEN)))
    war.post(f"GM toy1 {TOKEN}\nSET title=War\n{wrong}", sender=GM)
    war.answer()
    assert "NOT DONE: none of 2 commands, because of line 2: RULING." in " ".join(text_of(war.mails(GM)[-1]).split())
    with war.app.store.reading() as session:
        assert load_campaign(session, "toy1").policy.title == ""


def test_the_same_form_twice_changes_nothing(war: Desk, asked: EmailMessage) -> None:
    """A form that is in the mail twice, or sent again, is one ruling."""
    reply(war, asked, f"{form(asked)}\n{form(asked)}")
    again = reply(war, asked, form(asked))

    assert "Nothing to do" in again
    assert parts(war) == SAID


@pytest.mark.parametrize("sender", [ANN, "away@example.org"])
def test_nobody_else_rules_with_the_code(war: Desk, asked: EmailMessage, sender: str) -> None:
    """A player or a stranger who has got hold of the mail cannot rule; the GM is warned."""
    war.reply(asked, form(asked), sender=sender)
    war.answer()

    assert parts(war) == {}
    assert "in your name" in " ".join(text_of(war.mails(GM)[-1]).split())
    assert all("gold" not in text_of(mail) for mail in war.mails(sender))


def test_a_former_gm_does_not_rule(war: Desk, asked: EmailMessage) -> None:
    """The codes that a former GM was mailed are void, whatever address they write."""
    run_action(war.app, "toy1", ChangeGm("gma@example.org"), war.now)
    for sender in (GM, "gma@example.org"):
        war.reply(asked, form(asked), sender=sender)
    war.tick()

    assert parts(war) == {}


def test_without_the_code_the_address_is_not_enough(war: Desk, asked: EmailMessage) -> None:
    """The GM's address in From is no proof: the code of the mail, or its Message-ID, must be there."""
    war.post(form(asked), sender=GM, subject="Re: your ruling")
    war.answer()

    assert parts(war) == {}


def test_an_automatic_reply_does_not_rule(war: Desk, asked: EmailMessage) -> None:
    """An answering machine that quotes the mail is not answered."""
    before = len(war.mails(GM))
    war.post(form(asked), sender=GM, to=asked["Reply-To"], headers={"Auto-Submitted": "auto-replied"})
    war.answer()

    assert (parts(war), len(war.mails(GM))) == ({}, before)


def test_a_machine_that_sends_back_the_mail_is_not_answered_without_end(war: Desk, asked: EmailMessage) -> None:
    """Answers to replies without a ruling are limited."""
    for _ in range(30):
        war.reply(asked, quoted(text_of(asked)))
    before = len(war.mails(GM))
    war.tick()

    assert len(war.mails(GM)) - before <= 20


def test_a_form_that_comes_too_late(war: Desk, asked: EmailMessage) -> None:
    """After the turn was run, or rolled back, a reply to its mail is not taken for the open turn."""
    run_campaign_now(war.app, "toy1", war.now)
    assert "about another turn than the open one, 2" in reply(war, asked, form(asked))
    run_action(war.app, "toy1", RollBack(1), war.now)
    assert "about another turn than the open one, 1" in reply(war, asked, form(asked))
    assert parts(war) == {}


def test_a_ruling_by_reply_is_released_and_told(war: Desk, asked: EmailMessage) -> None:
    """The turn is run with it."""
    reply(war, asked, quoted(filled(asked)))
    run_action(war.app, "toy1", ReleaseCampaign(), war.now)
    war.tick()

    assert any("You found gold." in text_of(mail) for mail in war.mails(ANN))


@pytest.mark.parametrize(
    "lines",
    [
        [">" * 50_000],
        ["RULING"] * 9_000,
        ["> " * 20 + "RULING", *["> " * 5_000] * 100, "END"],
        ["RULING ; " + "x" * 100_000],
        ["RULING" + " " * 100_000],
        ["RULING", *["END"] * 9_000],
        ["\x00", "\x1b[2J", "RULING", "FILE ../x.txt", "END"],
    ],
)
def test_hostile_quotations_are_read_in_no_time(lines: list[str]) -> None:
    """Any lines are read, quickly, and make forms or none."""
    forms = find_forms(lines)
    assert all(len(each.lines) <= len(lines) for each in forms)


def test_the_newest_form_is_the_least_quoted() -> None:
    """Of a corrected form above the first attempt, the corrected one counts."""
    new, old = ["RULING", "FILE all.txt", "Rain.", "END"], ["> RULING", "> FILE all.txt", "> Snow.", "> END"]

    for lines in ([*new, *old], [*old, *new]):
        assert choose_form(find_forms(lines), "toy1", 1, "").lines == ("FILE all.txt", "Rain.")


def test_a_new_token_ends_the_code_of_the_form(war: Desk, asked: EmailMessage) -> None:
    """A ruling in reply to a mail from before the GM's newest token is shown first; their YES submits it."""
    run_action(war.app, "toy1", MailToken(), war.now)
    war.tick()

    assert "WOULD DO: RULING." in reply(war, asked, form(asked))
    assert parts(war) == {}
    reply(war, war.last(GM), "YES")
    assert parts(war) == SAID
