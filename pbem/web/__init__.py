"""What pages for a browser are made of: scripts and styles in one file, safe text, and pictures that can be tapped."""

from pbem.web.page import BundleError, Dress, Sealed, bundle, dress, island, seal_page
from pbem.web.sanitize import Embedded, embedded

__all__ = ["BundleError", "Dress", "Embedded", "Sealed", "bundle", "dress", "embedded", "island", "seal_page"]
