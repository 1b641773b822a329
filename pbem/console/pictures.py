"""A picture written into a file of the user's."""

from __future__ import annotations

from pathlib import Path

from pbem.errors import CampaignError, reason_of
from pbem.report.pictures import paint_one
from pbem.ruleset.drawing import Picture


def write_picture(path: Path, picture: Picture) -> None:
    """Writes a picture as SVG or PNG, by the ending of the file's name. Raises CampaignError."""
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise CampaignError(f"{path} is neither an SVG nor a PNG: call it like {path.with_suffix('.png')}")
    content = picture.svg.encode() if kind == ".svg" else paint_one(picture)
    if content is None:
        raise CampaignError("the picture cannot be painted as PNG here; an SVG can be written")
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CampaignError(f"{path} cannot be written ({reason_of(error)})") from None
