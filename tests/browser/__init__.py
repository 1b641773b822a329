"""Tests of our HTML, of mails and pages, in a real browser (Debian's Chromium)."""
