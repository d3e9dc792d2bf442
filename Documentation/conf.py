# SPDX-License-Identifier: GPL-2.0
"""How Sphinx makes the pages: as the kernel's own Documentation, in Debian's alabaster"""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))

project = "ioblame"
author = "the ioblame developers"
copyright = "the ioblame developers"

# The version has one owner
with open(os.path.join(HERE, "..", "dkms.conf"), encoding="utf-8") as conf:
    version = re.search(r'^PACKAGE_VERSION="?([^"\n]*)', conf.read(), re.M).group(1)
release = version

master_doc = "index"
# (reference/ includes what is generated)
exclude_patterns = ["output", "reference/generated"]
primary_domain = "c"
highlight_language = "none"
# Options, three dots and quotes are typed as they are shown
smartquotes = False

html_theme = "alabaster"
html_theme_options = {
    "description": "who caused this IO?",
    "page_width": "65em",
    "sidebar_width": "15em",
    "fixed_sidebar": True,
    "body_max_width": "50em",
    "show_relbars": True,
    "font_size": "inherit",
    "font_family": "serif",
}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_show_sourcelink = False
html_copy_source = False
