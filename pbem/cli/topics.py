"""The topics of `pbem help TOPIC`; what can be generated is generated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from textwrap import dedent

_SCHEDULE = """
    A schedule gives each turn its deadline. It is set for a new campaign with --schedule, and for turns to come with:

      pbem set trap7 schedule="SAT 20:00 Europe/Berlin"

    FRI 20:00 Europe/Berlin                  weekly
    MON,THU 20:00 Europe/Berlin              on several days; DAILY is each
    EVERY 2 WEEKS FRI 20:00 Europe/Berlin    the second Friday to come
    1ST,3RD FRI 20:00 Europe/Berlin          by weeks of a month; LAST is one
    EVERY 12h                                so long after the turn opened

    The time zone is one like Europe/Berlin, or UTC. A turn is also run once all its sheets are in.
    The deadline of the open turn alone is changed with:

      pbem deadline trap7 24h                later by a span: 30m, 24h, 3d
      pbem deadline trap7 2026-12-24T20:00   a moment, by the campaign's clocks
"""

_DICE = """
    All dice come from a secret seed that is drawn when a campaign is created.

    dice seal    The hash of the seed. It is mailed to all before the start, and stands in every first report:
                 the seed cannot be changed afterwards.
    dice word    A player's own input, mixed into the dice. Players send it before the start: DICE any words.
    roll         Dice rolled by the GM: pbem roll king1 3d6+2 "ann storms the gate". A roll is final, and is
                 in the journal and in the record of its turn.

    When the game is over, the last reports have the seed. Anyone can then run every turn again and compare:

      pbem verify turns --campaign trap7

    A preview has other dice. With --real-dice, and in a fork, it has those that the turn will have; players
    are told in the next report.
"""

_JSON = """
    With --json every command but serve prints one JSON object:

      {"result": "done", "summary": "..", "next": ["pbem .."], ..}

    result     done, would_do, not_done or nothing_to_do
    summary    the first line that is printed without --json
    next       commands to go on with; may be empty
    error      only of an error: {"code": "..", "text": "..", "hint": ".."}

    The facts of the command stand beside these. Times are in UTC, like 2026-11-06T19:00:00+00:00.
    Nothing is asked: a command that would ask prints "would_do" and changes nothing.

    exit code 0    done, nothing to do, or shown by --dry-run
    exit code 1    not done, or what was checked has errors
    exit code 2    wrong usage
    exit code 3    nothing has changed, since it needs confirmation: add --yes
    exit code 130  ended by Ctrl-C

    JSON Schemas of reports, order sheets and choices: pbem dev schema report
"""

_OPTIONS = """
    Options that all commands take:

    --home DIR   the home to use; otherwise the nearest folder with pbem.toml, upwards
    --json       print JSON, for scripts; see: pbem help json
    --now TIME   act as at this time, like 2026-11-06T20:00Z; for tests
    --log FILE   write the log to this file, - is standard error; for tick, serve and run
    --color      colour the output; otherwise a terminal has colours unless NO_COLOR is set; --no-color

    Options of commands that ask:

    --yes        do it without asking
    --dry-run    only show what would be done

    Long lists go through the pager in $PAGER. The tab key completes commands, campaigns, seats, turns,
    house rules and games after: pbem --install-completion
"""

_WORDS: Mapping[str, str] = {
    "home": "the folder of one installation, with database, mail and archive",
    "game, option": "rules that can be played; a variant of them, chosen at `new`",
    "campaign": "one play of a game, under a name",
    "house rule": "what a GM may set for a campaign: pbem help house-rules",
    "seat": "a position in a campaign: playing, open or removed; may be paused",
    "player, GM": "the person of a seat; the person who runs the campaign",
    "standby, deputy": "who waits for a seat; who may send sheets for a seat for some days",
    "token": "the secret of a seat or a GM, which proves who wrote",
    "turn, deadline": "a turn is open, due, then run; its orders are due at the deadline",
    "schedule": "the rule that gives each turn its deadline: pbem help schedule",
    "order, sheet": "one line; all orders of a seat for a turn",
    "receipt, report": "the answer to a sheet; what a seat is mailed of a turn",
    "hold, release": "no turn is run until the campaign is released",
    "ruling": "what the GM decides of a turn in a game without code",
    "announcement": "words of the GM to players, at once or in the next report",
    "press": "messages between players",
    "question": "a player's words to the GM, with a number",
    "journal": "the list of what was done, when and by whom",
    "withdrawn": "of turns and reports: no longer in force, still in the archive",
    "message, inbox": "a mail received; the list of all",
    "quarantine": "a message that was not processed waits there for the GM",
    "outbox": "mail to be sent: queued, deferred, failed or bounced",
    "backup, export": "a file with a whole home; a file with one campaign that moves",
    "archive, record": "files of all turns; the hash-linked record of one",
    "dice seal": "the hash of the secret seed of all dice: pbem help dice",
}


def _text(text: str) -> Callable[[], Iterable[str]]:
    return lambda: dedent(text).strip("\n").split("\n")


def _house_rules() -> Iterator[str]:
    from pbem.actions.base import CLI
    from pbem.actions.settings import HouseRuleList, ShowHouseRules, house_rule_lines
    from pbem.campaign.house_rules import SCHEDULE, HouseRules

    yield "House rules are shown and changed with: pbem set NAME [RULE=VALUE]..; those of a new campaign with --set."
    yield ""
    values = {**asdict(HouseRules()), SCHEDULE: "FRI 20:00 Europe/Berlin"}
    lines = tuple(house_rule_lines(values.__getitem__, "the game's title"))
    yield from ShowHouseRules().render(HouseRuleList(campaign="", house_rules=lines), CLI)


def _mail() -> Iterator[str]:
    from pbem.actions.registry import GM_COMMANDS

    yield "A GM runs a campaign by mail to the home's address, with the token of: pbem gm NAME --token"
    yield from ("", "  GM trap7 TOKEN", "  HOLD back on Monday", "  END", "")
    yield "The commands:"
    yield ""
    seen = {verb.order.usage: (verb.order.__doc__ or "").partition("\n")[0] for verb in GM_COMMANDS.verbs}
    width = 34
    for usage, summary in sorted(seen.items()):
        yield f"  {usage:<{width}} {summary}" if len(usage) <= width else f"  {usage}\n  {'':<{width}} {summary}"
    yield ""
    yield "Players: a mail with the word HELP to the same address brings their commands."


def _words() -> Iterator[str]:
    width = max(map(len, _WORDS))
    yield from (f"{word:<{width}}  {meaning}" for word, meaning in _WORDS.items())


TOPICS: Mapping[str, Callable[[], Iterable[str]]] = {
    "schedule": _text(_SCHEDULE),
    "house-rules": _house_rules,
    "dice": _text(_DICE),
    "mail": _mail,
    "json": _text(_JSON),
    "words": _words,
    "options": _text(_OPTIONS),
}
"""The lines of each topic."""
