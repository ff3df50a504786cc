# SPDX-License-Identifier: Apache-2.0
"""A camera of another program as Billow's own keys: `camera: {file: shot.yaml}` reads what this writes."""
import math


def angles(forward, up):
    """Azimuth, elevation and roll of a direction of sight. Straight down or up azimuth and roll are one."""
    elevation = math.asin(max(-1, min(1, -forward[2])))
    if abs(forward[2]) > 1 - 1e-9:
        side = -1 if forward[2] < 0 else 1
        return math.atan2(side * up[0], -side * up[1]), elevation, 0.0
    azimuth = math.atan2(-forward[0], forward[1])
    ca, sa, ce, se = math.cos(azimuth), math.sin(azimuth), math.cos(elevation), math.sin(elevation)
    return azimuth, elevation, math.atan2(up[0] * ca + up[1] * sa, -up[0] * sa * se + up[1] * ca * se + up[2] * ce)


def unwound(angle, before):
    """It goes on from the key before, instead of jumping by a turn."""
    return angle + 2 * math.pi * round((before - angle) / (2 * math.pi))


def line(key, frames, values, unit=""):
    """KEY: VALUE, or keys where it moves."""
    texts = ["[%s]" % ", ".join("%.9g" % x for x in v) if isinstance(v, tuple) else ("%.9g %s" % (v, unit)).strip()
             for v in values]
    if len(set(texts)) == 1:
        return "  %s: %s\n" % (key, texts[0])
    keys = ",\n      ".join("%.9g: %s" % pair for pair in zip(frames, texts))
    return "  %s: {ease: linear, keys: {\n      %s}}\n" % (key, keys)


def text(shot):
    """Of a list by frame: {frame, eye, forward, up (z up), lens, sensor (its longer side), fstop, focus}, metres."""
    out = {name: [] for name in ("azimuth", "elevation", "roll", "distance", "target")}
    for key in shot:
        azimuth, elevation, roll = angles(key["forward"], key["up"])
        distance = key["focus"] if key["focus"] > 0 else 1.0
        out["azimuth"].append(unwound(azimuth, out["azimuth"][-1]) if out["azimuth"] else azimuth)
        out["elevation"].append(elevation)
        out["roll"].append(unwound(roll, out["roll"][-1]) if out["roll"] else roll)
        out["distance"].append(distance)
        out["target"].append(tuple(e + distance * f for e, f in zip(key["eye"], key["forward"])))
    frames = [key["frame"] for key in shot]
    said = "camera:\n  orbit: 0\n"
    for name in ("azimuth", "elevation", "roll"):
        said += line(name, frames, out[name], "rad")
    said += line("distance", frames, out["distance"], "m")
    said += "  target:\n  " + line("point", frames, out["target"])
    for name in ("lens", "sensor"):
        said += line(name, frames, [key[name] for key in shot], "m")
    if any(key["fstop"] > 0 for key in shot):
        said += line("fstop", frames, [key["fstop"] for key in shot]) + line("focus", frames, out["distance"], "m")
    return said
