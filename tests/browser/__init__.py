"""Tests of our HTML, of mails and pages, in real browsers (Debian's Chromium and Firefox ESR)."""
