"""The pages of a site filled with samples, by which a GM's own templates of it can be tried before they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from markupsafe import Markup

from pbem.report.renderer import Reporter
from pbem.report.template_check import sample
from pbem.site.facts import CampaignShown, ClubShown, GameShown, Result
from pbem.site.publishing import site_page
from pbem.store.types import Phase


def site_pages(reporter: Reporter) -> Iterator[Callable[[], str]]:
    """Ways to write each page of a site: with all that it can have, with little, and for campaigns of each kind."""
    campaigns = tuple(_campaigns())
    game = sample(GameShown, full=True)
    club = replace(sample(ClubShown, full=True), campaigns=campaigns)
    for each in (sample(ClubShown, full=False), club):
        yield partial(site_page, reporter, "index.html", "club", club=each)
        yield partial(
            site_page, reporter, f"games/{game.key}.html", "rules", club=each, game=game, text=Markup("sample")
        )
    for campaign in campaigns:
        yield from _pages_of(reporter, campaign, club)


def _campaigns() -> Iterator[CampaignShown]:
    for full in (False, True):
        campaign = sample(CampaignShown, full=full)
        over = Result(winners=("sample",) if full else (), reason="sample")
        for changed in (campaign, replace(campaign, paused=not campaign.paused)):
            for phase in Phase:
                ended = phase == Phase.OVER
                yield replace(changed, status=phase, result=over if ended else None, replay=changed.replay and ended)


def _pages_of(reporter: Reporter, campaign: CampaignShown, club: ClubShown) -> Iterator[Callable[[], str]]:
    home = f"c/{campaign.name}"
    drawn = Markup("<svg></svg>")
    pictures = [drawn] if campaign.spectacle else []
    yield partial(
        site_page, reporter, f"{home}/index.html", "campaign", club=club, campaign=campaign, pictures=pictures
    )
    if campaign.status != Phase.OVER:
        return
    for full in (False, True):
        yield partial(
            site_page,
            reporter,
            f"{home}/replay/index.html",
            "replay",
            club=club,
            campaign=campaign,
            data=Markup("sample"),
            colours=[("sample", "sample")],
            plot=drawn if full else "",
            plot_of="sample" if full else "",
            judged=full,
            archive="sample" if full else "",
            dice=("sample",) if full else (),
            **dict.fromkeys(("seal", "seed", "head"), "sample"),
        )
