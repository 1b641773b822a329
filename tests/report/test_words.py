"""Tests of people's texts in reports and in mails: their place, their marking, and their limits."""

from __future__ import annotations

import pytest

from pbem.report import small
from pbem.report.facts import PressSection, QuestionText, QuotedText
from pbem.report.notices import Page, PressMessage
from pbem.text import WIDTH, join_names, quote_block
from tests.report.toy import Fair, drawn_lines, facts, reporter, seen

HOSTILE = '<img src=x onerror="alert(1)"> & {{ 7*7 }}'
LONG = "war " * 60
ALL = PressSection(
    gm_texts=("The harbour is closed.", LONG),
    news=(QuotedText(by="blue", text="Peace!"), QuotedText(by="red", text=LONG)),
    press=(QuotedText(by="blue", text="Let us deal.", to=("red", "green")), QuotedText(by="", text="Boo.")),
    diaries=(
        QuotedText(by="red", text="I lied.", label="turn 3"),
        QuotedText(by="blue", text="So did I.", label="turn 4"),
    ),
)


def test_words_of_people_have_their_places() -> None:
    """The GM's text comes after the events; newspaper, messages and diaries after the view and before the orders."""
    text = reporter().report(Fair(), seen(), facts(words=ALL)).text

    titles = ("WHAT HAPPENED", "FROM YOUR GM", "MAP", "NEWSPAPER", "MESSAGES", "DIARIES", "ORDER FORM")
    places = [text.index(f"\n\n{title}\n") for title in titles]
    assert places == sorted(places)


def test_sections_of_words_fit_a_mail() -> None:
    """Quoted lines stay within the width of a mail, and one blank line separates texts and sections."""
    text = reporter().report(Fair(), seen(), facts(words=ALL)).text

    assert max(len(line) for line in text.splitlines() if line.startswith("|")) <= WIDTH
    assert "\n\n\n" not in text
    assert "\nMESSAGES\n\nblue, to red and green:\n\n| Let us deal.\n\nAnonymous:\n\n| Boo.\n\n" in text
    assert "\nDIARIES\n\nred, turn 3:\n\n| I lied.\n\nblue, turn 4:\n\n| So did I.\n\n" in text


def test_without_words_there_are_no_sections() -> None:
    """A report without texts of people has no sections for them."""
    parts = reporter().report(Fair(), seen(), facts())

    assert not any(title in parts.text for title in ("FROM YOUR GM", "NEWSPAPER", "MESSAGES", "DIARIES"))
    assert not any(title in parts.html for title in ("From your GM", "Newspaper", "Messages", "Diaries"))


def test_words_are_shown_as_they_are_in_html() -> None:
    """Markup and template signs in a person's text are shown, never obeyed."""
    said = (QuotedText(by="blue", text=HOSTILE),)
    asked = (QuestionText(own=False, text=HOSTILE, answer=HOSTILE),)
    words = PressSection(gm_texts=(HOSTILE,), questions=asked, news=said, press=said, diaries=said)
    html = reporter().report(Fair(), seen(), facts(words=words)).html

    assert html.count(">&lt;img src=x onerror=&#34;alert(1)&#34;&gt; &amp; {{ 7*7 }}") == 6
    assert "<img src=x" not in html


def test_words_are_not_in_a_reports_data() -> None:
    """The JSON is the same with and without people's texts."""
    said, silent = (reporter().report(Fair(), seen(), facts(words=words)).data for words in (ALL, PressSection()))

    assert said == silent


@pytest.mark.parametrize(
    ("page", "first"),
    [
        (
            PressMessage(campaign="fair1", by="red", to=("blue", "green"), text=LONG),
            "Message from red\nto blue and green",
        ),
        (PressMessage(campaign="fair1", by="", to=(), text="Boo."), "Anonymous message\nto all"),
        (small.announcement(gm="gm@example.org", to=(), text="Hi."), "From your GM\nto all"),
        (
            small.player_question(
                campaign="fair1",
                number=3,
                by="red",
                deputy="",
                label="round 2",
                text=LONG,
                alliances=False,
                wish="",
            ),
            "Question 3 from red\nround 2",
        ),
        (
            small.gm_reply(own=True, question=LONG, answer=LONG, others=False, to_all=False, again=False),
            "Answer of your GM\nto you alone",
        ),
    ],
)
def test_letters_fit_a_mail(page: Page, first: str) -> None:
    """A message names its author and readers; its text has bars."""
    mail = reporter().write(page)
    text = mail.text

    assert text.startswith(f"{first}\n\n| ")
    assert max(map(len, drawn_lines(mail))) <= WIDTH
    assert "\n\n\n" not in text
    assert text == text.strip() + "\n"


def test_a_letter_with_marks_comes_in_html_too() -> None:
    """The HTML of a message quotes it without headings; the rest is as in the text."""
    page = PressMessage(campaign="fair1", by="red", to=(), text="# Your GM writes\n\n*Now*! <b>\n\nRed   9\nBlue  7")
    html = reporter().write(page).html

    assert ">Message from red</h1>" in html
    assert "Your GM writes</strong></p>" in html
    assert "<em>Now</em>! &lt;b&gt;" in html
    assert ">Red   9\nBlue  7</pre>" in html
    assert html.partition("<body")[2].count("<h") == 1
    assert html.index("</blockquote>") < html.index("Or reply with PRESS TO red")


def test_bars_stand_before_every_line() -> None:
    """Blank lines, and lines that were wrapped or have no blank to wrap at, have bars too."""
    assert quote_block("a\n\nb") == "| a\n|\n| b"
    assert all(line.startswith("| ") and len(line) <= WIDTH for line in quote_block("x" * 200).split("\n"))


@pytest.mark.parametrize(
    ("names", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_names_are_joined_in_words(names: list[str], said: str) -> None:
    """Names are joined as in a sentence."""
    assert join_names(names) == said
