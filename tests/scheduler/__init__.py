"""Workers, on a real PostgreSQL."""
