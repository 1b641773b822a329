"""Campaigns: their creation, schedule, turns and standing."""
