"""What the benchmarks share; the benchmarks themselves stand one folder up."""
