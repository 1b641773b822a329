"""Tests of reports, receipts, pages and pictures."""
