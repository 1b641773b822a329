"""Dueling Masters of Space-Time: its rules, one test for each sentence of them."""
