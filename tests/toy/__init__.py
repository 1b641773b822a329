"""A small game for the host's own tests."""

from tests.toy.ruleset import Auction

__all__ = ["Auction"]
