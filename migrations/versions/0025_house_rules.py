"""House rules under today's names and values; the settling time becomes one of them.

What is not as the version before wrote it keeps its value, so that the check of every
column (`pbem.campaign.column_checks`) can name it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_NAMES = {
    "accept": "authentication",
    "least": "min_time",
    "vote": "extension_votes",
    "extensions": "extension_limit",
    "absence_days": "absence",
    "late": "late_list",
    "nmr_open": "open_after_missed",
    "nmr_remove": "remove_after_missed",
    "press_with": "press_delivery",
    "pages": "page",
}
_VALUES = {
    "authentication": {"confirmed": "confirm"},
    "extension_votes": {"none": "off"},
    "late_list": {"private": "gm", "public": "players"},
    "press_delivery": {"mail": "now"},
    "page": {"no": "off"},
    "site": {"all": "full"},
}
"""Names, and by today's name values, before and after."""

_SETTLE = 30
_MASS = 60

_CAMPAIGN = sa.table(
    "campaign", sa.column("id", sa.Integer), sa.column("policy", sa.Text), sa.column("settle_minutes", sa.Integer)
)


def upgrade() -> None:
    """Rename rules and values, and move the settling time to the house rules."""
    _change(_upgraded)
    with op.batch_alter_table("campaign") as campaign:
        campaign.drop_column("settle_minutes")


def downgrade() -> None:
    """Give rules and values their names back; titles are lost."""
    with op.batch_alter_table("campaign") as campaign:
        campaign.add_column(sa.Column("settle_minutes", sa.Integer(), nullable=False, server_default=str(_SETTLE)))
    _change(_downgraded)
    with op.batch_alter_table("campaign") as campaign:
        campaign.alter_column(
            "settle_minutes", server_default=None, existing_type=sa.Integer(), existing_nullable=False
        )


def _change(change: Callable[[dict[str, Any], Any], tuple[dict[str, Any], Any]]) -> None:
    for id_, text, settle in op.get_bind().execute(sa.select(*_CAMPAIGN.c)).all():
        policy = _read(text)
        if policy is not None:
            policy, settle = change(policy, settle)
            packed = json.dumps(policy, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            values = {"policy": packed, "settle_minutes": settle}
            op.execute(_CAMPAIGN.update().where(_CAMPAIGN.c.id == id_).values(**values))


def _read(text: Any) -> dict[str, Any] | None:
    """Return stored house rules; None if they are damaged, and stay as they are."""
    try:
        read = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _upgraded(policy: dict[str, Any], settle: Any) -> tuple[dict[str, Any], Any]:
    return dict(_upgraded_rules(policy, settle)), settle


def _upgraded_rules(old: dict[str, Any], settle: Any) -> Iterator[tuple[str, Any]]:
    for name, value in old.items():
        if name not in ("mass", "review", "diary"):
            new = _NAMES.get(name, name)
            yield new, _lookup(_VALUES.get(new, {}), value)
    if settle != _SETTLE:
        yield "settle", settle if isinstance(settle, int) else str(settle)
    if "mass" in old or "review" in old:
        yield "hold", _hold(old.get("mass", _MASS), old.get("review", False))
    # Zero extensions were votes without effect, as was an extension of no time.
    if _is_zero(old.get("extensions")):
        yield "extension_limit", 2
        yield "extension_votes", "off"
    if _is_zero(old.get("extension")):
        yield "extension", 1


def _hold(mass: Any, review: Any) -> Any:
    if not isinstance(review, bool):
        return review
    if review:
        return "always"
    if type(mass) is not int:
        return mass
    return "off" if mass == 101 else f"{mass}%"


def _downgraded(policy: dict[str, Any], _: Any) -> tuple[dict[str, Any], Any]:
    old = {new: name for name, new in _NAMES.items()}
    policy = {**policy}
    settle, hold = policy.pop("settle", _SETTLE), policy.pop("hold", None)
    policy.pop("title", None)
    back = {
        old.get(name, name): _lookup({after: before for before, after in _VALUES.get(name, {}).items()}, value)
        for name, value in policy.items()
    }
    if hold == "always":
        back["review"] = True
    elif hold is not None:
        back["mass"] = 101 if hold == "off" else int(str(hold).removesuffix("%"))
    return back, settle


def _lookup(values: dict[str, str], value: Any) -> Any:
    return values.get(value, value) if isinstance(value, str) else value


def _is_zero(value: Any) -> bool:
    return type(value) is int and value == 0
