"""Files that a GM attaches to rulings: mailed to those whose reports name them, stored once, proved, and kept."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import unquote

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from sqlalchemy import func, select

from pbem.actions.base import run_action, run_query
from pbem.actions.deadlines import release
from pbem.actions.fork import TrialResult, TryTurn
from pbem.actions.open_turn import PreviewTurn, write_preview
from pbem.actions.rollback import RollBack
from pbem.actions.ruling import ShowRulingForm, read_folder, ruling_by_mail, write_folder
from pbem.actions.settings import mail_gm_token
from pbem.archive.record import file_hash
from pbem.archive.verify import verify
from pbem.campaign.archive_sync import archive_pending, prove_archive, repair_archive
from pbem.campaign.snapshot import Context, load_campaign
from pbem.errors import CampaignError, ReplayError
from pbem.mail.message import AttachedFile
from pbem.report.attachments import CheckedAttachment, check_attachments
from pbem.site.data import SiteFolder
from pbem.site.replay import write_replay
from pbem.store.models import StoredAttachment
from pbem_rules.gm_adjudicated import RULESET
from tests.toy.home import Desk, is_report, open_desk, text_of

GM, ANN, BOB, CYD = "gm@example.org", "ann@example.org", "bob@example.org", "cyd@example.org"
SEATS = {"red": ANN, "blue": BOB, "green": CYD}
WEEK = 24 * 7

COAST = "Die Küste im Norden.png"
"""A typical file name: with blanks and letters beyond ASCII."""

SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="40mm" height="30mm" viewBox="0 0 40 30">'
    b'<rect width="40" height="30" fill="#225588"/><text x="4" y="12" font-family="Arial" font-size="6">P</text></svg>'
)
PDF = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\nstartxref\n9\n%%EOF\n"


def png(colour: str, *, author: str = "") -> bytes:
    """Return a small picture, which may name its author."""
    written, said = io.BytesIO(), PngInfo()
    if author:
        said.add_text("Author", author)
    Image.new("RGB", (64, 48), colour).save(written, "PNG", pnginfo=said)
    return written.getvalue()


FIRST = f"""\
FILE all.txt
Snow fell.
[PICTURE pass.svg: The pass as it was
before the snow]
[ATTACH rules.pdf]
FILE red.txt
You have seen the coast.
[MAP]
[PICTURE {COAST}: What red's pilot drew]
FILE blue.txt
Nothing to be seen.
"""
"""The ruling on turn 1, as it is mailed: a line of it was broken by a mail program."""


@dataclass
class War:
    """A campaign of three with two rulings: the first by mail, the second from a folder."""

    desk: Desk
    token: str
    answer: str
    folder: Path

    def report(self, seat: str, turn: int) -> EmailMessage:
        """Return the report of a seat that opened a turn."""
        mails = [mail for mail in self.desk.mails(SEATS[seat]) if is_report(mail)]
        return next(mail for mail in mails if f"turn {turn}, due" in str(mail["Subject"]))


def gm_mail(token: str, ruling: str) -> EmailMessage:
    """Return a ruling as a mail program sends it: a picture pasted into the text, a logo below it, files attached."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"], mail["Message-ID"] = (
        GM,
        "orders@example.org",
        "Ruling",
        "<r1@example.org>",
    )
    mail.set_content(f"GM toy1 {token}\nRULING YES\n{ruling}\nEND\n")
    mail.add_related(png("navy", author="Bob Smith"), "image", "png", cid="<1@x>", disposition="inline", filename=COAST)
    mail.add_related(png("red"), "image", "png", cid="<2@x>", disposition="inline", filename="logo.png")
    mail.add_attachment(SVG, maintype="image", subtype="svg+xml", filename="pass.svg")
    mail.add_attachment(PDF, maintype="application", subtype="pdf", filename="rules.pdf")
    return mail


def post(desk: Desk, mail: EmailMessage) -> str:
    """Receive a mail of the GM, and return the answer."""
    inbox = desk.home / "post" / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / f"{mail['Message-ID'][1:3]}.eml").write_bytes(bytes(mail))
    desk.tick()
    return " ".join(text_of(desk.last(GM)).split())


