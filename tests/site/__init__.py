"""Tests of the site: what it discloses, and what it does not."""
