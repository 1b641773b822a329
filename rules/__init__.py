"""The games. They know the ruleset contract and nothing of the host."""
