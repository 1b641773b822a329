"""Turns that a GM decides himself."""
