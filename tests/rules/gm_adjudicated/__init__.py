"""The Umpire's Pen: its sheets, its rulings, and who reads what."""
