"""Mail with a real Dovecot and Postfix."""
