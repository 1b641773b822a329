"""How much mail the providers take: in all, and to the addresses of one domain."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pbem.config.file import FILE_NAME
from pbem.errors import ConfigError

MOST = 1_000_000

_SPANS = {
    "per_minute": dt.timedelta(minutes=1),
    "per_hour": dt.timedelta(hours=1),
    "per_day": dt.timedelta(days=1),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The most mails in any minute, hour and day; 0 for no limit."""

    per_minute: int = 0
    per_hour: int = 0
    per_day: int = 0

    def __bool__(self) -> bool:
        return self != Limits()

    def spans(self) -> Iterator[tuple[int, dt.timedelta]]:
        """Each limit there is: so many mails in a time so long."""
        return ((count, span) for name, span in _SPANS.items() if (count := getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Pace:
    """The limits for all mail, and those for mail to single domains, by their names in lower case."""

    overall: Limits = Limits()
    domains: Mapping[str, Limits] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self != Pace()

    def spans(self, domain: str) -> Iterator[tuple[str, int, dt.timedelta]]:
        """The limits that a mail to this domain falls under; with "" for all mail, or the domain."""
        yield from (("", *span) for span in self.overall.spans())
        yield from ((domain, *span) for span in self.domains.get(domain, _NONE).spans())


_NONE = Limits()


def read_pace(key: str, value: Any) -> Pace:
    """The table `[pace]`. Raises ConfigError."""
    if not isinstance(value, dict):
        raise ConfigError(f"{FILE_NAME}: {key} must be a table: [{key}], and below it such lines as per_minute = 20")
    domains = {name.lower(): limits for name, limits in value.items() if isinstance(limits, dict)}
    own = {name: limit for name, limit in value.items() if name.lower() not in domains}
    return Pace(
        _limits(key, own), {name: _limits(f'{key}."{name}"', limits) for name, limits in sorted(domains.items())}
    )


def _limits(key: str, value: Mapping[str, Any]) -> Limits:
    for name, limit in value.items():
        if name not in _SPANS:
            raise ConfigError(f"{FILE_NAME}: {name!r} is no limit in [{key}]; limits are {', '.join(_SPANS)}")
        if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST:
            raise ConfigError(
                f"{FILE_NAME}: {name} in [{key}] must be a whole number from 1 to {MOST}, not {limit!r};"
                " leave it out for no limit"
            )
    return Limits(**value)
