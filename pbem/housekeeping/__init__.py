"""What the house does and tells of itself, tick by tick."""
