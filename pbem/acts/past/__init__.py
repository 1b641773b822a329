"""Looks ahead and back, and changes of what has been."""
