"""Tests that the documents match the program."""
