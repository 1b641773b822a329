"""The suites every ruleset passes: the contract, determinism, sheets, reports and secrecy."""
