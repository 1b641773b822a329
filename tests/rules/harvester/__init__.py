"""Tests of Harvester."""
