# SPDX-License-Identifier: Apache-2.0
"""What rooms.py lets pass, each with its reason. Lists only shrink: one that is no longer needed fails the test."""

# Two files that know each other. Whoever adds a third draws a line between them instead.
PAIRS = {
    ("cli/completion", "cli/main"): "the table of commands lists completion, which completes commands",
    ("core/preset/values/params", "core/preset/values/params_value"): "a table holds values, a value may be a table",
    ("plugins/common/shape/points/points", "plugins/common/shape/shape"):
        "points are one kind of shape, and are made from the parameters that all shapes share",
    ("plugins/common/table/table", "plugins/common/table/table_ply"): "one reader, two kinds of files, its words",
}

# Longer circles that still stand.
CIRCLES = {}

# Files that include what their room may not see.
ARROWS = {}

# Headers whose functions lie where their names do not lead, and which do not say where.
HEADERS = {}

# Services that families of plugins share without the SDK.
SERVICES = {}

# Rooms with lines over 120 characters.
LONG_LINES = {}

# Sources that are in no target where a library is missing; each with which.
OPTIONAL = {"library/mpi/mpi.c": "Open MPI"}
