"""Tests of the package with which an author of a game begins."""
