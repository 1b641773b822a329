"""Long play through the whole program, with sheets good, bad and mad."""
