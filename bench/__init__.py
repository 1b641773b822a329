"""Benchmarks, each beside a floor or a peer in the same run."""
