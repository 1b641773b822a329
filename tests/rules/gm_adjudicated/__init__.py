"""Tests of The Umpire's Pen: its sheets, its rulings, and their readers."""
