"""Tests of the one layout of the host's mails: HTML and text of each, and both together."""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from pbem.report import small
from pbem.report.answers import Confirmation, GmAnswer, Help, HelpOnVerb, OrderHelp
from pbem.report.notices import MailText, Page, PressMessage, Reminder, Together
from pbem.report.renderer import Renderer
from pbem.report.template_check import sample
from tests.report.samples import AT, FRAME, HOST, PAGES, TEMPLATES, filled

OLD = (
    "To take the seat, confirm it",
    "Press Reply and write YES",
    "The code holds for 14 days. If you do not want it",
    "Somebody, we hope you",
    "Its dice follow from a secret seed",
    "You have the seat",
    "No order sheet of yours",
    "the game's defaults",
    "was run without a sheet of yours",
    "This turn was resolved with your sheet",
    "came to nothing",
    "After combat your sensors",
    "for 1 turns",
    "CORRECTED REPORT",
    "no longer fits and was put aside",
    "still fits and counts",
    "Chat in a reply to this mail",
    "Enough players have asked for it",
    "it was:",
    "A mail came that asks for what can give a seat away",
)
"""Sentences of earlier mails, of which each has a better one now."""

# Parts that differ on purpose: links, what to reply in place of a link, drawings.
WITHOUT_LINKS = """
{% macro button(label, url, text) %}{% endmacro %}{% macro instead(text) %}{% endmacro %}
{% macro links(pairs, text) %}{% endmacro %}{% macro picture(cid, title, width) %}{% endmacro %}
{% macro drawing(text, title="Map") %}{% endmacro %}{% macro ready(html, text) %}{% endmacro %}
{% macro said(text, level=0) %}{% endmacro %}
{% macro orders(rows) %}{{ bullets(rows | map(attribute="became") | select | list) }}{% endmacro %}
"""


# The rule TRACKER_ID of SpamAssassin 4, which costs 0.1 points.
TRACKER = re.compile(r"[a-z0-9]{6,24}[-_a-z0-9]{12,36}[a-z0-9]{6,24}", re.IGNORECASE)

MAILS = pytest.mark.parametrize("page", PAGES, ids=[f"{page.page}-{at}" for at, page in enumerate(PAGES)])


@pytest.fixture(scope="module")
def reporter() -> Iterator[Renderer]:
    """Return a renderer of the program's own templates."""
    with Renderer([TEMPLATES], pictures=False) as made:
        yield made


class Markup(HTMLParser):
    """The elements of a mail, and its words by block."""

    BLOCKS = frozenset(["p", "h1", "h2", "h3", "li", "div", "tr", "caption", "pre", "blockquote", "td", "th", "br"])

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.blocks = [""]
        self._hidden = 0
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("head", "style") or dict(attrs).get("aria-hidden"):
            self._hidden += 1
        if tag in self.BLOCKS:
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.BLOCKS:
            self.blocks.append("")
        if self._hidden and tag in ("head", "div"):
            self._hidden = 0

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.blocks[-1] += data


def links(mail: MailText) -> list[str]:
    """Return the addresses of the links of a mail."""
    return [html.unescape(found) for found in re.findall(r'href="([^"]*)"', mail.html)]


@MAILS
def test_a_mail_has_the_layout_of_all(reporter: Renderer, page: Page) -> None:
    """HTML and text exist; there is one main part and one title, and no level of headings is left out."""
    mail = reporter.write(page, FRAME)
    found = Markup(mail.html)
    levels = [int(tag[1]) for tag, _ in found.tags if re.fullmatch("h[1-6]", tag)]

    assert mail.text
    assert [about.get("role") for _, about in found.tags].count("main") == 1
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(later <= level + 1 for level, later in pairwise(levels))


@MAILS
def test_a_mail_can_be_read_aloud_and_without_pictures(reporter: Renderer, page: Page) -> None:
    """Heads of tables name what they head, and pictures say what they show."""
    tags = Markup(reporter.write(page, FRAME).html).tags

    assert all(about.get("scope") for tag, about in tags if tag == "th")
    assert all(about.get("alt") for tag, about in tags if tag == "img")


@MAILS
def test_a_mail_has_nothing_that_mail_programs_drop(reporter: Renderer, page: Page) -> None:
    """Mails are small, and have no elements and addresses that Gmail or Outlook do not show."""
    source = reporter.write(page, FRAME).html

    assert len(source.encode()) <= 60_000
    assert not re.search(r'<(?:details|summary|main|svg)\b|data:|var\(|href="#|\bstyle=""', source)


@MAILS
def test_a_mail_has_no_slips_of_templates(reporter: Renderer, page: Page) -> None:
    """No value is missing, no mark is left, and numbers agree with what they count."""
    for form in reporter.write(page, FRAME):
        assert not re.search(r"\bNone\b|\b1 (?:turns|sheets|orders|minutes|days)\b|Undefined", form)
    if page.page != "press":  # which quotes people
        assert "**" not in reporter.write(page, FRAME).text


