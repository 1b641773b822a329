"""Tests of the suites that every ruleset passes: contract, determinism, sheets, reports and secrecy."""
