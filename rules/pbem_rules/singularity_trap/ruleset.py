"""The ruleset object of The Singularity Trap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.ruleset import BaseRuleset, Dice, Event, Option, Order, SeatName, Seats, SetupError, Standing, View
from pbem_rules.singularity_trap import desk, panorama, pictures, resolve, sheet, state, template, textmap
from pbem_rules.singularity_trap.bots import BOTS
from pbem_rules.singularity_trap.chart import COLOURS, Chart, read_chart, standard_chart
from pbem_rules.singularity_trap.checking import check_state
from pbem_rules.singularity_trap.choices import agenda, choices, purses, view_with
from pbem_rules.singularity_trap.memory import carry_memory
from pbem_rules.singularity_trap.orders import BOOK, Target, possible_targets
from pbem_rules.singularity_trap.outcomes import order_outcomes
from pbem_rules.singularity_trap.rows import with_rows
from pbem_rules.singularity_trap.state import House, Planet, Player, State
from pbem_rules.singularity_trap.summary import turn_summary, without_orders
from pbem_rules.singularity_trap.view import LARGEST_FACTIONS, views

FIRST_POINTS = 5
"""Points that each player has saved when the game begins (ruling 7)."""


class SingularityTrap(BaseRuleset[State]):
    """Ruleset of The Singularity Trap."""

    key = "singularity_trap"
    title = "The Singularity Trap"
    designer = "Wayne Mathias"
    version = 2
    oldest_version = 2
    seats = Seats(2, 6, COLOURS)
    pace = "all seats at once; one sheet a turn, or one a section"
    summary = "Build, jump and fight for the planets of a space closed in itself, alone or in a faction."
    pitch = (
        "Build ships, jump and fight for the 37 planets of a space that is closed in itself, alone or with an "
        "ally. Usually, whoever holds 25 planets for three turns wins."
    )
    minutes = 15
    orders = BOOK
    # The options of ruling 26.
    options = (
        Option("planets_to_win", "int", 25, "planets to hold for a win", low=2, high=200),
        Option("turns_to_hold", "int", 3, "successive starts of turn at which they must be held", low=1, high=20),
        Option(
            "largest_faction",
            "choice",
            "standard",
            "members a faction may have: standard is 2 of 4 or 5 players and 3 of 6",
            choices=("standard", "none", "2", "3"),
        ),
        Option(
            "empire_planets", "int", 13, "planets the dominant member of an empire must hold alone", low=1, high=200
        ),
        Option("alliances", "bool", True, "whether players may ally; without, it is a pure war game"),
        Option(
            "pace", "choice", "turn", "one sheet for a whole turn, or one for each section", choices=("turn", "section")
        ),
        Option("chart", "file", None, "another chart: board, ship table, planets"),
    )
    bots = BOTS

    views = staticmethod(views)
    parse = staticmethod(sheet.parse)
    template = staticmethod(template.template)
    desk = staticmethod(desk.desk)
    choices = staticmethod(choices)
    agenda = staticmethod(agenda)
    purses = staticmethod(purses)
    view_with = staticmethod(view_with)
    carry_memory = staticmethod(carry_memory)
    current_view = staticmethod(with_rows)
    turn_summary = staticmethod(turn_summary)
    without_orders = staticmethod(without_orders)
    order_outcomes = staticmethod(order_outcomes)
    resolve = staticmethod(resolve.resolve)
    pictures = staticmethod(pictures.pictures)
    text_map = staticmethod(textmap.text_map)
    public_view = staticmethod(panorama.public_view)
    full_view = staticmethod(panorama.full_view)
    dump = staticmethod(state.dump)
    read = staticmethod(state.read)
    check_state = staticmethod(check_state)

    def allies(self, view: View) -> Sequence[SeatName] | None:
        """Return the allies of the player (ruling 21); None in a pure war game."""
        players = view["players"] if view["rules"]["alliances"] else ()
        return [player["colour"] for player in players if player["ally"]] if players else None

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> State:
        """Return the state of the first turn: each player has their home and 5 points saved (ruling 7).

        Raises:
            SetupError: If the chart or an option is impossible.
        """
        chart = standard_chart() if options["chart"] is None else read_chart(options["chart"])
        in_order = tuple(colour for colour in COLOURS if colour in seats)
        return State(
            house=_house(options, chart, len(in_order)),
            chart=chart,
            turn=1,
            section="economic",
            round=0,
            seats=in_order,
            players={seat: Player(seat, FIRST_POINTS) for seat in in_order},
            planets={
                # Homes of absent colours begin unowned (ruling 5).
                site.space: Planet(site.space, site.colour, site.home if site.home in seats else None)
                for site in chart.sites
            },
            ships={},
            awaited=frozenset(in_order),
        )

    def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
        """Return the view of one seat; see `view.py`."""
        return dict(views(state, [seat], events))[seat]

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """Return the orders that count without a sheet: the doctrine kept, less the players who have left the game."""
        doctrines = [order for order in kept if isinstance(order, Target)]
        if not doctrines or view["section"] not in ("turn", "combat"):
            return ()
        choices = tuple(choice for choice in doctrines[-1].choices if choice in possible_targets(view))
        return (Target(choices),) if choices else ()

    def standing(self, state: State) -> Standing:
        """Return who is awaited, and the end of the game; scores are planets owned."""
        owners = [planet.owner for planet in state.planets.values()]
        return Standing(
            over=state.result is not None,
            awaiting=state.awaited,
            scores={seat: owners.count(seat) for seat in state.seats},
            winners=state.result.winners if state.result else (),
            reason=state.result.reason if state.result else "",
            told=state.told,
        )


def _house(chosen: Mapping[str, Any], chart: Chart, players: int) -> House:
    goal, planets = chosen["planets_to_win"], len(chart.sites)
    if goal > planets:
        raise SetupError(f"option planets_to_win cannot be {goal}: the chart has {planets} planets")
    largest = {"standard": LARGEST_FACTIONS[players], "none": 0, "2": 2, "3": 3}[chosen["largest_faction"]]
    if largest >= players:
        raise SetupError(f"a faction of {largest} leaves no opponent in a game of {players}")
    return House(
        planets_to_win=chosen["planets_to_win"],
        turns_to_hold=chosen["turns_to_hold"],
        # Members of a faction must be allies.
        largest_faction=largest if chosen["alliances"] else 0,
        empire_planets=chosen["empire_planets"],
        alliances=chosen["alliances"],
        pace=chosen["pace"],
    )


RULESET = SingularityTrap()
"""The instance that is registered as an entry point."""
