"""Actions: everything that changes a campaign, under its lock; one module for each theme."""
