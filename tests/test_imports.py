"""Who may import whom. The rooms of the house and the doors between them are those of the architecture."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pbem.ruleset
from tests.games import RULESETS

ROOT = Path(__file__).parents[1]

ROOMS: dict[str, set[str]] = {
    "budget": set(),
    "progress": set(),
    "rubbish": set(),
    "masking": set(),
    "package_data": set(),
    "ruleset": set(),
    "errors": {"ruleset"},
    "logbook": {"errors", "masking"},
    "durable": {"errors"},
    "catalogue": {"errors", "ruleset"},
    "scaffold": {"errors"},
    "rulebook": {"ruleset"},
    "config": {"durable", "errors", "masking"},
    "store": {"durable", "errors", "package_data", "ruleset"},
    "jobs": {"config", "errors", "store"},
    "post": {"config", "durable", "errors", "logbook", "masking", "store"},
    "web": {"errors"},
    "report": {"errors", "logbook", "ruleset", "web"},
    "schemas": {"report", "ruleset"},
    "archive": {"durable", "errors", "report", "ruleset"},
    "founding": {"archive", "config", "errors", "jobs", "store"},
    "house": {"config", "errors", "jobs", "package_data", "report", "ruleset", "store"},
    "calendar": {"errors"},
    "campaign": {
        *("archive", "calendar", "errors", "house", "logbook", "masking"),
        *("post", "progress", "report", "ruleset", "store", "web"),
    },
    "acts": {
        *("archive", "calendar", "campaign", "durable", "errors", "founding", "house", "masking"),
        *("post", "report", "rulebook", "ruleset", "store"),
    },
    "housekeeping": {
        *("acts", "calendar", "campaign", "config", "durable", "errors", "house"),
        *("logbook", "post", "report", "ruleset", "store"),
    },
    "registry": {"acts", "housekeeping"},
    "backup": {
        *("acts", "archive", "campaign", "config", "durable", "errors", "founding", "house", "housekeeping", "jobs"),
        *("post", "progress", "report", "ruleset", "store"),
    },
    "desk": {
        *("acts", "budget", "calendar", "campaign", "errors", "house", "housekeeping", "logbook", "masking"),
        *("post", "progress", "registry", "report", "rulebook", "ruleset", "store"),
    },
    "site": {
        *("archive", "campaign", "errors", "house", "jobs", "report", "rulebook", "ruleset", "store", "web"),
    },
    "upkeep": {"campaign", "errors", "masking", "post", "store"},
    "doctor": {
        *("acts", "archive", "calendar", "campaign", "catalogue", "config", "errors", "house", "housekeeping"),
        *("post", "progress", "report", "ruleset", "site", "store"),
    },
    "steps": {
        *("acts", "calendar", "campaign", "desk", "errors", "house", "housekeeping", "logbook", "masking"),
        *("post", "progress", "report", "ruleset", "site", "store"),
    },
    "tick": {
        *("acts", "campaign", "desk", "house", "housekeeping", "logbook", "post", "progress", "steps"),
    },
    "serving": {"budget", "errors", "house", "logbook", "masking", "post", "steps", "tick"},
    "working": {
        *("acts", "budget", "campaign", "desk", "errors", "house", "housekeeping", "jobs", "logbook", "masking"),
        *("post", "report", "ruleset", "steps", "store"),
    },
    "players": {"post", "ruleset"},
    "demo": {
        *("acts", "archive", "campaign", "config", "errors", "house", "logbook", "players"),
        *("post", "progress", "ruleset", "site", "steps", "store", "tick"),
    },
    "console": {
        *("acts", "archive", "backup", "demo", "desk", "doctor", "errors", "housekeeping", "working"),
        *("progress", "report", "ruleset", "site", "steps", "upkeep"),
    },
    "commands": {
        *(
            "acts",
            "archive",
            "backup",
            "campaign",
            "catalogue",
            "config",
            "console",
            "demo",
            "desk",
            "doctor",
            "errors",
        ),
        *("founding", "house", "housekeeping", "logbook", "rulebook", "ruleset", "scaffold", "schemas", "serving"),
        *("jobs", "registry", "rubbish", "site", "steps", "store", "tick", "upkeep", "working"),
    },
    "ruleset.testing": {
        *("acts", "archive", "campaign", "config", "errors", "house", "post", "report", "rulebook", "ruleset"),
        *("steps", "store", "tick"),
    },
}
"""What each room of pbem/ may import, from the lowest to the highest; the suites for authors of games use all below."""

NESTED = ("ruleset.testing",)
"""Rooms within another, with doors of their own."""

LEVELS: dict[str, tuple[str, ...]] = {
    "config": (
        "file",
        "pace secret urls",
        "values",
        "settings",
        "moving",
    ),
    "store": (
        "bundles states waking",
        "models sessions",
        "migrating",
        "copying untrusted",
    ),
    "ruleset": (
        "canonical dice drawing enclosures forms hints records tokens",
        "kinds shapes",
        "rolls verbs",
        "desk loosely",
        "orders",
        "contract",
        "base memory",
        "testing",
    ),
    "ruleset.testing": (
        "database pages sheets tables",
        "play",
        "leaks soak",
        "envelope held",
        "rules_of_long_play rules_of_pages rules_of_reports",
        "rules_of_secrecy rules_of_setup rules_of_sheets rules_of_takeovers rules_of_turns",
    ),
    "post": (
        "addresses armour connecting fingerprint html_text incoming languages",
        "refusals returned signing waiting writing",
        "imap intake maildir mime pace quoting",
        "authentication carriers cleaning idling mailbox robots",
        "bounces probing wrapping",
        "parts",
        "reading",
        "attached codes forgetting vouching",
        "rescue stamping",
        "outbox sending",
    ),
    "report": (
        (
            "documents entry facts history_pages pages painter photos pictures press_pages sandbox scores "
            "time_pages wording"
        ),
        "examiner receipt",
        "data enclosed examining gm_pages markdown people_pages pool",
        "seat_page",
        "samples typed",
        "reporter",
        "checking",
    ),
    "web": (
        "bundle embedding",
        "shell",
        "sealing",
    ),
    "jobs": (
        "tables",
        "deferring",
    ),
    "archive": (
        "dice patches",
        "record",
        "shape",
        "reading",
        "enclosed files held rolls runs withdrawn",
        "replay",
        "verify",
    ),
    "calendar": ("outage schedule",),
    "campaign": (
        "courtesies holds journal links piles policy shelf tokens",
        "reading values",
        "due sheets snapshot",
        "deadlines history labels notices",
        "people press rolls",
        "columns ground reporting",
        "resolving unreadable",
        "archiving",
        "proof restoring",
    ),
    "campaign.people": ("confirming deputies dicewords identity standby",),
    "campaign.press": (
        "passing pieces",
        "postbag",
    ),
    "acts": (
        "channel datafiles takeover",
        "act",
        "arguments",
        "creation",
        "journal press time",
        "gm people ruling",
        "turns",
        "opening",
        "past",
    ),
    "acts.time": ("absence extending holding scheduling",),
    "acts.people": (
        "remailing welcoming",
        "seating",
        "playing roster",
    ),
    "acts.press": (
        "writing",
        "mailing",
        "from_gm from_players",
    ),
    "acts.ruling": (
        "earlier rolling rulingform",
        "adjudicating",
        "withdrawing",
    ),
    "acts.turns": (
        "missing run_requests",
        "turnrun",
    ),
    "acts.past": (
        "chain preview shelving",
        "rerunning rolling",
        "entering impact mending",
        "sheets",
        "amending forking",
        "patching",
    ),
    "housekeeping": (
        "closed problems reminding reviewing watching",
        "health",
        "statistics status",
        "chart",
    ),
    "desk": (
        "attempts commands days originals seats sheet",
        "choosing claims gm_commands pages quotations sheet_files",
        "check replies",
        "aside bounces floods gm limits requests",
        "changes confirmed judging keys lookups rulebooks taking",
        "helping joining",
        "dispatch lanes",
        "kept",
        "declining",
        "routes",
        "answer",
    ),
    "backup": (
        "others trees workshop",
        "archives container",
        "making proving",
        "exporting settling unpacking",
        "importing restoring",
        "checking",
    ),
    "working": (
        "hands looking",
        "jobs",
        "worker",
    ),
    "site": (
        "facts folder plot",
        "feeds known",
        "replay",
        "publishing",
        "samples",
    ),
    "upkeep": ("ledger letters outbox",),
    "doctor": (
        "advice verdict",
        "archive mail places privacy",
        "database",
        "examining",
    ),
    "console": ("backup bar copies games pictures proof running umpire upkeep",),
    "commands": (
        "group options weights",
        "common",
        "backup campaigns games house mail past people press proof rulesets running site turns typed",
    ),
}
"""The rooms inside each package, from the lowest level to the highest: each knows those below it alone."""

THIRD_PARTY: dict[str, set[str]] = {
    "PIL": {"report"},
    "alembic": {"store"},
    "click": {"commands", "console"},
    "cryptography": {"web"},
    "dkim": {"post"},
    "imapclient": {"post"},
    "jinja2": {"report"},
    "jsonpatch": {"archive"},
    "icalendar": {"report"},
    "markdown_it": {"report"},
    "markupsafe": {"report", "site", "web"},
    "procrastinate": {"jobs", "working"},
    "psycopg": {"working"},
    "pytest": {"ruleset.testing"},
    "resvg_py": {"report"},
    "ruamel": {"acts"},
    "sqlalchemy": {
        *("acts", "backup", "campaign", "demo", "desk", "doctor", "housekeeping", "jobs", "post", "ruleset.testing"),
        *("site", "steps", "store", "upkeep", "working"),
    },
}
"""Which rooms may use which package."""

RULES_MAY_USE = {
    "__future__",
    "base64",
    "binascii",
    "bisect",
    "collections",
    "collections.abc",
    "dataclasses",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "importlib.resources",
    "itertools",
    "json",
    "math",
    "numpy",
    "numpy.typing",
    "operator",
    "re",
    "textwrap",
    "typing",
}
"""Arrays, and the parts of the standard library without clock, chance, files, network or log: chance is the dice's."""


