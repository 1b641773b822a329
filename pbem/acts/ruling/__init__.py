"""What a GM who adjudicates decides."""
