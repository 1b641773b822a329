"""Tests of kills, full disks, broken lines and wrong clocks: nothing is lost, and nothing happens twice."""
