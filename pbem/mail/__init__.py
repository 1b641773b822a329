"""Mail: mailboxes, messages, MIME, reply codes, outbox and transports."""
