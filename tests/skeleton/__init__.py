"""The package with which an author of a game begins."""
