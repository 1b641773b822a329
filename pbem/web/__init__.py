"""What pages for a browser are made of: scripts and styles in one file, safe text, and pictures that can be tapped."""

from pbem.web.bundle import BundleError, bundle
from pbem.web.embedding import Embedded, embedded
from pbem.web.sealing import Sealed, seal_page
from pbem.web.shell import Dress, dress, island

__all__ = ["BundleError", "Dress", "Embedded", "Sealed", "bundle", "dress", "embedded", "island", "seal_page"]
