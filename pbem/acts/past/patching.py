"""Edits the state of the open turn: shown path by path, tried out on the game, and kept in the archive's record.

The state of an open turn is what the run of the one before has left. So an edit
is a change of that run: whose reports show it get corrected ones, and whoever
replays the archive makes the same edit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pbem.acts.act import Confirmed, Planned, Question, Scene, Trace
from pbem.acts.arguments import NUMBER, SURE, GmCommand, TextBlock
from pbem.acts.channel import Channel
from pbem.acts.past.amending import Amend, asked_of, keep_amendment
from pbem.acts.past.impact import Amendment, Impact, plan_amendment
from pbem.acts.past.rerunning import Changes
from pbem.acts.takeover import refuse
from pbem.archive.json_patch import Difference, apply_patch, differences, is_patch, make_patch
from pbem.campaign.snapshot import CampaignSnapshot, live_turn, load_state
from pbem.errors import MISREAD, CampaignError, RulesetError
from pbem.ruleset.order_types import FILLED_IN
from pbem.ruleset.protocol import AnyRuleset, TakenOver
from pbem.ruleset.serialization import canonical, read_json
from pbem.ruleset.validation import Fault
from pbem.ruleset.values import Json
from pbem.store.types import Phase


@dataclass(frozen=True, slots=True)
class Edit:
    """A GM's edit of a state, found good: what it is to the last turn, and what it does, path by path."""

    changes: Changes
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Patched:
    """An edit, and whose reports it changes."""

    edit: Edit
    impact: Impact


@dataclass(frozen=True, slots=True)
class State:
    """The state of an open turn."""

    campaign: str
    turn: int
    state: Json

    @property
    def text(self) -> str:
        """The state as JSON, to be edited."""
        return json.dumps(self.state, indent=2, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class ShowState(GmCommand, Question[State]):
    """Get the state of the open turn as JSON."""

    usage = "STATE"

    def look(self, scene: Scene) -> State:
        """The state, as its game writes it now. Raises CampaignError before the start."""
        snapshot, ruleset = scene.snapshot, scene.house.game(scene.snapshot.game)
        if snapshot.status == Phase.FORMING:
            raise CampaignError(f"campaign {snapshot.name} has not begun: it has no state yet")
        state = load_state(scene.session, ruleset, snapshot)
        return State(snapshot.name, snapshot.turn, _plain(ruleset, state))

    def render(self, facts: State, channel: Channel) -> Iterator[str]:
        yield f"The state of turn {facts.turn} of {facts.campaign} is attached. Change it by a JSON Patch, with: PATCH"


@dataclass(frozen=True, slots=True)
class Patch(GmCommand, Planned[Patched, "_Plan"]):
    """Change the state by the JSON Patch below (RFC 6902). Without YES you see the difference."""

    usage = "PATCH [sure] [asked]"
    takes_text = True
    command = "patch"
    weight = Confirmed("the state of the open turn", "the journal, and a patch back")
    rewrites = True
    data: Annotated[Json, FILLED_IN] = None
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def wish(self, text: TextBlock) -> Patch:
        """Return it with the patch below: the state as it shall be, or a JSON Patch of it."""
        try:
            return Patch(read_json(text.words))
        except (ValueError, RecursionError) as error:
            raise CampaignError(f"what stands below PATCH is not JSON ({error})") from None

    def plan(self, scene: Scene) -> _Plan:
        """The edit, tried out, and the second run of the turn before with it. Raises CampaignError."""
        edit = read_edit(scene, self.data)
        return _Plan(edit, plan_amendment(scene, edit.changes))

    def keep(self, scene: Scene, plan: _Plan) -> None:
        """Puts that run in the place of the first."""
        keep_amendment(scene, plan.amendment)

    def facts(self, plan: _Plan) -> Patched:
        """What the edit does, and whose reports change."""
        return Patched(plan.edit, plan.amendment.impact)

    def traces(self, facts: Patched) -> tuple[Trace, ...]:
        """That another state was tried."""
        return asked_of(facts.impact)

    def render(self, facts: Patched, channel: Channel) -> Iterator[str]:
        for each in facts.edit.differences:
            yield f"{each.path}: {each.text}"
        yield from Amend().render(facts.impact, channel)


@dataclass(frozen=True, slots=True)
class _Plan:
    edit: Edit
    amendment: Amendment


def read_edit(scene: Scene, data: Json) -> Edit:
    """What a GM's edit does, tried out on the game. Raises CampaignError or PatchError."""
    snapshot, before = scene.snapshot, ShowState().look(scene).state
    state = live_turn(scene.session, snapshot, snapshot.turn).state_hash
    # Where a state itself looks like a patch, what is given is always a state.
    wanted = apply_patch(before, data) if is_patch(data) and not is_patch(before) else data
    patch = make_patch(before, wanted)
    if not patch:
        raise CampaignError(f"this is the state that {snapshot.name} has: there is nothing to change")
    _try_out(scene.house.game(snapshot.game), snapshot, before, wanted)
    return Edit(Changes(patch=tuple(patch), of_state=state), tuple(differences(before, patch)))


def _try_out(ruleset: AnyRuleset, snapshot: CampaignSnapshot, before: Json, wanted: Json) -> None:
    """Raises CampaignError unless the game takes the state as it is written, and can show it to every seat."""
    refused = f"{ruleset.title} refuses this state"
    faults = _new_faults(ruleset, snapshot, before, wanted)
    try:
        state = ruleset.load(wanted, ruleset.version)
        written = _plain(ruleset, state)
        standing = ruleset.standing(state)
        for seat in snapshot.seats:
            canonical(ruleset.view(state, seat, ()))
    except RulesetError as error:
        refuse(refused, faults)
        raise CampaignError(f"{refused}: {error}") from None
    except MISREAD as error:
        refuse(refused, faults)
        raise CampaignError(f"{ruleset.title} cannot read this state ({type(error).__name__}: {error})") from None
    if not standing.over:  # of a game that is over nothing is asked but that it can be shown
        refuse(refused, faults)
    if canonical(written) != canonical(wanted):
        first = differences(wanted, make_patch(wanted, written))[0]
        raise CampaignError(f"{ruleset.title} reads this state otherwise than written: {first.path}: {first.text}")
    strangers = standing.awaiting - set(snapshot.seats)
    if strangers or standing.over == bool(standing.awaiting):
        raise CampaignError(f"{ruleset.title} cannot go on from this state: nobody at the table would be to move")


def _new_faults(ruleset: AnyRuleset, snapshot: CampaignSnapshot, before: Json, wanted: Json) -> list[Fault]:
    """What a game that can tell finds wrong with the state, and not with the one before."""
    if not isinstance(ruleset, TakenOver):
        return []
    found = ruleset.check_state(wanted, snapshot.seats)
    known = ruleset.check_state(before, snapshot.seats) if found else ()
    return [fault for fault in found if fault not in known]


def _plain(ruleset: AnyRuleset, state: Any) -> Json:
    return json.loads(canonical(ruleset.dump(state)))
