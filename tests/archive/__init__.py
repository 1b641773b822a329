"""Tests of the archive and its proof."""
