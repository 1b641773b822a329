"""When turns run: schedules and deadlines, reminders, holds, misses and outages."""
