"""Tests of the content of reports: its order, and what must not be in it."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import ConfigError
from pbem.report.facts import Correction, OrderOutcome, SheetUsed
from pbem.report.pool import Job
from pbem.report.renderer import Renderer
from pbem.ruleset import Picture, View, canonical_json
from tests.report.toy import TEMPLATES, Fair, Greeting, facts, reporter, seen

HOSTILE = '<img src=x onerror="alert(1)"> & {{ 7*7 }}'


class Mapless(Fair):
    """The fair without a text map."""

    def text_map(self, view: View) -> str:
        return ""


class Smudged(Fair):
    """The fair with a picture that cannot be drawn."""

    def pictures(self, view: View) -> Sequence[Picture]:
        return [Picture("purse", "Your purse", "<svg", 120, 40)]


class Telling(Fair):
    """The fair with headlines of its own."""

    def __init__(self, headlines: list[str]) -> None:
        self._headlines = headlines

    def turn_summary(self, view: View) -> list[str]:
        return self._headlines


def test_report_has_its_sections_in_order() -> None:
    """A report has the deadline, headlines and how to send orders, then events, map, outcomes, knowledge, the form."""
    sheet = SheetUsed(3, "0123456789abcdef" * 4)
    parts = reporter().report(
        Fair(),
        seen(),
        facts(
            used=sheet, ordered=(OrderOutcome("bid 3 coins", "The prize went to blue.", "BID 3"),), seal="ab", seed="cd"
        ),
    )

    titles = ("WHAT HAPPENED", "MAP", "WHAT CAME OF YOUR ORDERS", "WHAT YOU KNOW NOW", "ORDER FORM", "FAIR DICE")
    places = [parts.text.index(words) for words in ("Due ", "- You have", "TO SEND ORDERS", *titles)]
    assert places == sorted(places)
    assert "- BID 3\n  The prize went to blue.\n" in parts.text
    assert ">BID 3</span>: The prize went to blue.</li>" in parts.html
    headings = [f">{title.capitalize()}<" for title in titles]
    places = [parts.html.index(words) for words in (">Due ", ">You have", ">Write orders<", *headings)]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("plain", "full", "told"),
    [(6, False, ""), (7, False, "All 7 other orders came true."), (7, True, "")],
)
def test_of_many_orders_those_that_came_true_are_counted(plain: int, full: bool, told: str) -> None:
    """Of more than eight orders a report tells those that have more to tell; in full it tells all, as of a few."""
    lost = [OrderOutcome("", "the well is dry", f"DRAW {place}", "not") for place in ("3 east", "4 west")]
    done = [OrderOutcome("", f"you have {coins}.", f"BID {coins}", "plain") for coins in range(plain)]

    parts = reporter().report(Fair(), seen(), facts(used=SheetUsed(3, "ab" * 32), ordered=(*lost, *done), full=full))

    assert ("- BID 0\n  you have 0.\n" in parts.text) == (not told)
    assert ("- DRAW 3, 4 …\n  NOT DONE: the well is dry\n" in parts.text) == bool(told)
    assert all(told in shown for shown in (parts.text, parts.html))


def test_the_turn_in_brief_is_what_a_mail_program_shows_first() -> None:
    """Deadline and headlines are the preview of the mail, hidden in the HTML; the headlines are in the data too."""
    parts = reporter().report(Fair(), seen(), facts())
    (brief,) = json.loads(parts.data)["brief"]

    shown = re.sub(r"<(head|title)>.*?</(head|title)>", "", parts.html, flags=re.DOTALL)
    assert (
        re.sub(r"\s*<[^<>]*>\s*", "", shown.partition("<body")[2])
        .partition(">")[2]
        .startswith(f"Due Fri 27 Nov, 20:00 CET. {brief}")
    )


def test_text_report_fits_a_mail() -> None:
    """No line ends in a blank, but that above the signature; what is longer than 78 characters is a whole paragraph."""
    text = reporter().report(Fair(), seen(), facts(seal="ab" * 32, seed="cd" * 32)).text
    lines = text.splitlines()

    assert [line for line in lines if line.endswith(" ")] == ["-- "]
    long = [at for at, line in enumerate(lines) if len(line) > 78]
    assert all(lines[at - 1] == "" == lines[at + 1] for at in long)
    assert long


@pytest.mark.parametrize("changes", [{}, {"first": True, "seal": "ab"}, {"deadline": None, "missed": True}])
def test_sections_are_parted_by_one_blank_line(changes: dict[str, Any]) -> None:
    """Sections are separated by one blank line, whichever of them a report has."""
    for game in (Fair(), Mapless()):
        text = reporter().report(game, seen(), facts(**changes)).text

        assert "\n\n\n" not in text
        assert all(f"\n\n{title}\n" in text for title in ("WHAT HAPPENED", "WHAT YOU KNOW NOW", "ORDER FORM"))


def test_events_are_told_in_the_words_of_the_game() -> None:
    """Each event is a sentence of the game's `events.j2`, in text and in HTML."""
    parts = reporter().report(Fair(), seen(), facts())

    assert '- red won the prize.\n- blue whispers to you:\n  "deal deal"\n' in parts.text
    assert ">red won the prize.</li>" in parts.html