def let_go(desk: Desk) -> None:
    """Release the campaign as its GM; its turn is run."""
    with desk.app.store.writing() as session:
        release(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.tick(hours=1)


def begin(desk: Desk) -> str:
    """Start the campaign and let its first turn wait for a ruling; return the token of its GM."""
    desk.app = dataclasses.replace(desk.app, games={"toy": RULESET, RULESET.key: RULESET})
    desk.begin(seats=tuple(SEATS))
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.tick()
    found = re.search(r"^GM toy1 ([0-9a-f]+)$", text_of(desk.last(GM)), re.MULTILINE)
    assert found is not None
    desk.tick(hours=WEEK)
    return found[1]


@pytest.fixture(scope="module")
def war(tmp_path_factory: pytest.TempPathFactory) -> Iterator[War]:
    """Yield the campaign; its tests leave it unchanged."""
    folder = tmp_path_factory.mktemp("enclosing")
    with open_desk(folder / "home") as desk:
        toy = desk.app
        token = begin(desk)
        answer = post(desk, gm_mail(token, FIRST))
        let_go(desk)
        desk.tick(hours=WEEK)
        second(desk, folder / "2")
        let_go(desk)
        yield War(desk, token, answer, folder)
        desk.app = toy


def second(desk: Desk, folder: Path) -> None:
    """Submit the ruling on turn 2: red's map stays as the form has it, and blue gets a picture."""
    write_folder(run_query(desk.app, "toy1", ShowRulingForm(), desk.now), folder)
    (folder / "blue.txt").write_text("[FILE]\nThe fort.\n[PICTURE FORT.PNG: Its walls]\n[ATTACH fort.png]\n")
    (folder / "fort.png").write_bytes(png("gray"))
    taken = run_action(desk.app, "toy1", read_folder("toy1", folder).submission(), desk.now)
    assert taken.kept, taken.findings


def files_of(mail: EmailMessage) -> dict[str, tuple[str, bytes]]:
    """Return the files of a mail, but for data and calendar, by name: disposition and content of each."""
    parts = [part for part in mail.walk() if part.get_filename()]
    return {
        str(part.get_filename()): (str(part.get_content_disposition()), part.get_payload(decode=True))  # type: ignore[misc]
        for part in parts
        if not str(part.get_filename()).endswith((".json", ".ics"))
    }


def html_of(mail: EmailMessage) -> str:
    """Return the HTML of a mail."""
    body = mail.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def test_a_ruling_by_mail_brings_its_pictures(war: War) -> None:
    """Pictures count in whatever way a mail program attaches them; a logo that no line names is left out, and named."""
    assert "Ruling on turn 1 submitted." in war.answer
    assert "Warning: logo.png: this picture stands in the mail's own text" in war.answer
    assert "Error" not in war.answer


def test_each_seat_gets_what_its_report_names(war: War) -> None:
    """Files of all.txt go to all seats, a seat's own to that seat alone; a map stays for later turns."""
    names = {(seat, turn): set(files_of(war.report(seat, turn))) for seat in SEATS for turn in (2, 3)}

    assert names == {
        ("red", 2): {"pass.png", "rules.pdf", COAST},
        ("blue", 2): {"pass.png", "rules.pdf"},
        ("green", 2): {"pass.png", "rules.pdf"},
        ("red", 3): {COAST},
        ("blue", 3): {"fort.png", "fort-2.png"},
        ("green", 3): set(),
    }


def test_a_picture_stands_in_the_mail_with_its_caption(war: War) -> None:
    """The HTML shows a picture at its place, the text names it; any other file is an ordinary attachment."""
    mail = war.report("red", 2)
    html, files = html_of(mail), files_of(mail)

    caption = "The pass as it was before the snow"
    assert re.search(
        rf'<figure[^>]*><img src="cid:[^"]+" alt="{caption}" width="151"[^>]*><figcaption[^>]*>{caption}', html
    )
    assert re.findall(r'src="cid:([^"]+)"', html) == [
        str(part["Content-ID"]).strip("<>")
        for name in ("pass.png", COAST)
        for part in mail.walk()
        if part.get_filename() == name
    ]
    assert f"\nAttached: pass.png, {caption}\n" in text_of(mail)
    assert "\nAttached: rules.pdf\n" in text_of(mail)
    assert files["rules.pdf"] == ("attachment", PDF)


def test_a_picture_does_not_say_who_made_it(war: War) -> None:
    """Metadata of cameras and programs is removed; the pixels are unchanged."""
    _, content = files_of(war.report("red", 2))[COAST]

    assert b"Bob Smith" not in content
    with Image.open(io.BytesIO(content)) as shown, Image.open(io.BytesIO(png("navy"))) as drawn:
        assert shown.tobytes() == drawn.tobytes()


def test_an_svg_goes_out_as_a_picture_alone(war: War) -> None:
    """An SVG is sent as PNG, so that no reader's program gets anything that could run."""
    disposition, content = files_of(war.report("green", 2))["pass.png"]

    assert disposition == "inline"
    with Image.open(io.BytesIO(content)) as shown:
        assert (shown.format, shown.size) == ("PNG", (302, 226))


def test_each_content_is_kept_once(war: War) -> None:
    """The database stores a content once, by its hash; the archive has it with the first report that shows it."""
    archive = war.desk.home / "turns" / "toy1"
    kept = {path.relative_to(archive).parts[0]: path for path in archive.rglob("enclosed/*")}
    names = sorted(f"{path.parent.parent.name}{path.suffix}" for path in archive.rglob("enclosed/*"))

    assert names == ["0001.pdf", "0001.png", "0001.png", "0002.png"]
    assert all(path.stem == file_hash(path.read_bytes()) for path in kept.values())
    with war.desk.app.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(StoredAttachment)) == 4


