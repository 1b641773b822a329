"""Parts of pages for a browser: scripts and styles in one file, safe text, and tappable pictures."""

from pbem.web.page import BundleError, EncryptedPage, PageAssets, bundle_modules, encrypt_page, json_script, page_assets
from pbem.web.sanitize import SanitizedHtml, sanitize_html

__all__ = [
    "BundleError",
    "EncryptedPage",
    "PageAssets",
    "SanitizedHtml",
    "bundle_modules",
    "encrypt_page",
    "json_script",
    "page_assets",
    "sanitize_html",
]
