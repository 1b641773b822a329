"""The tests; the Makefile has their three tiers."""
