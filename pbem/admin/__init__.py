"""Tries everything a GM can get wrong, and says how to mend it."""
