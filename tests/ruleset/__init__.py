"""Tests of the contract's own machinery: typed orders, dice, options, canonical JSON."""
