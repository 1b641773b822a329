"""Reports, receipts and the host's other mails: from what a seat may know to text, HTML, JSON and pictures."""
