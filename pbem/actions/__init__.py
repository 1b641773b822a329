"""Everything that changes a campaign, under its lock: one room for each theme."""
