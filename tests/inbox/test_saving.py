"""Messages and their attachments are saved to a folder, whatever names their senders gave them."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem.admin.mail import safe_name
from pbem.cli import main
from tests.toy.home import GAMES, Desk

HOSTILE = [
    "../../evil.txt",
    "/etc/passwd",
    "C:\\Windows\\system.ini",
    "..",
    ".bashrc",
    "CON",
    "nul.txt",
    "a" * 300 + ".png",
    "\N{PILE OF POO}" * 90 + ".png",
    "photo\u202egnp.exe",
    "a:stream",
    "new\nline\x00.txt",
    " ",
    "-rf",
    "x." + "y" * 300,
]


def mail_with(*files: tuple[str, bytes]) -> bytes:
    """Return a mail with files of these names, which stand in it as they are."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "ann@example.org", "orders@example.org", "a map"
    mail["Message-ID"] = "<map@example.org>"
    mail.set_content("ORDERS toy1 red\nBID 3\nEND")
    for number, (_, content) in enumerate(files):
        mail.add_attachment(content, maintype="application", subtype="octet-stream", filename=f"file{number}.bin")
    raw = bytes(mail)
    for number, (name, _) in enumerate(files):
        # By RFC 2231, in which every sign can stand.
        coded = "".join(f"%{byte:02X}" for byte in name.encode())
        raw = raw.replace(f'filename="file{number}.bin"'.encode(), f"filename*=utf-8''{coded}".encode())
    return raw


def save(desk: Desk, folder: Path, *more: str) -> Result:
    """Save message 1 of a home to a folder."""
    line = ["--home", str(desk.home), "inbox", "1", "--save", str(folder), *more]
    return CliRunner().invoke(main, line, obj=GAMES)


def receive(desk: Desk, raw: bytes) -> None:
    """Have a campaign get a mail."""
    desk.start()
    (desk.home / "post" / "inbox" / "new" / "mail").write_bytes(raw)
    desk.answer()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_made_safe(name: str) -> None:
    """No folder, no hidden or device name, no sign that turns the text around, and not too long."""
    safe = safe_name(name)

    assert safe == Path(safe).name
    assert safe.isprintable()
    assert 0 < len(safe.encode()) <= 220
    assert not safe.startswith((".", "-"))
    assert not set(safe) & set('/\\:*?"<>|\n ')
    assert safe.split(".")[0].lower() not in ("con", "nul")


def test_a_message_and_its_files_are_saved(desk: Desk, tmp_path: Path) -> None:
    """The text, and each file with its content, are in the folder, which is made; keys are masked."""
    receive(desk, mail_with(("map.png", b"a map"), ("letter.pdf", b"a letter")))
    result = save(desk, tmp_path / "files")

    assert result.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == [
        "1-head.txt",
        "1-letter.pdf",
        "1-map.png",
        "1.txt",
    ]
    assert (tmp_path / "files" / "1-map.png").read_bytes() == b"a map"
    assert "Subject:" in (tmp_path / "files" / "1-head.txt").read_text()
    assert "Subject:" not in (text := (tmp_path / "files" / "1.txt").read_text())
    assert "BID 3" in text
    assert "1-map.png" in result.output


def test_nothing_is_written_outside_of_the_folder(desk: Desk, tmp_path: Path) -> None:
    """Files of hostile names are all saved there, each under a name of its own."""
    receive(desk, mail_with(*((name, name.encode()) for name in HOSTILE)))
    before = {path for path in tmp_path.rglob("*") if "home" not in path.parts}
    assert save(desk, tmp_path / "in" / "files").exit_code == 0

    new = {path for path in tmp_path.rglob("*") if "home" not in path.parts} - before
    files = [path for path in new if path.is_file()]
    assert {path.parent for path in files} == {tmp_path / "in" / "files"}
    assert len(files) == len(HOSTILE) + 2


def test_no_file_is_overwritten(desk: Desk, tmp_path: Path) -> None:
    """Files of the same name, and a link in the folder, keep what they are; the others get a number."""
    receive(desk, mail_with(("map.png", b"one"), ("map.png", b"two"), ("MAP.png", b"three")))
    folder, precious = tmp_path / "files", tmp_path / "precious"
    folder.mkdir()
    precious.write_bytes(b"precious")
    (folder / "1-map.png").symlink_to(precious)
    for _ in range(2):
        assert save(desk, folder).exit_code == 0

    assert precious.read_bytes() == b"precious"
    assert (folder / "1-map-2.png").read_bytes() == b"one"
    assert (folder / "1-map-3.png").read_bytes() == b"two"
    assert (folder / "1-2.txt").read_bytes() == (folder / "1.txt").read_bytes()


def test_what_cannot_be_saved_is_told(desk: Desk, tmp_path: Path) -> None:
    """A message that is not there, and a folder that cannot be one, are errors of one sentence."""
    desk.begin()
    assert "there is no message 1" in save(desk, tmp_path / "files").output
    assert not (tmp_path / "files").exists()
    receive_none = CliRunner().invoke(main, ["--home", str(desk.home), "inbox", "--save", str(tmp_path)], obj=GAMES)
    assert receive_none.exit_code == 2
    desk.answer()
    (desk.home / "post" / "inbox" / "new" / "mail").write_bytes(mail_with(("map.png", b"a map")))
    desk.answer()
    (tmp_path / "blocked").write_text("a file")

    result = save(desk, tmp_path / "blocked" / "files")
    assert result.exit_code == 1
    assert "cannot be saved" in result.output
