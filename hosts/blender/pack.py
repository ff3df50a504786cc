# SPDX-License-Identifier: GPL-3.0-or-later
"""pack.py OUT.zip FILE…: an add-on as Blender installs it, pictures apart, with the same bytes of the same files."""
import os
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as out:
    for path in sorted(sys.argv[2:]):
        folder = "billow_addon/thumbnails/" if path.endswith(".jpg") else "billow_addon/"
        entry = zipfile.ZipInfo(folder + os.path.basename(path), (1980, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
        with open(path, "rb") as f:
            out.writestr(entry, f.read())
