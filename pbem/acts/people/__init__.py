"""Acts on who sits where."""
