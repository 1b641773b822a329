"""The run of a turn."""
