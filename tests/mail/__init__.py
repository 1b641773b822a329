"""Mail without servers: reading, writing, codes, the local post folder, the outbox."""
