"""The container file does what the guide says: built and run if the machine can, else step by step."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "Containerfile"
GUIDE = (ROOT / "docs" / "hosting.md").read_text()
ENGINES = ("podman", "docker")
IMAGE = "pbem-under-test"

_SECRET = re.compile(r"(?i)passw|secret|token|api_?key")


@dataclass(frozen=True)
class Step:
    """An instruction: its word and its arguments, on one line."""

    word: str
    rest: str

    @property
    def words(self) -> list[str]:
        """The arguments without flags; a JSON list as its items."""
        if self.rest.startswith("["):
            return [str(each) for each in json.loads(self.rest)]
        return [each for each in shlex.split(self.rest) if not each.startswith("--")]


def stages() -> list[list[Step]]:
    """Return the instructions of each stage, its FROM first."""
    lines = [line for line in RECIPE.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    steps = [Step(*line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]
    begins = [at for at, step in enumerate(steps) if step.word == "FROM"]
    return [steps[start:end] for start, end in zip(begins, [*begins[1:], None], strict=True)]


def last(word: str) -> Step:
    """Return the only instruction of this kind in the image itself."""
    (step,) = [step for step in stages()[-1] if step.word == word]
    return step


def health_check() -> list[str]:
    """Return the health check command."""
    found: list[str] = json.loads(last("HEALTHCHECK").rest.partition(" CMD ")[2])
    return found


def engine() -> str:
    """Return a working program that builds images and has or finds the base image; "" if there is none."""
    base = stages()[0][0].words[0]
    for name in ENGINES:
        if shutil.which(name) and _answers(name, "info") and (_answers(name, "inspect", base) or _pulls(name, base)):
            return name
    return ""


def _answers(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _pulls(name: str, image: str) -> bool:
    try:
        return subprocess.run([name, "pull", image], capture_output=True, timeout=PATIENCE, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def test_nothing_secret_and_nothing_unnamed_gets_in() -> None:
    """The parts that are copied are named one by one; no setting looks like a secret, and nothing is fetched."""
    steps = [step for stage in stages() for step in stage]

    assert {step.word for step in steps} <= {
        *("FROM", "WORKDIR", "RUN", "COPY", "ENV", "USER", "VOLUME"),
        *("STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"),
    }
    assert [step for step in steps if step.word in ("ENV", "RUN") and _SECRET.search(step.rest)] == []
    sources = [source for step in steps if step.word == "COPY" for source in step.words[:-1]]
    assert [source for source in sources if source in (".", "./", "*")] == []


def test_it_runs_as_a_user_without_rights() -> None:
    """The user that is created, owns the home and runs the program is the same, and not root."""
    made = " ".join(step.rest for step in stages()[-1] if step.word == "RUN")
    (number,) = re.findall(r"--uid (\d+)", made)

    assert last("USER").rest == f"{number}:{number}"
    assert int(number) >= 1000
    assert f"user {number}" in GUIDE
    assert "install --directory --owner=pbem --group=pbem --mode=0700 /srv/pbem" in made
    assert last("VOLUME").rest == last("WORKDIR").rest == "/srv/pbem"
    for step in (each for stage in stages() for each in stage if each.word == "RUN"):
        subprocess.run(["sh", "-n", "-c", step.rest], check=True)


@dataclass
class Built:
    """A way to run the program in a home: a container, or a process as the container file installs it."""

    home: Path
    prefix: list[str]
    """The words before a command that runs it beside the serving one."""
    environment: dict[str, str]
    start: list[str]
    """The command that serves."""

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Return the result of a command."""
        return subprocess.run(
            [*self.prefix, *words],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


def by_engine(name: str, home: Path) -> Built:
    """Build the image, and run it with a volume as its home."""
    subprocess.run([name, "build", "--tag", IMAGE, "--file", str(RECIPE), str(ROOT)], check=True, capture_output=True)
    home.mkdir()
    mounted = [name, "run", "--rm", "--volume", f"{IMAGE}:/srv/pbem"]
    # Started by its entrypoint and command, as a GM does it; other commands run in containers of their own.
    return Built(home, [*mounted, "--entrypoint", "", IMAGE], dict(os.environ), [*mounted, "--init", IMAGE])


def by_parts(folder: Path, home: Path) -> Built:
    """Perform the steps of the first stage in a folder, with its own copy of the sources and its own environment.

    The libraries that it would fetch come from the environment of the tests, so that no network is needed.
    """
    source, target = folder / "src", folder / "opt"
    source.mkdir()
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP", "PYTHON", "PYTEST"))}
    pip = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_QUIET": "1"}
    kept |= pip | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for step in stages()[0][1:]:
        if step.word == "COPY":
            for name in step.words[:-1]:
                _copy(ROOT / name, source / step.words[-1] / (name if step.words[-1].endswith("/") else ""))
        elif step.word == "RUN":
            command = step.rest.replace("/opt/pbem", str(target))
            subprocess.run(["sh", "-e", "-c", command], cwd=source, env=kept, check=True)
            _lend(target)
    environment = kept | {"PATH": f"{target / 'bin'}:{os.environ['PATH']}", "PYTHONUNBUFFERED": "1"}
    return Built(home, [], environment, [*last("ENTRYPOINT").words, *last("CMD").words])


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)


def _lend(target: Path) -> None:
    libraries = target / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
    (libraries / "lent.pth").write_text(sysconfig.get_path("purelib"))


@pytest.fixture
def built(tmp_path: Path) -> Iterator[Built]:
    """Yield the program as installed by the container file, as far as this machine can."""
    name = engine()
    yield by_engine(name, tmp_path / "home") if name else by_parts(tmp_path, tmp_path / "home")
    if name:
        for words in (["rmi", "--force", IMAGE], ["volume", "rm", "--force", IMAGE]):
            subprocess.run([name, *words], capture_output=True, check=False)


@pytest.mark.in_turn
def test_it_serves_a_home_and_tells_that_it_is_well(built: Built) -> None:
    """A home is created in the volume; the program serves it, passes its health check, and ends when told to."""
    made = built.run("pbem", "init", ".", "--address", "orders@localhost")
    assert made.returncode == 0, made.stdout + made.stderr

    served = subprocess.Popen(
        built.start, cwd=built.home, env=built.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert served.stdout is not None
    try:
        said = served.stdout.readline()
        well = built.run(*health_check())
    finally:
        served.send_signal(getattr(signal, last("STOPSIGNAL").rest))
        rest = served.communicate(timeout=PATIENCE)[0]

    assert said.startswith("Serving "), said + rest
    assert well.returncode == 0, well.stdout + well.stderr
    assert (served.returncode, rest.splitlines()[-1]) == (0, "Stopped.")
