"""Settings of Sphinx, which makes a site of the documents: `make docs`."""

from pbem import __version__

project = "pbem"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"pbem {__version__}"
myst_heading_anchors = 3
default_role = "code"  # docstrings have names in single backquotes, as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "description"
