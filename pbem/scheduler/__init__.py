"""Workers: processes, on as many machines as there are, that share the work of one house by jobs."""
