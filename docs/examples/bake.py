#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bake a coarse plume, look at its smoke while it is made, and stop once that has risen to 1 m."""
import billow


def look(frame):
    density = frame["density"]
    smoke = density.dense().max((0, 1)) > 0.05  # along z
    top = density.centres(2)[smoke].max(initial=0)
    print(f"frame {frame.number}: {density.tile_count} tiles, up to {top:.2f} m")
    if top > 1:
        raise billow.Cancelled("high enough")


try:
    billow.bake("plume", {"domain.voxel": 0.08, "time.warmup": 0}, on_frame=look)
except billow.Cancelled as why:
    print("stopped:", why)
