"""Words between players, and from their GM."""
