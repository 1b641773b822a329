"""House rules are read, and hostile ones are refused."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from pbem.campaign.house_rules import HOUSE_RULES, HouseRules, check_kept, parse_house_rule, parse_house_rules
from pbem.errors import CampaignError


@pytest.mark.parametrize("name", [name for name in HOUSE_RULES if name != "schedule"])
def test_each_default_is_kept_and_shown_as_it_may_be_typed(name: str) -> None:
    """The default of each rule passes the check of stored values, and its printed form is read as the same."""
    rule, usual = HOUSE_RULES[name], getattr(HouseRules(), name)

    assert rule.keeps(list(usual) if isinstance(usual, tuple) else usual)
    assert parse_house_rules({name.replace("_", "-"): rule.show(usual) or "off"}) == {name: usual}


@pytest.mark.parametrize(
    ("name", "typed", "shown"),
    [
        ("min-time", "90m", "90m"),
        ("settle", "NEVER", "off"),
        ("absence", "14", "14d"),
        ("hold", "100", "100%"),
        ("hold", "Always", "always"),
        ("signup", "on", "on"),
        ("spectators", "03", "3"),
        ("spectators", "none", "off"),
        ("title", "The Fall of Troy — Ünder", "The Fall of Troy — Ünder"),
        ("title", "off", ""),
        ("schedule", "sat 20:00 Europe/Berlin", "sat 20:00 Europe/Berlin"),
    ],
)
def test_values_are_shown_as_they_are_typed_best(name: str, typed: str, shown: str) -> None:
    """Each value has one printed form."""
    ((field, value),) = parse_house_rules({name: typed}).items()

    assert HOUSE_RULES[field].show(value) == shown


REFUSED = [
    ("graze", "1h", 'no house rule "graze". Did you mean grace?'),
    ("min_tine", "1h", 'no house rule "min-tine". Did you mean min-time?'),
    ("xyzzy", "1", 'no house rule "xyzzy". List them'),
    ("grace", "soon", 'grace cannot be "soon". Expected: off, or 1m to 14d, like 12h'),
    ("grace", "15d", "Expected: off, or 1m to 14d"),
    ("grace", "٣h", "grace cannot be"),
    ("extension", "off", "Expected: 1m to 30d"),
    ("extension-limit", "٣", "Expected: 1 to 20"),
    ("extension-limit", "9" * 5000, "Expected: 1 to 20"),
    ("extension-limit", "1_0", "Expected: 1 to 20"),
    ("extension-limit", "0", "Expected: 1 to 20"),
    ("absence", "91d", "Expected: off, or 1d to 90d"),
    ("hold", "0.5%", "Expected: off, 1% to 100% of the sheets, or always"),
    ("hold", "101", "Expected: off, 1%"),
    ("hold", "5%%", "Expected: off, 1%"),
    ("spectators", "51", "Expected: off, or 0 to 50"),
    ("holidays", "2026-02-30", "Expected: off, or days like"),
    ("holidays", ",,", "Expected: off, or days like"),
    ("holidays", "2026-01-02..2026-01-01", "Expected: off, or days like"),
    ("holidays", ",".join(["2026-01-01"] * 367), "Expected: off, or days like"),
    ("title", "x" * 81, "1 to 80 characters in one line"),
    ("title", "Troy\r\nBcc: eve@example.org", "1 to 80 characters in one line"),
    ("title", "Troy\x1b[2J", 'title cannot be "Troy\N{REPLACEMENT CHARACTER}[2J"'),
    ("title", "Troy\u202egnp", "1 to 80 characters in one line"),
    ("title", "Troy\u2028X", "1 to 80 characters in one line"),
    ("title", "\udcff", "1 to 80 characters in one line"),
    ("schedule", ",".join(["MON"] * 40) + " 20:00 UTC", "a schedule has 120 characters at most"),
    ("press", "SIGNED\n", None),
]


@pytest.mark.parametrize(("name", "typed", "said"), REFUSED)
def test_what_cannot_be_is_refused_with_what_is_expected(name: str, typed: str, said: str | None) -> None:
    """Unknown names have the nearest, bad values the expected ones: in one line without control characters."""
    if said is None:
        assert parse_house_rules({name: typed}) == {name: typed.strip().lower()}
        return
    with pytest.raises(CampaignError) as refused:
        parse_house_rules({name: typed})

    assert said in str(refused.value)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 300


def test_a_rule_given_twice_is_refused() -> None:
    """A rule written in two ways in one command would silently drop one of the values."""
    with pytest.raises(CampaignError, match="min-time is given twice"):
        parse_house_rules({"min-time": "1h", "min_time": "2h"})


HOSTILE: list[Any] = [
    *(
        None,
        True,
        -1,
        0,
        0.5,
        10**30,
        "",
        "x" * 5000,
        "\n",
        "101",
        "0%",
        "1e9%",
        [],
        [1],
        ["2026-01-01\n"],
        {},
        {"a": []},
    ),
    *(["2026-01-01"] * 500, [["2026-01-01"]], "٣%", "off\n", "Troy\r\nBcc: eve@example.org"),
]


@pytest.mark.parametrize("name", [*HOUSE_RULES, "accept", "mass", "diary", "review", "graze", "__class__", "delay"])
def test_hostile_values_of_a_file_are_refused_or_harmless(name: str) -> None:
    """Any JSON under any name is refused in a sentence, or is a value that all readers understand."""
    for value in HOSTILE:
        try:
            check_kept({name: value})
        except CampaignError as error:
            assert str(error).isprintable()  # noqa: PT017 - either is right
            continue
        rules = HouseRules.read({name: value})
        assert isinstance(rules.grace_time + rules.settle_time, dt.timedelta)
        assert rules.hold_percent in (None, *range(1, 101))
        assert rules.delay in (None, *range(51))
        assert rules.title.isprintable()
        kept = parse_house_rule(name, HOUSE_RULES[name].show(value) or "off")
        assert (list(kept) if isinstance(kept, tuple) else kept) == value
