"""Real servers for tests: temporary copies in temporary folders, on free loopback ports, ended by their own pids."""
