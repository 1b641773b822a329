"""What several games share: hexes, pictures, text maps."""
