"""The games there are, a sheet checked at home, and a campaign played by bots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pbem.actions.base import render_reading
from pbem.campaign.snapshot import players_allowed
from pbem.demo import DemoResult
from pbem.inbox.order_sheets import Check
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Standing
from pbem.text import counted, sentence, wrapped


def check_lines(check: Check) -> Iterator[str]:
    """What a receipt would say of a sheet: notes, findings, and the orders in words."""
    taken = "would be taken" if check.accepted else "would not be taken"
    yield f"{check.campaign}, {check.label}, seat {check.seat}: this sheet {taken}."
    yield f"{counted(len(check.orders), 'order')}, {counted(check.errors, 'line')} in error."
    for note in check.notes:
        yield wrapped(sentence(note))
    yield from render_reading(check.findings, check.orders)
    if check.missing:
        yield from ("", "To know:", *(f"- {wrapped(sentence(item), '  ')}" for item in check.missing))


def game_lines(games: Iterable[AnyRuleset]) -> Iterator[str]:
    """The games there are, with their options."""
    for number, game in enumerate(games):
        if number:
            yield ""
        yield f"{game.key}: {game.title}, by {game.designer}"
        yield f"  {wrapped(sentence(game.summary), '  ')}"
        yield f"  {players_allowed(game.seats)} players" + (
            f": {', '.join(game.seats.names)}" if game.seats.names else ""
        )
        yield f"  {wrapped('pace: ' + game.pace, '  ')}"
        for option in game.options:
            text = f"--option {option.name}=…  {option.help}: {option.allowed}; usually {_default(option.default)}"
            yield f"  {wrapped(text, '    ')}"


def game_facts(games: Iterable[AnyRuleset]) -> list[dict[str, Any]]:
    """The games there are, for scripts."""
    return [
        {
            "key": game.key,
            "title": game.title,
            "designer": game.designer,
            "version": game.version,
            "summary": game.summary,
            "pace": game.pace,
            "seats": game.seats,
            "options": list(game.options),
        }
        for game in games
    ]


def _default(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def demo_lines(result: DemoResult) -> Iterator[str]:
    """What happened in a demo, and where to look."""
    facts = [
        ("turns", str(result.turns)),
        ("order sheets", f"{result.sheets}, {result.slips} of them with a slip on purpose"),
        ("receipts", f"{result.sheets}, with {counted(result.errors, 'line')} in error"),
        ("reports", f"{result.reports}, with {counted(result.pictures, 'picture')}"),
        ("mails sent", str(result.mails)),
        ("replay", f"passed: {counted(result.proved, 'turn')} resolved again from the archive, all hashes equal"),
        ("standing", _standing(result.standing)),
    ]
    looks = [
        ("a report", result.report),
        ("its picture", result.picture),
        ("a receipt", result.receipt),
        ("the archive", result.archive),
        ("the rulings", result.rulings),
        ("the site", result.site),
        ("a seat's page", result.page),
    ]
    yield f"{result.game}, played by mail"
    yield ""
    yield from (f"  {name:<13} {value}" for name, value in facts)
    yield ""
    yield from (f"  {name:<13} {path}" for name, path in looks if path is not None)
    yield ""
    yield wrapped(
        f"The folder {result.report.parent.parent.name} has what came of turn {result.turns}. "
        "Its reports are headed by what they open: the turn after it, or the end."
    )


def _standing(standing: Standing) -> str:
    if standing.over:
        winners = ", ".join(standing.winners)
        return f"won by {winners}: {standing.reason}" if winners else f"nobody has won: {standing.reason}"
    scores = sorted(standing.scores.items(), key=lambda score: (-score[1], score[0]))
    return "still playing" + (": " if scores else "") + ", ".join(f"{seat} {score}" for seat, score in scores)
