"""Tests of mail without servers: parsing, composing, codes, Maildirs, the outbox."""
