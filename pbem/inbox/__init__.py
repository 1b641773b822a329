"""Processing of incoming mail: authentication, commands, order sheets and answers."""
