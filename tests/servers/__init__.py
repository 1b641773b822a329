"""Real servers for tests: throw-away copies in temporary folders, on free loopback ports, ended by their own pids."""