def test_quiet_turn_is_said_to_be_quiet() -> None:
    """A report without events says so instead of showing nothing."""
    parts = reporter().report(Fair(), seen(events=[]), facts())

    assert "Nothing that you know of." in parts.text
    assert "Nothing that you know of." in parts.html


def test_deadline_is_told_in_the_campaigns_zone_and_utc() -> None:
    """The deadline is at the top, in both zones."""
    parts = reporter().report(Fair(), seen(), facts())

    assert "\nDue Fri 27 Nov, 20:00 CET\n19:00 UTC, or sooner once all orders are in\n" in parts.text
    assert ">Due Fri 27 Nov, 20:00 CET</div>" in parts.html
    assert ">19:00 UTC, or sooner once all orders are in</div>" in parts.html


def test_sheet_used_is_named() -> None:
    """A report names the sheet its turn was resolved with, by its number."""
    parts = reporter().report(Fair(), seen(), facts(used=SheetUsed(3, "0123456789abcdef" * 4)))

    assert "This report is made of your sheet 3." in parts.text
    assert "This report is made of your sheet 3." in parts.html


def test_missed_turn_is_told() -> None:
    """A player whose orders did not come is told so."""
    parts = reporter().report(Fair(), seen(), facts(missed=True))

    assert "No orders came from you in time." in parts.text
    assert "No orders came from you in time." in parts.html


def test_first_report_has_the_seal_of_the_dice() -> None:
    """The first report publishes the dice's seal; later ones do not repeat it."""
    first, later = facts(first=True, seal="ab" * 32), facts(seal="ab" * 32)

    assert "ab" * 32 in reporter().report(Fair(), seen(), first).text
    assert "ab" * 32 not in reporter().report(Fair(), seen(), later).text


def test_last_report_has_the_seed_of_the_dice() -> None:
    """Once the game is over the seed is published and no orders are asked for."""
    parts = reporter().report(Fair(), seen(over=True, awaited=False), facts(seal="ab" * 32, seed="cd" * 32))

    assert "cd" * 32 in parts.text
    assert "cd" * 32 in parts.html
    assert "ORDERS" not in parts.text


def test_sheet_in_report_is_ready_to_be_returned() -> None:
    """The sheet stands between its header, with the reply code, and END."""
    parts = reporter().report(Fair(), seen(), facts())

    assert "\nORDERS fair1 red abcdefghijklmnop\n; BID <coins>\nEND\n" in parts.text
    assert "ORDERS fair1 red abcdefghijklmnop\n; BID &lt;coins&gt;\nEND</pre>" in parts.html


def test_seat_not_awaited_gets_no_sheet() -> None:
    """A seat whose orders are not awaited is told so, and gets no sheet to fill in."""
    parts = reporter().report(Fair(), seen(awaited=False), facts())

    assert "No orders are asked of you now." in parts.text
    assert "END" not in parts.text


def test_html_escapes_what_players_wrote() -> None:
    """Players' words are shown as words in HTML, wherever they come from."""
    events = [{"kind": "said", "by": HOSTILE, "words": HOSTILE}, {"kind": "prize", "winner": HOSTILE}]
    html = reporter().report(Fair(), seen(events=events, prizes={HOSTILE: 1}), facts()).html

    assert "<img" not in html
    assert html.count("&lt;img") == 4
    assert "{{ 7*7 }}" in html


def test_html_templates_take_the_events_escaped() -> None:
    """No HTML template calls the unescaped events macro, or marks anything but its own text as safe."""
    folder = TEMPLATES[-1]

    for path in folder.glob("*/*.html.j2"):
        text = re.sub(r"\{#.*?#\}", "", path.read_text(), flags=re.DOTALL)
        assert not re.search(r"\bevent\s*\(|[^'\"\s]\s*\|\s*safe\b|\bautoescape\b", text), path


