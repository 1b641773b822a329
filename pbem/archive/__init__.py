"""The archive: records, sheets and reports of every turn, chained by hashes."""
