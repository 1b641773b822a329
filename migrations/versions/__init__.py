"""The steps, one module each, in the order of their numbers."""
