"""Scheduled work: the tick, and workers that share its steps on any number of machines."""
