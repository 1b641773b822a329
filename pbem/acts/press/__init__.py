"""Words that people send each other."""
