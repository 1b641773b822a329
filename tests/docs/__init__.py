"""What the documents say is what the program does."""
