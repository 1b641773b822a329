"""Tests of the parts of pages."""
