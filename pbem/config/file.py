"""The settings file: its name, and the commented one that a new home gets."""

from __future__ import annotations

FILE_NAME = "pbem.toml"

INACTIVE = "pbem.inactive"
"""A file in a home that was restored and not activated yet. While it is there, nothing that came along is used."""

DEFAULT_FILE = """\
# Settings of this play-by-email house. `address` is the only one without a default.

address = "{address}"                # players write to it; reports and receipts come from it
sender_name = "Play by Email"

inbox = "maildir:post/inbox"         # or "imaps://user@mail.example.org/INBOX", "imap+starttls://…"
carrier = "maildir:post/sent"        # or "smtps://user@mail.example.org", "smtp+starttls://…"
# inbox_password = {{ env = "PBEM_INBOX_PASSWORD" }}
# carrier_password = {{ command = "pass show mail/orders" }}
# inbox_oauth = {{ command = "…" }}     # instead of a password: prints an access token (Gmail, Microsoft 365)
# carrier_oauth = {{ command = "…" }}
# authserv_id = "mx.example.org"     # your mail server's name in the Authentication-Results that it stamps;
                                     # "*.icloud.com" for all of a provider's, "unnamed" for Microsoft's
# tls_ca = "private-ca.pem"          # instead of the system's certificate authorities

database = "sqlite:///pbem.sqlite"   # or "postgresql://user@host/name"
archive = "turns"
# templates = "templates"            # your own versions of mail texts; looked at first
pictures = true                      # maps as pictures in reports
# jobs = 2                           # processes that make the reports of a turn; else one for each processor
poll_seconds = 60                    # how often `pbem serve` looks for mail
outage_hours = 24                    # deadlines wait as long as an outage was, at most so long; 0: not at all
letter_seconds = 10                  # of the processor's time, for one letter; what takes longer is set aside
log = "log/pbem.log"                 # a line of JSON for each thing that happens; "-" is standard error
# site = "site"                      # a folder where the club's pages are written after every turn
# site_url = "https://…"             # its address on the web
# connections = 1                    # to the carrier at once
# dkim = {{ domain = "example.org", selector = "pbem", key_file = "dkim.pem" }}   # signs mail; pip install 'pbem[dkim]'

# [pace]                             # what the carrier lets you send; mail beyond it waits for its time
# per_minute = 20
# per_day = 400
# [pace."gmail.com"]                 # and to the addresses of one domain
# per_hour = 100
"""
