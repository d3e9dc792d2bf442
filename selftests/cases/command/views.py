# SPDX-License-Identifier: GPL-2.0
"""Check that a file is an SVG picture, in which a program `straight` has a title."""
import sys
import xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
assert any(t.startswith("straight (") for t in titles), titles
