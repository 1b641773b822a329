"""The games. They know the ruleset contract and nothing of the host, which finds them by their entry points."""
