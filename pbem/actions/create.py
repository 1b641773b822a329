"""Creates campaigns, from options or from an imported game position.

A GM's own files are JSON, YAML or a table (CSV), by the ending of their names.
YAML is read as version 1.2, by a safe loader: words such as yes and no are texts,
a duplicate key is an error, and no tag makes anything but data.
"""

from __future__ import annotations

import csv
import datetime as dt
import itertools
import json
import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from pbem.actions.base import CLI, TICK, Channel
from pbem.actions.welcome import mail_dice_notice, mail_dice_notice_gm
from pbem.app import App
from pbem.archive.json_patch import describe_patch, make_patch
from pbem.archive.record import setup_dice, turn_dice
from pbem.campaign.house_rules import SCHEDULE, parse_house_rule, parse_house_rules
from pbem.campaign.people import get_or_create_person
from pbem.campaign.snapshot import (
    RESERVED_SEATS,
    CampaignSnapshot,
    Context,
    add_entry,
    format_player_count,
    is_campaign_name,
    is_valid_seat_name,
    list_faults,
    load_campaign,
    raise_validation_errors,
)
from pbem.errors import PARSE_ERRORS, CampaignError, RulesetError
from pbem.mail.headers import require_address
from pbem.ruleset.dice import seed_hash
from pbem.ruleset.fields import suggest, suggest_name
from pbem.ruleset.protocol import AnyRuleset, StateImporter, TextImporter, TurnInput, iter_views
from pbem.ruleset.serialization import canonical_json, require_storable
from pbem.ruleset.validation import ValidationError
from pbem.ruleset.values import Json, Option, SeatName
from pbem.store.models import Campaign, Seat
from pbem.store.types import SeatState
from pbem.text import count_noun, join_names
from pbem.util import read_plain

MOST_VALUES = 100_000
"""The most values in a YAML file, in which a few lines can stand for very many."""

DEEPEST = 50
"""The deepest nesting of values in a YAML file."""

MOST_MERGED = 10_000
"""The most keys of an object with merges."""

MOST_BYTES = 16_000_000
"""The most bytes of a file; the largest state of a game is a tenth of that."""

MOST_YAML = 1_000_000
"""The most bytes of a YAML file; some 100,000 are read in a second."""

_TOO_MUCH = "it stands for too much data"

_SEPARATORS = ",;\t"


def read_data(path: Path) -> Json:
    """Return the data of a file.

    Raises:
        CampaignError: If it cannot be read or parsed; the message names the line if that is known.
    """
    name, read, most = _READERS.get(path.suffix.lower(), ("JSON", json.loads, MOST_BYTES))
    try:
        # `read_plain` refuses pipes and devices, which would be read for ever, and `require_storable` what no database
        # takes, such as .nan and lone surrogates.
        # "utf-8-sig", since Excel begins a CSV file in UTF-8 with a byte order mark.
        return require_storable(read(read_plain(path, most, follow=True).decode("utf-8-sig")))
    except OSError as error:
        raise CampaignError(f"{path} cannot be read ({error.strerror or type(error).__name__})") from None
    except (ValueError, RecursionError) as error:
        raise CampaignError(f"{path} is not {name} ({str(error)[:200]})") from None


def read_yaml(text: str) -> Json:
    """Return the data of a YAML text. Raises ValueError if it is invalid, or has no counterpart in JSON."""
    # Imported here: it takes a while, and most commands read no YAML.
    from ruamel.yaml import YAML
    from ruamel.yaml.composer import MaxDepthExceededError
    from ruamel.yaml.constructor import ConstructorError, SafeConstructor
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    class Constructor(SafeConstructor):
        """Constructor that limits merges (<<)."""

        def flatten_mapping(self, node: Any) -> None:
            written = len(node.value)
            super().flatten_mapping(node)
            # A merge repeats what it names, and what that names in turn: ten lines took minutes and all of the memory.
            if len(node.value) > max(written, MOST_MERGED):
                raise ValueError(_TOO_MUCH)

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep=deep)
            except LookupError:  # ruamel.yaml has no error of its own for a value such as `!!bool abc`
                raise ConstructorError(None, None, f"no value of {node.tag}", node.start_mark) from None

    # Reads YAML 1.2, in which `no` is a word (PyYAML makes it false), and refuses duplicate keys (decision 33).
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = Constructor
    yaml.max_depth = DEEPEST
    # YAML lets an anchor be defined twice (1.2, 3.2.2.2); a warning would go to standard error.
    yaml.composer.warn_double_anchors = False
    try:
        data = yaml.load(text)
    except MaxDepthExceededError:
        raise ValueError(_TOO_MUCH) from None
    except MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"{' '.join(str(error.problem or error.context).split())}{line}") from None
    except YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    return _to_json(data, itertools.count(1), 0)


