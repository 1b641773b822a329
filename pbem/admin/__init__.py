"""Administration of a home: checks, health, and stored mail."""