def imports(file: Path) -> Iterator[str]:
    """The modules a file imports, wherever in it: "a.b" for `import a.b` and for `from a.b import c`.

    What `from pbem import …` and the like take out of a package is named in full.
    """
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            assert node.module
            packages = {"pbem", "pbem_rules", "importlib"}
            names = (
                [f"{node.module}.{alias.name}" for alias in node.names] if node.module in packages else [node.module]
            )
            yield from names


def python_files(*folders: str) -> list[Path]:
    """The Python files below folders of the project."""
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def room(file: Path) -> str:
    """The room of pbem/ a file belongs to."""
    return room_of(".".join(file.relative_to(ROOT / "pbem").with_suffix("").parts))


def room_of(module: str) -> str:
    """The room of a module, named as within pbem."""
    return next((room for room in NESTED if f"{module}.".startswith(f"{room}.")), module.split(".")[0])


def name(file: Path) -> str:
    """A file as test reports show it."""
    return str(file.relative_to(ROOT))


def strays(files: Iterable[Path], allowed: Callable[[Path, str], bool]) -> dict[str, list[str]]:
    """The imports that are not allowed, by file."""
    found = {name(file): [module for module in imports(file) if not allowed(file, module)] for file in files}
    return {file: modules for file, modules in found.items() if modules}


