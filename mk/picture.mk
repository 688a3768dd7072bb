# SPDX-License-Identifier: MIT
# The page's style and script are assembled into its object file.
$B/analyzer/lin/picture_html.c.o: analyzer/lin/picture.css analyzer/lin/picture.js
