"""When deadlines fall: schedules, and outages of the mail."""