HOST = [file for file in python_files("pbem") if "skeleton" not in file.parts]
GAMES = python_files("rules")


def test_a_room_imports_what_the_architecture_lets_it() -> None:
    """Everything flows one way: a room uses its own modules and those of the rooms below it."""

    def allowed(file: Path, module: str) -> bool:
        package, _, other = module.partition(".")
        return package != "pbem" or other == "__version__" or room_of(other) in {room(file), *ROOMS[room(file)]}

    assert strays([file for file in HOST if room(file) != "__init__"], allowed) == {}


def test_no_room_depends_on_one_above_it() -> None:
    """The table of rooms has no circle."""
    rooms = list(ROOMS)

    for index, upper in enumerate(rooms):
        assert ROOMS[upper] <= set(rooms[:index])


def modules_of(package: str) -> set[str]:
    """The names of what a package of pbem/ holds."""
    folder = ROOT.joinpath("pbem", *package.split("."))
    return {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}


def test_every_room_inside_a_package_has_its_level() -> None:
    """The table names all packages, and all that they hold."""
    packages = {file.parent for file in HOST if file.name == "__init__.py"} - {ROOT / "pbem", ROOT / "pbem/scaffold"}

    assert set(LEVELS) == {".".join(path.relative_to(ROOT / "pbem").parts) for path in packages}
    for package, levels in LEVELS.items():
        assert sorted(" ".join(levels).split()) == sorted(modules_of(package) - {"__init__"}), package


def test_rooms_inside_a_package_know_those_below_them_alone() -> None:
    """So no circle can be drawn through any rooms, however small."""
    for package, rows in LEVELS.items():
        parts = package.split(".")
        folder, levels = (
            ROOT.joinpath("pbem", *parts),
            {each: at for at, row in enumerate(rows) for each in row.split()},
        )
        for file in folder.rglob("*.py"):
            own = file.relative_to(folder).parts[0].removesuffix(".py")
            inside = [module for module in imports(file) if module.startswith(f"pbem.{package}.")]
            known = {module.split(".")[1 + len(parts)] for module in inside} - {own}

            assert own == "__init__" or all(levels[other] < levels[own] for other in known), (name(file), known)


