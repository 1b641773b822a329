"""Tests of the public interface for games: typed orders, dice, options, canonical JSON."""