def test_text_does_not_escape() -> None:
    """In the text report, players' words are shown as typed."""
    text = reporter().report(Fair(), seen(prizes={HOSTILE: 1}), facts()).text

    assert HOSTILE in text


def test_html_has_no_outside_resources() -> None:
    """The HTML is self-contained and small; its only style sheet is that of dark colours."""
    html = reporter().report(Fair(), seen(), facts()).html

    assert "http" not in html
    assert "<link" not in html
    assert html.count("<style") == 1
    assert len(html) < 60_000


def test_pictures_are_shown_by_content_id() -> None:
    """The HTML shows each picture of the report by the Content-ID it is mailed with."""
    with Renderer(TEMPLATES) as with_pictures:
        parts = with_pictures.report(Fair(), seen(), facts())

    assert parts.pictures[0].png is not None
    assert f'<img src="cid:{facts().content_id("purse")}" alt="Your purse" width="120"' in parts.html


def test_undrawn_picture_leaves_its_title() -> None:
    """If a picture could not be drawn, the report goes out with its alternative text."""
    with Renderer(TEMPLATES) as with_pictures:
        parts = with_pictures.report(Smudged(), seen(), facts())

    assert "[Your purse: this picture could not be drawn.]" in parts.html
    assert "<img" not in parts.html
    assert parts.pictures[0].png is None


def test_same_view_gives_the_same_bytes() -> None:
    """Two renderers make the same report, byte for byte, including pictures."""
    with Renderer(TEMPLATES) as one, Renderer(TEMPLATES) as other:
        assert one.report(Fair(), seen(), facts()) == other.report(Fair(), seen(), facts())


def test_reports_keep_the_order_of_their_jobs() -> None:
    """Reports of several jobs are those of single jobs, in their order."""
    wanted = [(Fair(), seen(seat), facts(seat=seat)) for seat in ("blue", "red", "blue")]
    with Renderer(TEMPLATES) as both:
        jobs = [Job(fair, canonical_json(view), told) for fair, view, told in wanted]
        assert list(both.reports(jobs)) == [both.report(*each) for each in wanted]


def test_gm_overrides_a_template(tmp_path: Path) -> None:
    """A template in the GM's folder replaces the program's; all others stay."""
    (tmp_path / "fair").mkdir()
    (tmp_path / "fair" / "report.txt.j2").write_text(
        '{% extends "host/report.txt.j2" %}{% block knowledge %}House rules!{% endblock %}'
    )

    parts = Renderer([tmp_path, *TEMPLATES], pictures=False).report(Fair(), seen(), facts())

    assert "House rules!" in parts.text
    assert "Your purse holds" in parts.html


def test_misspelt_name_in_a_template_is_an_error(tmp_path: Path) -> None:
    """A template with an unknown name fails instead of mailing a gap."""
    (tmp_path / "fair").mkdir()
    (tmp_path / "fair" / "report.txt.j2").write_text(
        '{% extends "host/report.txt.j2" %}{% block knowledge %}\n{{ view.pruse }}{% endblock %}'
    )

    with pytest.raises(ConfigError, match=r"the template fair/report.txt.j2, line 2 cannot be used: .*'pruse'"):
        Renderer([tmp_path, *TEMPLATES], pictures=False).report(Fair(), seen(), facts())


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("report.txt.j2", "\n{% if %}", r"the template fair/report.txt.j2, line 2 cannot be used: Expected"),
        (
            "report.txt.j2",
            '{% extends "host/nope.j2" %}',
            "the template host/nope.j2 is missing; it is needed for fair",
        ),
        ("report.txt.j2", "{{ [(1, 2)] | columns('One') }}", "line 1 cannot be used: a table with the headings One"),
        ("events.j2", "{% macro event(e, view) %}\n\n{{ e.nope }}{% endmacro %}", r"events.j2, line 3 .*'nope'"),
        ("events.j2", "", "fair/events.j2.* cannot be used: .*no attribute 'event'"),
    ],
)
def test_fault_in_a_gms_template_is_told_with_its_line(tmp_path: Path, name: str, text: str, words: str) -> None:
    """An error in a GM's template is one sentence with the file and the line, not a traceback."""
    (tmp_path / "fair").mkdir()
    (tmp_path / "fair" / name).write_text(text)

    with pytest.raises(ConfigError, match=words):
        Renderer([tmp_path, *TEMPLATES], pictures=False).report(Fair(), seen(), facts())


def subject(**changes: Any) -> str:
    """Return the subject of red's report of a view with some changes."""
    return reporter().report(Fair(), {**seen(), **changes}, facts()).subject


