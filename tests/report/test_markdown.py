"""Tests of Markdown in mails: wrapped text and styled HTML."""

from __future__ import annotations

import pytest

from pbem.games import rulebook
from pbem.report.markdown import as_html, as_text, find_sections, sections
from pbem.ruleset import AnyRuleset
from tests.games import RULESETS


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)
def test_every_rulebook_fits_a_mail(ruleset: AnyRuleset) -> None:
    """No line is wider than 78 columns, no word is lost, and no table is left as Markdown."""
    source = rulebook(ruleset)
    text = as_text(source)

    assert [line for line in text.splitlines() if len(line) > 78 or line.startswith("|")] == []
    titles = [section.title.casefold() for section in sections(source)]
    assert [title for title in titles if title not in text.casefold()] == []
    said = set(text.split())
    prose = [line.replace("**", "") for line in source.splitlines() if line and line[0] not in "|#"]
    assert [word for line in prose for word in line.split() if word not in said and not word.startswith("```")] == []


def test_lists_keep_their_numbers_and_indents() -> None:
    """Nested items and continued lines keep their indents."""
    text = as_text("9. nine\n10. ten\n    - below\n      it\n\n      and so on\n")

    assert text == "9. nine\n10. ten\n    - below it\n      and so on"


def test_a_wide_table_is_wrapped_in_its_widest_column() -> None:
    """The widest column of a wide table is wrapped; the others stay as they are."""
    text = as_text(f"| word | what it does |\n|---|---|\n| drift | {'to and fro ' * 12}|\n| x | y |")

    head, rule, first, second, last = text.splitlines()
    assert head.startswith("word   what")
    assert rule.startswith("-----  ----")
    assert first.startswith("drift  to and fro")
    assert second.startswith("       ")
    assert last == "x      y"
    assert len(first) <= 78


def test_a_table_of_too_many_columns_becomes_paragraphs() -> None:
    """Each row of a table with too many columns becomes a paragraph that names its cells."""
    wide = [f"heading{number:02}" for number in range(12)]
    text = as_text(f"|{'|'.join(wide)}|\n|{'---|' * 12}\n|{'|'.join('abcdefghijkl')}|")

    assert " ".join(text.split()).startswith("a: heading01 b, heading02 c, heading03 d")
    assert max(map(len, text.splitlines())) <= 78


def test_html_in_a_text_is_text() -> None:
    """HTML, scripts and pictures in a text are shown as text."""
    html = as_html("# A\n\n<script>x</script> ![p](http://example.org/p.png) [y](javascript:z)")

    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html


def test_bold_words_have_no_stars_in_text() -> None:
    """Text has bold words as they are, in paragraphs, lists and tables."""
    text = as_text("A **bold** word\n\n1. **One.** Two\n\n| a | b |\n|---|---|\n| **c** | d |\n")

    assert "A bold word" in text
    assert "1. One. Two" in text
    assert "*" not in text


def test_sections_are_found_by_heading_before_text() -> None:
    """Sections are found by heading, with their subsections, or else by their text; the title does not count."""
    source = "# War\n\n## Combat\n\nFight.\n\n### Fire\n\nShoot.\n\n## Peace\n\nNo combat in war."

    assert [each.title for each in find_sections(source, ["COMBAT"])] == ["Combat", "Fire"]
    assert [each.title for each in find_sections(source, ["no", "war"])] == ["Peace"]
    assert find_sections(source, ["dragon"]) == ()


def test_a_table_too_wide_for_a_phone_is_a_list_in_html() -> None:
    """A table of many columns becomes a list in HTML; one of few columns stays a table."""
    wide = "| a | b | c | d | e |\n|---|---|---|---|---|\n| one | 1 | 2 | 3 | 4 |\n\nBelow."
    narrow = "| a | b |\n|---|---|\n| one | 1 |"

    assert "<table" not in as_html(wide)
    assert "one: b 1, c 2, d 3, e 4</li>" in as_html(wide)
    assert "<p>Below.</p>" in as_html(wide)
    assert "<table" in as_html(narrow)
