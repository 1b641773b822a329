"""A small game for the application's own tests."""

from tests.toy.ruleset import Auction

__all__ = ["Auction"]
