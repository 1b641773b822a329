"""Acts on deadlines, and on whether turns run."""
