"""The club's site: static pages of what all may know, and when a game is over, of everything."""

from pbem.site.publish import Published, publish, publish_changes

__all__ = ["Published", "publish", "publish_changes"]
