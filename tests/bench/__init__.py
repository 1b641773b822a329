"""Tests that the benchmarks do the work that they measure."""