def test_a_subject_has_turn_deadline_and_headline() -> None:
    """A subject says what is to be done and until when, then the first headline as a clause."""
    assert subject() == "round 2, due Fri 27 Nov 20:00 CET: you have 11 coins and 1 prizes"
    assert subject(awaited=False) == "round 2: nothing to do"
    assert subject(mover="red") == "your move, round 2, due Fri 27 Nov 20:00 CET"
    assert subject(mover="blue", awaited=False) == "blue moves, round 2: nothing to do"


def test_the_first_headline_that_fits_stands_in_the_subject() -> None:
    """Headlines are not cut in mid-phrase: clauses are left off, or the next headline is told."""
    lines = [
        "You lost the harbour and all twelve ships that were waiting there.",
        "You took Naxos, the hill and a town.",
    ]
    told = reporter().report(Telling(lines), seen(), facts()).subject

    assert told == "round 2, due Fri 27 Nov 20:00 CET: you took Naxos, the hill and a town"
    assert (
        reporter().report(Telling(lines), {**seen(), "mover": "red"}, facts()).subject.endswith("CET: you took Naxos")
    )


@pytest.mark.parametrize(
    "headline",
    [
        "You, green and blue lead with 5 points, and nobody else has any that count.",
        "You lost C2, C1 and C4 to green and blue in the fights around your own Harvester.",
        "You lost 2 Cruisers, 1 Scout and 3 others, which were on the way to the north.",
        "Enemy 1, a B fighter, left E1 and may meet you on F1 and F2, or nowhere at all.",
        "3 units, the nearest of an unknown owner at 2,-4 or so, were seen 4 steps off.",
        "Markers, of the many that end the game as soon as someone has them all: none.",
        "Nearest to gather: a Harvester or a resource, by scanners, at -1,-1 or nearer.",
    ],
)
def test_a_subject_has_no_beginning_of_a_list_or_noun(headline: str) -> None:
    """Of a list no part is told as if it were all, and no noun without what is said of it."""
    assert "CET: you have" in reporter().report(Telling([headline, "You have 3 coins."]), seen(), facts()).subject


def test_a_subject_says_once_who_moves() -> None:
    """The part of a label that names the mover is left out beside it."""
    assert subject(mover="red", label="round 2, red moving").startswith("your move, round 2, due ")
    assert subject(mover="red", label="round 2, red moving", awaited=False) == "red moves, round 2: nothing to do"


@pytest.mark.parametrize("label", ["round 2", "the night\nof the long knives, when all boats were burnt", "x" * 300])
def test_a_subject_is_one_line_of_at_most_78_characters(label: str) -> None:
    """However long label and headline are, the subject has one line and leaves room for the code."""
    game = Telling(["**You** lost `Naxos`, the harbour and *all* 12 ships that were waiting there for the wind."])
    told = reporter().report(game, {**seen(), "label": label}, facts(correction=Correction(edition=2, differences=())))

    assert told.subject.startswith("CORRECTED, ")
    assert len(f"[fair1] {told.subject}") <= 78
    assert not set("\r\n*`") & set(told.subject)


def test_names_of_the_archives_files() -> None:
    """The parts of a report are named after the seat, each picture after itself as well."""
    with Renderer(TEMPLATES) as with_pictures:
        files = with_pictures.report(Fair(), seen(), facts()).files()

    assert sorted(files) == ["red.html", "red.json", "red.purse.png", "red.txt"]


def test_nothing_but_the_facts_tells_the_time() -> None:
    """A report without a deadline says that there is none."""
    parts = reporter().report(Fair(), seen(), facts(deadline=None))

    assert "\nThere is no deadline.\n" in parts.text
    assert json.loads(parts.data)["deadline"] is None


def test_json_has_the_whole_view() -> None:
    """The attached JSON has the view as it is, its game and version, and the deadline in UTC."""
    deadline = dt.datetime(2026, 11, 27, 20, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    data = json.loads(reporter().report(Fair(), seen(), facts(deadline=deadline)).data)

    assert data["view"] == seen()
    assert (data["game"], data["game_version"], data["format"]) == ("fair", 1, 1)
    assert data["deadline"] == "2026-11-27T19:00:00+00:00"


def test_a_changed_template_is_compiled_anew(tmp_path: Path) -> None:
    """A GM's change to a template shows in the next run."""
    (tmp_path / "host").mkdir()
    texts = []
    for words in ("Hello", "Welcome"):
        (tmp_path / "host" / "greeting.txt.j2").write_text(words)
        texts.append(Renderer([tmp_path], pictures=False).write(Greeting()).text)

    assert texts == ["Hello", "Welcome"]
