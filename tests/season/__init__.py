"""Test of a whole season by real mails: six players, a GM, and all that happens to a campaign in a year."""
