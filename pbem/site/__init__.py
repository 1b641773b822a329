"""The website of the club: static pages of public data, and full replays of finished games."""