@MAILS
def test_lines_of_text_are_prose_or_drawn(reporter: Renderer, page: Page) -> None:
    """A paragraph is one line; drawn lines fit 78 columns, and none ends in a blank but the delimiter of the footer."""
    text = reporter.write(page, FRAME).text
    lines = text.splitlines()

    assert text == text.strip() + "\n"
    assert "\n\n\n" not in text
    assert [line for line in lines if line.endswith(" ") and line != "-- "] == []
    assert [line for line in lines if line.startswith("|") and len(line) > 78] == []
    assert not re.search(r"^(?:-{4,}|={4,})$", text, re.MULTILINE)


def sentences(mail: MailText) -> tuple[set[str], set[str]]:
    """Return the sentences of both forms of a mail, the texts of links apart."""
    shown = "\n".join(Markup(mail.html).blocks)
    return tuple(  # type: ignore[return-value]  # two
        {
            " ".join(piece.split()).casefold()
            for line in re.sub(r" https://\S+", "", form).splitlines()
            for piece in re.split(r"(?<=[.:?!]) ", re.sub(r"^(?:- |-- $|  )", "", line))
            if piece.strip()
        }
        for form in (shown, mail.text)
    )


@pytest.fixture(scope="module")
def linkless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Renderer]:
    """Return a renderer whose mails have neither links nor what stands for them, nor drawings."""
    folder = tmp_path_factory.mktemp("templates")
    (folder / "host").mkdir()
    for name in ("parts.html.j2", "parts.txt.j2"):
        (folder / "host" / name).write_text((HOST / name).read_text() + WITHOUT_LINKS)
    with Renderer([folder, TEMPLATES], pictures=False) as made:
        yield made


@MAILS
def test_html_and_text_say_the_same(linkless: Renderer, page: Page) -> None:
    """Without links and drawings, both forms have the same sentences."""
    shown, written = sentences(linkless.write(page, FRAME))

    assert shown == written


@MAILS
def test_links_open_mails(reporter: Renderer, page: Page) -> None:
    """A link writes a mail to the order address with subject and body (RFC 6068), short enough for all programs."""
    if isinstance(page, Together):  # its parts have links of their own
        page = dataclasses.replace(page, parts=tuple(part._replace(frame=FRAME) for part in page.parts))
    for link in links(reporter.write(page, FRAME)):
        if link.startswith("https:"):
            continue
        url = urlsplit(link)
        assert url.scheme == "mailto"
        assert unquote(url.path) in (FRAME.address, FRAME.reply_to)
        assert set(parse_qs(url.query, strict_parsing=True, keep_blank_values=True)) == {"subject", "body"}
        assert re.fullmatch(r"[A-Za-z0-9\-._~!$'()*,;:@%?&=/]+", link.removeprefix("mailto:"))
        assert len(link) <= 1_800


def test_buttons_say_in_words_what_they_do(reporter: Renderer) -> None:
    """Where HTML has a button, both forms say what to reply in its place."""
    for page in PAGES:
        mail = reporter.write(page, FRAME)
        if 'class="b"' in mail.html:
            assert "Or reply with " in mail.html
            assert re.search(r"^TO [A-Z ]+: reply with ", mail.text, re.MULTILINE), page.page


def body(link: str) -> list[str]:
    """Return the lines that a link writes."""
    return parse_qs(urlsplit(link).query, keep_blank_values=True)["body"][0].split("\r\n")


REMINDER = Reminder(
    campaign="trap7",
    seat="red",
    label="turn 1",
    deadline=AT,
    zone="Europe/Berlin",
    header="ORDERS trap7 red k3v7mq2xw5n4tzpa",
    address="orders@example.org",
    without="Without orders nothing is built or moved for you.",
    order_lines=("BUILD Cruiser AT J7+3", "; TARGET Scout"),
    extendable=True,
    absent="ABSENT 2026-11-06 TO 2026-11-19",
)


def test_a_reminder_has_a_link_for_each_answer(reporter: Renderer) -> None:
    """The form orders nothing until a line is changed; the sheet of Nothing to order has no such line."""
    write, nothing, extend, absent, *_ = links(reporter.write(REMINDER, FRAME))

    assert body(write)[1] == "; FORM: delete the ; in front of an order to give it"
    assert body(write)[2:] == ["; BUILD Cruiser AT J7+3", "; TARGET Scout", "END"]
    assert body(nothing) == ["ORDERS trap7 red k3v7mq2xw5n4tzpa", "END"]
    assert body(extend) == ["EXTEND"]
    assert body(absent) == ["ABSENT 2026-11-06 TO 2026-11-19"]


