"""My Game: hide your lantern in a cave, and look for those of the others."""

from mygame.ruleset import MyGame

RULESET = MyGame()

__all__ = ["RULESET", "MyGame"]
