"""Words of mail programs, mail servers and answering machines, in many languages, as pieces of patterns."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def load_phrases(name: str) -> Mapping[str, str]:
    """Return the lists of `words/NAME.toml`, each as one pattern, to be matched without case."""
    text = files("pbem.mail").joinpath("words", f"{name}.toml").read_text("utf-8")
    return {key: f"(?:{'|'.join(pieces)})" for key, pieces in tomllib.loads(text).items()}