def test_a_reminder_offers_only_what_the_campaign_allows(reporter: Renderer) -> None:
    """Without votes and absences a reminder offers neither."""
    mail = reporter.write(dataclasses.replace(REMINDER, extendable=False, absent=""), FRAME)

    assert not re.search("EXTEND|ABSENT", mail.html + mail.text)


def test_a_reminder_says_what_happens_without_orders(reporter: Renderer) -> None:
    """The deadline stands first, then the sentence of the game."""
    text = reporter.write(REMINDER, FRAME).text

    assert "\n\nDue Fri 6 Nov, 20:00 CET\n19:00 UTC. Without orders nothing is built or moved for you.\n\n" in text


def test_an_invitation_is_answered_by_one_tap(reporter: Renderer) -> None:
    """The button and the links of an invitation write the one word that is needed, to the address with its code."""
    page = filled(dataclasses.replace(sample(Confirmation, full=True), kind="invite"))
    assert isinstance(page, Confirmation)
    yes, no, rules = links(reporter.write(dataclasses.replace(page, rules_url="", look_url=""), FRAME))

    assert [body(link) for link in (yes, no, rules)] == [["YES"], ["NO"], ["RULES"]]
    assert links(reporter.write(page, FRAME))[2:] == [page.rules_url, page.look_url]


def test_press_is_answered_to_its_writer(reporter: Renderer) -> None:
    """The button of a message begins an answer to its writer; that of an anonymous one, a message to all."""
    page = PressMessage(campaign="trap7", by="red", to=("blue",), text="Deal?")

    assert body(links(reporter.write(page, FRAME))[0])[0] == "PRESS TO red"
    assert body(links(reporter.write(dataclasses.replace(page, by=""), FRAME))[0])[0] == "PRESS TO ALL"


def test_help_on_a_verb_shows_examples(reporter: Renderer) -> None:
    """Usage and examples stand on lines of their own, and other verbs are named."""
    order = OrderHelp("MOVE", "Toy Fair", "MOVE ship way ...", "moves a ship", ("MOVE R1 N", "MOVE R1 STAY"))
    text = reporter.write(HelpOnVerb(orders=(order,), others=("ALLY",)), FRAME).text

    assert "\nMOVE ship way ...\n\nFor example:\n\nMOVE R1 N\nMOVE R1 STAY\n\nOther orders: ALLY.\n" in text


def test_dice_are_told_of_in_games_with_dice_alone(reporter: Renderer) -> None:
    """Without a seal, no mail speaks of dice."""
    for page in PAGES:
        if page.page in ("welcome", "dice_notice"):
            mail = reporter.write(dataclasses.replace(page, seal=""), FRAME)  # type: ignore[type-var]  # a dataclass
            assert not re.search(
                r"\bdice\b|\bseed\b", (mail.html + mail.text).replace("to its dice", ""), re.IGNORECASE
            )


def test_no_paragraph_is_a_bare_code(reporter: Renderer) -> None:
    """A seal is named in its own line: spam filters take a long code that stands alone for the mark of a tracker."""
    for page in PAGES:
        given = dataclasses.replace(page, seal="5e" * 32) if hasattr(page, "seal") else page  # type: ignore[type-var]
        text = reporter.write(given, FRAME).text

        assert not [part for part in text.split("\n\n") if TRACKER.fullmatch(part.strip())]


def test_an_answer_to_the_gm_links_to_help(reporter: Renderer) -> None:
    """One press on HELP asks for the commands; a mail with a picture and no link at all is like an advertisement."""
    mail = reporter.write(GmAnswer(campaign="trap", result="done"), FRAME)

    assert [body(link) for link in links(mail)] == [["HELP"]]
    assert mail.text.endswith("HELP lists them.\n")


def test_the_frame_is_small(reporter: Renderer) -> None:
    """The layout itself takes at most 3 kB, so that mails stay far below what Gmail clips."""
    source = reporter.write(small.not_processed(address="a@example.org")).html

    assert len(re.sub(r'(?s)<h1.*(?=<p class="q k")', "", source).encode()) <= 3_000


@pytest.mark.parametrize("old", OLD)
def test_old_sentences_are_gone(old: str) -> None:
    """No template of a mail in the layout has a sentence that was replaced by a plainer one."""
    texts = {path.name: " ".join(path.read_text().split()) for path in HOST.glob("*.j2") if path.name.count(".") == 1}

    assert [name for name, text in texts.items() if old in text] == []


def test_the_guide_has_the_layout_too(reporter: Renderer) -> None:
    """The player guide is a mail like all others."""
    mail = reporter.write(Help(address="orders@example.org"), FRAME)

    assert mail.text.startswith("How to play by mail\n")
    assert ">How to play by mail</h1>" in mail.html
