"""The site: what it tells, and what it does not."""
