"""Small mails: an example is a mail by its function alone, and each that there is has a sample."""

from __future__ import annotations

import inspect
from pathlib import Path

from pbem.campaign.notices import GM, gm_moment, post
from pbem.campaign.snapshot import Context, load_campaign
from pbem.report import small
from pbem.report.notices import Notice
from tests.toy.home import Desk


def snowed_in(*, depth: int) -> Notice:
    """To all players: an example, with a block of each kind."""
    return Notice(
        subject="snow",
        title="Snowed in",
        about=("winter",),
        preheader=f"{depth} cm of snow lie before the door.",
        blocks=(
            small.panel("no", "The post does not run", "Stay inside."),
            f"There are {depth} cm of <snow>.",
            small.bullets("red is cold", "blue is cold"),
            small.form("SHOVEL 3"),
            small.commands(("SHOVEL 3", "takes 3 cm away")),
            small.note("Spring comes."),
        ),
    )


def test_a_small_mail_is_its_function_alone(desk: Desk) -> None:
    """A function in one place is mailed to all players, in text and in HTML, with layout and footer of all mails."""
    desk.begin()
    with desk.app.store.writing() as session:
        context = Context(session, desk.app, load_campaign(session, "toy1"), desk.now)
        post(context, context.snapshot.playing, snowed_in(depth=40), id_=("act", 99))
    desk.tick()

    text, html = (desk.last().get_body((kind,)) for kind in ("plain", "html"))
    assert desk.last()["Subject"] == "[toy1] snow"
    assert text is not None
    assert html is not None
    said = text.get_content()
    assert said.startswith(
        "Snowed in\nToy Auction · toy1 · winter\n\nThe post does not run\nStay inside.\n\nThere are 40 cm of <snow>."
    )
    assert (
        "\n- red is cold\n- blue is cold\n\nSHOVEL 3\n\n- SHOVEL 3: takes 3 cm away\n\nSpring comes.\n\n-- \nYour GM: "
        in said
    )
    assert "There are 40 cm of &lt;snow&gt;.</p>" in html.get_content()


def test_each_small_mail_has_a_sample() -> None:
    """The doctor and the tests of words see all functions that return a small mail."""
    functions = {
        name
        for name, each in vars(small).items()
        if inspect.isfunction(each) and inspect.signature(each).return_annotation == "Notice"
    }

    assert {make().title for make in small.SAMPLES}
    assert {name for make in small.SAMPLES for name in make.__code__.co_names if name in functions} == functions


def test_the_guide_names_the_places_of_a_small_mail() -> None:
    """CONTRIBUTING names the file of the functions, and no further one."""
    guide = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
    part = guide.partition("### A small mail: 1 place\n")[2].partition("\n### ")[0]

    assert [word for word in part.split() if word.startswith("`pbem/")] == ["`pbem/report/small.py`:"]


def test_a_mail_of_an_id_is_sent_once(desk: Desk) -> None:
    """Whoever asks twice for the mail of an act, or for one to the GM of a moment, sends it once; without, twice."""
    desk.begin()
    with desk.app.store.writing() as session:
        context = Context(session, desk.app, load_campaign(session, "toy1"), desk.now)
        moment = gm_moment(context.snapshot, "snow")
        asked = ((context.snapshot.playing, ("act", 99)), (GM, moment), (GM, ()))
        first, again = ([post(context, to, snowed_in(depth=40), id_=id_) for to, id_ in asked] for _ in range(2))

    assert all(first)
    assert list(map(bool, again)) == [False, False, True]
