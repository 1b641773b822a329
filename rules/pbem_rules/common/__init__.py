"""Helpers that several games share: hexes, pictures, text maps, words."""
