"""The website of the club: static pages of public data, and full replays of finished games."""

from pbem.site.publish import Published, publish, publish_changes

__all__ = ["Published", "publish", "publish_changes"]
