"""Folders of files that come with the program: templates and migrations."""

from __future__ import annotations

from pathlib import Path


def package_data(folder: str) -> Path:
    """Return a folder that a wheel holds inside the package, and the repository beside it."""
    package = Path(__file__).resolve().parent
    return package / folder if (package / folder).is_dir() else package.parent / folder