def test_the_archive_proves_what_was_shown(war: War, tmp_path: Path) -> None:
    """The archive is replayed with all that reports show; without one of the contents it is incomplete."""
    assert prove_archive(war.desk.app, "toy1").turns == 2
    copy = tmp_path / "turns"
    shutil.copytree(war.desk.home / "turns", copy)
    verify(copy, "toy1", games=war.desk.app.games)
    (lost,) = (copy / "toy1" / "0002" / "enclosed").iterdir()
    lost.unlink()

    with pytest.raises(ReplayError, match=r"0002/enclosed/\w+\.png cannot be read"):
        verify(copy, "toy1", games=war.desk.app.games)


def test_what_was_lost_of_the_archive_is_written_again(war: War) -> None:
    """Lost files of the archive are written again from the database, byte by byte."""
    folder = war.desk.home / "turns" / "toy1" / "0001"
    before = {path.name: path.read_bytes() for path in (folder / "enclosed").iterdir()}
    shutil.rmtree(folder)

    assert "was lost or cut" in " ".join(repair_archive(war.desk.app))
    assert {path.name: path.read_bytes() for path in (folder / "enclosed").iterdir()} == before


def test_a_report_mailed_again_has_all_of_it(war: War) -> None:
    """RESEND brings pictures and files as the first mail did, also for an earlier turn."""
    war.desk.reply(war.report("red", 3), "RESEND turn 2")
    war.desk.tick()
    again, first = war.desk.last(ANN), war.report("red", 2)

    assert "turn 2" in str(again["Subject"])
    assert files_of(again) == files_of(first)
    cids = {str(part["Content-ID"]).strip("<>") for part in again.walk() if part["Content-ID"]}
    assert set(re.findall(r'src="cid:([^"]+)"', html_of(again))) == cids


def test_a_page_has_the_pictures_in_it(war: War) -> None:
    """The page of a seat loads nothing: it contains the pictures for this seat, and no others."""
    war.desk.reply(war.report("blue", 3), "FORMAT PAGE")
    war.desk.tick()
    war.desk.reply(war.report("blue", 3), "RESEND")
    war.desk.tick()
    page = files_of(war.desk.last(BOB))["toy1-blue.html"][1].decode()

    assert re.findall(r'<img class="enclosed" src="data:image/png;base64,[^"]+" alt="([^"]*)"', page) == ["Its walls"]
    assert "<figcaption" in page


def test_a_preview_has_what_the_reports_will_have(war: War, tmp_path: Path) -> None:
    """A preview of the open turn, and a fork, have the same pictures as the reports."""
    made = run_query(war.desk.app, "toy1", PreviewTurn(), war.desk.now)
    write_preview(made, tmp_path)
    tried = run_action(war.desk.app, "toy1", TryTurn(2), war.desk.now)
    assert isinstance(tried, TrialResult)

    assert (tmp_path / "reports" / f"red.{COAST}").read_bytes() == files_of(war.report("red", 3))[COAST][1]
    assert not list((tmp_path / "reports").glob("green.*.png"))
    (red,) = [report for report in tried.preview.reports if report.place.seat == "red"]
    assert [each.name for each in red.enclosed] == [COAST]


def lost_pictures(folder: Path) -> list[str]:
    """Return the addresses of pictures in the HTML of reports at which no file is."""
    return [
        source
        for page in folder.glob("*.html")
        for source in re.findall(r'<img[^>]* src="([^"]*)"', page.read_text())
        if not (folder / unquote(source)).is_file()
    ]