def _to_json(value: Any, values: Iterator[int], depth: int) -> Json:
    """Return YAML data as JSON: keys and dates become text. Raises ValueError if it is too much or of another type."""
    # Counted while aliases are followed: few lines can stand for very many values.
    if next(values) > MOST_VALUES or depth > DEEPEST:
        raise ValueError(_TOO_MUCH)
    if isinstance(value, Mapping):
        return {_key(key): _to_json(each, values, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_to_json(each, values, depth + 1) for each in value]
    if isinstance(value, dt.date):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(f"a value of the kind {type(value).__name__} is not taken")


def _key(key: Any) -> str:
    if isinstance(key, str | int) and not isinstance(key, bool):
        return str(key)
    raise ValueError(f"{str(key)[:40]!r} cannot be a name: put it in quotes")


def read_table(text: str) -> Json:
    """Return the rows of a CSV table as objects by column heading; the separator is a comma, semicolon or tab.

    Raises:
        ValueError: If a row does not fit the headings.
    """
    lines = text.splitlines()
    separator = max(_SEPARATORS, key=lines[0].count) if lines else ","
    rows = csv.DictReader(lines, delimiter=separator, strict=True)
    headings = [heading.strip() for heading in rows.fieldnames or ()]
    if not headings or len(set(headings)) < len(headings):
        raise ValueError("its first line must name each column, and none twice")
    rows.fieldnames = headings
    try:
        return [_row(rows.line_num, row) for row in rows]
    except csv.Error as error:
        raise ValueError(f"{error}, line {rows.line_num}") from None


def _row(line: int, row: Mapping[str | None, Any]) -> dict[str, str]:
    if None in row:
        raise ValueError(f"line {line} has more cells than there are headings")
    # A row that is too short has None for its last cells.
    return {str(heading): (cell or "").strip() for heading, cell in row.items()}


_READERS: Mapping[str, tuple[str, Callable[[str], Json], int]] = {
    ".yaml": ("YAML", read_yaml, MOST_YAML),
    ".yml": ("YAML", read_yaml, MOST_YAML),
    ".csv": ("CSV", read_table, MOST_BYTES),
}

LAST_TURN = 9999
"""The highest number that a first turn may have."""

MOST_TEXT = 1_000_000
"""The most bytes of a text; no GM has written a longer one."""

_TURN_LABEL = re.compile(r"turn ([0-9]{1,9})")
# The seed of the trial turn, whose result is thrown away.
_TRIAL_SEED = b"only to see whether the game goes on"


@dataclass(frozen=True, slots=True)
class ImportedState:
    """The position from which an imported campaign starts: the dumped state, and the number of its first turn."""

    state: Json
    turn: int


def read_texts(folder: Path) -> dict[str, str]:
    """Return the texts of a folder by file name, hidden files left out.

    Raises:
        CampaignError: If the folder or a file cannot be read.
    """
    if not folder.is_dir():
        raise CampaignError(f"{folder} is no folder: give the one with the texts that players are told first")
    return {path.name: _read_text(path) for path in sorted(folder.iterdir()) if not path.name.startswith(".")}


def _read_text(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > MOST_TEXT:
            raise CampaignError(f"{path} is no text of at most {MOST_TEXT:,} bytes: take it out of the folder")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise CampaignError(f"{path} cannot be read ({error.strerror or type(error).__name__})") from None
    except ValueError:
        raise CampaignError(f"{path} is not text in UTF-8: save it as such, or take it out of the folder") from None


def import_state(ruleset: AnyRuleset, data: Json, seats: Sequence[SeatName], turn: int | None) -> ImportedState:
    """Return the start of a campaign that continues from a state.

    Raises:
        CampaignError: If it cannot; the message names every fault.
    """
    if not isinstance(ruleset, StateImporter):
        raise CampaignError(
            f"{ruleset.title} cannot be begun in the middle from a state: it does not know how to look at one"
            + ("; write texts, and give their folder with --from" if isinstance(ruleset, TextImporter) else "")
        )
    _raise_faults(ruleset, ruleset.check_state(data, seats))
    return _check_and_import(ruleset, data, seats, turn)


def import_texts(
    ruleset: AnyRuleset,
    options: Mapping[str, Any],
    texts: Mapping[str, str],
    seats: Sequence[SeatName],
    turn: int | None,
) -> ImportedState:
    """Return the start of a campaign that continues from a GM's texts.

    Raises:
        CampaignError: If it cannot; the message names every fault.
        SetupError: As from `setup`.
    """
    if not isinstance(ruleset, TextImporter):
        raise CampaignError(f"{ruleset.title} cannot be begun from texts: give a state of it with --state")
    data, found = ruleset.state_from(options, seats, texts, turn or 1)
    errors = [
        f"{name}{f', line {finding.line}' if finding.line else ''}: {finding.text}"
        + (f"; {finding.hint}" if finding.hint else "")
        for name, findings in found.items()
        for finding in findings
        if finding.severity == "error"
    ]
    if errors:
        raise CampaignError(list_faults(f"{ruleset.title} cannot be begun from these texts", errors))
    return _check_and_import(ruleset, data, seats, turn or 1)


def _check_and_import(ruleset: AnyRuleset, data: Json, seats: Sequence[SeatName], turn: int | None) -> ImportedState:
    """Check that a state loads, that each seat can be shown it, and that its turn runs; return it as dumped."""
    try:
        state = ruleset.load(data, ruleset.version)
        dumped = json.loads(canonical_json(ruleset.dump(state)))
        # What the game reads otherwise would be lost in silence (decision 36).
        if canonical_json(data) != canonical_json(dumped):
            changes = describe_patch(data, make_patch(data, dumped))
            _raise_faults(
                ruleset, [ValidationError(each.path, f"the game reads it otherwise: {each.text}") for each in changes]
            )
        standing = ruleset.standing(state)
        if standing.over:
            raise CampaignError(f"this game of {ruleset.title} is over: there is nothing to play on from")
        _raise_faults(ruleset, [_unknown_seat(seat) for seat in sorted(standing.awaiting - set(seats))])
        labels = [str(view["label"]) for _, view in iter_views(ruleset, state, seats, ())]
        empty = {seat: () for seat in seats if seat in standing.awaiting}
        # `check_state` promises that the state can be played to the end; one turn is tried all the same (decision 36).
        ruleset.resolve(state, TurnInput(empty, standing.awaiting), turn_dice(_TRIAL_SEED, turn or 1))
    except (*PARSE_ERRORS, RulesetError) as error:
        raise CampaignError(
            f"{ruleset.title} cannot be played on from this state ({type(error).__name__}: {error})"
        ) from None
    return ImportedState(dumped, _first_turn(ruleset, labels[0], turn))


def _unknown_seat(seat: SeatName) -> ValidationError:
    return ValidationError(
        "", f"the game waits for {seat}, whom the campaign does not have", f"give it: --seat {seat}=ADDRESS"
    )


def _first_turn(ruleset: AnyRuleset, label: str, turn: int | None) -> int:
    """Return the number of the first turn, as the game counts if it does. Raises CampaignError if `turn` is another."""
    counted = _TURN_LABEL.fullmatch(label)
    if counted is None or turn == int(counted[1]):
        return turn or 1
    if turn is None and int(counted[1]) <= LAST_TURN:
        return int(counted[1])
    raise CampaignError(
        f"the state is of {label} of {ruleset.title}, not of turn {turn}: say --turn {counted[1]}, or change the state"
    )


def _raise_faults(ruleset: AnyRuleset, faults: Sequence[ValidationError]) -> None:
    raise_validation_errors(f"this is no state of {ruleset.title} to play on from", faults)


_NOT_IN_NAMES = re.compile(r"[^a-z0-9-]++")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCampaign:
    """A campaign as a GM typed it: `seats` are (seat, address), `options` and `policy` name → text.

    `open` more seats have no player yet: those who sign up or are invited get them.
    A game that was started elsewhere continues from its `state`, or from `texts` by
    name; its first turn here has the number `turn`, or the one that the game counts.
    """

    name: str
    game: str
    gm: str
    seats: Sequence[tuple[str, str]]
    deadline: str
    options: Mapping[str, str]
    policy: Mapping[str, str] = field(default_factory=dict)
    open: int = 0
    state: Json = None
    texts: Mapping[str, str] | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class CampaignCreated:
    """A campaign that awaits its start: the seal of its dice, the number of mails with it, and its first turn.

    One mail is the GM's, the others are those of the players.

    `shared` are the addresses that play several seats, with these. `warning` is told of its schedule.
    """

    seal: str
    mails: int
    first: int = 1
    shared: Mapping[str, Sequence[SeatName]] = field(default_factory=dict)
    warning: str = ""


def render_created(name: str, created: CampaignCreated, channel: Channel = CLI) -> Iterator[str]:
    """Yield what the creation of a campaign did, and how to go on."""
    yield f"Created {name}."
    if created.warning:
        yield created.warning
    if created.first > 1:
        yield f"It goes on from where the game stood: its first turn here is turn {created.first}."
    for address, seats in created.shared.items():
        yield f"{address} plays {join_names(seats)}. To give a seat to another: pbem give {name} {seats[-1]} to ADDRESS"
    yield f"Dice seal: {created.seal}"
    mails = count_noun(created.mails, "mail")
    yield f"{mails} queued: dice seal, and how to add a dice word.{channel.next(TICK)}"
    if created.mails > 1:
        yield f"When the players have had time for that: pbem start {name}"
    else:
        yield f"No one has a seat yet: pbem invite {name} ADDRESS"


def create_campaign(app: App, wanted: NewCampaign, now: dt.datetime, *, seed: bytes = b"") -> CampaignCreated:
    """Create a campaign that awaits its start; mail the seal of its dice to its GM and all who have a seat.

    Args:
        seed: The seed of the dice, drawn from the system if empty.

    Raises:
        CampaignError, SetupError: If a value is invalid; the message names the nearest valid one.
    """
    ruleset = app.game(wanted.game)
    _check_name(wanted.name)
    address = require_address(wanted.gm, "the GM", app.settings.address)
    policy = parse_house_rules(wanted.policy)
    if bool(wanted.deadline) == (SCHEDULE in policy):
        raise CampaignError("a campaign has one schedule, such as FRI 20:00 Europe/Berlin: give it once")
    schedule = policy.pop(SCHEDULE, None) or parse_house_rule(SCHEDULE, wanted.deadline)
    seats = check_seats(ruleset, wanted.seats, app.settings.address, more=_count_open_seats(ruleset, wanted, policy))
    options = read_options(ruleset, wanted.options)
    seed = seed or secrets.token_bytes(32)
    middle = _import_origin(ruleset, wanted, options, tuple(seats))
    if middle is None:
        # Set up on trial: options that contradict each other are refused now, not at the start.
        ruleset.setup(options, list(seats), setup_dice(seed))
    campaign = Campaign(
        name=wanted.name,
        game=ruleset.key,
        version=ruleset.version,
        # A state holds the options by which it is played; a second copy could differ (decision 36).
        options=options if wanted.state is None else {},
        gm=address,
        schedule=schedule,
        seed=seed,
        policy=policy,
        mail_key=secrets.token_bytes(32),
        created_at=now,
        # The set-up has the number before the first turn, so that the chain has no gap (decision 36).
        turn=middle.turn - 1 if middle else 0,
        origin=middle.turn - 1 if middle else 0,
        given=canonical_json(middle.state) if middle else None,
    )
    try:
        return _save_campaign(app, campaign, seats, now)
    except IntegrityError:
        # PostgreSQL lets two write at once: the other has made a campaign of this name, or enrolled one of its people.
        raise CampaignError(f"another campaign was created at the same moment: create {wanted.name} again") from None


def _save_campaign(app: App, campaign: Campaign, seats: Mapping[str, str], now: dt.datetime) -> CampaignCreated:
    with app.store.writing() as session:
        if session.scalar(select(Campaign.id).where(Campaign.name == campaign.name)) is not None:
            raise CampaignError(f"there is a campaign {campaign.name!r} already: choose another name")
        campaign.seats = [_build_seat(session, seat, address, now) for seat, address in seats.items()]
        session.add(campaign)
        session.flush()
        sealed = seed_hash(campaign.seed)
        where = f"; taken over, its first turn is turn {campaign.origin + 1}" if campaign.given else ""
        said = f"created: {app.game(campaign.game).title}, seats {', '.join(seats)}{where}; dice seal {sealed}"
        add_entry(session, campaign.id, now, actor="gm", text=said)
        snapshot = load_campaign(session, campaign.name)
        context = Context(session, app, snapshot, now)
        # Mailed before any player adds a word: so no one can try seeds until one suits (decision 16).
        mail_dice_notice_gm(context)
        mails = 1 + mail_dice_notice(context, snapshot.places)
        shared, warning = _shared_addresses(snapshot), snapshot.schedule.warning
        return CampaignCreated(sealed, mails, first=snapshot.first, shared=shared, warning=warning)


def _shared_addresses(snapshot: CampaignSnapshot) -> Mapping[str, Sequence[SeatName]]:
    """Return the addresses that play several seats, with these: most likely a slip, but one may play alone to try."""
    seats: dict[str, list[SeatName]] = defaultdict(list)
    for place in snapshot.places:
        if place.address:
            seats[place.address].append(place.seat)
    return {address: names for address, names in seats.items() if len(names) > 1}


def _import_origin(
    ruleset: AnyRuleset, wanted: NewCampaign, options: Mapping[str, Any], seats: Sequence[SeatName]
) -> ImportedState | None:
    """Return the position from which a game that was started elsewhere continues; None for a new game."""
    if wanted.state is not None and wanted.options:
        name = next(iter(wanted.options))
        raise CampaignError(f"option {name} cannot be given with a state: the state holds what the game is played by")
    if wanted.state is not None:
        return import_state(ruleset, wanted.state, seats, wanted.turn)
    if wanted.texts is not None:
        return import_texts(ruleset, options, wanted.texts, seats, wanted.turn)
    if wanted.turn is not None:
        raise CampaignError(f"without a state a game begins with turn 1, not {wanted.turn}: give one with --state")
    return None


def _count_open_seats(ruleset: AnyRuleset, wanted: NewCampaign, policy: Mapping[str, Any]) -> int:
    """Return the number of seats without a player; where anyone may sign up, at least those that the game needs."""
    lacking = ruleset.seats.least - len(wanted.seats) if policy.get("signup", False) else 0
    return max(wanted.open, lacking, 0)


def _build_seat(session: Session, seat: str, address: str, now: dt.datetime) -> Seat:
    if not address:
        return Seat(name=seat, token_hash="", status=SeatState.OPEN)
    return Seat(name=seat, person=get_or_create_person(session, address, now), token_hash="")


def check_seats(
    ruleset: AnyRuleset, seats: Sequence[tuple[str, str]], own_address: str, *, more: int = 0
) -> dict[str, str]:
    """Return the address of each seat, in the order of the game; `more` seats have none.

    Raises:
        CampaignError: If a seat is unknown or given twice, or their number does not fit the game.
    """
    known = ruleset.seats
    placed: dict[str, str] = {}
    for typed, address in seats:
        seat = typed.strip().lower()
        if known.names and seat not in known.names:
            given = {each.strip().lower() for each, _ in seats}
            free = [name for name in known.names if name not in given]
            raise CampaignError(f'{ruleset.title} has no seat "{typed}". {suggest_name(seat, free, "Seats")}')
        if not is_valid_seat_name(seat):
            but = f", but none of {', '.join(sorted(RESERVED_SEATS))}" if seat in RESERVED_SEATS else ""
            raise CampaignError(f"a seat cannot be called {typed!r}: use 1 to 20 of a-z, 0-9 and -{but}")
        if seat in placed:
            raise CampaignError(f"seat {seat} is given twice: {placed[seat]} and {address}")
        placed[seat] = require_address(address, f"seat {seat}", own_address)
    # Numbered after the named seats: the third seat of a table is seat3, not seat1.
    names = known.names or [f"seat{number}" for number in range(len(placed) + 1, len(placed) + known.most + 1)]
    placed |= dict.fromkeys([name for name in names if name not in placed][:more], "")
    if not known.least <= len(placed) <= known.most:
        number = format_player_count(known)
        raise CampaignError(f"{ruleset.title} is for {number} players, not {len(placed)}: give each a --seat")
    return {name: placed[name] for name in known.names if name in placed} if known.names else placed


def read_options(ruleset: AnyRuleset, given: Mapping[str, str]) -> dict[str, Any]:
    """Return every option of the game, as given or by default.

    Raises:
        CampaignError, SetupError: If an option is unknown, or its value is invalid.
    """
    options = {option.name: option for option in ruleset.options}
    for name in given:
        if name not in options:
            raise CampaignError(f"{ruleset.title} has no option {name!r}: {suggest(name, sorted(options))}")
    return {
        name: _read_option(option, given[name]) if name in given else option.default for name, option in options.items()
    }


def _check_name(name: str) -> None:
    if not is_campaign_name(name):
        nearest = _NOT_IN_NAMES.sub("-", name.lower()).strip("-")[:40]
        hint = f", such as {nearest}" if nearest else ""
        raise CampaignError(f"a campaign cannot be called {name!r}: use 1 to 40 of a-z, 0-9 and -{hint}")


def _read_option(option: Option, text: str) -> Any:
    value = option.read(text)
    if option.kind != "file":
        return value
    try:
        return read_data(Path(value))
    except CampaignError as error:
        raise CampaignError(f"option {option.name}: {error}") from None
