"""What the command line says: facts as plain lines, or as JSON for scripts."""
