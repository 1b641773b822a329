"""What mail programs show: the HTML of our mails in a real browser (Debian's Chromium)."""
