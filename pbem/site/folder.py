"""The folder of a site: files are written when they change, and all but sealed pages stay, so that old addresses do."""

from __future__ import annotations

from pathlib import Path

from pbem.errors import ConfigError, reason_of

_FILE, _FOLDER = 0o644, 0o755
"""A web server reads what pbem writes, though the rest of a home is for its user alone."""


class SiteFolder:
    """Writes the files of a site; `written` counts those that were new or had changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.written = 0
        _make(root)

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return (self.root / name).is_file()

    def write(self, name: str, content: str | bytes) -> None:
        """Puts a file in its place, whole or not at all, unless it is there as it is. Raises OSError."""
        data = content.encode() if isinstance(content, str) else content
        path = self.root / name
        if path.is_file() and path.read_bytes() == data:
            return
        draft = self.draft(name)
        draft.write_bytes(data)
        self.put(draft, name)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there. Raises OSError."""
        (self.root / name).unlink(missing_ok=True)

    def draft(self, name: str) -> Path:
        """Where a file is written before it is `put` in its place."""
        path = self.root / name
        for folder in reversed(path.relative_to(self.root).parents):
            _make(self.root / folder)
        return path.with_name(f".{path.name}.draft")

    def put(self, draft: Path, name: str) -> None:
        """Puts a draft in the place of a file."""
        draft.chmod(_FILE)
        draft.replace(self.root / name)
        self.written += 1


def _make(folder: Path) -> None:
    if folder.is_dir():
        return
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise ConfigError(f"the site cannot be written to {folder}: {reason_of(error)}") from None
    folder.chmod(_FOLDER)
