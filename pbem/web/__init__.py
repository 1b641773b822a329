"""Parts of pages for a browser: scripts and styles in one file, safe text, and tappable pictures."""
