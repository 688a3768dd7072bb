# SPDX-License-Identifier: MIT
# The page's style and script are assembled into its object file.
$B/analyzer/lin/picture/html.c.o: analyzer/lin/picture/picture.css analyzer/lin/picture/picture.js
