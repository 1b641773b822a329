"""What pages for a browser are made of: scripts and styles in one file, safe text, and pictures that can be tapped."""

from pbem.web.bundle import BundleError, bundle
from pbem.web.embedding import Embedded, embedded
from pbem.web.shell import Dress, dress, island

__all__ = ["BundleError", "Dress", "Embedded", "bundle", "dress", "embedded", "island"]