def test_reports_in_files_show_their_pictures(war: War, tmp_path: Path) -> None:
    """The HTML in the archive shows its pictures, also those of earlier turns; so does that of a preview."""
    write_preview(run_query(war.desk.app, "toy1", PreviewTurn(), war.desk.now), tmp_path)
    folders = [war.desk.home / "turns/toy1" / turn / "reports" for turn in ("0001", "0002")]

    assert [lost_pictures(folder) for folder in (*folders, tmp_path / "reports")] == [[], [], []]
    assert 'src="../enclosed/' in (folders[0] / "red.html").read_text()
    assert 'src="../../0001/enclosed/' in (folders[1] / "red.html").read_text()


def test_a_turn_taken_back_and_run_again_shows_the_same(tmp_path: Path) -> None:
    """The contents stay stored, so the same folder can be submitted after a rollback, and the archive is proved."""
    home = tmp_path / "home"
    with open_desk(home) as desk:
        toy = desk.app
        desk.app = dataclasses.replace(toy, games={"toy": RULESET, RULESET.key: RULESET})
        desk.begin(seats=tuple(SEATS))
        desk.tick(hours=WEEK)
        second(desk, tmp_path / "1")
        let_go(desk)
        run_action(desk.app, "toy1", RollBack(1), desk.now)
        desk.tick(hours=WEEK)
        shutil.rmtree(tmp_path / "1")
        second(desk, tmp_path / "1")
        let_go(desk)
        archive_pending(desk.app, desk.now)

        assert prove_archive(desk.app, "toy1").withdrawn == 1
        desk.app = toy


def test_the_record_of_a_ruling_names_what_was_enclosed(war: War) -> None:
    """The record has name, kind, size and hash; the content is a file beside it."""
    record = json.loads((war.desk.home / "turns" / "toy1" / "0001" / "turn.json").read_text())
    (drawn,) = record["ruling"]["seats"]["red"]["with_map"]

    assert (drawn["name"], drawn["kind"], drawn["caption"]) == (COAST, "image/png", "What red's pilot drew")
    assert record["files"][f"enclosed/{drawn['sha256']}.png"] == drawn["sha256"]


def test_a_replay_shows_each_picture_to_its_eyes(war: War, tmp_path: Path) -> None:
    """The replay stores each picture once, and shows each seat those of its report."""
    with war.desk.app.store.reading() as session:
        write_replay(session, war.desk.app, load_campaign(session, "toy1"), SiteFolder(tmp_path), "r")
    told = json.loads((tmp_path / "r" / "turns" / "0002.js").read_text().partition(",")[2].rstrip().removesuffix(")"))
    pictures = {seat: [each["name"] for each in data["pictures"]] for seat, data in told["seats"].items()}

    passing, coast = "The pass as it was before the snow", "What red's pilot drew"
    assert pictures == {"red": [coast, passing], "blue": [passing], "green": [passing]}
    assert len(list((tmp_path / "r" / "grounds").iterdir())) == 3


def test_text_files_of_a_mail_are_parts_of_its_ruling() -> None:
    """Attached text files are parts of the ruling, but for the form itself; a part that comes twice is refused."""
    form = AttachedFile("form.txt", b"GM toy1 0123456789abcdef0123\nRULING\nFILE all.txt\nSnow.\n", inline=False)
    red = AttachedFile("Red.txt", b"Gold.", inline=False)

    assert ruling_by_mail({"all.txt": "Snow."}, [form, red]).files == {"all.txt": "Snow.", "red.txt": "Gold."}
    with pytest.raises(CampaignError, match=r"red\.txt stands in the mail's text, and is attached besides"):
        ruling_by_mail({"red.txt": "Snow."}, [red])


def test_files_are_examined_while_others_use_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examining may take long, so no transaction is open meanwhile; and only the GM can start it."""
    wrote = []
    with open_desk(tmp_path / "home") as desk:
        toy = desk.app
        token = begin(desk)

        def examine_meanwhile(files: Iterable[tuple[str, bytes]]) -> dict[str, CheckedAttachment]:
            command = ("PRAGMA busy_timeout = 0", "BEGIN IMMEDIATE", "ROLLBACK")
            with closing(sqlite3.connect(desk.home / "pbem.sqlite", isolation_level=None)) as other:
                wrote.append([other.execute(each).fetchall() for each in command])
            return check_attachments(files)

        monkeypatch.setattr("pbem.actions.ruling.check_attachments", examine_meanwhile)
        forged = post(desk, gm_mail("0" * len(token), FIRST))
        assert wrote == []
        assert "submitted" not in forged
        mail = gm_mail(token, FIRST)
        mail.replace_header("Message-ID", "<r2@example.org>")
        answer = post(desk, mail)
        desk.app = toy

    assert "Ruling on turn 1 submitted." in answer
    assert len(wrote) == 1
