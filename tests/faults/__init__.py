"""Kills, full disks, broken lines and wrong clocks: after any of them nothing is lost and nothing happens twice."""
