"""What was, and what would have been: looks ahead, runs again, and turns taken back."""