def test_the_host_imports_no_game() -> None:
    """Games are handed to the host by the command line; only the catalogue looks for those that are installed."""
    assert strays(HOST, lambda file, module: module.split(".")[0] not in {"pbem_rules", "cli", "tests"}) == {}
    searching = [room(file) for file in HOST if re.search(r"import_module|__import__|entry_points", file.read_text())]
    assert sorted(searching) == ["catalogue", "ruleset.testing"]


def test_the_host_names_no_game() -> None:
    """Neither the host nor its templates know the key or title of any game; the command line knows one, for demos."""
    code = [file for file in HOST if file != ROOT / "pbem/commands/__init__.py"]
    files = [*code, *(ROOT / "templates" / "host").iterdir(), *python_files("migrations")]
    names = "|".join(rf"\b{known}\b" for ruleset in RULESETS for known in (ruleset.key, ruleset.title))

    assert [name(file) for file in files if re.search(names, file.read_text(), re.IGNORECASE)] == []


def test_packages_are_used_where_they_belong() -> None:
    """Mail libraries in the post, SQL in the store and what reads it, templates in reports: nowhere else."""

    def allowed(file: Path, module: str) -> bool:
        package = module.split(".")[0]
        own = {"pbem", *sys.stdlib_module_names}
        return package in own or room(file) in THIRD_PARTY.get(package, set())

    assert strays(HOST, allowed) == {}


def test_the_contract_needs_the_standard_library_alone() -> None:
    """pbem.ruleset could be lifted out of the host as it is."""
    files = [file for file in python_files("pbem/ruleset") if room(file) == "ruleset"]

    assert strays(files, lambda _, module: module.split(".")[0] in {"pbem", *sys.stdlib_module_names}) == {}


def test_a_game_knows_the_contract_and_nothing_else() -> None:
    """Rules import harmless parts of the standard library, pbem.ruleset, what games share, and themselves."""

    def allowed(file: Path, module: str) -> bool:
        package = file.relative_to(ROOT / "rules/pbem_rules").parts[0]
        own = [f"pbem_rules.{package}", "pbem_rules.common"] if package != "__init__.py" else []
        inside = any(f"{module}.".startswith(f"{known}.") for known in own)
        return inside or module == "pbem.ruleset" or module in RULES_MAY_USE

    assert strays(GAMES, allowed) == {}


def test_rules_have_no_side_doors() -> None:
    """No file is opened, nothing printed or evaluated, no identity or hash of an object decides anything."""
    forbidden = {"open", "print", "input", "eval", "exec", "compile", "id", "hash"}

    assert [found for file in GAMES for found in calls(file) if found.partition(":")[2] in forbidden] == []


def calls(file: Path) -> Iterator[str]:
    """The plain function calls in a file, as "file:function"."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield f"{name(file)}:{node.func.id}"


def test_one_place_makes_all_mails_and_one_all_receipts() -> None:
    """The postman writes for the house and the sheet-keeper receipts; bots write as players do."""
    made = {found for file in HOST for found in calls(file) if found.partition(":")[2] in {"Mail", "Receipt", "Sheet"}}

    assert made == {"pbem/campaign/notices.py:Mail", "pbem/players.py:Mail", "pbem/campaign/sheets.py:Receipt"}


def test_the_contract_exports_exactly_what_it_says() -> None:
    """`__all__` is sorted and complete, and everything public comes from one of the contract's modules."""
    public = {
        export
        for export, value in vars(pbem.ruleset).items()
        if not export.startswith("_") and not isinstance(value, type(pbem.ruleset))
    }

    assert set(pbem.ruleset.__all__) == public
    assert pbem.ruleset.__all__ == sorted(
        pbem.ruleset.__all__, key=lambda export: (not export.isupper(), export.islower(), export)
    )


def test_the_skeleton_of_a_game_knows_the_contract_and_nothing_else() -> None:
    """What an author begins with keeps to what games may use; its tests use the suites besides."""
    files = python_files("pbem/scaffold/skeleton")

    def allowed(file: Path, module: str) -> bool:
        in_tests = file.parent.name == "tests" and module in {"hidden", "random", "pbem.ruleset.testing"}
        return in_tests or module.split(".")[0] == "mygame" or module == "pbem.ruleset" or module in RULES_MAY_USE

    assert strays(files, allowed) == {}
