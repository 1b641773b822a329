"""Singularity: its rules, one test for each sentence of them."""
