"""Reports, receipts and other mails of the host, rendered as text, HTML, JSON and pictures."""
