# SPDX-License-Identifier: MIT
# The page's style and script are assembled into its object file.
$B/analyzer/lin/picture/html.c.o: analyzer/lin/picture/picture.css analyzer/lin/picture/picture.js
$B/analyzer/report/page.c.o: analyzer/report/page.css analyzer/report/page.js
$B/analyzer/nightly/board.c.o: analyzer/nightly/board.css analyzer/nightly/board.js
