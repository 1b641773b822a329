"""The GM's own hand on the mail: looking at letters and the outbox, and trying again what failed."""
