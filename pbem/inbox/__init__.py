"""The desk: what a letter asks for, and what is answered."""
