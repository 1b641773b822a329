"""Bots: games between them in memory, and a bot that has a seat by mail."""
