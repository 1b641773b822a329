"""Mail, and nothing else: mailboxes, letters, MIME, reply codes, outbox and carriers."""
