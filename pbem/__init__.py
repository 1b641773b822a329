"""Play-by-email turn processor: the host, which knows mail, clocks, people and storage, but no game."""

__version__ = "0.1.0"
