# SPDX-License-Identifier: MIT
"""Small programs of which a search loses classes if one rule for steps is left out."""
from model import Program

UNLESS_SEEN = [("load", 0, 0), ("jump", 0, "!=", 0, 3), ("lock", 0)]

TRAPS = [
    # who waits inside takes part in races
    Program({"p": UNLESS_SEEN, "q": [("lock", 0), ("store", 0, 1)]}, [["q"], ["p"]], [("p", 0, 2)]),
    # who waits races with the one that took the lock, whatever came in between
    Program({"f": [("lock", 0), ("try", 0, 0)]}, [["f"], ["f"]], [("f", 0, 0)]),
    Program({"f": [("try", 0, 0), ("store", 0, 1)], "g": [("lock", 0), ("unlock", 0)]},
            [["f"], ["g"], ["f"]], [("g", 0, 0)]),
    # a step that releases a lock to take it again leads to the one before it
    Program({"f": [("lock", 0), ("unlock", 0), ("lock", 0), ("unlock", 0)]}, [["f"], ["f"]],
            [("f", 1, 2)]),
    Program({"f": [("lock", 0), ("unlock", 0)]}, [["f"], ["f"]], [("f", 0, 0)]),
    # all of a step wakes sleepers, not only its first event
    Program({"f": [("load", 0, 0), ("load", 1, 1)], "g": [("store", 1, 1)]}, [["f"], ["g"], ["g"]],
            [("f", 0, 1)]),
    # others are tried in place of one that waits inside
    Program({"p": UNLESS_SEEN, "q": [("lock", 0), ("unlock", 0)], "r": [("store", 0, 1)]},
            [["q"], ["r"], ["p"]], [("p", 0, 2)]),
    # who waits at its first event takes part in races at once
    Program({"f": [("lock", 1), ("unlock", 1), ("lock", 0), ("lock", 1), ("unlock", 1), ("unlock", 0)],
             "g": [("lock", 0), ("lock", 1), ("unlock", 0), ("unlock", 1)]}, [["g"], ["f"]],
            [("f", 2, 3)], 1, 2),
]
